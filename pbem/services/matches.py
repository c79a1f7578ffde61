"""A match until it begins: create, confirm, accept, decline, name another, withdraw.

unconfirmed ──confirm──> inviting ──all accepted──> running ──> over
     └────── lapse, withdraw ─────┴──> cancelled <── cancel ──┘
"""

from datetime import datetime, timedelta

import msgspec
from sqlalchemy import func
from sqlmodel import Session, col, select

from pbem.errors import N_, Forbidden, Gone, Invalid, NotFound, TooMany
from pbem.models.tables import Match, OutboxRow, Player, SeatRow
from pbem.rules.chance import SeedChance
from pbem.rules.codec import codec_for, encode
from pbem.rules.logfile import commitment
from pbem.rules.notation import seat_letter
from pbem.rules.replay import By
from pbem.services import store
from pbem.services.cancelling import call_off
from pbem.services.players import checked_address, checked_language, checked_name, checked_zone, find_or_add
from pbem.services.site import Site
from pbem.services.tokens import SeatPurpose, unknown_link
from pbem.services.wanted import (
    ORGANISER,
    BotSeat,
    Invitee,
    NewMatch,
    checked_bots,
    checked_game,
    checked_options,
    checked_people,
    checked_seconds,
)

__all__ = [
    "ORGANISER",
    "BotSeat",
    "Invitee",
    "NewMatch",
    "accept",
    "confirm",
    "create",
    "decline",
    "invite",
    "name_another",
    "withdraw",
]


def create(site: Site, wanted: NewMatch) -> str:
    """Creates an unconfirmed match and asks its organiser, alone, to confirm it; gives its id.

    Raises Invalid, TooMany.
    """
    game = checked_game(wanted)
    options = checked_options(game, wanted.options)
    checked_bots(game, wanted.seats)
    people = checked_people([who for who in wanted.seats if isinstance(who, Invitee)])
    language = checked_language(wanted.language)
    turn_s = checked_seconds(wanted.turn_s, site.config.turn_s)
    window_s = checked_seconds(wanted.window_s, min(site.config.window_s, turn_s))
    now, seed = site.now(), site.entropy(32)
    match_id = site.entropy(12).hex()
    with site.writing() as session:
        players = [find_or_add(session, who.address, language, now) for who in people]
        _check_cap(site, session, players[ORGANISER], now)
        sitting = iter(zip(people, players, strict=True))
        match = Match(
            id=match_id, game=game.meta.slug, options=encode(options).decode(), status="unconfirmed",
            seed=seed, seed_sha256=commitment(seed), turn_s=turn_s, window_s=window_s,
            spectators=wanted.spectators, organiser_id=players[ORGANISER].id, created_at=now,
            lapses_at=now + timedelta(days=site.config.lapse_days),
        )  # fmt: skip
        session.add(match)
        session.flush()
        for seat, wish in enumerate(wanted.seats):
            if isinstance(wish, BotSeat):
                name = f"Robot {seat_letter(seat)}"
                session.add(SeatRow(match_id=match_id, seat=seat, bot=wish.bot, name=name, status="accepted"))
            else:
                who, player = next(sitting)
                session.add(SeatRow(match_id=match_id, seat=seat, player_id=player.id, name=who.name, status="invited"))
        session.flush()
        store.enqueue(session, f"confirm:{match_id}", "confirm", now, match_id=match_id, seat=ORGANISER)
    return match_id


def _check_cap(site: Site, session: Session, organiser: Player, now: datetime) -> None:
    if not site.config.capped:
        return
    recent = session.exec(
        select(func.count()).where(
            col(Match.organiser_id) == organiser.id, col(Match.created_at) > now - timedelta(days=1)
        )
    ).one()
    if recent >= site.config.matches_per_address_day:
        raise TooMany(N_("This address has started many matches today. Please wait until tomorrow."), retry_after=3600)


# --- links that act before the start -----------------------------------------------------------------------


