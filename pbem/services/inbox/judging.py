"""Whether a mail may act for the player whose address stands in its From."""

from collections.abc import Callable

from pbem.mail.incoming.verdicts import Verdict, verify
from pbem.models.inbox import InboxRow
from pbem.services.inbox.dns import DnsResolver
from pbem.services.site import Site

Judge = Callable[[Site, InboxRow, str], tuple[Verdict, str]]
"""Returns the verdict on a mail whose author's address is given, and a word why."""
MAILBOX = "mailbox"


def judge(site: Site, row: InboxRow, sender: str) -> tuple[Verdict, str]:
    """Returns the verdict on the mail. One that was written on this machine's own mailbox page acts.

    May ask name servers, so no transaction must be open.
    """
    if row.via == MAILBOX:
        return "act", MAILBOX
    assert row.raw is not None
    return verify(row.raw, sender, trusted=site.config.inbound.authserv, resolver=DnsResolver())
