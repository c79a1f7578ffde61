"""The orders of a seat, as their owner reads, saves and stops them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from msgspec.structs import replace

from pbem.errors import CHANGED, N_, Changed, Stale
from pbem.kit.codec import codec_for, plain
from pbem.kit.contract import AnyGame, Move, Order, Phrase
from pbem.kit.orders.following import Standing, order_left_to_come
from pbem.kit.orders.shapes import Line
from pbem.kit.orders.typed import format_order, name_of, tell_order
from pbem.kit.replay import first_entry_still_fresh, redact_entries
from pbem.kit.texts import Lang, Text
from pbem.kit.words import say, typeset
from pbem.models.tables import OrderRow
from pbem.services.access import seat_links
from pbem.services.log import proofs, store, windows
from pbem.services.log.store import UNDONE, Table
from pbem.services.play import decisions, moves, presence
from pbem.services.play.order_checks import check_order_count, read_and_check_orders
from pbem.services.play.orders import (
    events_since,
    forget_news,
    orders_from_json,
    orders_with_first,
    read_news,
    replace_orders,
    store_orders,
)
from pbem.services.site import Site, Work
from pbem.services.tokens import SeatClaim
from pbem.services.views.match_views import View

MOVED_ON = N_("The match has moved on since you made these orders: look at what has happened, and save them again.")
AnyLine = Line[Any, Any]


@dataclass(frozen=True)
class Told:
    """A question that the orders were there for: what they have answered, or `why` they left it to their owner.

    `first_n`..`last_n` are the entries of the answer; None if it is not in the log (yet).
    """

    n: int
    key: str
    kind: str
    move: Move | None = None
    first_n: int | None = None
    last_n: int | None = None
    why: Text | None = None


@dataclass(frozen=True)
class Ordered:
    """The orders of a seat as they stand, and the version of the match at which that was read.

    `news` is what they have done since their owner last looked, oldest first. `answered` is the number of questions
    that they have answered at once, because these were open when the orders were saved.
    """

    game: AnyGame
    version: int
    orders: tuple[Order, ...]
    news: tuple[Told, ...] = ()
    answered: int = 0
    mailed: int = 0
    """The version up to which a mail has told the news."""
    seen: Any = None
    """The position as everybody sees it, in which lines are told; None if no line stands."""

    def says(self, lang: Lang) -> tuple[Phrase, ...]:
        """Returns what each order will do, in a sentence."""
        return tuple(tell_order(order, self.game, lang, self.seen) for order in self.orders)


def read_orders(site: Site, claim: SeatClaim) -> Ordered:
    """Returns the seat's orders for its owner, and for nobody else. Raises Unauthorized, NotFound."""
    with site.reading() as session:
        seat = seat_links.seat_of_link(session, claim, claim.purpose)
        return orders_and_news_of_seat(Table(session, store.get_match(session, seat.match_id)), seat.seat)


def orders_and_news_of_seat(table: Table, seat: int) -> Ordered:
    """Returns what this seat has ordered."""
    match, row = table.match, table.orders_of(seat)
    if row is None:
        return Ordered(table.game, match.version, ())
    standing, seen = _read_standing_orders(table, row) if match.status == "running" else ((), None)
    orders = tuple(one.order for one in standing)
    return Ordered(table.game, match.version, orders, _read_news_of_orders(table, row), mailed=row.mailed, seen=seen)


def _read_standing_orders(table: Table, row: OrderRow) -> tuple[tuple[Standing, ...], Any]:
    """Returns the orders whose round is not over, as they would be made now: lines without what has come true.

    The second value is the position as everybody sees it if there is a line among them, else None.
    """
    game = table.game
    standing = orders_from_json(game, row.body)
    if any(one.order.scope != "match" for one in standing):
        now = game.round_of(table.state)
        standing = tuple(one for one in standing if one.order.scope == "match" or one.round == now)
    if not any(isinstance(one.order, Line) for one in standing):
        return standing, None
    since = events_since(table.entries, row.seat, row.version)
    left = ((one, order_left_to_come(one.order, since)) for one in standing)
    return tuple(replace(one, order=order) for one, order in left if order is not None), table.fold_of_seat(None)


