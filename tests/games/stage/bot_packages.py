"""Packages that offer a bot, installed for as long as a test runs."""

from __future__ import annotations

import importlib
import itertools
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pbem.games import look_for_games

CODE = """
from pbem.kit.contract import PackagedBot
from pbem.kit.texts import Text

asked = []


def choose(view, seat, chance):
    asked.append((view, seat, chance))
    {body}


BOT = PackagedBot(choose, Text("Rusé", "Wily"), Text("prend le premier coup.", "takes the first move."), {version})
{more}
"""
FIRST = "return view.legal[0]"
_NUMBERS = itertools.count(1)
Offer = Callable[..., str]


def look_again() -> None:
    """Discovers games and bots again, as a new process does."""
    importlib.invalidate_caches()
    look_for_games.cache_clear()
    look_for_games()


@pytest.fixture
def offer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Offer]:
    """Yields what installs a package with a bot; it returns the name of its module.

    `body` is what the bot does, `more` code behind it, `code` all of it.
    """
    made: list[str] = []

    def install(
        point: str = "hogen.wily", body: str = FIRST, *, more: str = "", version: int = 3, code: str | None = None,
        group: str = "pbem.bots",
    ) -> str:  # fmt: skip
        name = f"wily{next(_NUMBERS)}"
        (tmp_path / f"{name}.py").write_text(
            CODE.format(body=body, more=more, version=version) if code is None else code
        )
        info = tmp_path / f"{name}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text(f"[{group}]\n{point} = {name}:BOT\n")
        made.append(name)
        look_again()
        return name

    with monkeypatch.context() as patched:
        patched.syspath_prepend(tmp_path)
        yield install
    look_again()
    for name in made:
        sys.modules.pop(name, None)
