"""`pbem simulate`: many matches that bots play among themselves, counted: as a table, as JSON, as a picture."""

import json
from collections.abc import Callable, Sequence
from html import escape
from pathlib import Path
from typing import Any

import click
import msgspec

from pbem.commands.terminal import pluralize
from pbem.features.lab.commands import arguments
from pbem.features.lab.commands.plots import WIDTH, Bar, histogram_elements
from pbem.features.lab.commands.running import run_plans, way_of_playing
from pbem.features.lab.course import DAY_S
from pbem.features.lab.measures.fairness import count_in_ranges
from pbem.features.lab.plans import NONE, Plan
from pbem.features.lab.tallies import Spread, Tally, spread_of_numbers
from pbem.kit.bots import RANDOM
from pbem.kit.contract import AnyGame
from pbem.kit.notation import seat_letter
from pbem.render.pictures import document_png, literal_styles

Row = tuple[str, list[str]]

SUFFIXES = (".svg", ".png")
PANEL = 200
"""How high a row of histograms is."""


def check_plot_file(_: click.Context, __: click.Parameter, path: Path | None) -> Path | None:
    """Returns the file to draw into; refuses an unusable one before anything is played."""
    if path is None:
        return None
    if path.suffix not in SUFFIXES:
        raise click.BadParameter(f"the name ends in {' or '.join(SUFFIXES)}")
    if not path.resolve().parent.is_dir():
        raise click.BadParameter(f"there is no folder {path.resolve().parent}")
    return path


