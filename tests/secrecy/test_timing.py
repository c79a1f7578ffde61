"""The timing law: worlds that differ in when, how and by whom a silent window was answered are alike in every byte.

Everything that somebody receives is compared at equal moments of a clock that moves by hand, while a window is open,
when it closes and afterwards: worlds in which the others answered early or late, by hand, by order or by the clock, in
another order, with other hands. Only one's own answer is one's own business.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

import pytest
from sqlmodel import select

from pbem.features import safe_http
from pbem.features.safe_http import Answer
from pbem.features.webhooks import registry
from pbem.kit.contract import Viewer
from pbem.kit.windows import STEP_S
from pbem.models.tables import Player
from pbem.services.lobby.match_request import SILENT
from pbem.services.play import bots, ordering, timeouts
from tests.secrecy.received import (
    Received,
    api_paths,
    authorization_header,
    client_of,
    comparable_answer,
    compare_received,
    copy_with,
    full_log,
    page_paths,
    reopen_mail,
    what_is_received,
    worlds_of,
)
from tests.secrecy.webhooks import Called, calls_gone_out, what_hooks_are_sent
from tests.table import CAST, House, address_of, claim_of
from tests.windows import answer_window as answer_window
from tests.windows import floor_of, play_to_window

pytestmark = pytest.mark.usefixtures("no_lookups")

FLOOR = 10_000
"""Minutes that count from the floor of the window, which follows from the seed, not from its opening."""
LATER = FLOOR + 10


@dataclass(frozen=True)
class Answers:
    """How a window was answered; a seat is how many steps it sits from the announcer, clockwise."""

    by_hand: dict[int, int] = field(default_factory=dict)
    """Minute -> seat: it lets the announcement pass. Seats that do not answer are left to the clock."""
    by_order: tuple[int, ...] = ()
    changes: dict[int, int] = field(default_factory=dict)
    """Minute -> seat: it challenges at first, and changes its mind at its minute."""


ALIKE = {
    "before the floor": (
        Answers({1: 1, 2: 3, 7: 2}),
        Answers({7: 2, 15: 3, 16: 1}),
        Answers({7: 2, 16: 3}, by_order=(1,)),
        Answers({7: 2}, by_order=(1, 3)),
        Answers({7: 2, 9: 1, 12: 3}, changes={2: 1, 3: 3}),
    ),
    "who of several answered last": (
        Answers({1: 1, 7: 2, LATER: 3}),
        Answers({3: 3, 7: 2, LATER: 1}),
        Answers({7: 2, LATER: 3}, by_order=(1,)),
    ),
    "whom the clock played for": (Answers({1: 1, 7: 2}), Answers({3: 3, 7: 2}), Answers({7: 2})),
}
"""Worlds that nobody but those whose answers differ, the seats 1 and 3, can tell apart."""
CHAT = "https://discord.com/api/webhooks/9/chat-"
VIEWERS = {"spectator": None, "announcer": 0, "another who is asked": 2}
"""Steps from the announcer."""
CASES = [
    pytest.param(name, at, eyes, id=f"{name} {at} {eyes}", marks=() if eyes == short and last else pytest.mark.long)
    for (name, alike), short in zip(ALIKE.items(), ("announcer", "spectator", "another who is asked"), strict=True)
    for at in range(1, len(alike))
    for eyes in VIEWERS
    for last in (at == len(alike) - 1,)
]


@pytest.fixture
def hook_calls(monkeypatch: pytest.MonkeyPatch) -> Called:
    """Every call of a webhook, each of which succeeds."""
    made: Called = []

    def call(url: str, body: bytes, headers: dict[str, str], **_: object) -> Answer:
        made.append((url, body, tuple(sorted(headers.items()))))
        return Answer(status=204)

    monkeypatch.setattr(safe_http, "post_safely", call)
    return made


@pytest.mark.long
@pytest.mark.parametrize(("name", "at", "eyes"), CASES)
def test_nobody_can_tell_when_how_or_by_whom_a_window_was_answered(
    name: str, at: int, eyes: str, house: House, tmp_path: Path, hook_calls: Called
) -> None:
    match_id = house.begin(4, "allegeance", windows=SILENT)
    steps = VIEWERS[eyes]
    viewer = None if steps is None else (house.asks(match_id)[0].seat + steps) % 4
    first, second = (
        course_of_window(house, match_id, viewer, answers, tmp_path / f"{number}", hook_calls)
        for number, answers in enumerate((ALIKE[name][0], ALIKE[name][at]))
    )
    compare_received(first, second)


@pytest.mark.long  # every run compares other answers (above), and other hands (test_everything_a_viewer_receives)
def test_a_windows_timing_hides_answers_that_depend_on_the_hand(
    house: House, tmp_path: Path, hook_calls: Called
) -> None:
    """A player who holds the announced card takes a quarter of an hour, and a player who does not has left an order."""
    match_id = house.begin(4, "allegeance", windows=SILENT)
    play_to_window(house, match_id)
    for _ in range(3):
        for seat in [ask.seat for ask in house.asks(match_id)]:
            answer_window(house, match_id, seat, challenge=True)
        house.clock.at = floor_of(house, match_id)
        timeouts.sweep_deadlines(house.site)
        while house.asks(match_id)[0].kind == "give":
            house.play(match_id, house.asks(match_id)[0].seat)
        play_to_window(house, match_id)
    announcer = house.view(match_id, None).fold.active
    other = next(iter(worlds_of("allegeance").worlds(full_log(house, match_id), announcer, 1)))
    here, there = (
        copy_with(house, match_id, log, tmp_path / place)
        for log, place in ((full_log(house, match_id), "here"), (other, "there"))
    )
    got = [
        follow_window(one, match_id, announcer, answers, hook_calls)
        for one, answers in ((here, Answers({7: 2, 15: 1, 16: 3})), (there, Answers({7: 2, 8: 3}, by_order=(1,))))
    ]
    compare_received(*got)
    for one in (here, there):
        one.site.engine.dispose()


def course_of_window(
    house: House, match_id: str, viewer: Viewer, answers: Answers, folder: Path, called: Called
) -> Received:
    """Returns what the viewer receives in a copy of the house in which the next window is answered in this way."""
    there = copy_with(house, match_id, full_log(house, match_id), folder)
    got = follow_window(there, match_id, viewer, answers, called)
    there.site.engine.dispose()
    return got


def follow_window(house: House, match_id: str, viewer: Viewer, answers: Answers, called: Called) -> Received:
    """Returns what the viewer receives at the moments that matter, while the window is answered in this way."""
    announcer, out = house.view(match_id, None).fold.active, Received()
    open_chats(house)
    out["webhooks before"] = what_hooks_are_sent(house, viewer, called)
    named = seats_named(called)
    for step in answers.by_order:
        order_to_pass(house, match_id, (announcer + step) % 4)
    play_to_window(house, match_id)
    assert {ask.seat for ask in house.asks(match_id)} == {*range(4)} - {announcer}
    begun, floor = house.clock.at, floor_of(house, match_id)
    deadline = max(ask.acts_at for ask in house.asks(match_id) if ask.acts_at is not None)
    for name, after, happens in moments_to_compare(answers):
        from_floor = timedelta(minutes=after - FLOOR)
        house.clock.at = floor + from_floor if after >= FLOOR - 1 else begun + timedelta(minutes=after)
        if name in ("deadline", "closed"):
            house.clock.at = deadline if name == "deadline" else deadline + timedelta(seconds=STEP_S)
        happens(house, match_id, announcer)
        run_workers(house)
        if name:
            reopen_mail(house, viewer)
            out |= {f"{name}: {place}": got for place, got in at_this_moment(house, match_id, viewer, name).items()}
            out[f"{name}: webhooks"] = calls_gone_out(house, called)
            if name == "all at work":
                named |= seats_named(called)
                assert named >= {*range(4)} - {announcer}, "the chats name all who are asked"
    assert house.asks(match_id)[0].kind == "announce", "the window has closed"
    return out


def open_chats(house: House) -> None:
    """Lets each player's chat be told about all of it; the whole table reads all of them."""
    with house.site.reading() as session:
        players = {
            seat: session.exec(select(Player.id).where(Player.canonical == address_of(CAST[seat]))).one()
            for seat in range(4)
        }
    for seat, player in players.items():
        assert player is not None
        registry.add_webhook(house.site, player, f"{CHAT}{seat}", ("your_turn", "moved"), "discord", language="en")


