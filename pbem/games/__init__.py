"""The games, found by discovery: ours are the folders here, others come in installed packages.

A package offers a game by an entry point of the group `pbem.games` (`pbem.packages`): its name is the game's slug, its
value the game object, as in `nim = "nim:GAME"`. The game's texts and symbols are in the package that it names.

A game whose package is broken is unavailable, and `broken_games` says which and why: the site, its commands and its
other games go on without it. Its matches stand still until it is back.

Bots that packages offer for games are found with them: see `bots_of_packages`.
"""

import functools
import pkgutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from importlib.metadata import EntryPoint, distributions
from importlib.resources import files
from importlib.resources.abc import Traversable
from importlib.util import find_spec
from typing import Literal, NamedTuple

from pbem.games import bots_of_packages
from pbem.games.bots_of_packages import GROUP as BOTS
from pbem.kit.bots import LEVELS, extra_bots
from pbem.kit.contract import AnyGame, Meta
from pbem.kit.drawing.svg import symbols_in
from pbem.kit.laws.offered import COVER, NOTATIONS, OPTIONAL, PARTS, TEXTS, faults, missing_faces, wrong_ornaments
from pbem.packages import (
    Offer,
    describe_error,
    entry_points_of_packages,
    offers_of_group,
    origin_of_package,
    why_version_is_unfit,
)

GROUP = "pbem.games"
OURS = "pbem"
"""The origin of our own games."""

Why = Literal["unloadable", "incomplete", "misnamed", "ambiguous", "unfit"]
"""Why a game is broken, in a word that anybody may read: its package cannot be imported, lacks something that every
game has, has another slug than its entry point, has that of another package's game, or is written for another version
of the contract."""


class BrokenGame(Exception):
    """A game was found but cannot be played; the message says which, where it comes from, and why."""

    def __init__(self, why: Why, said: str) -> None:
        super().__init__(said)
        self.why = why


class Broken(NamedTuple):
    """A game that is broken. `said` is a sentence for the host: it may name files of this machine."""

    slug: str
    origin: str
    why: Why
    said: str


class Found(NamedTuple):
    """A game, the package with its texts and symbols, and the distribution that brought it.

    `cover` is the text of its cover, None without one. `wrong` is what cannot be shown and is treated as absent, each
    with the reason, for the host. `useless` are bots of packages for it that are left out: whose each is, and why.
    """

    game: AnyGame
    package: str
    origin: str
    cover: str | None = None
    wrong: tuple[str, ...] = ()
    useless: tuple[tuple[str, str], ...] = ()


@functools.cache
def look_for_games() -> tuple[dict[str, Found], tuple[Broken, ...]]:
    """Returns the games that can be played, by their slugs, and those that are broken; see `found_games`.

    Cached: a game that is installed or mended later needs a restart.
    """
    folders = sorted(module.name for module in pkgutil.iter_modules(__path__) if module.ispkg)
    own_points = ((folder, EntryPoint(folder, f"{__name__}.{folder}:GAME", GROUP)) for folder in folders)
    own = [Offer(folder.replace("_", "-"), OURS, point) for folder, point in own_points]
    points, unread = _entry_points_and_unread_packages()
    sound, broken = _sort_sound_and_broken(own)
    sound_others, others_broken = _sort_sound_and_broken(_games_offered_by_packages(points))
    games, ambiguous = dict(sound), list[Broken]()
    for slug, found in sound_others:
        same = [OURS for one in own if one.name == slug]
        same += [one.origin for name, one in sound_others if name == slug and one is not found]
        if same:
            # Which of them the matches belong to is not known, so neither may read them, but for ours, which stays.
            said = f"the game {slug!r} of {found.origin} has the name of the one of {' and '.join(same)}"
            ambiguous.append(Broken(slug, found.origin, "ambiguous", said))
        else:
            games[slug] = found
    offered, taken = offers_of_group(points, BOTS), {bot: slug for slug in games for bot in games[slug].game.bots}
    for slug, found in games.items():
        games[slug] = found._replace(
            useless=tuple(bots_of_packages.add_bots_and_list_useless(found.game, offered, taken))
        )
    return games, (*unread, *broken, *others_broken, *ambiguous)


