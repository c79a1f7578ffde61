"""A replay as one file: who may save it, when, and what is in it."""

from __future__ import annotations

import json
import re

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from pbem.features.pictures import boards, drawing, pictures
from pbem.games import all_games
from pbem.kit.logs import logfile
from pbem.kit.logs.repetition import draws_of_rules_and_clock
from pbem.kit.logs.verdict import verify
from pbem.models.tables import SeatRow
from tests.table import play_out
from tests.web.cast import Page, Web, path_of, play_on

SAVE = "Save this replay as a page"


def request_saved_page(client: FlaskClient, replay: str, **fields: str) -> TestResponse:
    return client.post(f"{replay}/pictures", data={"kind": "htm", "viewer": "all", "step": "1"} | fields)


def draw_all(web: Web) -> int:
    runs = 0
    while drawing.draw_frames_of_next_picture(web.site):
        runs += 1
    return runs


def save_page(web: Web, client: FlaskClient, replay: str) -> TestResponse:
    """The answer with the file."""
    path = path_of(request_saved_page(client, replay))
    draw_all(web)
    page = Page(client.get(path).text)
    return client.get(next(known["href"] for _, known in page.tags if "download" in known))


def data_in(html: str, name: str) -> object:
    found = re.search(rf'<script type="application/json" id="{name}">(.*?)</script>', html, re.DOTALL)
    assert found is not None
    return json.loads(found[1])


@pytest.mark.long
@pytest.mark.parametrize("public", [True, False])
def test_the_replay_of_a_finished_match_is_saved_by_anyone_who_may_watch(web: Web, hogen: str, public: bool) -> None:
    play_out(web.site, hogen)
    client, link = web.client(), web.link("play", hogen, 1)
    replay = f"/replay/{hogen}" if public else f"{link}/replay"
    assert SAVE in Page(client.get(replay).text).words
    got = save_page(web, client, replay)
    assert (got.status_code, got.mimetype) == (200, "text/html")
    assert got.headers["Content-Disposition"] == f"attachment; filename=hogen-{hogen}.html"
    assert got.headers["X-Robots-Tag"] == "noindex"
    assert link.rpartition("/")[2] not in got.text, "the page is passed on, the seat is not"
    assert "Alice" in got.text
    assert "default-src &#39;none&#39;; script-src &#39;sha256-" in got.text


@pytest.mark.long
def test_a_saved_page_contains_the_whole_log_and_every_board(web: Web, hogen: str) -> None:
    play_out(web.site, hogen)
    html = save_page(web, web.client(), f"/replay/{hogen}").text
    log = logfile.read(json.dumps(data_in(html, "log")).encode(), all_games().get)
    assert log.viewer == "all"
    assert verify(log).ok
    assert data_in(html, "draws") == json.loads(json.dumps([_plain(draw) for draw in draws_of_rules_and_clock(log)]))
    assert len(draws_of_rules_and_clock(log)) > 1


def _plain(draw: object) -> dict[str, object]:
    return {name: getattr(draw, name) for name in draw.__struct_fields__}  # type: ignore[attr-defined]


def test_a_page_saved_in_many_runs_equals_one_saved_in_one_run(
    web: Web, hogen: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    play_out(web.site, hogen)
    client, replay = web.client(), f"/replay/{hogen}"
    whole = save_page(web, client, replay).data
    with web.site.writing() as work:
        pictures.forget_seat(work, work.get_one(SeatRow, (hogen, 0)))
    monkeypatch.setattr(drawing, "RUN_S", -1.0)
    path = path_of(request_saved_page(client, replay))
    for drawn in (1, 2):
        drawing.draw_frames_of_next_picture(web.site)
        assert f"{drawn} of " in Page(client.get(path).text).words
    assert draw_all(web) > 10
    page = Page(client.get(path).text)
    assert client.get(next(known["href"] for _, known in page.tags if "download" in known)).data == whole


def test_a_running_match_has_no_saved_page(web: Web, hogen: str) -> None:
    play_on(web, hogen, 4)
    client = web.client()
    for replay in (f"/replay/{hogen}", f"{web.link('play', hogen, 1)}/replay"):
        assert SAVE not in Page(client.get(replay).text).words
        refused = request_saved_page(client, replay, viewer="")
        assert refused.status_code == 422
        said = Page(refused.text).words
        assert "A replay can be saved as a page once the match is over. Until then, save a GIF of it." in said
    assert draw_all(web) == 0


def test_a_replay_too_long_for_a_page_says_what_to_do(web: Web, hogen: str, monkeypatch: pytest.MonkeyPatch) -> None:
    play_out(web.site, hogen)
    monkeypatch.setattr(boards, "MOST", 10)
    refused = request_saved_page(web.client(), f"/replay/{hogen}")
    assert refused.status_code == 422
    assert "Download the log instead" in Page(refused.text).words


@pytest.mark.long
def test_a_page_that_becomes_too_large_says_what_to_do(web: Web, hogen: str, monkeypatch: pytest.MonkeyPatch) -> None:
    play_out(web.site, hogen)
    client = web.client()
    path = path_of(request_saved_page(client, f"/replay/{hogen}"))
    monkeypatch.setattr(drawing, "LARGEST", 100)
    draw_all(web)
    assert "The page has become too large. Download the log instead" in Page(client.get(path).text).words
    assert client.get(f"{path}/file").status_code == 404


def test_a_saved_page_is_in_the_language_of_its_request(web: Web, hogen: str) -> None:
    play_out(web.site, hogen)
    html = save_page(web, web.client("fr"), f"/replay/{hogen}").text
    assert '<html lang="fr">' in html
    assert "Vérifier cette partie" in html
    assert "Check this match" not in html
