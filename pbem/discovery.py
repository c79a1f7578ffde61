"""The features, found by discovery: ours are the folders of `pbem/features`, others come in installed packages.

A package offers one by an entry point of the group `pbem.features` (`pbem.packages`): its name is the feature's, its
value the package, as in `feed = "pbem_feed"`. No two have the same name.
"""

import functools
import pkgutil
import re
from collections.abc import Collection, Iterable
from importlib import import_module
from importlib.metadata import EntryPoint
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from pbem.packages import installed, offers, why_unfit

GROUP = "pbem.features"
OURS = "pbem.features"


class Brought(NamedTuple):
    """A module that a feature brings, by its full name."""

    feature: str
    module: str


@functools.cache
def features() -> dict[str, str]:
    """Returns the package of every feature by the feature's name, sorted by names.

    Cached: one that is installed later needs a restart.
    """
    offered = {point.name: point.value for point, why in _offers() if why is None}
    return dict(sorted({**offered, **_ours()}.items()))


def unfit_features() -> list[str]:
    """Returns a sentence for each feature of a package that is none: as it is written for another version of pbem, or
    has the name of another one.
    """
    return [f"the feature {point.name!r} of {_origin(point)} {why}" for point, why in _offers() if why is not None]


def _offers() -> list[tuple[EntryPoint, str | None]]:
    """Returns what packages offer as features, each with why it is none, or None."""
    found = offers(installed(), GROUP)
    whose = [*((name, OURS.partition(".")[0]) for name in _ours()), *((one.name, _origin(one)) for one, _ in found)]

    def why_none(point: EntryPoint, contract: int) -> str | None:
        same = [origin for name, origin in whose if name == point.name]
        same.remove(_origin(point))
        # Whose the tables and the data are is not known.
        also = f"has the name of the one of {' and '.join(same)}" if same else None
        return _why_none(point.name) or why_unfit(contract) or also

    return [(point, why_none(point, contract)) for point, contract in found]


def _origin(point: EntryPoint) -> str:
    return point.dist.name if point.dist else point.value


def _why_none(name: str) -> str | None:
    if re.fullmatch(r"[a-z][a-z0-9_]{0,30}", name):
        return None
    return "has no name of small letters, digits and _, of 31 at most: its tables and addresses are called by it"


def _ours() -> dict[str, str]:
    return {module.name: f"{OURS}.{module.name}" for module in modules(OURS) if module.ispkg}


def modules(package: str) -> Iterable[pkgutil.ModuleInfo]:
    """Returns what stands in a package, and imports none of it; nothing if there is no such package."""
    found = find_spec(package)
    places = found.submodule_search_locations if found is not None else None
    return pkgutil.iter_modules(places or [])


@functools.cache
def part(package: str, name: str) -> ModuleType | None:
    """Returns the module of this name of a feature's package; None if it has none."""
    full = f"{package}.{name}"
    return import_module(full) if find_spec(full) is not None else None


def offered(module: str, name: str, names: Collection[str]) -> list[Any]:
    """Returns what these features have under a name in their module, in the order of their names; some have none."""
    found = [part(package, module) for feature, package in features().items() if feature in names]
    return [getattr(one, name) for one in found if hasattr(one, name)]


@functools.cache
def room(name: str) -> dict[str, Brought]:
    """Returns the modules in the folders of this name of all features, by the last parts of their names.

    Imports none of them. No two features have one of the same name.
    """
    return {
        one.name: Brought(feature, f"{package}.{name}.{one.name}")
        for feature, package in features().items()
        for one in modules(f"{package}.{name}")
    }


@functools.cache
def folder(package: str) -> Path:
    """Returns the folder of a feature's package. Raises ModuleNotFoundError."""
    found = find_spec(package)
    if found is None or not found.submodule_search_locations:
        raise ModuleNotFoundError(f"there is no package {package!r}", name=package)
    return Path(found.submodule_search_locations[0])
