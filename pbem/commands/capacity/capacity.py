"""`pbem capacity`: what a site with so many open matches would need, from this machine's own figures."""

import json
import re
from dataclasses import asdict, fields

import click

from pbem.commands.capacity import model
from pbem.commands.capacity.model import Assumptions, Figures, Pair, Row
from pbem.commands.terminal import columns

_VALUE = re.compile(r"([a-z_]+)=([0-9.]+)(?:-([0-9.]+))?")


def _changes(_: click.Context, __: click.Parameter, words: tuple[str, ...]) -> dict[str, Pair]:
    found = {}
    for word in words:
        read = _VALUE.fullmatch(word)
        try:
            values = [float(value) for value in read.groups()[1:] if value] if read is not None else []
            if read is None or not all(values):
                raise ValueError
        except ValueError:
            raise click.BadParameter(f"{word!r} is not a name, “=” and a number, or two with “-” between") from None
        found[read[1]] = (values[0], values[-1])
    try:
        model.assume(found)
    except KeyError as error:
        names = ", ".join(field.name for field in fields(Assumptions))
        raise click.BadParameter(f"there is no assumption {error}; there are: {names}") from None
    return found


@click.command()
@click.argument("matches", type=click.IntRange(1, 10**9))
@click.option("--move-ms", type=click.FloatRange(0, min_open=True), help="Processor time of a move.")
@click.option("--page-ms", type=click.FloatRange(0, min_open=True), help="Processor time of a page.")
@click.option("--mail-ms", type=click.FloatRange(0, min_open=True), help="Processor time of a mail with a new picture.")
@click.option(
    "--set",
    "changed",
    multiple=True,
    metavar="NAME=VALUE",
    callback=_changes,
    help="Another assumption: a number, or two (quiet-busy).",
)
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object: matches, figures, assumptions, needs.")
def capacity(
    matches: int,
    move_ms: float | None,
    page_ms: float | None,
    mail_ms: float | None,
    changed: dict[str, Pair],
    as_json: bool,
) -> None:
    """Print what a site with so many open MATCHES would need.

    Measures for some seconds what a move, a page and a mail cost on this machine, on a database of its own, unless
    all three are given. Each assumption, and each line of the answer, has a value for a quiet and one for a busy site.
    """  # fmt: skip
    figures = _figures(move_ms, page_ms, mail_ms)
    assumed = model.assume(changed)
    needs = model.needs(matches, figures, assumed)
    if as_json:
        told = {
            "matches": matches, "figures": asdict(figures), "assumptions": asdict(assumed),
            "needs": [asdict(row) for row in needs],
        }  # fmt: skip
        click.echo(json.dumps(told, indent=2))
        return
    click.echo("\n".join(_lines(matches, figures, assumed, needs)))


def _figures(move_ms: float | None, page_ms: float | None, mail_ms: float | None) -> Figures:
    if move_ms is not None and page_ms is not None and mail_ms is not None:
        return Figures(move_ms, page_ms, mail_ms)
    from pbem.commands.capacity import measuring  # it imports everything, to play

    click.echo("Measuring this machine …", err=True)
    measured = measuring.measure()
    return Figures(move_ms or measured.move_ms, page_ms or measured.page_ms, mail_ms or measured.mail_ms)


def _lines(matches: int, figures: Figures, assumed: Assumptions, needs: list[Row]) -> list[str]:
    rows = [(row.name, _short(row.quiet), _short(row.busy), row.unit) for row in needs]
    costs = (
        f"A move costs {figures.move_ms:.1f} ms, a page {figures.page_ms:.1f} ms, a mail with a new picture"
        f" {figures.mail_ms:.0f} ms of one processor, without what HTTP and PostgreSQL add."
    )
    meanings = {one.name: one.metadata["meaning"] for one in fields(Assumptions)}
    taken = [
        (name, _short(quiet), _short(busy), meanings[name]) for name, (quiet, busy) in asdict(assumed).items()
    ]  # fmt: skip
    return [
        costs, "",
        *columns((f"{matches:,} open matches", "quiet", "busy", ""), rows), "",
        *columns(("assumption (--set NAME=VALUE)", "quiet", "busy", ""), taken),
    ]  # fmt: skip


def _short(value: float) -> str:
    """Returns the number with about three digits.

    >>> [_short(value) for value in (0.01234, 3.14159, 42.42, 18_000_000.0, 3.0)]
    ['0.0123', '3.14', '42.4', '18,000,000', '3']
    """
    if value >= 100 or value == int(value):
        return f"{value:,.0f}"
    return f"{value:.3g}"