def _read_news_of_orders(table: Table, row: OrderRow) -> tuple[Told, ...]:
    codec, told = codec_for(table.game), []
    for one in read_news(row):
        ask = table.ask(one.key, row.seat)
        if ask is None or ask.closed_by == UNDONE or (one.why is None and ask.answer is None):
            continue
        move = codec.move(ask.answer) if one.why is None and ask.answer is not None else None
        told.append(Told(one.n, one.key, ask.kind, move, ask.first_n, ask.last_n, one.why))
    return tuple(told)


def save_orders(
    site: Site, claim: SeatClaim, version: int, said: Sequence[Any], via: str, *, was: Sequence[str] | None = None
) -> Ordered:  # fmt: skip
    """Replaces the seat's orders by these, in their order; none stops all. What they can answer now is played at once.

    `said` are the orders, each typed or as parsed JSON. `version` is the position at which their owner made them: news
    up to there count as read. A player who saves orders is present. If `was` is given, the orders that stand must still
    be these, each typed. Raises Stale with the news if the match has moved on since, Changed, Invalid, Unreadable,
    Illegal with the rule, Gone, Unauthorized, NotFound.
    """
    with site.writing() as work:
        return _change_orders_and_follow(work, claim, version, via, lambda old, check: check(said), was)


def add_order(site: Site, claim: SeatClaim, version: int, said: Any, via: str) -> Ordered:
    """Saves one more order of the seat, before all that stand except lines: the newest is looked at first.

    If the same one stands already, the new one takes its place. Takes and raises the same as `save_orders`.
    """
    with site.writing() as work:
        return add_order_within(work, claim, said, via, version)


def add_order_within(work: Work, claim: SeatClaim, said: Any, via: str, version: int | None = None) -> Ordered:
    """Does what `add_order` does within the caller's transaction, which the caller rolls back if this raises.

    Without `version` the position is the present one, whichever the owner has seen: what their orders have done stays
    unread news.
    """

    def put_first(old: Sequence[Standing], check: Check) -> Sequence[Standing]:
        (new,) = check([said])
        return check_order_count(orders_with_first([one for one in old if one.order != new.order], new))

    return _change_orders_and_follow(work, claim, version, via, put_first)


def add_lines_before_other_orders(
    site: Site, claim: SeatClaim, version: int, lines: Sequence[AnyLine], via: str
) -> Ordered:
    """Adds lines to the seat's orders, as `save_orders` does; one after the same facts gives way.

    Lines come before all other orders: those answer in any case, and a line after them would never be looked at.
    """
    places = {(line.kind, line.after) for line in lines}

    def put_before_others(old: Sequence[Standing], check: Check) -> Sequence[Standing]:
        earlier = [
            one for one in old if isinstance(one.order, Line) and (one.order.kind, one.order.after) not in places
        ]
        rest = [one for one in old if not isinstance(one.order, Line)]
        return check_order_count([*earlier, *check([plain(line) for line in lines]), *rest])

    with site.writing() as work:
        return _change_orders_and_follow(work, claim, version, via, put_before_others)


Check = Callable[[Sequence[Any]], Sequence[Standing]]
"""Returns what was said as orders that stand from now on. Raises what `check_orders` raises."""


Choose = Callable[[Sequence[Standing], Check], Sequence[Standing]]
"""Makes the orders that stand from now on of those that stood."""


def _change_orders_and_follow(
    work: Work, claim: SeatClaim, version: int | None, via: str, choose: Choose, was: Sequence[str] | None = None
) -> Ordered:  # fmt: skip
    """Puts the orders that `choose` makes of those that stand in their place, and plays what they can answer now.

    If `version` is None, the position is the present one, and no news is forgotten.
    """
    table, seat = seat_links.lock_seat(work, claim)
    match, game = table.match, table.game_with_marks()
    moves.require_in_play(match.status)
    if version is not None and version != match.version:
        raise _stale_orders_error(table, seat.seat, version)
    own, row = table.fold_of_seat(seat.seat), table.orders_of(seat.seat)
    old, _ = _read_standing_orders(table, row) if row is not None else ((), None)
    if was is not None and [*was] != [format_order(one.order, game) for one in old]:
        raise Changed(CHANGED, etag="")
    # One that stood with a sealed answer, and is sent again, goes on standing with it.
    windows_of = {one.order: one.window for one in old if one.window is not None}
    chosen = choose(old, lambda said: read_and_check_orders(game, own, seat.seat, said))
    standing = [replace(one, window=windows_of.get(one.order)) for one in chosen]
    # In a silent window nobody may learn that they are here.
    asked_in_silence = any(ask.seat == seat.seat for ask in windows.asks_of_window(table))
    (presence.end_absence_in_secret if asked_in_silence else presence.reset_misses_and_end_absence)(table, seat)
    if version is not None:
        forget_news(table, seat.seat, version)
    replace_orders(table, seat.seat, standing, via)
    played = decisions.follow_new_orders(table, seat.seat)
    now = orders_and_news_of_seat(table, seat.seat)
    return Ordered(game, match.version, now.orders, now.news, int(played))


