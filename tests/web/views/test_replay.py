"""Watching: the spectator's page, and the replay from permitted views only."""

from __future__ import annotations

import gzip
import re
from collections.abc import Callable
from typing import Any

import pytest

from pbem.games import find_game
from pbem.kit.logs.logfile import read
from pbem.kit.logs.verdict import verify
from pbem.services.log.cancellation import cancel_match_for_host
from pbem.services.views.replays import Replay, Step
from tests.table import play_out
from tests.web.cast import Page, Web, play_on


@pytest.fixture
def over(web: Web, hogen: str) -> str:
    """A match that is over."""
    play_out(web.site, hogen)
    return hogen


def allies_told(text: str) -> int:
    """Returns the number of allies that the story names."""
    return len(re.findall(r"hides an ally: ", Page(text).words))


@pytest.mark.long
def test_the_replay_of_a_running_match_shows_a_seat_its_own_secrets_only(web: Web, hogen: str) -> None:
    play_on(web, hogen, 3)
    client, own = web.client(), web.link("play", hogen, 1) + "/replay"
    assert allies_told(client.get(own).text) == 1
    assert allies_told(client.get(f"/replay/{hogen}").text) == 0
    assert allies_told(client.get(f"{own}?viewer=none").text) == 0
    assert [f"{own}?viewer={eyes}" for eyes in ("1", "none")] == Page(client.get(own).text).hrefs("eyes")
    for eyes in ("all", "0"):
        assert client.get(f"/replay/{hogen}?viewer={eyes}").status_code == 403
        assert client.get(f"{own}?viewer={eyes}").status_code == 403
        assert client.get(f"/replay/{hogen}/frames.json?viewer={eyes}").status_code == 403
        assert client.get(f"{own}/frames.json?viewer={eyes}").status_code == 403


@pytest.mark.long
def test_anybody_may_replay_a_finished_match_from_any_seats_view(web: Web, over: str) -> None:
    client = web.client()
    expected = {"all": 3, "0": 1, "1": 1, "2": 1, "none": 0, "": 3}
    for path in (f"/replay/{over}", web.link("play", over, 1) + "/replay"):
        for eyes, allies in expected.items():
            assert allies_told(client.get(f"{path}?viewer={eyes}").text) == allies, eyes
        assert client.get(f"{path}?viewer=9").status_code == 404
        assert client.get(f"{path}?viewer=x").status_code == 404


@pytest.mark.long
def test_every_control_of_the_replay_is_a_link_and_every_step_reachable(web: Web, over: str) -> None:
    client = web.client()
    page = Page(client.get(f"/replay/{over}").text)
    steps = [known["href"] for tag, known in page.tags if tag == "a" and "data-step" in known]
    assert len(steps) > 5
    for n, path in enumerate(steps, 1):
        shown = Page(client.get(path).text)
        assert [known["data-step"] for _, known in shown.tags if known.get("aria-current") == "step"] == [str(n)]
    controls = {known["id"]: known["href"] for tag, known in page.tags if tag == "a" and "id" in known}
    assert set(controls) >= {"first", "prev", "run", "next", "last"}
    assert f"step={len(steps)}" in controls["last"]


@pytest.mark.long
def test_an_invalid_step_number_still_shows_the_replay(web: Web, over: str) -> None:
    for step in ("0", "9999", "x", "-3", ""):
        assert web.client().get(f"/replay/{over}?step={step}").status_code == 200


@pytest.mark.long
def test_the_replays_json_frames_are_numbered_and_have_their_symbols(web: Web, over: str) -> None:
    client = web.client()
    page = Page(client.get(f"/replay/{over}?viewer=1").text)
    path = next(known["data-frames"] for _, known in page.tags if "data-frames" in known)
    told = client.get(path).json
    assert told is not None
    frames, symbols = told["frames"], page.text + told["symbols"]
    assert [frame["n"] for frame in frames] == list(range(1, len(frames) + 1))
    for frame in frames:
        used = set(re.findall(r'href="#([^"]+)"', frame["svg"]))
        assert all(f'<symbol id="{name}"' in symbols for name in used)


def frames_of(page: str) -> str:
    return next(known["data-frames"] for _, known in Page(page).tags if "data-frames" in known)


