"""The secrecy law, and closed memory: a covered card is shown to nobody again while the match runs."""

import hashlib
from collections.abc import Iterator

import pytest

from pbem.games.allegeance import GAME
from pbem.games.allegeance.facts import Announced, Answered, Caught, Given, Hit, Missed, Mistaken, TurnBegan
from pbem.games.allegeance.facts_state import Table
from pbem.kit.contract import Viewer
from pbem.kit.play import Table as Match
from pbem.kit.play import random_decisions
from pbem.kit.replay import first_entry_still_fresh, redact_entries, turn_of_key
from pbem.kit.secrecy import redact
from pbem.kit.texts import LANGS
from tests.games.allegeance.worlds import cards_in, log_as_seen, worlds
from tests.harness.cases import cases

CLOSED, OPEN = Table(), Table(memory="open")
SHOWN = (Announced, Hit, Missed)
SEATED = [pytest.param(2, marks=pytest.mark.long), 3, pytest.param(4, marks=pytest.mark.long)]
"""For what looks at every log again and again: who sees what is the same with any number of seats."""
MOVED = (Announced, Hit, Missed, Given, Caught, Mistaken, TurnBegan)


def random_match(seats: int, options: Table, number: int) -> Match:
    seed = hashlib.sha256(f"secrets {seats} {number} {options.memory}".encode()).digest()
    return Match(GAME, seats, options, seed)


@pytest.mark.long
def test_compared_worlds_differ_in_door_covered_cards_hands_and_wishes() -> None:
    kinds = set()
    table = random_match(4, CLOSED, 5)
    for at, _ in enumerate(random_decisions(table)):
        if at % 5:
            continue
        for other in worlds(table.entries, None, 500):
            kinds |= {
                (type(e.event).__name__, field)
                for e, true in zip(other, table.entries, strict=True)
                for field in e.event.__struct_fields__
                if getattr(e.event, field) != getattr(true.event, field)
            }
        if at > 40:
            break
    wanted = {("RoundBegan", "door"), ("Announced", "card"), ("Missed", "covered"), ("TurnBegan", "hands")}
    assert kinds >= {*wanted, ("TurnBegan", "top"), ("TurnBegan", "banned"), ("Answered", "challenge")}


# --- closed memory -----------------------------------------------------------------------------------------


def every_position(seats: int, options: Table, matches: int = 2) -> Iterator[tuple[Match, Viewer]]:
    for number in range(matches):
        table = random_match(seats, options, number)
        for at, _ in enumerate(random_decisions(table)):
            if at % 3 == 0:
                for viewer in table.viewers:
                    yield table, viewer


@pytest.mark.long
@pytest.mark.parametrize("seats", SEATED)
def test_before_ones_last_turn_no_entry_but_the_newest_summary_names_cards(seats: int) -> None:
    hidden = 0
    for table, viewer in every_position(seats, CLOSED, matches=1):
        asks = GAME.pending(table.state)
        first = first_entry_still_fresh(GAME, table.entries, viewer, asks)
        newest = max(e.n for e in table.entries if isinstance(e.event, TurnBegan))
        for entry in log_as_seen(table.entries, viewer):
            if entry.n < first and entry.n != newest:
                assert not cards_in(entry.event), (viewer, entry)
                hidden += bool(cards_in(table.entries[entry.n - 1].event))
        summary = redact(table.entries[newest - 1].event, viewer)
        own = () if viewer is None else table.state.hands[viewer]
        allowed = {*summary.top, *summary.banned, *(own if viewer is not None else ())}
        allowed |= set() if viewer is None else set(summary.hands[viewer])
        assert cards_in(summary) <= allowed
    assert hidden > 500


