"""The orders of a seat, as their owner reads, saves and stops them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from pbem.errors import N_, Illegal, Invalid, Problem, Stale
from pbem.errors import Unreadable as UnreadableProblem
from pbem.kit.codec import codec_for, plain
from pbem.kit.contract import UNNUMBERED, AnyGame, IllegalMove, Order, Unreadable
from pbem.kit.orders.refusals import ORDER_REFUSALS, refusal
from pbem.kit.orders.scopes import stand
from pbem.kit.orders.typed import parse_order
from pbem.kit.replay import fold, redacted
from pbem.kit.texts import LANGS
from pbem.models.tables import Match, OrderRow, SeatRow
from pbem.services.access import seat_links
from pbem.services.log import proofs, store, windows
from pbem.services.play import moves
from pbem.services.play.orders import end, read_body, write_body
from pbem.services.site import Site
from pbem.services.tokens import SeatClaim
from pbem.services.work import Work

MOST = 16
"""The most orders of a seat."""


@dataclass(frozen=True)
class Ordered:
    """The orders of a seat as they stand, and the version of the match at which that was read.

    `answered`: how many questions they have answered at once, because these were open when the orders were saved.
    """

    game: AnyGame
    version: int
    orders: tuple[Order, ...]
    answered: int = 0


def read_orders(site: Site, claim: SeatClaim) -> Ordered:
    """Returns the seat's orders for its owner, and for nobody else. Raises Unauthorized, NotFound."""
    with site.reading() as session:
        seat = seat_links.seat_of(session, claim, claim.purpose)
        match = store.get_match(session, seat.match_id)
        game, row = store.game_of(match), session.get(OrderRow, (match.id, seat.seat))
        standing = read_body(game, row.body) if row is not None and row.epoch == seat.epoch else ()
        return Ordered(game, match.version, tuple(one.order for one in standing))


def save_orders(site: Site, claim: SeatClaim, version: int, said: Sequence[Any], via: str) -> Ordered:
    """Replaces the seat's orders by these, in their order; none stops all. What they can answer now is played at once.

    `said` are the orders, each typed or as parsed JSON, `version` is the position at which their owner made them.
    Raises Stale with the news if the match has moved on since, Invalid, Unreadable, Illegal with the rule, Gone,
    Unauthorized, NotFound.
    """
    with site.writing() as work:
        match, seat = seat_links.lock_seat(work, claim)
        moves.require_running(match.status)
        game = store.game_of(match)
        _exchange(work, match, game, seat, version, said, via)
        played = moves.follow_orders(site, work, match, game, site.now())
        row = work.get(OrderRow, (match.id, seat.seat))
        standing = read_body(game, row.body) if row is not None else ()
        mine = sum(one.seat == seat.seat for one in played)
        return Ordered(game, match.version, tuple(one.order for one in standing), mine)


def stop_orders(site: Site, claim: SeatClaim) -> None:
    """Stops all orders of the seat, whatever the position. Raises Unauthorized, NotFound."""
    with site.writing() as work:
        match, seat = seat_links.lock_seat(work, claim)
        end(work, match, work.get(OrderRow, (match.id, seat.seat)))


def _exchange(
    work: Work, match: Match, game: AnyGame, seat: SeatRow, version: int, said: Sequence[Any], via: str
) -> None:
    if version != match.version:
        raise _moved_on(work, match, game, seat.seat, version)
    if len(said) > MOST:
        raise Invalid(N_("A seat has at most %(most)s orders at a time."), {"most": MOST})
    own = fold(game, store.load_entries(work, match.id, game), seat.seat)
    standing = tuple(stand(_checked(game, own, seat.seat, one), game, own) for one in said)
    row = work.get(OrderRow, (match.id, seat.seat))
    if not standing:
        end(work, match, row)
        return
    if row is None:
        row = OrderRow(match_id=match.id, seat=seat.seat, epoch=seat.epoch, version=version, body="", via=via)
        match.ordering += 1
        work.add(match)
    row.epoch, row.version, row.body, row.via, row.answered = seat.epoch, version, write_body(standing), via, 0
    work.add(row)


def _checked(game: AnyGame, own: Any, seat: int, said: Any) -> Order:
    try:
        order = parse_order(said, game, seat) if isinstance(said, str) else codec_for(game).order_of(said)
    except msgspec.ValidationError as error:
        raise Invalid(N_("This is not an order of the game."), extra={"why": str(error)}) from None
    except Unreadable as error:
        hints = {lang: error.hint[lang] for lang in LANGS}
        message = N_("“%(text)s” cannot be read as an order. %(hint)s")
        raise UnreadableProblem(message, {"text": said[:60], "hint": hints}) from None
    if why := refusal(order, game, own, seat):
        raise refused(game, order, why)
    return order


def refused(game: AnyGame, order: Order, why: IllegalMove) -> Problem:
    """Returns why an order cannot be saved, as a problem with the rule behind it."""
    found = ORDER_REFUSALS.get(why.code)
    if found is None:
        return moves.refusal_error(game, type(order).__name__, why)
    sentences: Mapping[str, str] = {lang: found.text[lang].format(**why.facts) for lang in LANGS}
    return Illegal(why.code, UNNUMBERED, sentences, type(order).__name__, None)


def _moved_on(work: Work, match: Match, game: AnyGame, seat: int, version: int) -> Stale:
    entries = store.load_entries(work, match.id, game)
    seen = redacted(entries, seat, silent=windows.hidden_keys(work, match, game))
    news = proofs.stretch(work, match, seen, version)
    return Stale(
        N_("The match has moved on since you made these orders: look at what has happened, and save them again."),
        extra={"version": match.version, "events": plain(news.entries)},
    )
