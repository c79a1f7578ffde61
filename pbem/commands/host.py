"""Opens the site for a host command, prints which one it is, and turns its errors into one sentence each."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

import click
from sqlalchemy import inspect
from sqlalchemy.exc import DBAPIError

from pbem.cli import load_config
from pbem.commands.terminal import click_exception_of_problem
from pbem.config import Config
from pbem.environment import data_folder, mask_password
from pbem.errors import Problem
from pbem.services.site import Site, open_site


@contextmanager
def open_site_from_environment() -> Iterator[Site]:
    """Opens the site that the environment names; prints its mode and database on stderr.

    PBEM_MODE decides; without it a DATABASE_URL means production, and a database in the data folder the one
    of `pbem run`. Creates nothing, and wakes no worker: it looks by itself every few seconds.

    Raises ConfigError, click.ClickException.
    """
    config = _config_with_existing_database()
    click.echo(f"{config.mode}: {mask_password(config.database_url)}", err=True)
    site = open_site(config)
    try:
        if not inspect(site.engine).has_table("matches"):
            raise click.ClickException("This database has no tables yet. `pbem migrate` makes them.")
        yield site
    except DBAPIError as error:
        raise click.ClickException(f"The database does not do this: {error.orig}") from error
    except Problem as problem:
        raise click_exception_of_problem(problem) from problem
    finally:
        site.engine.dispose()


def _config_with_existing_database() -> Config:
    if not (os.environ.get("PBEM_MODE") or os.environ.get("DATABASE_URL")):
        file = data_folder(os.environ) / "pbem.db"
        if not file.is_file():
            hint = "Set PBEM_DATA to the folder of `pbem run`, or the settings of production (docs/hosting.md)."
            raise click.ClickException(f"There is no database at {file}. {hint}")
    config = load_config()
    path = config.database_url.removeprefix("sqlite:///")
    if path != config.database_url and not os.path.isfile(path):
        raise click.ClickException(f"There is no database at {path}. `pbem run` or `pbem migrate` makes it.")
    return config
