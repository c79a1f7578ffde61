"""`pbem inbound`: takes mail in, until it is stopped."""

import click

from pbem.cli import load_config
from pbem.run import inbound as process


@click.command()
def inbound() -> None:
    """Take mail in: by LMTP and by IMAP, as the settings say.

    Runs until SIGTERM or Ctrl-C. One such process is enough; a second one does no harm, but for an LMTP port that is
    taken. Where no mail comes in by either way, it waits.
    """
    config = load_config()
    try:
        process.serve(config)
    except OSError as error:
        raise click.ClickException(f"Cannot listen at {config.inbound.lmtp}: {error.strerror or error}.") from error
