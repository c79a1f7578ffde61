"""The kinds of mails, found by discovery: a module each, in `pbem.services.mail.kinds` or the `letters` of a feature.

Each has a `KIND`. Rooms below the mails look up the flags of a kind here, by the name of its rows in the outbox.
"""

import functools
import importlib
from collections.abc import Mapping

from pbem.discovery import module_infos_in, modules_in_feature_folders
from pbem.mail.letters import Kind

OURS = "pbem.services.mail.kinds"
LETTERS = "letters"


@functools.cache
def core_kinds_of_mail() -> frozenset[str]:
    """Returns the names of the core's kinds."""
    return frozenset(module.name for module in module_infos_in(OURS))


@functools.cache
def all_kinds_of_mail() -> Mapping[str, Kind]:
    """Returns every kind of mail, those of features too, on or off, by the name of its module, and of its rows."""
    found = {name: f"{OURS}.{name}" for name in core_kinds_of_mail()}
    found |= {name: one.module for name, one in modules_in_feature_folders(LETTERS).items()}
    return {name: importlib.import_module(found[name]).KIND for name in sorted(found)}


@functools.cache
def kinds_of_mail_sent(features: tuple[str, ...]) -> frozenset[str]:
    """Returns the kinds whose mails leave while these features are on."""
    return core_kinds_of_mail() | {
        name for name, one in modules_in_feature_folders(LETTERS).items() if one.feature in features
    }
