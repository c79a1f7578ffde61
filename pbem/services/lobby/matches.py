"""A match before it starts: create, confirm, accept, decline, name another, withdraw.

unconfirmed ──confirm──> inviting ──all accepted──> running ──> over
     └────── lapse, withdraw ─────┴──> cancelled <── cancel ──┘

A match against bots alone starts at once, for somebody who need not have an address. Its table is untimed: nobody else
waits there, so no question has a deadline, no mail is due, and nobody becomes absent.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

from sqlmodel import Session

from pbem.errors import N_, Gone, Invalid
from pbem.kit.bots import usual_bot
from pbem.kit.codec import encode
from pbem.models.tables import Match, Player, SeatRow
from pbem.services.access import idempotency, seat_links
from pbem.services.access.idempotency import IdempotencyKey
from pbem.services.lobby import seating
from pbem.services.lobby.lucky_words import lucky_word_to_store
from pbem.services.lobby.match_request import (
    BotSeat,
    Invitee,
    NewMatch,
    Person,
    Terms,
    check_bot,
    check_bots_and_first_seat,
    check_player_count,
    decode_options,
    normalise_and_check_lucky_word,
    normalise_and_check_people,
    require_game,
    terms_and_lucky_word_of_request,
)
from pbem.services.lobby.offers import lock_player_and_moved_matches, verify_player_and_set_zone
from pbem.services.log import locks, store
from pbem.services.log.cancellation import call_off
from pbem.services.log.table import LockedTable, table_of
from pbem.services.players import bounces, guests, quotas
from pbem.services.players.players import (
    check_address,
    check_language,
    check_zone,
    find_or_add,
    name_of_unnamed_seat,
    normalise_name,
)
from pbem.services.site import Site, Work
from pbem.services.tokens import PlayerClaim, SeatClaim, SeatPurpose, next_named, unknown_link
from pbem.services.views import talk
from pbem.services.who import ORGANISER, Caller


def create_match(
    site: Site, who: Caller, wanted: NewMatch, *, once: IdempotencyKey | None = None, browser: int | None = None
) -> str:
    """Creates a match and asks only its organiser to confirm it; returns its id.

    If `who` is signed in, the organiser's address is their own and it is verified, the match is confirmed at once.
    `browser` is the player who has signed in on the caller's browser before.

    Raises Invalid, KeyReused, and TooMany only for a match that is confirmed at once: callers who name somebody else as
    organiser must learn nothing about them.
    """
    game = check_player_count(require_game(wanted.game), len(wanted.seats))
    terms, word = terms_and_lucky_word_of_request(site.config, wanted, game)
    check_bots_and_first_seat(game, wanted.seats)
    people = normalise_and_check_people([one for one in wanted.seats if isinstance(one, Person)])
    language = check_language(wanted.language)
    with site.writing() as work:
        # Players are always added in this order, so that requests cannot deadlock.
        in_order = sorted(people, key=lambda one: check_address(one.address)[1])
        by_address = {one.address: find_or_add(work, one.address, language, site.now()) for one in in_order}
        if (made := idempotency.claim_key(work, once, site.now())) is not None:
            work.rollback()  # undoes find_or_add: players erased since the first request stay erased
            return made
        players = [by_address[one.address] for one in people]
        organiser = players[ORGANISER]
        terms = replace(terms, organiser_id=organiser.id)
        sitting = (
            seating.Place("invited", one.name if isinstance(one, Invitee) else seating.UNNAMED, player.id)
            for one, player in zip(people, players, strict=True)
        )
        match = seating.set_up_match(
            site,
            work,
            terms,
            [
                next(sitting) if isinstance(wish, Person) else seating.place_of_bot_or_open_seat(wish)
                for wish in wanted.seats
            ],
            word,
        )
        table = table_of(work, match)
        if organiser.id == who and organiser.verified_at is not None:
            table.seats[ORGANISER].status = "accepted"
            seating.invite_others_and_start_if_full(table)
        else:
            table.queue_mail(
                "confirm", ORGANISER, f"confirm:{match.id}", key=quotas.OWNER if organiser.id == browser else None
            )
        return idempotency.store_answer(work, once, match.id)


# --- actions by link before the start ----------------------------------------------------------------------


def confirm_match(site: Site, claim: SeatClaim, language: str, zone: str) -> str:
    """Confirms the match on behalf of its organiser, invites the others, and returns the match's id. Idempotent.

    Raises Unauthorized, Invalid, Gone, TooMany.
    """
    language, zone = check_language(language), check_zone(zone)
    with site.writing() as work:
        player, moved, match, seat = _lock_player_and_read_seat(work, claim, "confirm", zone)
        if match.status == "cancelled":
            raise Gone(N_("This match has been called off."))
        if match.status == "unconfirmed":
            verify_player_and_set_zone(site, work, player, moved, language, zone)
            _mark_accepted(seat)
            bounces.clear_bounce_noted_after_sending(work, seat.player_id, site.now())
            seating.invite_others_and_start_if_full(table_of(work, match))
        return match.id


def _lock_player_and_read_seat(
    session: Session, claim: SeatClaim, purpose: SeatPurpose, zone: str
) -> tuple[Player, list[str], Match, SeatRow]:
    """Returns the player of this link, the matches that their new zone moves (see `lock_player_and_moved_matches`),
    and match and seat.

    Raises Unauthorized, and Busy if the seat has changed hands meanwhile.
    """
    invited = seat_links.seat_of_link(session, claim, purpose)
    player, moved = lock_player_and_moved_matches(session, invited.player_id, zone, claim.match_id)
    seat = seat_links.seat_of_link(session, claim, purpose, refresh=True)
    if seat.player_id != player.id:
        raise locks.busy_error()
    return player, moved, store.get_match(session, claim.match_id), seat


def _mark_accepted(seat: SeatRow) -> None:
    seat.status, seat.muted = "accepted", False  # a guest who muted the invitation wants mails once seated


def accept_invitation(
    site: Site, claim: SeatClaim, language: str, zone: str, name: str | None = None, *, word: str | None = None
) -> tuple[str, int]:
    """Accepts an invitation; the match starts if this was the last seat. Idempotent.

    `name` is that of a player whom the organiser has not named; None leaves their seat its letter. `word` is their
    lucky word, if they type one. Returns the match's id and the seat. Raises Unauthorized, Invalid, Gone.
    """
    language, zone, word = check_language(language), check_zone(zone), normalise_and_check_lucky_word(word)
    with site.writing() as work:
        held = seating.hold_people_at_table(work, claim.match_id)
        player, moved, match, seat = _lock_player_and_read_seat(work, claim, "invitation", zone)
        if seat.status == "accepted" and match.status != "cancelled":
            return match.id, seat.seat
        seating.require_inviting(match)
        if seat.status == "declined":
            raise Gone(N_("You have declined this invitation. The organiser can invite you again."))
        if seat.status == "open":
            raise unknown_link()
        seating.check_has_no_other_seat(work, seat, seat.player_id)
        if name is not None and seat.name == name_of_unnamed_seat(seat.seat):
            name = normalise_name(name)
            seating.check_name_is_free(work, seat, name)
            seat.name = name
        seat = _give_seat_to_claimant(work, seat)
        seating.end_other_invitations(site, work, seat, held, player.id)
        seat.word = lucky_word_to_store(match.seed, seat.seat, word, shared=match.deal_id is not None)
        verify_player_and_set_zone(site, work, player, moved, language, zone)
        _mark_accepted(seat)
        seating.start_if_full(table_of(work, match))
        return match.id, seat.seat


def _give_seat_to_claimant(work: Work, seat: SeatRow) -> SeatRow:
    """Returns the seat's own row, which the player of this claim has now, no matter who has claimed the seat since.

    Its epoch rises once more in that case: no other claim has it. A name that somebody else took meanwhile makes way
    for the seat's letter.
    """
    row = work.get_one(SeatRow, (seat.match_id, seat.seat))
    if row is not seat:
        free = seating.seat_with_similar_name(work, seat, seat.name) is None
        row.name = seat.name if free else name_of_unnamed_seat(seat.seat)
        row.player_id, row.epoch, row.muted = seat.player_id, row.epoch + 1, False
    return row


def decline_invitation(site: Site, claim: SeatClaim) -> str:
    """Declines an invitation, tells the organiser, returns the match's id. Idempotent. Raises Unauthorized, Gone."""
    with site.writing() as work:
        table, seat = seat_links.lock_seat_and_hold_player(work, claim, "invitation")
        if (earlier := seat_links.earlier_claim_of_invitation(work, claim)) is not None:
            earlier.void = True
            return table.id
        if seat.status == "declined":
            return table.id
        seating.require_inviting(table.match)
        decline_seat(table, seat)
        return table.id


