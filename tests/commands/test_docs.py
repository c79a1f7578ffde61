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
from tests.commands.conftest import Pbem

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


def settings() -> set[str]:
    """Every variable that is read."""
    environ = Noting()
    mode_of(environ)
    with pytest.raises(ConfigError):
        Config.from_env(environ, "production")
    return environ.asked


def blocks(page: str) -> list[tuple[str, str]]:
    """Returns the fenced blocks of a page: language and text."""
    return BLOCK.findall((ROOT / "docs" / page).read_text())


def commands(page: str) -> list[str]:
    """Returns the lines of a page's shell blocks that call pbem."""
    lines = [line for lang, block in blocks(page) if lang == "sh" for line in block.splitlines()]
    return [line for line in lines if line.startswith("pbem ")]


def test_the_hosting_page_has_a_row_for_every_setting_and_for_no_other() -> None:
    page = (ROOT / "docs" / "hosting.md").read_text()
    assert set(re.findall(r"^\| `([A-Z_]+)` \|", page, re.MULTILINE)) == settings()


def test_the_example_of_an_environment_names_every_setting() -> None:
    named = set(re.findall(r"^#?([A-Z_]+)=", (ROOT / ".env.example").read_text(), re.MULTILINE))
    compose = (ROOT / "docker-compose.yml").read_text()
    read_by_compose = set(re.findall(r"\$\{([A-Z_]+)", compose))
    assert named == settings() | read_by_compose | {"COMPOSE_PROFILES"}


def test_the_containers_are_given_every_setting_that_concerns_them() -> None:
    given = set(re.findall(r"^    ([A-Z_]+): ", (ROOT / "docker-compose.yml").read_text(), re.MULTILINE))
    assert settings() - given == {"PBEM_DATA", "PBEM_HOST", "PORT"}


@pytest.mark.parametrize("line", commands("hosting.md") + commands("commands.md"))
def test_every_command_on_the_pages_exists_with_its_options(line: str) -> None:
    command: click.Command = main
    words = shlex.split(line)[1:]
    while isinstance(command, click.Group):
        name = words.pop(0)
        found = command.get_command(click.Context(command), name)
        assert found is not None, f"there is no command {name}"
        command = found
    command.make_parser(click.Context(command)).parse_args(words)


@pytest.mark.long  # plays as many matches as the command
def test_the_sample_of_random_play_is_what_its_command_prints(bare: Pbem) -> None:
    texts = [text for _, text in blocks("commands.md")]
    at = next(i for i, text in enumerate(texts) if text.startswith("pbem simulate"))
    printed = bare(*shlex.split(texts[at])[1:]).stdout
    assert texts[at + 1] == printed, "docs/commands.md shows other numbers than the command above them"