def found_games() -> dict[str, Found]:
    """Returns every game by its slug: ours in the order of their folders' names, then the installed ones by slug."""
    return look_for_games()[0]


def broken_games() -> tuple[Broken, ...]:
    """Returns the games that are broken, and why."""
    return look_for_games()[1]


def list_faults() -> Iterator[tuple[str, str, str]]:
    """Yields what is wrong with games, for the host: a slug, its origin, and a sentence that says what follows."""
    for broken in broken_games():
        yield broken.slug, broken.origin, f"{broken.said}. It is unavailable; its matches wait."
    for slug, found in found_games().items():
        yield from ((slug, found.origin, f"{said}. It is played without.") for said in found.wrong)
        yield from ((slug, origin, f"{said}. The game is played without it.") for origin, said in found.useless)
    for one in bots_offered_by_packages():
        slug, _ = bots_of_packages.slug_and_name(one)
        if slug not in found_games():
            said = f"the bot {one.name!r} of {one.origin} is for a game that is not here"
            yield slug, one.origin, f"{said}. It waits for it."


def bots_offered_by_packages() -> list[Offer]:
    """Returns the bots that packages offer, used or left out. Runs no code of theirs."""
    return offers_of_group(_entry_points_and_unread_packages()[0], BOTS)


def all_games() -> dict[str, AnyGame]:
    """Returns every game by its slug."""
    return {slug: found.game for slug, found in found_games().items()}


def find_game(slug: str) -> AnyGame | None:
    """Returns the game of this slug, or None."""
    found = look_for_games()[0].get(slug)
    return found.game if found else None


def folders_of_packages() -> dict[str, tuple[str, ...]]:
    """Returns the packages that offer games or bots, sound or broken, each with its folders, or the file that it is.

    Imports none of them.
    """
    points, _ = _entry_points_and_unread_packages()
    names = {
        one.point.module.partition(".")[0]
        for one in (*_games_offered_by_packages(points), *offers_of_group(points, BOTS))
    }
    specs = {name: one for name in sorted(names) if (one := find_spec(name)) is not None}
    return {
        name: tuple(one.submodule_search_locations or ([one.origin] if one.origin is not None else []))
        for name, one in specs.items()
    }


def slow_bots() -> list[str]:
    """Returns the names of the bots that play where bots think: those that do, and those of packages, which may."""
    return sorted({*LEVELS, *(name for game in all_games().values() for name in extra_bots(game))})


def folder_of_game(slug: str) -> Traversable:
    """Returns the folder of a game's texts and symbols. Raises KeyError."""
    return files(found_games()[slug].package)


def read_text_file_of_game(slug: str, name: str) -> str:
    """Returns a text or the symbols of a game, by the name of the file; "" for symbols that it has not.

    The page of notation comes from the game where there is no file. Raises KeyError.
    """
    found = found_games()[slug]
    return _read_game_file(found.game, found.package, name).decode()


def _read_game_file(game: AnyGame, package: str, name: str) -> bytes:
    """Returns the bytes of a file beside the code, or of what stands in for it. Raises FileNotFoundError."""
    file = files(package) / name
    if not file.is_file():
        if name == PARTS:
            return b""
        if name in NOTATIONS and game.notation_page is not None:
            return game.notation_page(NOTATIONS[name]).encode()
    return file.read_bytes()


def _entry_points_and_unread_packages() -> tuple[list[EntryPoint], list[Broken]]:
    """Returns the entry points of packages, and the distributions that seem to offer a game and cannot be read."""
    unread = []
    try:
        points = [*entry_points_of_packages()]
    except Exception:  # noqa: BLE001 - the files of one distribution are damaged, not necessarily one with a game
        points = []
        for brought in distributions():
            try:
                points += brought.entry_points
            except Exception as error:  # noqa: BLE001 - see above
                if GROUP in (brought.read_text("entry_points.txt") or ""):
                    origin = origin_of_package(brought)
                    said = describe_error(error)
                    why = f"the games of {origin} cannot be found: its entry points cannot be read: {said}"
                    unread.append(Broken(origin.partition(" ")[0], origin, "unloadable", why))
    return points, unread


