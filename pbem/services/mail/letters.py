"""Builds the letter of an outbox row, with the facts as they are at the moment of sending.

A row whose reason is gone (the ask is answered, the seat muted, the feature off), whose notification was opened, whose
address must not be written to (suppressed, bounced), or which the daily digest replaces has no letter; instead, a word
is returned that becomes the row's result.
"""

from typing import Any

from pbem.mail.letters import Letter
from pbem.models.tables import OutboxRow
from pbem.services.kinds import all_kinds, is_sent
from pbem.services.mail.letter_context import LetterContext, Reader, reader_of
from pbem.services.players import bounces
from pbem.services.players.players import is_suppressed
from pbem.services.site import Reading, Site


def letter_for(
    site: Site, session: Reading, row: OutboxRow, run: dict[str, Any] | None = None
) -> tuple[Letter | None, str]:
    """Returns the letter and "sent", or None and the reason.

    `run` is what letters before it in the same run have read for it: see `LetterContext`.
    The reason is "stale", "opened", "muted", "suppressed", "bounced" or "digest".
    """
    reader = reader_of(session, row)
    if reader is None or not is_sent(row.kind, site.config.features):
        return None, "stale"
    if row.opened_at is not None:
        return None, "opened"
    if (kept_back := _kept_back(site, session, row, reader)) is not None:
        return None, kept_back
    letter = all_kinds()[row.kind].build(LetterContext(site, session, row, reader, {} if run is None else run))
    if isinstance(letter, str):
        return None, letter
    return letter, "sent"


def _kept_back(site: Site, session: Reading, row: OutboxRow, reader: Reader) -> str | None:
    """Returns why the reader gets no mail of this kind at present; None if they do."""
    kind = all_kinds()[row.kind]
    if not kind.to_any_mailbox:
        if is_suppressed(site, session, reader.player):
            return "suppressed"
        if bounces.is_withheld(site, session, row, reader.player):
            return "bounced"
    if kind.can_be_muted and not kind.on_request and reader.seat is not None and reader.seat.muted:
        return "muted"
    return None
