"""The laws of orders: what a game declares about them, and what they answer in random matches."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from pbem.kit.codec import codec_for, encode
from pbem.kit.contract import AnyGame, Ask, Move, Order, ask_of
from pbem.kit.laws.bounds import unbounded
from pbem.kit.orders.following import follow, why_asked
from pbem.kit.orders.refusals import ORDER_REFUSALS, refusal
from pbem.kit.orders.shapes import Always, kinds_of_asks
from pbem.kit.orders.telling import tell_order
from pbem.kit.orders.typed import format_order, parse_order
from pbem.kit.play import LawBroken, Table, random_decisions
from pbem.kit.texts import LANGS

MOST_GUARDS = 6
NOW_AND_THEN = 7
"""At every so many decisions everybody's script is tried, not only that of the seat that is asked."""

_SHAPES = frozenset(("always", "toujours", "when", "quand"))

Doomed = dict[tuple[int, str, Move], int]
"""By seat, kind of question and move: the round in which an order was refused because it could never be legal."""


def check_declared(game: AnyGame) -> None:
    """Checks what `Meta` says about orders: kinds, words, texts, bounds, and the typed form. Raises LawBroken."""
    meta, words = game.meta, [kind.word for kind in game.meta.orders]
    if len(set(words)) != len(words) or _SHAPES.intersection(words):
        raise LawBroken(f"{meta.slug}: orders share a word: {words}")
    if len(meta.guards) > MOST_GUARDS:
        raise LawBroken(f"{meta.slug}: {len(meta.guards)} guards are more than anybody reads")
    asked = [*(kind for pair in meta.sittings for kind in pair), *(ask for kind in meta.orders for ask in kind.asks)]
    if unknown := set(asked) - set(meta.asks):
        raise LawBroken(f"{meta.slug}: orders or sittings name the questions {sorted(unknown)}, which nobody asks")
    for kind in meta.orders:
        if endless := [*unbounded(kind.order)]:
            raise LawBroken(f"{meta.slug}: no max_length bounds {', '.join(endless)}")
        if not kind.samples:
            raise LawBroken(f"{meta.slug}: {kind.word} has no sample")
        for sample in kind.samples:
            check_form(game, sample)
            if not all(kind.says(sample, lang) for lang in LANGS):
                raise LawBroken(f"{meta.slug}: {sample} does not say what it does")


def check_form(game: AnyGame, order: Order) -> None:
    """Checks that an order survives JSON and its typed form, and is told in both languages with known things."""
    if codec_for(game).order(encode(order)) != order:
        raise LawBroken(f"{game.meta.slug}: {order} does not survive JSON")
    if (read := parse_order(format_order(order, game), game)) != order:
        raise LawBroken(f"{game.meta.slug}: {order} reads back from {format_order(order, game)!r} as {read}")
    for lang in LANGS:
        unknown = set(re.findall(r"{(.*?)}", tell_order(order, game, lang))) - set(game.meta.marks)
        if unknown:
            raise LawBroken(f"{game.meta.slug}: {order} is told with the unknown placeholders {sorted(unknown)}")


def check_orders(game: AnyGame, seats: int, options: Any, seed: bytes) -> int:
    """Checks the orders of one random match; returns how many questions they answered. Raises LawBroken."""
    table, answers, doomed = Table(game, seats, options, seed), 0, Doomed()
    played: dict[str, list[Move]] = {}
    before: Ask | None = None
    for at, (ask, move) in enumerate(random_decisions(table)):
        _check_sitting(table, before)
        _check_facts(table, ask)
        for sample in (sample for kind in game.meta.orders if ask.kind in kind.asks for sample in kind.samples):
            answers += _check_answer(table, ask, sample)
        for seat in range(seats) if at % NOW_AND_THEN == 0 else (ask.seat,):
            _check_script(table, seat)
        _check_doomed(table, ask, doomed, played)
        _check_why(table, ask, played.get(ask.kind, ()))
        played.setdefault(ask.kind, []).append(move)
        before = ask
    return answers


def _check_sitting(table: Table, before: Ask | None) -> None:
    """Checks that nobody can do anything between two questions of one sitting, if the second is put at once."""
    game = table.game
    after = ask_of(game, table.state, before.seat) if before is not None else None
    if before is None or after is None or (before.kind, after.kind) not in game.meta.sittings:
        return
    if others := [ask for ask in game.pending(table.state) if ask.seat != before.seat]:
        raise table.broken(f"between {before} and {after}, which are one sitting, {others} can be answered")


