"""Link tokens: signed strings of purpose, ids and an epoch, which can be created again when a mail is repeated.

A seat token reads `<match>.<seat>.<epoch>.<signature>`. Each purpose has its own key: a token for one is invalid for
any other. Raising the epoch of the seat (or player) invalidates all its tokens.
"""

import hashlib
import hmac
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Literal

from itsdangerous import BadSignature, Signer

from pbem.discovery import features, offered
from pbem.errors import N_, Unauthorized
from pbem.offered import PURPOSES

SeatPurpose = Literal["play", "confirm", "invitation", "mute", "orders"]
LinkPurpose = SeatPurpose | Literal["join", "substitute"]
PlayerPurpose = Literal["account", "never", "stop"]
Side = Literal["old", "new"]
"""The mailbox of the player's present address, or that of the new one."""

ACCOUNT_LIFE = timedelta(minutes=30)
LONGEST_LIFE = timedelta(hours=25)
"""No account link works for so long: one that says so was made while a clock was ahead."""
GUEST_DOTS = 4
"""The token of a guest's seat names the guest, too, so it has one dot more than that of any other seat."""


@dataclass(frozen=True)
class SeatClaim:
    """The content of a seat token.

    The epoch has yet to be compared with the seat's, and the purpose with what is done.
    """

    match_id: str
    seat: int
    epoch: int
    purpose: SeatPurpose


@dataclass(frozen=True)
class OpeningClaim:
    """The content of an open seat's link; the era has yet to be compared with the seat's."""

    match_id: str
    seat: int
    era: int


@dataclass(frozen=True)
class VacancyClaim:
    """The content of a substitute link: the seat, and the log entry by which it was left."""

    match_id: str
    seat: int
    away_n: int


@dataclass(frozen=True)
class OfferClaim:
    """The content of the link in a substitute's mail: the offer of a seat."""

    offer_id: int


@dataclass(frozen=True)
class ChangeClaim:
    """The content of a mailbox's link: the change of address, and which of the two mailboxes this is."""

    change_id: int
    side: Side


@dataclass(frozen=True)
class SentClaim:
    """What a browser says about a match started on it: the keyed hash of the address that was typed as its organiser's.

    The organiser may have changed their address since.
    """

    match_id: str
    digest: str


@dataclass(frozen=True)
class PlayerClaim:
    """What a session or a browser says about a player; the epoch has yet to be compared with the player's."""

    player_id: int
    epoch: int


@dataclass(frozen=True)
class AccountClaim(PlayerClaim):
    """The content of an account link, which opens a session until it expires."""

    until: datetime


@dataclass(frozen=True)
class MailboxClaim:
    """The content of a token for a mailbox: its player when the mail left, and the keyed hash of its address.

    The player may have changed their address since: then the mailbox is no longer theirs.
    """

    player_id: int
    digest: str


class NeverClaim(MailboxClaim):
    """The claim of a “never mail me again” link."""


class StopClaim(MailboxClaim):
    """The claim of a “mute all my matches” link."""


def unknown_link() -> Unauthorized:
    """Returns the one error for every invalid link, whatever the reason."""
    return Unauthorized(N_("This link is invalid or expired. Request your links to get a new one."))


# --- the epochs of a seat ------------------------------------------------------------------------------------
#
# A seat's epochs are grouped into eras of ERA each. In an even era the organiser names the player of the seat. In an
# odd one the seat is open to anybody with its join link. That link carries the era, so it stays valid when people claim
# the seat without taking it, each claim raising the epoch by one.

ERA = 1 << 16


def opening_of(epoch: int) -> int | None:
    """Returns the era that the seat's join link must carry; None if the seat is not open."""
    era = epoch // ERA
    return era if era % 2 else None


def next_opening(epoch: int) -> int:
    """Returns the first epoch after this one at which the seat is open, with a new join link."""
    era = epoch // ERA + 1
    return (era if era % 2 else era + 1) * ERA


