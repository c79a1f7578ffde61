"""Whose a mail is: the seat that it names, and the question that it answers.

A token is looked for in the recipients, those of the envelope first; then in the subject, where PBEM_REPLY_TO has no
`{token}`: that of a mail names the seat, that of a link in a mail the question, too; then the ids of the mails that it
answers are looked up. A token names a seat until the seat's epoch changes. An id alone names a seat,
too, but not the epoch: such a mail is asked back, never acted on.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

from sqlmodel import Session

from pbem.errors import Invalid
from pbem.features.inbox.incoming.message import Incoming, read_message
from pbem.features.inbox.reply_tokens import PlayerNamed, RowNamed, SeatNamed, tokens_of
from pbem.features.inbox.settings import INBOUND
from pbem.features.inbox.tables import InboxRow
from pbem.features.inbox.ways import canary
from pbem.mail.compose import row_of_message_id
from pbem.models.tables import OutboxRow, Player, SeatRow
from pbem.services.log import store
from pbem.services.players.players import check_address
from pbem.services.site import Site

MOST_IDS = 20
"""How many of the ids that a mail answers are looked up: each names a row by itself, and the first is enough."""

Named = SeatNamed | RowNamed | PlayerNamed


@dataclass(frozen=True)
class Whose:
    """A seat with its player, and the question that the mail answers.

    `key` is that of the question, open or closed; None if the mail names none. `sure` is False if the mail names the
    seat by an id alone.
    """

    match_id: str
    seat: int
    epoch: int
    player_id: int
    canonical: str
    name: str
    key: str | None
    sure: bool


def read_mail_of_row(site: Site, row: InboxRow, raw: bytes) -> Incoming:
    """Returns what the mail of this row says, whose bytes are `raw`. Raises UnreadableMail."""
    recipients = json.loads(row.recipients)
    return read_message(
        raw, mail_from=row.mail_from, recipients=recipients, own=lambda address: is_own_address(site, address)
    )


# --- tokens --------------------------------------------------------------------------------------------------


def is_own_address(site: Site, address: str) -> bool:
    """True if mail to the address comes back to this site, or the site sends from it."""
    return address.strip().casefold() == site.config.mail_from.casefold() or is_own_reply_address(site, address)


def is_own_reply_address(site: Site, address: str) -> bool:
    """True if mail to the address is meant for this site: what stands in the token's place is one of its tokens.

    Where the form is a catch-all, `{token}@example.org`, all the other addresses are those of people.
    """
    inbound = site.config.group(INBOUND)
    token = inbound.token_in(address.strip())
    if token is None or not inbound.has_tokens:
        return token is not None
    return token == canary.PLACED or tokens_of(site.config.secret).read_token(token) is not None


def meaning_of_first_token(site: Site, incoming: Incoming) -> Named | None:
    """Returns what the first token in the mail says; None if it has none of this site's."""
    for token in _possible_tokens(site, incoming):
        if (said := tokens_of(site.config.secret).read_token(token)) is not None:
            return said
    return None


def _possible_tokens(site: Site, incoming: Incoming) -> Iterator[str]:
    inbound = site.config.group(INBOUND)
    yield from filter(None, (inbound.token_in(recipient.strip()) for recipient in incoming.recipients))
    if not inbound.has_tokens:
        yield from re.findall(r"\[([a-z2-7]{20,40})\]", incoming.subject.casefold())


def row_of_mail_answered(site: Site, session: Session, incoming: Incoming) -> OutboxRow | None:
    """Returns the row of the mail of ours that this one answers; None if it answers none."""
    for said in incoming.references[:MOST_IDS]:
        number = row_of_message_id(said, site.config.secret)
        if number is not None and (row := session.get(OutboxRow, number)) is not None:
            return row
    return None


# --- the seat ------------------------------------------------------------------------------------------------


def seat_named_in_mail(site: Site, session: Session, incoming: Incoming, named: Named | None) -> Whose | None:
    """Returns the seat that the mail names, if a player with an address has it now; None otherwise."""
    answered = row_of_mail_answered(site, session, incoming)
    if isinstance(named, SeatNamed):
        seat = session.get(SeatRow, (named.match_id, named.seat))
        tokens = tokens_of(site.config.secret)
        if seat is None or not tokens.names_seat(named, seat.epoch):
            return None
        keys = (ask.key for ask in reversed(store.asks_of_seat(session, seat.match_id, seat.seat)))
        key = next((key for key in keys if tokens.names_question(named, seat.epoch, key)), None)
        return _whose_seat(session, seat, key or _key_of_question_answered(session, answered, seat))
    if answered is None or answered.match_id is None or answered.seat is None:
        return None
    seat = session.get(SeatRow, (answered.match_id, answered.seat))
    if seat is None or seat.player_id is None or seat.player_id != answered.player_id:
        return None
    return _whose_seat(session, seat, _key_of_question_answered(session, answered, seat), sure=False)


def _whose_seat(session: Session, seat: SeatRow, key: str | None, *, sure: bool = True) -> Whose | None:
    player = session.get(Player, seat.player_id) if seat.player_id is not None else None
    if player is None or not player.address or player.canonical is None:
        return None
    if seat.status != "accepted":
        return None
    return Whose(seat.match_id, seat.seat, seat.epoch, player.id, player.canonical, seat.name, key, sure)


def _key_of_question_answered(session: Session, row: OutboxRow | None, seat: SeatRow) -> str | None:
    """Returns the key of the question that the mail of this row asked, of all that share its mail the one open then."""
    if row is None or (row.match_id, row.seat) != (seat.match_id, seat.seat) or row.key is None or row.done_at is None:
        return None
    asked = reversed(store.asks_of_seat(session, seat.match_id, seat.seat))
    return next((ask.key for ask in asked if ask.origin == row.key and ask.opened_at <= row.done_at), None)


# --- the sender ----------------------------------------------------------------------------------------------


def canonical_address(address: str) -> str | None:
    """Returns the form of the address for comparison; None if it is none."""
    try:
        return check_address(address)[1]
    except Invalid:
        return None


def canonical_sender(incoming: Incoming) -> str | None:
    """Returns the canonical address of the one author; None if there are several, or none."""
    return canonical_address(incoming.senders[0]) if len(incoming.senders) == 1 else None
