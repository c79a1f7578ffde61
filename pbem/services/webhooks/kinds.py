"""What a webhook may be told about, and in which form."""

from collections.abc import Sequence

from pbem.errors import N_, Invalid
from pbem.services.webhooks.chats import PRESETS
from pbem.services.who import HOST, Owner

KINDS = ("your_turn", "moved", "over")
LEAGUE_KINDS = ("over", "season")
"""What a webhook of a league may be told: a result is public; a season has begun, ended, …"""
ALL_KINDS = (*KINDS, "season")


def checked_preset(preset: str) -> str:
    """Returns the preset if it exists. Raises Invalid."""
    if preset not in PRESETS:
        raise Invalid(N_("A webhook is “standard”, “discord” or “slack”."), fields=("preset",))
    return preset


def checked_kinds(kinds: Sequence[str], owner: Owner, *, league: bool = False) -> tuple[str, ...]:
    """Returns the kinds in their fixed order. Raises Invalid, also for "your_turn" with the host, who has no turns.

    A webhook of a league has kinds of its own.
    """
    known = LEAGUE_KINDS if league else KINDS[1:] if owner is HOST else KINDS
    if not kinds or not set(kinds) <= set(known):
        facts = {"kinds": ", ".join(known)}
        raise Invalid(N_("Name the events of the webhook, at least one of these: %(kinds)s."), facts, fields=("kinds",))
    return tuple(kind for kind in known if kind in kinds)
