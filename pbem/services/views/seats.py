"""What the links of a seat open, and what they change besides playing: muting the match, renewing the links."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeVar

from msgspec import structs
from sqlmodel import Session, col, select

from pbem.errors import N_, Gone, NotFound
from pbem.kit.contract import Viewer
from pbem.kit.texts import Lang
from pbem.models.prepared import Sent, find_by_key
from pbem.models.tables import Match, Player, SeatRow, table
from pbem.services import statements
from pbem.services.access import seat_links
from pbem.services.clock.holidays import have_reminders_rechecked
from pbem.services.log import outbox, store
from pbem.services.log.store import Query, Table
from pbem.services.players import bounces
from pbem.services.players.guests import guest_id
from pbem.services.players.players import FIRST_ZONE, Account, is_suppressed, name_of_unnamed_seat, queue_links
from pbem.services.site import Reading, Site
from pbem.services.tokens import MuteClaim, SeatClaim, SeatPurpose, Tokens, unknown_link
from pbem.services.views import match_views, talk
from pbem.services.views.match_views import Sheet, View, WholeView
from pbem.services.views.talk import Talk

V = TypeVar("V", bound=View)
PLAYED = ("unconfirmed", "inviting", "running", "paused")
NO_LINK = N_("No link leads to this seat: only the browser in which the match was begun opens it.")

_matches, _seats = table(Match), table(SeatRow)


@dataclass(frozen=True)
class Seated:
    """A seat as the holder of a link to it sees it."""

    sheet: Sheet
    seat: int
    muted: bool
    language: str
    zone: str
    verified: bool
    """True if the player has verified their address, and has thereby chosen their language and time zone."""
    mute_token: str
    player_id: int
    epoch: int
    """That of the seat's links."""
    guest: bool = False
    """True if the player has no address: their browser's session is the only key to the seat."""
    unnamed: bool = False
    """True if the organiser has not named them: they are asked for their name when they accept."""
    latest_name: str = ""
    """What an unnamed player was called in the newest match they sat in, to be proposed."""
    stand_in: str = ""
    """The bot that plays for them while they are absent, as they alone know; "": the fallback does."""
    orders: str = ""
    """The orders of the seat, as JSON; "" if it has none. Read for the links to them alone, like their news."""
    orders_news: str = ""
    """What the orders have to tell since their owner last looked, as JSON; "" if that is nothing."""

    @cached_property
    def status(self) -> str:
        """Returns "open", "invited", "accepted" or "declined"."""
        return self.sheet.seats[self.seat].status

    def own_token(self, tokens: Tokens) -> str:
        """Returns the play token of the seat as it was read: if its links were renewed since, it is no longer good."""
        return tokens.for_owner(self.sheet.id, self.seat, self.epoch, self.player_id if self.guest else None)

    @property
    def has_settings(self) -> bool:
        """True if the player has chosen their language and time zone."""
        return self.verified or self.guest

    @cached_property
    def waited_for(self) -> bool:
        """True if the others wait for this seat's moves, or will."""
        sheet, mine = self.sheet, self.sheet.seats[self.seat]
        timed = not self.guest and not sheet.untimed
        return timed and sheet.status in PLAYED and mine.status == "accepted" and not mine.resigned

    @property
    def organiser(self) -> bool:
        """True if this is the seat that started the match."""
        return self.seat == 0


def read_seat(site: Site, claim: SeatClaim) -> Seated:
    """Returns the seat of a link, whatever its purpose. Raises Unauthorized."""
    with site.reading() as session:
        orders = (statements.ORDERS, {"match": claim.match_id, "seat": claim.seat})
        also = [orders] if claim.purpose in ("play", "orders") else []
        row, table, stored = _read_linked_table(session, claim, claim.purpose, *also)
        sheet = match_views.sheet(table, row.seat, standings=True)
        return _view_of_seat(site, session, row, sheet, *stored)


