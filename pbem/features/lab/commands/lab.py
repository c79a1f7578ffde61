"""`pbem lab`: what a game is like, measured on many matches of bots; in words, as JSON, or as a page.

The page needs no network and no script, and is light or dark as the browser prefers.
"""

import base64
import json
import re
from collections.abc import Callable
from importlib.resources import files
from itertools import groupby
from pathlib import Path
from typing import Any

import click
import msgspec
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from pbem.commands.terminal import pluralize
from pbem.discovery import TEMPLATES
from pbem.features.lab.commands import arguments, plots
from pbem.features.lab.commands.plots import Bar, Row
from pbem.features.lab.commands.running import run_plans, way_of_playing
from pbem.features.lab.deciding import MARGIN, Decision, NotTwo, Verdict
from pbem.features.lab.measures.estimates import Estimate
from pbem.features.lab.plans import Study, Variant, variants_of_options
from pbem.features.lab.report import Alike, Ladder, Report, make_report, report_as_json
from pbem.kit.bots import usual_bot
from pbem.kit.contract import AnyGame
from pbem.kit.notation import seat_letter

OWN = TEMPLATES / "features" / "lab"
HEADINGS = {
    "seat": "Seats",
    "unwon": "Matches without a winner",
    "forced": "Forced decisions",
    "early": "Decided early",
    "snowball": "What a lead brings",
    "dead": "Hardly ever chosen",
    "sure": "Nearly always chosen",
    "worth": "Parts that win or lose",
    "restricted": "Restricted play",
    "skill": "Skill and luck",
    "variant": "Variants",
    "never": "Never occurs",
}
VERDICTS = {
    "first": "is decided: the first of the two is ahead",
    "second": "is decided: the second of the two is ahead",
    "neither": "is decided: neither is ahead by so much",
    "open": "is not decided",
}
NBSP = "\N{NO-BREAK SPACE}"
MOST = 8
"""Of one kind, this many findings are listed."""
MOST_PARTS = 16
"""This many parts are drawn, those that are worth most to either side."""

DEFAULT = 1000


@click.command()
@arguments.common_arguments(DEFAULT)
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
    if html is not None and not html.resolve().parent.is_dir():
        raise click.BadParameter(f"there is no folder {html.resolve().parent}", param_hint="--html")
    arguments.refuse_options_not_of_game(game, options)
    study = Study(
        game.meta.slug, arguments.parse_numbers_of_seats(game, seats), seed.hex(),
        tuple(dict.fromkeys(arguments.parse_names_of_bots(game, usual_bot(game) if bots is None else bots))),
        _parse_variants(game, options, vary), arguments.parse_names_of_orders(orders),
        arguments.parse_words_of_barred_moves(game,
        without),
    )  # fmt: skip
    try:
        decision = Decision(study, margin / 100) if until_decided else None
    except NotTwo:
        raise click.UsageError(
            "--until-decided compares two: name one number of --seats, and two --bots or two values to --vary."
        ) from None
    cells = study.cells() if decision is None else decision.cells
    is_decided = decision.is_decided_after_adding if decision else None
    ran = run_plans([cell.plan for cell in cells], matches, way_of_playing(jobs, distribute), is_decided)
    if not any(tally.matches for tally in ran.tallies):
        click.echo("No match was played to its end, so there is nothing to report.", err=True)
        ran.end_command(context)
    report = make_report(
        game, study, list(zip(cells, ran.tallies, strict=True)), interrupted=ran.interrupted,
        verdict=decision.verdict_with_match_count if decision else None, margin=margin / 100,
    )  # fmt: skip
    if html is not None:
        html.write_text(html_page_of_report(report), encoding="utf-8")
    click.echo(json.dumps(report_as_json(report), indent=2) if as_json else findings_in_words(report))
    ran.end_command(context)


def _parse_variants(game: AnyGame, options: dict[str, Any], vary: tuple[str, ...]) -> tuple[Variant, ...]:
    """Returns the variants, each of which the game has. Raises BadParameter."""
    tried: dict[str, list[Any]] = {}
    for text in vary:
        name, equals, values = text.partition("=")
        if not equals or not values:
            raise click.BadParameter("a variant is written like target=1,2,5", param_hint="--vary")
        tried[name] = [_json_value_or_text(value) for value in values.split(",")]
    variants = variants_of_options(options, tried)
    for variant in variants:
        arguments.refuse_options_not_of_game(game, variant.options, "--vary" if vary else "--options")
    return variants


