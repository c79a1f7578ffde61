"""`pbem simulate`: many matches that bots play among themselves, counted."""

import multiprocessing
import os
import secrets
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click
import msgspec

from pbem.commands.simulation import pictures, tables
from pbem.commands.terminal import printable
from pbem.config import Config
from pbem.games import all_games, find_game
from pbem.kit.bots import RANDOM, bots_of
from pbem.kit.codec import DuplicateName, check_names, codec_for
from pbem.kit.contract import AnyGame
from pbem.kit.logs.type_errors import in_words
from pbem.kit.options import wrong_with
from pbem.kit.play import LawBroken
from pbem.services.lab.distribution import NoWorkers, tallies_from_workers
from pbem.services.lab.plans import NONE, ORDERS, Chunk, Plan, chunks_of
from pbem.services.lab.simulations import play_chunk
from pbem.services.lab.tallies import Tally

CHUNK = 20
"""The number of matches between two steps of the progress bar, and in one task of a worker."""


def _game(_: click.Context, __: click.Parameter, slug: str) -> AnyGame:
    game = find_game(slug)
    if game is None:
        raise click.BadParameter(f"there is no game {slug!r}; there are: {', '.join(all_games())}")
    return game


def _seed(_: click.Context, __: click.Parameter, text: str | None) -> bytes:
    if text is None:
        return secrets.token_bytes(32)
    try:
        seed = bytes.fromhex(text)
    except ValueError:
        seed = b""
    if len(seed) != 32:
        raise click.BadParameter("a seed is 32 bytes, written as 64 hexadecimal digits")
    return seed


def _options(_: click.Context, __: click.Parameter, text: str) -> dict[str, Any]:
    try:
        found = msgspec.json.decode(text, type=dict[str, Any])
        check_names(text)
        return found
    except DuplicateName as error:
        raise click.BadParameter(str(error)) from None
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        hint = """Options are written like '{"picking": "grab"}', in quotes for the shell."""
        raise click.BadParameter(f"{printable(in_words(error, text.encode(errors='replace')).en)}. {hint}") from None


@click.command()
@click.argument("game", callback=_game)
@click.option("--seats", type=int, help="The number of players; without it, each number that the game allows.")
@click.option("--matches", type=click.IntRange(1, 1_000_000), default=1000, show_default=True, help="For each number.")
@click.option("--bots", default=RANDOM, show_default=True, metavar="A,B,…", help="The bot of each seat, from seat A.")
@click.option(
    "--orders",
    default=NONE,
    show_default=True,
    metavar="A,B,…",
    help="What each seat orders: none, typical or planner.",
)
@click.option("--seed", callback=_seed, metavar="HEX", help="Repeat the matches of this seed; by default a random one.")
@click.option(
    "--options", default="{}", callback=_options, metavar="JSON", help="The game's options, as a JSON object."
)
@click.option("--jobs", type=click.IntRange(1, 256), default=1, show_default=True, help="How many processes play.")
@click.option("--distribute", is_flag=True, help="Let the Celery workers of REDIS_URL play.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")
@click.option(
    "--plot",
    type=click.Path(dir_okay=False, writable=True, path_type=Path),
    callback=pictures.check_file,
    metavar="FILE",
    help="Draw lengths and scores into this .svg or .png, too.",
)
def simulate(
    game: AnyGame,
    seats: int | None,
    matches: int,
    bots: str,
    orders: str,
    seed: bytes,
    options: dict[str, Any],
    jobs: int,
    distribute: bool,
    as_json: bool,
    plot: Path | None,
) -> None:
    """Let bots play matches, and count what occurred in them.

    Fewer bots than seats are repeated: `--bots greedy,random` seats a greedy one at A and C. A random bot draws its
    move by kind first, by the weights the game declares. A wait is a stop of the match until somebody other
    than the last player has answered; several who are asked at once are one wait. Days count as if everybody looked
    once a day, at an hour of their own. With `--orders typical` seats leave the orders that docs/orders.md describes;
    with `planner` lines for what is likely, too.
    The same seed gives the same numbers, in whatever processes.
    """
    if distribute and jobs > 1:
        raise click.UsageError("--jobs counts processes here, --distribute plays on workers: choose one.")
    names, ordered = _bots(game, bots), _orders(orders)
    plans = [Plan(game.meta.slug, n, seed.hex(), names, options, ordered) for n in _seats(game, seats)]
    try:
        codec_for(game).options(options)
    except msgspec.ValidationError as error:
        why = wrong_with(game.meta, options) or in_words(error)
        raise click.BadParameter(f"{game.meta.slug}: {printable(why.en)}.", param_hint="--options") from None
    try:
        tallies = _tallies(plans, matches, jobs, distribute)
    except (LawBroken, NoWorkers) as error:
        raise click.ClickException(str(error)) from error
    click.echo(tables.as_json(game, plans, tallies) if as_json else tables.table(game, plans, tallies))
    if plot is not None:
        plot.write_bytes(pictures.picture(tables.heading(game, plans[0]), tallies, plot.suffix))


def _bots(game: AnyGame, text: str) -> tuple[str, ...]:
    names = tuple(text.split(","))
    for name in names:
        if name not in bots_of(game):
            known = ", ".join(bots_of(game))
            raise click.BadParameter(f"{game.meta.slug} has no bot {name!r}; it has: {known}", param_hint="--bots")
    return names


def _orders(text: str) -> tuple[str, ...]:
    names = tuple(text.split(","))
    for name in names:
        if name not in ORDERS:
            raise click.BadParameter(f"nobody orders {name!r}; seats order: {', '.join(ORDERS)}", param_hint="--orders")
    return names


def _seats(game: AnyGame, seats: int | None) -> tuple[int, ...]:
    if seats is None:
        return game.meta.seats
    if seats not in game.meta.seats:
        allowed = " or ".join(str(n) for n in game.meta.seats)
        raise click.BadParameter(f"{game.meta.slug} is played by {allowed}", param_hint="--seats")
    return (seats,)


def _tallies(plans: Sequence[Plan], matches: int, jobs: int, distribute: bool) -> list[Tally]:
    """Returns a tally for each plan; shows a progress bar on a terminal."""
    chunks = [chunk for plan in plans for chunk in chunks_of(plan, matches, CHUNK)]
    tallies = {plan.seats: Tally(plan.seats) for plan in plans}
    total = matches * len(plans)
    with click.progressbar(length=total, label="matches", file=sys.stderr, hidden=not sys.stderr.isatty()) as bar:
        for tally in _play(chunks, jobs, distribute):
            tallies[tally.seats].join(tally)
            bar.update(tally.matches)
    return list(tallies.values())


def _play(chunks: Sequence[Chunk], jobs: int, distribute: bool) -> Iterator[Tally]:
    if distribute:
        yield from tallies_from_workers(_broker(), chunks)
    elif jobs == 1:
        yield from map(play_chunk, chunks)
    else:
        # A new interpreter each: a fork would inherit the threads' locks of this process.
        with multiprocessing.get_context("spawn").Pool(min(jobs, len(chunks))) as pool:
            yield from pool.imap(play_chunk, chunks)


def _broker() -> str:
    # Only the broker is used of all settings: nothing is signed, stored or sent.
    environ = {"PBEM_SECRET": secrets.token_hex(32), **os.environ}
    url = Config.from_env(environ, "embedded").broker_url
    if url is None:
        raise NoWorkers("--distribute needs workers: set REDIS_URL to the broker they listen to.")
    return url
