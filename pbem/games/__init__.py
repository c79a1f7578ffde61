"""The games, found by discovery: ours are the folders here, others come in installed packages.

A package offers a game by an entry point of the group `pbem.games`: its name is the game's slug, its value the game
object, as in `nim = "nim:GAME"`. The game's texts and symbols are in the package that the entry point names.
"""

import functools
import pkgutil
from collections.abc import Iterator
from importlib.metadata import EntryPoint, entry_points
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import NamedTuple

from pbem.kit.contract import AnyGame, Game, Meta

GROUP = "pbem.games"
OPTIONAL = ("imagine", "playout", "estimate")
"""What a game need not offer: see docs/new-game.md."""
TEXTS = ("RULES.fr.md", "RULES.en.md", "NOTATION.fr.md", "NOTATION.en.md", "parts.svg")


class BrokenGame(Exception):
    """A game was found but cannot be played; the message says which, where it comes from, and why."""


class Found(NamedTuple):
    """A game, the package with its texts and symbols, and the distribution that brought it."""

    game: AnyGame
    package: str
    origin: str


@functools.cache
def found_games() -> dict[str, Found]:
    """Returns every game by its slug: ours in the order of their folders' names, then the installed ones by slug.

    Raises BrokenGame. Cached: a game that is installed later needs a restart.
    """
    games: dict[str, Found] = {}
    for slug, found in (*_ours(), *_installed()):
        if slug in games:
            raise BrokenGame(f"there are two games {slug!r}: one of {games[slug].origin}, one of {found.origin}")
        games[slug] = found
    return games


def all_games() -> dict[str, AnyGame]:
    """Returns every game by its slug. Raises BrokenGame."""
    return {slug: found.game for slug, found in found_games().items()}


def find_game(slug: str) -> AnyGame | None:
    """Returns the game of this slug, or None."""
    found = found_games().get(slug)
    return found.game if found else None


def folder_of(slug: str) -> Traversable:
    """Returns the folder of a game's texts and symbols. Raises KeyError."""
    return files(found_games()[slug].package)


def _ours() -> Iterator[tuple[str, Found]]:
    for folder in sorted(module.name for module in pkgutil.iter_modules(__path__) if module.ispkg):
        package = f"{__name__}.{folder}"
        yield _load(folder.replace("_", "-"), EntryPoint(folder, f"{package}:GAME", GROUP), "pbem")


def _installed() -> Iterator[tuple[str, Found]]:
    named = (
        (point.name, f"{point.dist.name} {point.dist.version}", point)
        for point in entry_points(group=GROUP)
        if point.dist
    )
    for slug, origin, point in sorted(named, key=lambda one: one[:2]):
        yield _load(slug, point, origin)


def _load(slug: str, point: EntryPoint, origin: str) -> tuple[str, Found]:
    """Loads the game that the entry point names, with its slug. Raises BrokenGame."""
    where = f"the game {slug!r} of {origin}"
    try:
        game = point.load()
    except Exception as error:  # a foreign module may raise anything when it is imported
        raise BrokenGame(f"{where} cannot be loaded: {type(error).__name__}: {error}") from error
    missing = [
        name for name in vars(Game) if not name.startswith("_") and name not in OPTIONAL and not hasattr(game, name)
    ]
    if missing or not isinstance(game.meta, Meta):
        raise BrokenGame(f"{where} is no game: it lacks {', '.join(missing) or 'a Meta'}")
    for name in OPTIONAL:
        if not hasattr(game, name):
            setattr(game, name, None)
    if game.meta.slug != slug:
        raise BrokenGame(f"{where} calls itself {game.meta.slug!r}")
    absent = [name for name in TEXTS if not (files(point.module) / name).is_file()]
    if absent:
        raise BrokenGame(f"{where} has no {', '.join(absent)} beside its code")
    return slug, Found(game, point.module, origin)
