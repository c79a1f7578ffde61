"""`pbem run --reload`: an edited game is played by the next request, and one that no longer imports is told."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import chdir, closing
from http.client import HTTPConnection
from importlib import invalidate_caches
from pathlib import Path

import pytest
from click.testing import CliRunner

from pbem.cli import main
from pbem.games import all_games, look_for_games
from pbem.run.reloading import Packages
from tests.harness.waiting import SECONDS, wait_until
from tests.production.sink import free_port
from tests.production.topology import ROOT


@pytest.fixture
def game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The module of a game that is installed so that what is edited is what is played."""
    with chdir(tmp_path):
        assert CliRunner().invoke(main, ["new-game", "farkle"]).exit_code == 0
    info = tmp_path / "farkle" / "farkle-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: farkle\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[pbem.games]\nfarkle = farkle:GAME\n")
    with monkeypatch.context() as patched:
        patched.syspath_prepend(tmp_path / "farkle")
        patched.setattr(sys, "dont_write_bytecode", False)
        invalidate_caches()
        look_for_games.cache_clear()
        yield tmp_path / "farkle" / "farkle" / "__init__.py"
        Packages().forget_imports()
    look_for_games.cache_clear()


def edit_file(file: Path, before: str, after: str) -> None:
    """Writes the file with other words in it."""
    text = file.read_text("utf-8")
    assert before in text
    file.write_text(text.replace(before, after), "utf-8")


def test_an_edit_of_a_package_is_noticed_once_and_read_at_the_next_import(game: Path) -> None:
    packages = Packages()
    assert all_games()["farkle"].meta.minutes == 10
    (game.parent / "__pycache__").mkdir()  # as tests of its author do
    assert not packages.have_changed()
    for number in (11, 12):  # as long as before, and most likely in the same second
        edit_file(game, f"(2, 3, 4), {number - 1}, 1", f"(2, 3, 4), {number}, 1")
        assert packages.have_changed()
        assert not packages.have_changed()
        assert all_games()["farkle"].meta.minutes == 10 if number == 11 else 11
        packages.forget_imports()
        assert all_games()["farkle"].meta.minutes == number
    (game.parent / "RULES.en.md").unlink()
    assert packages.have_changed()


def test_reload_ignores_what_editors_and_checkers_leave_in_a_package(game: Path) -> None:
    packages = Packages()
    (game.parent / ".rules.py.swp").write_text("Vim")
    (game.parent / "rules.py~").write_text("Emacs")
    for folder in ("__pycache__", ".mypy_cache"):
        (game.parent / folder).mkdir(exist_ok=True)
        (game.parent / folder / "rules.json").write_text("{}")
    assert not packages.have_changed()
    (game.parent / "moves.py").write_text("")
    assert packages.have_changed()


SETTINGS = ("PBEM_", "DATABASE_URL", "REDIS_URL", "SMTP_URL")
"""How the names of variables begin that this terminal may have set, and a newcomer's has not."""


class Running:
    """A `pbem run --reload`."""

    def __init__(self, folder: Path, package: Path) -> None:
        self.port, self.log = free_port(), folder / "log"
        environ = {
            **{name: value for name, value in os.environ.items() if not name.startswith(SETTINGS)},
            "PORT": str(self.port), "PBEM_DATA": str(folder / "data"), "PYTHONPATH": f"{package}:{ROOT}",
        }  # fmt: skip
        with self.log.open("w") as errors:
            argv = [sys.executable, "-m", "pbem.cli", "run", "--reload"]
            self.process = subprocess.Popen(argv, cwd=ROOT, env=environ, stdout=errors, stderr=errors)

    def page(self) -> str:
        """Returns the page of all games, on a new connection, which is never refused once it has begun."""
        with closing(HTTPConnection("127.0.0.1", self.port, timeout=SECONDS)) as line:
            line.request("GET", "/games", headers={"Accept-Language": "en"})
            answer = line.getresponse()
            assert answer.status == 200
            return answer.read().decode()

    def shows(self, text: str) -> None:
        """Waits until the page has the text. While pbem starts again, who asks waits."""
        wait_until(lambda: text in self.page(), f"the page shows {text}")

    def has_said(self, text: str) -> bool:
        return text in self.log.read_text("utf-8")


@pytest.mark.slow
def test_an_edited_game_is_played_by_the_next_request_without_a_restart(game: Path, tmp_path: Path) -> None:
    running = Running(tmp_path, game.parent.parent)
    try:
        wait_until(lambda: running.has_said(f"http://127.0.0.1:{running.port}\n"), "pbem has started")
        assert "Roll as long as you dare" in running.page()
        edit_file(game, "Roll as long as you dare", "Roll as often as you dare")
        running.shows("Roll as often as you dare")
        wait_until(lambda: running.log.read_text("utf-8").count("worker.ready") == 2, "the worker has it, too")
        edit_file(game, "def begin(", "def begin(:")
        running.shows("farkle")
        running.shows("This game is not available at the moment.")
        assert "Hogen" in running.page()
        assert running.has_said("pbem: the game 'farkle' of farkle 1.0 cannot be loaded: SyntaxError: ")
        edit_file(game, "def begin(:", "def begin(")
        running.shows("Roll as often as you dare")
        assert "ended by itself" not in running.log.read_text("utf-8")
    finally:
        running.process.send_signal(signal.SIGINT)
        status = running.process.wait(SECONDS)
    assert status == 0
    assert "Traceback" not in running.log.read_text("utf-8")


@pytest.mark.slow
def test_ctrl_c_ends_a_run_whose_import_hangs(game: Path, tmp_path: Path) -> None:
    running, hangs = Running(tmp_path, game.parent.parent), tmp_path / "hangs"
    try:
        wait_until(lambda: running.has_said(f"http://127.0.0.1:{running.port}\n"), "pbem has started")
        with game.open("a", encoding="utf-8") as file:
            file.write(f"open({str(hangs)!r}, 'w').close()\nwhile True: pass\n")
        wait_until(hangs.exists, "it is imported")
        running.process.send_signal(signal.SIGINT)
        assert running.process.wait(SECONDS) == 0
    finally:
        running.process.kill()
        running.process.wait()
    assert not running.has_said("Traceback")
    assert not running.has_said("ended by itself")
