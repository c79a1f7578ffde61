"""What seats have ordered beforehand, and what that answers as soon as they are asked.

    move → commit → the sweep looks whether orders answer what it asks (`follow_at` of the question)

An order answers by the same path as a hand (`decisions.apply_or_seal_move`),
from its owner's own fold. It is kept beside the
log and leaves no trace in it: in a silent window it is sealed like any other answer, and elsewhere it looks like one
that was given by hand after a while (`pbem.kit.windows`). No request of another looks at it: how long that takes would
tell that it stands. What orders have answered, and why they have not, is kept for their owner until it has been read.
"""

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import Any, NamedTuple

import msgspec
import structlog
from sqlalchemy.exc import SQLAlchemyError
from sqlmodel import col, select

from pbem.errors import N_, Stale
from pbem.kit.codec import codec_for, encode
from pbem.kit.contract import AnyGame, Ask, Event, Move
from pbem.kit.orders.following import Standing, after_answer, follow, is_waiting_line, still_stands, why_failed
from pbem.kit.orders.shapes import Line, kinds_of_asks
from pbem.kit.replay import AnyEntry, By, entries_not_taken_back, key_without_takebacks, redact_entries
from pbem.kit.texts import Text
from pbem.kit.words import T
from pbem.models.tables import AskRow, OrderRow
from pbem.services.log import proofs
from pbem.services.log.store import Table
from pbem.services.log.table import LockedTable

IN_A_ROW = 20
"""After this many answers without a hand the orders of a seat end."""
ENOUGH = T(
    "Vos consignes ont répondu à {count} questions de suite sans vous : elles sont arrêtées.",
    "Your orders have answered {count} questions in a row without you: they have been stopped.",
).fill(count=IN_A_ROW)


BROKEN = T(
    "Vos consignes n’ont pas pu être suivies, par une erreur de notre part : elles sont arrêtées.",
    "Your orders could not be followed, by a mistake on our side: they have been stopped.",
)

log = structlog.get_logger()


class Noted(msgspec.Struct, frozen=True, omit_defaults=True):
    """What happened to a question that orders were there for.

    `n` is the first entry of their answer; if they left the question to their owner, the last entry then, and `why` is
    the reason.
    """

    n: int
    key: str
    why: Text | None = None


# --- when they are asked -------------------------------------------------------------------------------------


def take_answer_from_orders(table: LockedTable, ask: AskRow, after: datetime | None) -> tuple[Move, By] | None:
    """Returns what an order answers to this open question of its seat, and in whose name; None if none does.

    The order has counted its answer then, so the caller must play it. With `after`, an order that would answer does not
    before that moment: nothing has changed then, except that the sweep looks again.
    """
    row = _orders_for_ask(table, ask)
    if row is None:
        return None
    try:
        move = _try_orders(table, row, ask, after)
    except SQLAlchemyError:
        raise
    except Exception:
        # An order that cannot be followed must not hold up the others: its owner is asked, and told.
        log.exception("orders.failed", match=table.id, key=ask.key, seat=ask.seat)
        stop_orders_that_raised_error(table, ask)
        return None
    return (move, By(seat=ask.seat, via=row.via)) if move is not None else None


def would_order_answer(table: Table, ask: AskRow) -> bool:
    """Returns whether an order would answer this open question of its seat; changes nothing, and takes no lock.

    Raises what an order raises that cannot be followed.
    """
    row = _orders_for_ask(table, ask)
    look = _look_up_answer(table, row, ask) if row is not None and row.answered < IN_A_ROW else None
    return look is not None and look.move is not None


def _orders_for_ask(table: Table, ask: AskRow) -> OrderRow | None:
    """Returns the orders of the seat that is asked; None if it has none, or they are not for this question."""
    row, kind = table.orders_of(ask.seat), table.game.meta.asks[ask.kind]
    if row is None or not row.body or table.match.status != "running":
        return None
    return row if not (kind.race or ask.sealed_at is not None or row.left_key == ask.key) else None


def stop_orders_that_raised_error(table: LockedTable, ask: AskRow) -> None:
    """Stops the orders of the seat, which have raised an exception at this question, and leaves it to their owner.

    Nothing of an answer may have been written.
    """
    row = table.work.get_one(OrderRow, (table.id, ask.seat))
    row.news = news_as_json([one for one in read_news(row) if one.key != ask.key])
    _leave_question_to_owner(table, row, (), ask, BROKEN)


def _try_orders(table: LockedTable, row: OrderRow, ask: AskRow, after: datetime | None) -> Move | None:
    """Returns what the seat's orders answer; None if they leave the question to their owner: a failure is noted.

    Also None if they would answer, but only `after` that moment.
    """
    look = _look_up_answer(table, row, ask)
    if look is None:
        return None
    if row.answered >= IN_A_ROW:
        _leave_question_to_owner(table, row, (), ask, ENOUGH)
        return None
    if look.move is not None and after is not None:
        ask.follow_at = after
        return None
    if not look.fitting:
        store_orders(table, row, look.standing)
        return None
    asked = _ask_as_game_puts_it(ask)
    done = _without_one_time_orders(after_answer(it, asked) if it in look.fitting else it for it in look.standing)
    left = _without_past_lines(done, look.since)
    if look.move is not None:
        row.answered += 1
        _add_news(row, Noted(table.match.version + 1, ask.key))
        store_orders(table, row, left)
        return look.move
    failed = (why_failed(one.order, table.game, table.fold_of_seat(ask.seat), asked) for one in look.fitting)
    _leave_question_to_owner(table, row, left, ask, next((why for why in failed if why is not None), None))
    return None


