"""The boards that slide by on the page of a seat: what the others did since its own last move, as this seat sees it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pbem.services.play import presence
from pbem.services.views.match_views import View, read_view
from pbem.services.views.replays import read_replay
from pbem.web.play.seat_page import MOST_STEPS
from tests.table import claim_of
from tests.web.cast import Page, Web, play_on

DECISIONS = 8


def figure(web: Web, match_id: str, seat: int) -> dict[str, str]:
    """Returns the attributes of the board on the page of a seat."""
    page = Page(web.client().get(web.link("play", match_id, seat)).text)
    return next(known for tag, known in page.tags if tag == "figure" and known.get("data-part") == "board")


def view_of(web: Web, match_id: str, seat: int) -> View:
    return read_view(web.site, match_id, seat)


def frames(web: Web, match_id: str, seat: int, **query: Any) -> list[str]:
    answer = web.client().get(web.link("play", match_id, seat) + "/since.json", query_string=query)
    assert answer.status_code == 200
    told: list[str] = json.loads(answer.data)["frames"]
    return told


@pytest.fixture
def going(web: Web, hogen: str) -> str:
    """A match in which some decisions have been made."""
    assert play_on(web, hogen, DECISIONS, seed=2) == DECISIONS
    return hogen


@pytest.mark.long
def test_a_page_names_the_entries_after_the_seats_own_last_move(web: Web, going: str) -> None:
    for seat in range(3):
        view, known = view_of(web, going, seat), figure(web, going, seat)
        own = view.last_own()
        assert own is not None
        others = [entry for entry in view.entries if entry.n > own.n and entry.answers_for not in (None, seat)]
        assert ("data-since" in known) == bool(others)
        if others:
            assert (known["data-first"], known["data-last"]) == (str(own.n), str(view.entries[-1].n))
            assert known["data-since"].startswith(web.link("play", going, seat))
            assert going in known["data-name"]


@pytest.mark.long
def test_a_player_who_has_just_moved_has_nothing_to_see(web: Web, hogen: str) -> None:
    play_on(web, hogen, 1)
    (mover,) = [seat for seat in range(3) if view_of(web, hogen, seat).last_own()]
    assert "data-since" not in figure(web, hogen, mover)
    assert "data-since" in figure(web, hogen, (mover + 1) % 3)


@pytest.mark.long
def test_the_boards_run_from_before_the_first_sliding_step_to_the_present(web: Web, going: str) -> None:
    replay = read_replay(web.site, going, 1, "en", 1)
    for first, after in ((replay.steps[-2],) * 2, (replay.steps[-3],) * 2, (replay.steps[-3], replay.steps[-2])):
        boards = [str(replay.picture(step, counted_from=first.n * (step.n > first.n))) for step in replay.steps]
        assert frames(web, going, 1, first=first.entry, after=after.entry, lang="en") == boards[after.n - 1 :]
    last = frames(web, going, 1, after=replay.steps[-1].entry)
    assert len(last) == 1, "nothing has happened since"
    for wrong in ("x", "-1", "99999", ""):
        assert frames(web, going, 1, after=wrong) == last


@pytest.mark.long
def test_after_a_long_time_the_newest_steps_alone_slide(web: Web, going: str) -> None:
    assert len(read_replay(web.site, going, 1, "en", 1).steps) > MOST_STEPS + 2
    assert len(frames(web, going, 1, after=1)) == MOST_STEPS + 1


def test_boards_are_drawn_in_the_shape_of_the_screen(web: Web, going: str) -> None:
    for shape in ("portrait", "landscape", "low"):
        assert all(f'class="{shape}"' in board.split(">")[0] for board in frames(web, going, 1, after=3, shape=shape))
    for wrong in ("pad", "round", ""):
        answer = web.client().get(web.link("play", going, 1) + f"/since.json?shape={wrong}")
        assert answer.status_code == 404
    assert web.client().get(web.link("play", going, 1) + "x/since.json").status_code == 401


@pytest.mark.long
def test_boards_are_kept_nowhere(web: Web, going: str) -> None:
    answer = web.client().get(web.link("play", going, 1) + "/since.json")
    assert "no-store" in answer.headers["Cache-Control"]
    assert "noindex" in answer.headers["X-Robots-Tag"]


def test_no_board_that_slides_by_asks_something_of_who_has_resigned(web: Web, hogen: str) -> None:
    play_on(web, hogen, 2)
    (asked,) = [ask.seat for ask in view_of(web, hogen, 0).sheet.asks]
    assert any("choose your ally" in board for board in frames(web, hogen, asked, shape="landscape"))
    presence.resign(web.site, claim_of(web.site, hogen, asked))
    assert "data-since" not in figure(web, hogen, asked), "nothing slides by for them"
    assert not any("choose your ally" in board for board in frames(web, hogen, asked, shape="landscape"))