def read_play(site: Site, claim: SeatClaim) -> tuple[Seated, WholeView]:
    """Returns the seat of a play link and the match as it sees it, in full once it is over. Raises Unauthorized."""
    with site.reading() as session:
        return page_of(session, site, claim, match_views.view)[:2]


def page_of(
    session: Reading, site: Site, claim: SeatClaim, see: Callable[[Table, Viewer], V]
) -> tuple[Seated, V, Talk | None, Table]:
    """Returns the seat of a play link, the match as it sees it, the talk, and the match's table.

    `see` makes the view of the match. There is no talk if the seat is not accepted. Raises Unauthorized.
    """
    orders = (statements.ORDERS, {"match": claim.match_id, "seat": claim.seat})
    spoken = talk.queries_of_talk(claim.match_id, claim.seat)
    row, table, (stored, *said) = _read_linked_table(session, claim, "play", orders, *spoken)
    view = see(table, row.seat)
    seated = _view_of_seat(site, session, row, view.sheet, stored)
    told = talk.talk_of_answers(*said) if seated.status == "accepted" else None
    return seated, replace(view, fold=table.state) if view.sheet.open else view, told, table


def watch(site: Site, match_id: str, lang: Lang, lines: int) -> View:
    """Returns the match as a spectator sees it, with the last `lines` of the story; in full once it is open.

    Raises NoMatch.
    """
    with site.reading() as session:
        table = Table(session, match_views.visible_match(session, match_id, None))
        view = match_views.glance(table, None, lambda seen: seen.has_lines(lang, lines))
        return replace(view, fold=table.state) if view.sheet.open else view


def _read_linked_table(
    session: Reading, claim: SeatClaim, purpose: SeatPurpose, *also: Query
) -> tuple[SeatRow, Table, list[Sent]]:
    """Returns the seat of a link for this purpose, its match, and the answers to `also`. Raises Unauthorized."""
    try:
        table, more = store.read_table(session, claim.match_id, *also)
    except NotFound:
        raise unknown_link() from None
    return seat_links.seat_of_link(session, claim, purpose), table, more


def _view_of_seat(site: Site, session: Session, row: SeatRow, sheet: Sheet, stored: Sent | None = None) -> Seated:
    """Returns the seat as its owner sees it; `stored` is the answer about its orders, where the link is for them."""
    orders, news = next(iter(stored.rows() if stored is not None else ()), ("", ""))
    player = find_by_key(session, Player, row.player_id) if row.player_id is not None else None
    if player is None or row.player_id is None:
        raise unknown_link()
    mute = site.tokens.sign(MuteClaim(row.match_id, row.seat, row.epoch))
    verified = player.verified_at is not None
    if row.status in ("invited", "declined"):  # what the reader has claimed, no matter who has claimed the seat since
        own = structs.replace(sheet.seats[row.seat], name=row.name, status=row.status)
        sheet = replace(sheet, seats=(*sheet.seats[: row.seat], own, *sheet.seats[row.seat + 1 :]))
    unnamed = row.status == "invited" and row.name == name_of_unnamed_seat(row.seat)
    return Seated(
        sheet, row.seat, row.muted, player.language, player.zone, verified, mute, row.player_id,
        row.epoch, player.address is None, unnamed=unnamed,
        latest_name=_latest_name(session, player.id) if unnamed else "", stand_in=row.stand_in or "",
        orders=orders, orders_news=news,
    )  # fmt: skip


def play_token(site: Site, match_id: str, seat: int) -> str:
    """Returns the play token of a seat that has just been taken."""
    with site.reading() as session:
        row = session.get_one(SeatRow, (match_id, seat))
        owner = session.get(Player, row.player_id) if row.player_id is not None else None
        return site.tokens.for_owner(match_id, seat, row.epoch, guest_id(owner) if owner is not None else None)


def own_seat(site: Site, player: Account, match_id: str) -> str | None:
    """Returns the play token of the seat that the player holds in this match; None if they have none."""
    with site.reading() as session:
        for row in store.seats_of(session, match_id):
            if row.player_id == player.id and row.status == "accepted":
                return site.tokens.for_owner(match_id, row.seat, row.epoch, guest_id(player))
    return None


