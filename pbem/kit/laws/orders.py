"""The laws of orders: what a game declares about them, and what they answer in random matches."""

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

import msgspec

from pbem.kit.codec import codec_for, encode
from pbem.kit.contract import AnyGame, Ask, Move, Order, Phrase, Unreadable, ask_of
from pbem.kit.laws.bounds import endless_fields
from pbem.kit.laws.imagined import view_of
from pbem.kit.laws.offered import MOST_GUARDS
from pbem.kit.laws.positions import check_no_python
from pbem.kit.orders.following import follow, why_failed
from pbem.kit.orders.forms import inputs_of, scopes_of_game
from pbem.kit.orders.shapes import ORDER_REFUSALS, Always, kinds_of_asks, refusal_of_order
from pbem.kit.orders.typed import fields_of, format_order, name_of, parse_order, tell_order
from pbem.kit.play import LawBroken, Table, random_decisions
from pbem.kit.texts import LANGS

MOST_ANSWERS = 64
"""The most answers that a form offers for a kind of question."""
NOW_AND_THEN = 7
"""At every this many decisions everybody's script is tried, not only that of the seat that is asked."""

_SHAPES = frozenset(("always", "toujours", "when", "quand"))

Doomed = dict[tuple[int, str, Move], int]
"""By seat, kind of question and move: the round in which an order was refused because it could never be legal."""


def check_declared(game: AnyGame) -> None:
    """Checks what `Meta` says about orders: kinds, words, texts, bounds, and the typed form. Raises LawBroken."""
    meta, words = game.meta, [kind.word for kind in game.meta.orders]
    if len(set(words)) != len(words) or {*_SHAPES, *meta.asks}.intersection(words):
        raise LawBroken(f"{meta.slug}: orders share a word: {words}")
    if len(meta.guards) > MOST_GUARDS:
        raise LawBroken(f"{meta.slug}: {len(meta.guards)} guards are more than anybody reads")
    asked = [*(kind for pair in meta.sittings for kind in pair), *(ask for kind in meta.orders for ask in kind.asks)]
    if unknown := set(asked) - set(meta.asks):
        raise LawBroken(f"{meta.slug}: orders or sittings name the questions {sorted(unknown)}, which nobody asks")
    for kind in meta.orders:
        if endless := [*endless_fields(kind.order)]:
            raise LawBroken(f"{meta.slug}: no max_length bounds {', '.join(endless)}")
        if not kind.samples:
            raise LawBroken(f"{meta.slug}: {kind.word} has no sample")
        fields = {field.name for field in fields_of(kind.order)}
        if fields != set(kind.parameters):
            raise LawBroken(f"{meta.slug}: {kind.word} declares {sorted(kind.parameters)}, its fields are {fields}")
        if kind.scope not in scopes_of_game(meta):
            raise LawBroken(f"{meta.slug}: {kind.word} proposes the scope {kind.scope!r}, which means nothing there")
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
        if unknown := unknown_in(tell_order(order, game, lang), game):
            raise LawBroken(f"{game.meta.slug}: {order} is told with the unknown placeholders {sorted(unknown)}")


def unknown_in(phrase: Phrase, game: AnyGame) -> set[str]:
    """Returns the placeholders of the phrase that are neither seats nor things of the game."""
    return {place for place in re.findall(r"{(.*?)}", phrase) if not place.isdigit()} - set(game.meta.marks)


def check_orders(game: AnyGame, seats: int, options: Any, seed: bytes) -> int:
    """Checks the orders of one random match; returns how many questions they answered. Raises LawBroken."""
    table, answers, doomed = Table(game, seats, options, seed), 0, Doomed()
    played: dict[str, list[Move]] = {}
    before: Ask | None = None
    for at, (ask, move) in enumerate(random_decisions(table)):
        if before is not None:
            _check_sitting_is_uninterrupted(table, before)
        _check_guards_rounds_and_always(table, ask)
        for seat in range(seats) if at % NOW_AND_THEN == 0 else ():
            _check_forms(table, seat)
        for sample in (sample for kind in game.meta.orders if ask.kind in kind.asks for sample in kind.samples):
            answers += _check_answer(table, ask, sample)
        for seat in range(seats) if at % NOW_AND_THEN == 0 else (ask.seat,):
            _check_typical_orders(table, seat)
        _check_doomed(table, ask, doomed, played)
        _check_why(table, ask, played.get(ask.kind, ()))
        played.setdefault(ask.kind, []).append(move)
        before = ask
    return answers


def _check_sitting_is_uninterrupted(table: Table, before: Ask) -> None:
    """Checks that nobody can do anything between two questions of one sitting, if the second is put at once."""
    game = table.game
    after = ask_of(game, table.state, before.seat)
    if after is None or (before.kind, after.kind) not in game.meta.sittings:
        return
    if others := [ask for ask in game.pending(table.state) if ask.seat != before.seat]:
        raise table.broken(f"between {before} and {after}, which are one sitting, {others} can be answered")


