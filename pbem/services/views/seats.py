"""What a link that acts for a seat opens, and what it changes besides playing: mute, a new link."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TypeVar

from sqlalchemy import Connection
from sqlmodel import Session, col, select

from pbem.errors import N_, Gone, NotFound
from pbem.games import all_games
from pbem.models.tables import Match, Player, SeatRow
from pbem.services import statements
from pbem.services.access import seat_links
from pbem.services.clock.rescheduling import look_again
from pbem.services.log import outbox, store
from pbem.services.log.match_bundle import MatchBundle, listed
from pbem.services.players import bounces
from pbem.services.players.players import Account, queue_links, suppressed
from pbem.services.site import Site
from pbem.services.statements import Listed
from pbem.services.tokens import SeatClaim, SeatPurpose, unknown_link
from pbem.services.views import match_views, talk
from pbem.services.views.match_views import Sheet, View
from pbem.services.views.talk import Talk
from pbem.services.work import Reading

T = TypeVar("T")
_OFFERED: tuple[SeatPurpose, SeatPurpose] = ("play", "mute")
MOST = 200
"""So many matches stand in a player's list."""


@dataclass(frozen=True)
class Seated:
    """A seat as the one who holds a link to it finds it."""

    sheet: Sheet
    seat: int
    muted: bool
    language: str
    zone: str
    verified: bool
    """Whether the player has shown that he reads his address, and has thereby chosen his time zone."""
    play_token: str
    mute_token: str

    @property
    def status(self) -> str:
        """open, invited, accepted or declined."""
        return self.sheet.seats[self.seat].status

    @property
    def organiser(self) -> bool:
        """Whether this is the seat that started the match."""
        return self.seat == 0


def read_seat(site: Site, claim: SeatClaim) -> Seated:
    """The seat of a link, whatever that is for. Raises Unauthorized."""
    with site.reading() as session:
        row, match, around, _ = _table(session, claim, claim.purpose, lambda _connection: None)
        return _seated(site, session, row, match_views.seen_by(match_views.sheet(session, match, around), row.seat))


def read_play(site: Site, claim: SeatClaim) -> tuple[Seated, View]:
    """The seat of a play link, and the match as it sees it; all of it, once it is over. Raises Unauthorized."""
    return read_page(site, claim)[:2]


def read_page(site: Site, claim: SeatClaim) -> tuple[Seated, View, Talk | None]:
    """The seat of a play link, the match as it sees it, and what is said there; nothing is to who has not accepted.

    Raises Unauthorized.
    """
    with site.reading() as session:
        row, match, around, said = _table(
            session,
            claim,
            "play",
            lambda connection: talk.send_talk(connection, claim.match_id, claim.seat),
        )
        view = match_views.view(session, match, row.seat, around)
        seated = _seated(site, session, row, view.sheet)
        return seated, _opened(session, match, view), said() if seated.status == "accepted" else None


def watch(site: Site, match_id: str) -> View:
    """The match as a spectator sees it; all of it, once it is over. Raises NotFound, Forbidden."""
    with site.reading() as session:
        match = store.get_match(session, match_id)
        match_views.may_watch(match, None)
        return _opened(session, match, match_views.view(session, match, None))


def _opened(session: Reading, match: Match, view: View) -> View:
    """The view of a match played to its end shows the whole position: nothing is secret any more."""
    return replace(view, fold=store.load_state(session, match, view.game)) if view.sheet.over else view


def _table(
    session: Reading, claim: SeatClaim, purpose: SeatPurpose, also: Callable[[Connection], T]
) -> tuple[SeatRow, Match, MatchBundle, T]:
    """The seat of a link for this purpose, its match, what is around it, what else was sent. Raises Unauthorized."""
    try:
        match, around, more = store.read_table(session, claim.match_id, also)
    except NotFound:
        raise unknown_link() from None
    return seat_links.seat_of(session, claim, purpose), match, around, more


def _seated(site: Site, session: Session, row: SeatRow, sheet: Sheet) -> Seated:
    player = session.get(Player, row.player_id) if row.player_id is not None else None
    if player is None:
        raise unknown_link()
    play, mute = (site.tokens.for_seat(p, row.match_id, row.seat, row.epoch) for p in _OFFERED)
    verified = player.verified_at is not None
    return Seated(sheet, row.seat, row.muted, player.language, player.zone, verified, play, mute)


@dataclass(frozen=True)
class MyMatch:
    """A match in a player's list."""

    sheet: Sheet
    seat: int
    play_token: str


def my_matches(site: Site, session: Reading, player: Player | Account) -> list[MyMatch]:
    """The player's matches: those where it is his turn first, then running ones, then the newest; at most MOST.

    One that is not over is never left out for one that is; one whose game is not installed here is left out.
    """
    mine = [MyMatch(*found) for found in _listed(site, session, "play", player, statements.ACCEPTED)]
    order = {"running": 1, "inviting": 2, "unconfirmed": 2}
    return sorted(mine, key=lambda m: 0 if m.sheet.seats[m.seat].asked else order.get(m.sheet.status, 3))


@dataclass(frozen=True)
class OpenInvitation:
    """A seat that its player has neither accepted nor declined yet."""

    sheet: Sheet
    seat: int
    token: str


