"""`pbem simulate`: many matches of random moves, counted."""

import json
import secrets
import sys
from collections.abc import Sequence
from typing import Any

import click
import msgspec

from pbem.commands.simulation import Tally, play_out, seed_of, spread
from pbem.games import all_games, find_game
from pbem.rules.codec import codec_for
from pbem.rules.contract import AnyGame, Options
from pbem.rules.notation import seat_letter
from pbem.rules.play import LawBroken

Row = tuple[str, list[str]]


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


@click.command()
@click.argument("game", callback=_game)
@click.option("--seats", type=int, help="How many players; without it every number the game is played by.")
@click.option("--matches", type=click.IntRange(1, 1_000_000), default=1000, show_default=True, help="For each number.")
@click.option("--seed", callback=_seed, metavar="HEX", help="Plays the same matches again; without it, others.")
@click.option("--options", default="{}", metavar="JSON", help="The game's options, as a JSON object.")
@click.option("--json", "as_json", is_flag=True, help="Prints JSON instead of a table.")
def simulate(game: AnyGame, seats: int | None, matches: int, seed: bytes, options: str, as_json: bool) -> None:
    """Plays matches of random moves and prints what occurred in them.

    Each move is drawn by kind first, by the weights the game declares. A wait is a stop of the match until
    somebody else than the one who just played has answered; those who are asked at once are one wait.
    """
    if seats is not None and seats not in game.meta.seats:
        allowed = " or ".join(str(n) for n in game.meta.seats)
        raise click.BadParameter(f"{game.meta.slug} is played by {allowed}", param_hint="--seats")
    chosen = _options(game, options)
    try:
        tallies = [_tally(game, n, chosen, matches, seed) for n in ([seats] if seats else game.meta.seats)]
    except LawBroken as error:
        raise click.ClickException(str(error)) from error
    click.echo(_json(game, tallies, seed) if as_json else "\n".join(_table(game, tallies, seed)))


def _options(game: AnyGame, text: str) -> Options:
    try:
        return codec_for(game).options(msgspec.json.decode(text))
    except (msgspec.MsgspecError, UnicodeError) as error:
        raise click.BadParameter(str(error), param_hint="--options") from None


def _tally(game: AnyGame, seats: int, options: Options, matches: int, seed: bytes) -> Tally:
    tally = Tally(seats)
    if not sys.stderr.isatty():
        for number in range(matches):
            tally.add(play_out(game, seats, options, seed_of(seed, seats, number)))
        return tally
    with click.progressbar(range(matches), label=f"{seats} seats", file=sys.stderr) as numbers:
        for number in numbers:
            tally.add(play_out(game, seats, options, seed_of(seed, seats, number)))
    return tally


def _json(game: AnyGame, tallies: Sequence[Tally], seed: bytes) -> str:
    return json.dumps(
        {"game": game.meta.slug, "seed": seed.hex(), "seats": {str(t.seats): _numbers(game, t) for t in tallies}},
        indent=2,
    )


def _numbers(game: AnyGame, tally: Tally) -> dict[str, Any]:
    return {
        "matches": tally.matches,
        "decisions": msgspec.to_builtins(spread(tally.decisions)),
        "waits": msgspec.to_builtins(spread(tally.waits)),
        "endings": {reason: tally.endings[reason] for reason in game.meta.endings},
        "wins": [tally.wins[seat] for seat in range(tally.seats)],
        "unwon": tally.unwon,
        "events": {event.__name__: tally.events[event.__name__] for event in game.meta.events},
    }


def _table(game: AnyGame, tallies: Sequence[Tally], seed: bytes) -> list[str]:
    """The lines of the table: a column for each number of seats, sections apart by an empty line."""
    sections: list[list[Row]] = [
        [("seats", [str(t.seats) for t in tallies]), ("matches", [str(t.matches) for t in tallies])],
        _spread_rows("decisions", [t.decisions for t in tallies]),
        _spread_rows("waits", [t.waits for t in tallies]),
        [
            (f"ended: {reason}", [_share(t.endings[reason], t) for t in tallies])
            for reason in game.meta.endings
        ],
        [
            *(
                (f"won: seat {seat_letter(seat)}", [_share(t.wins[seat], t) if seat < t.seats else "" for t in tallies])
                for seat in range(max(t.seats for t in tallies))
            ),
            ("won: nobody", [_share(t.unwon, t) for t in tallies]),
        ],
        [
            (f"event: {name}", [str(t.events[name]) for t in tallies])
            for name in (event.__name__ for event in game.meta.events)
        ],
    ]  # fmt: skip
    rows = [row for section in sections for row in section]
    first = max(len(label) for label, _ in rows)
    width = max(len(cell) for _, cells in rows for cell in cells)
    lines = [f"{game.meta.title['en']}, random play, seed {seed.hex()}"]
    for section in sections:
        lines += ["", *(f"{label:<{first}}  {_cells(cells, width)}".rstrip() for label, cells in section)]
    return lines


def _cells(cells: Sequence[str], width: int) -> str:
    return "  ".join(cell.rjust(width) for cell in cells)


def _spread_rows(name: str, numbers: Sequence[Sequence[int]]) -> list[Row]:
    spreads = [spread(n) for n in numbers]
    return [
        (f"{name}: {field}", [str(getattr(s, field)) for s in spreads])
        for field in ("min", "median", "p95", "max")
    ]  # fmt: skip


def _share(count: int, tally: Tally) -> str:
    return f"{count} = {100 * count / tally.matches:.1f} %"
