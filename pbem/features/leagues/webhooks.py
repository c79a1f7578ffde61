"""What webhooks know of leagues: one of a league tells its organiser what everybody may know of its seasons.

News is found by comparing each season with the webhook's cursor: its results and its status. As with matches, the
worker that advances a cursor by a conditional UPDATE also writes its deliveries, in the same transaction, so this may
run twice or in two places at once. A call tells what everybody may know who can see the league's page: nothing of a
match but its result, which has a number in its season's feed and is public then (`pbem.features.leagues.scores.feed`).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Annotated, Any

from msgspec import Meta, Struct
from msgspec.structs import asdict, replace
from sqlalchemy import and_, func, insert, literal, or_, select
from sqlmodel import Session

from pbem.answers import about, one_of
from pbem.clock import iso_format
from pbem.errors import N_, Forbidden
from pbem.features.leagues import lookups
from pbem.features.leagues.scores import feed
from pbem.features.leagues.scores.feed import MatchResult, SeatResult
from pbem.features.leagues.tables import Entrant, League, Season, SeasonCursor, SeasonMatch
from pbem.features.webhooks import cursors
from pbem.features.webhooks.chats import Message
from pbem.features.webhooks.cursors import Call
from pbem.features.webhooks.payloads import Moment
from pbem.features.webhooks.subjects import Subject
from pbem.features.webhooks.tables import ABOUT, Delivery, Webhook
from pbem.kit.texts import Lang
from pbem.models.tables import table
from pbem.render.i18n import message_catalogue
from pbem.render.phrases import isolate_direction
from pbem.services.site import Reading, Site
from pbem.services.who import Owner

KINDS = ("over", "season")
"""What a webhook of a league may be told: a result is public; a season has begun, ended, …"""


def _check_may_hear_of_league(session: Session, owner: Owner, league_id: str) -> None:
    """Raises NotFound if there is no league that the owner may see, and Forbidden if they are not its organiser."""
    league = lookups.league_of(session, league_id)
    lookups.check_league_visible(session, league, owner)
    if league.owner_id != owner:
        raise Forbidden(lookups.ORGANISER_ALONE)


SOME = 200
"""The maximum number of cursors that are advanced in one run, and of results by which one is advanced at a time."""
IN_BETWEEN = "starting"
"""A status that nobody is told of: the matches of the season are being made."""

_h, _k, _d = table(Webhook), table(SeasonCursor), table(Delivery)
_l, _s, _sm = table(League), table(Season), table(SeasonMatch)


_told = func.coalesce(_k.c.results, 0)
_NEWS = (
    select(
        _h.c.id.label("hook"), _h.c.kinds, _s.c.id.label("season"), _s.c.results, _s.c.status,
        _k.c.results.label("told"), _k.c.status.label("told_status"),
    )
    .select_from(
        _h.join(_l, and_(_l.c.id == _h.c[ABOUT], _l.c.owner_id == _h.c.player_id))
        .join(_s, _s.c.league_id == _l.c.id)
        .outerjoin(_k, and_(_k.c.webhook_id == _h.c.id, _k.c.season_id == _s.c.id))
    )
    .where(
        _h.c.disabled_at.is_(None),
        or_(
            _s.c.results > _told,
            and_(_s.c.status != IN_BETWEEN, or_(_k.c.status.is_(None), _k.c.status != _s.c.status)),
        ),
    )
    .order_by(_h.c.id, _s.c.number)
    .limit(SOME)
)  # fmt: skip
"""Seasons with news that a league's webhook has not been told yet; `told` is None if it was told nothing of one."""


def queue_calls_for_season_news(site: Site) -> int:
    """Queues calls for news of seasons; returns the number of cursors advanced."""
    with site.one_statement() as connection:
        all_news = connection.execute(_NEWS).all()
    moved = 0
    for news in all_news:
        up_to = min(news.results, (news.told or 0) + SOME)
        status = news.status if up_to == news.results else news.told_status or IN_BETWEEN
        key = {"webhook_id": news.hook, "season_id": news.season}
        found = None if news.told is None else {"results": news.told, "status": news.told_status}
        to = {"results": up_to, "status": status}
        calls = partial(_calls_for_news, news, up_to, status)
        with site.writing() as work:
            moved += cursors.advance_cursor(work, SeasonCursor, key, found, to, calls, site.now())
    return moved


