"""`pbem simulate`: many matches that bots play among themselves, counted."""

from pathlib import Path
from typing import Any

import click

from pbem.features.lab.commands import pictures, tables
from pbem.features.lab.commands.arguments import (
    bots_named,
    check_jobs,
    check_options,
    common,
    orders_named,
    seats_named,
)
from pbem.features.lab.commands.running import player, run_plans
from pbem.features.lab.plans import Plan
from pbem.kit.bots import RANDOM
from pbem.kit.contract import AnyGame


@click.command()
@common(1000)
@click.option("--bots", default=RANDOM, show_default=True, metavar="A,B,…", help="The bot of each seat, from seat A.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")
@click.option(
    "--plot",
    type=click.Path(dir_okay=False, writable=True, path_type=Path),
    callback=pictures.check_file,
    metavar="FILE",
    help="Draw lengths and scores into this .svg or .png, too.",
)
@click.pass_context
def simulate(
    context: click.Context,
    game: AnyGame,
    seats: str | None,
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
    The same seed gives the same numbers, in whatever processes. After Ctrl-C, or if the workers
    are lost, what was played by then is counted.
    """
    check_jobs(jobs, distribute)
    names, ordered = bots_named(game, bots), orders_named(orders)
    plans = [Plan(game.meta.slug, n, seed.hex(), names, options, ordered) for n in seats_named(game, seats)]
    check_options(game, options)
    ran = run_plans(plans, matches, player(jobs, distribute))
    played = [(plan, tally) for plan, tally in zip(plans, ran.tallies, strict=True) if tally.matches]
    if played:
        plans, tallies = [plan for plan, _ in played], [tally for _, tally in played]
        click.echo(tables.as_json(game, plans, tallies) if as_json else tables.table(game, plans, tallies))
        if plot is not None:
            plot.write_bytes(pictures.picture(tables.heading(game, plans[0]), tallies, plot.suffix))
    elif ran.interrupted:
        click.echo("No match was played to its end, so there is nothing to count.", err=True)
    ran.leave(context)
