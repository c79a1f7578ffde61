"""What a link shows where it is passed on: only public pages have it, and only what a spectator sees."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import unescape
from typing import Any
from urllib.parse import urlsplit

import pytest
from structlog.testing import capture_logs

from pbem.features.previews import pages, share_pictures
from pbem.kit.assemble import AssembledGame
from pbem.models.tables import SeatRow
from pbem.services.privacy.erasure import erase_player
from pbem.services.views import replays
from tests.harness.cases import cases
from tests.table import play_out
from tests.web.cast import Page, Web, play_on

WANTED = {
    "description", "og:title", "og:description", "og:url", "og:image", "og:image:width", "og:image:height",
    "og:image:alt", "twitter:card",
}  # fmt: skip
NAMED = re.compile(r'<meta (?:name|property)="([^"]+)" content="([^"]*)">')


@pytest.fixture(autouse=True)
def pictures_asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The pictures that were asked for; drawing them is tested where it is done."""
    asked: list[str] = []

    def note(svg: str) -> bytes:
        asked.append(svg)
        return b"a picture"

    monkeypatch.setattr(share_pictures, "svg_to_png", note)
    return asked


def draw_nothing(*_: object, **__: object) -> str:
    """Draws nothing."""
    raise ValueError("no SVG that a picture knows: '<text>Bob'")


def picture_paths(match: str) -> list[str]:
    """Where the pictures are."""
    return [
        "/picture.png",
        "/games/hogen/picture.png",
        f"/match/{match}/picture.png",
        f"/replay/{match}/picture.png?step=1",
    ]


def check_refused(web: Web, path: str) -> None:
    """Asserts that the picture is refused in a sentence, for a while, and that the log holds nothing of the board."""
    with capture_logs() as lines:
        answer = web.client().get(path)
    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "600"), path
    assert "This picture cannot be drawn at the moment." in answer.text
    assert "immutable" not in answer.headers.get("Cache-Control", "")
    assert web.app.extensions["pbem"].counters.read()["refusals|undrawable"] > 0
    assert [line["log_level"] for line in lines if line["event"] == "picture.undrawn"] == ["error"]
    assert "Bob" not in str(lines)


