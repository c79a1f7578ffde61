"""Parts that letters about a match share: the board and recent events, the clock, the result, what orders did."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

import structlog

from pbem.errors import Busy
from pbem.kit.endings import endings_of
from pbem.mail import letters
from pbem.mail.letters import OrdersTold
from pbem.models.prepared import find
from pbem.models.tables import AskRow, Match, OrderRow
from pbem.services.calendar import calendar, deadlines
from pbem.services.log import locks
from pbem.services.mail.letter_context import LetterContext
from pbem.services.play import ordering
from pbem.services.site import Site
from pbem.services.views import match_views
from pbem.services.views.match_views import View

log = structlog.get_logger()

MOST_SAID = 6
MOST_LINES = 24
"""The most lines of what happened that a mail about a question has."""
MOST_OF_ORDERS = 6
"""The most answers, questions left, and orders that go on; the match's page has all of them."""


def fields_with_board(context: LetterContext, view: View) -> dict[str, Any]:
    """Returns the fields of every letter with the board, as the viewer sees it."""
    return {
        **context.about(view.sheet.names),
        **news_fields(context, view, MOST_LINES, MOST_SAID),
        "board": board_of_letter(context, view),
        "mute_url": context.link("mute"),
        "play_url": context.link("play"),
        **context.replies(view.ask.key if view.ask is not None else None),
    }


def board_of_letter(context: LetterContext, view: View) -> letters.Board:
    """Returns the board as the viewer sees it, drawn if the reader wants pictures."""
    assert view.viewer is not None, "mails go to seats"
    lang, pictured = context.reader.lang, context.reader.player.pictures
    return letters.board_of(view.game, view.fold, view.viewer, lang, view.scene(view.recap(lang)), pictured=pictured)


def news_fields(context: LetterContext, view: View, lines: int, messages: int) -> dict[str, Any]:
    """Returns the fields that say what is new to the viewer, with at most this number of lines and messages."""
    own, recap = view.last_own, view.recap(context.reader.lang)
    found = context.messages_since(datetime.fromisoformat(own.at) if own else None)
    said = tuple(letters.Said(message.seat, message.text) for message in found if message.seat != view.viewer)
    return {
        "recap": tuple((number, line.text) for number, line in recap[-lines:]),
        "moved": view.has_moved,
        "said": said[-messages:],
        "said_before": max(0, len(said) - messages),
        "orders": news_of_orders(context, view),
    }


def players_on_holiday(context: LetterContext, view: View) -> tuple[letters.Away, ...]:
    """Returns the others who are on holiday."""
    others = (seat for seat in view.sheet.seats if seat.seat != view.viewer)
    today = context.now.date()
    return tuple(letters.Away(seat.seat, last) for seat in others if (last := seat.away_until(today)) is not None)


def how_match_is_played(context: LetterContext) -> letters.Start:
    """Returns how the match is played, for its first mail."""
    match, meta = context.match, context.table.game.meta
    windows = any(kind.window for kind in meta.asks.values()) and match.window_s != match.turn_s
    window = timedelta(seconds=match.window_s) if windows else None
    return letters.Start(**turn_time_fields(match), window=window, rules_url=context.site.url(f"/rules/{meta.slug}"))


def turn_time_fields(match: Match) -> dict[str, Any]:
    """Returns the time for each turn, or that for all turns together and the increment per turn, as fields."""
    if match.bank_s is None:
        return {"turn": timedelta(seconds=match.turn_s)}
    return {"turn": timedelta(seconds=match.bank_s), "increment": timedelta(seconds=match.increment_s)}


def deadline_if_sent_now(context: LetterContext, row: AskRow) -> datetime:
    """Returns the deadline that will apply to the reader's ask if its mail leaves now."""
    holidays = context.table.holidays.get(row.seat, ())
    return deadlines.time_after_mail(
        row, context.now, calendar.calendar_with_holidays(context.reader.player, holidays)
    ).deadline


def ending_fields(context: LetterContext, view: View) -> dict[str, Any]:
    """Returns the fields of a match played to its end: why, the results with winners first, and where its replay is."""
    game, outcome = view.game, view.sheet.outcome
    assert outcome is not None, "the match was played to its end"
    scores = outcome.scores or (None,) * len(view.sheet.seats)
    rows = [letters.Standing(seat, seat in outcome.winners, score) for seat, score in enumerate(scores)]
    public = match_views.is_watchable(context.session, context.match)
    return {
        "outcome": endings_of(game)[outcome.reason][context.reader.lang],
        "standings": tuple(sorted(rows, key=lambda row: (not row.won, -(row.score or 0)))),
        "replay_url": context.site.url(f"/replay/{context.match.id}") if public else context.link("play") + "/replay",
    }


def news_of_orders(context: LetterContext, view: View) -> letters.OrderNews | None:
    """Returns the news of the reader's orders that no mail has told yet; None without any."""
    if context.seat.player_id != context.reader.player.id or context.table.orders_of(context.seat.seat) is None:
        return None
    lang, found = context.reader.lang, ordering.orders_of_seat(context.table, context.seat.seat)
    news = [one for one in found.news if one.n > found.mailed]
    seen = view if ordering.view_covers_news(view, news) else match_views.view(context.table, view.viewer)
    told = ordering.news_in_words(seen, news, lang)
    if not (told.answered or told.left):
        return None
    going = found.says(lang)
    return letters.OrderNews(
        answered=told.answered[-MOST_OF_ORDERS:],
        count=len(told.answered),
        left=told.left[-MOST_OF_ORDERS:],
        going=going[:MOST_OF_ORDERS],
        stop_url=context.link("orders", "stop-orders"),
        change_url=context.link("play") + "/orders",
        upto=max(one.n for one in news),
        left_before=max(0, len(told.left) - MOST_OF_ORDERS),
        more_going=max(0, len(going) - MOST_OF_ORDERS),
    )


def note_news_told(site: Site, told: Sequence[OrdersTold]) -> None:
    """Notes that a mail that has left has told these news of orders: no other mail tells them again.

    In transactions of their own, because each needs the lock of its match. After a crash, or if a match is busy for
    long, the next mail tells them once more.
    """
    for match_id, seat, upto in told:
        try:
            with site.writing() as work:
                locks.lock_match(work, match_id)
                row = find(work, OrderRow, match_id, seat)
                if row is not None and row.mailed < upto:
                    row.mailed = upto
        except Busy:
            log.info("mail.orders_untold", match=match_id, seat=seat)
