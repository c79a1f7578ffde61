"""The same as `links`, to an address that a player has just changed to."""

from __future__ import annotations

from dataclasses import dataclass

from pbem.mail.kinds.links import MyLinks
from pbem.mail.letters import Kind


@dataclass(frozen=True, kw_only=True)
class Readdressed(MyLinks):
    """Mails now go to this address: the older links to the reader's seats no longer work."""

    kind = "readdressed"


KIND = Kind(Readdressed, proves_address=True)
