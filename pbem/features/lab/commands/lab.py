"""`pbem lab`: what a game is like, measured on many matches of bots."""

import json
from pathlib import Path
from typing import Any

import click
import msgspec

from pbem.commands.terminal import pluralize
from pbem.features.lab.commands import page
from pbem.features.lab.commands.arguments import (
    barred_by,
    bots_named,
    check_jobs,
    check_options,
    common,
    orders_named,
    seats_named,
)
from pbem.features.lab.commands.running import player, run_plans
from pbem.features.lab.deciding import Decision, NotTwo
from pbem.features.lab.measures.sequential import MARGIN
from pbem.features.lab.report import Report, as_numbers, report_of
from pbem.features.lab.study import Study, Variant, varied
from pbem.kit.bots import usual_bot
from pbem.kit.contract import AnyGame

DEFAULT = 1000


@click.command()
@common(DEFAULT)
@click.option(
    "--bots", metavar="A,B,…", help="The bots, each at a table of its own, and all at one; by default the usual one."
)
@click.option(
    "--vary", multiple=True, metavar="OPTION=A,B,…", help="Put variants of an option of the game beside each other."
)
@click.option(
    "--without", metavar="MOVE,…", help="Let one seat play without these kinds of moves, or moves that begin so."
)
@click.option(
    "--until-decided",
    is_flag=True,
    help="Play only what compares two bots, or two variants, until they are told apart.",
)
@click.option(
    "--margin",
    type=click.FloatRange(0, 50, min_open=True, max_open=True),
    default=100 * MARGIN,
    show_default=True,
    metavar="POINTS",
    help="With --until-decided: how far beyond 50 of 100 whoever is ahead wins.",
)
@click.option(
    "--html",
    type=click.Path(dir_okay=False, writable=True, path_type=Path),
    metavar="FILE",
    help="Write the report as a page.",
)
@click.option("--json", "as_json", is_flag=True, help="Print all numbers as JSON.")
@click.pass_context
def lab(
    context: click.Context,
    game: AnyGame,
    seats: str | None,
    matches: int,
    bots: str | None,
    orders: str,
    seed: bytes,
    options: dict[str, Any],
    vary: tuple[str, ...],
    without: str | None,
    until_decided: bool,
    margin: float,
    jobs: int,
    distribute: bool,
    html: Path | None,
    as_json: bool,
) -> None:
    """Measure a game on many matches of bots.

    That is fairness, length, choice, tension, its parts, skill and slow play. Each bot plays at a table of its own for
    each number of seats and each variant, all on the same deals; several bots also play at one table, in every order.
    Prints what is striking; --html writes all of it with plots, --json prints all numbers. docs/lab.md explains them.
    The same seed gives the same report, in whatever processes. After Ctrl-C, or if the workers
    are lost, it is about what was played by then.
    """
    check_jobs(jobs, distribute)
    if html is not None and not html.resolve().parent.is_dir():
        raise click.BadParameter(f"there is no folder {html.resolve().parent}", param_hint="--html")
    check_options(game, options)
    study = Study(
        game.meta.slug, seats_named(game, seats), seed.hex(),
        tuple(dict.fromkeys(bots_named(game, usual_bot(game) if bots is None else bots))),
        _variants(game, options, vary), orders_named(orders), barred_by(game, without),
    )  # fmt: skip
    decision = _decision(study, margin / 100) if until_decided else None
    cells = study.cells() if decision is None else decision.cells
    ran = run_plans(
        [cell.plan for cell in cells], matches, player(jobs, distribute), decision.settled if decision else None
    )  # fmt: skip
    if not any(tally.matches for tally in ran.tallies):
        click.echo("No match was played to its end, so there is nothing to report.", err=True)
        ran.leave(context)
    report = report_of(
        game, study, list(zip(cells, ran.tallies, strict=True)), interrupted=ran.interrupted,
        verdict=decision.verdict if decision else None, margin=margin / 100,
    )  # fmt: skip
    if html is not None:
        html.write_text(page.html(report), encoding="utf-8")
    click.echo(json.dumps(as_numbers(report), indent=2) if as_json else summary(report))
    ran.leave(context)


def _variants(game: AnyGame, options: dict[str, Any], vary: tuple[str, ...]) -> tuple[Variant, ...]:
    """Returns the variants, each of which the game has. Raises BadParameter."""
    tried: dict[str, list[Any]] = {}
    for text in vary:
        name, equals, values = text.partition("=")
        if not equals or not values:
            raise click.BadParameter("a variant is written like target=1,2,5", param_hint="--vary")
        tried[name] = [_value(value) for value in values.split(",")]
    variants = varied(options, tried)
    for variant in variants:
        check_options(game, variant.options, "--vary" if vary else "--options")
    return variants


def _value(text: str) -> Any:
    """Returns the value as JSON means it; any other text is itself."""
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError:
        return text


def _decision(study: Study, margin: float) -> Decision:
    try:
        return Decision(study, margin)
    except NotTwo:
        raise click.UsageError(
            "--until-decided compares two: name one number of --seats, and two --bots or two values to --vary."
        ) from None


def summary(report: Report) -> str:
    """Returns what is striking, in words."""
    played = pluralize(report.matches, "match", "matches")
    if report.interrupted:
        played += ", interrupted before the end"
    lines = [
        f"{report.title}, {played}, bots {', '.join(report.study.bots)}, seed {report.study.seed}",
        "",
    ]
    kind = None
    for found in report.findings:
        if found.kind != kind:
            lines.append(f"{page.HEADINGS[found.kind]}:")
            kind = found.kind
        lines.append(f"  {found.words} [{found.where}]")
    if not report.findings:
        lines.append("Nothing that was looked at lies outside what is tolerated.")
    lines += [f"Playing without {word} barred nothing: no bot wanted to." for word in report.idle]
    if report.verdict is not None:
        lines.append(page.in_words(*report.verdict, report.margin))
    lines += [
        "",
        f"{report.looked_at} numbers were looked at; intervals are of {100 * report.confidence:.3f} % each, "
        "so that all hold together with 95 % (Bonferroni).",
        "Bots are not people: what they show, try with people.",
    ]
    return "\n".join(lines)
