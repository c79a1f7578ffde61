"""`pbem secret`: the key that signs every link and token, which `pbem run` keeps in a file."""

import os

import click

from pbem.config import ensure_secret_file
from pbem.environment import data_folder


@click.group()
def secret() -> None:
    """The key that signs every link, reply address and token."""


@secret.command()
def new() -> None:
    """Make another secret where the old one is lost for good.

    Every link, reply address and token of all mails so far stops working. Players ask for new ones with *Send me my
    links*. Replaces no secret that is there.
    """
    data = data_folder(os.environ)
    path = data / "secret"
    if os.environ.get("PBEM_SECRET", "").strip():
        raise click.ClickException("PBEM_SECRET is set, so no file is read. Set it to another one instead.")
    if path.exists() and path.read_bytes().strip():
        raise click.ClickException(f"{path} is there already. Move it away first, if it is to be replaced.")
    path.unlink(missing_ok=True)
    ensure_secret_file(data)
    click.echo(f"{path} is made. The links and tokens of all mails so far do not work any more. Keep a copy of it.")