def _check_guards_rounds_and_always(table: Table, ask: Ask) -> None:
    """Checks that guards and rounds are public, and that a move declared to be legal always is."""
    game, own = table.game, table.folds[ask.seat]
    for word, guard in game.meta.guards.items():
        if len({bool(guard.holds(fold, ask.seat)) for fold in (table.state, *table.folds.values())}) > 1:
            raise table.broken(f"the guard {word!r} is not about a public fact")
    rounds = {game.round_of(fold) for fold in (table.state, *table.folds.values())}
    if len(rounds) > 1:
        raise table.broken("round_of is not the same for everybody")
    if not game.meta.has_rounds and rounds != {0}:
        raise table.broken(f"round_of is {rounds} in a game without rounds")
    for move in game.meta.asks[ask.kind].always:
        if move not in game.legal(own, ask.seat):
            raise table.broken(f"{move} is not always legal")


def _check_forms(table: Table, seat: int) -> None:
    """Checks what forms offer the seat, wherever the match stands: answers that can be read, told, and given."""
    game, own = table.game, table.folds[seat]
    again, asked = codec_for(game).state(encode(own)), ask_of(game, own, seat)
    for kind in game.meta.asks:
        moves = [*game.answers(kind, own, seat)]
        if moves != [*game.answers(kind, again, seat)] or len(set(moves)) != len(moves) or len(moves) > MOST_ANSWERS:
            raise table.broken(f"a form offers {moves} as answers to {kind}")
        for move in moves:
            with suppress(Unreadable):
                if isinstance(move, game.meta.asks[kind].moves) and game.parse(game.format(move), seat) == move:
                    continue
            raise table.broken(f"{move} is offered, but answers no {kind}")
        for move in moves:
            for lang in LANGS:
                name = name_of(move, game, lang)
                check_no_python(table, name, lang)
                if unknown_in(name, game):
                    raise table.broken(f"{move} is called {name!r}")
        if moves and asked is not None and asked.kind == kind and not set(moves) & set(game.legal(own, seat)):
            raise table.broken(f"none of {moves} answers {asked}")
    for rule in game.meta.orders:
        for form in (inputs_of(rule.word, game, fold, seat, lang) for fold in (own, again) for lang in LANGS):
            if not all(item.title for item in form):
                raise table.broken(f"the form of {rule.word} has a field without a title")


def _check_answer(table: Table, ask: Ask, order: Order) -> bool:
    """Checks what a rule of the game answers, from its owner's fold and the same fold after JSON."""
    game, own = table.game, table.folds[ask.seat]
    again = codec_for(game).state(encode(own))
    luck = [table.luck.bot(table.next_entry_number, f"{ask.key}:order", ask.seat) for _ in range(3)]
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


def _check_typical_orders(table: Table, seat: int) -> None:
    """Checks the orders that `Game.typical` leaves: they can be typed and saved, and follow from the fold and the luck.

    No two of them are for the same question.
    """
    game, own = table.game, table.folds[seat]
    luck = [table.luck.bot(table.next_entry_number, f"orders:s{seat}", seat) for _ in range(2)]
    view = view_of(table, seat)
    again = msgspec.structs.replace(view, fold=codec_for(game).state(encode(own)))
    left = list(game.typical(view, seat, luck[0]))
    if left != list(game.typical(again, seat, luck[1])):
        raise table.broken(f"the typical person of seat {seat} leaves two sets of orders")
    kinds = [kind for order in left for kind in kinds_of_asks(game.meta, order)]
    if len(set(kinds)) != len(kinds):
        raise table.broken(f"the typical person leaves two orders for the same questions: {left}")
    for order in left:
        check_form(game, order)
        if refused := refusal_of_order(order, game, own, seat):
            raise table.broken(f"the typical person leaves {order}, which is refused: {refused}")


def _check_why(table: Table, ask: Ask, moves: Sequence[Move]) -> None:
    """Checks that an order for a move that is not legal now tells its owner why, without unknown placeholders."""
    game, own = table.game, table.folds[ask.seat]
    move = moves[table.next_entry_number % len(moves)] if moves else None
    if move is None or move in game.legal(own, ask.seat):
        return
    why = why_failed(Always[Any](kind=ask.kind, move=move), game, own, ask)
    assert why is not None, "it has a move, and no guard"
    for lang in LANGS:
        if unknown_in(why[lang], game):
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
        if any(refusal_of_order(Always[Any](kind=kind, move=other), game, own, seat) is None for other in legal):
            raise table.broken(f"an order for {move} was refused for ever, but it is legal")
    for kind, moves in played.items():
        move = moves[table.next_entry_number % len(moves)]
        refused = refusal_of_order(Always[Any](kind=kind, move=move), game, own, ask.seat)
        if refused is not None and refused.code not in ORDER_REFUSALS:
            doomed[ask.seat, kind, move] = now
