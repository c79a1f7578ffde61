"""The laws of planning: what can be supposed, compared with what comes in random matches."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import chain, islice
from typing import Any

import msgspec

from pbem.kit.codec import codec_for, encode
from pbem.kit.contract import AnyGame, Ask, Event, Move
from pbem.kit.laws.positions import check_no_python
from pbem.kit.orders.following import events_as_public
from pbem.kit.plans import MOST_FACTS, Coming, Impossible, Walk, empty_line, go_on, what_comes
from pbem.kit.play import Table, random_decisions
from pbem.kit.secrecy import redact
from pbem.kit.texts import LANGS

SOME = 12
"""Of this many facts or answers it is tried whether the fold takes them."""
NOW_AND_THEN = 5
"""At every this many decisions lines are walked along what comes."""


def check_plans(game: AnyGame, seats: int, options: Any, seed: bytes) -> int:
    """Checks what can be supposed in one random match; returns how many facts had been. Raises LawBroken."""
    table, supposed = Table(game, seats, options, seed), 0
    walks: dict[int, Walk] = {}
    since: dict[int, int] = {}
    for at, (ask, move) in enumerate(random_decisions(table)):
        for seat in range(seats):
            _check_line(table, walks, since, seat, start=at % NOW_AND_THEN == seat % NOW_AND_THEN)
        before, folds = len(table.entries), dict(table.folds)
        _check_public(table, ask)
        events = game.decide(table.state, ask.seat, move, table.luck.rules(table.next_entry_number, ask.seat))
        for seat in range(seats):
            supposed += _check_decision(table, folds[seat], seat, ask, move, [redact(e, seat) for e in events])
        assert before == len(table.entries), "nothing is played here"
    return supposed


def _check_public(table: Table, ask: Ask) -> None:
    """Checks that everybody sees what may be answered to a public question, and what follows of it."""
    game = table.game
    if not game.meta.asks[ask.kind].public:
        return
    moves = game.legal(table.state, ask.seat)
    for viewer in range(table.seats):
        fold = table.folds[viewer]
        if [*game.legal(fold, ask.seat)] != [*moves]:
            raise table.broken(f"seat {viewer} does not see what may be answered to {ask}, which is public")
        for move in _pick_a_few(moves):
            foreseen = [redact(event, viewer) for event in game.preview(fold, ask.seat, move)]
            known = [redact(event, viewer) for event in game.preview(table.folds[ask.seat], ask.seat, move)]
            if foreseen != known[: len(foreseen)] or not foreseen:
                raise table.broken(f"seat {viewer} foresees {foreseen} of {move}, but it has {known}")


def _check_decision(
    table: Table, fold: Any, viewer: int, ask: Ask, move: Move, events: Sequence[Event]
) -> int:  # fmt: skip
    """Checks what the viewer can suppose before each fact of a decision; returns how many they could."""
    game, supposed = table.game, 0
    start = fold
    for at, event in enumerate(events):
        coming = what_comes(game, fold, viewer, events[:at])
        supposed += _check_coming(table, fold, viewer, coming, events[:at], event)
        if at and coming.kind in ("own", "other", "over"):
            foreseen = game.preview(start, viewer, move) if ask.seat == viewer else ()
            if at >= len(foreseen):
                raise table.broken(f"seat {viewer} takes {coming.ask} to come, but {event} does")
        fold = game.evolve(fold, event)
    after, afresh = (what_comes(game, fold, viewer, since) for since in (events, ()))
    if after.kind != "unknown" and after != afresh:
        raise table.broken(f"seat {viewer} supposes {after} after {events}, but {afresh} once they have come")
    return supposed


def _check_coming(
    table: Table, fold: Any, viewer: int, coming: Coming, since: Sequence[Event], event: Event
) -> int:  # fmt: skip
    """Checks the facts that may come, one of which does; returns 1 if it was among them."""
    game, facts = table.game, coming.facts
    again = what_comes(game, codec_for(game).state(encode(fold)), viewer, since)
    if again.facts != facts or again.kind != coming.kind:
        raise table.broken(f"seat {viewer} can suppose two things: {coming} and {again}")
    if len(facts) > MOST_FACTS or len(set(facts)) < len(facts):
        raise table.broken(f"seat {viewer} has {len(facts)} facts to suppose, perhaps some twice")
    for lang in LANGS if len(facts) > 1 else ():
        told = [game.foretell(fact, fold, lang) for fact in facts]
        if "" in told or len(set(told)) < len(told):
            raise table.broken(f"{facts} cannot be told from each other: {told}")
        for text in told:
            check_no_python(table, text, lang)
    for fact in _pick_a_few(facts):
        game.evolve(fold, fact)
        try:
            codec_for(game).event(encode(fact))
        except msgspec.ValidationError as error:
            raise table.broken(f"seat {viewer} can suppose {fact}, which no log can hold: {error}") from None
    if event not in facts and (len(facts) == 1 or type(event) in map(type, facts)):
        raise table.broken(f"seat {viewer} cannot suppose {event}, only {facts}, after {since}")
    return event in facts


def _check_line(table: Table, walks: dict[int, Walk], since: dict[int, int], seat: int, *, start: bool) -> None:
    """Goes on with the seat's line along what has come; checks that it leads where the match is."""
    game, fold = table.game, table.folds[seat]
    if seat in walks:
        happened = [redact(entry.event, seat) for entry in table.entries[since[seat] :]]
        line = _follow_facts(game, walks.pop(seat), happened)
        if line is not None and events_as_public(line.events) == events_as_public(happened):
            if line.fold != fold and line.events == tuple(happened):
                raise table.broken(f"the line {line.in_short} of seat {seat} leads to another fold than its facts do")
            walks[seat] = line
    if start or seat not in walks:
        walks[seat], since[seat] = empty_line(game, fold, seat), len(table.entries)


def _follow_facts(game: AnyGame, line: Walk, happened: Sequence[Event]) -> Walk | None:
    """Returns the line gone on along these facts; None if one of them could not be supposed."""
    gone = events_as_public(happened)
    while len(line.events) < len(gone):
        line_on = next(_lines_with_fitting_ply(game, line, gone), None)
        if line_on is None:
            return None
        line = line_on
    return line


def _lines_with_fitting_ply(game: AnyGame, line: Walk, gone: Sequence[Event]) -> Iterator[Walk]:
    """Yields the line with each ply that these facts begin with."""
    coming, next_fact = line.coming, (gone[len(line.events)],)
    asked = coming.ask
    firsts = () if asked is None else ((move, game.preview(line.fold, asked.seat, move)[:1]) for move in coming.moves)
    said = chain(
        (f"~{number}" for number, fact in enumerate(coming.facts) if events_as_public([fact]) == next_fact),
        (game.format(move) for move, first in firsts if events_as_public(first) == next_fact),
    )
    for one in said:
        with suppress(Impossible):
            yield go_on(game, line, one)


def _pick_a_few(items: Sequence[Any]) -> Iterator[Any]:
    """Yields a few of these, from the whole of them."""
    return islice(items, 0, None, max(1, len(items) // SOME))
