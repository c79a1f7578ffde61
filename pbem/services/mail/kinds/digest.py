"""One mail a day, for players who do not want a mail for each turn."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import timedelta
from itertools import zip_longest
from typing import Any, Self, TypeVar

import structlog
from billiard.exceptions import SoftTimeLimitExceeded
from sqlalchemy.exc import SQLAlchemyError
from sqlmodel import col, select

from pbem.errors import Busy, GameUnavailable
from pbem.games import all_games
from pbem.kit.contract import Phrase
from pbem.mail.letters import Kind, Letter, MatchLink, OfBoard, OfMatch, OrderNews, Recap, Said, Standing
from pbem.models.tables import AskRow, Match, OutboxRow, SeatRow
from pbem.render.pictures import error_kind_and_place
from pbem.services.mail.kinds.turn import OfQuestion, answers_for_mail
from pbem.services.mail.letter_context import LetterContext, Reader
from pbem.services.tokens import StopClaim
from pbem.services.views import match_views

MOST_TURNS, MOST_FURTHER, MOST_ENDED = 5, 17, 10
"""Turns with board and answers, turns shown as links (more are only counted), and ended matches. Boards for which
a mail has no room become links, too."""
MOST_LINES, MOST_SAID, LONGEST_SAID = 3, 2, 120
OVERLAP = timedelta(minutes=1)
"""Matches that ended while the last digest was being written are in this one, perhaps a second time."""

log = structlog.get_logger()
AnyLine = TypeVar("AnyLine")


@dataclass(frozen=True, kw_only=True)
class TurnLine(OfQuestion):
    """A match in which they are asked, with its board and its answers; `said_before` messages stand before `said`."""

    recap: Recap
    moved: bool
    said: tuple[Said, ...]
    said_before: int = 0
    orders: OrderNews | None = None


@dataclass(frozen=True, kw_only=True)
class EndLine(OfMatch):
    """One that has ended: the ending, as in `endings_of`, and the URL of its replay."""

    outcome: Phrase
    standings: tuple[Standing, ...]
    replay_url: str
    orders: OrderNews | None = None


@dataclass(frozen=True, kw_only=True)
class Digest(Letter):
    """One mail for a day: the matches where the reader is asked, most urgent first, and those that have ended.

    Of `further` matches where they are asked it has links only.

    The mail only links to a list of `more` matches of the first kind, and `more_ended` of the second. A one-click POST
    to `stop_url` mutes all these matches; opening it shows the page with the button.
    """

    list_name = "digest"

    turns: tuple[TurnLine, ...]
    further: tuple[MatchLink, ...]
    ended: tuple[EndLine, ...]
    stop_url: str
    more: int = 0
    more_ended: int = 0

    @property
    def number_of_open_turns(self) -> int:
        """The number of matches in which the reader is asked."""
        return len(self.turns) + len(self.further) + self.more

    @property
    def boards(self) -> tuple[OfBoard, ...]:
        """The turns that are shown with a board: all in which the reader is asked."""
        return self.turns

    def with_fewer_boards(self) -> Self | None:
        """Returns it with a link in place of the last match with a board; None if it has one at most."""
        if len(self.turns) < 2:
            return None
        *turns, last = self.turns
        link = MatchLink(last.game, last.others, last.play_url, "your_turn")
        return replace(self, turns=tuple(turns), further=(link, *self.further))

    @property
    def matches_told(self) -> tuple[OfMatch, ...]:
        """Those that it shows."""
        return (*self.turns, *self.ended)

    @property
    def one_click_url(self) -> str:
        """The URL that mutes all the matches."""
        return self.stop_url


def build(context: LetterContext) -> Digest | str:
    """Returns today's digest; stale if there is no news, or if a later digest waits or was sent."""
    player = context.reader.player
    if player.digest_hour is None or context.is_superseded():
        return "stale"
    asked, ended = _contexts_of_open_turns(context), _contexts_of_ended_matches(context)
    if not asked and not ended:
        return "stale"
    assert player.canonical is not None, "guests get no mail"
    stop = context.site.tokens.sign_for(StopClaim, player.id, player.canonical)
    turns = [_line_unless_broken(_turn_line, one) for one in asked[:MOST_TURNS]]
    others = [one for one, turn in zip_longest(asked, turns) if turn is None]
    ends = [end for one in ended[:MOST_ENDED] if (end := _line_unless_broken(_end_line, one)) is not None]
    return Digest(
        **context.envelope(),
        turns=tuple(turn for turn in turns if turn is not None),
        further=tuple(map(_match_link, others[:MOST_FURTHER])),
        ended=tuple(ends),
        stop_url=context.site.url(f"/digest/{stop}"),
        more=max(0, len(others) - MOST_FURTHER),
        more_ended=len(ended) - len(ends),
    )


