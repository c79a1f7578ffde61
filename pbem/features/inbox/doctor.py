"""What `pbem doctor` says about mail that comes in."""

import socket
from collections.abc import Iterator
from datetime import datetime

from sqlalchemy import Connection

from pbem.commands.terminal import pluralize
from pbem.config import Config
from pbem.features.inbox import judging
from pbem.features.inbox.settings import INBOUND, Imap, Lmtp
from pbem.features.inbox.ways import canary
from pbem.features.inbox.ways.arrivals import LATE_S, canary_age, mails_unread
from pbem.features.inbox.ways.imap import ERRORS, open_mailbox
from pbem.services.findings import Finding, grade_figure

LATE_WARN_S = 60
CONNECT_S = 10.0


def check_rows(connection: Connection, now: datetime, config: Config) -> Iterator[Finding]:
    """Checks that mail that has come in is read, and that the site's mail to itself comes back."""
    unread, age_s = mails_unread(connection, now), canary_age(connection, now, config)
    said = f"{pluralize(unread.count, 'mail', 'mails')}, the oldest for {unread.age_s:.0f} s"
    todo = "Are a worker and beat running? `pbem inbox list` shows the mails."
    yield grade_figure("mail unread", unread.age_s, LATE_WARN_S, LATE_S, said, todo)
    if age_s is not None:
        said = f"the site's mail to itself came back {age_s / 3600:.1f} h ago"
        todo = "Is `pbem inbound` running, and does PBEM_REPLY_TO lead to the mailbox or the mail server that is set?"
        yield grade_figure("mail round", age_s, canary.LATE.total_seconds(), float("inf"), said, todo)
    if canary.sends_canaries(config) and canary.lets_forged_results_through(connection):
        said = "the mail server of PBEM_AUTHSERV lets through Authentication-Results that others write in its name"
        todo = "Have it delete those that carry its name (RFC 8601, 5), or unset PBEM_AUTHSERV. See docs/hosting.md."
        yield Finding("mail results", "WARN", said, todo)
    if config.group(INBOUND).authserv and judging.has_noted_several_results(connection, now):
        said = "the results of the mail server of PBEM_AUTHSERV are not believed, because it writes several to a mail"
        todo = (
            "Have all filters but one write none (with OpenDKIM and OpenDMARC: keep OpenDMARC's), or unset "
            "PBEM_AUTHSERV. Until then pbem checks the signatures itself, and asks back what only SPF vouches for. "
            "This ends a day after the last such mail."
        )
        yield Finding("mail results", "WARN", said, todo)


def check(config: Config) -> Iterator[Finding]:
    """Checks each way by which mail comes in, as its sender or `pbem inbound` would use it. Takes nothing in."""
    inbound = config.group(INBOUND)
    if not inbound.intakes:
        said = (
            "by the local mailbox alone" if config.uses_local_mailbox else "no mail comes back: mails offer links alone"
        )
        yield Finding("mail in", "OK", said)
    if inbound.imap is not None:
        yield _check_imap(inbound.imap)
    if inbound.lmtp is not None:
        yield _check_lmtp(inbound.lmtp)
    if inbound.secret is not None:
        yield Finding("mail in", "OK", f"a relay may post to {config.url}/inbound")


def _check_imap(found: Imap) -> Finding:
    where = f"{found.host}:{found.port}"
    try:
        with open_mailbox(found) as mailbox:
            mailbox.folder.set(found.folder, readonly=True)
            unseen = len(mailbox.uids("UNSEEN UNDELETED", charset=None))
    except ERRORS as error:
        todo = "Correct host, port, user, password and folder in IMAP_URL; write an @ of the user as %40."
        return Finding("mail in", "FAIL", f"IMAP: {where} does not open {found.folder} ({type(error).__name__})", todo)
    waiting = pluralize(unseen, "unseen mail", "unseen mails")
    return Finding("mail in", "OK", f"IMAP: {found.folder} at {where}, {waiting}")


def _check_lmtp(where: Lmtp) -> Finding:
    kind = socket.AF_UNIX if where.path else socket.AF_INET6 if ":" in where.host else socket.AF_INET
    todo = "Is `pbem inbound` running (see Procfile), and does the folder of its socket let others in?"
    try:
        with socket.socket(kind) as client:
            client.settimeout(CONNECT_S)
            client.connect(where.path or (where.host, where.port))
            greeting = client.recv(512)
    except OSError as error:
        return Finding("mail in", "FAIL", f"LMTP: nobody answers at {where} ({error.strerror or error})", todo)
    if greeting.startswith(b"220 "):
        return Finding("mail in", "OK", f"LMTP: {where} answers")
    return Finding("mail in", "FAIL", f"LMTP: something else than pbem answers at {where}", todo)
