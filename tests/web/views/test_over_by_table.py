"""The pages of a match that is over because others resigned: no board on them says whose turn it was."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

import pytest

from pbem.features.previews import share_pictures
from pbem.features.previews.share_pictures import SharePicture
from pbem.kit.contract import AnyGame, Scene, Viewer
from pbem.kit.texts import LANGS, Lang
from pbem.models.tables import Match
from pbem.render import pictures
from pbem.services.log import store
from pbem.services.log.cancellation import call_off
from pbem.services.log.table import lock_table
from pbem.services.play import presence
from pbem.services.views import match_views
from tests.games.discovered import GAMES
from tests.table import THREE, claim_of
from tests.web.cast import Web, play_on

TEXTS = re.compile(r"<text[^>]*>([^<]+)</text>")


def texts_of_board(svg: str) -> set[str]:
    """What is written on a board."""
    return {unescape(said) for said in TEXTS.findall(svg)}


def texts_about_turn(web: Web, match_id: str, viewer: Viewer, lang: Lang, fold: Any = None) -> set[str]:
    """What the boards of the match would say of whose turn it is, if it went on, and do not say where it is over."""
    view = match_views.read_view(web.site, match_id, viewer)
    found: set[str] = set()
    for shape in (shape for shape in view.game.meta.shapes if shape != "pad"):
        on, over = (
            texts_of_board(
                pictures.svg_with_names(view.game.draw(fold or view.fold, viewer, lang, scene), view.sheet.names)
            )
            for scene in (Scene(shape=shape), Scene(shape=shape, over=True))
        )
        found |= on - over
    assert found
    return found


def match_in_progress(web: Web, game: AnyGame) -> str:
    """A match that has begun, in the middle of something."""
    match_id = web.start(game=game.meta.slug)
    assert play_on(web, match_id, 1) == 1
    return match_id


def left_by_two(web: Web, game: AnyGame) -> str:
    """A match that Alice and Carol have resigned from."""
    match_id = match_in_progress(web, game)
    for seat in (0, 2):
        presence.resign(web.site, claim_of(web.site, match_id, seat))
    return match_id


@pytest.mark.long
@GAMES
def test_no_page_of_a_match_ended_by_resignations_says_whose_turn_it_was(web: Web, game: AnyGame) -> None:
    match_id = left_by_two(web, game)
    for lang in LANGS:
        client = web.client(lang)
        for viewer in (None, *range(len(THREE))):
            path = f"/match/{match_id}" if viewer is None else web.link("play", match_id, viewer)
            shown = texts_of_board(client.get(f"{path}?lang={lang}").text)
            assert shown
            assert shown & texts_about_turn(web, match_id, viewer, lang) == set()


@pytest.mark.long
@GAMES
def test_after_resignations_only_a_replays_last_step_names_no_turn(web: Web, game: AnyGame) -> None:
    match_id = left_by_two(web, game)
    with web.site.reading() as session:
        state = store.Table(session, session.get_one(Match, match_id)).state
    for lang in LANGS:
        for eyes, viewer, fold in [("all", None, state), ("none", None, None), *((str(n), n, None) for n in range(3))]:
            address = f"/replay/{match_id}/frames.json?viewer={eyes}&lang={lang}"
            told = web.client(lang).get(address).get_json()["frames"]
            *_, before, last = [texts_of_board(frame["svg"]) for frame in told]
            said = texts_about_turn(web, match_id, viewer, lang, fold)
            assert last & said == set()
            assert before & said


@pytest.mark.sample(2)
@GAMES
def test_the_preview_picture_after_resignations_says_nobodys_turn(
    web: Web, game: AnyGame, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[str] = []

    def note(picture: SharePicture) -> str:
        drawn.extend(picture.boards)
        return "<svg/>"

    monkeypatch.setattr(share_pictures, "svg_document", note)
    monkeypatch.setattr(share_pictures, "svg_to_png", str.encode)
    match_id = left_by_two(web, game)
    web.client().get(f"/replay/{match_id}/picture.png?lang=en")
    assert texts_of_board(drawn[0])
    assert texts_of_board(drawn[0]) & texts_about_turn(web, match_id, None, "en") == set()


@pytest.mark.long
@GAMES
def test_a_cancelled_matchs_pages_do_not_say_whose_turn_it_was(web: Web, game: AnyGame) -> None:
    match_id = match_in_progress(web, game)
    with web.site.writing() as work:
        call_off(lock_table(work, match_id), "host")
    for viewer in (None, 0):
        path = f"/match/{match_id}" if viewer is None else web.link("play", match_id, viewer)
        assert (
            texts_of_board(web.client().get(f"{path}?lang=en").text) & texts_about_turn(web, match_id, viewer, "en")
            == set()
        )