@pytest.mark.long
def test_a_replay_page_draws_only_the_board_of_its_step(web: Web, over: str, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[int] = []
    board = Replay.board

    def count_drawings(seen: Replay, step: Step, *how: Any) -> str:
        drawn.append(step.n)
        return board(seen, step, *how)

    monkeypatch.setattr(Replay, "board", count_drawings)
    web.client().get(f"/replay/{over}?step=3")
    assert drawn == [3]


@pytest.mark.long
def test_replay_frames_are_compressed_for_clients_that_accept_it(web: Web, over: str) -> None:
    client = web.client()
    path = frames_of(client.get(f"/replay/{over}").text)
    plain, packed = client.get(path), client.get(path, headers={"Accept-Encoding": "gzip, br"})
    assert "Content-Encoding" not in plain.headers
    assert packed.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(packed.data) == plain.data
    assert len(packed.data) * 4 < len(plain.data)
    for answer in (plain, packed):
        assert "Accept-Encoding" in answer.headers["Vary"]
    refused = client.get(path, headers={"Accept-Encoding": "gzip;q=0"})
    assert "Content-Encoding" not in refused.headers


@pytest.mark.long
def test_frames_of_a_match_that_is_over_may_be_kept_and_are_sent_once(web: Web, over: str) -> None:
    client = web.client()
    path = frames_of(client.get(f"/replay/{over}").text)
    answer = client.get(path)
    assert "immutable" in answer.headers["Cache-Control"]
    again = client.get(path, headers={"If-None-Match": answer.headers["ETag"], "Accept-Encoding": "gzip"})
    assert (again.status_code, again.data) == (304, b"")
    other = client.get(path.replace("drawn=", "drawn=old"))
    assert "immutable" not in other.headers["Cache-Control"]


def test_replay_frames_under_a_seats_link_may_not_be_cached(make_web: Callable[..., Web]) -> None:
    web = make_web()
    match_id = web.start(spectators=False)
    play_out(web.site, match_id)
    own = web.link("play", match_id, 0) + "/replay"
    assert web.client().get(frames_of(web.client().get(own).text)).headers["Cache-Control"] == "no-store"


@pytest.mark.long
@pytest.mark.parametrize("spectators", [True, False])
def test_a_seat_downloads_its_own_log_and_the_full_one_after_the_end(
    make_web: Callable[..., Web], spectators: bool
) -> None:
    web = make_web()
    match_id = web.start(spectators=spectators)
    play_on(web, match_id, 3)
    own, client = web.link("play", match_id, 1) + "/replay", web.client()
    assert f"{own}/log" in Page(client.get(own).text).hrefs()
    log = client.get(f"{own}/log")
    assert log.headers["Cache-Control"] == "no-store"
    assert log.json is not None
    assert (log.json["viewer"], "seed" in log.json) == (1, False)
    play_out(web.site, match_id)
    log = client.get(f"{own}/log")
    assert log.json is not None
    assert (log.json["viewer"], "seed" in log.json) == ("all", True)
    assert verify(read(log.data, find_game)).ok


@pytest.mark.long
def test_replays_are_sent_with_noindex(web: Web, over: str) -> None:
    for path in (f"/replay/{over}", f"/replay/{over}/frames.json", f"/match/{over}"):
        assert web.client().get(path).headers["X-Robots-Tag"] == "noindex"


def test_public_pages_of_a_running_match_are_sent_with_no_store(web: Web, hogen: str) -> None:
    for path in (f"/match/{hogen}", f"/replay/{hogen}", f"/replay/{hogen}/frames.json"):
        assert web.client().get(path).headers["Cache-Control"] == "no-store"


@pytest.mark.long
def test_the_replay_of_a_private_match_needs_a_players_link(make_web: Callable[..., Web]) -> None:
    web = make_web()
    match_id = web.start(spectators=False)
    play_out(web.site, match_id)
    for path in (f"/match/{match_id}", f"/replay/{match_id}", f"/replay/{match_id}/frames.json"):
        answer = web.client().get(path)
        assert answer.status_code == 404
        assert "or it is private" in answer.text
        assert 'href="/links"' in answer.text, "whoever plays there gets their link again"
        assert "ou elle est privée" in web.client("fr").get(path).text
    assert allies_told(web.client().get(web.link("play", match_id, 0) + "/replay").text) == 3


def test_there_is_no_log_before_the_start_nor_of_a_match_called_off_then(web: Web) -> None:
    match_id = web.create()
    web.confirm(match_id)
    assert_no_log(web, match_id, "The match has not begun yet.")
    cancel_match_for_host(web.site, match_id)
    assert_no_log(web, match_id, "This match has been called off.")


def assert_no_log(web: Web, match_id: str, why: str) -> None:
    """Neither Alice nor a spectator gets a log or a replay, and they read why."""
    own = web.link("play", match_id, 0)
    for page, log in (
        (f"{own}/replay", f"{own}/replay/log"),
        (f"/replay/{match_id}", f"/api/v1/matches/{match_id}/log"),
    ):
        assert why in Page(web.client().get(page).text).words
        answer = web.client().get(log)
        assert (answer.status_code, why in answer.text) == (409, True), answer.text
