"""Players: addresses, their comparison, and who must not be written to."""

import itertools
import unicodedata
from dataclasses import dataclass
from datetime import datetime, timedelta

from email_validator import EmailNotValidError, validate_email
from sqlalchemy import func
from sqlmodel import Session, col, select

from pbem import names
from pbem.errors import N_, Invalid
from pbem.kit.contract import LANGS
from pbem.models.prepared import find
from pbem.models.tables import OutboxRow, Player, Suppression
from pbem.render.i18n import is_zone
from pbem.services.log import locks, outbox
from pbem.services.players import bounces, quotas
from pbem.services.site import Site
from pbem.services.tokens import ACCOUNT_LIFE, AccountClaim, NeverClaim, PlayerClaim, unknown_link
from pbem.services.work import Work

LINKS_EVERY_S = 600
FRESH = ACCOUNT_LIFE - timedelta(seconds=LINKS_EVERY_S)
"""So long at least the newest sign-in link in a mailbox still works when somebody has asked for one."""
SHORT, LONG_LIFE = 5, timedelta(hours=2)
"""After so many mails that anybody asked for within a day the links live longer, and fewer mails leave: 18 a day."""
UNVERIFIED_SHORT, UNVERIFIED_LIFE = quotas.LINKS - 1, timedelta(days=1)
"""The same to an address that nobody has shown to read: the last mail with links that its quota allows lasts a day."""
ANYBODY = "any"
NAME_LENGTH = 24
_SIGNS = frozenset("/\\:@<>{}")


def checked_address(address: str) -> tuple[str, str]:
    """The address as it is written to, and the form in which two are compared. Raises Invalid."""
    try:
        found = validate_email(address, check_deliverability=False, allow_smtputf8=False, test_environment=True)
    except EmailNotValidError:
        raise Invalid(N_("“%(address)s” is not an e-mail address."), {"address": address[:80]}) from None
    return found.normalized, found.normalized.casefold()


def checked_name(name: str) -> str:
    """The name, tidied. Raises Invalid where it is empty, long, shows nothing, or could carry more than itself into
    somebody's mail: a control character, an encoded word, a link.
    """
    name = unicodedata.normalize("NFC", name).strip(" ")
    if not name:
        raise Invalid(N_("Every player needs a name."))
    if names.is_invisible(name):  # before it is split: some controls count as spaces there
        raise Invalid(N_("A name must not hold invisible characters."))
    name = " ".join(name.split())
    if names.is_blank(name):
        raise Invalid(N_("Every player needs a name."))
    if len(name) > NAME_LENGTH:
        raise Invalid(N_("“%(name)s” is too long: a name has at most 24 characters."), {"name": name[:40]})
    if names.ENCODED in name:
        message = N_("A name must not hold “%(sign)s”: mail programs take it for the beginning of encoded text.")
        raise Invalid(message, {"sign": names.ENCODED})
    if any(sign in _SIGNS for sign in names.signs(name)) or any(
        left[-1:].isalnum() and right[:1].isalnum() for left, right in _around_dots(name)
    ):
        raise Invalid(N_("“%(name)s” looks like an address; a name must not."), {"name": name})
    return name


def _around_dots(name: str) -> list[tuple[str, str]]:
    """The pieces left and right of every dot, also of those that only look or work like one."""
    parts = unicodedata.normalize("NFKC", name).replace("。", ".").split(".")
    return list(itertools.pairwise(parts))


def checked_language(language: str) -> str:
    """The language, if there is one of this name. Raises Invalid."""
    if language not in LANGS:
        raise Invalid(N_("The language must be “fr” or “en”."))
    return language


def checked_zone(zone: str) -> str:
    """The time zone, if there is one of this name. Raises Invalid."""
    if not is_zone(zone):
        raise Invalid(N_("There is no time zone “%(zone)s”. Use a name like “Europe/Paris”."), {"zone": zone[:40]})
    return zone


def find_or_add(session: Session, address: str, language: str, now: datetime) -> Player:
    """The player with this address, added if new; of two who add at once both get the same one.

    Rows may point to them until the transaction ends. No match may be locked yet.
    """
    given, canonical = checked_address(address)
    player = locks.hold_address(session, canonical)
    if player is None:
        row = {"address": given, "canonical": canonical, "language": language, "created_at": now}
        outbox.insert_once(session, Player, {**row, "zone": "Europe/Paris", "epoch": 0})
        player = locks.hold_address(session, canonical)
    assert player is not None, "it is there, whoever added it"
    return player


def by_address(session: Session, canonical: str) -> Player | None:
    """The player whose address compares equal, or None."""
    return session.exec(select(Player).where(Player.canonical == canonical)).first()


def suppressed(site: Site, session: Session, player: Player) -> bool:
    """Whether this player must not be written to."""
    return find(session, Suppression, site.tokens.address_digest(player.canonical)) is not None


def suppress(site: Site, session: Session, canonical: str, reason: str) -> None:
    """Sees to it that nothing is sent to the address any more."""
    _suppress(site, session, site.tokens.address_digest(canonical), reason)


def _suppress(site: Site, session: Session, digest: str, reason: str) -> None:
    outbox.insert_once(session, Suppression, {"digest": digest, "reason": reason, "at": site.now()})


def block_address(site: Site, address: str) -> None:
    """The host's "no mail to this address". Raises Invalid."""
    _, canonical = checked_address(address)
    with site.writing() as work:
        suppress(site, work, canonical, "blocked")


