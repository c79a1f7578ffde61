"""The games, and everything about each that can be said without playing it."""

from collections.abc import Mapping
from typing import Annotated, Any, cast

from flask import Response, json, url_for
from msgspec import Struct
from msgspec.structs import asdict

from pbem.answers import about
from pbem.api.protocol import generated
from pbem.api.protocol.callers import site
from pbem.api.protocol.endpoints import Endpoints
from pbem.errors import N_, NotFound
from pbem.games import Why, all_games, broken_games, find_game
from pbem.kit.bots import bots_of
from pbem.kit.contract import COMMON_REFUSALS, AnyGame, Refusal
from pbem.kit.contract import Meta as GameMeta
from pbem.kit.endings import endings_of
from pbem.kit.texts import OptionText, Text
from pbem.render.i18n import bot_level, bot_manner
from pbem.render.problems import why_game_is_broken_in_words

SCHEMA_JSON = "application/schema+json"
JSON_SCHEMA = {"type": "object", "description": "A JSON Schema, complete in itself."}

blueprint = Endpoints("games", "What can be played.")


class GameBrief(Struct, frozen=True):
    """A game in a list."""

    slug: str
    title: Text
    blurb: Text
    seats: Annotated[tuple[int, ...], about("How many may play it.")]
    minutes: Annotated[int, about("How long it lasts around a table.")]
    traits: list[str]


class UnavailableGame(Struct, frozen=True):
    """A game that is installed here and cannot be played; its matches stand still until it can."""

    slug: str
    code: Why
    why: Text


class Games(Struct, frozen=True):
    """All games of this site."""

    games: list[GameBrief]
    unavailable: Annotated[list[UnavailableGame], about("Those whose packages are broken, and why.")]


class KindOfAsk(Struct, frozen=True):
    """A kind of question: its title, the types of moves that answer it, whether it interrupts another's turn."""

    title: Text
    moves: list[str]
    window: bool
    race: Annotated[bool, about("First come, first served.")]


class BotWords(Struct, frozen=True):
    """How strong a bot is, in a word or two, and how it plays, in a sentence after that; "" if nobody says."""

    title: Text
    strength: Text


class GameSheet(GameBrief, frozen=True):
    """A game with its words and its schemas."""

    options: Annotated[dict[str, Any], about("JSON Schema of its options, complete in itself.")]
    moves: Annotated[dict[str, Any], about("JSON Schema of its moves, complete in itself.")]
    events: Annotated[dict[str, Any], about("JSON Schema of its and the table's events.")]
    state: Annotated[
        dict[str, Any], about("JSON Schema of its state, as a viewer knows it: null stands for what they may not see.")
    ]
    option_texts: Annotated[
        Mapping[str, OptionText], about("What each option is called and means, and what its choices are called.")
    ]
    bots: Annotated[list[str], about("Programs that can fill a seat.")]
    bot_texts: Annotated[Mapping[str, BotWords], about("What each of these is called, and how it plays.")]
    asks: dict[str, KindOfAsk]
    endings: Mapping[str, Text]
    refusals: Mapping[str, Refusal]


def _game_brief(meta: GameMeta) -> GameBrief:
    return GameBrief(meta.slug, meta.title, meta.blurb, meta.seats, meta.minutes, sorted(meta.traits))


@blueprint.operation("listGames", "GET /games")
def games() -> Games:
    """Returns the games of this site."""
    broken = [
        UnavailableGame(
            one.slug,
            one.why,
            Text(why_game_is_broken_in_words(one.why, "fr"), why_game_is_broken_in_words(one.why, "en")),
        )
        for one in broken_games()
    ]
    return Games([_game_brief(game.meta) for game in all_games().values()], broken)


@blueprint.operation("getGame", "GET /games/<slug>")
def game(slug: str) -> GameSheet:
    """Returns a game: titles, seats, kinds of questions, endings, refusals, and the schemas of its JSON."""
    game = _find_game(slug)
    meta, schemas = game.meta, cast(dict[str, Any], generated.game_schemas(game))
    asks = {
        name: KindOfAsk(kind.title, [move.__name__ for move in kind.moves], kind.window, kind.race)
        for name, kind in meta.asks.items()
    }
    return GameSheet(
        **asdict(_game_brief(meta)), **schemas, option_texts=meta.option_texts,
        bots=list(bots_of(game)), bot_texts={bot: _bot_in_words(game, bot) for bot in bots_of(game)}, asks=asks,
        endings=endings_of(game), refusals={**COMMON_REFUSALS, **meta.refusals},
    )  # fmt: skip


@blueprint.operation("getSchema", "GET /games/<slug>/schemas/<any(options, moves, events, state):of>")
@blueprint.response(200, JSON_SCHEMA, content_type=SCHEMA_JSON)
def schema(slug: str, of: str) -> Response:
    """Returns the JSON Schema of the game's options, moves, events or state; `$id` is this address."""
    found = generated.game_schemas(_find_game(slug))[of]
    address = site().url(url_for("api-games.schema", slug=slug, of=of))
    return Response(json.dumps({"$id": address, **found}), mimetype=SCHEMA_JSON)


def _bot_in_words(game: AnyGame, bot: str) -> BotWords:
    title, strength = (Text(say(game, bot, "fr"), say(game, bot, "en")) for say in (bot_level, bot_manner))
    return BotWords(title, strength)


def _find_game(slug: str) -> AnyGame:
    found = find_game(slug)
    if found is None:
        raise NotFound(N_("There is no game “%(game)s” here."), {"game": slug[:40]})
    return found
