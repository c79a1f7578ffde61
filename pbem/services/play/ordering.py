"""The orders of a seat, as their owner reads, saves and stops them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from pbem.errors import N_, Illegal, Invalid, Problem, Stale
from pbem.errors import Unreadable as UnreadableProblem
from pbem.kit.codec import codec_for, plain
from pbem.kit.contract import UNNUMBERED, AnyGame, IllegalMove, Order, Unreadable
from pbem.kit.orders.refusals import ORDER_REFUSALS, refusal
from pbem.kit.orders.scopes import Standing, stand
from pbem.kit.orders.shapes import kinds_of_asks
from pbem.kit.orders.typed import format_order, parse_order
from pbem.kit.replay import fold, redacted
from pbem.kit.texts import LANGS
from pbem.models.tables import Match, OrderRow, SeatRow
from pbem.services.access import seat_links
from pbem.services.log import proofs, store
from pbem.services.play import moves
from pbem.services.play.orders import end, read_body, write_body
from pbem.services.site import Site
from pbem.services.tokens import SeatClaim
from pbem.services.work import Work

MOST = 16
"""The most orders of a seat."""
MOVED_ON = N_("The match has moved on since you made these orders: look at what has happened, and save them again.")


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
    return _save(site, claim, version, via, lambda old, make: [make(one) for one in said])


def add_order(site: Site, claim: SeatClaim, version: int, said: Any, via: str) -> Ordered:
    """Saves one more order of the seat, before those that stand: the newest is looked at first.

    If the same one stands already, it takes its place. Takes the same and raises the same as `save_orders`.
    """

    def put_first(old: Sequence[Standing], make: Callable[[Any], Standing]) -> Sequence[Standing]:
        new = make(said)
        return [new, *(one for one in old if one.order != new.order)]

    return _save(site, claim, version, via, put_first)


Exchange = Callable[[Sequence[Standing], Callable[[Any], Standing]], Sequence[Standing]]
"""Returns the orders in the place of the old ones; what was said becomes an order by the second argument."""


def _save(site: Site, claim: SeatClaim, version: int, via: str, exchange: Exchange) -> Ordered:
    with site.writing() as work:
        match, seat = seat_links.lock_seat(work, claim)
        moves.require_running(match.status)
        game = store.game_of(match)
        _exchange(work, match, game, seat, version, exchange, via)
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


def stop_order(site: Site, claim: SeatClaim, text: str) -> None:
    """Stops the order of the seat that has this typed form, if it still stands. Raises Unauthorized, NotFound."""
    with site.writing() as work:
        match, seat = seat_links.lock_seat(work, claim)
        game, row = store.game_of(match), work.get(OrderRow, (match.id, seat.seat))
        standing = read_body(game, row.body) if row is not None else ()
        left = [one for one in standing if format_order(one.order, game) != text]
        if row is None or not left:
            end(work, match, row)
        else:
            row.body = write_body(left)
            work.add(row)


def _exchange(
    work: Work, match: Match, game: AnyGame, seat: SeatRow, version: int, exchange: Exchange, via: str
) -> None:
    if version != match.version:
        raise _moved_on(work, match, game, seat.seat, version)
    own = fold(game, store.load_entries(work, match.id, game), seat.seat)
    row = work.get(OrderRow, (match.id, seat.seat))
    old = read_body(game, row.body) if row is not None and row.epoch == seat.epoch else ()
    standing = exchange(old, lambda said: stand(check(game, own, seat.seat, said), game, own))
    if len(standing) > MOST:
        raise Invalid(N_("A seat has at most %(most)s orders at a time."), {"most": MOST})
    if not standing:
        end(work, match, row)
        return
    if row is None:
        row = OrderRow(match_id=match.id, seat=seat.seat, epoch=seat.epoch, version=version, body="", via=via)
        match.ordering += 1
        work.add(match)
    row.epoch, row.version, row.body, row.via, row.answered = seat.epoch, version, write_body(standing), via, 0
    work.add(row)


def orders_in(game: AnyGame, body: str) -> tuple[Order, ...]:
    """Returns the orders in this JSON, which is that of `Seated.orders`; () if it is empty."""
    return tuple(one.order for one in read_body(game, body)) if body else ()


def check(game: AnyGame, own: Any, seat: int, said: Any) -> Order:
    """Returns the order, typed or as parsed JSON, if it can be saved in this position, the fold of the seat.

    Raises Invalid, Unreadable, and Illegal with the rule.
    """
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
    if any(game.meta.asks[kind].window for kind in kinds_of_asks(game.meta, order)):
        raise Invalid(N_("While the others wait in secret, you answer yourself: no order does so here."))
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
    news = proofs.stretch(work, match, redacted(entries, seat), version)
    return Stale(
        MOVED_ON,
        extra={"version": match.version, "events": plain(news.entries)},
    )