def next_named(epoch: int) -> int:
    """Returns the first epoch after this one at which the organiser names the player, and no join link is valid."""
    return epoch + 1 if opening_of(epoch) is None else (epoch // ERA + 1) * ERA


class Tokens:
    """Creates and reads link tokens with the site's secret."""

    def __init__(self, secret: str) -> None:
        self._secret = secret

    def _signer(self, purpose: str) -> Signer:
        if purpose not in PURPOSES and not any(purpose in one for one in offered("claims", "PURPOSES", features())):
            raise ValueError(f"{purpose!r} is in no feature's PURPOSES, so another one may sign for it")
        return Signer(
            self._secret, salt=f"pbem.{purpose}", sep=".", key_derivation="hmac", digest_method=hashlib.sha256
        )

    def sign(self, purpose: str, *said: object) -> str:
        """Returns a token that says these parts, which have no dots, and is invalid for any other purpose."""
        return self._signer(purpose).sign(".".join(map(str, said))).decode()

    def read(self, purpose: str, token: str, parts: int) -> list[str]:
        """Returns the so many parts that a token for this purpose says. Raises Unauthorized."""
        try:
            said = self._signer(purpose).unsign(token.encode()).decode()
        except (BadSignature, UnicodeError):
            raise unknown_link() from None
        found = said.split(".")
        if len(found) != parts:
            raise unknown_link()
        return found

    def for_seat(self, purpose: LinkPurpose, match_id: str, seat: int, epoch: int) -> str:
        """Returns the token that acts for this seat of this match, for this purpose only."""
        return self.sign(purpose, match_id, seat, epoch)

    def read_seat(self, purpose: SeatPurpose, token: str) -> SeatClaim:
        """Returns the content of a seat token. Raises Unauthorized."""
        match_id, seat, epoch = self.read(purpose, token, 3)
        return SeatClaim(match_id, int(seat), int(epoch), purpose)

    def for_owner(self, match_id: str, seat: int, epoch: int, guest: int | None) -> str:
        """Returns the token with which the owner of the seat plays.

        That of a `guest`, by their id, works only beside the session of their browser: see `read_guest`.
        """
        if guest is None:
            return self.for_seat("play", match_id, seat, epoch)
        return self.sign("guest", match_id, seat, epoch, guest)

    def read_guest(self, token: str) -> tuple[SeatClaim, int] | None:
        """Returns what the token of a guest's seat claims, and whose session must come with it; None for another token.

        Raises Unauthorized.
        """
        if token.count(".") != GUEST_DOTS:
            return None
        match_id, seat, epoch, guest = self.read("guest", token, 4)
        return SeatClaim(match_id, int(seat), int(epoch), "play"), int(guest)

    def read_opening(self, token: str) -> OpeningClaim:
        """Returns the content of an open seat's link. Raises Unauthorized."""
        match_id, seat, era = self.read("join", token, 3)
        return OpeningClaim(match_id, int(seat), int(era))

    def read_vacancy(self, token: str) -> VacancyClaim:
        """Returns the content of a substitute link. Raises Unauthorized."""
        match_id, seat, away_n = self.read("substitute", token, 3)
        return VacancyClaim(match_id, int(seat), int(away_n))

    def for_account(self, player_id: int, epoch: int, now: datetime, life: timedelta = ACCOUNT_LIFE) -> str:
        """Returns the token that opens a session for this player until it expires."""
        expires = int((now + life).timestamp())
        return self.sign("account", player_id, epoch, expires)

    def read_account(self, token: str, now: datetime) -> AccountClaim:
        """Returns the content of an account token. Raises Unauthorized, also if it has expired."""
        player_id, epoch, expires = self.read("account", token, 3)
        left = int(expires) - now.timestamp()
        if not 0 <= left <= LONGEST_LIFE.total_seconds():
            raise unknown_link()
        return AccountClaim(int(player_id), int(epoch), datetime.fromtimestamp(int(expires), UTC))

    def for_never(self, player_id: int, canonical: str) -> str:
        """Returns the token behind "never mail me again", for the address to which the mail goes.

        It has no epoch, because the button of an old mail must keep working. It is valid for its own mailbox only.
        """
        return self._for_mailbox("never", player_id, canonical)

    def read_never(self, token: str) -> NeverClaim:
        """Returns the player and the address of a never-again token. Raises Unauthorized."""
        return NeverClaim(*self._read_mailbox("never", token))

    def for_stop(self, player_id: int, canonical: str) -> str:
        """Returns the token behind "mute all my matches". It has no epoch either, and can do nothing else."""
        return self._for_mailbox("stop", player_id, canonical)

    def read_stop(self, token: str) -> StopClaim:
        """Returns the player and the mailbox of a stop token. Raises Unauthorized."""
        return StopClaim(*self._read_mailbox("stop", token))

    def _for_mailbox(self, purpose: PlayerPurpose, player_id: int, canonical: str) -> str:
        return self.sign(purpose, player_id, self.address_digest(canonical))

    def _read_mailbox(self, purpose: PlayerPurpose, token: str) -> tuple[int, str]:
        player_id, digest = self.read(purpose, token, 2)
        return int(player_id), digest

    def for_offer(self, offer_id: int) -> str:
        """Returns the token with which a substitute takes over the seat they have requested."""
        return self.sign("takeover", offer_id)

    def read_offer(self, token: str) -> OfferClaim:
        """Returns the offer that a substitute's link is for. Raises Unauthorized."""
        (offer_id,) = self.read("takeover", token, 1)
        return OfferClaim(int(offer_id))

    def for_change(self, change_id: int, side: Side) -> str:
        """Returns the token with which one of the two mailboxes agrees to a change of address."""
        return self.sign("address", change_id, side)

    def read_change(self, token: str) -> ChangeClaim:
        """Returns the change and the mailbox of an address token. Raises Unauthorized."""
        change_id, side = self.read("address", token, 2)
        return ChangeClaim(int(change_id), "old" if side == "old" else "new")

    def for_sent(self, match_id: str, canonical: str) -> str:
        """Returns the token that shows that this match was started on a browser, with this address as organiser."""
        return self.sign("sent", match_id, self.address_digest(canonical))

    def read_sent(self, token: str) -> SentClaim:
        """Returns the match that was started on a browser, and the hash of its address. Raises Unauthorized."""
        match_id, digest = self.read("sent", token, 2)
        return SentClaim(match_id, digest)

    def for_browser(self, player_id: int, epoch: int) -> str:
        """Returns the token that shows that this player has signed in on a browser; it opens nothing."""
        return self.sign("browser", player_id, epoch)

    def read_browser(self, token: str) -> PlayerClaim:
        """Returns the player who has signed in on the browser, and in which epoch. Raises Unauthorized."""
        player_id, epoch = self.read("browser", token, 2)
        return PlayerClaim(int(player_id), int(epoch))

    def address_digest(self, canonical: str) -> str:
        """Returns a keyed hash of an address, which identifies it but reveals it to nobody without the secret."""
        return self._digest(b"pbem.suppression", canonical.encode())

    def mailbox_digest(self, mailbox: str) -> str:
        """Returns a keyed hash of the mailbox that an address leads to, as quotas count it."""
        return self._digest(b"pbem.mailbox", mailbox.encode())

    def request_digest(self, said: bytes) -> str:
        """Returns a keyed hash of a request, which identifies it but reveals it to nobody without the secret."""
        return self._digest(b"pbem.request", said)

    def _digest(self, purpose: bytes, said: bytes) -> str:
        key = hmac.digest(self._secret.encode(), purpose, "sha256")
        return hmac.new(key, said, "sha256").hexdigest()
