"""A link acts for its seat only as long as its epoch is the seat's."""

import pytest
from sqlalchemy import update

from pbem.errors import Gone, Problem, Unauthorized
from pbem.models.tables import SeatRow, SubstituteRow, table
from pbem.services.access import seat_links
from pbem.services.log import store
from pbem.services.log.table import LockedTable, lock_table
from pbem.services.play import presence
from pbem.services.site import Work
from pbem.services.tokens import PlayClaim, SeatClaim, SeatPurpose
from pbem.services.views import seats
from tests.harness.cases import cases
from tests.services.letterbox import player_of
from tests.services.play.stage.presence import seat_of
from tests.table import START, House

INVALID = "invalid or expired"
TAKEN = "Somebody else has taken over this seat"


def refusal_of(house: House, claim: SeatClaim) -> str:
    """Returns the refusal for a caller with this claim."""
    with house.site.reading() as session, pytest.raises(Unauthorized) as refusal:
        seat_links.seat_of_link(session, claim, "play")
    return refusal.value.message


def test_a_seat_link_is_accepted_only_with_the_seats_current_epoch(house: House) -> None:
    match_id = house.begin()
    epoch = seat_of(house, match_id, 1).epoch
    with house.site.reading() as session:
        sitting = seat_links.seat_of_link(session, PlayClaim(match_id, 1, epoch), "play")
        assert (sitting.match_id, sitting.seat) == (match_id, 1)
    for other in (epoch - 1, epoch + 1):
        assert INVALID in refusal_of(house, PlayClaim(match_id, 1, other))


def test_a_seat_link_that_ends_while_waiting_for_the_lock_is_refused(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    match_id = house.begin()

    def wait(work: Work, match_id: str) -> LockedTable:
        work.connection().execute(update(table(SeatRow)).values(epoch=table(SeatRow).c.epoch + 1))
        return lock_table(work, match_id)

    monkeypatch.setattr("pbem.services.access.seat_links.lock_table", wait)
    claim = house.claim("play", match_id, 1, seat_of(house, match_id, 1).epoch)
    with house.site.writing() as work:
        kept = seat_links.seat_of_link(work, claim, "play")
        with pytest.raises(Unauthorized):
            seat_links.lock_seat_and_hold_player(work, claim, "play")
        assert kept.epoch == claim.epoch + 1


@cases("purpose", ["confirm", "invitation", "mute"])
def test_a_link_for_another_purpose_does_not_act_for_the_seat(house: House, purpose: SeatPurpose) -> None:
    match_id = house.begin()
    assert INVALID in refusal_of(house, house.claim(purpose, match_id, 1, seat_of(house, match_id, 1).epoch))
    with pytest.raises(Unauthorized):
        presence.resign(house.site, house.claim(purpose, match_id, 1, seat_of(house, match_id, 1).epoch))


def test_a_link_to_a_missing_seat_or_match_is_refused_as_invalid(house: House) -> None:
    match_id = house.begin()
    assert INVALID in refusal_of(house, PlayClaim(match_id, 3, 0))
    assert INVALID in refusal_of(house, PlayClaim("0" * 24, 0, 0))


def test_only_seat_links_older_than_the_takeover_say_the_seat_was_taken(house: House) -> None:
    match_id, other = house.begin(), house.begin()
    with house.site.writing() as session:
        carol = player_of(house, "Carol").id
        assert carol is not None
        for seat in store.seats_of(session, match_id) + store.seats_of(session, other):
            seat.epoch = 5
            session.add(seat)
        taken = SubstituteRow(match_id=match_id, seat=1, away_n=1, player_id=carol, name="Carol", at=START, epoch=4)
        session.add(taken)
    assert TAKEN in refusal_of(house, PlayClaim(match_id, 1, 3))
    assert TAKEN in refusal_of(house, PlayClaim(match_id, 1, 0))
    assert INVALID in refusal_of(house, PlayClaim(match_id, 1, 4))  # the substitute's own, from before a renewal
    assert INVALID in refusal_of(house, PlayClaim(match_id, 2, 3))
    assert INVALID in refusal_of(house, PlayClaim(other, 1, 3))


@pytest.mark.long
def test_an_old_link_to_a_seat_a_substitute_only_asked_for_is_invalid(house: House) -> None:
    match_id = house.begin()
    carol = player_of(house, "Carol").id
    assert carol is not None
    with house.site.writing() as session:
        session.add(SubstituteRow(match_id=match_id, seat=1, away_n=1, player_id=carol, name="Carol", at=START))
    assert INVALID in refusal_of(house, PlayClaim(match_id, 1, seat_of(house, match_id, 1).epoch - 1))


def invitation_problem(house: House, claim: SeatClaim) -> Problem:
    with house.site.reading() as session, pytest.raises((Unauthorized, Gone)) as refusal:
        seat_links.seat_of_link(session, claim, "invitation")
    return refusal.value


def test_an_invitation_is_invalid_and_not_taken_once_its_link_was_renewed(house: House) -> None:
    match_id = house.begin()
    seats.renew_link(house.site, house.claim("play", match_id, 1))
    assert INVALID in invitation_problem(house, house.claim("invitation", match_id, 1)).message


def test_an_old_invitation_to_a_seat_taken_over_since_says_it_was_taken(house: House) -> None:
    match_id = house.begin()
    with house.site.writing() as session:
        carol = player_of(house, "Carol").id
        assert carol is not None
        seat = next(one for one in store.seats_of(session, match_id) if one.seat == 1)
        seat.epoch, seat.name = 1, "Carol"
        session.add(seat)
        session.add(
            SubstituteRow(match_id=match_id, seat=1, away_n=1, player_id=carol, name="Carol", at=START, epoch=1)
        )
    assert TAKEN in invitation_problem(house, house.claim("invitation", match_id, 1)).message
