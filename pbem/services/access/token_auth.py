"""Authenticates a personal access token and finds its player's seat in the match."""

import re
from dataclasses import dataclass
from datetime import datetime, timedelta

import structlog
from sqlalchemy import and_, bindparam, or_, select, update

from pbem.errors import N_, Busy, Unauthorized
from pbem.models.access_tokens import PersonalToken
from pbem.models.prepared import Prepared
from pbem.models.tables import Player, SeatRow, table
from pbem.services.access.access_tokens import PREFIX, digest_of
from pbem.services.site import Site

USED_EVERY = timedelta(minutes=10)
"""The precision of a token's time of last use."""
_SHAPE = re.compile(re.escape(PREFIX) + r"[A-Za-z0-9_-]{43}")
_WHY = {
    "revoked": N_("This token has been revoked. Make a new one, on the page of your tokens."),
    "expired": N_("This token has expired. Make a new one, on the page of your tokens."),
}

_t, _players, _seats = table(PersonalToken), table(Player), table(SeatRow)
_sits = and_(
    _seats.c.player_id == _t.c.player_id, _seats.c.match_id == bindparam("match"), _seats.c.status == "accepted"
)
_FOUND = Prepared(
    select(
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


def read(site: Site, token: str, match_id: str | None) -> Found:
    """Returns the player, scopes and seat of the token. Raises Unauthorized.

    Only the holder of an ended token is told that it was revoked or has expired.
    """
    if not _SHAPE.fullmatch(token):
        raise _unknown_error()
    with site.one_statement() as connection:
        rows = _FOUND.send(connection, {"digest": digest_of(token), "match": match_id or ""}).rows()
    if not rows:
        raise _unknown_error()
    token_id, player_id, scopes, expires_at, revoked_at, used_at, language, seat, epoch = rows[0]
    if revoked_at is not None:
        raise _ended_error("revoked")
    if expires_at is not None and expires_at <= site.now():
        raise _ended_error("expired")
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


def _unknown_error() -> Unauthorized:
    return Unauthorized(N_("This token is not valid. Make one on the page of your tokens."))


def _ended_error(reason: str) -> Unauthorized:
    return Unauthorized(_WHY[reason], extra={"reason": reason})
