"""What an order answers: the same as its owner would have to answer by hand, from their own fold alone.

If it does not answer, `why_failed` says why, unless its owner wanted to be asked.

A sitting is two questions to one seat that its owner can answer at once, because nothing that others do bears on the
later. `Meta.sittings` names the pairs. Where the second question is put at once, its answer follows the first; where
others still have to answer, it is an order for one question.
"""

import re
from collections.abc import Sequence
from typing import Any, Literal

import msgspec
from msgspec.structs import replace

from pbem.kit.chance import Chance
from pbem.kit.contract import AnyGame, Ask, Event, Move, Order, ask_of
from pbem.kit.orders.shapes import Always, Line, Prefer, kinds_of_asks, moves_of, refusal_of_move, text_of_refusal
from pbem.kit.orders.typed import name_of
from pbem.kit.replay import TableEvent, evolve_all
from pbem.kit.secrecy import redact
from pbem.kit.texts import Text
from pbem.kit.words import T

OTHERWISE = T("Il s’est passé autre chose que ce que votre consigne prévoyait.",
              "Something else has happened than your order foresaw.")  # fmt: skip
NOT_ALLOWED = T("Votre consigne n’a pas pu être suivie. {move} : {why}",
                "Your order could not be followed. {move}: {why}")  # fmt: skip


def follow(
    order: Order, game: AnyGame, fold: Any, ask: Ask, chance: Chance, since: Sequence[Event] = ()
) -> Move | None:
    """Returns the legal move with which the order answers; None if its owner has to be asked.

    `fold` is the owner's own. `since` holds the events since the order was made, as the owner sees them: a line needs
    them, no other shape does. Scopes are not looked at: see `still_stands`.
    """
    if ask.kind not in kinds_of_asks(game.meta, order) or asks_first(order, game, fold, ask.seat):
        return None
    legal = game.legal(fold, ask.seat)
    match order:
        case Always() | Prefer():
            moves = moves_of(order)
        case Line(after=after, move=move):
            moves = (move,) if stage_of_line(after, since) == "come" else ()
        case _:
            move = game.follow(order, fold, ask, chance)
            moves = () if move is None else (move,)
    return next((move for move in moves if move in legal), None)


def why_failed(order: Order, game: AnyGame, fold: Any, ask: Ask) -> Text | None:
    """Returns why the order could not answer this question, which is of one of its kinds, for its owner.

    None if they wanted to be asked: one of its guards holds, or its rule leaves such a question to them. `fold` is
    theirs.
    """
    if asks_first(order, game, fold, ask.seat):
        return None
    if isinstance(order, Line):
        return OTHERWISE
    moves = moves_of(order)
    if not moves:
        return None
    why = text_of_refusal(refusal_of_move(game, fold, ask.seat, moves[0]), game)
    return NOT_ALLOWED.fill(move=Text(name_of(moves[0], game, "fr"), name_of(moves[0], game, "en")), why=why)


def stage_of_line(after: Sequence[Event], since: Sequence[Event]) -> Literal["waits", "come", "missed"]:
    """Returns how far a line of facts has come true: not all of them yet, exactly they, or something else.

    `since` holds what has happened since the line was made. Both are compared as everybody sees them.
    """
    happened = events_as_public(since)
    foreseen = events_as_public(after)
    if happened == foreseen:
        return "come"
    return "waits" if happened == foreseen[: len(happened)] else "missed"


def is_waiting_line(order: Order, since: Sequence[Event]) -> bool:
    """Returns whether the order is a line of which a part has come true so far: it answers a later question."""
    return isinstance(order, Line) and stage_of_line(order.after, since) == "waits"


def order_left_to_come(order: Order, since: Sequence[Event]) -> Order | None:
    """Returns the order as it would be made now: a line without what has come true; None if it cannot any more."""
    if not isinstance(order, Line):
        return order
    return replace(order, after=order.after[len(events_as_public(since)) :]) if is_waiting_line(order, since) else None


def events_as_public(events: Sequence[Event]) -> tuple[Event, ...]:
    """Returns the facts of the game as everybody sees them."""
    return tuple(redact(event, None) for event in events if not isinstance(event, TableEvent))


def asks_first(order: Order, game: AnyGame, fold: Any, seat: int) -> bool:
    """Returns whether one of the order's guards holds."""
    return any(game.meta.guards[word].holds(fold, seat) for word in order.ask_if)


# --- how long an order stands --------------------------------------------------------------------------------


class Standing(msgspec.Struct, frozen=True):
    """An order with what its scope is reckoned from: the round in which it was made, and the first question since.

    `first`: the first question of its kinds that was answered since then, by the order or by its owner. `window`: the
    key of the question with whose answer it was given, in one sitting: it stands for what follows that window alone.
    """

    order: Order
    round: int
    first: Ask | None = None
    window: str | None = None


def standing_from_now_on(order: Order, game: AnyGame, fold: Any) -> Standing:
    """Returns the order as it stands from now on; `fold` is its owner's."""
    return Standing(order, game.round_of(fold))


def still_stands(standing: Standing, game: AnyGame, fold: Any, ask: Ask) -> bool:
    """Returns whether the order still stands when its owner is asked this question of one of its kinds.

    A turn, or a window, is the one of the first such question. Only an order for the match outlives its round.
    """
    first, scope = standing.first, standing.order.scope
    if scope == "match":
        return True
    if game.round_of(fold) != standing.round:
        return False
    if scope == "question":
        return first is None or first.key == ask.key
    return scope == "round" or first is None or first.turn == ask.turn


def after_answer(standing: Standing, ask: Ask) -> Standing:
    """Returns the order after this question of one of its kinds was answered, by the order or by its owner.

    An order for one question that had to ask is over, too: it must not answer another, for which it was not made.
    """
    return standing if standing.first is not None else replace(standing, first=ask)


# --- sittings ------------------------------------------------------------------------------------------------


def kinds_in_same_sitting_after(game: AnyGame, kind: str) -> tuple[str, ...]:
    """Returns the kinds of questions that can be answered together with one of this kind."""
    return tuple(after for before, after in game.meta.sittings if before == kind)


def next_kind_answered_by_move(game: AnyGame, kind: str, move: Move) -> str | None:
    """Returns the kind of question after one of this kind that the move can answer; None if there is none."""
    return next(
        (after for after in kinds_in_same_sitting_after(game, kind) if isinstance(move, game.meta.asks[after].moves)),
        None,
    )


def split_answers_of_sitting(text: str) -> list[str]:
    """Returns the typed answers of one sitting: one a line, or with `; ` between them.

    >>> split_answers_of_sitting("take N40; place N20 1N r1")
    ['take N40', 'place N20 1N r1']
    """
    parts = [part.strip() for part in re.split(r";\s|\n", text)]
    return [part for part in parts if part] or [text]


def fold_and_question_of_sitting(
    game: AnyGame, fold: Any, seat: int, events: Sequence[Event]
) -> tuple[Any, Ask] | None:
    """Returns the seat's fold after a move that has these events, and what it is asked then in the same sitting.

    `fold` is the seat's own, in which it is asked something; `events` is what `Game.preview` foresees. None if nothing
    follows at once, or if it cannot be foreseen.
    """
    before = ask_of(game, fold, seat)
    after = evolve_all(game, fold, events) if events else fold
    ask = ask_of(game, after, seat)
    if before is None or ask is None or ask.key == before.key or (before.kind, ask.kind) not in game.meta.sittings:
        return None
    return after, ask
