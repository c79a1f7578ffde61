"""The laws of a position and of its decisions; `matches` checks them from position to position."""

import functools
import re
import types
import typing
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from pbem.kit.answers import read_answer
from pbem.kit.chance import Chance, KeyLuck
from pbem.kit.choices import kinds_of
from pbem.kit.codec import encode
from pbem.kit.contract import COMMON_REFUSALS, Ask, IllegalMove, Move, Outcome, Unreadable, Viewer, game_with_marks
from pbem.kit.endings import TABLE_ENDINGS
from pbem.kit.laws.malformed import ARTICLE, COURTESIES, moves_out_of_bounds
from pbem.kit.play import NamedOnce, Sample, Table
from pbem.kit.replay import KEY, evolve_all, first_entry_still_fresh, numbers_of_newest_repeats, turn_of_key
from pbem.kit.secrecy import agrees, can_fade, redact
from pbem.kit.texts import LANGS, Lang

MALFORMED = 3
"""The number of malformed moves of each kind tried at a position: there may be a hundred, and many positions."""
TRIED_COURTESIES = 3
"""The number of courtesies tried at a position."""

_PYTHON = re.compile(
    r"<[\w.]+(?:: | object at )|\b[A-Z][a-z]\w*\.[A-Z][A-Z_]+\b|\b[A-Z]\w*\(\w+=|\b(?:frozenset|Decimal|Fraction)\("
    r"|[\[(]'[^']*'[,)\]]|\d\.\d{6}"
)
"""An object, the member of an enumeration, a struct, a set or a number, a list of strings, and a float in full."""
_VALUES = re.compile(r"\b(?:None|True|False)\b")

_OTHER_LUCK = KeyLuck(bytes(32)).rules(1)


def check_position(table: Table) -> None:
    """Checks that every viewer's fold gives the same questions, moves, scores, marks and outcome as the full one."""
    game, state = table.game, table.state
    asks = game.pending(state)
    outcome = game.outcome(state)
    if bool(asks) == (outcome is not None):
        raise table.broken("pending is empty if and only if there is an outcome")
    scores = game.scores(state)
    if outcome is not None:
        _check_outcome(table, outcome, scores)
    _check_seat_marks(table)
    asked = {ask.seat for ask in asks}
    if len(asked) != len(asks):
        raise table.broken("a seat is asked twice at once")
    now = {ask.key for ask in asks}
    if back := now & table.closed:  # answered or not
        raise table.broken(f"the key {min(back)!r} was closed and comes back")
    table.closed |= table.open - now
    table.open = now
    for ask in asks:
        _check_ask(table, ask)
    if any(game.legal(state, seat) for seat in range(table.seats) if seat not in asked):
        raise table.broken("a seat that is not asked has legal moves")
    for viewer in table.viewers:
        seen = table.folds[viewer]
        if game.pending(seen) != asks or game.outcome(seen) != outcome:
            raise table.broken(f"pending or outcome differ in the fold of {viewer}")
        if game.scores(seen) != scores:
            raise table.broken(f"scores differ in the fold of {viewer}")
    if any(can_fade(e) for e in game.meta.events):
        newest = numbers_of_newest_repeats(table.entries)
        for viewer in table.viewers:
            first = first_entry_still_fresh(game, table.entries, viewer, asks)
            if _fade_fold(table, viewer, first, newest) != table.folds[viewer]:
                raise table.broken(f"fading changes what {viewer} knows at the head")


def _check_seat_marks(table: Table) -> None:
    """Checks that seats which take marks have one at any time, the same in every viewer's fold."""
    game, options = table.game, table.options
    if not game.meta.takes_marks(options):
        return
    shown = game_with_marks(game, options, table.state)
    if any(len(one.meta.seat_marks) < table.seats for one in (shown, game_with_marks(game, options, None))):
        raise table.broken("a seat has no mark")
    if game_with_marks(game, options, table.state) is not shown:
        raise table.broken("with_marks returns another object for the same marks")
    for viewer in table.viewers:
        if game_with_marks(game, options, table.folds[viewer]) is not shown:
            raise table.broken(f"the marks of the seats differ in the fold of {viewer}")


