"""The content of a call about a league: a result that has become public, or what has become of a season.

It tells what everybody may know who can see the league's page: nothing of a match but its result, which has a number in
its season's feed.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from msgspec import to_builtins
from msgspec.structs import asdict
from sqlalchemy import select

from pbem.clock import iso
from pbem.errors import N_
from pbem.features.leagues.scores import feed
from pbem.features.leagues.scores.feed import MatchResult
from pbem.features.leagues.tables import Entrant, League, Season, SeasonMatch
from pbem.features.webhooks.chats import Message
from pbem.features.webhooks.tables import Delivery, Webhook
from pbem.kit.texts import Lang
from pbem.models.tables import table
from pbem.render.i18n import translator
from pbem.render.phrases import isolate
from pbem.services.site import Reading, Site

MOST_LINES = 10
MOST_STANDINGS = 200
"""How many lines of the final standings a call has at most, the highest divisions first."""
NOBODY = "–"
"""Stands for the name of somebody who was erased."""

_e = table(Entrant)


@dataclass(frozen=True)
class Standing:
    """An entrant in the final standings."""

    entrant: int
    name: str
    division: int
    place: int
    points: float | None


@dataclass(frozen=True)
class _News:
    """What both kinds of news tell: the league and the season."""

    league: League
    season: Season

    def _common(self, site: Site) -> dict[str, Any]:
        season = self.season
        return {
            "league": self.league.id, "name": self.league.name, "season": season.id, "number": season.number,
            "status": season.status, "page": self._page(site),
        }  # fmt: skip

    def _page(self, site: Site) -> str:
        return site.url(f"/league/{self.league.id}")

    def _called(self, say: Callable[[str], str]) -> dict[str, str]:
        return {"league": self.league.name, "number": str(self.season.number)}


@dataclass(frozen=True)
class ResultNews(_News):
    """A result of the season is public."""

    result: MatchResult
    names: dict[int, str]

    type = "season.result"

    def data(self, site: Site) -> dict[str, Any]:
        """Returns the content for a program: the result as in the feed, with names."""
        return self._common(site) | {"result": result_with_names(self.result, self.names)}

    def message(self, site: Site, lang: Lang) -> Message:
        """Returns the message for a chat: who came in which place."""
        _ = translator(lang).gettext
        head = _("%(league)s, season %(number)s: a match is over.") % self._called(_)
        seats = sorted(self.result.seats, key=lambda seat: seat.place)
        lines = [
            f"{seat.place}. {isolate(self.names[seat.entrant])}{'' if seat.score is None else f' ({seat.score})'}"
            for seat in seats
        ]
        return Message(head, tuple(lines), self._page(site))


@dataclass(frozen=True)
class SeasonNews(_News):
    """The season has this status; when it is closed, with its final standings."""

    standings: tuple[Standing, ...]

    @property
    def type(self) -> str:
        """The type of the call."""
        return f"season.{self.season.status}"

    def data(self, site: Site) -> dict[str, Any]:
        """Returns the content for a program."""
        dates = {"starts_at": iso(self.season.starts_at), "ends_at": iso(self.season.ends_at)}
        lines = [
            {"entrant": one.entrant, "name": one.name, "division": one.division, "place": one.place,
             "points": one.points}
            for one in self.standings
        ]  # fmt: skip
        return self._common(site) | dates | {"standings": lines}

    def message(self, site: Site, lang: Lang) -> Message:
        """Returns the message for a chat: what has become of the season, and who leads its first division."""
        _ = translator(lang).gettext
        first = [one for one in self.standings if one.division == 1][:MOST_LINES]
        lines = [f"{one.place}. {isolate(one.name)}" + _points(one, lang) for one in first]
        return Message(_(SAID[self.season.status]) % self._called(_), tuple(lines), self._page(site))


SAID = {
    "open": N_("%(league)s, season %(number)s: players can enter."),
    "running": N_("%(league)s, season %(number)s has begun."),
    "closed": N_("%(league)s, season %(number)s is closed."),
    "cancelled": N_("%(league)s, season %(number)s does not take place."),
}


def _points(one: Standing, lang: Lang) -> str:
    if one.points is None:
        return ""
    said = f"{one.points:g}"
    return f" ({said.replace('.', ',') if lang == 'fr' else said})"


def read_news(session: Reading, row: Delivery, hook: Webhook) -> ResultNews | SeasonNews | None:
    """Returns what the call tells; None if the webhook's owner is not the league's organiser any more.

    A season that has gone on since the call was queued is told as it stands now, and only once.
    """
    league = session.get(League, hook.about)
    if league is None or league.owner_id is None or league.owner_id != hook.player_id:
        return None
    return _result(session, row, league) if row.kind == "over" else _season(session, row, league)


def _result(session: Reading, row: Delivery, league: League) -> ResultNews | None:
    found = session.get(SeasonMatch, row.match_id)
    season = session.get(Season, found.season_id) if found is not None else None
    if season is None:
        return None
    page = feed.read_page(session, season.id, row.n - 1, 1)
    names = _names(session, season.id, [seat.entrant for result in page.results for seat in result.seats])
    return ResultNews(league, season, page.results[0], names) if page.results else None


def _names(session: Reading, season_id: str, entrants: list[int]) -> dict[int, str]:
    found = session.execute(select(_e.c.id, _e.c.name).where(_e.c.season_id == season_id, _e.c.id.in_(entrants)))
    return {number: name or NOBODY for number, name in found}


def _season(session: Reading, row: Delivery, league: League) -> SeasonNews | None:
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
        Standing(number, name or NOBODY, division, place, points)
        for number, name, division, place, points in session.execute(placed)
    )
    return SeasonNews(league, season, standings)


def result_with_names(result: MatchResult, names: dict[int, str]) -> dict[str, Any]:
    """Returns the result as JSON, with the names of its entrants."""
    seats = [to_builtins(seat) | {"name": names[seat.entrant]} for seat in result.seats]
    return asdict(result) | {"ended_at": iso(result.ended_at), "seats": seats}
