"""Link tokens: signed strings of purpose, ids and an epoch, which can be created again when a mail is repeated.

A seat token reads `<match>.<seat>.<epoch>.<signature>`. Each purpose has its own key: a token for one is invalid for
any other. Raising the epoch of the seat (or player) invalidates all its tokens.
"""

import hashlib
import hmac
from collections.abc import Callable
from dataclasses import dataclass, fields
from datetime import UTC, datetime, timedelta
from functools import cache
from types import GenericAlias
from typing import Any, ClassVar, Literal, TypeVar, get_origin, get_type_hints

import msgspec
from itsdangerous import BadSignature, Signer

from pbem.discovery import PURPOSES, attributes_of_features, packages_of_features
from pbem.errors import N_, Unauthorized

SeatPurpose = Literal["play", "confirm", "invitation", "mute", "orders"]
Side = Literal["old", "new"]
"""The mailbox of the player's present address, or that of the new one."""

ACCOUNT_LIFE = timedelta(minutes=30)
LONGEST_LIFE = timedelta(hours=25)
"""No account link works for so long: one that says so was made while a clock was ahead."""
GUEST_DOTS = 4
"""The token of a guest's seat names the guest, too, so it has one dot more than that of any other seat."""


@dataclass(frozen=True)
class Claim:
    """What a link says. A subclass declares a kind of link: the fields that its token says, in this order, and what it
    is good for. Fields are numbers, words without dots, and one of the words of a `Literal`.

    Without a purpose it is the base of several kinds, and no token says it.
    """

    purpose: ClassVar[str]


@dataclass(frozen=True)
class SeatClaim(Claim):
    """The content of a seat's link.

    The epoch has yet to be compared with the seat's, and the purpose with what is done.
    """

    purpose: ClassVar[SeatPurpose]
    match_id: str
    seat: int
    epoch: int


class PlayClaim(SeatClaim):
    """The claim of the link with which the owner of a seat plays."""

    purpose = "play"


class ConfirmClaim(SeatClaim):
    """The claim of the link with which an organiser confirms a match and their address."""

    purpose = "confirm"


class InvitationClaim(SeatClaim):
    """The claim of an invitation's link."""

    purpose = "invitation"


class MuteClaim(SeatClaim):
    """The claim of a “mute this match” link."""

    purpose = "mute"


class OrdersClaim(SeatClaim):
    """The claim of a “stop my orders” link."""

    purpose = "orders"


SEAT_CLAIMS: dict[str, type[SeatClaim]] = {
    kind.purpose: kind for kind in (PlayClaim, ConfirmClaim, InvitationClaim, MuteClaim, OrdersClaim)
}


@dataclass(frozen=True)
class GuestClaim(Claim):
    """The content of the link of a guest's seat, which works only beside the session of their browser."""

    purpose = "guest"
    match_id: str
    seat: int
    epoch: int
    guest: int
    """The guest's id."""


@dataclass(frozen=True)
class OpeningClaim(Claim):
    """The content of an open seat's link; the era has yet to be compared with the seat's."""

    purpose = "join"
    match_id: str
    seat: int
    era: int


@dataclass(frozen=True)
class VacancyClaim(Claim):
    """The content of a substitute link: the seat, and the log entry by which it was left."""

    purpose = "substitute"
    match_id: str
    seat: int
    away_n: int


@dataclass(frozen=True)
class OfferClaim(Claim):
    """The content of the link in a substitute's mail: the offer of a seat."""

    purpose = "takeover"
    offer_id: int


@dataclass(frozen=True)
class ChangeClaim(Claim):
    """The content of a mailbox's link: the change of address, and which of the two mailboxes this is."""

    purpose = "address"
    change_id: int
    side: Side


@dataclass(frozen=True)
class SentClaim(Claim):
    """What a browser says about a match started on it: the keyed hash of the address that was typed as its organiser's.

    The organiser may have changed their address since.
    """

    purpose = "sent"
    match_id: str
    digest: str


@dataclass(frozen=True)
class PlayerClaim(Claim):
    """What a session or a browser says about a player; the epoch has yet to be compared with the player's.

    As a token, it shows that the player has signed in on a browser before, and gives access to nothing.
    """

    purpose = "browser"
    player_id: int
    epoch: int


@dataclass(frozen=True)
class AccountClaim(PlayerClaim):
    """The content of an account link, which opens a session until it expires."""

    purpose = "account"
    expires: int
    """In seconds since 1970."""

    @property
    def until(self) -> datetime:
        """Until when it opens a session."""
        return datetime.fromtimestamp(self.expires, UTC)