def _claimed(site: Site, session: Session, purpose: SeatPurpose, token: str) -> tuple[Match, SeatRow]:
    """The match, locked, and the seat that the token acts for. Raises Unauthorized."""
    claim = site.tokens.read_seat(purpose, token)
    match = store.lock_match(session, claim.match_id)
    seat = session.get(SeatRow, (claim.match_id, claim.seat))
    if seat is None or seat.epoch != claim.epoch:
        raise unknown_link()
    return match, seat


def confirm(site: Site, token: str, language: str, zone: str) -> str:
    """The organiser stands by his match: the others are invited. Again: the same answer. Gives the match's id.

    Raises Unauthorized, Invalid, Gone.
    """
    language, zone = checked_language(language), checked_zone(zone)
    now = site.now()
    with site.writing() as session:
        match, seat = _claimed(site, session, "confirm", token)
        if match.status == "cancelled":
            raise Gone(N_("This match has been called off."))
        if match.status != "unconfirmed":
            return match.id
        _sit(session, seat, language, zone, now)
        match.status = "inviting"
        match.lapses_at = now + timedelta(days=site.config.lapse_days)
        for other in store.seats_of(session, match.id):
            if other.status == "invited":
                invite(session, other, now)
        _start_if_full(site, session, match)
        return match.id


def invite(session: Session, seat: SeatRow, now: datetime) -> None:
    """Queues the seat's invitation: one for each player and match, whatever happens to the seat."""
    dedupe = _invitation(seat.match_id, seat.player_id)
    store.enqueue(session, dedupe, "invitation", now, match_id=seat.match_id, seat=seat.seat, key=f"epoch{seat.epoch}")


def _invitation(match_id: str, player_id: int | None) -> str:
    return f"invitation:{match_id}:{player_id}"


def _sit(session: Session, seat: SeatRow, language: str, zone: str, now: datetime) -> None:
    player = session.get_one(Player, seat.player_id)
    player.language, player.zone = language, zone
    player.verified_at = player.verified_at or now
    seat.status = "accepted"
    session.add_all([player, seat])
    session.flush()


def accept(site: Site, token: str, language: str, zone: str) -> tuple[str, int]:
    """The invited player sits down; with the last one the match begins. Again: the same answer.

    Gives the match's id and the seat. Raises Unauthorized, Invalid, Gone.
    """
    language, zone = checked_language(language), checked_zone(zone)
    with site.writing() as session:
        match, seat = _claimed(site, session, "invitation", token)
        if seat.status == "accepted" and match.status != "cancelled":
            return match.id, seat.seat
        _must_invite(match)
        if seat.status == "declined":
            raise Gone(N_("You have declined this invitation. The organiser can invite you again."))
        _sit(session, seat, language, zone, site.now())
        _start_if_full(site, session, match)
        return match.id, seat.seat


def _must_invite(match: Match) -> None:
    if match.status == "cancelled":
        raise Gone(N_("This match has been called off."))
    if match.status == "unconfirmed":
        raise Gone(N_("The organiser has not confirmed this match yet."))
    if match.status != "inviting":
        raise Gone(N_("The match has already begun."))


def _start_if_full(site: Site, session: Session, match: Match) -> None:
    if any(seat.status != "accepted" for seat in store.seats_of(session, match.id)):
        return
    game = store.game_of(match)
    now = site.now()
    match.status, match.started_at, match.lapses_at = "running", now, None
    session.add(match)
    session.flush()
    seats = len(store.seats_of(session, match.id))
    options = codec_for(game).options(msgspec.json.decode(match.options))
    events = game.setup(seats, options, SeedChance(match.seed, 1, "setup"))
    step = store.Step(events, By(table=True))
    store.append(session, match, game, None, step, now, site.config.mail_hold_s)


