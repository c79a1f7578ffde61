"""Starting a match in a circle: a member chooses others by their names, and nobody sees an address."""

from collections.abc import Sequence
from dataclasses import replace

from pbem.errors import N_, Gone, Invalid
from pbem.features.circles.claims import MemberClaim
from pbem.features.circles.rows import check_players_locked, lock_member, members_of, membership_of_claim
from pbem.features.circles.tables import CircleMatch
from pbem.models.tables import Match
from pbem.services.access import idempotency
from pbem.services.access.idempotency import IdempotencyKey
from pbem.services.lobby import match_request
from pbem.services.lobby.match_request import BotSeat, NewMatch, OpenSeat, Person, Terms
from pbem.services.lobby.seating import Place, invite_others_and_start_if_full, place_of_bot_or_open_seat, set_up_match
from pbem.services.log import locks
from pbem.services.log.table import table_of
from pbem.services.site import Site, Work
from pbem.services.who import ORGANISER


def create_match_and_invite_members(
    site: Site, claim: MemberClaim, others: Sequence[int], wanted: NewMatch, *, once: IdempotencyKey | None = None
) -> str:
    """Creates a match of the claim's member with these other members, by their ids; returns the match's id.

    `wanted.seats` are those beside the members: bots, and seats for anyone who has their link. The others are invited
    as by any organiser. Raises Unauthorized, NotFound, Gone, Invalid, TooMany, KeyReused.
    """
    game = match_request.check_player_count(
        match_request.require_game(wanted.game), 1 + len(others) + len(wanted.seats)
    )
    for seat in wanted.seats:
        if isinstance(seat, BotSeat):
            match_request.check_bot(game, seat.bot)
        elif not isinstance(seat, OpenSeat):
            raise Invalid(N_("In a circle, people are chosen among its members."), fields=("members",))
    terms, word = match_request.terms_and_lucky_word_of_request(site.config, wanted, game)
    with site.writing() as work:
        mine = membership_of_claim(work, claim)
        everybody = {row.id: row.player_id for row in members_of(work, mine.circle_id)}
        held = locks.hold_players(work, [mine.player_id, *(everybody.get(one) for one in others)])
        if (made := idempotency.claim_key(work, once, site.now())) is not None:
            return made
        circle, me = lock_member(work, claim)
        by_id = {row.id: row for row in members_of(work, circle.id)}
        if len({*others}) < len(others) or me.id in others:
            message = N_("Choose each member once, and not yourself: the first seat is yours.")
            raise Invalid(message, fields=("members",))
        if any(one not in by_id for one in others):
            raise Gone(N_("Someone you chose is not a member of this circle."))
        people = [me, *(by_id[one] for one in others)]
        check_players_locked(people, held)
        places = [Place("invited", row.name, row.player_id) for row in people]
        places += [place_of_bot_or_open_seat(seat) for seat in wanted.seats if not isinstance(seat, Person)]
        match = create_circle_match(site, work, circle.id, replace(terms, organiser_id=me.player_id), places, word)
        table = table_of(work, match)
        table.seats[ORGANISER].status = "accepted"
        invite_others_and_start_if_full(table)
        return idempotency.store_answer(work, once, match.id)


def create_circle_match(
    site: Site, work: Work, circle_id: str, terms: Terms, places: Sequence[Place], word: str | None = None,
    occasion_id: int | None = None,
) -> Match:  # fmt: skip
    """Creates an unconfirmed match that counts in the circle's standings, and returns it."""
    match = set_up_match(site, work, terms, places, word)
    work.put(CircleMatch(match_id=match.id, circle_id=circle_id, occasion_id=occasion_id))
    return match
