"""`pbem address`: addresses that get no mail."""

import click

from pbem.commands.desk import desk
from pbem.services import players


@click.group()
def address() -> None:
    """Blocks an address, so that nothing is sent to it, or unblocks it."""


@address.command()
@click.argument("address")
def block(address: str) -> None:
    """Sends nothing to ADDRESS any more. Its seats stay; at their deadlines the clock plays."""
    with desk() as site:
        players.block_address(site, address)
    click.echo(f"Nothing is sent to {address} any more.")


@address.command()
@click.argument("address")
@click.option("--even-if-asked", is_flag=True, help="Also when its owner asked never to be mailed again.")
def unblock(address: str, even_if_asked: bool) -> None:
    """Lets mail go to ADDRESS again."""
    with desk() as site:
        reason = players.unblock_address(site, address, even_if_asked=even_if_asked)
    if reason is None:
        click.echo(f"{address} was not blocked.")
    elif reason == "asked" and not even_if_asked:
        hint = "If the owner has changed their mind: --even-if-asked."
        raise click.ClickException(f"The owner of {address} asked for no mail, so it stays blocked. {hint}")
    else:
        click.echo(f"Mail goes to {address} again.")
