"""What commands have in common: text without control characters, tables with aligned columns, logs read from files."""

import unicodedata
from collections.abc import Iterable, Sequence
from typing import BinaryIO

import click

from pbem.errors import Problem
from pbem.games import find_game
from pbem.kit.logs.log_errors import BadLog
from pbem.kit.logs.logfile import MAX_BYTES, Log, read
from pbem.render.problems import problem_sentence


def printable(text: str) -> str:
    """Returns the text on one line with control and direction characters as `\\x1b`: a foreign log must not steer it.

    >>> printable("a\\x1b[2Jb")
    'a\\\\x1b[2Jb'
    """
    steering = ("Cc", "Cf", "Zl", "Zp", "Cs")
    return "".join(repr(c)[1:-1] if unicodedata.category(c) in steering else c for c in text)


def pluralize(number: int, one: str, many: str) -> str:
    """Returns the number with its noun, singular or plural; a verb in the same form may follow the noun.

    >>> pluralize(1, "match waits", "matches wait"), pluralize(0, "match waits", "matches wait")
    ('1 match waits', '0 matches wait')
    """
    return f"{number} {one if number == 1 else many}"


def align_columns(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Returns the rows below their head, each column as wide as its widest cell."""
    table = [list(head), *([printable(cell) for cell in row] for row in rows)]
    widths = [max(len(row[i]) for row in table) for i in range(len(head))]
    return ["  ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)).rstrip() for row in table]


def print_table(head: Sequence[str], rows: Sequence[Sequence[str]], nothing: str) -> None:
    """Prints the rows below their head, or without any the sentence that says so."""
    click.echo("\n".join(align_columns(head, rows)) if rows else nothing)


COLOURS = {"OK": "green", "WARN": "yellow", "HINT": "yellow", "FAIL": "red"}


def print_finding(level: str, check: str, said: str, todo: str = "") -> None:
    """Prints what a check has found, and what to do about it."""
    click.echo(f"{click.style(f'{level:4}', fg=COLOURS[level])}  {check}: {printable(said)}")
    if todo:
        click.echo(f"      → {printable(todo)}")


def click_exception_of_problem(problem: Problem) -> click.ClickException:
    """Returns the problem as the command line says it, in English."""
    return click.ClickException(printable(problem_sentence(problem, "en")))


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
        raise bad_log_error(file, error) from error


def bad_log_error(file: BinaryIO, error: BadLog) -> click.ClickException:
    """Returns the error for the command line, with the number of the entry at fault, if any."""
    return click.ClickException(f"{file.name} is no log that can be read: {printable(str(error))}.")
