"""Seasons for programs: opening, starting and closing one, its standings, its matches, its feed; who plays in it."""

from collections.abc import Mapping
from typing import Annotated, Any

import marshmallow as ma
from flask import url_for
from marshmallow import fields, validate, validates_schema
from msgspec import Struct, convert

from pbem.answers import about, answer_from
from pbem.api.protocol.bodies import BoundedInt, Nothing, Query, RequestSchema, Several, SingleLine, StrictBool, Word
from pbem.api.protocol.callers import LINK, PLAYER, SOMEONE, language, site
from pbem.api.protocol.endpoints import Endpoints
from pbem.api.protocol.headers import idempotency_key
from pbem.api.protocol.problems import with_fields
from pbem.errors import N_, Invalid
from pbem.features.leagues import claims, founding, reading
from pbem.features.leagues.api.leagues import Moment
from pbem.features.leagues.entry import entering
from pbem.features.leagues.entry.entering import EntryShown
from pbem.features.leagues.entry.entrants import EntrantView, list_entrants, read_entrant
from pbem.features.leagues.reading import Page, SeasonListed, SharedDeal
from pbem.features.leagues.running import bulk, seasons
from pbem.features.leagues.scores import feed, standings
from pbem.features.leagues.scores.feed import Results
from pbem.features.leagues.scores.standings import StandingShown
from pbem.features.leagues.terms import SeasonTerms
from pbem.kit.texts import LANGS
from pbem.services.lobby.match_request import Invitee
from pbem.services.players.players import check_address, normalise_name
from pbem.services.who import Caller

ADD = "api-entrants.add"
PEOPLE_MOST, BOTS_MOST = 100, 500
_MOST_ID = 2**31 - 1

blueprint = Endpoints(
    "seasons",
    "Seasons of a league. Results come as a feed that only grows; an organiser may pair a season and make its matches, "
    "many in one request.",
    who=PLAYER,
    scopes=("create", "read"),
)


class NewSeason(RequestSchema):
    """The next season of a league, on the league's terms."""

    starts_at = Moment(required=True)


class SeasonChange(RequestSchema):
    """Another start of a season that is open; it ends as much later or earlier."""

    starts_at = Moment(required=True)


class Which(Query):
    """Selects divisions."""

    division = BoundedInt(1, _MOST_ID, digits=True, load_default=None, about="The table of this division only.")


class AfterResult(Query):
    """Selects results."""

    after = BoundedInt(0, _MOST_ID, digits=True, load_default=0, about="`cursor` of the page before.")


class NewTable(RequestSchema):
    """A match to be made: its entrants in seat order."""

    seats = Several(
        BoundedInt(1, _MOST_ID), required=True, validate=validate.Length(1, 16),
        about="The ids of entrants in seat order."
    )  # fmt: skip
    round = BoundedInt(
        1, bulk.ROUND_MOST, load_default=None, allow_none=True,
        about="Each entrant has one match in a round; null: the next one of these entrants."
    )  # fmt: skip


class NewTables(RequestSchema):
    """Matches to be made, all of them or none."""

    matches = fields.List(
        fields.Nested(NewTable), required=True,
        validate=validate.Length(1, bulk.MOST, error=N_("Between 1 and 50 matches can be made at once.")),
    )  # fmt: skip
    same_deal = StrictBool(
        load_default=None, allow_none=True,
        about="Whether these tables play the same deal; null: as the season's terms say."
    )  # fmt: skip


class TablesMade(Struct, frozen=True):
    """The matches that were made, in the order of the request."""

    matches: list[bulk.TableMade]


class DivisionShown(Struct, frozen=True, rename={"rows": "standings"}):
    """A division's table, best first."""

    number: Annotated[int, about("1 is the highest.")]
    rows: list[StandingShown]


class SeasonShown(SeasonListed, frozen=True, kw_only=True):
    """A season: its terms, dates, shared deals, and the standings of each division; before the start there are none."""

    number: int
    league: str
    name: Annotated[str, about("The league's.")]
    game: str
    organised: Annotated[bool, about("Whether the caller organises it.")]
    terms: SeasonTerms
    entered: Annotated[int, about("How many play.")]
    matches: Annotated[int, about("How many matches it has so far.")]
    results: Annotated[int, about("The number of the last result in its feed.")]
    entrant: Annotated[EntrantView | None, about("The caller's own; null: they were never asked.")]
    deals: tuple[SharedDeal, ...]
    divisions: list[DivisionShown]
    page: Page