def _check_outcome(table: Table, outcome: Outcome, scores: tuple[int, ...] | None) -> None:
    if outcome.reason not in table.game.meta.endings:
        raise table.broken(f"the way to end {outcome.reason!r} is not declared")
    if outcome.reason in TABLE_ENDINGS:
        raise table.broken(f"only the table ends a match by {outcome.reason!r}")
    winners = set(outcome.winners)
    if len(winners) != len(outcome.winners) or not winners <= set(range(table.seats)):
        raise table.broken(f"the winners {outcome.winners} are not seats, once each")
    if outcome.scores is not None and len(outcome.scores) != table.seats:
        raise table.broken(f"the scores {outcome.scores} are not one a seat")
    scored = outcome.scores
    if scored is not None and any(max(scored) > scored[seat] for seat in winners):
        raise table.broken(f"the scores {outcome.scores} give somebody more than a winner of {outcome.winners}")
    if scores != outcome.scores:
        raise table.broken(f"the scores at the end are {scores}, but {outcome.scores} in the outcome")


def _check_ask(table: Table, ask: Ask) -> None:
    game = table.game
    if ask.seat not in range(table.seats):
        raise table.broken(f"{ask} asks a seat that nobody has: there are {table.seats}")
    if not KEY.fullmatch(ask.key):
        raise table.broken(f"the key {ask.key!r} is not of the form of keys")
    if turn_of_key(ask.key) != ask.turn:
        raise table.broken(f"the key {ask.key!r} does not begin with the turn {ask.turn!r}")
    if ask.kind not in game.meta.asks:
        raise table.broken(f"the ask kind {ask.kind!r} is not declared")
    known = table.keys.setdefault(ask.key, ask)
    if known != ask or any(e.key == ask.key for e in table.entries):
        raise table.broken(f"the key {ask.key!r} names two questions")
    legal = game.legal(table.state, ask.seat)
    if not legal:
        raise table.broken(f"{ask} has no legal move")
    if not _is_same_set_of_moves(game.legal(table.folds[ask.seat], ask.seat), legal):
        raise table.broken(f"legal differs in the fold of seat {ask.seat}")
    undeclared = set(kinds_of(legal)) - {move.__name__ for move in game.meta.asks[ask.kind].moves}
    if undeclared:
        raise table.broken(f"{ask.kind} is answered by {undeclared}, which it does not declare")


