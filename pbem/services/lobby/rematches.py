"""The same match once more, by one press of anybody who sat there; whoever presses second is led to the first's.

The one who presses is the organiser, so he sits first; the others follow him around the table as they did. He holds
the link of his seat and need not confirm. The column `rematch_of` is unique: it holds even without the lock.

The link of a finished seat acts for that seat and nothing else, so it is never answered by a link into the rematch:
that comes by mail, or at once to the player himself where he is signed in.
"""

from dataclasses import dataclass, field, replace
from typing import Literal

from sqlmodel import Session, col, select

from pbem.errors import N_, Gone
from pbem.models.tables import ORGANISER, Match, SeatRow
from pbem.services.access import idempotency, seat_links
from pbem.services.access.idempotency import Once
from pbem.services.lobby import seating
from pbem.services.log import locks, outbox, store
from pbem.services.site import Site
from pbem.services.tokens import SeatClaim
from pbem.services.who import Caller
from pbem.services.work import Work


@dataclass(frozen=True)
class Way:
    """Where a player finds a match: by the token of his seat or invitation, or by what is mailed to him."""

    match_id: str
    seat: Literal["play", "invitation", "mail"]
    token: str | None = None
    made: bool = field(default=False, compare=False)
    """Whether the match was made just now, for whoever asked, and not for somebody before."""


def rematch_of(session: Session, match_id: str) -> Match | None:
    """The match that plays this one again, unless it was called off."""
    found = session.exec(select(Match).where(col(Match.rematch_of) == match_id)).first()
    return found if found is not None and found.status != "cancelled" else None


def read_rematch(site: Site, match_id: str) -> str | None:
    """The id of the match that plays this one again; None while there is none."""
    with site.reading() as session:
        found = rematch_of(session, match_id)
        return found.id if found is not None else None


def play_again(site: Site, claim: SeatClaim, who: Caller, *, once: Once | None = None) -> Way:
    """The rematch of a match that is over, made if there is none yet, for the player of this play link.

    `who` is the player who is signed in, if anybody is. Raises Unauthorized, Gone, TooMany, KeyReused.
    """
    with site.writing() as work:
        match, seat, held = _lock(work, claim)
        if match.status != "over" or seat.status != "accepted" or seat.player_id is None:
            raise Gone(N_("A rematch can be asked for when the match is over."))
        known = idempotency.replayed(work, once, site.now())
        found = work.get(Match, known) if known is not None else rematch_of(work, match.id)
        again = found or _begin_again(site, work, match, seat, held)
        if known is None:
            idempotency.remember(work, once, again.id)
        way = _way(site, work, again, seat.player_id)
        if who == seat.player_id:
            return replace(way, made=found is None)
        if way.seat == "play":  # an invitation is in a mail of its own
            dedupe = f"rematch:{again.id}:{seat.player_id}"
            outbox.enqueue(work, dedupe, "links", site.now(), player_id=seat.player_id)
        return Way(again.id, "mail", made=found is None)


def _lock(session: Session, claim: SeatClaim) -> tuple[Match, SeatRow, set[str]]:
    """The match, locked, the link's seat, and the ids of its rematches so far, which are locked, too.

    Rows may point to all its players. Raises Unauthorized, Busy.
    """
    seat_links.seat_of(session, claim, "play")
    sitting = select(col(SeatRow.player_id)).where(col(SeatRow.match_id) == claim.match_id)
    held = locks.hold_players(session, session.execute(sitting).scalars())
    again = select(Match.id).where(col(Match.rematch_of) == claim.match_id)
    found = locks.lock_matches(session, [claim.match_id, *session.exec(again)])
    seat = seat_links.seat_of(session, claim, "play", anew=True)
    if not {*session.execute(sitting).scalars()} <= held | {None}:
        raise locks.changed_meanwhile()
    return found[claim.match_id], seat, {*found}


def _begin_again(site: Site, work: Work, match: Match, presser: SeatRow, held: set[str]) -> Match:
    """The rematch with its presser on the first seat and everybody else invited. Raises Busy."""
    for former in work.exec(select(Match).where(col(Match.rematch_of) == match.id)).all():
        if former.id not in held:
            raise locks.changed_meanwhile()
        former.rematch_of = None  # it was called off, and gives way to the new one
        work.add(former)
    work.flush()
    terms = seating.Terms(
        match.game,
        match.options,
        match.turn_s,
        match.window_s,
        match.spectators,
        presser.player_id,
        match.id,
        match.late,
        match.bank_s,
        match.increment_s,
    )
    sat = store.seats_of(work, match.id)
    places = [_place(seat) for seat in sat[presser.seat :] + sat[: presser.seat]]
    again = seating.lay(site, work, terms, places)
    work.get_one(SeatRow, (again.id, ORGANISER)).status = "accepted"
    work.flush()
    seating.open_doors(site, work, again)
    return again


def _place(sat: SeatRow) -> seating.Place:
    """The place in the rematch for who sat here; open where nobody is known any more."""
    if sat.bot is not None:
        return seating.program(sat.bot)
    return seating.nobody() if sat.player_id is None else seating.person(sat.name, sat.player_id)


def _way(site: Site, session: Session, match: Match, player_id: int) -> Way:
    """The player's own way into the match. Raises Gone where there is none any more."""
    for seat in store.seats_of(session, match.id):
        if seat.player_id == player_id and seat.status in ("accepted", "invited"):
            purpose: Literal["play", "invitation"] = "play" if seat.status == "accepted" else "invitation"
            return Way(match.id, purpose, site.tokens.for_seat(purpose, match.id, seat.seat, seat.epoch))
    raise Gone(N_("You have declined this invitation. The organiser can invite you again."))
