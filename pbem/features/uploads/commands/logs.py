"""`pbem logs`: deletes uploaded logs."""

import click

from pbem.commands.host import open_site_from_environment
from pbem.features.uploads import uploaded_logs
from pbem.services.who import HOST


@click.group()
def logs() -> None:
    """Delete uploaded logs.

    They expire by themselves: a log opened on a page after a day, one sent by a program after a month.
    """


@logs.command()
@click.argument("log_id", metavar="ID")
@click.option("--yes", is_flag=True, help="Do not ask first.")
def delete(log_id: str, yes: bool) -> None:
    """Delete a log, no matter who uploaded it. ID is the last part of the address of its page."""
    if not yes:
        click.confirm("Throw this log away? It cannot be had back.", abort=True)
    with open_site_from_environment() as site:
        uploaded_logs.remove_log(site, HOST, log_id)
    click.echo("The log is gone.")