def latest_name(site: Site, player: Account) -> str:
    """Returns the player's name in the newest match they sat in; "" if there is none."""
    with site.reading() as session:
        return _latest_name(session, player.id)


def _latest_name(session: Session, player_id: int | None) -> str:
    latest = select(SeatRow.name, SeatRow.seat).where(
        col(SeatRow.match_id) == col(Match.id),
        col(SeatRow.player_id) == player_id,
        col(SeatRow.status) == "accepted",
    )
    name, seat = session.exec(latest.order_by(col(Match.created_at).desc()).limit(1)).first() or ("", 0)
    return "" if name == name_of_unnamed_seat(seat) else name


def language_and_zone(site: Site, claim: SeatClaim) -> tuple[str, str]:
    """Returns the language and zone of the player whom a link invites; defaults if the seat has no player."""
    with site.reading() as session:
        seat = seat_links.earlier_claim_of_invitation(session, claim) or session.get(
            SeatRow, (claim.match_id, claim.seat)
        )
        player = session.get(Player, seat.player_id) if seat is not None and seat.player_id is not None else None
        return (player.language, player.zone) if player is not None else ("fr", FIRST_ZONE)


def how_closed(site: Site, match_id: str, seat: int, key: str) -> str | None:
    """Returns who closed the seat's ask: "seat", "clock", "bot" or "table"; None if it is open or never existed."""
    with site.reading() as session:
        ask = store.get_ask(session, match_id, key, seat)
        return ask.closed_by if ask is not None else None


def mute(site: Site, claim: SeatClaim, muted: bool) -> None:
    """Stops or resumes the match's mails to the seat; its clock keeps running. Raises Unauthorized.

    From an invitation behind which others have claimed the seat it declines, or takes that back.
    """
    with site.writing() as work:
        _, row = seat_links.lock_seat_and_hold_player(work, claim, "mute")
        if (earlier := seat_links.earlier_claim_of_invitation(work, claim)) is not None:
            earlier.void = muted
            return
        row.muted = muted
        if not muted:
            have_reminders_rechecked(
                work, site.now(), (col(SeatRow.match_id) == row.match_id) & (col(SeatRow.seat) == row.seat)
            )


def renew_link(site: Site, claim: SeatClaim) -> None:
    """Invalidates all links of the seat and mails the new one to its owner only.

    Raises Unauthorized, and Gone if the seat is not taken or mail cannot reach its owner.
    """
    with site.writing() as work:
        _, row = seat_links.lock_seat_and_hold_player(
            work, claim, "play"
        )  # of two concurrent renewals the second has an old link
        if row.status != "accepted" or row.player_id is None:
            raise Gone(N_("This seat is not taken."))
        player = work.get_one(Player, row.player_id)
        if player.address is None:
            raise Gone(NO_LINK)
        if is_suppressed(site, work, player):
            raise Gone(N_("You asked never to be written to, so a new link cannot reach you. The old one stays."))
        if player.bounced_at is not None:
            raise Gone(N_("Emails to you are refused, so a new link cannot reach you. The old one stays."))
        row.epoch += 1
        work.flush()
        dedupe = f"renewal:{row.match_id}:{row.seat}:{row.epoch}"
        outbox.enqueue(work, dedupe, "renewal", site.now(), player_id=row.player_id)


def write_to_owner(site: Site, claim: SeatClaim) -> None:
    """Queues a mail with all their links to the owner of the seat of this play link, at most one in ten minutes.

    Raises Unauthorized, Gone for a guest, and TooMany if too many requests were refused today.
    """
    with site.writing() as work:
        row = seat_links.seat_of_link(work, claim, "play")
        player = work.get(Player, row.player_id) if row.player_id is not None else None
        if player is None:
            raise unknown_link()
        if player.address is None:
            raise Gone(NO_LINK)
        bounces.check_mail_not_withheld(site, work, player)
        queue_links(site, work, player, owner=True, news=True)