def seats_named(called: Called) -> set[int]:
    """Returns the seats whose own chat has just said that they are up."""
    said = [(url.removeprefix(CHAT), body.decode()) for url, body, _ in called if url.startswith(CHAT)]
    return {int(seat) for seat, body in said if f"{CAST[int(seat)]} is up" in body}


Happens = Callable[[House, str, int], object]
MOMENTS = {
    "all at work": 10,
    "just before the floor": FLOOR - 1,
    "floor": FLOOR,
    "later": LATER + 1,
    "deadline": 99_999,
    "closed": 100_000,
}


def moments_to_compare(answers: Answers) -> Iterator[tuple[str, int, Happens]]:
    """Yields what happens, in order: the name of a moment to compare or "", its minute, and who answers then."""

    def nothing(house: House, match_id: str, announcer: int) -> None:
        pass

    def say(seat: int, *, challenge: bool) -> Happens:
        return lambda house, match_id, announcer: answer_window(
            house, match_id, (announcer + seat) % 4, challenge=challenge
        )

    steps: list[tuple[int, str, Happens]] = [(minute, name, nothing) for name, minute in MOMENTS.items()]
    steps += [(minute, "", say(seat, challenge=False)) for minute, seat in answers.by_hand.items()]
    steps += [(minute, "", say(seat, challenge=True)) for minute, seat in answers.changes.items()]
    for minute, name, happens in sorted(steps, key=lambda one: one[:2]):
        yield name, minute, happens


