"""The version of a form: with it, a form that was opened earlier never overwrites what was saved since.

A form sends back the version of the values that it was filled with. Only values that its sender has changed count. If
one of them was changed elsewhere meanwhile, too, it is stored only after the sender has seen the other value.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2s
from typing import Any

from pbem.errors import CHANGED, Changed

_BETWEEN = "-"
_UNSEEN = ""


@dataclass(frozen=True)
class Merged:
    """What is to be stored of what was entered.

    `values` are the sender's where they have changed them, else the stored ones. `clashes` are the positions of those
    that were changed to something else meanwhile, and `version` is that of a form whose sender has seen these.
    """

    values: tuple[Any, ...]
    clashes: tuple[int, ...]
    version: str


def digest_of_values(*values: object) -> str:
    """Returns the version of these values, a digest of each. It goes only to those who may read the values."""
    return _BETWEEN.join(_digest_of_value(value) for value in values)


def _digest_of_value(value: object) -> str:
    return blake2s(repr(value).encode(), digest_size=8).hexdigest()


def merge_and_list_clashes(version: str | None, stored: Sequence[Any], entered: Sequence[Any]) -> Merged:
    """Returns what is to be stored of the entered values, by the version that came with them.

    Without a version all of them: the form does not tell what its sender has seen. One that does not fit is that of
    another form: its sender has seen nothing of what is stored.
    """
    if version is None:
        return Merged(tuple(entered), (), digest_of_values(*stored))
    seen = version.split(_BETWEEN)
    if len(seen) != len(stored):
        seen = [_UNSEEN] * len(stored)
    values, clashes = list(entered), []
    for position, (before, now, wanted) in enumerate(zip(seen, stored, entered, strict=True)):
        if _digest_of_value(wanted) == before:
            values[position] = now
        elif wanted != now and _digest_of_value(now) != before:
            clashes.append(position)
            seen[position] = _digest_of_value(now)
    return Merged(tuple(values), tuple(clashes), _BETWEEN.join(seen))


def merge_or_raise_changed(version: str | None, stored: Sequence[Any], entered: Sequence[Any]) -> tuple[Any, ...]:
    """Returns what is to be stored of the entered values, as `merge_and_list_clashes`. The stored ones must be locked.

    Raises Changed if a value was changed to something else since the form was opened.
    """
    merged = merge_and_list_clashes(version, stored, entered)
    if merged.clashes:
        raise Changed(CHANGED, etag="")
    return merged.values
