"""A sound game, installed as a package, with or without a fault planted in it: Hunch, a toy on the layer, or ours."""

from __future__ import annotations

import importlib
import itertools
import json
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from pbem.cli import main
from pbem.games import look_for_games

OURS = Path(__file__).parents[2] / "pbem" / "games"
OTHERS = {
    "hunch": Path(__file__).parent / "hunch",
    "pig": OURS.parent / "testing" / "starter" / "pig",
    "sealed": Path(__file__).parents[1] / "kit" / "game" / "sealed",
}
_NUMBERS = itertools.count(1)
Plant = Callable[..., str]


@pytest.fixture
def plant(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Plant]:
    """Yields what installs a game with a text of a file replaced; it returns its slug, another one each time."""
    monkeypatch.syspath_prepend(tmp_path)
    made: list[str] = []

    def install(
        file: str = "", before: str = "", after: str | None = "", game: str = "hunch", point: str = "GAME",
        more: Sequence[tuple[str, str]] = (),
    ) -> str:  # fmt: skip
        slug = f"{game.replace('_', '')}{next(_NUMBERS)}"
        folder, info = tmp_path / slug, tmp_path / f"{slug}-1.0.dist-info"
        shutil.copytree(OTHERS.get(game, OURS / game), folder, ignore=shutil.ignore_patterns("__pycache__"))
        for code in folder.rglob("*.py"):
            text = code.read_text().replace(f"pbem.games.{game}", slug)
            code.write_text(text.replace(f'"{game.replace("_", "-")}"', f'"{slug}"'))
        if after is None:
            (folder / file).unlink()
        elif file:
            text = (folder / file).read_text()
            for old, new in ((before, after), *more):
                assert old in text, f"{file} has no {old!r}"
                text = text.replace(old, new)
            (folder / file).write_text(text)
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {slug}\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text(f"[pbem.games]\n{slug} = {slug}:{point}\n")
        made.append(slug)
        importlib.invalidate_caches()
        look_for_games.cache_clear()
        return slug

    yield install
    look_for_games.cache_clear()
    for name in [name for name in sys.modules if name.partition(".")[0] in made]:
        del sys.modules[name]


def run_check(slug: str, matches: int) -> tuple[int, dict[str, Any]]:
    """Returns the exit status and the JSON of `pbem check`."""
    done = CliRunner().invoke(main, ["check", slug, "--matches", str(matches), "--json"])
    assert done.exception is None or isinstance(done.exception, SystemExit), done.output
    found: dict[str, Any] = json.loads(done.stdout)
    return done.exit_code, found


def list_hints(found: dict[str, Any]) -> list[str]:
    """Returns what may be wrong, each with the name of its check."""
    return [f"{one['check']}: {hint['said']}" for one in found["checks"] for hint in one["hints"]]


def list_faults(found: dict[str, Any]) -> list[str]:
    """Returns what failed, each with the name of its check."""
    return [f"{one['check']}: {fault['said']}" for one in found["checks"] for fault in one["faults"]]
