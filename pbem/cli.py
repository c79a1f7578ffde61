"""The command `pbem`: a group whose subcommands are imported only when they are asked for."""

from __future__ import annotations

import errno
import os
import signal
import sys
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from typing import Any

import click

from pbem.config import Config, ConfigError, mode_of, raise_package_mistakes
from pbem.discovery import attributes_of_features, clashes_of_names, folder_of_package, packages_of_features
from pbem.environment import Mode, Reader
from pbem.games import list_faults
from pbem.run.preloading import preload_modules, without_garbage_collection

# Commands that live beside this module: name -> "module:attribute". Only the one that runs is imported.
ELSEWHERE: dict[str, str] = {
    "address": "pbem.commands.addresses:address",
    "backup": "pbem.commands.backup:backup",
    "doctor": "pbem.commands.doctor:doctor",
    "mail": "pbem.commands.mails:mail",
    "match": "pbem.commands.matches:match",
    "outage": "pbem.commands.outage:outage",
    "secret": "pbem.commands.secret:secret",
    "verify": "pbem.commands.verify:verify",
}


UNIX = {"fcntl", "resource"}
"""Modules of the standard library that Windows lacks: the web server and `pbem run` stand on them."""


class Commands(click.Group):
    """A group that finds commands here, in `ELSEWHERE` and in features, and says in a sentence what is lacking.

    A feature has a module `commands` with `COMMANDS`. It is imported for what no other command is called, and for help.
    """

    def list_commands(self, ctx: click.Context) -> list[str]:
        on = Reader(os.environ, "embedded").features()
        return sorted(
            {*super().list_commands(ctx), *ELSEWHERE, *(name for one in on for name in _commands_of_feature(one))}
        )

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in ELSEWHERE:
            return super().get_command(ctx, cmd_name) or _command_of_feature(cmd_name)
        name, attribute = ELSEWHERE[cmd_name].split(":")
        [module] = preload_modules(name)
        command: click.Command = getattr(module, attribute)
        return command

    def invoke(self, ctx: click.Context) -> Any:
        try:
            done = super().invoke(ctx)
            if sys.stdout is not None:  # it is where a shell has closed it
                sys.stdout.flush()  # while it can still be said that there is no room for it
            return done
        except ConfigError as error:
            raise click.ClickException(str(error)) from error
        except ModuleNotFoundError as error:
            if error.name not in UNIX:
                raise
            raise click.ClickException("pbem needs Linux or macOS. On Windows it runs inside WSL.") from error
        except Exception as error:
            from pbem.run.reasons import explain_error

            said = explain_error(error)
            if said is None or getattr(error, "errno", None) == errno.EPIPE:
                raise
            _discard_output()
            raise click.ClickException(said) from error


def _command_of_feature(name: str) -> click.Command | None:
    """Returns the command of this name of a feature; None if there is none.

    Of a process of a feature that is off, it waits. Raises ConfigError, and ClickException if the feature is off.
    """

    def has_no_module(feature: str) -> bool:
        return not os.path.exists(
            folder_of_package(packages_of_features()[feature]) / "commands" / f"{name.replace('-', '_')}.py"
        )

    # One that has a module `commands.<name>` is asked first, and spares the import of the others.
    for feature in sorted(packages_of_features(), key=has_no_module):
        if (command := _commands_of_feature(feature).get(name)) is not None:
            read = Reader(os.environ, "embedded")
            on = read.features()
            if read.problems:
                raise ConfigError(read.problems)
            if feature not in on:
                said = f"`pbem {name}` belongs to the feature {feature}, which PBEM_FEATURES leaves out."
                if name in (
                    one.name for some in attributes_of_features("settings", "PROCESSES", (feature,)) for one in some
                ):
                    return _waiting_process_of_off_feature(command, said)
                raise click.ClickException(said)
            check_commands_are_distinct()
            return command
    return None


