"""The package that docs/bots.md builds offers a bot: found once installed, checked, and played against."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from pbem.games import find_game, list_faults
from pbem.kit.bots import bots_of
from pbem.testing.moves import check_bot
from tests.commands.conftest import Pbem
from tests.commands.conftest import bare as bare
from tests.docs.building import ROOT, install_package, write_page_files
from tests.games.stage.bot_packages import look_again


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the package of the page, installed."""
    folder = tmp_path_factory.mktemp("wily")
    install_package(write_page_files(ROOT / "docs" / "bots.md", folder / "source"), folder / "target")
    return folder / "target"


@pytest.fixture(autouse=True)
def wily(package: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with monkeypatch.context() as patched:
        patched.syspath_prepend(package)
        look_again()
        yield
    sys.modules.pop("pbem_wily", None)
    look_again()


def test_the_bot_of_the_page_is_found_and_answers_legally() -> None:
    game = find_game("hogen")
    assert game is not None
    assert [*list_faults()] == []
    for seats in game.meta.seats:
        check_bot("wily", bots_of(game)["wily"], game, seats, game.meta.options(), bytes(32))


def test_the_pages_bot_can_be_chosen_on_the_command_line(bare: Pbem) -> None:
    told = bare("simulate", "hogen", "--seats", "3", "--bots", "wily,random,random", "--matches", "6")
    assert told.exit_code == 0
    assert "won: wily" in told.stdout
    played = bare("play", "hogen", "--lang", "fr", "--bots", "wily", stdin="1\nq\n")
    assert "(wily)" in played.stdout
    assert "échoué" not in played.stdout
