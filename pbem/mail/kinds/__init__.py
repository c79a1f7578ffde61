"""The kinds of mails: a module each, found by discovery.

A module offers `KIND`: the letter, a frozen value with all that the mail says, and how the service treats it. What it
says in words is in `templates/mail/<kind>/`. A module of the same name in `pbem.services.mail.kinds` writes the letter.
"""

import functools
import importlib
import pkgutil
from collections.abc import Mapping

from pbem.mail.letters import Kind


@functools.cache
def all_kinds() -> Mapping[str, Kind]:
    """Returns every kind of mail by the name of its module, which is also the name of its rows in the outbox."""
    names = sorted(module.name for module in pkgutil.iter_modules(__path__))
    return {name: importlib.import_module(f"{__name__}.{name}").KIND for name in names}
