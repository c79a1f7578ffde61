"""The games, and everything about each that can be said without playing it."""

from typing import Any, get_args

from flask import Response, json, url_for
from marshmallow import fields, validate

from pbem.api.protocol import generated
from pbem.api.protocol.bodies import ResponseSchema
from pbem.api.protocol.callers import site
from pbem.api.protocol.endpoints import Endpoints
from pbem.errors import N_, NotFound
from pbem.games import Why, all_games, broken_games, find_game
from pbem.kit.bots import bots_of
from pbem.kit.codec import plain
from pbem.kit.contract import COMMON_REFUSALS, AnyGame, Meta
from pbem.kit.endings import endings_of
from pbem.kit.texts import LANGS
from pbem.render.problems import why_broken

SCHEMA_JSON = "application/schema+json"
JSON_SCHEMA = {"type": "object", "description": "A JSON Schema, complete in itself."}

blueprint = Endpoints("games", "What can be played.")


class Both(ResponseSchema):
    """A text in both languages."""

    fr = fields.String(required=True)
    en = fields.String(required=True)


class GameBrief(ResponseSchema):
    """A game in a list."""

    slug = fields.String(required=True)
    title = fields.Nested(Both, required=True)
    blurb = fields.Nested(Both, required=True)
    seats = fields.List(fields.Integer(), required=True, metadata={"description": "How many may play it."})
    minutes = fields.Integer(required=True, metadata={"description": "How long it lasts around a table."})
    traits = fields.List(fields.String(), required=True)


class UnavailableGame(ResponseSchema):
    """A game that is installed here and cannot be played; its matches stand still until it can."""

    slug = fields.String(required=True)
    code = fields.String(required=True, validate=validate.OneOf(get_args(Why)))
    why = fields.Nested(Both, required=True)


class Games(ResponseSchema):
    """All games of this site."""

    games = fields.List(fields.Nested(GameBrief), required=True)
    unavailable = fields.List(
        fields.Nested(UnavailableGame),
        required=True,
        metadata={"description": "Those whose packages are broken, and why."},
    )


class KindOfAsk(ResponseSchema):
    """A kind of question: its title, the types of moves that answer it, whether it interrupts another's turn."""

    title = fields.Nested(Both, required=True)
    moves = fields.List(fields.String(), required=True)
    window = fields.Boolean(required=True)
    race = fields.Boolean(required=True, metadata={"description": "First come, first served."})


class Refusal(ResponseSchema):
    """A reason to refuse a move: the rule's number on the rules page, and the sentence with its {facts}."""

    rule = fields.String(required=True)
    text = fields.Nested(Both, required=True)


class OptionWords(ResponseSchema):
    """An option in words; the keys of `choices` are the choices as JSON, words without quotes."""

    title = fields.Nested(Both, required=True)
    hint = fields.Nested(Both, required=True)
    choices = fields.Dict(fields.String(), fields.Nested(Both), required=True)


def _schema(of: str) -> fields.Dict:
    return fields.Dict(required=True, metadata={"description": f"JSON Schema of {of}, complete in itself."})


class GameSheet(GameBrief):
    """A game with its words and its schemas."""

    options = _schema("its options")
    option_texts = fields.Dict(
        fields.String(),
        fields.Nested(OptionWords),
        required=True,
        metadata={"description": "What each option is called and means, and what its choices are called."},
    )
    moves = _schema("its moves")
    events = _schema("its events and the table's")
    state = _schema("its state, as a viewer knows it: null stands for what they may not see")
    bots = fields.List(fields.String(), required=True, metadata={"description": "Programs that can fill a seat."})
    asks = fields.Dict(fields.String(), fields.Nested(KindOfAsk), required=True)
    endings = fields.Dict(fields.String(), fields.Nested(Both), required=True)
    refusals = fields.Dict(fields.String(), fields.Nested(Refusal), required=True)


def _brief(meta: Meta) -> dict[str, Any]:
    return {
        "slug": meta.slug,
        "title": plain(meta.title),
        "blurb": plain(meta.blurb),
        "seats": meta.seats,
        "minutes": meta.minutes,
        "traits": sorted(meta.traits),
    }


def _sheet(game: AnyGame) -> dict[str, Any]:
    meta = game.meta
    return {
        **_brief(meta),
        **generated.game_schemas(game),
        "option_texts": plain(meta.option_texts),
        "bots": list(bots_of(game)),
        "asks": {
            name: {
                "title": plain(kind.title),
                "moves": [move.__name__ for move in kind.moves],
                "window": kind.window,
                "race": kind.race,
            }
            for name, kind in meta.asks.items()
        },
        "endings": {name: plain(text) for name, text in endings_of(game).items()},
        "refusals": {name: plain(refusal) for name, refusal in {**COMMON_REFUSALS, **meta.refusals}.items()},
    }


@blueprint.operation("listGames", "GET /games", gives=Games)
def games() -> dict[str, Any]:
    """Returns the games of this site."""
    return {
        "games": [_brief(game.meta) for game in all_games().values()],
        "unavailable": [
            {"slug": one.slug, "code": one.why, "why": {lang: why_broken(one.why, lang) for lang in LANGS}}
            for one in broken_games()
        ],
    }


@blueprint.operation("getGame", "GET /games/<slug>", gives=GameSheet)
def game(slug: str) -> dict[str, Any]:
    """Returns a game: titles, seats, kinds of questions, endings, refusals, and the schemas of its JSON."""
    return _sheet(_found(slug))


@blueprint.operation("getSchema", "GET /games/<slug>/schemas/<any(options, moves, events, state):of>")
@blueprint.response(200, JSON_SCHEMA, content_type=SCHEMA_JSON)
def schema(slug: str, of: str) -> Response:
    """Returns the JSON Schema of the game's options, moves, events or state; `$id` is this address."""
    found = generated.game_schemas(_found(slug))[of]
    address = site().url(url_for("api-games.schema", slug=slug, of=of))
    return Response(json.dumps({"$id": address, **found}), mimetype=SCHEMA_JSON)


def _found(slug: str) -> AnyGame:
    found = find_game(slug)
    if found is None:
        raise NotFound(N_("There is no game “%(game)s” here."), {"game": slug[:40]})
    return found