class Look(NamedTuple):
    """What a seat's orders make of a question: those that still stand, those that fit it, and what they answer."""

    standing: Sequence[Standing]
    fitting: Sequence[Standing]
    since: Sequence[Event]
    move: Move | None


def _look_up_answer(table: Table, row: OrderRow, ask: AskRow) -> Look | None:
    """Returns what the seat's orders make of the question; None if none of them is for such a question."""
    match, game = table.match, table.game
    standing = orders_from_json(game, row.body, strict=True)
    if not any(ask.kind in kinds_of_asks(game.meta, one.order) for one in standing):
        return None
    own, asked = table.fold_of_seat(ask.seat), _ask_as_game_puts_it(ask)
    standing = tuple(one for one in standing if still_stands(one, game, own, asked))
    luck = proofs.luck_of(match).bot(match.version + 1, asked.key, ask.seat)
    since = events_since(table.entries, ask.seat, row.version)
    # A line of which more is to come is for a later question.
    fitting = [
        one
        for one in standing
        if ask.kind in kinds_of_asks(game.meta, one.order) and not is_waiting_line(one.order, since)
    ]
    moves = (follow(one.order, game, own, asked, luck, since) for one in fitting)
    return Look(standing, fitting, since, next((move for move in moves if move is not None), None))


def _ask_as_game_puts_it(ask: AskRow) -> Ask:
    """Returns the question as the game puts it."""
    return Ask(ask.seat, key_without_takebacks(ask.key), ask.turn, ask.kind)


def events_since(entries: Sequence[AnyEntry], seat: int, version: int) -> list[Event]:
    """Returns what has happened after that version, as the seat sees it."""
    return [entry.event for entry in redact_entries(entries_not_taken_back(entries), seat) if entry.n > version]


def _add_news(row: OrderRow, noted: Noted) -> None:
    row.news = news_as_json([*read_news(row), noted])


def _without_one_time_orders(standing: Iterable[Standing]) -> tuple[Standing, ...]:
    """Returns the orders without those that were for one question, which has been put."""
    return tuple(one for one in standing if one.order.scope != "question" or one.first is None)


def _without_past_lines(standing: Iterable[Standing], since: Sequence[Event]) -> tuple[Standing, ...]:
    """Returns the orders without the lines of which nothing is to come any more."""
    return tuple(one for one in standing if not isinstance(one.order, Line) or is_waiting_line(one.order, since))


def _leave_question_to_owner(
    table: LockedTable, row: OrderRow, standing: Sequence[Standing], ask: AskRow, why: Text | None
) -> None:
    """Leaves the question to the owner of the orders; what they have asked for themselves is no news to them."""
    row.left_key = ask.key
    if why is not None:
        _add_news(row, Noted(table.match.version, ask.key, why))
    store_orders(table, row, standing)


def note_answer_by_hand(table: LockedTable, row: OrderRow, ask: AskRow) -> None:
    """Notes that the owner of these orders answers this question by hand: they go on."""
    row.answered = 0
    row.news = news_as_json([one for one in read_news(row) if one.key != ask.key])
    asked = _ask_as_game_puts_it(ask)
    standing = (
        after_answer(one, asked) if ask.kind in kinds_of_asks(table.game.meta, one.order) else one
        for one in orders_from_json(table.game, row.body)
    )  # fmt: skip
    store_orders(table, row, _without_one_time_orders(standing))


# --- as they are stored --------------------------------------------------------------------------------------


def replace_orders(table: LockedTable, seat: int, standing: Sequence[Standing], via: str) -> None:
    """Puts these orders, made at the match's head, in the place of all that the seat has."""
    row, version = table.orders_of(seat), table.match.version
    if row is None:
        if not standing:
            return
        row = OrderRow(match_id=table.id, seat=seat, version=version, via=via, body="")
    row.version, row.via, row.answered, row.left_key = version, via, 0, None
    store_orders(table, row, standing)


def orders_with_first(standing: Sequence[Standing], one: Standing) -> tuple[Standing, ...]:
    """Returns the orders with one more before all but the lines: behind it a line would never be looked at."""
    lines = (other for other in standing if isinstance(other.order, Line))
    return (*lines, one, *(other for other in standing if not isinstance(other.order, Line)))


def put_order_first(table: LockedTable, seat: int, one: Standing, via: str) -> None:
    """Puts an order before the others of the seat, but for lines."""
    row = table.orders_of(seat)
    if row is None:
        row = OrderRow(match_id=table.id, seat=seat, version=table.match.version, via=via, body="")
    row.via, row.answered = via, 0
    store_orders(table, row, orders_with_first(orders_from_json(table.game, row.body), one))


