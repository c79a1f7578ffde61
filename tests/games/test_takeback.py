"""Which moves can be taken back without asking, in every game, by random play."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import msgspec
import pytest

from pbem.kit.chance import NO_LUCK
from pbem.kit.contract import AnyGame, IllegalMove, Move
from pbem.kit.folds import no_folds
from pbem.kit.play import EPOCH, Table, random_decisions
from pbem.kit.replay import AnyEntry, By, Entry, evolve_all
from pbem.kit.secrecy import redact
from pbem.kit.takeback import (
    Answered,
    LookedAt,
    does_move_draw,
    is_free_to_take_back,
    seats_with_secrets_shown_to_taker,
)
from tests.games.discovered import GAMES, SEATED, options_of, worlds_of
from tests.transcripts import seed_of


@pytest.mark.long
@SEATED
def test_a_move_free_to_take_back_draws_no_luck_and_reveals_nothing(game: AnyGame, seats: int) -> None:
    table, free = Table(game, seats, options_of(game, seats), seed_of("free", seats, 0)), 0
    for count, (ask, move) in enumerate(random_decisions(table)):
        if count > 80:
            break
        before = [entry.event for entry in table.entries]
        made = game.decide(table.state, ask.seat, move, table.luck.rules(table.next_entry_number, ask.seat))
        if not is_free_to_take_back(game, no_folds(seats).after(game, before, None), Answered(ask.seat, move, made)):
            continue
        free += 1
        assert not does_move_draw(game, table.state, ask.seat, move)
        for viewer in {*table.viewers} - {ask.seat}:
            assert [redact(event, viewer) for event in made] == [redact(event, None) for event in made]
        told = [redact(event, ask.seat) for event in made]
        if game.meta.asks[ask.kind].window:
            continue  # not every world of an open window can come about by its answers; none is taken back
        for other in worlds_of(game).worlds(table.entries, ask.seat, 3):
            state = evolve_all(game, None, (entry.event for entry in other))
            assert [redact(event, ask.seat) for event in game.decide(state, ask.seat, move, NO_LUCK)] == told
    assert free, "nothing can be taken back without asking"


@pytest.mark.long
@SEATED
def test_a_move_that_shows_something_hidden_is_not_free_to_take_back(game: AnyGame, seats: int) -> None:
    """Moves that look into hands or under cards, or draw, are known by what tests of secrecy say of each game."""
    kinds: dict[bool, Counter[str]] = {True: Counter(), False: Counter()}
    table = Table(game, seats, options_of(game, 0), seed_of("shows", seats, 0))
    for ask, move in random_decisions(table):
        before = [entry.event for entry in table.entries]
        made = game.decide(table.state, ask.seat, move, table.luck.rules(table.next_entry_number, ask.seat))
        kinds[is_free_to_take_back(game, no_folds(seats).after(game, before, None), Answered(ask.seat, move, made))][
            type(move).__name__
        ] += 1
    assert kinds[False]
    never = {"hogen": {"Declare"}, "hagakure": {"Look", "Swap"}, "allegeance": {"Announce", "Give"}}
    assert not never.get(game.meta.slug, set()) & {*kinds[True]}


@pytest.mark.long
@GAMES
@pytest.mark.parametrize("number", [0, 1])
def test_whether_a_move_is_free_to_take_back_reveals_nothing_hidden(game: AnyGame, number: int) -> None:
    seats = game.meta.seats[0] if number else game.meta.seats[-1]
    table = Table(game, seats, options_of(game, number), seed_of("told apart", seats, number))
    compared = 0
    for count, (ask, move) in enumerate(random_decisions(table)):
        if count > 60:
            break
        if count % 3:
            continue
        at = len(table.entries)
        made = game.decide(table.state, ask.seat, move, table.luck.rules(table.next_entry_number, ask.seat))
        ahead = [*table.entries, *(_entry(table, ask.seat, ask.key, event, n) for n, event in enumerate(made))]
        free = _is_free_move(game, ahead, at, ask.seat, move, seats)
        drawn = does_move_draw(game, table.state, ask.seat, move)
        for viewer in range(seats):
            for other in worlds_of(game).worlds(ahead, viewer, 3):
                if viewer == ask.seat:
                    assert _is_free_move(game, other, at, ask.seat, move, seats) == free
                assert _has_drawn_luck(game, other, at, ask.seat) == drawn
                compared += 1
    assert compared > 20


def _entry(table: Table, seat: int, key: str, event: Any, n: int) -> AnyEntry:
    return Entry(table.next_entry_number + n, EPOCH, By(seat=seat), key, event)


def _is_free_move(game: AnyGame, entries: Sequence[AnyEntry], at: int, seat: int, move: Move, seats: int) -> bool:
    events = [entry.event for entry in entries]
    return is_free_to_take_back(game, no_folds(seats).after(game, events[:at], None), Answered(seat, move, events[at:]))


def _has_drawn_luck(game: AnyGame, entries: Sequence[AnyEntry], at: int, seat: int) -> bool:
    """Whether no move of the seat begins with the events after `at` without luck.

    In a world of a window an answer may be another one, after which more would have followed.
    """
    state, made = evolve_all(game, None, (entry.event for entry in entries[:at])), [e.event for e in entries[at:]]
    for move in game.legal(state, seat):
        try:
            if [*game.decide(state, seat, move, NO_LUCK)][: len(made)] == made:
                return False
        except (IllegalMove, AssertionError, LookedAt):
            continue
    return True


def visible_values(value: Any) -> set[Any]:
    """All values in it that are not hidden."""
    if isinstance(value, msgspec.Struct):
        return visible_values([getattr(value, name) for name in value.__struct_fields__])
    if isinstance(value, dict):
        return visible_values([*value.values()])
    if isinstance(value, tuple | list):
        return {leaf for one in value for leaf in visible_values(one)}
    return set() if value is None or isinstance(value, bool) else {value}


def values_hidden(full: Any, seen: Any) -> set[Any]:
    """All values of the full state where the fold has something hidden."""
    if isinstance(full, msgspec.Struct):
        return {
            one for name in full.__struct_fields__ for one in values_hidden(getattr(full, name), getattr(seen, name))
        }
    if isinstance(full, tuple):
        return {one for at, part in enumerate(full) for one in values_hidden(part, seen[at])}
    return set() if seen is not None or full is None else {full}


def values_learned(full: Any, before: Any, after: Any, move: Move) -> set[Any]:
    """What the fold holds of what was hidden, that was neither in it before nor in the move.

    Names of cards and tiles anywhere; a number only where numbers were hidden, for others mean something else.
    """
    new = (visible_values(after) - visible_values(before)) & values_hidden(full, before)
    found = {one for one in new if isinstance(one, str)}
    for name in before.__struct_fields__:
        was, now = getattr(before, name), getattr(after, name)
        if isinstance(now, tuple) and (secret := values_hidden(getattr(full, name), was)):
            found |= (visible_values(now) - visible_values(was)) & secret
    return found - visible_values(move)


@pytest.mark.long
@SEATED
def test_a_move_that_shows_its_mover_something_new_cannot_be_taken_back(game: AnyGame, seats: int) -> None:
    """By two measures that know nothing of how it is found out: their fold, and what they would see in other worlds."""
    table, shown, kept = Table(game, seats, options_of(game, 1), seed_of("learned", seats, 0)), 0, 0
    for count, (ask, move) in enumerate(random_decisions(table)):
        if count > 80:
            break
        before, luck = [entry.event for entry in table.entries], table.luck.rules(table.next_entry_number, ask.seat)
        made = game.decide(table.state, ask.seat, move, luck)
        stays = does_move_draw(game, table.state, ask.seat, move) or (
            seats_with_secrets_shown_to_taker(game, before, [Answered(ask.seat, move, made)], ask.seat) is None
        )
        own = table.folds[ask.seat]
        told = [redact(event, ask.seat) for event in made]
        new = values_learned(table.state, own, evolve_all(game, own, told), move)
        if not game.meta.asks[ask.kind].window:
            for other in worlds_of(game).worlds(table.entries, ask.seat, 2):
                state = evolve_all(game, None, (entry.event for entry in other))
                again = game.decide(state, ask.seat, move, luck)
                new |= {"another world"} if [redact(event, ask.seat) for event in again] != told else set()
        shown += bool(new)
        kept += not stays
        assert stays or not new, f"{move} has shown {new}"
    assert shown, "nothing is ever shown"
    assert kept, "nothing can ever be taken back, though others agree"


@pytest.mark.long
@SEATED
def test_a_move_revealing_anothers_secret_needs_that_seats_consent(game: AnyGame, seats: int) -> None:
    """A move of another seat that shows the taker something hidden goes back only if that seat agrees."""
    table, kept = Table(game, seats, options_of(game, 0), seed_of("others", seats, 0)), 0
    for count, (ask, move) in enumerate(random_decisions(table)):
        if count > 60:
            break
        before = [entry.event for entry in table.entries]
        made = game.decide(table.state, ask.seat, move, table.luck.rules(table.next_entry_number, ask.seat))
        if does_move_draw(game, table.state, ask.seat, move):
            continue
        taker = (ask.seat + 1) % seats
        found = seats_with_secrets_shown_to_taker(game, before, [Answered(ask.seat, move, made)], taker)
        own, seen = table.folds[taker], evolve_all(game, table.folds[taker], (redact(e, taker) for e in made))
        kept += found is not None
        if found is not None and {
            one for one in visible_values(seen) - visible_values(own) if isinstance(one, str)
        } & values_hidden(table.state, own):
            assert found == {ask.seat}, f"{move} has shown something"
        assert found is None or found <= {ask.seat}
    assert kept, "nothing that others play can ever be taken back"
