"""Planning: what could come next on a seat's own fold, one ply after the other. Nothing here is played.

A line has the seat's own moves, and what it supposes of the others and of luck.
A ply is said in short: a move as it is typed, or `~` and a number for one of the facts that could come, from 0.
What follows from a ply with certainty belongs to it. What is hidden from the seat stays hidden.
"""

import re
from collections.abc import Sequence
from typing import Any, Literal

import msgspec

from pbem.kit.contract import AnyGame, Ask, Event, Move, Unreadable
from pbem.kit.replay import evolve_all
from pbem.kit.secrecy import redact


class Coming(msgspec.Struct, frozen=True):
    """What could come next.

    own      the viewer is asked, and chooses among `moves`
    other    another is asked, and all that they may answer is public: the viewer supposes one of `moves`
    fact     one of these `facts` comes: by luck, by itself, or because another answers
    unknown  nobody can say from what the viewer knows
    over     nothing: the match would be over
    """

    kind: Literal["own", "other", "fact", "unknown", "over"]
    ask: Ask | None = None
    moves: Sequence[Move] = ()
    facts: tuple[Event, ...] = ()


def what_comes(game: AnyGame, fold: Any, viewer: int, since: Sequence[Event]) -> Coming:
    """Returns what could come next. `fold` is the viewer's own after the facts `since` those that really happened."""
    facts = game.supposable(fold, viewer, since)
    if facts is None:
        return Coming("unknown")
    if facts:
        return Coming("fact", facts=tuple(facts))
    asks = game.pending(fold)
    own = next((ask for ask in asks if ask.seat == viewer), None)
    if own is not None:
        return Coming("own", own, game.legal(fold, viewer))
    if len(asks) == 1 and game.meta.asks[asks[0].kind].public:
        return Coming("other", asks[0], game.legal(fold, asks[0].seat))
    return Coming("unknown" if game.outcome(fold) is None else "over")


# --- a line --------------------------------------------------------------------------------------------------

MOST_PLIES = 24
"""The most plies of a line."""
MOST_FACTS = 64
"""The most facts of which one may be supposed."""
_FACT = re.compile(r"~(0|[1-9]\d?)")


class Impossible(ValueError):
    """A ply that cannot come here."""


class Ply(msgspec.Struct, frozen=True):
    """A step of a line: what is said, and the facts that it brings, as the viewer would see them.

    `ask` and `move` are the question and its answer; None where a fact is supposed.
    """

    said: str
    events: tuple[Event, ...]
    ask: Ask | None = None
    move: Move | None = None


class Walk(msgspec.Struct, frozen=True):
    """A line so far: the viewer's fold at its beginning, its plies, the fold after them, and what could come next."""

    viewer: int
    start: Any
    plies: tuple[Ply, ...]
    fold: Any
    coming: Coming

    @property
    def events(self) -> tuple[Event, ...]:
        """Returns the facts of the whole line."""
        return tuple(event for ply in self.plies for event in ply.events)

    @property
    def in_short(self) -> tuple[str, ...]:
        """Returns the plies in short."""
        return tuple(ply.said for ply in self.plies)


def empty_line(game: AnyGame, fold: Any, viewer: int) -> Walk:
    """Returns the empty line at this position; `fold` is the viewer's own."""
    return Walk(viewer, fold, (), fold, what_comes(game, fold, viewer, ()))


def line_from_plies(game: AnyGame, fold: Any, viewer: int, said: Sequence[str]) -> Walk:
    """Returns the line of these plies from a position. Raises Impossible."""
    line = empty_line(game, fold, viewer)
    for one in said:
        line = go_on(game, line, one)
    return line


def go_on(game: AnyGame, line: Walk, said: str) -> Walk:
    """Returns the line with one more ply. Raises Impossible if it cannot come, or if the line is too long."""
    if len(line.plies) >= MOST_PLIES:
        raise Impossible(said)
    coming = line.coming
    if coming.kind == "fact":
        found = _FACT.fullmatch(said)
        if found is None or int(found[1]) >= len(coming.facts):
            raise Impossible(said)
        return _line_after_ply(game, line, Ply(said, (coming.facts[int(found[1])],)))
    if coming.ask is None:
        raise Impossible(said)
    seat = coming.ask.seat
    try:
        move = game.parse(said, seat)
    except Unreadable:
        raise Impossible(said) from None
    if move not in coming.moves:
        raise Impossible(said)
    events = tuple(redact(event, line.viewer) for event in game.preview(line.fold, seat, move))
    return _line_after_ply(game, line, Ply(game.format(move), events, coming.ask, move))


def _line_after_ply(game: AnyGame, line: Walk, ply: Ply) -> Walk:
    """Returns the line after this ply and what follows from it with certainty."""
    fold, since, events = evolve_all(game, line.fold, ply.events), (*line.events, *ply.events), ply.events
    coming = what_comes(game, fold, line.viewer, since)
    while len(coming.facts) == 1:
        (fact,) = coming.facts
        fold, since, events = game.evolve(fold, fact), (*since, fact), (*events, fact)
        coming = what_comes(game, fold, line.viewer, since)
    plies = (*line.plies, msgspec.structs.replace(ply, events=events))
    return Walk(line.viewer, line.start, plies, fold, coming)
