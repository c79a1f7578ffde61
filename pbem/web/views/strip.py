"""The strip above the board: what is asked, until when, what happened, and what can be taken back.

All that the page has to say stands in one place of it, the slot, as items that its reader pages through: first what
answers them or waits for their answer, then the news, line by line. Each kind of item has a dressing of its own.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from flask import request
from markupsafe import Markup

from pbem.web.protocol.language import _
from pbem.web.views.match_page import CardShown, Table

Kind = Literal["no", "chosen", "mine", "asked", "news"]
"""What an item is: a refusal, a choice half made, what the reader did, what the others wait for, or what happened."""


@dataclass(frozen=True)
class Button:
    """A button of an item: a form of these fields, or a link if they are None."""

    label: str
    href: str
    fields: Mapping[str, object] | None = None


@dataclass(frozen=True)
class Item:
    """One thing the page has to say, in two lines; `more` is the lesser part of it.

    `name` is what addresses call it, `n` the number of a line of the news on the board. Paging to it says that the log
    is read up to the entry `upto`.
    `urgent`: it comes before unread news.
    """

    kind: Kind
    text: Markup | str
    more: Markup | str = ""
    buttons: tuple[Button, ...] = ()
    n: int | None = None
    upto: int = 0
    urgent: bool = True
    rule: tuple[str, str] | None = None
    """The number of the rule, and the path of its page."""
    card: CardShown | None = None
    of: str = ""
    """Which of the news it is, in words."""
    name: str = ""
    head: str = ""
    """The headline of the page while it is in sight and the game asks nothing; "": who must do what."""


@dataclass(frozen=True)
class Strip:
    """What the slot shows: its items, and the places of the one in sight, of the first unread one, and of the one
    whose card is open, if there is any.
    """

    items: tuple[Item, ...]
    at: int
    unread: int | None
    card: int | None = None

    @property
    def head(self) -> str:
        """Returns the headline of the item in sight; "" if it has none."""
        return self.items[self.at].head if self.items else ""


def strip(
    table: Table | None, before: Sequence[Item] = (), messages: Sequence[Item] = (), *, chosen: bool = False
) -> Strip:
    """Returns the strip with these items before the news and after them; the address may say which one is in sight.

    An unread card opens when the pager reaches it, and at the latest when something is `chosen`.
    """
    lines = table.news if table is not None else []
    news = [
        Item("news", line.text, n=n, upto=line.upto, card=line.card, name=line.name) for n, line in enumerate(lines, 1)
    ]
    # A message is no entry: who has paged to it has read what stands before it.
    news += [replace(item, upto=lines[-1].upto if lines else 0, name="message") for item in messages]
    if len(news) > 1:
        news = [replace(item, of=_("%(at)s of %(count)s", at=at, count=len(news))) for at, item in enumerate(news, 1)]
    items = (*(replace(item, name=f"{item.kind}{at}") for at, item in enumerate(before)), *news)
    unread = len(before) + table.unread if table is not None and table.unread is not None else None
    urgent = next((at for at, item in enumerate(before) if item.urgent), None)
    at = urgent if urgent is not None else unread if unread is not None else len(items) - 1
    at = next((place for place, item in enumerate(items) if item.name == request.args.get("news")), at)
    due = range(unread, len(items) if chosen else at + 1) if unread is not None else ()
    return Strip(items, at, unread, next((place for place in due if items[place].card is not None), None))
