"""`pbem backup`: a copy of a small host's database, also while it runs."""

import os
import sqlite3
from contextlib import suppress
from pathlib import Path

import click

from pbem.cli import load_config
from pbem.commands.terminal import pluralize
from pbem.config import fsync_folder
from pbem.models.schema.upgrade import copy_sqlite


@click.command()
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
def backup(file: Path) -> None:
    """Copy the SQLite database to FILE while the service goes on.

    The copy is one consistent state. It holds everything, hands and addresses included: only its owner may read it.
    The secret is not in it; keep it too.
    """
    config = load_config()
    if not config.database_url.startswith("sqlite:///"):
        command = 'pg_dump --format=custom --file=FILE "$DATABASE_URL"'
        inside = "docker compose exec -T postgres pg_dump --username pbem --format=custom pbem > FILE"
        message = f"This database is PostgreSQL, which brings its own tool: {command}; with containers: {inside}"
        raise click.ClickException(message)
    source = Path(config.database_url.removeprefix("sqlite:///"))
    if not source.is_file():
        raise click.ClickException(f"There is no database at {source}.")
    if file.exists():
        raise click.ClickException(f"{file} is there already; a backup replaces nothing. Take another name.")
    draft = file.with_name(f"{file.name}.part")
    try:
        copy_sqlite(source, draft)
        os.replace(draft, file)
        fsync_folder(file.parent)
    except (OSError, sqlite3.Error) as error:
        with suppress(OSError):  # the first error is the one to tell
            draft.unlink()
        raise click.ClickException(f"The backup was not made: {error}") from error
    size = pluralize(file.stat().st_size, "byte", "bytes")
    click.echo(f"{file}: {size}. Keep {config.data / 'secret'} (or PBEM_SECRET) with it.")