def decline(site: Site, token: str) -> str:
    """The invited player does not want to play; the organiser is told. Gives the match's id.

    Raises Unauthorized, Gone.
    """
    with site.writing() as session:
        match, seat = _claimed(site, session, "invitation", token)
        if seat.status == "declined":
            return match.id
        _must_invite(match)
        _leave(session, match, seat, site.now())
        return match.id


def _leave(session: Session, match: Match, seat: SeatRow, now: datetime) -> None:
    seat.status = "declined"
    session.add(seat)
    dedupe = f"declined:{match.id}:{seat.seat}:{seat.epoch}"
    store.enqueue(
        session, dedupe, "declined", now, match_id=match.id, seat=ORGANISER, key=f"{seat.seat}.epoch{seat.epoch}"
    )


def name_another(site: Site, token: str, seat_number: int, who: Invitee) -> str:
    """The organiser (by his play token) gives a seat that is not taken to somebody else.

    The former invitee's link becomes invalid. Raises Unauthorized, Forbidden, Invalid, Gone, NotFound.
    """
    name = checked_name(who.name)
    _, canonical = checked_address(who.address)
    now = site.now()
    with site.writing() as session:
        match, organiser = _claimed(site, session, "play", token)
        _must_organise(organiser)
        _must_invite(match)
        seats = store.seats_of(session, match.id)
        seat = next((s for s in seats if s.seat == seat_number), None)
        if seat is None:
            raise NotFound(N_("There is no such seat."))
        if seat.status == "accepted":
            raise Gone(N_("%(name)s has already accepted."), {"name": seat.name})
        others = [s for s in seats if s.seat != seat_number]
        if any(s.name.casefold() == name.casefold() for s in others):
            raise Invalid(N_("Two players are called “%(name)s”."), {"name": name})
        language = session.get_one(Player, organiser.player_id).language
        player = find_or_add(session, who.address, language, now)
        if any(s.player_id == player.id for s in others):
            raise Invalid(N_("The address “%(address)s” is there twice."), {"address": canonical})
        _give(site, session, match, seat, name, player)
        return match.id


def _give(site: Site, session: Session, match: Match, seat: SeatRow, name: str, player: Player) -> None:
    """Gives the seat to the player. Who is invited already is not written to again: his first link holds good."""
    again = seat.player_id == player.id
    seat.name, seat.status = name, "invited"
    if not again:
        if store.queued(session, _invitation(match.id, player.id)):
            raise Invalid(N_("This address has been invited to this match before. Please name somebody else."))
        _check_invitations(site, session, match)
        seat.player_id, seat.epoch = player.id, seat.epoch + 1
    session.add(seat)
    session.flush()
    if not again:
        invite(session, seat, site.now())


def _check_invitations(site: Site, session: Session, match: Match) -> None:
    """An organiser's invitations of a day are bounded, whomever they go to."""
    if not site.config.capped:
        return
    sent = session.exec(
        select(func.count()).where(
            col(OutboxRow.match_id) == col(Match.id),
            col(OutboxRow.kind) == "invitation",
            col(OutboxRow.created_at) > site.now() - timedelta(days=1),
            col(Match.organiser_id) == match.organiser_id,
        )
    ).one()
    if sent >= site.config.mails_per_address_day:
        raise TooMany(N_("You have invited many people today. Please wait until tomorrow."), retry_after=3600)


def _must_organise(seat: SeatRow) -> None:
    if seat.seat != ORGANISER:
        raise Forbidden(N_("Only the organiser can do this."))


def withdraw(site: Site, token: str) -> str:
    """Before the start: the organiser calls the match off, any other player gives up the seat. Gives the match's id.

    Raises Unauthorized, Gone.
    """
    now = site.now()
    with site.writing() as session:
        match, seat = _claimed(site, session, "play", token)
        _must_invite(match)
        if seat.seat == ORGANISER:
            call_off(session, match, "withdrawn", now)
        elif seat.status == "accepted":
            _leave(session, match, seat, now)
        return match.id