def open_invitations(site: Site, session: Reading, player: Player | Account) -> list[OpenInvitation]:
    """The player's open invitations, those to the newest matches first; none to a game that is not installed here."""
    return [OpenInvitation(*found) for found in _listed(site, session, "invitation", player, statements.INVITED)]


def read_my_matches(site: Site, player: Account) -> tuple[list[MyMatch], list[OpenInvitation]]:
    """The player's matches and their open invitations."""
    with site.reading() as session:
        return my_matches(site, session, player), open_invitations(site, session, player)


def unconfirmed_matches(site: Site, session: Reading, player: Player | Account) -> list[OpenInvitation]:
    """The matches that wait for the player to confirm them as organiser, newest first, at most MOST.

    Each token confirms the match.
    """
    return [OpenInvitation(*found) for found in _listed(site, session, "confirm", player, statements.UNCONFIRMED)]


def _listed(
    site: Site, session: Reading, purpose: SeatPurpose, player: Player | Account, wanted: Listed
) -> Iterator[tuple[Sheet, int, str]]:
    """Each match as its seat may see it, the seat, and its token for this purpose; where the game is installed."""
    for seat, match, around in listed(session, wanted, player.id, MOST):
        if match.game in all_games():
            sheet = match_views.seen_by(match_views.sheet(session, match, around), seat.seat)
            yield sheet, seat.seat, site.tokens.for_seat(purpose, match.id, seat.seat, seat.epoch)


def play_token(site: Site, match_id: str, seat: int) -> str:
    """The token of a seat's play link, for who has just taken the seat."""
    with site.reading() as session:
        row = session.get_one(SeatRow, (match_id, seat))
        return site.tokens.for_seat("play", match_id, seat, row.epoch)


def own_seat(site: Site, player: Account, match_id: str) -> str | None:
    """The token of the play link of the seat that the player has taken in this match; None if he has none."""
    with site.reading() as session:
        for row in store.seats_of(session, match_id):
            if row.player_id == player.id and row.status == "accepted":
                return site.tokens.for_seat("play", match_id, row.seat, row.epoch)
    return None


def known_name(site: Site, player: Account) -> str:
    """What the player was called at the table that he came to last; "" if he has never sat."""
    with site.reading() as session:
        latest = select(SeatRow.name).where(
            col(SeatRow.match_id) == col(Match.id),
            col(SeatRow.player_id) == player.id,
            col(SeatRow.status) == "accepted",
        )
        return session.exec(latest.order_by(col(Match.created_at).desc()).limit(1)).first() or ""


def language_and_zone(site: Site, claim: SeatClaim) -> tuple[str, str]:
    """The language and zone of the player whom a link invites; anything where there is none: nobody sits down by it."""
    with site.reading() as session:
        seat = session.get(SeatRow, (claim.match_id, claim.seat))
        player = session.get(Player, seat.player_id) if seat is not None and seat.player_id is not None else None
        return (player.language, player.zone) if player is not None else ("fr", "Europe/Paris")


def how_closed(site: Site, match_id: str, seat: int, key: str) -> str | None:
    """Who closed the seat's question: seat, clock, bot or table; None while it is open or if it never was."""
    with site.reading() as session:
        ask = store.get_ask(session, match_id, key, seat)
        return ask.closed_by if ask is not None else None


def mute(site: Site, claim: SeatClaim, muted: bool) -> None:
    """Stops the match's mails to the seat, or lets them come again; its clock goes on. Raises Unauthorized."""
    with site.writing() as work:
        _, row = seat_links.hold_seat(work, claim, "mute")
        row.muted = muted
        work.add(row)
        if not muted:
            look_again(work, site.now(), (col(SeatRow.match_id) == row.match_id) & (col(SeatRow.seat) == row.seat))


def renew_link(site: Site, claim: SeatClaim) -> None:
    """Makes all links of the seat invalid and mails its owner the new one, to nobody else.

    Raises Unauthorized, and Gone where the seat is not taken.
    """
    with site.writing() as work:
        _, row = seat_links.hold_seat(work, claim, "play")  # of two renewals at once the second finds an old link
        if row.status != "accepted" or row.player_id is None:
            raise Gone(N_("This seat is not taken."))
        player = work.get_one(Player, row.player_id)
        if suppressed(site, work, player):
            raise Gone(N_("You asked never to be written to, so a new link cannot reach you. The old one stays."))
        if player.bounced_at is not None:
            raise Gone(N_("Mail to you is refused, so a new link cannot reach you. The old one stays."))
        row.epoch += 1
        work.add(row)
        work.flush()
        dedupe = f"renewal:{row.match_id}:{row.seat}:{row.epoch}"
        outbox.enqueue(work, dedupe, "renewal", site.now(), player_id=row.player_id)


def write_to_owner(site: Site, claim: SeatClaim) -> None:
    """Queues a mail with all his links to the seat's owner, by their play link; at most one in ten minutes.

    Raises Unauthorized, and TooMany where too many have been refused today.
    """
    with site.writing() as work:
        row = seat_links.seat_of(work, claim, "play")
        player = work.get(Player, row.player_id) if row.player_id is not None else None
        if player is None:
            raise unknown_link()
        bounces.check_proof(site, work, player)
        queue_links(site, work, player, owner=True, news=True)
