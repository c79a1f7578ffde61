"""Playing: the caller's open question with its legal moves, and the answer to it."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import marshmallow as ma
from flask import Response
from marshmallow import fields, validates_schema

from pbem.api.protocol.bodies import BoundedInt, Generated, Query, RequestSchema, ResponseSchema, SingleLine
from pbem.api.protocol.callers import SEAT, SEAT_UNDER_LOCK, seat_claim, site, viewer
from pbem.api.protocol.endpoints import Endpoints
from pbem.api.protocol.language import language
from pbem.api.protocol.problems import with_fields
from pbem.api.views.match_views import MOST, Receipt, receipt_bytes
from pbem.clock import iso
from pbem.errors import N_, Illegal, Invalid, Unreadable
from pbem.kit.choices import kinds_of
from pbem.kit.codec import plain
from pbem.kit.contract import AnyGame
from pbem.kit.texts import Lang
from pbem.render.phrases import text
from pbem.services.play import moves
from pbem.services.views import match_views
from pbem.services.views.match_views import View

PAGE, LARGEST_PAGE = 100, 500

blueprint = Endpoints("playing", "What a seat is asked, and its answer.")


class Which(Query):
    """Selects a page of the legal moves."""

    kind = fields.String(metadata={"description": "Only moves of this type, like `Call`."})
    offset = BoundedInt(0, MOST, digits=True, load_default=0)
    limit = BoundedInt(1, LARGEST_PAGE, digits=True, load_default=PAGE)


class OpenAsk(ResponseSchema):
    """The open question to the caller's seat."""

    key = fields.String(required=True, metadata={"description": "Names this very question; the answer carries it."})
    kind = fields.String(required=True, metadata={"description": "A key of the game's `asks`."})
    title = fields.String(required=True)
    prompt = fields.String(required=True)
    deadline = fields.String(
        required=True,
        allow_none=True,
        metadata={"format": "date-time", "description": "Null: the match has no deadlines."},
    )


class LegalMove(ResponseSchema):
    """A legal move: as JSON, in the game's notation, and in words."""

    move = Generated("Move", required=True)
    text = fields.String(required=True)
    label = fields.String(required=True)


class Question(ResponseSchema):
    """The caller's open question, if any, and one page of the moves that answer it."""

    game = fields.String(required=True)
    version = fields.Integer(required=True)
    ask = fields.Nested(OpenAsk, required=True, allow_none=True)
    kinds = fields.Dict(
        fields.String(), fields.Integer(), required=True, metadata={"description": "How many moves of each type."}
    )
    total = fields.Integer(required=True, metadata={"description": "How many moves fit the filter."})
    offset = fields.Integer(required=True)
    limit = fields.Integer(required=True)
    legal = fields.List(fields.Nested(LegalMove), required=True)


class Answer(RequestSchema):
    """An answer to an ask: `move` as JSON, or `text` in the game's notation."""

    key = SingleLine(64, required=True)
    move = Generated("Move")
    text = fields.String()

    @validates_schema
    def one_way(self, data: Mapping[str, Any], **_: Any) -> None:
        """Raises ValidationError unless there is exactly one of the two."""
        if ("move" in data) == ("text" in data):
            raise ma.ValidationError(N_("Give either “move” or “text”."), "move")


def _ask_json(view: View, lang: Lang) -> dict[str, Any] | None:
    if view.ask is None:
        return None
    prompt = view.game.prompt(view.ask.ask, view.fold, lang)
    return {
        "key": view.ask.key,
        "kind": view.ask.kind,
        "title": view.game.meta.asks[view.ask.kind].title[lang],
        "prompt": text(prompt, view.sheet.names),
        "deadline": view.ask.deadline and iso(view.ask.deadline),
    }


def _check_kind(game: AnyGame, kind: str | None) -> None:
    known = [move.__name__ for move in game.meta.moves]
    if kind is not None and kind not in known:
        message = N_("There is no move type “%(kind)s”; there are: %(known)s.")
        raise with_fields(Invalid(message, {"kind": kind[:40], "known": ", ".join(known)}), "kind")


@blueprint.operation("getQuestion", "GET /matches/<match_id>/ask", who=SEAT, query=Which, gives=Question)
def ask(match_id: str, offset: int, limit: int, kind: str | None = None) -> dict[str, Any]:
    """Returns the open question to the caller's seat, and a page of the legal moves."""
    view, lang = match_views.read_view(site(), match_id, viewer()), language()
    _check_kind(view.game, kind)
    kinds = kinds_of(view.legal())
    chosen = view.legal() if kind is None else kinds.get(kind, ())
    page = [chosen[i] for i in range(offset, min(len(chosen), offset + limit))]
    return {
        "game": view.game.meta.slug,
        "version": view.sheet.version,
        "ask": _ask_json(view, lang),
        "kinds": {name: len(group) for name, group in kinds.items()},
        "total": len(chosen),
        "offset": offset,
        "limit": limit,
        "legal": [
            {
                "move": plain(move),
                "text": view.game.format(move),
                "label": text(view.game.label(move, view.fold, lang), view.sheet.names),
            }
            for move in page
        ],
    }


@blueprint.operation(
    "answerQuestion",
    "POST /matches/<match_id>/moves",
    who=SEAT_UNDER_LOCK,
    body=Answer,
    gives=(201, Receipt),
    refuses=(409,),
)
def move(body: Mapping[str, Any], match_id: str) -> Response:
    """Answers the open question. The same answer to the same key returns the first receipt again."""
    with point_to_legal_moves(match_id):
        receipt = moves.answer(site(), seat_claim(), body["key"], sent_move(body), "api")
    told = receipt_bytes(receipt.game, receipt.version, receipt.told, receipt.held_until)
    return Response(told, 201, mimetype="application/json")


def sent_move(body: Mapping[str, Any]) -> moves.Said:
    """Returns the move of an Answer, as it was sent."""
    said: moves.Said = body["move"] if "move" in body else body["text"]
    return said


@contextmanager
def point_to_legal_moves(match_id: str) -> Iterator[None]:
    """Adds to a refused move's error where to find the legal moves of the kind that was meant."""
    try:
        yield
    except (Illegal, Unreadable) as problem:
        problem.extra["legal"] = f"/api/v1/matches/{match_id}/ask" + (f"?kind={problem.kind}" if problem.kind else "")
        raise