def _season_answer(season_id: str, who: Caller, division: int | None = None) -> SeasonShown:
    league, season = reading.read_league_and_season(site(), who, season_id)
    divisions = standings.read_divisions(site(), who, season_id, division)
    return answer_from(
        SeasonShown, season, league=league.id, name=league.name, game=league.slug, organised=league.mine,
        deals=reading.read_shared_deals(site(), who, season_id), page=league.page,
        divisions=convert(divisions, list[DivisionShown], from_attributes=True),
    )  # fmt: skip


@blueprint.operation(
    "openSeason",
    "POST /leagues/<league_id>/seasons",
    body=NewSeason,
    example={"starts_at": "2026-05-01T18:00:00Z"},
    status=201,
    repeatable=True,
    refuses=(409,),
)
def open_season(body: Mapping[str, Any], league_id: str, player_id: int) -> tuple[SeasonShown, dict[str, str]]:
    """Opens the next season, once the one before is closed. Its players are asked whether they enter."""
    season_id = founding.open_season(site(), player_id, league_id, body["starts_at"], once=idempotency_key())
    return _season_answer(season_id, player_id), {"Location": url_for("api-seasons.season", season_id=season_id)}


@blueprint.operation("getSeason", "GET /seasons/<season_id>", who=SOMEONE, query=Which)
def season(season_id: str, who: Caller, division: int | None) -> SeasonShown:
    """Returns a season with its standings: live while it runs, and as they were when it was closed."""
    return _season_answer(season_id, who, division)


@blueprint.operation(
    "changeSeason",
    "PATCH /seasons/<season_id>",
    body=SeasonChange,
    example={"starts_at": "2026-05-01T18:00:00Z"},
    must_match=season,
    refuses=(409,),
)
def change(body: Mapping[str, Any], season_id: str, player_id: int) -> SeasonShown:
    """Changes when an open season starts."""
    founding.change_start_of_season(site(), player_id, season_id, body["starts_at"])
    return _season_answer(season_id, player_id)


@blueprint.operation("startSeason", "POST /seasons/<season_id>/start", body=Nothing, if_match=season, refuses=(409,))
def start(season_id: str, player_id: int) -> SeasonShown:
    """Starts an open season before its date: nobody can enter any more. One in rotation gets its matches in a moment.

    A season that its organiser pairs runs at once.
    """
    bulk.begin_season_early(site(), player_id, season_id)
    return _season_answer(season_id, player_id)


@blueprint.operation(
    "closeSeason", "POST /seasons/<season_id>/close", body=Nothing, status=202, if_match=season, refuses=(409,)
)
def close(season_id: str, player_id: int) -> SeasonShown:
    """Ends a running season before its date. It is `closed` within a minute or two, with the final standings.

    Unfinished matches count as the terms say, and go on as ordinary matches.
    """
    seasons.end_season_early(site(), player_id, season_id)
    return _season_answer(season_id, player_id)


@blueprint.operation(
    "makeSeasonMatches",
    "POST /seasons/<season_id>/matches",
    scopes=("create",),
    body=NewTables,
    example={"matches": [{"seats": [1, 4]}, {"seats": [2, 3]}]},
    status=201,
    repeatable=True,
    refuses=(409,),
)
def make_matches(body: Mapping[str, Any], season_id: str, player_id: int) -> TablesMade:
    """Makes up to 50 matches of a running season that its organiser pairs, all of them or none.

    They start at once: entering was the agreement to play. `fields` names the match at fault, as in `matches.3.seats`.
    """
    tables = [bulk.NewTable(tuple(one["seats"]), one["round"]) for one in body["matches"]]
    made = bulk.create_and_start_tables(
        site(), player_id, season_id, tables, same_deal=body["same_deal"], once=idempotency_key()
    )
    return TablesMade(made)


@blueprint.operation("listResults", "GET /seasons/<season_id>/results", who=SOMEONE, query=AfterResult)
def results(season_id: str, who: Caller, after: int) -> Results:
    """Returns the results after a cursor. The feed only grows, and what a cursor has passed never comes later.

    A match that shares its deal has a result once all tables of the deal are over.
    """
    return feed.read_results(site(), who, season_id, after)


# --- who plays in a season -----------------------------------------------------------------------------------

entrants_blueprint = Endpoints(
    "entrants",
    "Who plays in a season. Entering is the agreement to all its matches.",
    who=PLAYER,
    scopes=("create", "read"),
)


class Person(RequestSchema):
    """A person to be invited: they enter by the link in their mail."""

    name = SingleLine(200, normalise_name, required=True, about="What the others call them: at most 24 letters.")
    email = SingleLine(254, check_address, required=True)


