"""Personal access tokens: players give them to programs instead of their links, and create, list and revoke them.

A token is shown once, when it is created. Only its hash is stored, so a copy of the database contains no usable token.
"""

import base64
import hashlib
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Annotated, Literal

import structlog
from msgspec import Meta, Struct
from sqlalchemy import CursorResult, and_, bindparam, or_, update
from sqlalchemy import select as core_select
from sqlmodel import Session, col, select

from pbem.answers import answer_from
from pbem.errors import N_, Busy, Invalid, NotFound, Unauthorized
from pbem.models.accounts import PersonalToken
from pbem.models.prepared import Prepared
from pbem.models.tables import Player, SeatRow, table
from pbem.services.access.idempotency import IdempotencyKey, claim_key, missing_result_error, store_answer
from pbem.services.log.locks import lock_player
from pbem.services.site import Site
from pbem.services.statements import sweep_of_table

Scope = Literal["read", "play", "create"]
SCOPES: tuple[Scope, ...] = ("read", "play", "create")
PREFIX = "pbem_pat."
"""The prefix of every personal access token; the dot keeps tokens out of what a proxy may log about a request."""
BYTES = 32
MOST = 20
"""The maximum number of active tokens per player."""
NAME_LENGTH = 60
LONGEST_DAYS = 366
KEPT = timedelta(days=90)
"""How long the row of an ended token is kept, so that its holder can be told why it no longer works."""


class TokenSheet(Struct, frozen=True):
    """A token as its owner sees it after it was created: `hint` is its last letters."""

    id: int
    name: str
    hint: str
    scopes: tuple[str, ...]
    created_at: datetime
    expires_at: datetime | None
    used_at: Annotated[datetime | None, Meta(description="When it was last used, give or take ten minutes.")]


def token_digest(token: str) -> str:
    """Returns the hash under which a token is stored and found."""
    return hashlib.sha256(token.encode()).hexdigest()


def check_label(name: str) -> str:
    """Returns the token's name with whitespace normalised. Raises Invalid."""
    name = " ".join(name.split())
    if not name:
        raise Invalid(N_("A token needs a name: say which program it is for."), fields=("name",))
    if len(name) > NAME_LENGTH or not name.isprintable():
        raise Invalid(N_("The name of a token is one line of at most 60 characters."), fields=("name",))
    return name


def valid_scopes_in_order(scopes: Iterable[str]) -> tuple[Scope, ...]:
    """Returns the scopes in their fixed order, without duplicates. Raises Invalid."""
    wanted = set(scopes)
    if not wanted or wanted - set(SCOPES):
        raise Invalid(
            N_("A token may do at least one of “read”, “play” and “create”, and nothing else."), fields=("scopes",)
        )
    return tuple(scope for scope in SCOPES if scope in wanted)


def check_lifetime(days: int | None) -> int | None:
    """Returns the token's lifetime in days; None means until it is revoked. Raises Invalid."""
    if days is not None and not 1 <= days <= LONGEST_DAYS:
        raise Invalid(N_("A token is valid for 1 to 366 days, or until you revoke it."), fields=("days",))
    return days


def create_token(
    site: Site, player_id: int, name: str, scopes: Iterable[str], days: int | None, once: IdempotencyKey | None = None
) -> tuple[TokenSheet, str | None]:
    """Creates a token; returns its description and the token itself, which is never shown again.

    The token is None if the request was done before. Raises Invalid, also if the player has MOST tokens or one with
    this name, and Gone if the token created before has ended.
    """
    name, chosen, days = check_label(name), valid_scopes_in_order(scopes), check_lifetime(days)
    token = PREFIX + base64.urlsafe_b64encode(site.entropy(BYTES)).rstrip(b"=").decode()
    with site.writing() as work:
        now = site.now()
        player = lock_player(work, player_id)
        player.verified_at = player.verified_at or now  # they have signed in, by a link that came by mail
        if (known := claim_key(work, once, now)) is not None:
            for row in _active_tokens(work, player_id, now):
                if row.id == json.loads(known)["id"]:
                    return _sheet_of_row(row), None
            raise missing_result_error()
        live = _active_tokens(work, player_id, now)
        if any(row.name == name for row in live):
            raise Invalid(N_("You have a token called “%(label)s” already."), {"label": name}, fields=("name",))
        if len(live) >= MOST:
            raise Invalid(N_("You have %(count)s tokens; revoke one first."), {"count": len(live)})
        row = PersonalToken(
            player_id=player_id, name=name, digest=token_digest(token), hint=token[-4:], scopes=" ".join(chosen),
            created_at=now, expires_at=now + timedelta(days=days) if days is not None else None,
        )  # fmt: skip
        work.put(row)
        store_answer(work, once, json.dumps({"id": row.id}))
        return _sheet_of_row(row), token


def list_active_tokens(site: Site, player_id: int) -> list[TokenSheet]:
    """Returns the player's active tokens, newest first."""
    with site.reading() as session:
        return [_sheet_of_row(row) for row in _active_tokens(session, player_id, site.now())]


def read_active_token(site: Site, player_id: int, token_id: int) -> TokenSheet:
    """Returns the player's token with this id, if it is active. Raises NotFound."""
    for found in list_active_tokens(site, player_id):
        if found.id == token_id:
            return found
    raise NotFound(N_("You have no such token."))


