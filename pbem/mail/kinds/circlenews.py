"""What a member of a circle should know: its page was opened, or they are its founder now."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pbem.mail.harmless import Name
from pbem.mail.letters import Kind, Letter


@dataclass(frozen=True, kw_only=True)
class CircleNews(Letter):
    """The circle's page is `opened`, with or without the reader's name, or the reader is its `founder` now."""

    kind = "circlenews"
    list_name = "circle"

    circle: Name
    what: Literal["opened", "founder"]
    listed: bool
    member_url: str
    unsubscribe_url: str

    @property
    def one_click_url(self) -> str:
        """The URL that stops the circle's mails."""
        return self.unsubscribe_url


KIND = Kind(CircleNews)
