"""Players: their addresses, how addresses compare, and who must not be written to."""

import itertools
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

import structlog
from billiard.exceptions import SoftTimeLimitExceeded
from sqlalchemy import Integer, bindparam, delete, func, update
from sqlmodel import Session, col, select

from pbem import names
from pbem.errors import N_, Busy, Invalid
from pbem.kit.notation import seat_letter
from pbem.kit.texts import LANGS
from pbem.models.prepared import Prepared, find_by_key
from pbem.models.tables import LinkRequest, OutboxRow, Player, Suppression, table
from pbem.render.i18n import zones
from pbem.services.log import locks, outbox
from pbem.services.players import bounces, quotas
from pbem.services.site import Site, Work
from pbem.services.tokens import ACCOUNT_LIFE, AccountClaim, NeverClaim, PlayerClaim, unknown_link

LINKS_EVERY_S = 600
FRESH = ACCOUNT_LIFE - timedelta(seconds=LINKS_EVERY_S)
"""How long the newest sign-in link in a mailbox still works, at least, after a request for one."""
SHORT, LONG_LIFE = 5, timedelta(hours=2)
"""After this many mails requested by anybody within a day, links live longer and fewer mails leave: 18 a day."""
UNVERIFIED_SHORT, UNVERIFIED_LIFE = quotas.LINKS - 1, timedelta(days=1)
"""The same for an unverified address: the links in the last mail that its quota allows live a day."""
ANYBODY = "any"
REQUESTS, KEPT = 100, timedelta(days=1)
"""How many requests for links are served at once, and for how long one is kept."""
FAILURES = 3
"""After how many failures a request for links is dropped. Each makes it older by its share of KEPT."""
NAME_LENGTH = 24
FIRST_ZONE = "Europe/Paris"
"""The time zone of a player whom nobody has given another."""
_SIGNS = frozenset("/\\:@<>{}")
_LETTER = re.compile(r"\( ?\w ?\)")
"""What `name_of_unnamed_seat` returns, or looks like it."""
_asked = table(LinkRequest)
_FIRST = Prepared(select(_asked).order_by(_asked.c.id).limit(bindparam("most", type_=Integer)))

log = structlog.get_logger()


def check_address(address: str) -> tuple[str, str]:
    """Returns the address as it is written to, and its canonical form for comparison. Raises Invalid."""
    from email_validator import EmailNotValidError, validate_email  # it compiles its patterns, for milliseconds

    try:
        found = validate_email(address, check_deliverability=False, allow_smtputf8=False, test_environment=True)
    except EmailNotValidError:
        raise Invalid(N_("“%(address)s” is not an email address."), {"address": address[:80]}) from None
    return found.normalized, found.normalized.casefold()


def normalise_name(name: str, most: int = NAME_LENGTH) -> str:
    """Returns the name, normalised.

    Raises Invalid if it is empty, too long or invisible, looks like the name of a seat whose player has none, or could
    inject something into a mail: a control character, an encoded word, a link.
    """
    name = unicodedata.normalize("NFC", name).strip(" ")
    if not name:
        raise Invalid(N_("Every player needs a name."))
    if names.has_invisible_character(name):  # before splitting, which treats some control characters as spaces
        raise Invalid(N_("A name must not hold invisible characters."))
    name = " ".join(name.split())
    if names.is_blank(name):
        raise Invalid(N_("Every player needs a name."))
    if len(name) > most:
        facts = {"name": name[:40], "most": str(most)}
        raise Invalid(N_("“%(name)s” is too long: a name has at most %(most)s characters."), facts)
    if any(_LETTER.fullmatch(look) for look in (name, names.skeleton_of_name(unicodedata.normalize("NFKC", name)))):
        message = N_("“%(name)s” is what a seat without a name is called. Please choose another name.")
        raise Invalid(message, {"name": name})
    if names.ENCODED in name:
        message = N_("A name must not hold “%(sign)s”: email programs take it for the beginning of encoded text.")
        raise Invalid(message, {"sign": names.ENCODED})
    # What stands left and right of each dot, and of each character that only looks or works like one.
    pieces = itertools.pairwise(unicodedata.normalize("NFKC", name).replace("。", ".").split("."))
    dotted = any(left[-1:].isalnum() and right[:1].isalnum() for left, right in pieces)
    if dotted or any(sign in _SIGNS for sign in names.skeleton_of_punctuation(name)):
        raise Invalid(N_("“%(name)s” looks like an address; a name must not."), {"name": name})
    return name


