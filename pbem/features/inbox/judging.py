"""Whether a mail may act for the player whose address stands in its From."""

import time
from collections.abc import Callable
from datetime import datetime, timedelta

import dns.exception
import dns.name
import dns.resolver
from sqlalchemy import Connection

from pbem.features.inbox.incoming.results import Malformed, fields_of_head, has_several_blocks
from pbem.features.inbox.incoming.verdicts import DnsError, Verdict, verify_sender
from pbem.features.inbox.settings import INBOUND
from pbem.features.inbox.tables import InboxRow
from pbem.features.inbox.ways import canary
from pbem.services.site import Site

Judge = Callable[[Site, InboxRow, str], tuple[Verdict, str]]
"""Returns the verdict on a mail whose author's address is given, and a word why."""
MAILBOX = "mailbox"
SEVERAL = "several results"
"""The name of the row with the moment of the last mail to which our mail server had written several results."""
QUIET = timedelta(days=1)
"""After this time without another, they are history."""


def judge_mail(site: Site, row: InboxRow, sender: str) -> tuple[Verdict, str]:
    """Returns the verdict on the mail, and a word why. One written on this machine's own mailbox page acts.

    May ask name servers, so no transaction must be open.
    """
    if row.via == MAILBOX:
        return "act", MAILBOX
    assert row.raw is not None
    return verify_sender(row.raw, sender, trusted=site.config.group(INBOUND).authserv, resolver=DnsResolver())


def note_several_results(site: Site, raw: bytes) -> None:
    """Notes it if our mail server has written several results to this mail, of which none is believed."""
    try:
        fields = fields_of_head(raw)
    except Malformed:
        return
    if not has_several_blocks(fields, site.config.group(INBOUND).authserv):
        return
    with site.writing() as work:
        canary.note_moment(work, SEVERAL, site.now())


def has_noted_several_results(connection: Connection, now: datetime) -> bool:
    """True if our mail server has lately written several results to a mail."""
    at = canary.last_moment(connection, SEVERAL)
    return at is not None and now - at < QUIET


# --- name servers --------------------------------------------------------------------------------------------

LIFETIME_S = 5.0
"""How long one look-up may take."""
ALTOGETHER_S = 8.0
"""How long those of a mail may take together: a worker waits for them."""


class DnsResolver:
    """A resolver of `incoming.verdicts`, over this machine's name servers; make a new one for each mail.

    Of several records at one name, the one that is meant by it counts: the only DMARC record, or the first with a key.
    """

    def __init__(
        self, resolver: dns.resolver.Resolver | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._resolver = resolver
        self._clock = clock
        self._until: float | None = None
        """When the time for this mail is over, from the first look-up on."""

    def txt_record(self, name: str) -> bytes | None:
        """Returns the record at this name; None if there is none. Raises DnsError if no server says."""
        now = self._clock()
        if self._until is None:
            self._until = now + ALTOGETHER_S
        if now >= self._until:
            raise DnsError("no time left")
        try:
            resolver = self._resolver or dns.resolver.get_default_resolver()
            found = resolver.resolve(name, "TXT", lifetime=min(LIFETIME_S, self._until - now), search=False)
        except (dns.resolver.NXDOMAIN, dns.resolver.NoAnswer):
            return None
        except (dns.name.LabelTooLong, dns.name.NameTooLong, dns.name.EmptyLabel):
            return None  # no server can have a record at such a name
        except (dns.exception.DNSException, OSError) as error:
            raise DnsError(type(error).__name__) from error
        return _choose_record(name, [b"".join(record.strings) for record in found])


def _choose_record(name: str, records: list[bytes]) -> bytes | None:
    """Returns the record that counts."""
    if name.startswith("_dmarc."):
        records = [record for record in records if record.lower().startswith(b"v=dmarc1")]
        return records[0] if len(records) == 1 else None
    keys = [record for record in records if b"p=" in record]
    return next(iter(keys or records), None)
