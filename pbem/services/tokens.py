"""Link tokens: signed statements of purpose, ids and an epoch, so that they can be made again for a repeat.

A seat token reads `<match>.<seat>.<epoch>.<signature>`. Each purpose has a key of its own: a token for one is
worth nothing for another. Raising the epoch of the seat (or player) makes all its tokens invalid.
"""

import hashlib
import hmac
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Literal

from itsdangerous import BadSignature, Signer

from pbem.errors import N_, Unauthorized

SeatPurpose = Literal["play", "confirm", "invitation", "mute"]
LinkPurpose = SeatPurpose | Literal["join", "substitute"]
PlayerPurpose = Literal["account", "never", "stop"]
Side = Literal["old", "new"]
"""Which mailbox: the one that the player has had so far, or the one to which he wants to be written."""

ACCOUNT_LIFE = timedelta(minutes=30)


@dataclass(frozen=True)
class SeatClaim:
    """What a seat token says: the epoch is still to be compared with the seat's, and the purpose with what is done."""

    match_id: str
    seat: int
    epoch: int
    purpose: SeatPurpose


@dataclass(frozen=True)
class OpeningClaim:
    """What the link of an open seat says; the era is still to be compared with the seat's."""

    match_id: str
    seat: int
    era: int


@dataclass(frozen=True)
class VacancyClaim:
    """What a link for substitutes says: the seat, and by which entry of the log it was left."""

    match_id: str
    seat: int
    away_n: int


@dataclass(frozen=True)
class WishClaim:
    """What the link in a substitute's mail says: the wish for a seat that is theirs to take."""

    wish_id: int


@dataclass(frozen=True)
class ChangeClaim:
    """What a link says by which a mailbox answers: the change of address, and which of the two mailboxes it is."""

    change_id: int
    side: Side


@dataclass(frozen=True)
class PlayerClaim:
    """What a session or a browser says of a player; the epoch is still to be compared with the player's."""

    player_id: int
    epoch: int


@dataclass(frozen=True)
class AccountClaim(PlayerClaim):
    """What an account link says, which opens a session until its time is up."""

    until: datetime


@dataclass(frozen=True)
class MailboxClaim:
    """What a token says that speaks for a mailbox: whose it was when the mail left, and the keyed hash of its address.

    The player may have another address by now: then the mailbox is not his any more.
    """

    player_id: int
    digest: str


class NeverClaim(MailboxClaim):
    """That of “never mail me again”."""


class StopClaim(MailboxClaim):
    """That of “mute all my matches”."""


def unknown_link() -> Unauthorized:
    """The one answer to every link that is not valid, whatever the reason."""
    return Unauthorized(N_("This link is not valid, or no longer. Request your links to get a new one."))


# --- the epochs of a seat ------------------------------------------------------------------------------------
#
# A seat's epochs come in eras of ERA each. In an even era the organiser names who is to sit. In an odd one the seat
# is for whoever holds its join link: that link carries the era, so that it outlives those who claim the seat by it
# and do not sit down, each of whom raises the epoch by one.

ERA = 1 << 16


def opening_of(epoch: int) -> int | None:
    """The era that the seat's join link must carry; None where the seat is not for whoever holds a link."""
    era = epoch // ERA
    return era if era % 2 else None


def next_opening(epoch: int) -> int:
    """The first epoch after this one at which the seat is for whoever holds its new link."""
    era = epoch // ERA + 1
    return (era if era % 2 else era + 1) * ERA