def _is_same_set_of_moves(some: Sequence[Move], others: Sequence[Move]) -> bool:
    """Returns whether both hold the same moves; of more than a hundred of one kind, about fifty are compared."""
    groups, other_groups = kinds_of(some), kinds_of(others)
    if {k: len(g) for k, g in groups.items()} != {k: len(g) for k, g in other_groups.items()}:
        return False
    return all(
        group[i] == other_groups[kind][i]
        for kind, group in groups.items()
        for i in range(0, len(group), max(1, len(group) // 50))
    )


def _fade_fold(table: Table, viewer: Viewer, first: int, newest: frozenset[int]) -> Any:
    """Returns the fold with faded fields hidden. The part that cannot become visible again is folded once and kept."""
    settled = min(first, *newest, len(table.entries) + 1) - 1
    at, state = table.faded.get(viewer, (0, None))
    if at > settled:
        at, state = 0, None
    gone = (redact(e.event, viewer, fresh=False) for e in table.entries[at:settled])
    state = evolve_all(table.game, state, gone)
    table.faded[viewer] = settled, state
    left = (redact(e.event, viewer, e.n >= first, e.n in newest) for e in table.entries[settled:])
    return evolve_all(table.game, state, left)


def check_decision(table: Table, ask: Ask, move: Move) -> None:
    """Checks that the same luck gives the same events, and that they begin with those the mover foresees."""
    game, seat = table.game, ask.seat
    try:
        first, second = (
            list(game.decide(table.state, seat, move, NamedOnce(table, seat, [*table.drawn]))) for _ in range(2)
        )
    except IllegalMove as refusal:
        raise table.broken(f"legal move {move} of seat {seat} is refused: {refusal.code}") from None
    if first != second:
        raise table.broken(f"{move} of seat {seat} gives other events for the same luck")
    foreseen = game.preview(table.folds[seat], seat, move)
    if first and len(foreseen) > len(first):
        raise table.broken(f"the preview of {move} foresees more than happens")
    for event, expected in zip(first, foreseen, strict=False):
        if not agrees(redact(event, seat), redact(expected, seat)):
            raise table.broken(f"the preview of {move} foresees {expected}, but it is {event}")


def check_fallback(table: Table, ask: Ask) -> Move:
    """Returns what the clock plays here, and checks that it is legal and the same for the same luck."""
    game, seat, own = table.game, ask.seat, table.folds[ask.seat]
    move, again = (
        game.fallback(own, seat, table.luck.fallback(table.next_entry_number, ask.key, seat)) for _ in range(2)
    )
    if move != again:
        raise table.broken(f"the fallback of seat {seat} is {move}, then {again}, for the same luck")
    if move not in game.legal(table.state, seat):
        raise table.broken(f"the fallback {move} of seat {seat} is not legal")
    return typing.cast(Move, move)


def check_refusals(table: Table, ask: Ask, sample: Sample, luck: Chance) -> None:
    """Checks that an unasked seat, a move of another kind and an illegal move are refused and change nothing."""
    game, state = table.game, table.state
    legal = game.legal(state, ask.seat)
    for seat in {*range(table.seats)} - {other.seat for other in game.pending(state)}:
        check_refusal(table, seat, legal[0], sample)
    check_refusal(table, ask.seat, _Foreign(), sample)
    tried = list[Move]()
    for earlier in luck.shuffled(table.entries)[:3]:
        then = evolve_all(game, None, (e.event for e in table.entries[: earlier.n]))
        groups = (kinds_of(game.legal(then, seat)).values() for seat in range(table.seats))
        tried += [luck.pick(group) for kinds in groups for group in kinds]
    for group in kinds_of(legal).values():
        noted = luck.pick(group)
        for name in noted.__struct_fields__:
            table.fields.setdefault((type(noted), name), {})[getattr(noted, name)] = None
    tried += _make_up_move_of_each_kind(table, game.meta.asks[ask.kind].moves, luck)
    for move in tried:
        if move not in legal:
            check_refusal(table, ask.seat, move, sample)
    _check_candidates(table, ask, sample)
    for group in kinds_of(legal).values():
        for move in luck.shuffled(moves_out_of_bounds(game, luck.pick(group)))[:MALFORMED]:
            if move in legal:
                raise table.broken(f"{move} is among the legal moves, though no message can carry it")
            check_refusal(table, ask.seat, move, sample)
    check_courtesies(table, ask, luck.shuffled(COURTESIES)[:TRIED_COURTESIES])


def check_courtesies(table: Table, ask: Ask, said: Sequence[str]) -> None:
    """Checks that what is said around a move is none, whole or as an answer without its first word."""
    game, legal = table.game, table.game.legal(table.state, ask.seat)
    for text, moves in (*((text, legal) for text in said), (ARTICLE, ())):
        try:
            move = read_answer(game, text, ask.seat, moves)
        except Unreadable:
            continue
        raise table.broken(f"{text!r} is read as {move}")


def _check_candidates(table: Table, ask: Ask, sample: Sample) -> None:
    """Checks that the candidates answer the question by steps, and that a rule with a number is behind each refusal."""
    own = table.folds[ask.seat]
    legal = table.game.legal(own, ask.seat)
    found = table.game.candidates(ask, own, "en")
    if len({one.move for one in found}) != len(found) or len({one.text for one in found}) != len(found):
        raise table.broken(f"a candidate of {ask} is named twice")
    for move in (one.move for one in found if one.move not in legal):
        check_refusal(table, ask.seat, move, sample)
        try:  # the page says why not where one touches the first step that is not offered
            steps = table.game.path(move, own, "en")
        except Exception as error:
            raise table.broken(f"path breaks on the candidate {move} of {ask}: {error!r}") from error
        if not steps:
            raise table.broken(f"no step leads to the candidate {move} of {ask}")
        try:
            table.game.decide(own, ask.seat, move, _OTHER_LUCK)
        except IllegalMove as refusal:
            if refusal.code in COMMON_REFUSALS:
                raise table.broken(f"the candidate {move} does not answer {ask}") from None


class _Foreign(Move, frozen=True):
    """A move that belongs to no game."""


def _make_up_move_of_each_kind(table: Table, kinds: Sequence[type[Move]], luck: Chance) -> Iterator[Move]:
    """Yields a move of each kind whose fields hold what their types allow, or what an earlier legal move had there."""
    for kind in kinds:
        values = {}
        for name, hint in typing.get_type_hints(kind, include_extras=True).items():
            known = [*table.fields.get((kind, name), {}), *_values_of_small_type(hint)]
            if known:
                values[name] = luck.pick(known)
        if len(values) == len(kind.__struct_fields__):
            yield kind(**values)


@functools.cache
def _values_of_small_type(hint: Any) -> tuple[Any, ...]:
    """Returns all values of a small type, or of an interval of integers the first twenty; () for other types."""
    args = typing.get_args(hint)
    if hasattr(hint, "__metadata__"):
        for mark in hint.__metadata__:
            if isinstance(mark, msgspec.Meta) and mark.ge is not None and mark.le is not None and args[0] is int:
                return tuple(range(int(mark.ge), int(mark.le) + 1)[:20])
        return _values_of_small_type(args[0])
    if typing.get_origin(hint) is typing.Literal:
        return args
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        return tuple(value for arg in args for value in _values_of_small_type(arg))
    return (None,) if hint is type(None) else (False, True) if hint is bool else ()


def _check_refusal_reveals_nothing(table: Table, seat: int, move: Move, refusal: IllegalMove) -> None:
    """Checks that a refusal reveals nothing: the seat's own fold and other luck give the same one."""
    try:
        table.game.decide(table.folds[seat], seat, move, _OTHER_LUCK)
    except IllegalMove as own:
        if (own.code, own.facts) == (refusal.code, refusal.facts):
            return
        raise table.broken(f"{move} of seat {seat} is refused as {refusal}, but in its own fold as {own}") from own
    raise table.broken(f"{move} of seat {seat} is refused, but not in its own fold")


def check_said(table: Table, refusal: IllegalMove) -> None:
    """Checks that a refusal is declared, and that each language says it with facts that it has."""
    refusals = {**COMMON_REFUSALS, **table.game.meta.refusals}
    if refusal.code not in refusals:
        raise table.broken(f"the refusal {refusal.code!r} is not declared")
    for lang in LANGS:
        text = refusals[refusal.code].text[lang]
        try:
            said = text.format(**refusal.facts)
        except (KeyError, IndexError, ValueError):
            raise table.broken(f"the refusal {refusal.code!r} says {text!r}, but has {refusal.facts}") from None
        check_no_python(table, said, lang)


def check_no_python(table: Table, text: str, lang: Lang) -> None:
    """Checks that players are not told how Python writes a value. English has the words None, True and False, too."""
    if (found := _PYTHON.search(text)) or (lang == "fr" and (found := _VALUES.search(text))):
        raise table.broken(f"players are told {found[0]!r}, as Python writes it: {text!r}")


def check_refusal(table: Table, seat: int, move: Move, sample: Sample) -> None:
    """Checks that a move is refused with a reason, which the seat could know, and changes nothing."""
    before = encode(table.state)
    try:
        table.game.decide(table.state, seat, move, table.luck.rules(table.next_entry_number, seat))
    except IllegalMove as refusal:
        _check_refusal_reveals_nothing(table, seat, move, refusal)
        check_said(table, refusal)
        sample.refusals[refusal.code] += 1
    except Exception as error:
        raise table.broken(f"decide breaks on {move} of seat {seat}: {error!r}") from error
    else:
        raise table.broken(f"{move} of seat {seat} is accepted though it is not legal")
    if encode(table.state) != before:
        raise table.broken(f"the refused {move} changed the state")
