"""The kinds of mails: a module each, found by discovery.

A module offers `KIND`: the letter, a frozen value with all that the mail says, and how the service treats it. What it
says in words is in `templates/mail/<kind>.jinja`. A module of the same name in `pbem.services.mail.kinds` writes the
letter.

Those of a feature are the modules in its folder `letters`, which write the letter as well; their words are in
`templates/features/<name>/mail/<kind>.jinja`.
"""

import functools
import importlib
import pkgutil
from collections.abc import Mapping

from pbem.discovery import room
from pbem.mail.letters import Kind

OURS = tuple(module.name for module in pkgutil.iter_modules(__path__))
LETTERS = "letters"


@functools.cache
def all_kinds() -> Mapping[str, Kind]:
    """Returns every kind of mail by the name of its module, which is also the name of its rows in the outbox.

    Those of features, too, on or off.
    """
    modules = {name: one.module for name, one in room(LETTERS).items()} | {name: f"{__name__}.{name}" for name in OURS}
    return {name: importlib.import_module(modules[name]).KIND for name in sorted(modules)}


def is_sent(kind: str, features: tuple[str, ...]) -> bool:
    """True if mails of this kind leave while these features are on; False, too, if its feature is gone."""
    return kind in OURS or (kind in room(LETTERS) and room(LETTERS)[kind].feature in features)