class NewEntrants(RequestSchema):
    """The caller (`name`), people whom the organiser invites (`people`), or bots that they enter (`bot`, `number`)."""

    name = SingleLine(200, normalise_name, about="The caller enters under this name.")
    people = fields.List(
        fields.Nested(Person),
        validate=validate.Length(1, PEOPLE_MOST, error=N_("Between 1 and 100 people can be invited at once.")),
    )
    language = Word(
        LANGS,
        N_("The language must be “fr” or “en”."),
        about="Of the mails to people who are new here; everybody chooses their own later.",
    )
    bot = SingleLine(40, about="One of the game's `bots`.")
    number = BoundedInt(1, BOTS_MOST, about="How many of it; one unless given.")

    @validates_schema
    def one_kind(self, data: Mapping[str, Any], **_: Any) -> None:
        """Refuses a request for none of these, or several."""
        kinds = [kind for kind in ("name", "people", "bot") if kind in data]
        if not kinds:
            raise ma.ValidationError({"name": [N_("Missing data for required field.")]})
        if len(kinds) > 1:
            raise ma.ValidationError({kinds[1]: [N_("Send either a name, or people, or a bot.")]})


class NewName(RequestSchema):
    """The name under which somebody enters; that of the invitation unless given."""

    name = SingleLine(200, normalise_name)


class Entrants(Struct, frozen=True):
    """Entrants in the order in which they came; send `next` as `after` for the following page, null on the last."""

    entrants: list[EntrantView]
    next: int | None


class EntrantsMade(Struct, frozen=True):
    """The entrants in order; of people who are invited only how many: nothing tells whether an address is known."""

    entrants: list[EntrantView]
    invited: int


class After(Query):
    """Selects entrants."""

    after = BoundedInt(0, _MOST_ID, digits=True, load_default=0, about="`next` of the page before.")


@entrants_blueprint.operation("listEntrants", "GET /seasons/<season_id>/entrants", who=SOMEONE, query=After)
def entrants(season_id: str, who: Caller, after: int) -> Entrants:
    """Returns who plays in the season, and the caller themselves, whether they do or not."""
    return Entrants(*list_entrants(site(), who, season_id, after))


@entrants_blueprint.operation(
    "addEntrants",
    "POST /seasons/<season_id>/entrants",
    body=NewEntrants,
    example={"people": [{"name": "Bob", "email": "bob@example.org"}]},
    status=201,
    repeatable=True,
    refuses=(409, 429),
)
def add(body: Mapping[str, Any], season_id: str, player_id: int) -> EntrantsMade:
    """Enters the caller, or the organiser's bots, or invites people by mail: they have entered once they say yes.

    People are listed once they have entered. A player who was invited before gets no second mail.
    """
    made, invited = list[int](), 0
    if "name" in body:
        made = [entering.enter_player(site(), player_id, season_id, body["name"], once=idempotency_key())]
    elif "bot" in body:
        try:
            made = entering.enter_bots(
                site(), player_id, season_id, body["bot"], body.get("number", 1), once=idempotency_key()
            )
        except Invalid as problem:
            raise with_fields(problem, "bot") from None
    else:
        people = [Invitee(one["name"], one["email"]) for one in body["people"]]
        in_language = body.get("language", language())
        invited = entering.invite_to_season(site(), player_id, season_id, people, in_language, once=idempotency_key())
    return EntrantsMade([read_entrant(site(), player_id, season_id, one) for one in made], invited)


@entrants_blueprint.operation("getEntrant", "GET /seasons/<season_id>/entrants/<int:entrant_id>", who=SOMEONE)
def entrant(season_id: str, entrant_id: int, who: Caller) -> EntrantView:
    """Returns an entrant."""
    return read_entrant(site(), who, season_id, entrant_id)


@entrants_blueprint.operation(
    "removeEntrant", "DELETE /seasons/<season_id>/entrants/<int:entrant_id>", if_match=entrant, refuses=(409,)
)
def remove(season_id: str, entrant_id: int, player_id: int) -> None:
    """Before the start, withdraws the caller, or for the organiser anybody. A player who has gone may enter again."""
    entering.remove_entrant(site(), player_id, season_id, entrant_id)


@entrants_blueprint.operation(
    "enterSeason", "POST /entry/<token>/accept", who=LINK, body=NewName, body_required=False,
    refuses=(429,),
)  # fmt: skip
def accept(body: Mapping[str, Any], token: str) -> EntryShown:
    """Enters the season by the link of its mail. Again changes nothing but the name."""
    return entering.enter_by_link(site(), site().tokens.read(claims.EntrantClaim, token), body.get("name"))


@entrants_blueprint.operation("declineSeason", "POST /entry/<token>/decline", who=LINK, body=Nothing)
def decline(token: str) -> EntryShown:
    """Declines to enter the season, or withdraws from it before its start, by the link of its mail."""
    return entering.withdraw_by_link(site(), site().tokens.read(claims.EntrantClaim, token))