KIND = Kind(Digest, build)


def _contexts_of_open_turns(context: LetterContext) -> list[LetterContext]:
    """Returns a context for each running match in which the reader is asked, most urgent first, without muted ones."""
    asked = (
        col(AskRow.match_id) == col(SeatRow.match_id),
        col(AskRow.seat) == col(SeatRow.seat),
        col(AskRow.closed_at).is_(None),
        col(AskRow.sealed_at).is_(None),
    )
    return _contexts_of_own_matches(
        context, (col(AskRow.deadline), col(Match.id)), col(Match.status) == "running", *asked
    )


def _contexts_of_ended_matches(context: LetterContext) -> list[LetterContext]:
    """Returns a context for each match whose end no digest that was sent has covered yet, newest first."""
    before = select(OutboxRow.done_at).where(
        col(OutboxRow.player_id) == context.reader.player.id,
        col(OutboxRow.kind) == "digest",
        col(OutboxRow.result) == "sent",
        col(OutboxRow.id) != context.row.id,
    )
    since = context.session.exec(before.order_by(col(OutboxRow.done_at).desc()).limit(1)).first()
    left = (
        col(OutboxRow.match_id) == col(SeatRow.match_id),
        col(OutboxRow.seat) == col(SeatRow.seat),
        col(OutboxRow.kind) == "over",
        col(OutboxRow.result) == "digest",
        *((col(OutboxRow.done_at) > since - OVERLAP,) if since else ()),
    )
    return _contexts_of_own_matches(
        context, (col(Match.ended_at).desc(), col(Match.id)), col(Match.status) == "over", *left
    )


def _contexts_of_own_matches(context: LetterContext, order: tuple[Any, ...], *wanted: Any) -> list[LetterContext]:
    """Returns a context for each of the reader's matches with these conditions, in this order.

    Matches whose game is unavailable are left out: they wait, and hold up no digest.
    """
    rows = context.session.exec(
        select(SeatRow, Match)
        .where(
            col(SeatRow.player_id) == context.reader.player.id,
            col(Match.game).in_([*all_games()]),
            col(SeatRow.match_id) == col(Match.id),
            col(SeatRow.status) == "accepted",
            col(SeatRow.muted).is_(False),
            *wanted,
        )
        .order_by(*order)
    )
    return [replace(context, reader=Reader(context.reader.player, match, seat)) for seat, match in rows.all()]


def _fields_of_all_lines(context: LetterContext, view: match_views.View) -> dict[str, Any]:
    """Returns the fields of every line."""
    about = {"game": view.game, "names": view.sheet.names, "seat": context.seat.seat, "match": context.match.id}
    return about | context.proof()


def _line_unless_broken(line: Callable[[LetterContext], AnyLine], context: LetterContext) -> AnyLine | None:
    """Returns what this function says of the match; None if its game fails, which holds up no other match."""
    try:
        return line(context)
    except (SQLAlchemyError, Busy, GameUnavailable, SoftTimeLimitExceeded):
        raise
    except Exception as error:  # noqa: BLE001 - whatever it is, the mail leaves
        log.error("mail.match_untold", row=context.row.id, match=context.match.id, fault=error_kind_and_place(error))
        return None


def _turn_line(context: LetterContext) -> TurnLine:
    view = match_views.glance(context.table, context.seat.seat)
    assert view.ask is not None, "the question is open"
    row = context.session.get_one(AskRow, (context.match.id, view.ask.key, context.seat.seat))
    news = context.news_fields(view, MOST_LINES, MOST_SAID)
    lang, play_url = context.reader.lang, context.link("play")
    return TurnLine(
        **_fields_of_all_lines(context, view),
        **news | {"said": tuple(map(_shorten_message, news["said"]))},
        board=context.board(view),
        play_url=play_url,
        title=view.game.meta.asks[view.ask.kind].title[lang],
        answers=answers_for_mail(view, lang, play_url),
        deadline=context.deadline_if_sent_now(row),
    )


def _shorten_message(said: Said) -> Said:
    """Returns the message, shortened if it is long; the match page shows all of it."""
    long = len(said.text) > LONGEST_SAID
    return Said(said.seat, said.text[: LONGEST_SAID - 1].rstrip() + "…") if long else said


def _match_link(context: LetterContext) -> MatchLink:
    names = context.names()
    others = names[: context.seat.seat] + names[context.seat.seat + 1 :]
    return MatchLink(context.table.game, others, context.link("play"), "your_turn")


def _end_line(context: LetterContext) -> EndLine:
    view = match_views.glance(context.table, context.seat.seat)
    orders = context.news_of_orders(view)
    return EndLine(**_fields_of_all_lines(context, view), **context.ending_fields(view), orders=orders)