@click.command()
@arguments.common_arguments(1000)
@click.option("--bots", default=RANDOM, show_default=True, metavar="A,B,…", help="The bot of each seat, from seat A.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")
@click.option(
    "--plot",
    type=click.Path(dir_okay=False, writable=True, path_type=Path),
    callback=check_plot_file,
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
    names, ordered = arguments.parse_names_of_bots(game, bots), arguments.parse_names_of_orders(orders)
    plans = [
        Plan(game.meta.slug, n, seed.hex(), names, options, ordered)
        for n in arguments.parse_numbers_of_seats(game, seats)
    ]
    arguments.refuse_options_not_of_game(game, options)
    ran = run_plans(plans, matches, way_of_playing(jobs, distribute))
    played = [(plan, tally) for plan, tally in zip(plans, ran.tallies, strict=True) if tally.matches]
    if played:
        plans, tallies = [plan for plan, _ in played], [tally for _, tally in played]
        click.echo(counts_as_json(game, plans, tallies) if as_json else table_of_counts(game, plans, tallies))
        if plot is not None:
            plot.write_bytes(plot_in_file_format(heading_in_words(game, plans[0]), tallies, plot.suffix))
    elif ran.interrupted:
        click.echo("No match was played to its end, so there is nothing to count.", err=True)
    ran.end_command(context)


def heading_in_words(game: AnyGame, plan: Plan) -> str:
    """Returns the game, the given options and the bots, in words."""
    options = "".join(f", {name} {value}" for name, value in sorted(plan.options.items()))
    played = "random play" if set(plan.bots) == {RANDOM} else f"bots {', '.join(plan.bots)}"
    ordered = "" if set(plan.orders) == {NONE} else f", orders {', '.join(plan.orders)}"
    return f"{game.meta.title['en']}{options}, {played}{ordered}"


def counts_as_json(game: AnyGame, plans: Sequence[Plan], tallies: Sequence[Tally]) -> str:
    """Returns the counts as JSON."""
    first = plans[0]
    numbers = {str(t.seats): _counts_of_tally_as_json(game, plan, t) for plan, t in zip(plans, tallies, strict=True)}
    head = {"game": game.meta.slug, **{name: getattr(first, name) for name in ("seed", "bots", "orders", "options")}}
    return json.dumps({**head, "seats": numbers}, indent=2)


def _counts_of_tally_as_json(game: AnyGame, plan: Plan, tally: Tally) -> dict[str, Any]:
    return {
        "matches": tally.matches,
        "decisions": msgspec.to_builtins(spread_of_numbers(tally.decisions)),
        "waits": msgspec.to_builtins(spread_of_numbers(tally.waits)),
        "by_order": msgspec.to_builtins(spread_of_numbers(tally.by_order)),
        "days": {
            name: round(s / DAY_S, 1) for name, s in msgspec.to_builtins(spread_of_numbers(tally.seconds)).items()
        },
        "endings": {reason: tally.endings.get(reason, 0) for reason in game.meta.endings},
        "wins": [tally.wins_by_seat.get(seat, 0) for seat in range(tally.seats)],
        "unwon": tally.matches_without_winner,
        "won_by": {bot: round(won, 3) for bot, won in wins_by_bot(plan, tally).items()},
        "scores": _scores_as_json(tally),
        "events": {event.__name__: tally.events.get(event.__name__, 0) for event in game.meta.events},
    }


def wins_by_bot(plan: Plan, tally: Tally) -> dict[str, float]:
    """Returns the matches that each bot, or it with the same orders, won on any of its seats; shared ones in parts."""
    won = dict.fromkeys((plan.name_in_counts(seat) for seat in range(tally.seats)), 0.0)
    for seat, share in enumerate(tally.victory_shares_by_seat):
        won[plan.name_in_counts(seat)] += share
    return won


def _scores_as_json(tally: Tally) -> dict[str, Any] | None:
    if not tally.scores:
        return None
    return {
        "mean": [round(mean, 2) for mean in _mean_scores(tally)],
        "winner_mean": round(sum(tally.winning) / len(tally.winning), 2) if tally.winning else None,
    }


def _mean_scores(tally: Tally) -> list[float]:
    return [sum(column) / len(tally.scores) for column in zip(*tally.scores, strict=True)]


def table_of_counts(game: AnyGame, plans: Sequence[Plan], tallies: Sequence[Tally]) -> str:
    """Returns the counts as a table: a column for each number of seats, and an empty line between sections."""
    events = [event.__name__ for event in game.meta.events]
    found: list[list[Row]] = [
        [("seats", [str(t.seats) for t in tallies]), ("matches", [str(t.matches) for t in tallies])],
        _spread_rows("decisions", [t.decisions for t in tallies]),
        _spread_rows("waits", [t.waits for t in tallies]),
        _spread_rows("by order", [t.by_order for t in tallies]) if any(any(t.by_order) for t in tallies) else [],
        _spread_rows("days", [t.seconds for t in tallies], lambda seconds: f"{seconds / DAY_S:.1f}"),
        [
            (f"ended: {r}", [_count_and_share_in_words(t.endings.get(r, 0), t) for t in tallies])
            for r in game.meta.endings
        ],
        _rows_of_victories_by_seat(tallies),
        _rows_of_victories_by_bot(plans, tallies),
        _rows_of_mean_scores(tallies),
        [(f"event: {name}", [str(t.events.get(name, 0)) for t in tallies]) for name in events],
    ]
    sections = [section for section in found if section]
    rows = [row for section in sections for row in section]
    first = max(len(label) for label, _ in rows)
    width = max(len(cell) for _, cells in rows for cell in cells)
    lines = [f"{heading_in_words(game, plans[0])}, seed {plans[0].seed}"]
    for section in sections:
        lines.append("")
        for label, cells in section:
            lines.append("  ".join((label.ljust(first), *(cell.rjust(width) for cell in cells))).rstrip())
    return "\n".join(lines)


def _rows_of_victories_by_seat(tallies: Sequence[Tally]) -> list[Row]:
    rows: list[Row] = []
    for seat in range(max(t.seats for t in tallies)):
        cells = [_count_and_share_in_words(t.wins_by_seat.get(seat, 0), t) if seat < t.seats else "" for t in tallies]
        rows.append((f"won: seat {seat_letter(seat)}", cells))
    return [*rows, ("won: nobody", [_count_and_share_in_words(t.matches_without_winner, t) for t in tallies])]


def _rows_of_victories_by_bot(plans: Sequence[Plan], tallies: Sequence[Tally]) -> list[Row]:
    """Returns each bot's victories beside its share of the seats; nothing if one bot has all seats."""
    names = list(dict.fromkeys(map(plans[-1].name_in_counts, range(plans[-1].seats))))
    if len(names) == 1:
        return []
    rows: list[Row] = []
    for name in names:
        won = [wins_by_bot(plan, t).get(name, 0.0) for plan, t in zip(plans, tallies, strict=True)]
        seats = [
            sum(plan.name_in_counts(s) == name for s in range(t.seats)) for plan, t in zip(plans, tallies, strict=True)
        ]
        rows.append((f"won: {name}", [_count_and_share_in_words(w, t) for w, t in zip(won, tallies, strict=True)]))
        rows.append((f"seats: {name}", [f"{n} of {t.seats}" for n, t in zip(seats, tallies, strict=True)]))
    return rows


def _rows_of_mean_scores(tallies: Sequence[Tally]) -> list[Row]:
    if not any(t.scores for t in tallies):
        return []
    rows: list[Row] = []
    for seat in range(max(t.seats for t in tallies)):
        cells = [f"{_mean_scores(t)[seat]:.2f}" if t.scores and seat < t.seats else "" for t in tallies]
        rows.append((f"score: seat {seat_letter(seat)}, mean", cells))
    winners = [f"{sum(t.winning) / len(t.winning):.2f}" if t.winning else "" for t in tallies]
    return [*rows, ("score: winner, mean", winners)]


def _spread_rows(name: str, numbers: Sequence[Sequence[int]], cell: Callable[[int], str] = str) -> list[Row]:
    spreads = [spread_of_numbers(n) for n in numbers]
    return [(f"{name}: {f}", [cell(getattr(s, f)) for s in spreads]) for f in Spread.__struct_fields__]


def _count_and_share_in_words(count: float, tally: Tally) -> str:
    return f"{count:.10g} = {100 * count / tally.matches:.1f} %"


def plot_in_file_format(title: str, tallies: Sequence[Tally], suffix: str) -> bytes:
    """Returns the picture in this file format, with a row for each number of seats.

    Raises ClickException if it cannot be drawn.
    """
    drawn = plot_as_svg(title, tallies)
    if suffix == ".svg":
        return drawn.encode()
    try:
        return document_png(drawn, 2 * _width_of_plot(tallies))
    except Exception as error:
        raise click.ClickException(f"The PNG cannot be drawn ({error}); take a file that ends in .svg.") from error


def plot_as_svg(title: str, tallies: Sequence[Tally]) -> str:
    """Returns the picture as an SVG document."""
    width, height = _width_of_plot(tallies), 40 + PANEL * len(tallies)
    parts = [
        f'<style>{literal_styles()}</style><rect class="pa" width="{width}" height="{height}"/>'
        f'<text class="in b" x="20" y="26" font-size="16">{escape(title, quote=False)}</text>'
    ]
    for row, tally in enumerate(tallies):
        where = f"{pluralize(tally.seats, 'seat', 'seats')}, {pluralize(tally.matches, 'match', 'matches')}"
        for column, (name, numbers) in enumerate(_names_and_numbers_of_panels(tally)):
            inside, _ = histogram_elements(
                [_bar_of_range(*one) for one in count_in_ranges(numbers)], axis=_range_and_median_in_words(numbers),
                upright=f"{name}: {where}",
            )  # fmt: skip
            parts.append(f'<g transform="translate({20 + column * (WIDTH + 20)} {40 + row * PANEL})">{inside}</g>')
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" font-family="Literata, serif">{"".join(parts)}</svg>\n'
    )


def _names_and_numbers_of_panels(tally: Tally) -> list[tuple[str, Sequence[int]]]:
    panels: list[tuple[str, Sequence[int]]] = [("Decisions", tally.decisions), ("Waits", tally.waits)]
    if tally.scores:
        panels.append(("Scores", [score for scores in tally.scores for score in scores]))
    return panels


def _width_of_plot(tallies: Sequence[Tally]) -> int:
    return 20 + (WIDTH + 20) * max(len(_names_and_numbers_of_panels(tally)) for tally in tallies)


def _bar_of_range(low: int, high: int, count: int) -> Bar:
    return Bar(low, high + 1, count, f"{low}: {count}" if low == high else f"{low} to {high}: {count}")


def _range_and_median_in_words(numbers: Sequence[int]) -> str:
    summary = spread_of_numbers(numbers)
    return f"{summary.min} to {summary.max}, median {summary.median}"
