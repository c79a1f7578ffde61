"""The features, found by discovery: ours are the folders of `pbem/features`, others come in installed packages.

A package offers one by an entry point of the group `pbem.features` (`pbem.packages`): its name is the feature's, its
value the package, as in `feed = "pbem_feed"`. No two have the same name.

What features of packages bring is checked at the start: each name means one thing, and what is of players has a fate.
Without such a package nothing is looked at, and with one only what it has: it loads modules that its processes load
anyway. Blueprints and commands are checked by those who load them, `pbem.web.features` and `pbem.cli`.
"""

import functools
import os
import pkgutil
import re
from collections.abc import Callable, Collection, Iterable, Iterator
from importlib import import_module
from importlib.metadata import EntryPoint
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple, get_args, get_type_hints

from pbem.packages import entry_points_of_packages, offers_of_group, why_version_is_unfit

GROUP = "pbem.features"
OURS = "pbem.features"
_NO_NAME = "has no name of small letters, digits and _, of 31 at most: its tables and addresses are called by it"

TEMPLATES = Path(__file__).resolve().parent / "templates"
"""The folders `web`, `mail` and `packages_of_features`. In a checkout it is a link to `templates/` at the top."""


class Brought(NamedTuple):
    """A module that a feature brings, by its full name."""

    feature: str
    module: str


@functools.cache
def packages_of_features() -> dict[str, str]:
    """Returns the package of every feature by the feature's name, sorted by names.

    Cached: one that is installed later needs a restart.
    """
    offered = {point.name: point.value for point, why in _features_offered_and_faults() if why is None}
    return dict(sorted({**offered, **_packages_of_own_features()}.items()))


@functools.cache
def faults_of_features() -> list[str]:
    """Returns a sentence for each feature of a package that cannot be used; cached as `packages_of_features` is.

    It is written for another version of pbem, or has the name of another feature.
    """
    return [
        f"the feature {point.name!r} of {_origin_of_entry_point(point)} {why}"
        for point, why in _features_offered_and_faults()
        if why is not None
    ]


def _features_offered_and_faults() -> list[tuple[EntryPoint, str | None]]:
    """Returns what packages offer as features, each with why it is none, or None."""
    found = offers_of_group(entry_points_of_packages(), GROUP)
    whose = [
        *((name, OURS.partition(".")[0]) for name in _packages_of_own_features()),
        *((one.name, _origin_of_entry_point(one.point)) for one in found),
    ]

    def why_none(point: EntryPoint, contract: int) -> str | None:
        same = [origin for name, origin in whose if name == point.name]
        same.remove(_origin_of_entry_point(point))
        # Whose the tables and the data are is not known.
        also = f"has the name of the one of {' and '.join(same)}" if same else None
        if not re.fullmatch(r"[a-z][a-z0-9_]{0,30}", point.name):
            return _NO_NAME
        return why_version_is_unfit(contract) or also

    return [(one.point, why_none(one.point, one.contract)) for one in found]


def _origin_of_entry_point(point: EntryPoint) -> str:
    return point.dist.name if point.dist else point.value


def _packages_of_own_features() -> dict[str, str]:
    return {module.name: f"{OURS}.{module.name}" for module in module_infos_in(OURS) if module.ispkg}


def module_infos_in(package: str) -> Iterable[pkgutil.ModuleInfo]:
    """Returns what stands in a package, and imports none of it; nothing if there is no such package."""
    found = find_spec(package)
    places = found.submodule_search_locations if found is not None else None
    return pkgutil.iter_modules(places or [])


@functools.cache
def module_of_feature(package: str, name: str) -> ModuleType | None:
    """Returns the module of this name of a feature's package; None if it has none."""
    full = f"{package}.{name}"
    return import_module(full) if find_spec(full) is not None else None


def attributes_of_features(module: str, name: str, names: Collection[str]) -> list[Any]:
    """Returns what these features have under a name in their module, in the order of their names; some have none."""
    found = [
        module_of_feature(package, module) for feature, package in packages_of_features().items() if feature in names
    ]
    return [getattr(one, name) for one in found if hasattr(one, name)]


@functools.cache
def modules_in_feature_folders(name: str) -> dict[str, Brought]:
    """Returns the modules in the folders of this name of all features, by the last parts of their names.

    Imports none of them. No two features have one of the same name.
    """
    return {
        one.name: Brought(feature, f"{package}.{name}.{one.name}")
        for feature, package in packages_of_features().items()
        for one in module_infos_in(f"{package}.{name}")
    }


