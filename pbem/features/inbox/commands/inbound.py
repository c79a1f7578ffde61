"""`pbem inbound`: the process that takes mail in."""

import click

from pbem.cli import load_config
from pbem.features.inbox.settings import INBOUND
from pbem.run.preloading import preload_modules


@click.command()
def inbound() -> None:
    """Take mail in, by LMTP and by IMAP, as the settings say.

    Runs until SIGTERM or Ctrl-C. One such process is enough; a second one does no harm, but for an LMTP port that is
    taken. Where no mail comes in by either way, it waits; so it does while the feature `inbox` is off.
    """
    preload_modules("pbem.features.inbox.ways.serving")
    from pbem.features.inbox.ways.serving import serve_inbound

    config = load_config()
    try:
        serve_inbound(config)
    except OSError as error:
        where = config.group(INBOUND).lmtp
        raise click.ClickException(f"Cannot listen at {where}: {error.strerror or error}.") from error