def revoke_token(site: Site, player_id: int, token_id: int) -> None:
    """Revokes the player's token with immediate effect. Raises NotFound."""
    with site.writing() as work:
        now = site.now()
        if all(row.id != token_id for row in _active_tokens(work, player_id, now)):
            raise NotFound(N_("You have no such token."))
        _revoke_active(work, now, col(PersonalToken.id) == token_id)


def revoke_all_tokens(session: Session, player_id: int, now: datetime) -> int:
    """Revokes all tokens of the player when the transaction commits; returns the number revoked."""
    return _revoke_active(session, now, col(PersonalToken.player_id) == player_id)


forget_old = sweep_of_table(PersonalToken, lambda c, now: or_(c.revoked_at < now - KEPT, c.expires_at < now - KEPT))


def _active_tokens(session: Session, player_id: int, now: datetime) -> list[PersonalToken]:
    wanted = (
        col(PersonalToken.player_id) == player_id,
        col(PersonalToken.revoked_at).is_(None),
        or_(col(PersonalToken.expires_at).is_(None), col(PersonalToken.expires_at) > now),
    )
    return list(session.exec(select(PersonalToken).where(*wanted).order_by(col(PersonalToken.id).desc())).all())


def _revoke_active(session: Session, now: datetime, *wanted: object) -> int:
    """Revokes the active tokens that meet the conditions; returns the number revoked."""
    t = table(PersonalToken)
    holds = (t.c.revoked_at.is_(None), or_(t.c.expires_at.is_(None), t.c.expires_at > now))
    ended: CursorResult[tuple[()]] = session.connection().execute(
        update(t).where(*holds, *wanted).values(revoked_at=now)  # type: ignore[arg-type]  # conditions of columns
    )
    return ended.rowcount


def _sheet_of_row(row: PersonalToken) -> TokenSheet:
    return answer_from(TokenSheet, row, scopes=tuple(row.scopes.split()))


# --- what a token opens --------------------------------------------------------------------------------------

USED_EVERY = timedelta(minutes=10)
"""The precision of a token's time of last use."""
_SHAPE = re.compile(re.escape(PREFIX) + r"[A-Za-z0-9_-]{43}")

_t, _players, _seats = table(PersonalToken), table(Player), table(SeatRow)
_sits = and_(
    _seats.c.player_id == _t.c.player_id, _seats.c.match_id == bindparam("match"), _seats.c.status == "accepted"
)
_FOUND = Prepared(
    core_select(
        _t.c.id, _t.c.player_id, _t.c.scopes, _t.c.expires_at, _t.c.revoked_at, _t.c.used_at,
        _players.c.language, _seats.c.seat, _seats.c.epoch,
    )
    .join(_players, _players.c.id == _t.c.player_id)
    .join(_seats, _sits, isouter=True)
    .where(_t.c.digest == bindparam("digest"))
)  # fmt: skip
"""`digest`, `match` → the token, its player's language, and the seat they hold in that match."""

log = structlog.get_logger()


@dataclass(frozen=True)
class Found:
    """An active token, its player, and their seat in the match at hand."""

    player_id: int
    token_id: int
    scopes: frozenset[str]
    expires_at: datetime | None
    used_at: datetime | None
    language: str
    seat: int | None
    epoch: int | None


def authenticate(site: Site, token: str, match_id: str | None) -> Found:
    """Returns the player, scopes and seat of the token. Raises Unauthorized.

    Only the holder of an ended token is told that it was revoked or has expired.
    """
    if not _SHAPE.fullmatch(token):
        raise _invalid_token_error()
    with site.one_statement() as connection:
        rows = _FOUND.send(connection, {"digest": token_digest(token), "match": match_id or ""}).rows()
    if not rows:
        raise _invalid_token_error()
    token_id, player_id, scopes, expires_at, revoked_at, used_at, language, seat, epoch = rows[0]
    if revoked_at is not None:
        message = N_("This token has been revoked. Make a new one, on the page of your tokens.")
        raise Unauthorized(message, extra={"reason": "revoked"})
    if expires_at is not None and expires_at <= site.now():
        message = N_("This token has expired. Make a new one, on the page of your tokens.")
        raise Unauthorized(message, extra={"reason": "expired"})
    return Found(player_id, token_id, frozenset(scopes.split()), expires_at, used_at, language, seat, epoch)


def record_use(site: Site, found: Found) -> None:
    """Records that the token was used now, unless a use was recorded less than USED_EVERY ago."""
    now = site.now()
    if found.used_at is not None and found.used_at > now - USED_EVERY:
        return
    noted = or_(_t.c.used_at.is_(None), _t.c.used_at <= now - USED_EVERY)
    try:
        with site.writing() as work:
            work.connection().execute(update(_t).where(_t.c.id == found.token_id, noted).values(used_at=now))
    except Busy:  # the request is already answered; the next one records the use
        log.debug("token.use_not_noted", token=found.token_id)


def _invalid_token_error() -> Unauthorized:
    return Unauthorized(N_("This token is not valid. Make one on the page of your tokens."))
