"""From an outbox row to its reader and its letter, with the facts as they are when it is sent.

A row whose reason is gone (the ask is answered, the seat muted, the feature off), whose notification was opened, whose
address must not be written to (suppressed, bounced), or which the daily digest replaces has no letter; instead, a word
is returned that becomes the row's result.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Any, cast

from sqlalchemy import and_, or_
from sqlmodel import Session, col, select

from pbem.kit.texts import Lang
from pbem.mail.letters import Letter, Sender
from pbem.models.prepared import find
from pbem.models.tables import Match, OutboxRow, Player, SeatRow
from pbem.render.i18n import translator
from pbem.services.access import seat_links
from pbem.services.hooks import Back, hooks_of
from pbem.services.kinds import all_kinds, kinds_sent
from pbem.services.log.store import Table
from pbem.services.mail import claims
from pbem.services.mail.claims import Claimed
from pbem.services.players import bounces, first_names
from pbem.services.players.players import is_suppressed, letter_name
from pbem.services.site import Reading, Site
from pbem.services.tokens import SEAT_CLAIMS, InvitationClaim, NeverClaim, SeatPurpose
from pbem.services.views import talk
from pbem.services.views.talk import Message


@dataclass(frozen=True)
class Reader:
    """The player a row is for, with match and seat if it is about one."""

    player: Player
    match: Match | None
    seat: SeatRow | None

    @property
    def lang(self) -> Lang:
        """Returns the player's language."""
        return cast(Lang, self.player.language)


def reader_of(session: Session, row: OutboxRow) -> Reader | None:
    """Returns the row's reader; None if their seat, their data or the feature whose mail it is are gone."""
    kind, match, seat, player_id = all_kinds().get(row.kind), None, None, row.player_id
    if kind is None:
        return None
    if row.match_id is not None and row.seat is not None:
        match, seat = find(session, Match, row.match_id), find(session, SeatRow, row.match_id, row.seat)
        if match is None or seat is None:
            return None
        if row.kind == "invitation":
            epoch = int((row.key or "").removeprefix(seat_links.EPOCH) or 0)
            claim = seat_links.earlier_claim(session, InvitationClaim(row.match_id, row.seat, epoch))
            seat = seat_links.seat_as_claimed(seat, claim) if claim is not None else seat
        player_id = row.player_id if kind.to_newcomer else seat.player_id
    player = find(session, Player, player_id) if player_id is not None else None
    if player is None or not (player.address or (player.address is None and kind.to_any_mailbox)):
        return None  # of one who is erased only the id is left; a guest has no mailbox of their own
    return Reader(player, match, seat)


