"""Previews of a move: what the caller can foresee of it, without playing it."""

from collections.abc import Mapping
from typing import Any

from flask import Response
from marshmallow import fields

from pbem.api.play.moves import OneAnswer, point_to_legal_moves, sent_move
from pbem.api.protocol.bodies import Generated, ResponseSchema
from pbem.api.protocol.callers import SEAT, own_seat, site
from pbem.api.protocol.endpoints import Endpoints
from pbem.api.protocol.language import language
from pbem.kit.codec import encode
from pbem.render.phrases import text
from pbem.services.play import previews

blueprint = Endpoints("previews", "A move tried before it is played.")


class Trial(OneAnswer):
    """A move to preview: `move` as JSON, or `text` in the game's notation; with `key`, for that question only."""


class Preview(ResponseSchema):
    """A legal move, and its first events as far as the caller can foresee them, without what luck decides."""

    game = fields.String(required=True)
    version = fields.Integer(required=True)
    key = fields.String(required=True, metadata={"description": "The question that the move would answer."})
    move = Generated("Move", required=True)
    text = fields.String(required=True)
    label = fields.String(required=True)
    events = fields.List(Generated("Event"), required=True)


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
        found = previews.preview(site(), match_id, own_seat(), body.get("key"), sent_move(body))
    view, lang = found.view, language()
    foreseen_json = {
        "game": view.game.meta.slug,
        "version": view.sheet.version,
        "key": found.ask.key,
        "move": found.move,
        "text": view.game.format(found.move),
        "label": text(view.game.label(found.move, view.fold, lang), view.sheet.names),
        "events": found.events,
    }
    return Response(encode(foreseen_json), mimetype="application/json")