def name_of_unnamed_seat(seat: int) -> str:
    """Returns the name of a seat whose player has none, the same in every language.

    >>> name_of_unnamed_seat(1)
    '(B)'
    """
    return f"({seat_letter(seat)})"


def check_language(language: str) -> str:
    """Returns the language if it is supported. Raises Invalid."""
    if language not in LANGS:
        raise Invalid(N_("The language must be “fr” or “en”."), fields=("language",))
    return language


def check_zone(zone: str) -> str:
    """Returns the time zone if it exists. Raises Invalid."""
    if zone not in zones():
        raise Invalid(
            N_("There is no time zone “%(zone)s”. Use a name like “Europe/Paris”."),
            {"zone": zone[:40]},
            fields=("zone",),
        )
    return zone


def find_or_add(
    session: Session, address: str, language: str, now: datetime, zone: str = FIRST_ZONE
) -> Player:  # fmt: skip
    """Returns the player with this address, added if new; concurrent calls return the same player.

    It costs the same statements for an address that is known: their time would tell. Rows may point to the player until
    the transaction ends. No match may be locked yet. `zone` is that of a new player.
    """
    given, canonical = check_address(address)
    row = {"address": given, "canonical": canonical, "language": language, "created_at": now}
    outbox.insert_row_unless_key_exists(session, Player, {**row, "zone": zone, "epoch": 0})
    player = locks.hold_player_with_address(session, canonical)
    assert player is not None, "it is there, whoever added it"
    return player


def set_language_and_zone_if_unproved(session: Session, player: Player, language: str, zone: str) -> None:
    """Gives a player who has not proved the address this language and zone: the one who typed it may be somebody else.

    Anyone who proves it in the meantime keeps their own.
    """
    unproved = col(Player.id) == player.id, col(Player.verified_at).is_(None)
    session.connection().execute(update(Player).where(*unproved).values(language=language, zone=zone))
    session.expire(player, ["language", "zone"])


def player_by_address(session: Session, canonical: str) -> Player | None:
    """Returns the player with this canonical address, or None."""
    return session.exec(select(Player).where(Player.canonical == canonical)).first()


def is_suppressed(site: Site, session: Session, player: Player) -> bool:
    """True if this player must not be written to: their address is suppressed, or they have none."""
    if player.canonical is None:
        return True
    return find_by_key(session, Suppression, site.tokens.address_digest(player.canonical)) is not None


def suppress_address(site: Site, session: Session, canonical: str, reason: str) -> None:
    """Guarantees that no mail is sent to the address any more."""
    row = {"digest": site.tokens.address_digest(canonical), "reason": reason, "at": site.now()}
    outbox.insert_row_unless_key_exists(session, Suppression, row)


def block_address(site: Site, address: str) -> None:
    """Suppresses all mail to the address on behalf of the host. Raises Invalid."""
    _, canonical = check_address(address)
    with site.writing() as work:
        suppress_address(site, work, canonical, "blocked")


def request_links(site: Site, address: str, browser: int | None = None) -> None:
    """Has a mail with all the player's links sent if the address is known; never reveals whether it is.

    A worker looks it up: the request does the same for every address. `browser` is the player who has signed in on the
    caller's browser before. `queue_links` describes the rate limit. Raises Invalid if it is not an address at all.
    """
    given, _ = check_address(address)
    with site.writing() as work:
        work.add(LinkRequest(address=given, browser=browser, at=site.now()))
        work.wakes = True


def sign_up(site: Site, address: str, language: str, zone: str, browser: int | None = None) -> None:
    """Has the same mail sent to the one who has the address, added as a player if new: never reveals if they are known.

    For those who want something that needs an account and no match, such as access tokens. `language` and `zone`
    become those of a player who has not proved the address. Raises Invalid.
    """
    language, zone = check_language(language), check_zone(zone)
    given, _ = check_address(address)
    with site.writing() as work:
        work.add(LinkRequest(address=given, language=language, zone=zone, browser=browser, at=site.now()))
        work.wakes = True


