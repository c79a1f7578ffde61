"""Other full logs of a match of Allégeance that one viewer cannot distinguish from the true one.

The rules treat all cards alike: if two cards change places everywhere in a round, the result is a possible
round. A viewer who is shown neither of them now cannot distinguish it from the true one, and if they were shown
neither at any time, they could not remember a difference either. Nor can they know the content of sealed answers that
decided nothing, or nothing yet.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations, zip_longest
from typing import Any

import msgspec
from msgspec.structs import replace

from pbem.games.allegeance import GAME
from pbem.games.allegeance.facts import (
    Announce,
    Announced,
    Answered,
    Caught,
    Challenge,
    Give,
    LetPass,
    Mistaken,
    RoundBegan,
)
from pbem.games.samurai import CARDS
from pbem.kit.chance import SeedChance
from pbem.kit.contract import Move, Viewer
from pbem.kit.replay import AnyEntry, first_entry_still_fresh, full_fold, redact_entries


def worlds(entries: Sequence[AnyEntry], viewer: Viewer, limit: int) -> Iterator[list[AnyEntry]]:
    """Up to `limit` other logs with the same redacted form for this viewer, each one the rules could produce.

    By turns one in which what they saw when it was fresh was the same, too, and one in which it was not; which of
    these comes first is drawn by lot.
    """
    if GAME.outcome(full_fold(GAME, entries)) is not None:
        return
    luck = SeedChance(bytes(32), position=len(entries), purpose="bot", seat=viewer)
    faded = luck.shuffled(_possible_swaps(entries, log_as_seen(entries, viewer)))
    never = luck.shuffled(_possible_swaps(entries, redact_entries(entries, viewer)))
    faded = tuple(swap for swap in faded if swap not in never)
    flips = luck.shuffled(_entries_to_flip(entries, viewer))
    found = 0
    first, second = luck.shuffled((never, faded))
    for one, another, flip in zip_longest(first, second, flips):
        others = [_log_with_swap(entries, *swap) for swap in (one, another) if swap]
        for other in (*others, *([_log_with_flip(entries, flip)] if flip else [])):
            if found < limit:
                yield other
                found += 1


def log_as_seen(entries: Sequence[AnyEntry], viewer: Viewer) -> list[AnyEntry]:
    """The log as the viewer may see it now, without what has faded."""
    first = first_entry_still_fresh(GAME, entries, viewer, GAME.pending(full_fold(GAME, entries)))
    return redact_entries(entries, viewer, first)


def cards_in(value: Any) -> set[str]:
    """All cards in an event, or in any value inside it."""
    if isinstance(value, msgspec.Struct):
        return {card for field in value.__struct_fields__ for card in cards_in(getattr(value, field))}
    if isinstance(value, tuple):
        return {card for item in value for card in cards_in(item)}
    return {value} if value in CARDS else set()


# --- two cards exchanged -----------------------------------------------------------------------------------

Swap = tuple[int, int, str, str]
"""First and last entry of a round, and two cards that change places in it."""


def _possible_swaps(entries: Sequence[AnyEntry], shown: Sequence[AnyEntry]) -> list[Swap]:
    begun = [e.n for e in entries if isinstance(e.event, RoundBegan)]
    out: list[Swap] = []
    for first, after in zip(begun, [*begun[1:], len(entries) + 1], strict=True):
        known = {card for e in shown[first - 1 : after - 1] for card in cards_in(e.event)}
        out += [(first, after - 1, a, b) for a, b in combinations(sorted(set(CARDS) - known), 2)]
    return out


def _log_with_swap(entries: Sequence[AnyEntry], first: int, last: int, a: str, b: str) -> list[AnyEntry]:
    names = {a: b, b: a}

    def put(value: Any) -> Any:
        if isinstance(value, tuple):
            return tuple(put(item) for item in value)
        return names.get(value, value) if isinstance(value, str) else value

    return [
        replace(e, event=replace(e.event, **{f: put(getattr(e.event, f)) for f in e.event.__struct_fields__}))
        if first <= e.n <= last
        else e
        for e in entries
    ]


# --- answers with other content ----------------------------------------------------------------------------


def _entries_to_flip(entries: Sequence[AnyEntry], viewer: Viewer) -> list[int]:
    """The entry numbers of other seats' answers whose wish changed nothing."""
    out: list[int] = []
    state: Any = None
    answers: list[AnyEntry] = []
    for entry in entries:
        event = entry.event
        if isinstance(event, Announced):
            answers = []
        if isinstance(event, Answered):
            answers.append(entry)
        if isinstance(event, (Caught, Mistaken)):
            challenger = event.challenger if isinstance(event, Caught) else event.seat
            near = (challenger - state.active) % state.seats
            out += [e.n for e in answers if (e.event.seat - state.active) % state.seats > near]
            answers = []
        state = GAME.evolve(state, event)
    if state.phase == "window":
        out += [e.n for e in answers]
    return [n for n in out if entries[n - 1].event.seat != viewer]


def _log_with_flip(entries: Sequence[AnyEntry], n: int) -> list[AnyEntry]:
    entry = entries[n - 1]
    other = replace(entry, event=replace(entry.event, challenge=not entry.event.challenge))
    return [*entries[: n - 1], other, *entries[n:]]


BLIND_MOVES = ("Give",)
"""Moves whose own consequences do not rest on what is hidden from the mover: the Door and sealed answers do."""

TRIES: tuple[Move, ...] = (
    *(Announce(card) for card in CARDS),
    *(Give(seat) for seat in range(4)),
    Challenge(),
    LetPass(),
)
"""Moves that somebody might try, legal or not."""
