"""Do you want your mails at another address? Sent to the old and the new mailbox."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from pbem.mail.harmless import Typed
from pbem.mail.letters import Kind, Letter


@dataclass(frozen=True, kw_only=True)
class Readdress(Letter):
    """Asks to confirm a change of address. Both mailboxes are asked; `side` says which one this mail is for.

    `wanted` is the new address: the mail to the new mailbox does not hold the old one. The request lapses at `until`.
    """

    kind = "readdress"

    side: Literal["old", "new"]
    first: bool = False
    """True if a player without an address would like this to be theirs: no other mailbox is asked."""
    wanted: Typed
    change_url: str
    until: datetime


KIND = Kind(Readdress, on_request=True, to_any_mailbox=True)
