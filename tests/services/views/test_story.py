"""The table's events are in the story: on pages, in mails, in the replay."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pbem.kit.replay import Absent, By, Entry, TableEvent, Undone
from pbem.render import phrases
from pbem.services.play import presence, timeouts
from pbem.services.views import replays
from tests.services.letterbox import newest_mail, text_of
from tests.services.play.stage.presence import miss_turns
from tests.table import House, claim_of


def story_lines(house: House, match_id: str, viewer: int | None = None) -> list[str]:
    """The story as this viewer reads it."""
    view = house.view(match_id, viewer)
    return [phrases.phrase_text(line.text, view.sheet.names) for line in view.story("en", 0)]


def match_with_absent_bob(house: House) -> str:
    """A match in which Bob has become absent and the others have played on."""
    match_id = house.begin()
    miss_turns(house, match_id, 1)
    for _ in range(3):
        asks = [ask for ask in house.asks(match_id) if ask.seat != 1]
        if asks:
            house.play(match_id, asks[0].seat)
        timeouts.sweep_deadlines(house.site)
    return match_id


@pytest.mark.long
def test_the_story_has_the_acts_of_table_and_clock_in_log_order(house: House) -> None:
    match_id = match_with_absent_bob(house)
    view = house.view(match_id, None)
    told = view.story("en", 0)
    assert [line.n for line in told] == sorted(line.n for line in told)
    left = next(entry.n for entry in view.entries if isinstance(entry.event, Absent))
    assert next(line for line in told if line.n == left).text == (
        "{1} has missed two turns in a row and is absent: the clock moves at once."
    )
    by_clock = {entry.key: entry.n for entry in reversed(view.entries) if entry.by.clock == 1}
    begun = [line.n for line in told if line.text.startswith("Automatic move by {1}.")]
    assert begun == sorted(by_clock.values())
    assert len(begun) >= 2


def test_moved_deadlines_are_story_lines_among_the_moves(house: House) -> None:
    match_id = house.begin()
    house.clock.forward(hours=9)
    house.drain()
    house.play(match_id, 0)
    assert [line.replace("\u00a0", " ") for line in story_lines(house, match_id)][-4:-1] == [
        f"{name} has 9 hours more." for name in ("Alice", "Bob", "Carol")
    ]


@pytest.mark.long
def test_story_lines_of_table_events_are_the_same_for_everybody(house: House) -> None:
    match_id = match_with_absent_bob(house)
    about = []
    for viewer in (None, 0, 1, 2):
        view = house.view(match_id, viewer)
        about.append([(line.n, line.text) for line in view.story("en", 0) if isinstance(line.event, TableEvent)])
    assert about[0]
    assert about.count(about[0]) == 4


@pytest.mark.long
def test_a_turn_mail_says_who_left_and_numbers_lines_as_its_board_does(house: House) -> None:
    match_id = house.begin()
    for seat in range(3):
        house.play(match_id, seat)
    (asked,) = house.asks(match_id)
    house.drain()
    other = next(seat for seat in range(3) if seat != asked.seat)
    presence.resign(house.site, claim_of(house.site, match_id, other))
    timeouts.sweep_deadlines(house.site)
    house.play(match_id, asked.seat)
    timeouts.sweep_deadlines(house.site)
    house.drain()
    name = ("Alice", "Bob", "Carol")[next(ask.seat for ask in house.asks(match_id))]
    gone = ("Alice", "Bob", "Carol")[other]
    mail = text_of(newest_mail(house, name))
    assert f"{gone} has resigned." in mail or name == gone
    view = house.view(match_id, house.asks(match_id)[0].seat)
    marked = dict(view.scene(view.recap("en")).recent)
    recap = dict(view.recap("en"))
    assert set(marked) == {i for i, line in recap.items() if not isinstance(line.event, TableEvent)}
    assert all(recap[i].event == event for i, event in marked.items())


def test_an_important_story_line_has_a_news_card_redacted_for_its_reader(house: House) -> None:
    match_id = house.begin()
    for seat in range(3):
        house.play(match_id, seat)
    out = house.asks(match_id)[0].seat
    house.play(match_id, out, -1)  # in Hogen the last legal moves are wrong declarations
    for viewer in (out, (out + 1) % 3, None):
        cards = [line.card for line in house.view(match_id, viewer).story("en", 0) if line.card is not None]
        assert [card.title for card in cards] == ["You are out" if viewer == out else f"{{{out}}} is out"]


def test_a_move_taken_back_has_no_news_card(house: House) -> None:
    match_id = house.begin()
    for seat in range(3):
        house.play(match_id, seat)
    before = house.view(match_id, None)
    house.play(match_id, house.asks(match_id)[0].seat, -1)
    view = house.view(match_id, None)
    assert any(line.card for line in view.story("en", 0))
    undone = Entry(view.sheet.version + 1, "", By(table=True), None, Undone(before.sheet.version))
    after = replace(view, recent=(*view.entries, undone), told={})
    assert [line.undone for line in after.story("en", 0) if line.n > before.sheet.version][:2] == [True, True]
    assert not any(line.card for line in after.story("en", 0))


def test_a_resignation_is_a_news_card_for_the_others(house: House) -> None:
    match_id = house.begin()
    presence.resign(house.site, claim_of(house.site, match_id, 1))
    for viewer, titles in ((0, ["{1} has resigned"]), (1, []), (None, ["{1} has resigned"])):
        assert [line.card.title for line in house.view(match_id, viewer).story("en", 0) if line.card] == titles


def test_a_player_for_whom_the_clock_moved_is_told_on_a_card(house: House) -> None:
    match_id = house.begin()
    house.time_is_up(match_id)
    timeouts.sweep_deadlines(house.site)
    cards = [line.card for line in house.view(match_id, 1).story("en", 0) if line.card]
    assert [card.title for card in cards] == ["The clock moved for you"]
    assert cards[0].lines[0] == "Your time was up."


@pytest.mark.long
def test_a_table_event_is_a_replay_step_with_an_unchanged_board(house: House) -> None:
    match_id = match_with_absent_bob(house)
    seen = replays.read_replay(house.site, match_id, None, "en")
    steps = seen.steps
    assert [step.n for step in steps] == list(range(1, len(steps) + 1))
    assert [phrases.phrase_text(step.text, seen.names) for step in steps] == story_lines(house, match_id)
    at = next(i for i, step in enumerate(steps) if isinstance(step.event, Absent))
    assert steps[at].fold == steps[at - 1].fold
    assert not steps[at].opens
    assert "<svg" in seen.picture(steps[at])
