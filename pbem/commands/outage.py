"""`pbem outage`: gives players their time back after an outage that the service could not notice by itself."""

from datetime import UTC, datetime

import click

from pbem.clock import iso_format
from pbem.commands.host import open_site_from_environment
from pbem.services.clock import outages

MOMENT = click.DateTime(("%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S"))


@click.command()
@click.argument("since", type=MOMENT)
@click.option("--until", type=MOMENT, help="When it was over; by default now.")
@click.option("--yes", is_flag=True, help="Do not ask first.")
def outage(since: datetime, until: datetime | None, yes: bool) -> None:
    """Move all deadlines by a time in which nobody could play.

    It began at SINCE (UTC, 2026-11-20T08:00). For what neither the sweep nor the web notices: a proxy or a name
    server that was wrong, say. What was given back before is not given back again. What the clock has played
    meanwhile stays played.
    """
    with open_site_from_environment() as site:
        first, last = since.replace(tzinfo=UTC), until.replace(tzinfo=UTC) if until else site.now()
        if not first < last <= site.now():
            raise click.ClickException("SINCE must lie before the end, and both in the past. They are read as UTC.")
        if not yes:
            click.confirm(f"Move all running deadlines for {iso_format(first)} to {iso_format(last)}?", abort=True)
        noted = outages.record_outage_by_hand(site, first, last)
    for piece in noted:
        click.echo(f"noted: {iso_format(piece[0])} to {iso_format(piece[1])}")
    click.echo("The next sweep moves the deadlines." if noted else "All of this was given back before.")