def send_links(site: Site, address: str, browser: int | None = None) -> None:
    """Queues a mail with all the player's links if the address is known; says nothing either way.

    `browser` is the player who has signed in on the caller's browser before. See `queue_links` for how often.
    Raises Invalid where it is no address at all.
    """
    _, canonical = checked_address(address)
    with site.writing() as work:
        player = by_address(work, canonical)
        if player is not None:
            queue_links(site, work, player, owner=player.id == browser)


def queue_links(site: Site, work: Work, player: Player, *, owner: bool = False, news: bool = False) -> None:
    """Guarantees a mail with all the player's links whose sign-in link works for FRESH from now on, at least.

    That is one on its way, one that has left a while ago, or a new one. How long a link lives, and so how soon another
    mail may leave, depends on how many have been asked for today by whoever typed the address. What its `owner` asks
    for, on a browser or by a link that is theirs, is apart from that: a new mail every ten minutes.

    With `news` there is something that an earlier mail did not hold: then another leaves as soon as it may.
    """
    now, lane = site.now(), quotas.OWNER if owner else ANYBODY
    latest, today = _links_of(work, player, lane, now)
    due = now
    if latest is not None:
        if latest.done_at is None:
            return  # what it says is looked up when it leaves
        due = latest.done_at + (
            life_of(latest) - FRESH if latest.result == "sent" else timedelta(seconds=LINKS_EVERY_S)
        )
        if due > now and not news:
            return
    life = ACCOUNT_LIFE
    if not owner and player.verified_at is None and today >= UNVERIFIED_SHORT:
        life = UNVERIFIED_LIFE
    elif not owner and today >= SHORT:
        life = LONG_LIFE
    dedupe = f"links:{player.id}:{lane}:{latest.id if latest else 0}"  # of two at once both find the same latest one
    key = f"{lane}.{int(life.total_seconds())}"
    outbox.enqueue(work, dedupe, "links", now, player_id=player.id, key=key, due=max(now, due))


def _links_of(session: Session, player: Player, lane: str, now: datetime) -> tuple[OutboxRow | None, int]:
    """The latest mail with the player's links that was asked for in this way, and how many were within a day."""
    asked = (
        col(OutboxRow.player_id) == player.id,
        col(OutboxRow.kind) == "links",
        col(OutboxRow.key).startswith(f"{lane}."),
    )
    latest = session.exec(select(OutboxRow).where(*asked).order_by(col(OutboxRow.id).desc()).limit(1)).first()
    today = select(func.count()).where(*asked, col(OutboxRow.created_at) > now - timedelta(days=1))
    return latest, session.exec(today).one() if latest is not None else 0


def life_of(row: OutboxRow) -> timedelta:
    """How long the sign-in link of this mail works."""
    _, _, seconds = (row.key or "").partition(".")
    return timedelta(seconds=int(seconds)) if seconds else ACCOUNT_LIFE


def player_of(session: Session, claim: PlayerClaim) -> Player:
    """The player a token speaks for. Raises Unauthorized when its epoch is past."""
    player = session.get(Player, claim.player_id)
    if player is None or player.epoch != claim.epoch:
        raise unknown_link()
    return player


@dataclass(frozen=True)
class Account:
    """A player who is signed in, as they see themselves."""

    id: int
    address: str
    language: str
    zone: str
    digest_hour: int | None
    """At which hour they get their one mail a day; None for a mail each turn."""
    bounces: bool
    """Whether mail to their address is refused."""
    epoch: int


def _account(player: Player) -> Account:
    assert player.id is not None, "a stored player has an id"
    return Account(
        player.id, player.address, player.language, player.zone, player.digest_hour, player.bounced_at is not None,
        player.epoch,
    )  # fmt: skip


def read_account(site: Site, who: PlayerClaim | int) -> Account:
    """The account of a session or a link, or of a player who is signed in. Raises Unauthorized."""
    with site.reading() as session:
        return _account(session.get_one(Player, who) if isinstance(who, int) else player_of(session, who))


def open_account(site: Site, claim: AccountClaim) -> Account:
    """The account behind its link; its player has shown that they read the address. Raises Unauthorized."""
    with site.writing() as work:
        player = player_of(work, claim)
        if player.verified_at is None:
            player.verified_at = site.now()
        work.flush()
        bounces.clear_host_bounce(work, player.id, site.now())
        work.refresh(player)
        return _account(player)


def sign_out(site: Site, player_id: int) -> None:
    """Ends all the player's sessions, saved cookies too, and the account links sent so far; his seats stay his."""
    with site.writing() as work:
        player = work.get_one(Player, player_id)
        player.epoch += 1
        work.add(player)


def never_again(site: Site, claim: NeverClaim) -> None:
    """Honours "never mail me again" for the address to which the mail went, and for no other one of its player's.

    Seats already taken stay; their clock goes on. Raises Unauthorized, also where the player has gone.
    """
    with site.writing() as work:
        _there(work, claim)
        _suppress(site, work, claim.digest, "asked")


def read_never(site: Site, claim: NeverClaim) -> tuple[str, bool]:
    """The language of the player of a never-again link, and whether it has been honoured. Raises Unauthorized."""
    with site.reading() as session:
        return _there(session, claim).language, session.get(Suppression, claim.digest) is not None


def _there(session: Session, claim: NeverClaim) -> Player:
    player = session.get(Player, claim.player_id)
    if player is None or not player.address:
        raise unknown_link()
    return player
