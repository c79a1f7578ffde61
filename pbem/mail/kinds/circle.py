"""An invitation to a circle, or the mail by which somebody who asked to join proves their address."""

from __future__ import annotations

from dataclasses import dataclass

from pbem.mail.harmless import Name
from pbem.mail.letters import Kind, Letter


@dataclass(frozen=True, kw_only=True)
class CircleInvitation(Letter):
    """Invites the reader to a circle of so many members.

    `host` is the member who invites; None if somebody asked with the circle's link, giving the reader's address.
    """

    kind = "circle"

    circle: Name
    host: Name | None
    size: int
    member_url: str
    unsubscribe_url: str

    @property
    def one_click_url(self) -> str:
        """The URL that stops all mails to an address that nobody has proven; otherwise it declines."""
        return self.unsubscribe or self.unsubscribe_url


KIND = Kind(CircleInvitation, capped=True, on_request=True)
