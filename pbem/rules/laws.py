"""What every game must obey, checked by random play.

`check_match` plays one match of random moves and checks the laws after each decision; `check_fallbacks` lets
the clock play all seats. Both raise LawBroken, which names the law and the position. What occurred is counted
in a `Sample`: a sample in which some event or some way to end never came up proves nothing about it, and
says so.
"""

import re
from collections.abc import Sequence
from typing import Any

import msgspec

from pbem.rules.chance import Chance, SeedChance
from pbem.rules.choices import kinds_of
from pbem.rules.codec import codec_for, encode
from pbem.rules.contract import COMMON_REFUSALS, LANGS, AnyGame, Ask, Event, IllegalMove, Move, Scene
from pbem.rules.play import Sample, Table, random_decisions
from pbem.rules.replay import AnyEntry, By, entry_type, evolve_all, fold, fresh_from, turn_of
from pbem.rules.secrecy import can_fade, marks_of, redact

_PLACEHOLDER = re.compile(r"\{([^{}]*)\}")


def check_match(game: AnyGame, seats: int, options: Any, seed: bytes) -> tuple[Sample, Table]:
    """Plays one match of random moves and checks every law on the way."""
    sample = Sample(matches=1)
    table = Table(game, seats, options, seed)
    for ask, move in random_decisions(table):
        _check_position(table)
        _check_refusals(table, ask, sample, SeedChance(seed, table.position, "fallback"))
        _check_words(table, ask, move)
        sample.decisions += 1
    _check_position(table)
    _check_end(table, sample)
    return sample, table


def check_fallbacks(game: AnyGame, seats: int, options: Any, seed: bytes) -> Table:
    """Lets the clock play for everybody: the match must end within the bound. Returns the finished table."""
    table = Table(game, seats, options, seed)
    for _ in range(game.meta.bound):
        asks = game.pending(table.state)
        if not asks:
            return table
        ask = asks[0]
        luck = SeedChance(seed, table.position, "fallback", ask.seat)
        move = game.fallback(table.folds[ask.seat], ask.seat, luck)
        if move not in game.legal(table.state, ask.seat):
            raise table.broken(f"the fallback {move} of seat {ask.seat} is not legal")
        table.play(ask, move, By(clock=ask.seat))
    if game.pending(table.state):
        raise table.broken("fallbacks alone do not end the match")
    return table


def _check_position(table: Table) -> None:
    game, state = table.game, table.state
    asks = game.pending(state)
    outcome = game.outcome(state)
    if bool(asks) == (outcome is not None):
        raise table.broken("pending is empty if and only if there is an outcome")
    if len({ask.seat for ask in asks}) != len(asks):
        raise table.broken("a seat is asked twice at once")
    for ask in asks:
        _check_ask(table, ask)
    if any(game.legal(state, seat) for seat in range(table.seats) if not _asked(asks, seat)):
        raise table.broken("a seat that is not asked has legal moves")
    for viewer in table.viewers:
        seen = table.folds[viewer]
        if game.pending(seen) != asks or game.outcome(seen) != outcome:
            raise table.broken(f"pending or outcome differ in the fold of {viewer}")
    if any(can_fade(e) for e in game.meta.events):
        _check_fading(table, asks)


def _check_ask(table: Table, ask: Ask) -> None:
    game = table.game
    if turn_of(ask.key) != ask.turn or not ask.turn:
        raise table.broken(f"the key {ask.key!r} does not begin with the turn {ask.turn!r}")
    if ask.kind not in game.meta.asks:
        raise table.broken(f"the ask kind {ask.kind!r} is not declared")
    known = table.keys.setdefault(ask.key, ask)
    answered = any(e.key == ask.key and e.by.answers_for == ask.seat for e in table.entries)
    if known != ask or answered:
        raise table.broken(f"the key {ask.key!r} names two questions")
    legal = game.legal(table.state, ask.seat)
    if not legal:
        raise table.broken(f"{ask} has no legal move")
    if not _same(game.legal(table.folds[ask.seat], ask.seat), legal):
        raise table.broken(f"legal differs in the fold of seat {ask.seat}")
    undeclared = set(kinds_of(legal)) - {move.__name__ for move in game.meta.asks[ask.kind].moves}
    if undeclared:
        raise table.broken(f"{ask.kind} is answered by {undeclared}, which it does not declare")