@functools.cache
def folder_of_package(package: str) -> Path:
    """Returns the folder of a feature's package. Raises ModuleNotFoundError."""
    found = find_spec(package)
    if found is None or not found.submodule_search_locations:
        raise ModuleNotFoundError(f"there is no package {package!r}", name=package)
    return Path(found.submodule_search_locations[0])


def files_below_without_caches(place: str) -> Iterator[str]:
    """Yields the files of a folder of a package, or the one that it is, in the order of their names.

    Left out is what editors, checkers and Python put beside them.
    """
    if not os.path.isdir(place):
        yield place
    for within, below, names in os.walk(place):  # as `Path.rglob`, in a third of its time
        below[:] = sorted(name for name in below if name != "__pycache__" and not name.startswith("."))
        own = (name for name in sorted(names) if not name.startswith(".") and not name.endswith("~"))
        yield from (os.path.join(within, name) for name in own)


TASKS = {
    "archive", "digest", "drain", "go_round", "keep_folds", "lapse", "play_bots", "remind", "sweep", "tally", "think",
    "tidy", "watch",
}  # fmt: skip
SWEEPS = {
    "changes", "folds", "guests", "keys", "mails", "messages", "notes", "offers", "orders", "organisers",
    "quotas", "seats", "strangers", "tokens",
}  # fmt: skip
PURPOSES = {
    "account", "address", "browser", "confirm", "guest", "invitation", "join", "mute", "never", "orders", "play",
    "sent", "stop", "substitute", "takeover",
}  # fmt: skip
"""The core's own names, so that nobody loads the core to know them."""
LONGEST_MAIL = 20
"""What the column of the outbox holds."""

Names = Callable[[str], Iterable[str]]
"""Returns the names of one kind that a feature brings."""


def mistakes_of_features(variables: Collection[str]) -> list[str]:
    """Returns a sentence for each mistake in the features of packages, but for blueprints and commands.

    `variables` are the core's own settings.
    """
    if not _features_of_packages():
        return []
    return [
        *clashes_of_names(
            "setting",
            variables,
            lambda one: [name for each in _items_of_attribute("settings", "SETTINGS", one) for name in each.variables],
        ),
        *clashes_of_names(
            "task",
            TASKS,
            lambda one: [*_items_of_attribute("tasks", "TASKS", one), *_items_of_attribute("tasks", "REQUESTS", one)],
        ),
        *clashes_of_names(
            "sweep",
            SWEEPS,
            lambda one: (name for personal in _personal_data_hooks(one) for name in personal.forget_old),
        ),
        *clashes_of_names("mail", {mail.name for mail in module_infos_in("pbem.services.mail.kinds")}, _names_of_mails),
        *clashes_of_names("purpose", PURPOSES, lambda one: _items_of_attribute("claims", "PURPOSES", one)),
        *_mistakes_in_mail_names(),
        *(said for one in _features_of_packages() for said in (*_mistakes_in_fates(one), *_mistakes_in_exports(one))),
    ]


def clashes_of_return_paths(on: Collection[str]) -> list[str]:
    """Returns a sentence for each package's feature that says where mail comes back to, beside another that is on.

    A letter has one return path and one address for replies: those of two would go to different programs.
    """
    of_packages = [one for one in _features_of_packages() if one in on and _has_return_path(one)]
    if not of_packages:
        return []
    first, *others = [one for one in sorted(on, key=lambda one: (one in of_packages, one)) if _has_return_path(one)]
    return [
        f"the feature {one!r} says where mail comes back to, as {first!r} does: leave one of them out" for one in others
    ]


def _has_return_path(feature: str) -> bool:
    return any(hooks.back is not None for hooks in attributes_of_features("hooks", "HOOKS", (feature,)))


def clashes_of_names(kind: str, core: Collection[str], names: Names) -> list[str]:
    """Returns a sentence for each name of this kind that a package's feature has, and the core or another feature."""
    of_packages = _features_of_packages()
    if not any(True for one in of_packages for _ in names(one)):
        return []
    whose = dict.fromkeys(core, "pbem")
    said = []
    for one in sorted(packages_of_features(), key=lambda one: one in of_packages):
        for name in names(one):
            if name in whose and one in of_packages:
                said.append(f"the {kind} {name!r} of the feature {one!r} has the name of one of {whose[name]}")
            whose.setdefault(name, f"the feature {one!r}")
    return said


def names_of_blueprints(feature: str) -> list[str]:
    """Returns the names of the blueprints of a feature's pages and of its API."""
    return [one.name for module in ("pages", "api") for one in _items_of_attribute(module, "PARTS", feature)]