def start_cursors(session: Session, hook: Webhook) -> None:
    """Sets the webhook's cursors in all seasons of its league to how they stand, so that it only gets later news."""
    session.flush()
    now = select(literal(hook.id), _s.c.id, _s.c.results, _s.c.status).where(_s.c.league_id == hook.about)
    columns = ["webhook_id", "season_id", "results", "status"]
    session.connection().execute(insert(_k).from_select(columns, now))


def _calls_for_news(news: Any, up_to: int, status: str, session: Session) -> Iterator[Call]:
    """Returns a call for each new result, and one for the status if it has changed."""
    if "over" in news.kinds.split():
        for match_id, number in session.execute(
            select(_sm.c.match_id, _sm.c.result_no)
            .where(_sm.c.season_id == news.season, _sm.c.result_no > (news.told or 0), _sm.c.result_no <= up_to)
            .order_by(_sm.c.result_no)
        ):
            dedupe = f"{news.hook}:{match_id}:over"
            yield {"kind": "over", "match_id": match_id, "dedupe": dedupe, "after_n": 0, "n": number}
    if "season" in news.kinds.split() and status not in (news.told_status, IN_BETWEEN):
        key = f"{news.season}.{status}"
        dedupe = f"{news.hook}:season:{key}"
        yield {"kind": "season", "match_id": None, "key": key, "dedupe": dedupe, "after_n": 0, "n": 0}


RESULT = "season.result"
MOST_LINES = 10
MOST_STANDINGS = 200
"""How many lines of the final standings a call has at most, the highest divisions first."""

_e = table(Entrant)


SAID = {
    "open": N_("%(league)s, season %(number)s: players can enter."),
    "running": N_("%(league)s, season %(number)s has begun."),
    "closed": N_("%(league)s, season %(number)s is closed."),
    "cancelled": N_("%(league)s, season %(number)s does not take place."),
}
_STATUSES = [f"season.{status}" for status in SAID]


class FinalStanding(Struct, frozen=True):
    """An entrant in the final standings."""

    entrant: int
    name: str
    division: int
    place: int
    points: float | None


class NamedSeat(SeatResult, frozen=True):
    """How a seat ended, as in the feed, and who sat there."""

    name: str


class NamedResult(MatchResult, frozen=True):
    """The result of a match as in the feed, with names."""

    ended_at: Annotated[datetime, Meta(extra_json_schema={"format": "date-time"})]
    seats: tuple[NamedSeat, ...]


class SeasonTold(Struct, frozen=True):
    """What each call about a season tells of it."""

    league: str
    name: Annotated[str, about("The league's.")]
    season: str
    number: int
    status: Annotated[str, one_of((*SAID, IN_BETWEEN))]
    page: Annotated[str, about("For people, without a token.")]


class SeasonResultTold(SeasonTold, frozen=True):
    """A result of the season is public."""

    result: NamedResult


class SeasonStatusTold(SeasonTold, frozen=True):
    """The season has this status."""

    starts_at: Moment
    ends_at: Moment
    standings: Annotated[tuple[FinalStanding, ...], about(f"Once it is closed; {MOST_STANDINGS} at most.")]


class ResultCall(Struct, frozen=True):
    """A call about a result of a season, as it is posted."""

    type: Annotated[str, one_of([RESULT])]
    timestamp: Moment
    data: SeasonResultTold


class SeasonCall(Struct, frozen=True):
    """A call about the status of a season, as it is posted."""

    type: Annotated[str, one_of(_STATUSES)]
    timestamp: Moment
    data: SeasonStatusTold


@dataclass(frozen=True)
class SeasonNews:
    """What a call tells about a season: that a match is over, or its new status, with the standings once it is closed.

    The page in it is a path until the call is made.
    """

    type: str
    told: SeasonResultTold | SeasonStatusTold

    def data(self, site: Site) -> SeasonTold:
        """Returns the content for a program."""
        return replace(self.told, page=site.url(self.told.page))

    def message(self, site: Site, lang: Lang) -> Message:
        """Returns the message for a chat.

        It says who came in which place in a match, or what has become of the season and who leads its first division.
        """
        _, told = message_catalogue(lang).gettext, self.told
        if isinstance(told, SeasonResultTold):
            head = _("%(league)s, season %(number)s: a match is over.")
            lines = [
                f"{seat.place}. {isolate_direction(seat.name)}{'' if seat.score is None else f' ({seat.score})'}"
                for seat in sorted(told.result.seats, key=lambda seat: seat.place)
            ]
        else:
            head = _(SAID[told.status])
            first = [one for one in told.standings if one.division == 1][:MOST_LINES]
            lines = [f"{one.place}. {isolate_direction(one.name)}" + _points_in_brackets(one, lang) for one in first]
        return Message(head % {"league": told.name, "number": told.number}, tuple(lines), site.url(told.page))


