"""An uploaded log in the viewer: anybody with its address can watch it, and nobody can continue it."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from pbem.features.lab.sealing import redact_log
from pbem.features.uploads import uploaded_logs
from pbem.games import all_games
from pbem.kit.logs.logfile import log_to_bytes
from pbem.services.who import STRANGER
from pbem.web.views import viewer
from tests.api.cast import Begun
from tests.harness.cases import cases
from tests.kit.logs.logs import LOG
from tests.transcripts import log_of, play_match, seed_of
from tests.web.cast import Page, Web, sign_in

OWN = redact_log(LOG, 0)


def send_log(web: Web, document: bytes | None = None) -> str:
    """Returns the page on which the log is watched."""
    return f"/replay/log/{uploaded_logs.keep_log(web.site, STRANGER, document or log_to_bytes(LOG)).id}"


@pytest.mark.long
def test_an_uploaded_log_is_watched_step_by_step_without_scripts(web: Web) -> None:
    path = send_log(web)
    before = web.everything()
    answer = web.client().get(path)
    assert answer.status_code == 200
    assert answer.headers["X-Robots-Tag"] == "noindex"
    page = Page(answer.text)
    assert "Player A" in page.words
    assert "The log agrees with itself:" in page.words
    assert "Nothing here shows that this match was played" in page.words
    assert "the times of the entries: they are what the host says" in page.words
    assert "The seed is the one that was committed to" not in page.words
    assert "nobody can play on" in page.words
    assert [form.method for form in page.forms if form.method != "get"] == []
    steps = [href for href in page.hrefs() if "step=5" in href]
    assert steps
    fifth = Page(web.client().get(f"{path}{steps[0]}" if steps[0].startswith("?") else steps[0]).text)
    assert fifth.words != page.words
    assert web.everything() == before


HOLDS = {"en": "follow from the sealed number", "fr": "découlent du nombre scellé"}


# The verdict's words are the same for every game: in French for one, and for the others in the long run.
@pytest.mark.long
@pytest.mark.parametrize(
    ("slug", "lang", "holds"),
    [
        pytest.param(slug, lang, holds, marks=[pytest.mark.long] if lang == "fr" and slug != "hogen" else [])
        for slug in all_games()
        for lang, holds in HOLDS.items()
    ],
)
def test_an_uploaded_log_of_every_game_opens(web: Web, slug: str, lang: str, holds: str) -> None:
    game = all_games()[slug]
    path = send_log(web, log_to_bytes(log_of(play_match(game, min(game.meta.seats), seed_of(slug, 2, 1)))))
    answer = web.client(lang).get(path)
    assert answer.status_code == 200
    assert holds in answer.text
    frames = web.client(lang).get(f"{path}/frames.json?from=1")
    assert json.loads(frames.data)["frames"][0]["n"] == 1
    assert (
        web.client(lang)
        .get(f"{path}/frames.json?from=1", headers={"If-None-Match": frames.headers["ETag"]})
        .status_code
        == 304
    )


def test_spectators_see_less_of_an_uploaded_log_and_unknown_eyes_are_404(web: Web) -> None:
    path = send_log(web)
    everybody, nobody = (web.client().get(f"{path}?viewer={eyes}&step=3").text for eyes in ("all", "none"))
    assert everybody != nobody
    assert web.client().get(f"{path}?viewer=7").status_code == 404
    assert web.client().get(f"{path}?viewer=x").status_code == 404


def test_a_viewers_own_log_is_shown_to_their_eyes_alone(web: Web) -> None:
    path = send_log(web, log_to_bytes(OWN))
    assert "made for one viewer" in Page(web.client().get(path).text).words
    assert web.client().get(f"{path}?viewer=1").status_code == 403
    assert web.client().get(f"{path}/frames.json?viewer=1").status_code == 403


@pytest.mark.long
def test_an_uploaded_log_is_downloaded_unchanged(web: Web) -> None:
    page = Page(web.client().get(send_log(web)).text)
    where = next(href for href in page.hrefs() if href.startswith("/api/v1/logs/"))
    assert web.client().get(where).data == log_to_bytes(LOG)


def test_without_a_valid_start_the_replay_sends_only_the_first_boards(
    web: Web, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(viewer, "FRAMES", 5)
    path = send_log(web)
    for query in ("", "?from=", "?from=x"):
        told = json.loads(web.client().get(f"{path}/frames.json{query}").data)
        assert [frame["n"] for frame in told["frames"]] == [1, 2, 3, 4, 5]


@cases("log_id", ["0" * 24, "x", "frames.json", "%00"])
def test_a_log_that_is_not_there_is_not_found(web: Web, log_id: str) -> None:
    assert web.client().get(f"/replay/log/{log_id}").status_code == 404
    assert web.client().get(f"/replay/log/{log_id}/frames.json").status_code == 404


def test_an_uploaded_log_that_no_longer_opens_says_so(web: Web, monkeypatch: pytest.MonkeyPatch) -> None:
    path = send_log(web)

    def breaks(*_: object) -> object:
        raise ValueError("another rule")

    monkeypatch.setattr(type(LOG.game), "evolve", breaks)
    for where in (path, f"{path}/frames.json"):
        answer = web.client().get(where)
        assert answer.status_code == 409
        assert "rules have been corrected" in answer.text


@pytest.mark.parametrize("on", [True, False])
def test_other_pages_link_to_the_upload_form_while_uploads_are_on(
    make_web: Callable[..., Web], new_match: Begun, on: bool
) -> None:
    web = make_web(features=("uploads",) if on else ())
    match_id = new_match.lay(web.site)
    for path in ("/games", f"/replay/{match_id}", f"{web.link('play', match_id, 0)}/replay"):
        shown = web.client().get(path, headers={"Accept-Language": "en"})
        assert shown.status_code == 200
        assert ("/replay/open" in Page(shown.text).hrefs()) == on, path
    for client in (web.client(), sign_in(web, "Alice")):
        assert "/replay/open" not in Page(client.get("/").text).hrefs(), "a player has no use for it"


@pytest.mark.parametrize("on", [True, False])
def test_the_token_page_mentions_sending_logs_only_while_uploads_are_on(make_web: Callable[..., Web], on: bool) -> None:
    web = make_web(**({} if on else {"features": ()}))
    web.start()
    alice = sign_in(web, "Alice")
    for lang, said in (
        ("en", "call off what has not begun, send logs"),
        ("fr", "annuler celles qui n’ont pas commencé, envoyer des journaux"),
    ):
        assert (said in alice.get(f"/me/tokens?lang={lang}").text) == on
