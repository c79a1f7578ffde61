"""A game of an installed package is loaded without what no game need offer, and refused without what each must."""

import importlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pbem.games import OPTIONAL, TEXTS, BrokenGame, all_games, found_games
from pbem.kit.bots import bots_of, thinks

MODULE = """
from msgspec.structs import replace

from pbem.games.hogen import GAME as HOGEN
from pbem.kit.contract import Game


class Copy:
    pass


GAME = Copy()
for name in vars(Game):
    if not name.startswith("_") and name not in {without!r}:
        setattr(GAME, name, getattr(HOGEN, name))
GAME.meta = replace(HOGEN.meta, slug="copy")
"""


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    """Yields what installs a package with the game *copy*, which is Hogen without the faces that are named."""
    found_games.cache_clear()

    def make(*without: str) -> None:
        package, info = tmp_path / "copy_of_hogen", tmp_path / "copy_of_hogen-1.0.dist-info"
        package.mkdir()
        info.mkdir()
        (package / "__init__.py").write_text(MODULE.format(without=without))
        for name in TEXTS:
            (package / name).write_text("")
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: copy-of-hogen\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text("[pbem.games]\ncopy = copy_of_hogen:GAME\n")
        monkeypatch.syspath_prepend(tmp_path)
        importlib.invalidate_caches()

    yield make
    found_games.cache_clear()
    sys.modules.pop("copy_of_hogen", None)


def test_a_game_that_offers_no_imagination_is_loaded_and_has_bots_that_do_not_think(
    install: Callable[..., None],
) -> None:
    install(*OPTIONAL)
    game = all_games()["copy"]
    assert (game.imagine, game.playout, game.estimate) == (None, None, None)
    assert not any(thinks(name) for name in bots_of(game))


def test_a_game_without_a_face_that_each_must_have_is_refused(install: Callable[..., None]) -> None:
    install("fallback")
    with pytest.raises(BrokenGame, match=r"the game 'copy' of copy-of-hogen 1\.0 is no game: it lacks fallback"):
        all_games()
