"""The pages for hosts document every setting, and only commands that exist."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import click
import pytest

from pbem.cli import main
from pbem.config import Config, ConfigError, mode_of
from pbem.environment import Mode
from tests.commands.conftest import Pbem
from tests.harness.cases import cases
from tests.settings import PRODUCTION, SECRET

ROOT = Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


class Noting(dict[str, str]):
    """An environment that records which variables are read."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: set[str] = set()

    def get(self, key: str, default: Any = None) -> Any:
        self.asked.add(key)
        return super().get(key, default)


def all_settings() -> set[str]:
    """Every variable that is read."""
    environ = Noting()
    mode_of(environ)
    with pytest.raises(ConfigError):
        Config.from_env(environ, "production")
    return environ.asked


def code_blocks_of_page(page: str) -> list[tuple[str, str]]:
    """Returns the fenced blocks of a page: language and text."""
    return BLOCK.findall((ROOT / "docs" / page).read_text())


def commands_on_page(page: str) -> list[str]:
    """Returns the lines of a page's shell blocks that call pbem."""
    lines = [line for lang, block in code_blocks_of_page(page) if lang == "sh" for line in block.splitlines()]
    return [line for line in lines if line.startswith("pbem ")]


def test_the_hosting_page_has_a_row_for_every_setting_and_for_no_other() -> None:
    page = (ROOT / "docs" / "hosting.md").read_text()
    assert set(re.findall(r"^\| `([A-Z_]+)` \|", page, re.MULTILINE)) == all_settings()


def test_the_env_example_names_every_setting() -> None:
    named = set(re.findall(r"^#?([A-Z_]+)=", (ROOT / ".env.example").read_text(), re.MULTILINE))
    compose = (ROOT / "docker-compose.yml").read_text()
    read_by_compose = set(re.findall(r"\$\{([A-Z_]+)", compose))
    assert named == all_settings() | read_by_compose | {"COMPOSE_PROFILES"}


def test_docker_compose_passes_on_every_setting_that_concerns_containers() -> None:
    given = set(re.findall(r"^    ([A-Z_]+): ", (ROOT / "docker-compose.yml").read_text(), re.MULTILINE))
    assert all_settings() - given == {"PBEM_DATA", "PBEM_HOST", "PORT"}


def settings_of_example() -> tuple[dict[str, str], dict[str, str]]:
    """Returns what .env.example sets under *The rest has defaults*, and below that for docker-compose.yml alone."""
    rest = (ROOT / ".env.example").read_text().partition("# The rest has defaults.")[2]
    first, last = (dict(re.findall(r"^#([A-Z_]+)=(.*)$", part, re.MULTILINE)) for part in rest.split("\n\n"))
    assert first
    assert last
    return first, last


def table_of_settings() -> dict[str, tuple[str, str]]:
    """Returns what hosting.md's table of settings says: by variable, what holds on a small host and in production."""
    page = (ROOT / "docs" / "hosting.md").read_text()
    rows = re.findall(r"^\| `([A-Z_]+)` \| ([^|]*) \| ([^|]*) \|", page, re.MULTILINE)
    assert rows
    return {name: (small, production) for name, small, production in rows}


def does_setting_change(mode: Mode, name: str, value: str) -> bool:
    """True if a setting with this value is another than without it."""
    others = PRODUCTION if mode == "production" else {"PBEM_SECRET": SECRET}
    return Config.from_env({**others, name: value}, mode) != Config.from_env(others, mode)


def another_value(value: str) -> str:
    """Returns a value that the same setting takes."""
    return str(int(value) + (1 if int(value) < 2 else -1)) if value.isdigit() else "192.0.2.7"


def test_the_env_example_shows_the_defaults_of_production() -> None:
    given, _ = settings_of_example()
    assert mode_of({}) == given.pop("PBEM_MODE")
    assert {name: value for name, value in given.items() if does_setting_change("production", name, value)} == {}
    assert [
        name for name, value in given.items() if not does_setting_change("production", name, another_value(value))
    ] == []


def test_the_env_example_shows_the_defaults_of_docker_compose() -> None:
    _, given = settings_of_example()
    assert given.pop("COMPOSE_PROFILES") == "mailcatcher"  # which is empty unless somebody asks for it
    compose = (ROOT / "docker-compose.yml").read_text()
    assert given == {name: default for name, default in re.findall(r"\$\{([A-Z_]+):-(.+?)\}", compose) if name in given}


MODES: tuple[Mode, Mode] = ("embedded", "production")


@pytest.mark.long
@cases("column, mode", [*enumerate(MODES)])
def test_the_table_of_settings_shows_the_defaults(column: int, mode: Mode) -> None:
    said = {name: cells[column].strip("`") for name, cells in table_of_settings().items()}
    known = {name: value for name, value in said.items() if re.fullmatch(r"\d+|[\d.]+|var", value)}
    assert len(known) > 15
    assert {name: value for name, value in known.items() if does_setting_change(mode, name, value)} == {}
    assert [name for name, value in known.items() if not does_setting_change(mode, name, another_value(value))] == []
    # What is not a value says that there is none, or how it comes about.
    assert [name for name in said.keys() - known.keys() if re.match(r"\d", said[name])] == []


def test_the_table_marks_as_required_what_production_needs_to_start() -> None:
    with pytest.raises(ConfigError) as caught:
        Config.from_env({}, "production")
    needed = {problem.variable for problem in caught.value.problems}
    assert {name for name, cells in table_of_settings().items() if cells[1].startswith("required")} == needed


@cases("line", commands_on_page("hosting.md") + commands_on_page("commands.md"))
def test_every_command_in_the_docs_exists_with_its_options(line: str) -> None:
    command: click.Command = main
    words = shlex.split(line)[1:]
    while isinstance(command, click.Group):
        name = words.pop(0)
        found = command.get_command(click.Context(command), name)
        assert found is not None, f"there is no command {name}"
        command = found
    command.make_parser(click.Context(command)).parse_args(words)


@pytest.mark.long  # plays as many matches as the command
def test_the_docs_sample_of_random_play_is_what_its_command_prints(bare: Pbem) -> None:
    texts = [text for _, text in code_blocks_of_page("commands.md")]
    at = next(i for i, text in enumerate(texts) if text.startswith("pbem simulate"))
    printed = bare(*shlex.split(texts[at])[1:]).stdout
    assert texts[at + 1] == printed, "docs/commands.md shows other numbers than the command above them"
