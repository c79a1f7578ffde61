"""`pbem address`: addresses that get no mail, because their owner or the host says so or a mail server does."""

import click

from pbem.clock import iso_format
from pbem.commands.host import open_site_from_environment
from pbem.commands.terminal import pluralize, print_table
from pbem.render.addresses import mask_address
from pbem.services.players import players, suppressions
from pbem.services.privacy import erasure

WHY = {"asked": "its owner asked for none", "blocked": "blocked by the host", "host": "bounces", "": "bounces"}


@click.group()
def address() -> None:
    """List, block or unblock addresses, or erase a player."""


@address.command("list")
@click.option("--addresses", is_flag=True, help="Show the addresses in full.")
def list_suppressed_addresses(addresses: bool) -> None:
    """List the addresses that get no mail, latest first.

    For one that never played, only a keyed hash is known.
    """
    with open_site_from_environment() as site:
        unwanted = suppressions.list_suppressed_addresses(site)
    rows = []
    for one in unwanted:
        shown = f"({one.digest[:12]})" if not one.address else one.address if addresses else mask_address(one.address)
        rows.append((shown, iso_format(one.since), WHY.get(one.reason) or f"bounces ({one.reason})"))
    print_table(("address", "since", "why"), rows, "Mail goes to every address.")


@address.command()
@click.argument("address")
def block(address: str) -> None:
    """Send nothing to ADDRESS any more. Its seats stay; the clock moves at their deadlines."""
    with open_site_from_environment() as site:
        players.block_address(site, address)
    click.echo(f"Nothing is sent to {address} any more.")


@address.command()
@click.argument("address")
def bounces(address: str) -> None:
    """Record that mail to ADDRESS bounces.

    For a mail server that accepts mail first and bounces it later. Its matches show it. Nothing is sent
    there until its owner asks for a mail on a page and uses the link in it, or until `unblock`.
    """
    with open_site_from_environment() as site:
        known = suppressions.note_bounce(site, address)
    if not known:
        raise click.ClickException(f"Nobody plays here with the address {address}.")
    click.echo(f"Mail to {address} bounces: its tables see it, and nothing more is sent there.")


@address.command()
@click.argument("address", required=False)
@click.option("--even-if-asked", is_flag=True, help="Also when its owner asked never to be mailed again.")
@click.option("--all-bouncing", is_flag=True, help="Every address that bounces: after a mail server refused them all.")
def unblock(address: str | None, even_if_asked: bool, all_bouncing: bool) -> None:
    """Let mail go to ADDRESS again. Missed mails that are still of use are sent."""
    if (address is None) is not all_bouncing:
        raise click.UsageError("Name one address, or say --all-bouncing.")
    with open_site_from_environment() as site:
        if address is None:
            click.echo(f"Mail goes again to addresses that bounced: {suppressions.clear_all_bounces(site)}.")
            return
        reason = suppressions.unblock_address(site, address, even_if_asked=even_if_asked)
    if reason is None:
        click.echo(f"{address} was not blocked.")
    elif reason == "asked" and not even_if_asked:
        hint = "If the owner has changed their mind: --even-if-asked."
        raise click.ClickException(f"The owner of {address} asked for no mail, so it stays blocked. {hint}")
    else:
        click.echo(f"Mail goes to {address} again.")


@address.command()
@click.argument("address", required=False)
@click.option("--number", type=click.IntRange(1), help="The player's number, from the log line of their erasure.")
@click.option("--never", is_flag=True, help="Never send anything to the address again.")
@click.option("--yes", is_flag=True, help="Do not ask.")
def erase(address: str | None, number: int | None, never: bool, yes: bool) -> None:
    """Erase the player with ADDRESS, as they can do themselves.

    With --number, erase them again after a restored backup has brought them back.
    """
    if (address is None) is (number is None):
        raise click.UsageError("Name one address, or say --number.")
    with open_site_from_environment() as site:
        player = erasure.find_player_to_erase(site, address=address, number=number)
        if player is None:
            raise click.ClickException("There is no such player, or not any more.")
        if not yes:
            sits = pluralize(player.matches, "match", "matches")
            called = "the guest" if player.address is None else mask_address(player.address)
            click.confirm(f"Erase {called}, who sits in {sits}, for ever?", abort=True)
        erasure.erase_player(site, player.number, never=never)
    click.echo(f"The player with the number {player.number} is erased.")