@pytest.mark.long
@pytest.mark.parametrize("seats", SEATED)
def test_fresh_entries_begin_with_the_turn_of_the_viewers_last_answer(seats: int) -> None:
    for table, viewer in every_position(seats, CLOSED, matches=1):
        first = first_entry_still_fresh(GAME, table.entries, viewer, GAME.pending(table.state))
        answered = [e for e in table.entries if e.key and e.seat_answered_for == viewer]
        if viewer is None:
            turns = {turn_of_key(e.key) for e in table.entries[first - 1 :] if e.key}
            assert turns <= {GAME.pending(table.state)[0].turn}
        elif not answered:
            assert first == 1
        else:
            assert turn_of_key(table.entries[first - 1].key or "") == turn_of_key(answered[-1].key or "")
            assert turn_of_key(table.entries[first - 2].key or "") != turn_of_key(answered[-1].key or "")


@pytest.mark.long
@cases("seats", [2, 3, 4])
def test_no_seats_fold_contains_a_covered_card_or_anothers_hand(seats: int) -> None:
    for table, viewer in every_position(seats, CLOSED):
        own = table.folds[viewer]
        assert set(own.palace[:-1]) <= {None}
        assert set(own.door) <= {None}
        assert all(set(hand) <= {None} for seat, hand in enumerate(own.hands) if seat != viewer)
        if viewer is not None:
            assert own.hands[viewer] == table.state.hands[viewer]
        assert own.palace[-1:] == table.state.palace[-1:]
        assert (own.banned, own.announced) == (table.state.banned, table.state.announced)


@pytest.mark.long
@pytest.mark.parametrize("seats", SEATED)
def test_each_seat_sees_fresh_events_since_its_own_last_answer(seats: int) -> None:
    for table, viewer in every_position(seats, CLOSED, matches=1):
        first = first_entry_still_fresh(GAME, table.entries, viewer, GAME.pending(table.state))
        for entry in log_as_seen(table.entries, viewer):
            if entry.n >= first and isinstance(entry.event, (Announced, Hit, Missed)):
                assert entry.event.card == table.entries[entry.n - 1].event.card


@pytest.mark.long
@pytest.mark.parametrize("seats", SEATED)
def test_open_memory_hides_only_the_door_and_the_wishes(seats: int) -> None:
    for table, viewer in every_position(seats, OPEN, matches=1):
        own = table.folds[viewer]
        assert (own.palace, own.hands) == (table.state.palace, table.state.hands)
        assert set(own.door) <= {None}
        for entry, true in zip(log_as_seen(table.entries, viewer), table.entries, strict=True):
            if isinstance(entry.event, MOVED):
                assert entry == true
            elif isinstance(entry.event, Answered) and entry.event.seat != viewer:
                assert entry.event.challenge is None


@pytest.mark.long
def test_every_log_with_hidden_cards_can_be_told_and_described_in_words() -> None:
    for table, viewer in every_position(3, CLOSED, matches=1):
        before = None
        for entry in log_as_seen(table.entries, viewer):
            for lang in LANGS:
                told = GAME.tell(entry.event, before, lang)
                assert "None" not in told
                assert "{}" not in told
            before = GAME.evolve(before, entry.event)
            assert "None" not in " ".join(GAME.describe(before, viewer, "en"))
        assert before == table.folds[viewer]
        if len(table.entries) > 120:
            break


def test_after_the_end_nothing_is_hidden_from_a_spectator() -> None:
    table = random_match(4, Table(target=1), 0)
    hidden_before = 0
    for _ in random_decisions(table):
        shown = log_as_seen(table.entries, None)
        hidden_before = sum(isinstance(e.event, SHOWN) and e.event.card is None for e in shown)
    assert hidden_before > 20
    assert GAME.outcome(table.state) is not None
    looked_back = redact_entries(
        table.entries, None, first_entry_still_fresh(GAME, table.entries, None, GAME.pending(table.state))
    )
    for entry, true in zip(looked_back, table.entries, strict=True):
        if isinstance(true.event, SHOWN):
            assert entry == true or isinstance(true.event, Missed)
            assert entry.event.card == true.event.card