def next_named(epoch: int) -> int:
    """The first epoch after this one at which the organiser names who sits: an open seat's join link ends."""
    return epoch + 1 if opening_of(epoch) is None else (epoch // ERA + 1) * ERA


class Tokens:
    """Makes and reads link tokens with the site's secret."""

    def __init__(self, secret: str) -> None:
        self._secret = secret

    def _signer(self, purpose: str) -> Signer:
        return Signer(
            self._secret, salt=f"pbem.{purpose}", sep=".", key_derivation="hmac", digest_method=hashlib.sha256
        )

    def for_seat(self, purpose: LinkPurpose, match_id: str, seat: int, epoch: int) -> str:
        """The token that acts for this seat of this match, for this purpose alone."""
        return self._signer(purpose).sign(f"{match_id}.{seat}.{epoch}").decode()

    def read_seat(self, purpose: SeatPurpose, token: str) -> SeatClaim:
        """What the token says. Raises Unauthorized."""
        match_id, seat, epoch = self._read(purpose, token, 3)
        return SeatClaim(match_id, int(seat), int(epoch), purpose)

    def read_opening(self, token: str) -> OpeningClaim:
        """What the link of an open seat says. Raises Unauthorized."""
        match_id, seat, era = self._read("join", token, 3)
        return OpeningClaim(match_id, int(seat), int(era))

    def read_vacancy(self, token: str) -> VacancyClaim:
        """What a link for substitutes says. Raises Unauthorized."""
        match_id, seat, away_n = self._read("substitute", token, 3)
        return VacancyClaim(match_id, int(seat), int(away_n))

    def for_account(self, player_id: int, epoch: int, now: datetime, life: timedelta = ACCOUNT_LIFE) -> str:
        """The token that opens a session for this player, as long as it lives."""
        expires = int((now + life).timestamp())
        return self._signer("account").sign(f"{player_id}.{epoch}.{expires}").decode()

    def read_account(self, token: str, now: datetime) -> AccountClaim:
        """What the account token says. Raises Unauthorized, also when it is too old."""
        player_id, epoch, expires = self._read("account", token, 3)
        if now.timestamp() > int(expires):
            raise unknown_link()
        return AccountClaim(int(player_id), int(epoch), datetime.fromtimestamp(int(expires), UTC))

    def for_never(self, player_id: int, canonical: str) -> str:
        """The token behind "never mail me again", for the address to which the mail goes.

        It knows no epoch: an old mail's button must keep working. It speaks for its own mailbox and for no other.
        """
        return self._for_mailbox("never", player_id, canonical)

    def read_never(self, token: str) -> NeverClaim:
        """Who asks, and for which address. Raises Unauthorized."""
        return NeverClaim(*self._read_mailbox("never", token))

    def for_stop(self, player_id: int, canonical: str) -> str:
        """The token behind "mute all my matches". It knows no epoch either, and can do nothing else."""
        return self._for_mailbox("stop", player_id, canonical)

    def read_stop(self, token: str) -> StopClaim:
        """The player whose matches are meant, and from which mailbox. Raises Unauthorized."""
        return StopClaim(*self._read_mailbox("stop", token))

    def _for_mailbox(self, purpose: PlayerPurpose, player_id: int, canonical: str) -> str:
        return self._signer(purpose).sign(f"{player_id}.{self.address_digest(canonical)}").decode()

    def _read_mailbox(self, purpose: PlayerPurpose, token: str) -> tuple[int, str]:
        player_id, digest = self._read(purpose, token, 2)
        return int(player_id), digest

    def for_wish(self, wish_id: int) -> str:
        """The token by which somebody takes over the seat that he has asked for."""
        return self._signer("takeover").sign(str(wish_id)).decode()

    def read_wish(self, token: str) -> WishClaim:
        """Which wish a substitute's link is for. Raises Unauthorized."""
        (wish_id,) = self._read("takeover", token, 1)
        return WishClaim(int(wish_id))

    def for_change(self, change_id: int, side: Side) -> str:
        """The token by which one of the two mailboxes says yes to a change of address."""
        return self._signer("address").sign(f"{change_id}.{side}").decode()

    def read_change(self, token: str) -> ChangeClaim:
        """Which change it is, and which mailbox speaks. Raises Unauthorized."""
        change_id, side = self._read("address", token, 2)
        return ChangeClaim(int(change_id), "old" if side == "old" else "new")

    def _read(self, purpose: str, token: str, parts: int) -> list[str]:
        try:
            said = self._signer(purpose).unsign(token.encode()).decode()
        except (BadSignature, UnicodeError):
            raise unknown_link() from None
        found = said.split(".")
        if len(found) != parts:
            raise unknown_link()
        return found

    def for_browser(self, player_id: int, epoch: int) -> str:
        """The token by which a browser shows that this player has signed in on it; it opens nothing."""
        return self._signer("browser").sign(f"{player_id}.{epoch}").decode()

    def read_browser(self, token: str) -> PlayerClaim:
        """Which player has signed in on the browser, and in which epoch. Raises Unauthorized."""
        player_id, epoch = self._read("browser", token, 2)
        return PlayerClaim(int(player_id), int(epoch))

    def address_digest(self, canonical: str) -> str:
        """A keyed hash of an address: recognises it again, and tells nobody without the secret which it is."""
        return self._digest(b"pbem.suppression", canonical.encode())

    def mailbox_digest(self, mailbox: str) -> str:
        """A keyed hash of the mailbox that an address leads to, as quotas count it."""
        return self._digest(b"pbem.mailbox", mailbox.encode())

    def request_digest(self, said: bytes) -> str:
        """A keyed hash of a request: recognises it again, and tells nobody without the secret what was in it."""
        return self._digest(b"pbem.request", said)

    def _digest(self, purpose: bytes, said: bytes) -> str:
        key = hmac.digest(self._secret.encode(), purpose, "sha256")
        return hmac.new(key, said, "sha256").hexdigest()