def run_workers(house: House) -> None:
    """Lets the workers do what is due."""
    timeouts.sweep_deadlines(house.site)
    bots.play_quick_bots(house.site)
    house.drain()


def order_to_pass(house: House, match_id: str, seat: int) -> None:
    """Lets everything pass for this seat, as long as the match lasts."""
    said = {"type": "Always", "kind": "answer", "move": {"type": "LetPass"}, "scope": "match"}
    version = house.view(match_id, seat).sheet.version
    ordering.save_orders(house.site, claim_of(house.site, match_id, seat), version, [said], "api")


def at_this_moment(house: House, match_id: str, viewer: Viewer, name: str) -> Received:
    """Returns what the viewer can get now: everything while they wait and at the end, else what changes at once."""
    if name in ("all at work", "closed"):
        return what_is_received(house, match_id, viewer)
    client, out = client_of(house), Received()
    for path in [*api_paths(match_id), *page_paths(house, match_id, viewer)]:
        out[path] = comparable_answer(
            client, path, authorization_header(house, match_id, viewer) if "/api/" in path else {}
        )
    return out


@pytest.mark.long
def test_an_open_window_closing_at_once_reveals_who_answered(house: House, tmp_path: Path, hook_calls: Called) -> None:
    """The comparison itself can fail: there the table chose that windows are not silent."""
    match_id = house.begin(4, "allegeance")
    play_to_window(house, match_id)
    announcer = house.view(match_id, None).fold.active
    got = []
    for step in (1, 2):
        there = copy_with(house, match_id, full_log(house, match_id), tmp_path / f"{step}")
        answer_window(there, match_id, (announcer + step) % 4)
        got.append(at_this_moment(there, match_id, None, "floor"))
        there.site.engine.dispose()
    with pytest.raises(AssertionError, match="two worlds differ"):
        compare_received(*got)
