"""The arguments that `pbem simulate`, `pbem lab` and `pbem play` have in common, and what is wrong with them."""

import secrets
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import click
import msgspec

from pbem.commands.terminal import printable
from pbem.features.lab.plans import NONE, ORDERS
from pbem.features.lab.simulations import may_be_word_of_move
from pbem.games import all_games, broken_games, find_game
from pbem.kit.bots import bots_of
from pbem.kit.codec import DuplicateName, check_names, codec_for
from pbem.kit.contract import AnyGame
from pbem.kit.logs.log_errors import log_error_in_words
from pbem.kit.options import wrong_with

F = TypeVar("F", bound=Callable[..., Any])


def _parse_game(_: click.Context, __: click.Parameter, slug: str) -> AnyGame:
    game = find_game(slug)
    if game is None:
        broken = "".join(f" ({one.said})" for one in broken_games() if one.slug == slug)
        raise click.BadParameter(f"there is no game {slug!r}{broken}; there are: {', '.join(all_games())}")
    return game


def _parse_seed(_: click.Context, __: click.Parameter, text: str | None) -> bytes:
    if text is None:
        return secrets.token_bytes(32)
    try:
        seed = bytes.fromhex(text)
    except ValueError:
        seed = b""
    if len(seed) != 32:
        raise click.BadParameter("a seed is 32 bytes, written as 64 hexadecimal digits")
    return seed


def _parse_options_json(_: click.Context, __: click.Parameter, text: str) -> dict[str, Any]:
    try:
        found = msgspec.json.decode(text, type=dict[str, Any])
        check_names(text)
        return found
    except DuplicateName as error:
        raise click.BadParameter(str(error)) from None
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        hint = """Options are written like '{"picking": "grab"}', in quotes for the shell."""
        raise click.BadParameter(
            f"{printable(log_error_in_words(error, text.encode(errors='replace')).en)}. {hint}"
        ) from None


GAME = click.argument("game", callback=_parse_game)
SEED = click.option(
    "--seed", callback=_parse_seed, metavar="HEX", help="Repeat the matches of this seed; by default a random one."
)
OPTIONS = click.option(
    "--options",
    default="{}",
    callback=_parse_options_json,
    metavar="JSON",
    help="The game's options, as a JSON object.",
)


def common_arguments(matches: int) -> Callable[[F], F]:
    """Returns a decorator that adds the arguments of both; this many matches are played unless told otherwise."""
    arguments = (
        GAME,
        click.option(
            "--seats", metavar="2,4", help="The numbers of players; without it, each that the game allows."
        ),
        click.option(
            "--matches", type=click.IntRange(1, 1_000_000), default=matches, show_default=True, help="For each number."
        ),
        click.option(
            "--orders", default=NONE, show_default=True, metavar="A,B,…",
            help="What each seat orders: none, typical or planner.",
        ),
        SEED,
        OPTIONS,
        click.option(
            "--jobs", type=click.IntRange(1, 256), default=1, show_default=True, help="How many processes play."
        ),
        click.option("--distribute", is_flag=True, help="Let the Celery workers of REDIS_URL play."),
    )  # fmt: skip

    def add(command: F) -> F:
        for argument in reversed(arguments):
            command = argument(command)
        return command

    return add


def refuse_options_not_of_game(game: AnyGame, options: Mapping[str, Any], hint: str = "--options") -> None:
    """Raises BadParameter unless the game has these options."""
    try:
        codec_for(game).options(dict(options))
    except msgspec.ValidationError as error:
        why = wrong_with(game.meta, dict(options)) or log_error_in_words(error)
        raise click.BadParameter(f"{game.meta.slug}: {printable(why.en)}.", param_hint=hint) from None


def parse_names_of_bots(game: AnyGame, text: str) -> tuple[str, ...]:
    """Returns the names. Raises BadParameter if the game has no such bot."""
    names = tuple(text.split(","))
    for name in names:
        if name not in bots_of(game):
            known = ", ".join(bots_of(game))
            raise click.BadParameter(f"{game.meta.slug} has no bot {name!r}; it has: {known}", param_hint="--bots")
    return names


def parse_words_of_barred_moves(game: AnyGame, text: str | None) -> tuple[str, ...]:
    """Returns what a seat is to play without. Raises BadParameter if no move of the game can be meant."""
    words = tuple(dict.fromkeys(" ".join(part.split()) for part in text.split(","))) if text is not None else ()
    for word in words:
        if not may_be_word_of_move(game, word):
            kinds = ", ".join(kind.__name__ for kind in game.meta.moves)
            raise click.BadParameter(
                f"{game.meta.slug} has no kind of move {word!r}, nor one written so; it has: {kinds}",
                param_hint="--without",
            )
    return words


def parse_names_of_orders(text: str) -> tuple[str, ...]:
    """Returns what seats order. Raises BadParameter if nobody can order it."""
    names = tuple(text.split(","))
    for name in names:
        if name not in ORDERS:
            raise click.BadParameter(f"nobody orders {name!r}; seats order: {', '.join(ORDERS)}", param_hint="--orders")
    return names


def parse_numbers_of_seats(game: AnyGame, text: str | None) -> tuple[int, ...]:
    """Returns the numbers of seats, all that the game allows without a text. Raises BadParameter."""
    if text is None:
        return game.meta.seats
    allowed = {str(seats): seats for seats in game.meta.seats}
    named = tuple(dict.fromkeys(part.strip() for part in text.split(",")))
    if any(part not in allowed for part in named):
        raise click.BadParameter(f"{game.meta.slug} is played by {' or '.join(allowed)}", param_hint="--seats")
    return tuple(allowed[part] for part in named)
