"""`pbem webhook`: the host's own webhooks, and players' webhooks that the host stops."""

import click

from pbem.clock import iso_format
from pbem.commands.host import open_site_from_environment
from pbem.commands.terminal import print_table
from pbem.features.webhooks import registry, subjects
from pbem.features.webhooks.chats import PRESETS
from pbem.features.webhooks.sheets import WebhookSheet
from pbem.services.who import HOST

KINDS = subjects.KINDS[1:]


@click.group()
def webhook() -> None:
    """List, add, remove or stop webhooks.

    They are called when something happens in matches that have spectators, with what spectators see.
    """


@webhook.command()
@click.argument("url")
@click.option("--on", "kinds", multiple=True, type=click.Choice(KINDS), default=KINDS, help="What it is called for.")
@click.option("--preset", type=click.Choice(PRESETS), default="standard", show_default=True, help="Form of the calls.")
@click.option("--match", "match_id", help="One match only, by its id.")
@click.option("--lang", type=click.Choice(["fr", "en"]), default="en", show_default=True, help="Language of a chat.")
def add(url: str, kinds: tuple[str, ...], preset: str, match_id: str | None, lang: str) -> None:
    """Call URL from now on. Prints its number, and the secret that signs its calls, for the only time."""
    with open_site_from_environment() as site:
        made, secret = registry.add_webhook(site, HOST, url, kinds, preset, match_id, lang)
    click.echo(f"Webhook {made.id} calls {made.url} from now on.")
    if secret is not None:
        click.echo(secret)


@webhook.command("list")
@click.option("--all", "everybody", is_flag=True, help="Those of players, too.")
def list_webhooks(everybody: bool) -> None:
    """List the host's webhooks.

    Shows their addresses, what they are called for, and whether calls arrive.
    """
    with open_site_from_environment() as site:
        found = [(owner, one) for owner, one in registry.list_all_webhooks(site) if everybody or owner is HOST]
    rows = [
        (str(one.id), "host" if owner is HOST else str(owner), one.url, " ".join(one.kinds), one.preset,
         _state_of_webhook(one))
        for owner, one in found
    ]  # fmt: skip
    print_table(("number", "player", "address", "told", "form", "state"), rows, "There is no webhook.")


def _state_of_webhook(hook: WebhookSheet) -> str:
    since = hook.disabled_at or hook.failing_since
    why = f" ({hook.why})" if hook.why else ""
    return f"{hook.state}{why}" + (f" since {iso_format(since)}" if since else "")


@webhook.command()
@click.argument("number", type=click.IntRange(1))
def remove(number: int) -> None:
    """Delete the host's webhook NUMBER."""
    with open_site_from_environment() as site:
        registry.remove_webhook(site, HOST, number)
    click.echo(f"Webhook {number} is deleted.")


@webhook.command()
@click.argument("number", type=click.IntRange(1))
def enable(number: int) -> None:
    """Call webhook NUMBER again, no matter who owns it. What happened while it was disabled is not sent."""
    with open_site_from_environment() as site:
        registry.enable_webhook_as_host(site, number)
    click.echo(f"Webhook {number} is called again.")


@webhook.command()
@click.argument("number", type=click.IntRange(1))
def stop(number: int) -> None:
    """Stop calling webhook NUMBER, no matter who owns it. Its player sees that, and cannot enable it again."""
    with open_site_from_environment() as site:
        registry.disable_webhook_as_host(site, number)
    click.echo(f"Webhook {number} is called no more.")


COMMANDS = (webhook,)
