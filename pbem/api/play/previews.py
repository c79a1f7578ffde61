"""Previews of a move: what the caller can foresee of it, without playing it."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from flask import Response
from msgspec.structs import astuple

from pbem.answers import about, of_games
from pbem.api.play.moves import LegalMove, OneAnswer, legal_move, move_sent, point_to_legal_moves
from pbem.api.protocol.callers import SEAT, language, own_seat, site
from pbem.api.protocol.endpoints import Endpoints
from pbem.kit.codec import encode
from pbem.services.play import moves

blueprint = Endpoints("previews", "A move tried before it is played.")


class Trial(OneAnswer):
    """A move to preview: `move` as JSON, or `text` in the game's notation; with `key`, for that question only."""


class Preview(LegalMove, frozen=True, kw_only=True):
    """A legal move, and its first events as far as the caller can foresee them, without what luck decides."""

    game: str
    version: int
    key: Annotated[str, about("The question that the move would answer.")]
    events: Sequence[Annotated[Any, of_games("Event")]]


@blueprint.operation(
    "previewMove",
    "POST /matches/<match_id>/preview",
    who=SEAT,
    scopes=("read",),
    body=Trial,
    gives=Preview,
    refuses=(409,),
)
def preview(body: Mapping[str, Any], match_id: str) -> Response:
    """Returns what the caller can foresee of a move from what they know. Nothing is played, and nobody learns of it."""
    with point_to_legal_moves(match_id):
        found = moves.preview(site(), match_id, own_seat(), body.get("key"), move_sent(body))
    view = found.view
    foreseen = Preview(
        *astuple(legal_move(view, found.move, language())), game=view.game.meta.slug, version=view.sheet.version,
        key=found.ask.key, events=found.events,
    )  # fmt: skip
    return Response(encode(foreseen), mimetype="application/json")