def _games_offered_by_packages(points: Iterable[EntryPoint]) -> list[Offer]:
    return sorted((one for one in offers_of_group(points, GROUP) if one.point.dist), key=lambda one: one[:2])


def _sort_sound_and_broken(offered: Iterable[Offer]) -> tuple[list[tuple[str, Found]], list[Broken]]:
    """Returns the games that can be played, with their slugs, and the others."""
    sound, broken = [], []
    for offer in offered:
        try:
            sound.append((offer.name, _load_game(offer)))
        except BrokenGame as error:
            broken.append(Broken(offer.name, offer.origin, error.why, str(error)))
    return sound, broken


def _load_game(offer: Offer) -> Found:
    """Loads the game that the entry point names. Raises BrokenGame."""
    slug, origin, point, contract = offer
    where = f"the game {slug!r} of {origin}"
    if (unfit := why_version_is_unfit(contract)) is not None:
        raise BrokenGame("unfit", f"{where} {unfit}")
    with _run_foreign_code("unloadable", f"{where} cannot be loaded", f" (entry point {point.name} = {point.value})"):
        game = point.load()
    with _run_foreign_code("incomplete", f"{where} is no game"):  # what it offers need not even be what it seems to be
        return Found(game, point.module, origin, *_check_and_drop_bad_ornaments(slug, where, game, point.module))


@contextmanager
def _run_foreign_code(why: Why, said: str, entry: str = "") -> Iterator[None]:
    """Runs code of a foreign module, which may raise anything, SystemExit, too. Raises BrokenGame.

    `entry` is said of an error that is none of its own.
    """
    try:
        yield
    except (BrokenGame, KeyboardInterrupt):
        raise
    except BaseException as error:
        raise BrokenGame(why, f"{said}: {describe_error(error, entry)}") from error


def _check_and_drop_bad_ornaments(
    slug: str, where: str, game: AnyGame, package: str
) -> tuple[str | None, tuple[str, ...]]:
    """Guarantees that the site can show this game: what only adorns it and cannot be shown is taken off it.

    Returns its cover and what was taken off, as `Found` has them. Raises BrokenGame.
    """
    missing = missing_faces(game)
    if missing or not isinstance(game.meta, Meta):
        of = "" if hasattr(game, "meta") else f"; its entry point names an object of the type {type(game).__name__}"
        raise BrokenGame("incomplete", f"{where} is no game: it lacks {', '.join(missing) or 'a Meta'}{of}")
    for name in OPTIONAL:
        if not hasattr(game, name):
            setattr(game, name, None)
    if game.meta.slug != slug:
        raise BrokenGame("misnamed", f"{where} calls itself {game.meta.slug!r}")
    texts, absent = dict[str, bytes](), list[str]()
    for name in TEXTS:
        try:
            texts[name] = _read_game_file(game, package, name)
        except FileNotFoundError:
            absent.append(name)
    if absent:
        raise BrokenGame("incomplete", f"{where} has no {', '.join(absent)} beside its code")
    unreadable = [name for name, text in texts.items() if text.decode(errors="ignore").encode() != text]
    if unreadable:
        raise BrokenGame("incomplete", f"{where}: {', '.join(unreadable)} is no text in UTF-8")
    wrong = [*faults(game, texts[PARTS].decode())]
    if wrong:
        raise BrokenGame("incomplete", f"{where}: {'; '.join(wrong)}")
    file = files(package) / COVER
    cover = file.read_bytes().decode("utf-8", "replace") if file.is_file() else None
    common = (files("pbem") / "render" / PARTS).read_text("utf-8")
    taken = dict(wrong_ornaments(game, cover, symbols_in(common + texts[PARTS].decode())))
    for name in taken.keys() - {"cover"}:
        object.__setattr__(game, name, None)  # a game is frozen for all others
    return None if "cover" in taken else cover, tuple(f"{where}: {why}" for why in taken.values())