def queue_requested_links(site: Site) -> int:
    """Queues the mails that `request_links` and `sign_up` were asked for; returns the number of requests served.

    Safe to run twice or in two places: a request is served by the process that locks and deletes it. One that fails
    goes behind all others, and is dropped after FAILURES.
    """
    with site.one_statement() as connection:
        rows = _FIRST.send(connection, {"most": REQUESTS}).rows()
    served, again = 0, dict[int, datetime]()
    for row in (LinkRequest(**dict(zip(_asked.c.keys(), values, strict=True))) for values in rows):
        try:
            served += _serve_request(site, row)
        except SoftTimeLimitExceeded:
            raise
        except Busy:
            log.info("links.busy", request=row.id)
            again[row.id] = row.at
        except Exception:
            # One address must not hold up the others.
            log.exception("links.failed", request=row.id)
            again[row.id] = row.at - KEPT / FAILURES
    if again:
        _requeue_requests(site, again)
    return served


def _requeue_requests(site: Site, requests: Mapping[int, datetime]) -> None:
    """Moves the requests with these ids behind all others, each as if asked for at its time; drops those too old."""
    try:
        with site.writing() as work:
            found = select(_asked).where(_asked.c.id.in_(requests)).order_by(_asked.c.id)
            for row in work.execute(found.with_for_update(skip_locked=True)).all():
                work.execute(delete(_asked).where(_asked.c.id == row.id))
                if site.now() - requests[row.id] >= KEPT:
                    log.error("links.dropped", request=row.id)
                else:
                    work.add(LinkRequest(**{**row._mapping, "id": None, "at": requests[row.id]}))
    except Busy:
        log.info("links.busy", requests=len(requests))  # they stay where they are until the next run


def _serve_request(site: Site, request: LinkRequest) -> bool:
    """Serves the request unless another worker has; returns True if it was served."""
    with site.writing() as work:
        player = None
        if site.now() - request.at > KEPT:
            log.error("links.dropped", request=request.id)
        elif request.language is None or request.zone is None:
            player = locks.hold_player_with_address(work, check_address(request.address)[1])
        else:
            player = find_or_add(work, request.address, request.language, site.now())
            set_language_and_zone_if_unproved(work, player, request.language, request.zone)
        mine = select(_asked.c.id).where(_asked.c.id == request.id)
        if work.execute(mine.with_for_update(skip_locked=True)).first() is None:
            return False
        work.execute(delete(_asked).where(_asked.c.id == request.id))
        if player is not None:
            queue_links(site, work, player, owner=player.id == request.browser)
        return True


def queue_links(site: Site, work: Work, player: Player, *, owner: bool = False, news: bool = False) -> None:
    """Guarantees a mail with all the player's links whose sign-in link works for at least FRESH from now on.

    That mail may be queued, recently sent, or new. The life of a link, and so the time until another mail may leave,
    depends on how many were requested today by anybody who entered the address. Requests of the `owner`, from a browser
    or a link known to be theirs, are counted separately: a new mail every ten minutes. With `news` that an earlier mail
    did not contain, another one leaves as soon as the limit allows.
    """
    now, lane = site.now(), quotas.OWNER if owner else ANYBODY
    asked = (
        col(OutboxRow.player_id) == player.id,
        col(OutboxRow.kind) == "links",
        col(OutboxRow.key).startswith(f"{lane}."),
    )
    latest = work.exec(select(OutboxRow).where(*asked).order_by(col(OutboxRow.id).desc()).limit(1)).first()
    due, today = now, 0
    if latest is not None:
        day = (*asked, col(OutboxRow.created_at) > now - timedelta(days=1))
        today = work.exec(select(func.count()).where(*day)).one()
        if latest.done_at is not None:
            wait = life_of_sign_in_link(latest) - FRESH if latest.result == "sent" else timedelta(seconds=LINKS_EVERY_S)
            due = latest.done_at + wait
        if latest.done_at is None or (due > now and not news):  # the content of a mail is looked up when it leaves
            outbox.imitate_enqueue(work, now)
            return
    life = ACCOUNT_LIFE
    if not owner and player.verified_at is None and today >= UNVERIFIED_SHORT:
        life = UNVERIFIED_LIFE
    elif not owner and today >= SHORT:
        life = LONG_LIFE
    dedupe = f"links:{player.id}:{lane}:{latest.id if latest else 0}"  # concurrent requests find the same latest one
    key = f"{lane}.{int(life.total_seconds())}"
    outbox.enqueue(work, dedupe, "links", now, player_id=player.id, key=key, due=max(now, due))


