"""The list of leagues, a league with its seasons, and a season with the tables of its divisions."""

from collections.abc import Sequence
from typing import Any

from flask import Blueprint, Response, request, url_for

from pbem.errors import Problem
from pbem.features.leagues import reading
from pbem.features.leagues.entry.entrants import EntrantView
from pbem.features.leagues.news import ERASED
from pbem.features.leagues.reading import LeagueView, OwnMatch, SeasonView
from pbem.features.leagues.scores import standings
from pbem.features.leagues.terms import SeasonTerms
from pbem.render import i18n
from pbem.services.views import seats
from pbem.services.who import Caller
from pbem.web.protocol.forms import zone_field
from pbem.web.protocol.language import _, page_language
from pbem.web.protocol.page import page, site
from pbem.web.protocol.sign_in import caller_of, current_player, current_visitor

bp = Blueprint("leagues", __name__)


@bp.get("/leagues")
def show_list() -> Response:
    """Shows the listed leagues, and those of the player who is signed in."""
    player = current_visitor()
    seen = reading.list_current_leagues(
        site(), caller_of(player if player is not None and player.address is not None else None)
    )
    return page("features/leagues/list.html", leagues=seen, player=player)


@bp.get("/league/<league_id>")
def show(league_id: str, trouble: Problem | None = None) -> Response:
    """Shows a league with its seasons, and the problem that a form of it met."""
    player = current_player()
    league = reading.read_league(site(), caller_of(player), league_id)
    done = {"ended": _("The league has ended."), "opened": _("The season is announced. Players can enter it.")}
    return page(
        "features/leagues/league.html", league=league, game=league.game, player=player, zone=_reader_zone(),
        refused=trouble,
        done=done.get(request.args.get("done", "")),
        rules=terms_in_words(league.terms), shared=sharing_in_words(league.terms),
    )  # fmt: skip


@bp.get("/season/<season_id>")
def show_season(season_id: str, trouble: Problem | None = None) -> Response:
    """Shows a season: its dates, who leads, the signed-in player's matches, and the problem that a form of it met."""
    player = current_player()
    who = caller_of(player)
    league, season = reading.read_league_and_season(site(), who, season_id)
    done = {
        "entered": _("You have entered the season."), "withdrawn": _("You have withdrawn."),
        "mailed": _("An email is on its way. Enter the season by its link."),
        "invited": _("The emails are on their way, except to whoever was invited before."),
        "bots": _("The bots have entered."),
    }  # fmt: skip
    parts = fields_of_season_page(who, league, season)
    following = parts["following"]
    return page(
        "features/leagues/season.html", player=player, zone=_reader_zone(), refused=trouble, **parts,
        next_href=url_for("leagues.show_season", season_id=following.id) if following is not None else None,
        done=done.get(request.args.get("done", "")),
        name=request.form.get("name", seats.latest_name(site(), player) if player is not None else ""),
        address=request.form.get("address", ""), people=request.form.get("people", ""), field=zone_field(known=False),
    )  # fmt: skip


def fields_of_season_page(
    who: Caller, league: LeagueView, season: SeasonView, *, linked: bool = True
) -> dict[str, Any]:  # fmt: skip
    """Returns what the page of a season and that of an entrant's link show alike, as the templates take it.

    Unless `linked`, the page names the caller's matches and leads to none of their seats: people forward it to show how
    they stand.
    """
    typed = request.args.get("division", type=int) or 0
    chosen = typed if 1 <= typed <= season.divisions else (season.entrant.division if season.entrant else None) or 1
    tables = standings.read_divisions(site(), who, season.id, chosen)
    deals = standings.read_compared_deals(site(), who, season.id, tables[0].number) if tables else ()
    own = reading.read_own_matches(site(), who, season.id) if isinstance(who, int) else ()

    def seat_of(one: OwnMatch) -> str | None:
        token = site().tokens.for_owner(one.match_id, one.seat, one.epoch, None)
        return url_for("play.show_seat", token=token) if linked else None

    return {
        "league": league, "season": season, "game": league.game, "shown": next(iter(tables), None),
        "divisions": range(1, season.divisions + 1), "following": reading.read_open_following_season(site(), who,
        season.id),
        "matches": [(one, seat_of(one)) for one in own],
        "deals": deals, "rules": terms_in_words(season.terms), "shared": sharing_in_words(season.terms),
        "points": lambda value: i18n.format_number(value, page_language()), "table_names": _names_of_entrants_to_show,
    }  # fmt: skip


def _names_of_entrants_to_show(people: Sequence[EntrantView]) -> list[str]:
    return [_("somebody who has left") if one.status == ERASED else one.name for one in people]


def _reader_zone() -> str:
    player = current_player()
    return player.zone if player is not None else "Europe/Paris"


def terms_in_words(terms: SeasonTerms) -> list[str]:
    """Returns the terms of a season in sentences."""
    said = [
        _("%(seats)s seats to a table, divisions of about %(size)s.", seats=terms.seats, size=terms.division_size),
        (_texts_for_matches_called_off() if terms.duplicate else _texts_for_matches_that_go_on())[terms.unfinished],
        *([] if terms.duplicate else [_("Each place is worth the part of the others at the table that it is ahead of:"
          " first 1, last 0, level half.")]),
        _("Those with the same points are ordered by what they scored against each other at common tables, then by the"
          " average points of their opponents. Those who are level even then share the place."),
    ]  # fmt: skip
    if terms.pairing == "organiser":
        said.append(_("The organiser pairs the matches."))
    else:
        said.append(_("Everybody plays all their matches at once, and starts on each seat as often as on any other."))
        moves = _("Each division promotes %(up)s and relegates %(down)s.", up=terms.promoted, down=terms.relegated)
        said += [moves] if terms.promoted or terms.relegated else []
    if terms.bots:
        said.append(_("Bots fill the last tables."))
    return said


def _texts_for_matches_that_go_on() -> dict[str, str]:
    return {
        "half": _("A match that is not over at the end counts as a draw, and goes on."),
        "standing": _(
            "A match that is not over at the end counts by its scores at that moment, or as a draw where the game keeps"
            " none, and goes on."
        ),
        "none": _("A match that is not over at the end does not count, and goes on."),
    }


def _texts_for_matches_called_off() -> dict[str, str]:
    return {
        "half": _("A match that is not over at the end is called off, and counts as a draw: all deals are shown then."),
        "standing": _(
            "A match that is not over at the end is called off, and counts by its scores at that moment, or as a draw"
            " where the game keeps none: all deals are shown then."
        ),
        "none": _("A match that is not over at the end is called off, and does not count: all deals are shown then."),
    }


def sharing_in_words(terms: SeasonTerms) -> list[str]:
    """Returns what holds where several tables play one deal, in sentences; none in other leagues."""
    if not terms.duplicate:
        return []
    return [
        _("All tables of a round of a division play one deal: the same cards on the same seats, the same dice and"
          " draws."),
        _("You are compared with those who had your seat at the other tables: 1 for a worse result than yours, half for"
          " the same, 0 for a better one; their mean counts. A table that is alone by the end counts like any other."),
        _("Until the last table of a deal is over, also after the end of the season, it stays sealed: a finished match"
          " shows only what its own seat saw, and no result of it counts here. Then all hands, the replay and the proof"
          " of the luck are open."),
        _("Nothing keeps the people of a finished table from talking to others. Please tell nobody about your cards"
          " until all tables of the deal are over."),
    ]  # fmt: skip
