"""What a webhook may be told about: matches, or what a feature brings as `SUBJECT` of its module `webhooks`.

One feature does, at most: the row of a webhook says what it is about, and not whose that is. While the feature is off,
nothing is told of it, and no webhook about it can be added; those that there are stay.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Protocol

from msgspec import Struct
from sqlmodel import Session, SQLModel

from pbem.discovery import attributes_of_features, packages_of_features
from pbem.errors import N_, Invalid
from pbem.features.webhooks.chats import PRESETS, Message
from pbem.features.webhooks.tables import Delivery, Webhook
from pbem.kit.texts import Lang
from pbem.services.site import Reading, Site
from pbem.services.who import HOST, Owner


class News(Protocol):
    """What a call tells."""

    @property
    def type(self) -> str:
        """The type of the call."""
        ...

    def data(self, site: Site) -> Struct:
        """Returns the content for a program."""
        ...

    def message(self, site: Site, lang: Lang) -> Message:
        """Returns the message for a chat."""
        ...


@dataclass(frozen=True)
class Subject:
    """What a webhook may be about; `name` is what programs call it, `cursors` the table of the marks of webhooks.

    The document of the API says `told_where`, `told_kinds`, `told_which` and `told_number` behind what it says of
    matches: `told_where` ends "… happens in the caller's matches, …".
    """

    name: str
    kinds: tuple[str, ...]
    """What a webhook about it may be told."""
    told_where: str
    told_kinds: str
    told_which: str
    told_number: str
    wrong_kind: str
    """What is said to programs that ask for a kind that there is not; marked by `N_`, as the next three."""
    words: Mapping[str, str]
    """What each kind is called that matches do not have, on the page of a webhook."""
    which: str
    """What its page says of the matches that a webhook about this is told of."""
    not_both: str
    """What is said to somebody who wants a webhook about a match and this."""
    calls: tuple[tuple[str, str, type[Struct]], ...]
    """What the document of the API says of the calls about it: a name, when they come, and what is posted."""
    cursors: type[SQLModel]
    check: Callable[[Session, Owner, str], None]
    """Raises NotFound or Forbidden if this owner may have no webhook about the one with this id.

    In the transaction that adds the webhook.
    """
    start_cursors: Callable[[Session, Webhook], None]
    """Sets the webhook's cursors to how things stand, so that it gets later news only: in that transaction, too."""
    sweep: Callable[[Site], int]
    """Queues calls for news; returns the number of cursors advanced. It has transactions of its own, after which the
    calls are made.
    """
    read_news: Callable[[Reading, Delivery, Webhook], News | None]
    """Returns what the call tells now; None if there is nothing to tell any more, or its owner may not know it.

    In the transaction that claims the call.
    """


@cache
def subject_of_features(names: tuple[str, ...]) -> Subject | None:
    """Returns what these features have webhooks be about, if any does."""
    return next(iter(attributes_of_features("webhooks", "SUBJECT", names)), None)


def subject_of_all_features() -> Subject | None:
    """Returns what webhooks may be about, whether its feature is on or off."""
    return subject_of_features(tuple(packages_of_features()))


KINDS = ("your_turn", "moved", "over")


def check_preset(preset: str) -> str:
    """Returns the preset if it exists. Raises Invalid."""
    if preset not in PRESETS:
        raise Invalid(N_("A webhook is “standard”, “discord” or “slack”."), fields=("preset",))
    return preset


def all_kinds() -> tuple[str, ...]:
    """Returns all that webhooks may be told about, be it on or off."""
    other = subject_of_all_features()
    return (*KINDS, *(kind for kind in (other.kinds if other is not None else ()) if kind not in KINDS))


def check_kinds(kinds: Sequence[str], owner: Owner, about: Subject | None = None) -> tuple[str, ...]:
    """Returns the kinds in their fixed order. Raises Invalid, also for "your_turn" with the host, who has no turns.

    A webhook about something else than matches has that one's kinds.
    """
    known = about.kinds if about is not None else KINDS[1:] if owner is HOST else KINDS
    if not kinds or not set(kinds) <= set(known):
        facts = {"kinds": ", ".join(known)}
        raise Invalid(N_("Name the events of the webhook, at least one of these: %(kinds)s."), facts, fields=("kinds",))
    return tuple(kind for kind in known if kind in kinds)