def life_of_sign_in_link(row: OutboxRow) -> timedelta:
    """Returns how long the sign-in link of this mail works."""
    _, _, seconds = (row.key or "").partition(".")
    return timedelta(seconds=int(seconds)) if seconds else ACCOUNT_LIFE


def player_of(session: Session, claim: PlayerClaim) -> Player:
    """Returns the player of a token. Raises Unauthorized if its epoch is past."""
    player = session.get(Player, claim.player_id)
    if player is None or player.epoch != claim.epoch:
        raise unknown_link()
    return player


def player_at_address(site: Site, session: Session, player_id: int | None, digest: str) -> Player:
    """Returns the player to whose address a mail went, by its keyed hash. Raises Unauthorized if they have another."""
    player = session.get(Player, player_id) if player_id is not None else None
    if player is None or not player.canonical or site.tokens.address_digest(player.canonical) != digest:
        raise unknown_link()
    return player


@dataclass(frozen=True)
class Account:
    """A signed-in player, as they see themselves."""

    id: int
    address: str | None
    """None: a guest, whom only the cookie of their browser knows."""
    language: str
    zone: str
    digest_hour: int | None
    """The hour of their daily digest; None for a mail each turn."""
    pictures: bool
    """True if their mails show the board as a picture."""
    bounces: bool
    """True if mail to their address bounces."""
    epoch: int


def account_of_player(player: Player) -> Account:
    """Returns the player's account."""
    return Account(
        player.id, player.address, player.language, player.zone, player.digest_hour, player.pictures,
        player.bounced_at is not None, player.epoch,
    )  # fmt: skip


def read_account(site: Site, who: PlayerClaim | int) -> Account:
    """Returns the account of a session or a link, or of a signed-in player. Raises Unauthorized."""
    with site.reading() as session:
        return account_of_player(session.get_one(Player, who) if isinstance(who, int) else player_of(session, who))


def verify_and_read_account(site: Site, claim: AccountClaim) -> Account:
    """Returns the account of a mailed link, and marks its address as verified. Raises Unauthorized."""
    with site.writing() as work:
        player = player_of(work, claim)
        if player.verified_at is None:
            player.verified_at = site.now()
        work.flush()
        bounces.clear_bounce_noted_after_sending(work, player.id, site.now())
        work.refresh(player)
        return account_of_player(player)


def sign_out(site: Site, player_id: int) -> None:
    """Ends all the player's sessions, saved cookies, and the account links sent so far; they keep their seats."""
    with site.writing() as work:
        player = work.get_one(Player, player_id)
        player.epoch += 1


def suppress_by_link(site: Site, claim: NeverClaim) -> None:
    """Suppresses mail to the address that this link was mailed to, and to no other address of the player.

    Seats already taken stay; their clocks go on. Raises Unauthorized, also if the player has been erased.
    """
    with site.writing() as work:
        _player_of_never_link(work, claim)
        outbox.insert_row_unless_key_exists(
            work, Suppression, {"digest": claim.digest, "reason": "asked", "at": site.now()}
        )


def read_language_and_use_of_never_link(site: Site, claim: NeverClaim) -> tuple[str, bool]:
    """Returns the language of the player of a never-again link, and whether it was used. Raises Unauthorized."""
    with site.reading() as session:
        return _player_of_never_link(session, claim).language, session.get(Suppression, claim.digest) is not None


def _player_of_never_link(session: Session, claim: NeverClaim) -> Player:
    player = session.get(Player, claim.player_id)
    if player is None or not player.address:
        raise unknown_link()
    return player
