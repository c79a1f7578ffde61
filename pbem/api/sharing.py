"""What a player chooses to show, for programs: ratings, pace, and the mail of the week."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from marshmallow import fields

from pbem.api.protocol.bodies import RequestSchema, ResponseSchema, StrictBool
from pbem.api.protocol.callers import PLAYER, site
from pbem.api.protocol.endpoints import Endpoints
from pbem.api.protocol.preconditions import seen_state
from pbem.api.views.sheets import PaceShown, RatingShown
from pbem.services.results import sharing

blueprint = Endpoints("sharing", "What the caller shows to others.")


class GameRating(RatingShown):
    """The caller's rating in a game."""

    game = fields.String(required=True)


class Ratings(ResponseSchema):
    """The caller's ratings and pace as others see them."""

    ratings = fields.List(
        fields.Nested(GameRating), required=True, metadata={"description": "Empty unless the caller wants ratings."}
    )
    pace = fields.Nested(
        PaceShown, required=True, allow_none=True,
        metadata={"description": "Null unless the caller shows it and has played ten matches."},
    )  # fmt: skip


class Choices(RequestSchema):
    """All choices at once."""

    rated = StrictBool(
        required=True, metadata={"description": "Be rated, and let others see it. False deletes the ratings."}
    )
    pace_shown = StrictBool(required=True, metadata={"description": "Let others see how fast the caller answers."})
    weekly = StrictBool(
        required=True, metadata={"description": "A mail a week about circles and seasons, if the caller has any."}
    )


class ChoicesShown(ResponseSchema):
    """What the caller has chosen."""

    rated = fields.Boolean(required=True)
    pace_shown = fields.Boolean(required=True)
    weekly = fields.Boolean(required=True)


@blueprint.operation("getRatings", "GET /me/ratings", who=PLAYER, gives=Ratings)
def ratings(player_id: int) -> dict[str, Any]:
    """Returns the caller's ratings, the surest highest first, and their pace."""
    shared = sharing.read_shared(site(), player_id)
    rated = [{"game": game, **asdict(rating)} for game, rating in shared.ratings.items()]
    return {"ratings": rated, "pace": asdict(shared.pace) if shared.pace else None}


@blueprint.operation("getPreferences", "GET /me/preferences", who=PLAYER, gives=ChoicesShown)
def preferences(player_id: int) -> dict[str, Any]:
    """Returns what the caller has chosen to show."""
    return asdict(sharing.read_shared(site(), player_id).choices)


@blueprint.operation(
    "putPreferences", "PUT /me/preferences", who=PLAYER, body=Choices, gives=ChoicesShown, if_match=preferences
)
def put_preferences(body: Mapping[str, Any], player_id: int) -> dict[str, Any]:
    """Sets what the caller shows. Without `rated` their ratings are deleted; wanting some again starts anew."""
    told = seen_state()
    was = sharing.Choices(**told) if told is not None else None
    return asdict(sharing.choose(site(), player_id, **body, was=was))
