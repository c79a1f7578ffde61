"""The games: each is a folder with an object `GAME`, found by discovery."""

import functools
import importlib
import pkgutil

from pbem.kit.contract import AnyGame


@functools.cache
def all_games() -> dict[str, AnyGame]:
    """Every game by its slug, in the order of the folders' names."""
    games: dict[str, AnyGame] = {}
    for folder in sorted(module.name for module in pkgutil.iter_modules(__path__) if module.ispkg):
        game: AnyGame = importlib.import_module(f"{__name__}.{folder}").GAME
        if game.meta.slug.replace("-", "_") != folder:
            raise ValueError(f"the game in {folder} calls itself {game.meta.slug!r}")
        games[game.meta.slug] = game
    return games


def find_game(slug: str) -> AnyGame | None:
    """The game of this slug, or None."""
    return all_games().get(slug)