def decline_seat(table: LockedTable, seat: SeatRow) -> None:
    """Marks a seat as declined before the start and notifies the organiser."""
    seat.status, seat.word = "declined", None
    seat_links.end_claims_of_leaving_player(table.work, seat)
    talk.delete_talk_of_seat(table.work, seat)
    dedupe = f"declined:{table.id}:{seat.seat}:{seat.epoch}"
    table.queue_mail("declined", ORGANISER, dedupe, key=f"{seat.seat}.epoch{seat.epoch}")


def invite_to_untaken_seat(
    site: Site, claim: SeatClaim, seat_number: int, who: Invitee, was: seating.SeatSeen | None = None
) -> str:
    """Gives a seat that nobody has taken to somebody else, for the organiser; returns the match's id.

    `claim` is the organiser's play link. The former invitee's link becomes invalid. Takes `was` as `free_seat` does.
    Raises Unauthorized, Forbidden, Invalid, Gone, NotFound, Changed.
    """
    name = normalise_name(who.name)
    _, canonical = check_address(who.address)
    with site.writing() as work:
        organiser = work.get(Player, seat_links.seat_of_link(work, claim, "play").player_id or 0)
        if organiser is None:
            raise unknown_link()
        player = find_or_add(work, who.address, organiser.language, site.now())
        held = seating.hold_people_at_table(work, claim.match_id)
        table, seat = seating.lock_untaken_seat(work, claim, seat_number, was)
        seating.free_name_taken_by_bot(table, seat, name)
        others = [s for s in table.seats if s.seat != seat_number]
        if any(s.player_id == player.id for s in others):
            raise Invalid(N_("The address “%(address)s” is there twice."), {"address": canonical})
        again = seat.player_id == player.id  # they have been invited, or asked for it: their link stays good
        if not again:
            seating.end_other_invitations(site, work, seat, held)
        seat.name, seat.status = name, "invited"
        if not again:
            if seating.was_invited(work, table.id, player):
                raise Invalid(N_("This address has been invited to this match before. Please name somebody else."))
            seating.check_invitation_limit(table)
            seat.player_id, seat.epoch, seat.word = player.id, next_named(seat.epoch), None
            work.flush()
            seating.queue_invitation(table, seat)
        return table.id