def _check_facts(table: Table, ask: Ask) -> None:
    """Checks that guards and rounds are public, and that a move declared to be legal always is."""
    game, own = table.game, table.folds[ask.seat]
    for word, guard in game.meta.guards.items():
        if len({bool(guard.holds(fold, ask.seat)) for fold in (table.state, *table.folds.values())}) > 1:
            raise table.broken(f"the guard {word!r} is not about a public fact")
    if len({game.round_of(fold) for fold in (table.state, *table.folds.values())}) > 1:
        raise table.broken("round_of is not the same for everybody")
    for move in game.meta.asks[ask.kind].always:
        if move not in game.legal(own, ask.seat):
            raise table.broken(f"{move} is not always legal")


def _check_answer(table: Table, ask: Ask, order: Order) -> bool:
    """Checks what a rule of the game answers, from its owner's fold and the same fold after JSON."""
    game, own = table.game, table.folds[ask.seat]
    again = codec_for(game).state(encode(own))
    luck = [table.luck.bot(table.position, f"{ask.key}:order", ask.seat) for _ in range(3)]
    move = game.follow(order, own, ask, luck[0])
    if move != game.follow(order, again, ask, luck[1]):
        raise table.broken(f"{order} answers {ask} in two ways")
    if move is not None and move not in game.legal(own, ask.seat):
        raise table.broken(f"{order} answers {ask} with {move}, which is not legal")
    if move is None and game.meta.asks[ask.kind].window:
        raise table.broken(f"{order} does not answer {ask}, which is a window")
    if move != follow(order, game, own, ask, luck[2]) and not order.ask_if:
        raise table.broken(f"{order} is followed otherwise than the game says")
    return move is not None


def _check_script(table: Table, seat: int) -> None:
    game, own = table.game, table.folds[seat]
    luck = [table.luck.bot(table.position, f"orders:s{seat}", seat) for _ in range(2)]
    left = list(game.typical(own, seat, luck[0]))
    if left != list(game.typical(codec_for(game).state(encode(own)), seat, luck[1])):
        raise table.broken(f"the typical person of seat {seat} leaves two sets of orders")
    kinds = [kind for order in left for kind in kinds_of_asks(game.meta, order)]
    if len(set(kinds)) != len(kinds):
        raise table.broken(f"the typical person leaves two orders for the same questions: {left}")
    for order in left:
        check_form(game, order)
        if refused := refusal(order, game, own, seat):
            raise table.broken(f"the typical person leaves {order}, which is refused: {refused}")


def _check_why(table: Table, ask: Ask, moves: Sequence[Move]) -> None:
    """Checks that an order for a move that is not legal now tells its owner why, without unknown placeholders."""
    game, own = table.game, table.folds[ask.seat]
    move = moves[table.position % len(moves)] if moves else None
    if move is None or move in game.legal(own, ask.seat):
        return
    why = why_asked(Always[Any](kind=ask.kind, move=move), game, own, ask)
    for lang in LANGS:
        if set(re.findall(r"{(.*?)}", why[lang])) - set(game.meta.marks):
            raise table.broken(f"an order for {move} is left to its owner with {why[lang]!r}")


def _check_doomed(table: Table, ask: Ask, doomed: Doomed, played: Mapping[str, Sequence[Move]]) -> None:
    """Checks that a move that was refused because it could never be legal in this round has not become legal.

    Where no move of its kind can be ordered for a round, the game does not offer it, and nothing follows.
    """
    game, own = table.game, table.folds[ask.seat]
    legal, now = game.legal(own, ask.seat), game.round_of(own)
    for (seat, kind, move), number in doomed.items():
        if (seat, kind, number) != (ask.seat, ask.kind, now) or move not in legal:
            continue
        if any(refusal(Always[Any](kind=kind, move=other), game, own, seat) is None for other in legal):
            raise table.broken(f"an order for {move} was refused for ever, but it is legal")
    for kind, moves in played.items():
        move = moves[table.position % len(moves)]
        refused = refusal(Always[Any](kind=kind, move=move), game, own, ask.seat)
        if refused is not None and refused.code not in ORDER_REFUSALS:
            doomed[ask.seat, kind, move] = now
