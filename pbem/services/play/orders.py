"""What seats have ordered beforehand, and what that answers as soon as they are asked.

    move → what it asks is answered by orders, in the same transaction → commit

An order answers by the same path as a hand (`moves.apply_move`), from its owner's own fold. It is kept beside the log
and leaves no trace in it: an answer by order looks like one that was given by hand at once. Questions of a window are
left to their owners: when they are answered must tell nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import msgspec
from sqlalchemy import delete
from sqlmodel import Session, col, select

from pbem.kit.codec import codec_for, encode
from pbem.kit.contract import AnyGame, Ask, Move
from pbem.kit.orders.following import follow
from pbem.kit.orders.scopes import Standing, answered, lasts
from pbem.kit.replay import AnyEntry, By, effective, fold, question_of, redacted
from pbem.models.tables import AskRow, Match, OrderRow, SeatRow
from pbem.services.log import proofs, store
from pbem.services.work import Work

IN_A_ROW = 20
"""After so many answers without a hand the orders of a seat end."""


@dataclass(frozen=True)
class Answer:
    """What an order answers to an open question."""

    ask: AskRow
    move: Move
    by: By


# --- when they are asked -------------------------------------------------------------------------------------


def next_answer(work: Work, match: Match, game: AnyGame) -> Answer | None:
    """Returns what an order answers to one of the open questions; None if no order answers any.

    The order has counted its answer then, so the caller must play it. The match must be locked.
    """
    if not match.ordering or match.status != "running":
        return None
    rows = {row.seat: row for row in _rows(work, match)}
    entries: Sequence[AnyEntry] | None = None
    for ask in store.open_asks(work, match.id):
        row, kind = rows.get(ask.seat), game.meta.asks[ask.kind]
        if row is None or kind.window or kind.race:
            continue
        entries = entries if entries is not None else store.load_entries(work, match.id, game)
        if (move := _answer(work, match, game, row, ask, entries)) is not None:
            return Answer(ask, move, By(seat=ask.seat, via=row.via))
    return None


def _answer(
    work: Work, match: Match, game: AnyGame, row: OrderRow, ask: AskRow, entries: Sequence[AnyEntry]
) -> Move | None:
    seat = work.get(SeatRow, (match.id, ask.seat))
    if seat is None or seat.epoch != row.epoch or seat.absent or seat.resigned or row.answered >= IN_A_ROW:
        end(work, match, row)
        return None
    asked = Ask(ask.seat, question_of(ask.key), ask.turn, ask.kind)
    own = fold(game, entries, ask.seat)
    luck = proofs.luck_of(match).bot(match.version + 1, asked.key, ask.seat)
    since = [entry.event for entry in redacted(effective(entries), ask.seat) if entry.n > row.version]
    before = read_body(game, row.body)
    standing = [one for one in before if lasts(one, game, own, asked)]
    move = None
    for at, one in enumerate(standing):
        move = follow(one.order, game, own, asked, luck, since)
        if move is not None:
            standing[at] = answered(one, asked)
            row.answered += 1
            break
    if not standing:
        end(work, match, row)
    elif tuple(standing) != before:
        row.body = write_body(standing)
        work.add(row)
    return move


def note_hand(work: Work, match: Match, seat: int) -> None:
    """Notes that the seat's owner has answered by hand: their orders go on. The match must be locked."""
    row = work.get(OrderRow, (match.id, seat)) if match.ordering else None
    if row is not None:
        row.answered = 0
        work.add(row)


def end_orders(work: Work, match: Match, seat: int) -> None:
    """Ends the seat's orders, because its owner is absent or another sits there. The match must be locked."""
    end(work, match, work.get(OrderRow, (match.id, seat)) if match.ordering else None)


def _rows(session: Session, match: Match) -> Sequence[OrderRow]:
    return session.exec(select(OrderRow).where(col(OrderRow.match_id) == match.id)).all()


def end(work: Work, match: Match, row: OrderRow | None) -> None:
    if row is None:
        return
    work.exec(delete(OrderRow).where(col(OrderRow.match_id) == row.match_id, col(OrderRow.seat) == row.seat))
    match.ordering -= 1
    work.add(match)


# --- as they are stored --------------------------------------------------------------------------------------


def write_body(standing: Sequence[Standing]) -> str:
    """Returns the orders as they stand, as JSON."""
    return encode(standing).decode()


def read_body(game: AnyGame, body: str) -> tuple[Standing, ...]:
    """Returns the orders in this JSON."""
    codec = codec_for(game)
    return tuple(
        Standing(codec.order_of(one["order"]), one["round"], msgspec.convert(one["first"], Ask | None))
        for one in msgspec.json.decode(body)
    )