def cancel_or_leave_match(site: Site, claim: SeatClaim) -> str:
    """Cancels the match for its organiser, or gives up another player's seat, before the start. Returns the match's id.

    Raises Unauthorized, Gone.
    """
    with site.writing() as work:
        table, seat = seat_links.lock_seat_and_hold_player(work, claim, "play")
        seating.require_inviting(table.match)
        if seat.seat == ORGANISER:
            call_off(table, "withdrawn")
        elif seat.status == "accepted":
            decline_seat(table, seat)
        return table.id


# --- against bots at once ------------------------------------------------------------------------------------

TWICE = timedelta(minutes=1)
"""A request that comes again within this time is one button pressed twice; later, another match is wanted."""


@dataclass(frozen=True)
class Started:
    """A match that has begun, its person's seat, and their claim to a session."""

    match_id: str
    player: PlayerClaim
    seat: int = ORGANISER


def start_match_against_bots(
    site: Site, who: Caller, game_slug: str, name: str, language: str, zone: str, *,
    bots: Sequence[BotSeat] = (), options: Mapping[str, Any] | None = None, spectators: bool = True,
    word: str | None = None, once: IdempotencyKey | None = None,
) -> Started:  # fmt: skip
    """Starts a match of the game against these bots, or the best ones, as few as it takes; a stranger becomes a guest.

    `language` and `zone` are a new guest's, `word` is the player's lucky word. A request done less than TWICE ago
    under its key returns the same match. Raises Invalid, Unauthorized, Gone, and TooMany if this player has started
    many.
    """
    name, language, zone = normalise_name(name), check_language(language), check_zone(zone)
    word = normalise_and_check_lucky_word(word)
    game = require_game(game_slug)
    others = bots or [BotSeat(usual_bot(game))] * (min(game.meta.seats) - 1)
    check_player_count(game, 1 + len(others))
    places = [seating.place_of_bot_or_open_seat(BotSeat(check_bot(game, one.bot))) for one in others]
    chosen = encode(decode_options(game, options or {})).decode()
    turn_s, window_s = site.config.turn_s, min(site.config.window_s, site.config.turn_s)  # a bot's own, if it fails
    with site.writing() as work:
        known = locks.lock_player(work, who, or_guest=True) if isinstance(who, int) else None
        player = known or guests.add_guest(work, language, zone, site.now())
        begun = idempotency.claim_key(work, once, site.now(), kept=TWICE)
        if begun is None:
            terms = Terms(game.meta.slug, chosen, turn_s, window_s, spectators, player.id, untimed=True)
            match = seating.set_up_match(site, work, terms, [seating.Place("accepted", name, player.id), *places], word)
            seating.invite_others_and_start_if_full(table_of(work, match))
            idempotency.store_answer(work, once, match.id)
            return Started(match.id, PlayerClaim(player.id, player.epoch))
        work.rollback()  # undoes add_guest
    with site.reading() as session:
        first = session.get(Player, store.get_match(session, begun).organiser_id or 0)
    if first is None or (first.address is not None and first.id != who):  # no guest any more
        raise idempotency.missing_result_error()
    return Started(begun, PlayerClaim(first.id, first.epoch))
