"""What a player chooses to show, for programs: ratings, pace, and the mail of the week."""

from collections.abc import Mapping
from typing import Annotated, Any

from msgspec import Meta, Struct
from msgspec.structs import asdict

from pbem.api.protocol.bodies import RequestSchema, StrictBool
from pbem.api.protocol.callers import PLAYER, site
from pbem.api.protocol.endpoints import Endpoints
from pbem.api.protocol.headers import state_seen
from pbem.services.results import sharing
from pbem.services.results.ratings import ShownRating
from pbem.services.results.sharing import Choices, Pace

blueprint = Endpoints("sharing", "What the caller shows to others.")


class GameRating(ShownRating, frozen=True):
    """The caller's rating in a game."""

    game: str


class Ratings(Struct, frozen=True):
    """The caller's ratings and pace as others see them."""

    ratings: Annotated[list[GameRating], Meta(description="Empty unless the caller wants ratings.")]
    pace: Annotated[Pace | None, Meta(description="Null unless the caller shows it and has played ten matches.")]


class NewChoices(RequestSchema):
    """All choices at once."""

    rated = StrictBool(
        required=True, metadata={"description": "Be rated, and let others see it. False deletes the ratings."}
    )
    pace_shown = StrictBool(required=True, metadata={"description": "Let others see how fast the caller answers."})
    weekly = StrictBool(
        required=True, metadata={"description": "A mail a week about circles and seasons, if the caller has any."}
    )


@blueprint.operation("getRatings", "GET /me/ratings", who=PLAYER)
def ratings(player_id: int) -> Ratings:
    """Returns the caller's ratings, the surest highest first, and their pace."""
    shared = sharing.read_shared(site(), player_id)
    return Ratings([GameRating(**asdict(rating), game=game) for game, rating in shared.ratings.items()], shared.pace)


@blueprint.operation("getPreferences", "GET /me/preferences", who=PLAYER)
def preferences(player_id: int) -> Choices:
    """Returns what the caller has chosen to show."""
    return sharing.read_shared(site(), player_id).choices


@blueprint.operation("putPreferences", "PUT /me/preferences", who=PLAYER, body=NewChoices, if_match=preferences)
def put_preferences(body: Mapping[str, Any], player_id: int) -> Choices:
    """Sets what the caller shows. Without `rated` their ratings are deleted; wanting some again starts over."""
    told = state_seen()
    was = Choices(**told) if told is not None else None
    return sharing.choose(site(), player_id, **body, was=was)