def stop_orders(site: Site, claim: SeatClaim) -> None:
    """Stops all orders of the seat, whatever the position; a mail's link for this purpose alone may do it, too.

    Raises Unauthorized, NotFound.
    """
    with site.writing() as work:
        stop_orders_within(work, claim)


def stop_orders_within(work: Work, claim: SeatClaim) -> None:
    """Does what `stop_orders` does within a transaction of the caller's, who rolls it back if this raises."""
    table, seat = seat_links.lock_seat(work, claim, "orders" if claim.purpose == "orders" else "play")
    replace_orders(table, seat.seat, (), "")


def stop_order(site: Site, claim: SeatClaim, text: str) -> None:
    """Stops the order of the seat that has this typed form, if it still stands. Raises Unauthorized, NotFound."""
    with site.writing() as work:
        table, seat = seat_links.lock_seat(work, claim)
        row = table.orders_of(seat.seat)
        if row is not None:
            since, game = events_since(table.entries, seat.seat, row.version), table.game
            left = []
            for one in orders_from_json(game, row.body):
                now = order_left_to_come(
                    one.order, since
                )  # as it would be made now; the text may be that of either form
                if text not in (format_order(one.order, game), now and format_order(now, game)):
                    left.append(one)
            store_orders(table, row, left)


def forget_read_news(site: Site, claim: SeatClaim, upto: int) -> None:
    """Forgets the news of the orders up to that version, which are read. Raises Unauthorized, NotFound."""
    with site.writing() as work:
        table, seat = seat_links.lock_seat(work, claim)
        forget_news(table, seat.seat, upto)


def _stale_orders_error(table: Table, seat: int, version: int) -> Stale:
    match, entries = table.match, table.entries
    fresh = first_entry_still_fresh(table.game, entries, seat, table.game.pending(table.state))
    seen = redact_entries(entries, seat, fresh, windows.keys_to_hide(table.session, match, table.game))
    news = proofs.read_stretch(table.session, match, seen, version)
    return Stale(MOVED_ON, extra={"version": match.version, "events": plain(news.entries)})


# --- what orders have done, in sentences for their owner: told once in a mail, and on the page until it was read ------


@dataclass(frozen=True)
class Stories:
    """What orders have answered, and what they have left to their owner, and why: a phrase for each question."""

    answered: tuple[Phrase, ...]
    left: tuple[Phrase, ...]


def view_covers_news(view: View, news: Sequence[Told]) -> bool:
    """True if the view of the orders' owner tells all that is in the news."""
    return all(one.first_n is None or view.tells(one.first_n - 1) for one in news)


def news_in_words(view: View, news: Sequence[Told], lang: Lang) -> Stories:
    """Returns the news in sentences; `view` is that of the orders' owner, which `view_covers_news`."""
    left = tuple(
        typeset(_title_of_question(view, one, lang) + one.why[lang], lang) for one in news if one.why is not None
    )
    return Stories(tuple(_answer_in_words(view, one, lang) for one in news if one.why is None), left)


def _answer_in_words(view: View, one: Told, lang: Lang) -> Phrase:
    """Returns the lines of the story that tell the answer; if it has none, the question with the answer's name."""
    first, last = one.first_n, one.last_n
    if first is not None and last is not None:
        lines = [line.text for line in view.story(lang, first - 1) if first <= line.n <= last]
        if lines:
            return " ".join(lines)
    assert one.move is not None, "it was answered"
    return typeset(f"{_title_of_question(view, one, lang)}{name_of(one.move, view.game, lang)}.", lang)


def _title_of_question(view: View, one: Told, lang: Lang) -> str:
    title = view.game.meta.asks[one.kind].title[lang].removesuffix("?").rstrip()
    return title + say(lang, " : ", ": ")
