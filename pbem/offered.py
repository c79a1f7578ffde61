"""What features of packages bring, checked at the start: each name means one thing, and what is of players has a fate.

Without such a package nothing is looked at, and with one only what it has: it loads modules that its processes load
anyway. Blueprints and commands are checked by those who load them, `pbem.web.features` and `pbem.cli`.
"""

from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Any, get_args, get_type_hints

from pbem.discovery import OURS, features, modules, offered, part

TASKS = {
    "archive", "digest", "drain", "draw", "go_round", "inbox", "lapse", "play_bots", "remind", "sweep", "tally",
    "think", "tidy", "watch",
}  # fmt: skip
SWEEPS = {
    "changes", "guests", "incoming", "keys", "mails", "messages", "notes", "offers", "orders", "organisers", "pictures",
    "plans", "quotas", "seats", "strangers", "texts", "tokens",
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


def mistakes(variables: Collection[str]) -> list[str]:
    """Returns a sentence for each mistake in the features of packages, but for blueprints and commands.

    `variables` are the core's own settings.
    """
    if not _of_packages():
        return []
    return [
        *clashes("setting", variables, lambda one: (number.variable for number in _all("settings", "SETTINGS", one))),
        *clashes("task", TASKS, lambda one: [*_all("tasks", "TASKS", one), *_all("tasks", "REQUESTS", one)]),
        *clashes("sweep", SWEEPS, lambda one: (name for personal in _personal(one) for name in personal.forget_old)),
        *clashes("mail", {mail.name for mail in modules("pbem.mail.kinds")}, _mails),
        *clashes("purpose", PURPOSES, lambda one: _all("claims", "PURPOSES", one)),
        *_long_mails(),
        *(said for one in _of_packages() for said in _wrong_fates(one)),
    ]


def clashes(kind: str, core: Collection[str], names: Names) -> list[str]:
    """Returns a sentence for each name of this kind that a package's feature has, and the core or another feature."""
    of_packages = _of_packages()
    if not any(True for one in of_packages for _ in names(one)):
        return []
    whose = dict.fromkeys(core, "pbem")
    said = []
    for one in sorted(features(), key=lambda one: one in of_packages):
        for name in names(one):
            if name in whose and one in of_packages:
                said.append(f"the {kind} {name!r} of the feature {one!r} has the name of one of {whose[name]}")
            whose.setdefault(name, f"the feature {one!r}")
    return said


def blueprints_of(feature: str) -> list[str]:
    """Returns the names of the blueprints of a feature's pages and of its API."""
    return [one.name for module in ("pages", "api") for one in _all(module, "PARTS", feature)]


def _of_packages() -> list[str]:
    return [name for name, package in features().items() if not package.startswith(f"{OURS}.")]


def _all(module: str, name: str, feature: str) -> Iterator[Any]:
    return (one for found in offered(module, name, (feature,)) for one in found)


def _personal(feature: str) -> list[Any]:
    return [hooks.personal for hooks in offered("hooks", "HOOKS", (feature,)) if hooks.personal is not None]


def _mails(feature: str) -> Iterator[str]:
    return (mail.name for mail in modules(f"{features()[feature]}.letters"))


def _long_mails() -> list[str]:
    return [
        f"the mail {name!r} of the feature {feature!r} has a name of more than {LONGEST_MAIL} letters"
        for feature in _of_packages()
        for name in _mails(feature)
        if len(name) > LONGEST_MAIL
    ]


def _wrong_fates(feature: str) -> Iterator[str]:
    """Yields what is wrong with the fates of a feature: without one no player could be erased, nor guest merged."""
    fates = {name: fate for personal in _personal(feature) for name, fate in personal.fates.items()}
    columns = _columns_of_players(feature)
    for name in sorted(columns - fates.keys()):
        yield f"the feature {feature!r} has no fate for the column {name!r}, which points to a player"
    for name, fate in sorted(fates.items()):
        if name not in columns:
            yield f"the feature {feature!r} has a fate for {name!r}, which is no column of it that points to a player"
        known = get_type_hints(type(fate))
        for when in ("erased", "merged"):
            if (what := getattr(fate, when, None)) not in get_args(known.get(when)):
                yield f"the feature {feature!r} has for the column {name!r} the fate {what!r}, which is unknown"


def _columns_of_players(feature: str) -> set[str]:
    """Returns the columns of its tables that point to players, as "table.column"."""
    module = part(features()[feature], "tables")
    others = ("pbem.models.", *(f"{package}." for name, package in features().items() if name != feature))
    own = (
        [one for one in vars(module).values() if not getattr(one, "__module__", "").startswith(others)]
        if module
        else []
    )
    tables = [table for one in own if hasattr(table := getattr(one, "__table__", one), "foreign_keys")]
    keys = [
        (table, key) for table in tables for key in table.foreign_keys if key.target_fullname.startswith("players.")
    ]
    return {f"{table.name}.{key.parent.name}" for table, key in keys}