def replace_orders_but_those_of_answer(table: LockedTable, ask: AskRow, standing: Sequence[Standing], via: str) -> None:
    """Puts these orders in the place of all that the seat has, but for what it has ordered with this answer."""
    row = table.orders_of(ask.seat)
    for one in reversed(orders_from_json(table.game, row.body) if row is not None else ()):
        if one.window == ask.key:
            standing = orders_with_first(standing, one)
    replace_orders(table, ask.seat, standing, via)


def check_orders_of_repeat_were_saved(table: Table, ask: AskRow, ordered: Sequence[Any] | None) -> None:
    """Raises Stale for a repeated move that comes with orders, unless orders were saved with it or after it.

    Once the match is over, no orders are needed, and an archived match has none.
    """
    if ordered is None or ask.last_n is None or table.match.status == "over":
        return
    row = table.orders_of(ask.seat)
    if ordered and (row is None or row.version < ask.last_n):
        raise Stale(
            N_("This move had been played already. These orders were not saved with it, or have been used up since: "
               "read your orders, and save them by themselves."),
            extra={"ask": None},
        )  # fmt: skip


def end_window_orders_of_seat(table: LockedTable, seat: int) -> None:
    """Ends what this seat has ordered with an answer in a silent window."""
    row = table.orders_of(seat)
    if row is not None:
        _end_window_orders_that_are_over(table, row, lambda one: True)


def end_orders_of_closed_windows(table: LockedTable, *, closed: bool = False) -> None:
    """Ends what was ordered with answers in silent windows that are not open any more.

    With `closed`, an order stays if the window that has just closed has led to the question that it is for.
    """
    asks, meta = table.asks, table.game.meta
    rows = select(OrderRow).where(col(OrderRow.match_id) == table.id, col(OrderRow.body) != "")
    for row in table.work.exec(rows).all():
        asked = {ask.kind for ask in asks if closed and ask.seat == row.seat}

        def is_over(one: Standing, asked: set[str] = asked) -> bool:
            return not (any(ask.key == one.window for ask in asks) or asked & {*kinds_of_asks(meta, one.order)})

        _end_window_orders_that_are_over(table, row, is_over)


def _end_window_orders_that_are_over(table: LockedTable, row: OrderRow, is_over: Callable[[Standing], bool]) -> None:
    """Ends the orders of the row that were given with an answer in a window, if they are over."""
    standing = orders_from_json(table.game, row.body)
    left = [one for one in standing if one.window is None or not is_over(one)]
    if len(left) < len(standing):
        store_orders(table, row, left)


def end_orders(table: LockedTable, seat: int, upto: int = 0) -> None:
    """Ends the seat's orders, and their news after this version: its owner has left, or another sits there."""
    row = table.orders_of(seat)
    if row is not None:
        row.news = news_as_json([one for one in read_news(row) if one.n <= upto])
        store_orders(table, row, ())


def forget_news(table: LockedTable, seat: int, upto: int) -> None:
    """Forgets what the orders have to tell, up to that version, once their owner has read it."""
    row = table.orders_of(seat)
    if row is not None and row.news:
        row.news = news_as_json([one for one in read_news(row) if one.n > upto])
        _delete_empty_row(table, row)


def store_orders(table: LockedTable, row: OrderRow, standing: Sequence[Standing]) -> None:
    """Keeps these orders in the row, and none if they are none."""
    body = encode(standing).decode() if standing else ""
    if bool(body) != bool(row.body):
        table.match.ordering += 1 if body else -1
    row.body = body
    table.work.add(row)
    table.orders[row.seat] = row
    _delete_empty_row(table, row)


def _delete_empty_row(table: LockedTable, row: OrderRow) -> None:
    if row.body or row.news:
        return
    table.work.flush()
    table.work.delete(row)
    table.work.flush()
    table.orders[row.seat] = None


def orders_from_json(game: AnyGame, body: str, *, strict: bool = False) -> tuple[Standing, ...]:
    """Returns the orders in this JSON; none for "".

    An order that the game does not know any more is left out, or with `strict` raises ValidationError.
    """
    codec, found = codec_for(game), []
    for one in msgspec.json.decode(body or "[]"):
        try:
            order = codec.order_of(one["order"])
        except msgspec.ValidationError:
            if strict:
                raise
            log.warning("orders.unreadable", game=game.meta.slug)
            continue
        found.append(Standing(order, one["round"], msgspec.convert(one["first"], Ask | None), one.get("window")))
    return tuple(found)


def news_as_json(news: Sequence[Noted]) -> str:
    """Returns what orders have to tell, as JSON; "" if that is nothing."""
    return encode(news).decode() if news else ""


_news_decoder = msgspec.json.Decoder(tuple[Noted, ...])


def read_news(row: OrderRow) -> tuple[Noted, ...]:
    """Returns what the orders of the row have to tell."""
    return _news_decoder.decode(row.news) if row.news else ()