def _json_value_or_text(text: str) -> Any:
    """Returns the value as JSON means it; any other text is itself."""
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError:
        return text


def findings_in_words(report: Report) -> str:
    """Returns what is striking, in words."""
    played = pluralize(report.matches, "match", "matches")
    if report.interrupted:
        played += ", interrupted before the end"
    lines = [f"{report.title}, {played}, bots {', '.join(report.study.bots)}, seed {report.study.seed}", ""]
    for kind, findings in groupby(report.findings, key=lambda one: one.kind):
        lines += [f"{HEADINGS[kind]}:", *(f"  {found.words} [{found.where}]" for found in findings)]
    if not report.findings:
        lines.append("Nothing that was looked at lies outside what is tolerated.")
    lines += [f"Playing without {word} barred nothing: no bot wanted to." for word in report.idle]
    if report.verdict is not None:
        lines.append(verdict_in_words(*report.verdict, report.margin))
    lines += [
        "",
        f"{report.looked_at} numbers were looked at; intervals are of {100 * report.confidence:.3f} % each, "
        "so that all hold together with 95 % (Bonferroni).",
        "Bots are not people: what they show, try with people.",
    ]
    return "\n".join(lines)


def html_page_of_report(report: Report) -> str:
    """Returns the page."""
    environment = Environment(loader=FileSystemLoader(OWN), autoescape=True, undefined=StrictUndefined)
    environment.filters |= {
        "estimate": _estimate_in_words, "counted": lambda matches: pluralize(matches, "match", "matches"),
        "percent": lambda share: f"{100 * share:.1f}{NBSP}%",
        "unbroken": lambda words: words.replace(" %", f"{NBSP}%"),
    }  # fmt: skip
    striking = [(kind, list(found)) for kind, found in groupby(report.findings, key=lambda one: one.kind)]
    plotted: dict[str, Callable[[Any], Markup]] = {
        "ladder_plot": _draw_matches_won_by_bots, "fairness_plot": _draw_victories_by_seat, "scores_plot": _draw_scores,
        "length_plot": _draw_length, "choice_plot": _draw_numbers_of_moves,
        "lead_plot": _draw_victories_of_leaders, "settled_plot": _draw_when_winner_leads_for_good,
        "parts_plot": _draw_worth_of_parts,
    }  # fmt: skip
    verdict = None if report.verdict is None else verdict_in_words(*report.verdict, report.margin)
    return environment.get_template("report.html").render(
        report=report, striking=striking, headings=HEADINGS, verdict=verdict, MOST=MOST, style=Markup(_page_style()),  # noqa: S704 - our own files

        **plotted,
    )  # fmt: skip


def verdict_in_words(verdict: Verdict, matches: int, margin: float) -> str:
    """Returns how a comparison has ended, after this many matches that tell, and what it tells apart.

    >>> verdict_in_words("open", 1, 0.05)
    'The comparison, which tells an even chance from one of 55 %, is not decided after 1 match that tells.'
    """
    apart = f"an even chance from one of {100 * (0.5 + margin):.4g} %"
    told = pluralize(matches, "match that tells", "matches that tell")
    return f"The comparison, which tells {apart}, {VERDICTS[verdict]} after {told}."


def _page_style() -> str:
    """Returns the page's own style, with the fonts and the colours of the site."""
    static = files("pbem") / "web" / "static"
    faces = "".join(
        f"@font-face {{ font-family: Literata; font-weight: {weight}; src: url(data:font/woff2;base64,"
        f"{base64.b64encode((static / 'fonts' / f'literata-latin-{weight}-normal.woff2').read_bytes()).decode()}) "
        'format("woff2"); }\n'
        for weight in (400, 700)
    )
    sheets = ((static / "styles" / f"{name}.css").read_text() for name in ("look", "dark"))
    # The block of a sheet that names its colours.
    light, dark = (re.findall(r"^:root \{.*?^\}", sheet, re.MULTILINE | re.DOTALL)[0] for sheet in sheets)
    own = (OWN / "report.css").read_text()
    return f"{faces}{light}\n@media (prefers-color-scheme: dark) {{ {dark} }}\n{own}"