def _points_in_brackets(one: FinalStanding, lang: Lang) -> str:
    if one.points is None:
        return ""
    said = f"{one.points:g}"
    return f" ({said.replace('.', ',') if lang == 'fr' else said})"


def read_news_of_call(session: Reading, row: Delivery, hook: Webhook) -> SeasonNews | None:
    """Returns what the call tells; None if the webhook's owner is not the league's organiser any more.

    A season that has gone on since the call was queued is told as it stands now, and only once.
    """
    league = session.get(League, hook.about)
    if league is None or hook.player_id is None or league.owner_id != hook.player_id:
        return None
    return _result_news(session, row, league) if row.kind == "over" else _season_news(session, row, league)


def _common_fields(league: League, season: Season) -> dict[str, Any]:
    return {
        "league": league.id, "name": league.name, "season": season.id, "number": season.number,
        "status": season.status, "page": f"/league/{league.id}",
    }  # fmt: skip


def _result_news(session: Reading, row: Delivery, league: League) -> SeasonNews | None:
    found = session.get(SeasonMatch, row.match_id)
    season = session.get(Season, found.season_id) if found is not None else None
    results = feed.read_page_of_results(session, season.id, row.n - 1, 1).results if season is not None else ()
    if season is None or not results:
        return None
    names = _entrant_names(session, season.id, [seat.entrant for seat in results[0].seats])
    told = SeasonResultTold(**_common_fields(league, season), result=result_with_names(results[0], names))
    return SeasonNews(RESULT, told)


def _entrant_names(session: Reading, season_id: str, entrants: list[int]) -> dict[int, str]:
    found = session.execute(select(_e.c.id, _e.c.name).where(_e.c.season_id == season_id, _e.c.id.in_(entrants)))
    return dict(map(tuple, found))


def _season_news(session: Reading, row: Delivery, league: League) -> SeasonNews | None:
    season_id, _, status = (row.key or "").partition(".")
    season = session.get(Season, season_id)
    if season is None or season.status != status:
        return None
    placed = (
        select(_e.c.id, _e.c.name, _e.c.division, _e.c.place, _e.c.points)
        .where(_e.c.season_id == season.id, _e.c.place.is_not(None), _e.c.division.is_not(None))
        .order_by(_e.c.division, _e.c.place, _e.c.id)
        .limit(MOST_STANDINGS)
    )
    standings = tuple(
        FinalStanding(number, name, division, place, points)
        for number, name, division, place, points in session.execute(placed)
    )
    starts_at, ends_at = iso_format(season.starts_at), iso_format(season.ends_at)
    told = SeasonStatusTold(**_common_fields(league, season), starts_at=starts_at, ends_at=ends_at, standings=standings)
    return SeasonNews(f"season.{season.status}", told)


def result_with_names(result: MatchResult, names: dict[int, str]) -> NamedResult:
    """Returns the result with the names of its entrants."""
    seats = tuple(NamedSeat(**asdict(seat), name=names[seat.entrant]) for seat in result.seats)
    return NamedResult(**asdict(result) | {"ended_at": result.ended_at.replace(microsecond=0), "seats": seats})


SUBJECT = Subject(
    "league",
    KINDS,
    told_where="or in a league of theirs",
    told_kinds="Of a league only `over`: a result is in the season's feed, and `season`: players can enter one, or it "
    "has begun, was closed, or does not take place.",
    told_which="A league that the caller organises, in place of matches: what everybody may know.",
    told_number="of a league, the number of the result",
    wrong_kind=N_(
        "A webhook can subscribe to “your_turn”, “moved” and “over”; one of a league to “over” and “season”."
    ),
    words={"season": N_("a season begins or ends")},
    which=N_("those of a league that you organise"),
    not_both=N_("A webhook is about one match or one league, not both."),
    calls=(
        ("resultCall", "A result of a season of the caller's league is public.", ResultCall),
        ("seasonCall", "A season of the caller's league has another status.", SeasonCall),
    ),
    cursors=SeasonCursor,
    check=_check_may_hear_of_league,
    start_cursors=start_cursors,
    sweep=queue_calls_for_season_news,
    read_news=read_news_of_call,
)
