"""What a webhook may be told about, and in which form."""

from collections.abc import Sequence

from pbem.errors import N_, Invalid
from pbem.features.webhooks.chats import PRESETS
from pbem.features.webhooks.subjects import Subject, known_subject
from pbem.services.who import HOST, Owner

KINDS = ("your_turn", "moved", "over")


def checked_preset(preset: str) -> str:
    """Returns the preset if it exists. Raises Invalid."""
    if preset not in PRESETS:
        raise Invalid(N_("A webhook is “standard”, “discord” or “slack”."), fields=("preset",))
    return preset


def all_kinds() -> tuple[str, ...]:
    """Returns all that webhooks may be told about, be it on or off."""
    other = known_subject()
    return (*KINDS, *(kind for kind in (other.kinds if other is not None else ()) if kind not in KINDS))


def checked_kinds(kinds: Sequence[str], owner: Owner, about: Subject | None = None) -> tuple[str, ...]:
    """Returns the kinds in their fixed order. Raises Invalid, also for "your_turn" with the host, who has no turns.

    A webhook about something else than matches has that one's kinds.
    """
    known = about.kinds if about is not None else KINDS[1:] if owner is HOST else KINDS
    if not kinds or not set(kinds) <= set(known):
        facts = {"kinds": ", ".join(known)}
        raise Invalid(N_("Name the events of the webhook, at least one of these: %(kinds)s."), facts, fields=("kinds",))
    return tuple(kind for kind in known if kind in kinds)