def _features_of_packages() -> list[str]:
    return [name for name, package in packages_of_features().items() if not package.startswith(f"{OURS}.")]


def _items_of_attribute(module: str, name: str, feature: str) -> Iterator[Any]:
    return (one for found in attributes_of_features(module, name, (feature,)) for one in found)


def _personal_data_hooks(feature: str) -> list[Any]:
    return [
        hooks.personal for hooks in attributes_of_features("hooks", "HOOKS", (feature,)) if hooks.personal is not None
    ]


def _names_of_mails(feature: str) -> Iterator[str]:
    return (mail.name for mail in module_infos_in(f"{packages_of_features()[feature]}.letters"))


def _mistakes_in_mail_names() -> list[str]:
    return [
        f"the mail {name!r} of the feature {feature!r} has a name of more than {LONGEST_MAIL} letters"
        for feature in _features_of_packages()
        for name in _names_of_mails(feature)
        if len(name) > LONGEST_MAIL
    ]


def _mistakes_in_fates(feature: str) -> Iterator[str]:
    """Yields what is wrong with the fates of a feature: without one no player could be erased, nor guest merged."""
    fates = {name: fate for personal in _personal_data_hooks(feature) for name, fate in personal.fates.items()}
    columns = _columns_that_point_to_players(feature)
    for name in sorted(columns - fates.keys()):
        yield f"the feature {feature!r} has no fate for the column {name!r}, which points to a player"
    for name, fate in sorted(fates.items()):
        if name not in columns:
            yield f"the feature {feature!r} has a fate for {name!r}, which is no column of it that points to a player"
        known = get_type_hints(type(fate))
        if fate.export is None:
            yield f"the feature {feature!r} does not say what a player gets of the column {name!r} with their data"
        else:
            yield from _mistakes_in_exported_columns(feature, name.partition(".")[0], fate.export)
        for when in ("erased", "merged"):
            if (what := getattr(fate, when, None)) not in get_args(known.get(when)):
                yield f"the feature {feature!r} has for the column {name!r} the fate {what!r}, which is unknown"


def _mistakes_in_exports(feature: str) -> Iterator[str]:
    """Yields what is wrong with what a feature hands to players: it would keep all their data from them."""
    for personal in _personal_data_hooks(feature):
        for name, columns in personal.export.items():
            yield from _mistakes_in_exported_columns(feature, name, ("match_id", "seat", *columns))
        for name, columns in personal.export_through.items():
            table, _, column = name.partition(".")
            mistakes = [*_mistakes_in_exported_columns(feature, table, (column, *columns))]
            yield from mistakes
            if not mistakes and not _points_to_row_of_player(feature, name):
                yield f"the feature {feature!r} hands over rows by {name!r}, which points to no row with a player_id"


def _points_to_row_of_player(feature: str, name: str) -> bool:
    """Returns whether the "table.column" has one foreign key, to a table with a `player_id` as far as it is loaded."""
    keys = [
        key
        for one in _tables_of_feature(feature)
        for key in one.foreign_keys
        if f"{one.name}.{key.parent.name}" == name
    ]
    if len(keys) != 1:
        return False
    target = keys[0].parent.table.metadata.tables.get(keys[0].target_fullname.rpartition(".")[0])
    return target is None or "player_id" in target.c


def _mistakes_in_exported_columns(feature: str, name: str, columns: Iterable[str]) -> Iterator[str]:
    """Yields a sentence for each of these exported columns that the feature's table of this name does not have."""
    known = {one.name: one.columns.keys() for one in _tables_of_feature(feature)}
    for column in columns:
        if column not in known.get(name, ()):
            yield f"the feature {feature!r} hands over {f'{name}.{column}'!r}, which is no column of it"


def _columns_that_point_to_players(feature: str) -> set[str]:
    """Returns the columns of its tables that point to players, as "table.column"."""
    keys = ((one, key) for one in _tables_of_feature(feature) for key in one.foreign_keys)
    return {f"{one.name}.{key.parent.name}" for one, key in keys if key.target_fullname.startswith("players.")}


def _tables_of_feature(feature: str) -> list[Any]:
    """Returns the tables that it declares."""
    module = module_of_feature(packages_of_features()[feature], "tables")
    others = ("pbem.models.", *(f"{package}." for name, package in packages_of_features().items() if name != feature))
    own = (
        [one for one in vars(module).values() if not getattr(one, "__module__", "").startswith(others)]
        if module
        else []
    )
    tables = [getattr(one, "__table__", one) for one in own if not isinstance(one, type) or hasattr(one, "__table__")]
    return [table for table in tables if hasattr(table, "foreign_keys")]
