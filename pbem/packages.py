"""What installed packages offer: games, features and bots, each written for one version of the contract with pbem.

The group of the entry point says for which, so no code of a package is run to learn it: `pbem.games` and
`pbem.features` are version 1, `pbem.games.2` and `pbem.features.2` would be version 2. docs/packages.md says what the
contract promises. A package may offer the same for several versions, for older and newer ones of pbem.
"""

import re
import traceback
from collections.abc import Iterable, Iterator
from importlib import metadata
from importlib.metadata import Distribution, EntryPoint, entry_points
from typing import NamedTuple

OLDEST, NEWEST = 1, 1
"""The versions of the contract that this pbem keeps."""
_NOT_THEIRS = ("<", __file__.removesuffix("packages.py"), metadata.__file__.removesuffix("metadata/__init__.py"))
"""What the files of Python and of pbem begin with, that stand between a package and its import."""


class Offer(NamedTuple):
    """What is offered: its name, whose it is, the entry point that names it, and for which version of the contract."""

    name: str
    origin: str
    point: EntryPoint
    contract: int = NEWEST


def offers_of_group(points: Iterable[EntryPoint], group: str) -> list[Offer]:
    """Returns what these entry points offer of this group. Runs no code of theirs.

    Of what one package offers under one name for several versions, the newest that this pbem knows; else the newest.
    """
    named = re.compile(rf"{re.escape(group)}(?:\.([1-9][0-9]{{0,3}}))?")
    found: dict[object, list[tuple[EntryPoint, int]]] = {}
    for point in points:
        if (group_of := named.fullmatch(point.group)) is not None:
            found.setdefault((_package_of(point), point.name), []).append((point, int(group_of[1] or 1)))
    offered: list[Offer] = []
    for same in found.values():
        newest = max(
            (version for _, version in same), key=lambda version: (why_version_is_unfit(version) is None, version)
        )
        for point in {point.value: point for point, version in same if version == newest}.values():
            offered.append(Offer(point.name, origin_of_package(point.dist), point, newest))
    return offered


def _package_of(point: EntryPoint) -> object:
    """Returns what only entry points of the same package have in common."""
    try:
        return point.dist.name if point.dist is not None else point
    except Exception:  # noqa: BLE001 - without its METADATA it has no name
        return point


def entry_points_of_packages() -> Iterator[EntryPoint]:
    """Yields the entry points of all groups of pbem; what is on the path twice counts once."""
    for group in sorted(one for one in entry_points().groups if one.startswith("pbem.")):
        yield from entry_points(group=group)


def origin_of_package(brought: Distribution | None) -> str:
    """Returns the name and the version of what has brought something, for the host."""
    try:
        return f"{brought.name} {brought.version}" if brought else "?"
    except Exception:  # noqa: BLE001 - without its METADATA it has no name
        return "a package without a name"


def describe_error(error: BaseException, otherwise: str = "") -> str:
    """Returns what a package has raised, for the host, and where in its own files, or `otherwise` if in none."""
    said = " ".join(f"{type(error).__name__}: {error}".split())[:300]
    return f"{said}{place_of_error(error) or otherwise}"


def place_of_error(error: BaseException) -> str:
    """Returns where in its own files a package has raised this, in brackets after a space; "" if in none."""
    for frame, line in reversed([*traceback.walk_tb(error.__traceback__)]):
        if not (name := frame.f_code.co_filename).startswith(_NOT_THEIRS):
            return f" ({'/'.join(name.split('/')[-2:])}:{line})"
    return ""


def why_version_is_unfit(version: int) -> str | None:
    """Returns why this pbem takes nothing that is written for this version, for the host; None if it does."""
    written = f"is written for version {version} of the contract"
    if version > NEWEST:
        return f"{written}, and this pbem knows none above {NEWEST}: upgrade pbem"
    if version < OLDEST:
        return f"{written}, and this pbem knows none below {OLDEST}: upgrade the package, or keep the pbem from before"
    return None
