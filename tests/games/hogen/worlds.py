"""Other full logs of a match of Hogen that one viewer cannot distinguish from the true one.

All cards that ever moved are public. Allies, and cards that never left the hand they were dealt to, are hidden.
Those of the other seats are shuffled as far as the public history allows: a seat that passed holds nothing that
fits, a seat that called had an ally for which the call was legal, and a wrong declaration stays wrong.

With closed memory two cards may also have changed places everywhere, if the viewer is shown neither of them any more.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations, islice, zip_longest
from typing import Any

import msgspec
from msgspec.structs import replace

from pbem.games.hogen import GAME
from pbem.games.hogen.facts import (
    AllyChosen,
    Began,
    Call,
    Called,
    ChooseAlly,
    Covered,
    Dealt,
    Declare,
    Declared,
    Exchange,
    Exchanged,
    Guess,
    Passed,
    Refuted,
    State,
    Unmasked,
    answers_call,
    calls_allowed_with_ally,
    opponents_in_seat_order,
)
from pbem.games.samurai import CARDS, CLANS, RANKS
from pbem.kit.chance import Chance, ScriptedChance, SeedChance
from pbem.kit.contract import IllegalMove, Move, Viewer
from pbem.kit.replay import AnyEntry, evolve_all, first_entry_still_fresh, full_fold, redact_entries

Slot = tuple[int, bool]
"""A hidden place: a seat, and whether it is its ally."""


def worlds(entries: Sequence[AnyEntry], viewer: Viewer, limit: int) -> Iterator[list[AnyEntry]]:
    """Up to `limit` other logs with the same redacted form for this viewer, each one the rules could produce.

    With closed memory by turns one in which what they saw when it was fresh was the same, and one in which it was not.
    """
    never, faded = _other_deals(entries, viewer, limit), _logs_with_swapped_cards(entries, viewer)
    found = (other for pair in zip_longest(never, faded) for other in pair if other is not None)
    yield from islice(found, limit)


def _other_deals(entries: Sequence[AnyEntry], viewer: Viewer, limit: int) -> Iterator[list[AnyEntry]]:
    truth = [e.event for e in entries]
    slots, cards, allowed = _places_hidden_from(truth, viewer)
    luck = SeedChance(bytes(32), position=len(entries), purpose="bot", seat=viewer)
    found = 0
    for placed in _deals(slots, cards, allowed, luck):
        other = _rewrite_log(entries, viewer, placed)
        if other is not None and [e.event for e in other] != truth:
            yield other
            found += 1
            if found == limit:
                return


def _logs_with_swapped_cards(entries: Sequence[AnyEntry], viewer: Viewer) -> Iterator[list[AnyEntry]]:
    """Other logs in which two cards that have faded for the viewer have changed places; none with open memory."""
    state = full_fold(GAME, entries)
    if state.has_open_memory:
        return
    first = first_entry_still_fresh(GAME, entries, viewer, GAME.pending(state))
    seen, never = redact_entries(entries, viewer, first), redact_entries(entries, viewer)
    luck = SeedChance(bytes(32), position=len(entries), purpose="bot", seat=viewer)
    for one, other in luck.shuffled(combinations(CARDS, 2)):
        world = [replace(e, event=_with_swapped_names(e.event, {one: other, other: one})) for e in entries]
        alike = redact_entries(world, viewer, first) == seen and redact_entries(world, viewer) != never
        if alike and _is_possible(world):
            yield world


def _with_swapped_names(value: Any, names: dict[str, str]) -> Any:
    """The value with these cards exchanged wherever they are, but not where somebody speaks of them."""
    if isinstance(value, (Called, Declared)):
        return value
    if isinstance(value, msgspec.Struct):
        return replace(
            value, **{name: _with_swapped_names(getattr(value, name), names) for name in value.__struct_fields__}
        )
    if isinstance(value, tuple):
        return tuple(_with_swapped_names(item, names) for item in value)
    return names.get(value, value) if isinstance(value, str) else value


def _is_possible(entries: Sequence[AnyEntry]) -> bool:
    """Whether the rules could produce this log."""
    palace = entries[0].event.palace
    if len({card[0] for card in palace}) < 4 or len({card[1] for card in palace}) < 4:
        return False
    allies = {e.event.seat: e.event.card for e in entries if isinstance(e.event, AllyChosen)}
    at = sum(entry.key is None for entry in entries)
    state = evolve_all(GAME, None, (entry.event for entry in entries[:at]))
    while at < len(entries):
        group = [e for e in entries[at:] if e.key == entries[at].key]
        if _same_move_in_world(state, group, allies) != [e.event for e in group]:
            return False
        state = evolve_all(GAME, state, (e.event for e in group))
        at += len(group)
    return True


def _places_hidden_from(events: Sequence[Any], viewer: Viewer) -> tuple[list[Slot], list[str], dict[Slot, set[str]]]:
    """The places hidden from the viewer, the cards in them, and which card each may hold."""
    dealt: Dealt = events[0]
    seats = len(dealt.hands)
    chosen = {e.seat: e.card for e in events if isinstance(e, AllyChosen)}
    final: State | None = None
    for event in events:
        final = GAME.evolve(final, event)
    assert final is not None
    known = {seat for e in events if isinstance(e, Unmasked) for seat in range(seats)}
    known |= {s for e in events if isinstance(e, Refuted) and e.seat == viewer for s in range(seats)}
    moved = {e.given for e in events if isinstance(e, Exchanged)}
    still = {s: [c for c in dealt.hands[s] if c not in moved and c != chosen.get(s)] for s in range(seats)}
    slots: list[Slot] = []
    cards: list[str] = []
    for seat in (s for s in range(seats) if s != viewer):
        slots += [(seat, False)] * len(still[seat])
        cards += [c for c in still[seat] if c]
        if seat in chosen and seat not in known:
            slots.append((seat, True))
            cards.append(chosen[seat] or "")
    return slots, cards, {slot: _cards_allowed(events, slot) for slot in set(slots)}


def _cards_allowed(events: Sequence[Any], slot: Slot) -> set[str]:
    seat, is_ally = slot
    allowed = set(CARDS)
    call = Call()
    for event in events:
        match event:
            case Called(caller, clan, rank):
                call = Call(clan, rank)
                if is_ally and caller == seat:
                    allowed = {c for c in allowed if call in calls_allowed_with_ally(c)}
            case Passed(passing) if passing == seat and not is_ally:
                allowed = {c for c in allowed if not answers_call(c, call)}
            case Declared(declarer, allies) if declarer == seat:
                allowed -= {guess.card for guess in allies}
    return allowed


def _deals(
    slots: list[Slot], cards: list[str], allowed: dict[Slot, set[str]], luck: Chance
) -> Iterator[dict[Slot, list[str]]]:
    """Every way to deal the cards to the places, in a random order; places that hold the same cards count as one."""
    places = sorted(slots, key=lambda slot: (len(allowed[slot] & set(cards)), slot))
    order = {slot: luck.shuffled(cards) for slot in set(slots)}

    def lay(at: int, left: frozenset[str], done: dict[Slot, list[str]]) -> Iterator[dict[Slot, list[str]]]:
        if at == len(places):
            yield done
            return
        slot = places[at]
        before = done.get(slot, [])
        rank = order[slot].index
        for card in order[slot]:
            if card in left and card in allowed[slot] and (not before or rank(card) > rank(before[-1])):
                yield from lay(at + 1, left - {card}, {**done, slot: [*before, card]})

    yield from lay(0, frozenset(cards), {})


def _rewrite_log(entries: Sequence[AnyEntry], viewer: Viewer, placed: dict[Slot, list[str]]) -> list[AnyEntry] | None:
    """The log with these cards in the hidden places, every move decided again; None where the history breaks."""
    dealt: Dealt = entries[0].event
    seats = len(dealt.hands)
    moved = {e.event.given for e in entries if isinstance(e.event, Exchanged)}
    allies = {e.event.seat: e.event.card for e in entries if isinstance(e.event, AllyChosen)}
    for (seat, is_ally), cards in placed.items():
        if is_ally:
            allies[seat] = cards[0]
    hands = []
    for seat in range(seats):
        if seat == viewer:
            hands.append(dealt.hands[seat])
            continue
        left = [c for c in dealt.hands[seat] if c and c in moved]
        hands.append(tuple(sorted({*left, *placed.get((seat, False), []), *filter(None, [allies.get(seat)])})))
    out = [replace(entries[0], event=replace(dealt, hands=tuple(hands)))]
    if not dealt.open:
        out.append(replace(entries[1], event=Covered(dealt.palace, tuple(hands))))
    state = evolve_all(GAME, None, (entry.event for entry in out))
    at = len(out)
    while at < len(entries):
        group = [e for e in entries[at:] if e.key == entries[at].key]
        decided = _same_move_in_world(state, group, allies)
        if decided is None or len(decided) != len(group):
            return None
        for entry, event in zip(group, decided, strict=True):
            out.append(replace(entry, event=event))
            state = GAME.evolve(state, event)
        at += len(group)
    return out


def _same_move_in_world(state: State, group: Sequence[AnyEntry], allies: dict[int, str | None]) -> list[Any] | None:
    """The events of the same move in this world; None if its public part differs."""
    first = group[0].event
    script = [e.event.seat for e in group if isinstance(e.event, Began)]
    move: Move
    match first:
        case AllyChosen(seat):
            move = ChooseAlly(allies[seat] or "")
        case Called(seat, clan, rank):
            move = Call(clan, rank)
        case Exchanged(seat, given, taken):
            move = Exchange(given or "", taken or "")
        case Declared(seat, guesses):
            move = Declare(guesses)
        case _:
            raise AssertionError(f"{first} begins no decision")
    try:
        decided = GAME.decide(state, seat, move, ScriptedChance(*script))
    except IllegalMove:
        return None
    for entry, event in zip(group, decided, strict=False):
        if isinstance(event, AllyChosen | Covered | Refuted) and type(event) is type(entry.event):
            continue
        if event != entry.event:
            return None
    return list(decided)


def truth_of(state: State, seat: int) -> tuple[Guess, ...]:
    """The right declaration of a seat, from the full fold."""
    return tuple(Guess(other, state.allies[other] or "") for other in opponents_in_seat_order(state, seat))


BLIND_MOVES = ("ChooseAlly", "Exchange")
"""Moves whose own consequences do not rest on cards hidden from the mover: who passes after a call does."""

TRIES: tuple[Move, ...] = (
    *(ChooseAlly(card) for card in CARDS),
    *(Call(clan=clan) for clan in CLANS),
    *(Call(rank=rank) for rank in RANKS),
    *(Exchange(give, take) for give in CARDS[::3] for take in CARDS[::3]),
    *(
        Declare(tuple(Guess(seat, card) for seat, card in enumerate(cards) if card))
        for cards in ((None, "F1", "B1", "B3"), ("F1", None, "B1", "B3"), ("M4", "T1", "F2"), (None, "F1", "F1"))
    ),
)
"""Moves that somebody might try, legal or not."""

WEIGHTS = {"Declare": 3}
"""How often the random moves that lead to a position are of a kind, where it is not as in other random play."""