def _estimate_in_words(estimate: Estimate | None, percent: bool) -> str:
    if estimate is None:
        return "–"
    low, high = estimate.at_95
    if percent:
        return f"{100 * estimate.value:.1f}{NBSP}% ({100 * low:.1f} to {100 * high:.1f})"
    return f"{estimate.value:.3g} ({low:.3g} to {high:.3g})"


def _row_of_estimate(label: str, estimate: Estimate, tone: plots.Tone = "ib") -> Row:
    return Row(label, estimate.value, *estimate.at_95, tone)


def _draw_matches_won_by_bots(one: Ladder) -> Markup:
    rows = [_row_of_estimate(rung.bot, rung.won) for rung in one.skill.ladder]
    return plots.draw_intervals(rows, "Matches won by each bot", percent=True, axis="matches won", among=(0,))


def _draw_victories_by_seat(one: Alike) -> Markup:
    even = 1 / one.seats
    rows = [_row_of_estimate(f"seat {seat_letter(seat)}", share) for seat, share in enumerate(one.fairness.seats)]
    return plots.draw_intervals(
        rows, "Victories by seat", percent=True, reference=even, axis="share of the victories (dashed: equal)",
        among=(max(0.0, even - 0.1), even + 0.1),
    )  # fmt: skip


def _draw_scores(one: Alike) -> Markup:
    """Draws how often each score occurs: winners to the left in each bar, the others in red beside them."""
    shown = []
    for low, high, won, lost in one.scored:
        middle = (low + high + 1) / 2
        shown.append(Bar(low, middle, won, f"{low} to {high}: {won} winners"))
        shown.append(Bar(middle, high + 1, lost, f"{low} to {high}: {lost} others", "se"))
    return plots.draw_histogram(
        shown, "Scores", axis="score (blue: winners, red: the others)", upright="seats", height=90
    )


def _draw_length(one: Alike) -> Markup:
    shown = [Bar(low, high + 1, count, f"{low} to {high}: {count}") for low, high, count in one.length.sizes]
    return plots.draw_histogram(shown, "Lengths of matches", axis="decisions", upright="matches")


def _draw_numbers_of_moves(one: Alike) -> Markup:
    total = sum(one.choice.sizes.values())
    shares = [(size, 100 * count / total) for size, count in one.choice.sizes.items()]
    shown = [
        Bar(size.bit_length() - 1, size.bit_length(), share, f"{size} or more: {share:.1f} %") for size, share in shares
    ]
    return plots.draw_histogram(
        shown, "Legal moves a decision", axis="legal moves, as a power of 2", upright="% of decisions"
    )


def _draw_victories_of_leaders(one: Alike) -> Markup:
    assert one.tension is not None
    leads = zip((0.25, 0.5, 0.75), one.tension.leads, strict=True)
    rows = [(at, _row_of_estimate(f"after {at:.0%}", share)) for at, share in leads if share.of]
    return plots.draw_line_of_estimates(
        rows, "How often the leader wins", axis="of the match", upright="the leader then wins (dashed: equal)",
        reference=1 / one.seats,
    )  # fmt: skip


def _draw_when_winner_leads_for_good(one: Alike) -> Markup:
    assert one.tension is not None
    shown = [Bar(at / 10, (at + 1) / 10, count, f"{count}") for at, count in enumerate(one.tension.settled_at)]
    return plots.draw_histogram(
        shown, "When the winner is known for good", axis="of the match, when the winner leads for good",
        upright="matches", percent=True, height=90,
    )  # fmt: skip


def _draw_worth_of_parts(one: Alike) -> Markup:
    worth = [(part.name, part.worth) for part in one.parts if part.worth is not None]
    most = sorted(worth, key=lambda pair: (-abs(pair[1].value), pair[0]))[:MOST_PARTS]
    if not most:
        return Markup("<p>Too few matches to say.</p>")
    rows = [
        _row_of_estimate(name, mean, "ib" if mean.value > 0 else "se")
        for name, mean in sorted(most, key=lambda p: -p[1].value)
    ]
    return plots.draw_intervals(
        rows, "What a use of each part is worth", percent=True, reference=0,
        axis="chance to win, a use more than others",
    )  # fmt: skip
