"""The features, found by discovery: ours are the folders of `pbem/features`, others come in installed packages.

A package offers one by an entry point of the group `pbem.features` (`pbem.packages`): its name is the feature's, its
value the package, as in `feed = "pbem_feed"`. Ours win over one of the same name.
"""

import functools
import pkgutil
import re
from collections.abc import Iterable
from importlib import import_module
from importlib.metadata import EntryPoint
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

from pbem.packages import installed, offers, why_unfit

GROUP = "pbem.features"
OURS = "pbem.features"


@functools.cache
def features() -> dict[str, str]:
    """Returns the package of every feature by the feature's name, sorted by names.

    Cached: one that is installed later needs a restart.
    """
    offered = {point.name: point.value for point, why in _offers() if why is None}
    return dict(sorted({**offered, **{name: f"{OURS}.{name}" for name in _folders()}}.items()))


def unfit_features() -> list[str]:
    """Returns a sentence for each feature of a package that is none, as it is written for another version of pbem."""
    return [
        f"the feature {point.name!r} of {point.dist.name if point.dist else point.value} {why}"
        for point, why in _offers()
        if why is not None
    ]


def _offers() -> list[tuple[EntryPoint, str | None]]:
    """Returns what packages offer as features, each with why it is none, or None."""
    return [(point, _why_none(point.name) or why_unfit(contract)) for point, contract in offers(installed(), GROUP)]


def _why_none(name: str) -> str | None:
    if re.fullmatch(r"[a-z][a-z0-9_]{0,30}", name):
        return None
    return "has no name of small letters, digits and _, of 31 at most: its tables and addresses are called by it"


def _folders() -> Iterable[str]:
    house = find_spec(OURS)
    places = house.submodule_search_locations if house is not None else None
    return [module.name for module in pkgutil.iter_modules(places or []) if module.ispkg]


@functools.cache
def part(package: str, name: str) -> ModuleType | None:
    """Returns the module of this name of a feature's package; None if it has none."""
    full = f"{package}.{name}"
    return import_module(full) if find_spec(full) is not None else None


@functools.cache
def folder(package: str) -> Path:
    """Returns the folder of a feature's package. Raises ModuleNotFoundError."""
    found = find_spec(package)
    if found is None or not found.submodule_search_locations:
        raise ModuleNotFoundError(f"there is no package {package!r}", name=package)
    return Path(found.submodule_search_locations[0])
