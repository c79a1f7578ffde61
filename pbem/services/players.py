"""Players: addresses, their comparison, and who must not be written to."""

import itertools
import unicodedata
from datetime import UTC, datetime

from email_validator import EmailNotValidError, validate_email
from sqlmodel import Session, select

from pbem.errors import N_, Invalid
from pbem.faces.i18n import is_zone
from pbem.models.prepared import find
from pbem.models.tables import Player, Suppression
from pbem.rules.contract import LANGS
from pbem.services import bounces, store
from pbem.services.site import Site
from pbem.services.tokens import MailboxClaim, PlayerClaim, unknown_link

LINKS_EVERY_S = 600
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
    """The name, tidied. Raises Invalid where it is empty, long, or could carry a link into somebody's mail."""
    name = " ".join(unicodedata.normalize("NFC", name).split())
    if not name:
        raise Invalid(N_("Every player needs a name."))
    if len(name) > NAME_LENGTH:
        raise Invalid(N_("“%(name)s” is too long: a name has at most 24 letters."), {"name": name[:40]})
    if any(unicodedata.category(c)[0] in "CZ" and c != " " for c in name):
        raise Invalid(N_("A name must not hold invisible characters."))
    if any(c in _SIGNS for c in name) or any(
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
    """The player with this address, added if new; of two who add at once both get the same one."""
    given, canonical = checked_address(address)
    player = by_address(session, canonical)
    if player is None:
        row = {"address": given, "canonical": canonical, "language": language, "created_at": now}
        store.insert_once(session, Player, {**row, "zone": "Europe/Paris", "epoch": 0})
        player = by_address(session, canonical)
    assert player is not None, "it is there, whoever added it"
    return player


def by_address(session: Session, canonical: str) -> Player | None:
    """The player whose address compares equal, or None."""
    return session.exec(select(Player).where(Player.canonical == canonical)).first()


def locked(session: Session, player_id: int | None) -> Player:
    """The player, locked until the transaction ends: of two changes at once the second sees the first.

    Raises Unauthorized where he has gone: nothing is kept for him any more, whatever he was about to do.
    """
    player = session.get(Player, player_id, with_for_update=True, populate_existing=True) if player_id else None
    if player is None or not player.address:
        raise unknown_link()
    return player


def suppressed(site: Site, session: Session, player: Player) -> bool:
    """Whether this player must not be written to."""
    return find(session, Suppression, site.tokens.address_digest(player.canonical)) is not None


def suppress(site: Site, session: Session, canonical: str, reason: str) -> None:
    """Sees to it that nothing is sent to the address any more."""
    _suppress(site, session, site.tokens.address_digest(canonical), reason)


def _suppress(site: Site, session: Session, digest: str, reason: str) -> None:
    store.insert_once(session, Suppression, {"digest": digest, "reason": reason, "at": site.now()})


def block_address(site: Site, address: str) -> None:
    """The host's "no mail to this address". Raises Invalid."""
    _, canonical = checked_address(address)
    with site.writing() as session:
        suppress(site, session, canonical, "blocked")


def send_links(site: Site, address: str) -> None:
    """Queues a mail with all the player's links if the address is known; says nothing either way.

    At most one mail in ten minutes. Raises Invalid where it is no address at all.
    """
    _, canonical = checked_address(address)
    with site.writing() as session:
        player = by_address(session, canonical)
        if player is not None:
            queue_links(site, session, player)


def queue_links(site: Site, session: Session, player: Player, *, news: bool = False) -> None:
    """Queues a mail with all the player's links, at most one in ten minutes.

    With `news` there is something that an earlier mail did not hold: then the next ten minutes bring another.
    """
    now = site.now()
    period = int(now.timestamp()) // LINKS_EVERY_S
    if news and store.queued(session, _links(player, period)):
        period += 1
    due = max(now, datetime.fromtimestamp(period * LINKS_EVERY_S, UTC))
    store.enqueue(session, _links(player, period), "links", now, player_id=player.id, due=due)


def _links(player: Player, period: int) -> str:
    return f"links:{player.id}:{period}"


def player_of(session: Session, claim: PlayerClaim) -> Player:
    """The player a token speaks for. Raises Unauthorized when its epoch is past."""
    player = session.get(Player, claim.player_id)
    if player is None or player.epoch != claim.epoch:
        raise unknown_link()
    return player


def open_account(site: Site, token: str) -> Player:
    """The player behind an account link; he has shown that he reads the address. Raises Unauthorized."""
    claim = site.tokens.read_account(token, site.now())
    with site.writing() as session:
        player = player_of(session, claim)
        if player.verified_at is None:
            player.verified_at = site.now()
        session.flush()
        bounces.reads(session, player.id, site.now())
        session.refresh(player)
        session.expunge(player)
    return player


def sign_out(site: Site, player_id: int) -> None:
    """Ends all the player's sessions, saved cookies too, and the account links sent so far; his seats stay his."""
    with site.writing() as session:
        player = session.get_one(Player, player_id)
        player.epoch += 1
        session.add(player)


def never_again(site: Site, token: str) -> None:
    """Honours "never mail me again" for the address to which the mail went, and for no other one of its player's.

    Seats already taken stay; their clock goes on. Raises Unauthorized, also where the player has gone.
    """
    claim = site.tokens.read_never(token)
    with site.writing() as session:
        _there(session, claim)
        _suppress(site, session, claim.digest, "asked")


def read_never(site: Site, token: str) -> tuple[str, bool]:
    """The language of the player of a never-again link, and whether it has been honoured. Raises Unauthorized."""
    claim = site.tokens.read_never(token)
    with site.reading() as session:
        return _there(session, claim).language, session.get(Suppression, claim.digest) is not None


def _there(session: Session, claim: MailboxClaim) -> Player:
    player = session.get(Player, claim.player_id)
    if player is None or not player.address:
        raise unknown_link()
    return player