@pytest.mark.long
def test_a_preview_picture_that_cannot_be_drawn_is_refused_in_a_sentence(
    web: Web, hogen: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(share_pictures, "svg_to_png", draw_nothing)
    for path in picture_paths(hogen):
        check_refused(web, path)


def test_a_preview_picture_of_an_undrawable_game_is_refused_in_a_sentence(
    web: Web, hogen: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(AssembledGame, "draw", property(lambda game: draw_nothing))
    for path in picture_paths(hogen)[2:]:
        check_refused(web, path)


def test_a_game_and_its_rules_share_a_picture_and_old_links_redirect_to_it(web: Web) -> None:
    client = web.client()
    first, second = (card_of(client.get(f"/{page}/hogen").text)["og:image"] for page in ("games", "rules"))
    assert first == second
    old = client.get("/rules/hogen/picture.png?lang=fr&drawn=7")
    assert (old.status_code, old.location) == (308, "/games/hogen/picture.png?lang=fr&drawn=7")


@cases("query", ["slug=x", "endpoint=x", "_method=POST", "_anchor=x", "_scheme=x", "_external=1", "values=x"])
def test_an_old_link_leads_to_the_picture_whatever_its_query(web: Web, query: str) -> None:
    old = web.client().get(f"/rules/hogen/picture.png?{query}")
    assert (old.status_code, old.location) == (308, "/games/hogen/picture.png")


def test_every_preview_picture_route_has_the_rate_limit(web: Web) -> None:
    views = {rule.endpoint for rule in web.app.url_map.iter_rules() if rule.endpoint.startswith("previews.")}
    assert {limit.endpoint for limit in pages.LIMITS} == views


def card_of(page: str) -> dict[str, str]:
    """The named facts in the head of a page."""
    return {name: unescape(value) for name, value in NAMED.findall(page.partition("</head>")[0])}


def path_of(url: str) -> str:
    """The path and query of an address of this site."""
    split = urlsplit(url)
    assert split.netloc, "programs that show a preview need whole addresses"
    return f"{split.path}?{split.query}"


def test_every_public_page_has_a_preview_card_with_its_own_picture(web: Web, hogen: str) -> None:
    play_on(web, hogen, 3)
    client = web.client()
    images = set()
    for path in ("/", "/games/hogen", f"/match/{hogen}", f"/replay/{hogen}", f"/replay/{hogen}?step=2"):
        card = card_of(client.get(path).text)
        assert card.keys() >= WANTED, path
        assert all(card[name] for name in WANTED)
        answer = client.get(path_of(card["og:image"]))
        assert (answer.status_code, answer.mimetype) == (200, "image/png")
        images.add(card["og:image"])
    assert len(images) == 5


def test_no_page_of_a_seat_has_a_preview_card(web: Web, hogen: str) -> None:
    own = web.link("play", hogen, 1)
    for path in (own, f"{own}/replay", f"{own}/replay?step=1"):
        assert not card_of(web.client().get(path).text).keys() & WANTED


@pytest.mark.long
def test_a_private_match_has_no_preview_picture(make_web: Callable[..., Web]) -> None:
    web = make_web()
    match_id = web.start(spectators=False)
    for path in (f"/match/{match_id}/picture.png", f"/replay/{match_id}/picture.png?step=1"):
        assert web.client().get(path).status_code == 404
    play_out(web.site, match_id)
    assert web.client().get(f"/match/{match_id}/picture.png").status_code == 404


@pytest.mark.long
def test_a_step_is_drawn_as_a_spectator_saw_it_even_after_the_end(
    web: Web, hogen: str, pictures_asked: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    play_out(web.site, hogen)
    eyes: list[replays.Eyes] = []
    board = replays.Replay.board

    def note_step(seen: replays.Replay, step: replays.Step, *how: Any) -> str:
        eyes.append(seen.eyes)
        return board(seen, step, *how)

    monkeypatch.setattr(replays.Replay, "board", note_step)
    client = web.client()
    page = Page(client.get(f"/replay/{hogen}?lang=en&viewer=all").text)
    hiding = next(
        n for n, line in enumerate(re.findall(r"<li.*?</li>", page.text, re.DOTALL), 1) if "hides an ally" in line
    )
    eyes.clear()
    for viewer in ("all", "0", "none"):
        client.get(f"/replay/{hogen}/picture.png?lang=en&viewer={viewer}&step=1")
    assert eyes == [None] * 3
    assert len(set(pictures_asked)) == 1
    client.get(f"/replay/{hogen}/picture.png?lang=en&viewer=all&step={hiding}")
    assert eyes[-1] is None
    assert "hides an ally: " not in pictures_asked[-1]


@pytest.mark.long
def test_a_preview_picture_has_an_etag_and_is_not_drawn_again(web: Web, hogen: str, pictures_asked: list[str]) -> None:
    client = web.client()
    path = path_of(card_of(client.get(f"/match/{hogen}").text)["og:image"])
    tag = client.get(path).headers["ETag"]
    assert client.get(path).headers["Cache-Control"] == "no-cache"
    pictures_asked.clear()
    again = client.get(path, headers={"If-None-Match": tag})
    assert (again.status_code, again.data, pictures_asked) == (304, b"", [])
    play_on(web, hogen, 1)
    assert client.get(path, headers={"If-None-Match": tag}).status_code == 200


def test_the_picture_of_a_finished_matchs_step_is_cached_as_immutable(web: Web, hogen: str) -> None:
    play_out(web.site, hogen)
    client = web.client()
    path = path_of(card_of(client.get(f"/replay/{hogen}?step=2").text)["og:image"])
    assert "immutable" in client.get(path).headers["Cache-Control"]
    assert "immutable" not in client.get(path.replace("drawn=", "drawn=old")).headers["Cache-Control"]


@pytest.mark.long
def test_after_an_erasure_pages_link_to_pictures_without_the_name(
    web: Web, hogen: str, pictures_asked: list[str]
) -> None:
    play_out(web.site, hogen)
    client, page = web.client(), f"/replay/{hogen}?step=2"

    def fields_kept() -> set[str]:
        text = client.get(page).text
        frames = re.findall(r'data-frames="([^"]+)"', text)
        pictures = [known["href"] for _tag, known in Page(text).tags if known.get("id") == "picture"]
        return {path_of(card_of(text)["og:image"]), *map(unescape, frames), *pictures}

    before = fields_kept()
    assert len(before) == 2, "the boards, and the picture that is downloaded or shown beside a link"
    with web.site.reading() as session:
        bob = session.get_one(SeatRow, (hogen, 1)).player_id
    assert bob is not None
    erase_player(web.site, bob)
    assert not before & fields_kept()
    for path in before:
        pictures_asked.clear()
        answer = client.get(path)
        assert "immutable" not in answer.headers["Cache-Control"]
        assert "Bob" not in answer.text + "".join(pictures_asked)


def test_only_a_public_replay_links_to_its_steps_picture(web: Web, hogen: str) -> None:
    play_on(web, hogen, 3)
    client = web.client()
    shown = Page(client.get(f"/replay/{hogen}?step=2").text)
    offered = next(known["href"] for tag, known in shown.tags if tag == "a" and known.get("id") == "picture")
    assert "step=2" in offered
    assert client.get(offered).mimetype == "image/png"
    own = Page(client.get(web.link("play", hogen, 1) + "/replay?step=2").text)
    assert not [known for _tag, known in own.tags if known.get("id") == "picture"]


def test_only_public_pages_offer_to_play_the_game(web: Web, hogen: str) -> None:
    client, own = web.client(), web.link("play", hogen, 1)

    def offers(path: str) -> bool:
        page = Page(client.get(path).text)
        return 'class="play-this"' in page.text and any(form.action == "/now" for form in page.forms)

    public, private = [f"/match/{hogen}", f"/replay/{hogen}"], [own, f"{own}/replay"]
    assert [offers(path) for path in (*public, *private)] == [True, True, False, False]
    play_out(web.site, hogen)
    assert [offers(path) for path in (*public, *private)] == [True, True, False, False]