@dataclass(frozen=True)
class MailboxClaim(Claim):
    """The content of a token for a mailbox: its player when the mail left, and the keyed hash of its address.

    The player may have changed their address since: then the mailbox is no longer theirs. It has no epoch, because the
    button of an old mail must keep working.
    """

    player_id: int
    digest: str


class NeverClaim(MailboxClaim):
    """The claim of a “never mail me again” link."""

    purpose = "never"


class StopClaim(MailboxClaim):
    """The claim of a “mute all my matches” link."""

    purpose = "stop"


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


AnyClaim = TypeVar("AnyClaim", bound=Claim)
Id = TypeVar("Id", int, str)


@cache  # mypy takes the hash of a claim for that of its class
def _type_of_content(kind: type[Claim]) -> Any:
    """Returns the type of what a token of this kind of claim says: that of each field, in their order."""
    hints = get_type_hints(kind)
    said = [hints[one.name] for one in fields(kind)]
    for hint in said:
        if hint not in (int, str) and get_origin(hint) is not Literal:
            raise TypeError(f"a token says numbers and words, no {hint}")
    return GenericAlias(tuple, (*said,))


@cache
def _signer(secret: str, kind: type[Claim]) -> Signer:
    """Returns what signs claims of this kind, whose key is derived once."""
    if (purpose := getattr(kind, "purpose", None)) is None:
        raise TypeError(f"{kind.__name__} has no purpose: sign and read the claims that derive from it")
    if purpose not in PURPOSES and not any(
        purpose in one for one in attributes_of_features("claims", "PURPOSES", packages_of_features())
    ):
        raise ValueError(f"{purpose!r} is in no feature's PURPOSES, so another one may sign for it")
    key = hmac.digest(secret.encode(), f"pbem.{purpose}".encode(), "sha256")
    return Signer(key, sep=".", key_derivation="none", digest_method=hashlib.sha256)


class Tokens:
    """Creates and reads link tokens with the site's secret."""

    def __init__(self, secret: str) -> None:
        self._secret = secret

    def sign(self, claim: Claim) -> str:
        """Returns the token that says this, and is invalid for any other purpose."""
        signer = _signer(self._secret, type(claim))  # type: ignore[arg-type]
        return signer.sign(".".join(map(str, vars(claim).values()))).decode()

    def sign_for(self, kind: Callable[[Id, str], Claim], one: Id, canonical: str) -> str:
        """Returns the token of a claim of this kind about one thing, for the address to which its mail goes."""
        return self.sign(kind(one, self.address_digest(canonical)))

    def read(self, kind: type[AnyClaim], token: str) -> AnyClaim:
        """Returns what a token of this kind says. Raises Unauthorized."""
        try:
            said = _signer(self._secret, kind).unsign(token.encode()).decode().split(".")  # type: ignore[arg-type]
            return kind(*msgspec.convert(said, _type_of_content(kind), strict=False))  # type: ignore[arg-type]
        except (BadSignature, ValueError):
            raise unknown_link() from None

    def for_owner(self, match_id: str, seat: int, epoch: int, guest: int | None) -> str:
        """Returns the token with which the owner of the seat plays, who may be a guest with this id."""
        own = PlayClaim(match_id, seat, epoch) if guest is None else GuestClaim(match_id, seat, epoch, guest)
        return self.sign(own)

    def read_guest(self, token: str) -> tuple[PlayClaim, int] | None:
        """Returns what the token of a guest's seat claims, and the guest whose session must come with it.

        None if it is not the token of a guest's seat. Raises Unauthorized.
        """
        if token.count(".") != GUEST_DOTS:
            return None
        said = self.read(GuestClaim, token)
        return PlayClaim(said.match_id, said.seat, said.epoch), said.guest

    def for_account(self, player_id: int, epoch: int, now: datetime, life: timedelta = ACCOUNT_LIFE) -> str:
        """Returns the token that opens a session for this player until it expires."""
        return self.sign(AccountClaim(player_id, epoch, int((now + life).timestamp())))

    def read_account(self, token: str, now: datetime) -> AccountClaim:
        """Returns the content of an account token. Raises Unauthorized, also if it has expired."""
        claim = self.read(AccountClaim, token)
        if not now <= claim.until <= now + LONGEST_LIFE:
            raise unknown_link()
        return claim

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