def _waiting_process_of_off_feature(process: click.Command, why: str) -> click.Command:
    """Returns what a process of a feature does while that is off: it may be started, and ended, with the others."""

    def wait() -> None:
        load_config()  # as every process, it ends at once with wrong settings
        ends = {signal.SIGTERM, signal.SIGINT}
        signal.pthread_sigmask(signal.SIG_BLOCK, ends)
        click.echo(f"{why} It waits for its end.", err=True)
        signal.sigwait(ends)

    return click.Command(process.name, callback=wait, params=process.params, help=f"{process.help}\n\n{why}")


def _commands_of_feature(feature: str) -> dict[str, click.Command]:
    """Returns the commands that a feature adds, by name."""
    module = f"{packages_of_features()[feature]}.commands"
    if find_spec(module) is None:
        return {}
    [commands] = preload_modules(module)
    return {str(command.name): command for command in getattr(commands, "COMMANDS", ())}


def _discard_output() -> None:
    """Discards what cannot be written: at its end Python would try again, and exit with 120."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def load_config() -> Config:
    """Returns the settings for a command typed by a host. Raises ConfigError.

    PBEM_MODE decides; without it a DATABASE_URL means production, and none means the folder of `pbem run`. Commands
    that need an existing database use `pbem.commands.host`.
    """
    named = os.environ.get("PBEM_MODE") or os.environ.get("DATABASE_URL")
    mode: Mode = mode_of(os.environ) if named else "embedded"
    check_commands_are_distinct()
    return Config.from_env(os.environ, mode)


def check_commands_are_distinct() -> None:
    """Raises ConfigError if a feature of a package has a command that the core or another feature has, too."""
    raise_package_mistakes(clashes_of_names("command", {*ELSEWHERE, *main.commands}, _commands_of_feature))


def describe_version() -> str:
    """Returns the version of the installed package, the schema that it brings, and the Python under it, in a line."""
    import platform

    from pbem.models.schema.revisions import NEWEST_SCHEMA

    try:
        installed = version("pbem")
    except PackageNotFoundError:
        installed = "(not installed)"
    return f"pbem {installed}, schema {NEWEST_SCHEMA}, Python {platform.python_version()}"


def _print_version(ctx: click.Context, _option: click.Parameter, wanted: bool) -> None:
    if wanted:
        click.echo(describe_version())
        ctx.exit()


@click.group(cls=Commands)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_version,
    help="Show the version, the database schema and Python, and exit.",
)
def main() -> None:
    """Board games by email."""


@main.command()
@click.option(
    "--reload", is_flag=True, help="For authors: play a game of a package as it is edited, without a restart."
)
def run(reload: bool) -> None:
    """Start everything on this machine: pages, worker, broker. Ctrl-C stops it."""
    preload_modules("pbem.run.embedded")
    from pbem.run.embedded import LaunchError, run_embedded

    # A compiled module counts as new if its source was written in the same second and is as long.
    sys.dont_write_bytecode = sys.dont_write_bytecode or reload
    check_commands_are_distinct()
    with without_garbage_collection():
        faults = [*list_faults()]
    for _slug, _origin, said in faults:  # said here once, not by each process
        click.echo(f"pbem: {said}", err=True)
    try:
        run_embedded(os.environ, reload=reload)
    except LaunchError as error:
        raise click.ClickException(str(error)) from error


@main.command()
@click.option("--wait", default=60, show_default=True, help="Seconds to wait for a database that does not answer.")
def migrate(wait: int) -> None:
    """Bring the database's tables up to date.

    Of a SQLite file, a copy from before is kept beside it.
    """
    preload_modules("pbem.models.schema.upgrade", "pbem.services.monitoring.probes")
    from pbem.models.schema.upgrade import NotUpgraded, upgrade_database
    from pbem.services.monitoring.probes import Away, await_database

    config = load_config()
    try:
        await_database(config, wait, lambda line: click.echo(line, err=True))
    except Away as error:
        raise click.ClickException(str(error)) from error
    try:
        upgrade_database(config.database_url, lambda line: click.echo(line, err=True))
    except NotUpgraded as error:
        raise click.ClickException(str(error)) from error


if __name__ == "__main__":
    main()
