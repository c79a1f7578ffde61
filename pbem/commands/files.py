"""Portable logs as files: reads them up to a maximum size, and says in one sentence what is wrong with one."""

from typing import BinaryIO

import click

from pbem.commands.terminal import pluralize, printable
from pbem.games import find_game
from pbem.kit.logs.log_errors import BadLog
from pbem.kit.logs.logfile import MAX_BYTES, Log, read


def read_log(file: BinaryIO) -> Log:
    """Returns the log in the file. Reads no more of the file than the largest log has.

    Raises click.ClickException.
    """
    data = file.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise click.ClickException(f"{file.name} is no log: it has more than {pluralize(MAX_BYTES, 'byte', 'bytes')}.")
    try:
        return read(data, find_game)
    except BadLog as error:
        raise bad_log(file, error) from error


def bad_log(file: BinaryIO, error: BadLog) -> click.ClickException:
    """Returns the error for the command line, with the number of the entry at fault, if any."""
    return click.ClickException(f"{file.name} is no log that can be read: {printable(str(error))}.")
