"""Entering a season, inviting to it, withdrawing from it."""

from collections.abc import Mapping
from typing import Any

import marshmallow as ma
from marshmallow import fields, validate, validates_schema
from msgspec import Struct, convert

from pbem.api.protocol.bodies import BoundedInt, Nothing, Query, RequestSchema, SingleLine
from pbem.api.protocol.callers import LINK, PLAYER, SOMEONE, language, site
from pbem.api.protocol.endpoints import Endpoints
from pbem.api.protocol.headers import once
from pbem.api.protocol.problems import with_fields
from pbem.errors import N_, Invalid
from pbem.features.leagues import claims
from pbem.features.leagues.entry import entering
from pbem.features.leagues.entry.entering import EntryShown
from pbem.features.leagues.entry.entrants import EntrantView, list_entrants, own_entrant, read_entrant
from pbem.kit.texts import LANGS
from pbem.services.lobby.match_request import Invitee
from pbem.services.players.players import check_address, normalise_name
from pbem.services.who import Caller

ADD = "api-entrants.add"
PEOPLE_MOST, BOTS_MOST = 100, 500
_MOST_ID = 2**31 - 1

blueprint = Endpoints("entrants", "Who plays in a season. Entering is the agreement to all its matches.")


class Person(RequestSchema):
    """A person to be invited: they enter by the link in their mail."""

    name = SingleLine(
        200, normalise_name, required=True, metadata={"description": "What the others call them: at most 24 letters."}
    )
    email = SingleLine(254, check_address, required=True)


class NewEntrants(RequestSchema):
    """The caller (`name`), people whom the organiser invites (`people`), or bots that they enter (`bot`, `number`)."""

    name = SingleLine(200, normalise_name, metadata={"description": "The caller enters under this name."})
    people = fields.List(
        fields.Nested(Person),
        validate=validate.Length(1, PEOPLE_MOST, error=N_("Between 1 and 100 people can be invited at once.")),
    )
    language = fields.String(
        validate=validate.OneOf(LANGS, error=N_("The language must be “fr” or “en”.")),
        metadata={"description": "Of the mails to people who are new here; everybody chooses their own later."},
    )
    bot = SingleLine(40, metadata={"description": "One of the game's `bots`."})
    number = BoundedInt(1, BOTS_MOST, metadata={"description": "How many of it; one unless given."})

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

    after = BoundedInt(0, _MOST_ID, digits=True, load_default=0, metadata={"description": "`next` of the page before."})


@blueprint.operation("listEntrants", "GET /seasons/<season_id>/entrants", who=SOMEONE, query=After)
def entrants(season_id: str, who: Caller, after: int) -> Entrants:
    """Returns who plays in the season, and the caller themselves, whether they do or not."""
    return Entrants(*list_entrants(site(), who, season_id, after))


@blueprint.operation(
    "addEntrants",
    "POST /seasons/<season_id>/entrants",
    who=PLAYER,
    scopes=("create", "read"),
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
        made = [entering.enter(site(), player_id, season_id, body["name"], once=once())]
    elif "bot" in body:
        try:
            made = entering.enter_bots(site(), player_id, season_id, body["bot"], body.get("number", 1), once=once())
        except Invalid as problem:
            raise with_fields(problem, "bot") from None
    else:
        people = [Invitee(one["name"], one["email"]) for one in body["people"]]
        in_language = body.get("language", language())
        invited = entering.invite(site(), player_id, season_id, people, in_language, once=once())
    return EntrantsMade([read_entrant(site(), player_id, season_id, one) for one in made], invited)


@blueprint.operation("getEntrant", "GET /seasons/<season_id>/entrants/<int:entrant_id>", who=SOMEONE)
def entrant(season_id: str, entrant_id: int, who: Caller) -> EntrantView:
    """Returns an entrant."""
    return read_entrant(site(), who, season_id, entrant_id)


@blueprint.operation(
    "removeEntrant",
    "DELETE /seasons/<season_id>/entrants/<int:entrant_id>",
    who=PLAYER,
    scopes=("create", "read"),
    status=204,
    if_match=entrant,
    refuses=(409,),
)
def remove(season_id: str, entrant_id: int, player_id: int) -> None:
    """Before the start, withdraws the caller, or for the organiser anybody. A player who has gone may enter again."""
    if own_entrant(site(), player_id, season_id) == entrant_id:
        entering.withdraw_own(site(), player_id, season_id)
    else:
        entering.remove(site(), player_id, season_id, entrant_id)


@blueprint.operation(
    "enterSeason", "POST /entry/<token>/accept", who=LINK, body=NewName, body_required=False,
    refuses=(429,),
)  # fmt: skip
def accept(body: Mapping[str, Any], token: str) -> EntryShown:
    """Enters the season by the link of its mail. Again changes nothing but the name."""
    entry = entering.confirm(site(), site().tokens.read(claims.EntrantClaim, token), body.get("name"))
    return convert(entry, EntryShown, from_attributes=True)


@blueprint.operation("declineSeason", "POST /entry/<token>/decline", who=LINK, body=Nothing)
def decline(token: str) -> EntryShown:
    """Declines to enter the season, or withdraws from it before its start, by the link of its mail."""
    entry = entering.withdraw(site(), site().tokens.read(claims.EntrantClaim, token))
    return convert(entry, EntryShown, from_attributes=True)