def _same(some: Sequence[Move], others: Sequence[Move]) -> bool:
    """Whether both hold the same moves; of more than a hundred of one kind, some fifty evenly spread are compared."""
    groups, other_groups = kinds_of(some), kinds_of(others)
    if {k: len(g) for k, g in groups.items()} != {k: len(g) for k, g in other_groups.items()}:
        return False
    return all(
        group[i] == other_groups[kind][i]
        for kind, group in groups.items()
        for i in range(0, len(group), max(1, len(group) // 50))
    )


def _asked(asks: Sequence[Ask], seat: int) -> bool:
    return any(ask.seat == seat for ask in asks)


def _check_fading(table: Table, asks: Sequence[Ask]) -> None:
    for viewer in table.viewers:
        first = fresh_from(table.game, table.entries, viewer, asks)
        if fold(table.game, table.entries, viewer, fresh_from=first) != table.folds[viewer]:
            raise table.broken(f"fading changes what {viewer} knows at the head")


def _check_refusals(table: Table, ask: Ask, sample: Sample, luck: Chance) -> None:
    """Refuses, and changes nothing: an unasked seat, a move of another kind, one that is not legal."""
    game, state = table.game, table.state
    legal = game.legal(state, ask.seat)
    for seat in range(table.seats):
        if not _asked(game.pending(state), seat):
            _refuse(table, seat, legal[0], sample)
    _refuse(table, ask.seat, _Foreign(), sample)
    for earlier in luck.shuffled(table.entries)[:3]:
        for move in _moves_at(table, earlier.n, luck):
            if move not in legal:
                _refuse(table, ask.seat, move, sample)


class _Foreign(Move, frozen=True):
    """A move of no game."""


def _moves_at(table: Table, n: int, luck: Chance) -> list[Move]:
    state = evolve_all(table.game, None, (e.event for e in table.entries[:n]))
    found = []
    for seat in range(table.seats):
        for group in kinds_of(table.game.legal(state, seat)).values():
            found.append(luck.pick(group))
    return found


def _refuse(table: Table, seat: int, move: Move, sample: Sample) -> None:
    before = encode(table.state)
    try:
        table.game.decide(table.state, seat, move, SeedChance(table.seed, table.position, "decide", seat))
    except IllegalMove as refusal:
        refusals = {**COMMON_REFUSALS, **table.game.meta.refusals}
        if refusal.code not in refusals:
            raise table.broken(f"the refusal {refusal.code!r} is not declared") from None
        for lang in LANGS:
            refusals[refusal.code].text[lang].format(**refusal.facts)
        sample.refusals[refusal.code] += 1
    else:
        raise table.broken(f"{move} of seat {seat} is accepted though it is not legal")
    if encode(table.state) != before:
        raise table.broken(f"the refused {move} changed the state")


def _check_words(table: Table, ask: Ask, move: Move) -> None:
    """Notation and faces, for the seat that is about to move."""
    game, own = table.game, table.folds[ask.seat]
    if game.parse(game.format(move)) != move:
        raise table.broken(f"{move} reads back from {game.format(move)!r} as {game.parse(game.format(move))}")
    if codec_for(game).move(encode(move)) != move:
        raise table.broken(f"{move} does not survive JSON")
    foreseen = evolve_all(game, own, game.preview(own, ask.seat, move))
    for lang in LANGS:
        for text in (
            game.prompt(ask, own, lang),
            game.label(move, own, lang),
            *(step.label for step in game.path(move, own, lang)),
            *game.describe(foreseen, ask.seat, lang),
        ):
            check_phrase(table, text)
        if not game.draw(foreseen, ask.seat, lang, Scene()).startswith("<svg"):
            raise table.broken("the board is not an SVG element")


def check_phrase(table: Table, text: str) -> None:
    """A phrase is not empty and its placeholders are seats or things of the game."""
    if not text:
        raise table.broken("an empty phrase")
    for name in _PLACEHOLDER.findall(text):
        if not (name.isdigit() and int(name) < table.seats) and name not in table.game.meta.marks:
            raise table.broken(f"the phrase {text!r} has the unknown placeholder {name!r}")


def check_paths(table: Table, seat: int) -> None:
    """No two legal moves of the seat share a path, and no path begins another's."""
    own = table.folds[seat]
    paths = {tuple(s.text for s in table.game.path(m, own, "fr")): m for m in table.game.legal(own, seat)}
    if len(paths) != len(table.game.legal(own, seat)):
        raise table.broken("two legal moves share a path")
    for path in paths:
        if any(path[:i] in paths for i in range(len(path))):
            raise table.broken(f"a path begins the path {path}")


def _check_end(table: Table, sample: Sample) -> None:
    game = table.game
    outcome = game.outcome(table.state)
    if outcome is None:
        raise table.broken("the match stopped without an outcome")
    if outcome.reason not in game.meta.endings:
        raise table.broken(f"the way to end {outcome.reason!r} is not declared")
    data = encode(table.entries)
    decoder: msgspec.json.Decoder[list[AnyEntry]] = msgspec.json.Decoder(list[entry_type(game)])  # type: ignore[misc]  # built at run time
    again = decoder.decode(data)
    if encode(again) != data or evolve_all(game, None, (e.event for e in again)) != table.state:
        raise table.broken("the log does not give the same state after JSON")
    if codec_for(game).state(encode(table.state)) != table.state:
        raise table.broken("the state does not survive JSON")
    for entry in table.entries:
        event: Event = entry.event
        if any(_hidden(getattr(event, name)) for name in marks_of(type(event))):
            raise table.broken(f"{event} has a hidden field in the full log")
    _check_story(table)
    sample.events.update(type(e.event).__name__ for e in table.entries)
    sample.endings[outcome.reason] += 1


def _hidden(value: Any) -> bool:
    return any(_hidden(v) for v in value) if isinstance(value, tuple) else value is None


def _check_story(table: Table) -> None:
    for viewer in table.viewers:
        before = None
        for entry in table.entries:
            event = redact(entry.event, viewer)
            for lang in LANGS:
                text = table.game.tell(event, before, lang)
                if text:
                    check_phrase(table, text)
            before = table.game.evolve(before, event)
