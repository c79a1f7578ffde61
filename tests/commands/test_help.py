"""The texts of `pbem --help` and of each command's help."""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from pbem.cli import main

ROOT = Path(__file__).parents[2]
WIDTH = 80
OTHER_FORMS = re.compile(r"(Also )?(Adds|Calls|Does|Draws|Lets|Lists|Makes|Plays|Prints|Sends|Shows|Stops)\b")


def all_commands_below(command: click.Command, *words: str) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """The command and all below it, each with the words that call it."""
    yield words, command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below is not None
            yield from all_commands_below(below, *words, name)


COMMANDS = [pytest.param(words, command, id=" ".join(("pbem", *words))) for words, command in all_commands_below(main)]
GROUPS = [param for param in COMMANDS if isinstance(param.values[1], click.Group)]
BELOW = [param for param in COMMANDS if param.values[0]]


@pytest.mark.parametrize(("words", "group"), GROUPS)
def test_every_command_summary_fits_on_its_line(words: tuple[str, ...], group: click.Group) -> None:
    told = CliRunner().invoke(main, [*words, "--help"], terminal_width=WIDTH).stdout
    summaries = dict(re.findall(r"^  ([\w-]+)  +(.+)$", told.partition("Commands:\n")[2], re.MULTILINE))
    assert list(summaries) == group.list_commands(click.Context(group))
    for name, summary in summaries.items():
        assert re.fullmatch(r".*[^.]\.", summary), f"{name}: {summary}"
    assert all(len(line) <= WIDTH for line in told.splitlines())


@pytest.mark.parametrize(("words", "command"), BELOW)
def test_every_command_summary_begins_with_an_imperative(words: tuple[str, ...], command: click.Command) -> None:
    first = command.get_short_help_str(WIDTH).split()[0].rstrip(",:")
    assert re.fullmatch(r"[A-Z][a-z]+", first), first
    assert not first.endswith(("s", "ed")), first
    assert not first.endswith("ing") or first == "Bring", first


@pytest.mark.parametrize(("words", "command"), BELOW)
def test_every_options_help_is_in_the_imperative(words: tuple[str, ...], command: click.Command) -> None:
    for option in command.params:
        if isinstance(option, click.Option) and option.help:
            assert not OTHER_FORMS.match(option.help), f"{option.name}: {option.help}"


VERBS = {"answers", "bounces", "calls", "does", "refuses", "speaks"}
COUNT = re.compile(r" ([a-z’']{3,}s)\b")


def test_every_number_that_a_command_prints_has_a_singular_form() -> None:
    """Numbers before a plural are formatted by `pluralize`, which handles the singular, too."""
    wrong = []
    for file in sorted((ROOT / "pbem" / "commands").glob("*.py")):
        strings = (node for node in ast.walk(ast.parse(file.read_text())) if isinstance(node, ast.JoinedStr))
        for string in strings:
            for value, after in itertools.pairwise(string.values):
                if isinstance(value, ast.FormattedValue) and isinstance(after, ast.Constant):
                    found = COUNT.match(str(after.value))
                    if found and found[1] not in VERBS:
                        wrong.append(f"{file}:{string.lineno}: {ast.unparse(value.value)} {found[1]}")
    assert wrong == []
