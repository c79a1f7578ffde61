"""A host at the keyboard: commands run in this process, on the house's own database, at the house's own time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import click
import pytest
import time_machine
from click.testing import CliRunner, Result

from pbem import clock
from pbem.cli import main
from pbem.features.lab.sealing import redact_log
from pbem.games import find_game
from pbem.kit.contract import Viewer
from pbem.kit.logs import logfile
from pbem.kit.logs.logfile import Log
from pbem.kit.play import Table, random_decisions
from tests.harness.undrawn import undrawn_boards as undrawn_boards
from tests.table import START, House, open_house
from tests.transcripts import log_of

Pbem = Callable[..., Result]
SEED = bytes([7]) * 32


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Pbem:
    """The command `pbem` with an empty data folder and no other settings."""
    for name in ("PBEM_MODE", "DATABASE_URL", "REDIS_URL", "SMTP_URL", "PBEM_URL", "PBEM_FROM"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PBEM_DATA", str(tmp_path))
    monkeypatch.setenv("PBEM_SECRET", "a secret of more than 32 letters for tests")

    def call(*words: str, stdin: str | bytes | None = None) -> Result:
        with time_machine.travel(START, tick=False), pytest.MonkeyPatch.context() as patch:
            stands_at = clock.seconds_since_boot()
            patch.setattr(clock, "seconds_since_boot", lambda: stands_at)
            result = CliRunner().invoke(main, words, input=stdin)
        if result.exception is not None and not isinstance(result.exception, SystemExit | click.ClickException):
            raise result.exception
        return result

    return call


@pytest.fixture
def house(sqlite_url: str, tmp_path: Path) -> Iterator[House]:
    """A site on a SQLite file in the data folder."""
    yield from open_house(sqlite_url, tmp_path)


@pytest.fixture
def pbem(bare: Pbem, house: House) -> Pbem:
    """The command `pbem` on the house's database."""
    return bare


@pytest.fixture(scope="session")
def log_of_hogen() -> Log:
    """The full log of a finished match of Hogen with three seats."""
    return log_from(SEED)


def log_from(seed: bytes) -> Log:
    """The full log of the match of Hogen that random players play out with this seed."""
    game = find_game("hogen")
    assert game is not None
    table = Table(game, 3, game.meta.options(), seed)
    for _ in random_decisions(table):
        pass
    return log_of(table)


def log_for(log: Log, viewer: Viewer) -> bytes:
    """The document that this viewer would be given of the match while it runs."""
    return logfile.log_to_bytes(redact_log(log, viewer))