@dataclass(frozen=True)
class LetterContext:
    """The context from which a letter is written."""

    site: Site
    session: Reading
    row: OutboxRow
    reader: Reader
    run: dict[str, Any] = field(default_factory=dict)
    """What letters of one run of the sender have read for those after them, by kind; a run lasts seconds."""
    claimed: Claimed | None = None
    """The row with what was read with it."""

    @property
    def now(self) -> datetime:
        return self.site.now()

    @property
    def match(self) -> Match:
        assert self.reader.match is not None
        return self.reader.match

    @property
    def seat(self) -> SeatRow:
        assert self.reader.seat is not None
        return self.reader.seat

    @cached_property
    def table(self) -> Table:
        """The match, with what is read of it, once each."""
        read = self.claimed.table if self.claimed is not None else None
        return read or Table(self.session, self.match)

    def messages_since(self, since: datetime | None) -> Sequence[Message]:
        """Returns the messages at the table after a moment, oldest first, at most the newest 200; None: all of them."""
        if self.claimed is None or self.claimed.table is None:
            return talk.messages_since(self.session, self.match.id, since)
        return [message for message in self.claimed.said if since is None or message.at > since]

    def has_begun(self) -> bool:
        """True if another mail has told the reader that the match has begun."""
        return (self.claimed or claims.read_claimed_row(self.site, self.session, self.row.id)).has_begun

    def is_suppressed(self) -> bool:
        """True if the reader must not be written to."""
        canonical, known = self.reader.player.canonical, self.claimed.suppressed if self.claimed is not None else None
        if known is None or canonical is None:
            return is_suppressed(self.site, self.session, self.reader.player)
        return self.site.tokens.address_digest(canonical) in known

    def link(self, purpose: SeatPurpose, path: str = "") -> str:
        """Returns the URL of this seat's page for a purpose, at the path of that name unless given."""
        token = self.site.tokens.sign(SEAT_CLAIMS[purpose](self.match.id, self.seat.seat, self.seat.epoch))
        return self.site.url(f"/{path or purpose}/{token}")

    def envelope(self) -> dict[str, Any]:
        """Returns the fields of every letter.

        What unsubscribes stops all mail to an unverified address; a verified player mutes this match. For a guest whose
        new mailbox is asked, the letter brings its own link.
        """
        player, seat, config = self.reader.player, self.reader.seat, self.site.config
        never, unsubscribe = "", None
        if player.canonical is not None:
            never = self.site.url(f"/never/{self.site.tokens.sign_for(NeverClaim, player.id, player.canonical)}")
        if player.verified_at is None:
            unsubscribe = never
        elif seat is not None and seat.player_id == player.id:
            unsubscribe = self.link("mute")
        back = self._back()
        return {
            "row": self.row.id,
            "to": player.address,
            "lang": self.reader.lang,
            "zone": player.zone,
            "at": self.now,
            "sender": Sender(name="pbem", address=config.mail_from, url=config.url),
            "never_url": never,
            "unsubscribe": unsubscribe,
            **(back.of_letter(config, self.row.id, player, seat) if back is not None else {}),
        }

    def replies(self, key: str | None = None) -> dict[str, Any]:
        """Returns the fields of a letter that say where its reply goes: to this question of the seat, by its key."""
        back = self._back()
        return dict(back.of_seat(self.site.config, self.seat, key)) if back is not None else {}

    def _back(self) -> Back | None:
        """Returns what says where mail comes back to: one feature at most, of those that are on."""
        return next((one.back for one in hooks_of(self.site.config.features) if one.back is not None), None)

    def names(self) -> tuple[str, ...]:
        """Returns what the letter calls everybody at the table."""
        own = self.reader.seat  # what it is called for its reader: others may have claimed it since
        seats = self.table.seats
        return tuple(self.name_at(own if own is not None and own.seat == one.seat else one) for one in seats)

    def name_at(self, seat: SeatRow) -> str:
        """Returns the name at the seat; in words where nobody has said yet what the invited person is called."""
        if seat.status != "invited" or seat.name != letter_name(seat.seat):
            return seat.name
        return translator(self.reader.lang).gettext("Player %(letter)s") % {"letter": seat.name}

    def others(self) -> tuple[list[SeatRow], int]:
        """Returns the other seats that have somebody, in seat order, and the number of those that are free."""
        others = [seat for seat in self.table.seats if seat.seat != self.seat.seat]
        taken = [seat for seat in others if seat.status != "open"]
        return taken, len(others) - len(taken)

    def about(self, names: tuple[str, ...] | None = None) -> dict[str, Any]:
        """Returns the fields of a letter about a match; the lucky word is the reader's, not that of a seat on offer."""
        names, own = names or self.names(), self.seat.player_id == self.reader.player.id
        return {
            **self.envelope(),
            "game": self.table.game,
            "match": self.match.id,
            "seat": self.seat.seat,
            "names": names,
            "first_names": first_names.names_at_start(self.match.first_names, names) if self.match.first_names else (),
            "nth": self.match.nth,
            **self.proof(),
            "word": self.seat.word if own else None,
        }

    def proof(self) -> dict[str, Any]:
        """Returns what a mail keeps of the match: the commitment, and the head of its log as it is now."""
        return {"commitment": self.match.commitment, "head": self.match.head}

    def is_superseded(self) -> bool:
        """True if a later mail of the same kind for the same reader waits or was sent, which makes this one pointless.

        A later mail that cannot be rendered does not count.
        """
        row = self.row
        reader = (
            (col(OutboxRow.player_id) == row.player_id,)
            if row.match_id is None
            else (col(OutboxRow.match_id) == row.match_id, col(OutboxRow.seat) == row.seat)
        )
        waits = and_(col(OutboxRow.done_at).is_(None), col(OutboxRow.unrendered_since).is_(None))
        tells = or_(waits, col(OutboxRow.result).in_(("sent", "opened")))
        later = (col(OutboxRow.kind) == row.kind, col(OutboxRow.id) > row.id, tells)
        return self.session.exec(select(OutboxRow.id).where(*later, *reader).limit(1)).first() is not None


def letter_for(context: LetterContext) -> tuple[Letter | None, str]:
    """Returns the letter and "sent", or None and the reason why none is sent.

    The reason is "stale", "opened", "muted", "suppressed", "bounced" or "digest".
    """
    site, session, row, reader = context.site, context.session, context.row, context.reader
    if row.kind not in kinds_sent(site.config.features):
        return None, "stale"
    if row.opened_at is not None:
        return None, "opened"
    kind = all_kinds()[row.kind]
    if not kind.to_any_mailbox:
        if context.is_suppressed():
            return None, "suppressed"
        if bounces.is_withheld(site, session, row, reader.player):
            return None, "bounced"
    if kind.can_be_muted and not kind.on_request and reader.seat is not None and reader.seat.muted:
        return None, "muted"
    letter = kind.build(context)
    return (None, letter) if isinstance(letter, str) else (letter, "sent")
