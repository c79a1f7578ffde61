"""A rematch: created once, for the same people under the same terms."""

from functools import partial

import pytest
from sqlmodel import col, select

from pbem.errors import Gone, Invalid, TooMany, Unauthorized
from pbem.models.tables import Match, SeatRow
from pbem.services.lobby import matches, rematches
from pbem.services.lobby.match_request import BotSeat, Invitee, NewMatch, Unnamed
from pbem.services.play.bots import play_quick_bots
from pbem.services.tokens import InvitationClaim, PlayClaim
from pbem.services.views import match_views
from pbem.services.who import STRANGER
from tests.services.play.stage.races import ROUNDS, at_once
from tests.table import House, address_of

READER = ("en", "Europe/London")


@pytest.fixture
def over(house: House) -> str:
    """A match of Hogen that Alice, Bob and Carol have played to its end."""
    return finish_match(house)


def finish_match(house: House) -> str:
    match_id = house.begin(3, turn_s=7200, spectators=False)
    house.play_out(match_id)
    return match_id


def press_play_again(house: House, match_id: str, seat: int) -> rematches.Way:
    """Returns the rematch as the seat's signed-in player gets it."""
    with house.site.reading() as session:
        player_id = session.get_one(SeatRow, (match_id, seat)).player_id or 0
    return rematches.find_or_create_rematch(house.site, house.claim("play", match_id, seat), player_id)


@pytest.mark.long
def test_a_rematch_keeps_the_settings_and_seats_its_starter_first(house: House) -> None:
    over = house.begin(3, "hagakure", options={"rounds": 1}, turn_s=7200, spectators=False)
    house.play_out(over)
    way = press_play_again(house, over, 1)
    assert (way.seat, way.token) == ("play", house.token("play", way.match_id, 0))
    before, again = (match_views.read_sheet(house.site, one, 0) for one in (over, way.match_id))
    assert again.names == ("Bob", "Carol", "Alice")
    assert [seat.status for seat in again.seats] == ["accepted", "invited", "invited"]
    for same in ("game", "options", "turn_s", "window_s", "spectators"):
        assert getattr(again, same) == getattr(before, same)
    assert again.status == "inviting"
    assert again.commitment != before.commitment
    assert rematches.read_rematch_id(house.site, over) == way.match_id


@pytest.mark.long
def test_a_rematch_invites_all_others_and_needs_no_confirmation(house: House, over: str) -> None:
    house.drain()
    house.mail.clear()
    again = press_play_again(house, over, 1).match_id
    house.drain()
    assert sorted(to for to, _ in house.mail.all_sent) == ["alice@example.org", "carol@example.org"]
    for seat in (1, 2):
        matches.accept_invitation(house.site, house.claim("invitation", again, seat), *READER)
    assert match_views.read_sheet(house.site, again, 0).status == "running"


@pytest.mark.long
def test_the_second_to_press_play_again_gets_the_invitation_then_the_seat(house: House, over: str) -> None:
    again = press_play_again(house, over, 0).match_id
    assert press_play_again(house, over, 0) == rematches.Way(again, "play", house.token("play", again, 0))
    invitation = house.token("invitation", again, 2)
    assert press_play_again(house, over, 2) == rematches.Way(again, "invitation", invitation)
    matches.accept_invitation(house.site, house.tokens.read(InvitationClaim, invitation), *READER)
    assert press_play_again(house, over, 2) == rematches.Way(again, "play", house.token("play", again, 2))


@pytest.mark.long
def test_a_seat_link_without_its_session_gets_the_rematch_link_by_mail(house: House, over: str) -> None:
    house.drain()
    house.mail.clear()
    token = house.token("play", over, 1)
    way = rematches.find_or_create_rematch(house.site, house.tokens.read(PlayClaim, token), STRANGER)
    assert way == rematches.Way(way.match_id, "mail")
    assert rematches.find_or_create_rematch(house.site, house.tokens.read(PlayClaim, token), 10**6) == way
    house.drain()
    (mine,) = house.mail.to("bob@example.org")
    assert house.token("play", way.match_id, 0) in mine.get_body(("plain",)).get_content()  # type: ignore[union-attr]


@pytest.mark.long
def test_two_players_pressing_play_again_at_once_share_one_rematch(house: House) -> None:
    for _ in range(ROUNDS):
        match_id = finish_match(house)
        one, other = at_once(
            partial(press_play_again, house, match_id, 0), partial(press_play_again, house, match_id, 2)
        )
        assert isinstance(one, rematches.Way)
        assert isinstance(other, rematches.Way)
        assert one.match_id == other.match_id
        assert sorted(way.made for way in (one, other)) == [False, True]
        assert {one.seat, other.seat} == {"play", "invitation"}
        with house.site.reading() as session:
            assert len(session.exec(select(Match).where(col(Match.rematch_of) == match_id)).all()) == 1


@pytest.mark.long
def test_a_rematch_keeps_its_bots_and_begins_at_once_against_bots_only(house: House) -> None:
    alice = Invitee("Alice", address_of("Alice"))
    wanted = NewMatch("allegeance", [alice, BotSeat("random"), BotSeat("greedy")], options={"target": 1})
    match_id = matches.create_match(house.site, STRANGER, wanted)
    matches.confirm_match(house.site, house.claim("confirm", match_id, 0), *READER)
    for _ in range(500):
        play_quick_bots(house.site)
        if not house.asks(match_id):
            break
        house.play(match_id, 0)
    again = match_views.read_sheet(house.site, press_play_again(house, match_id, 0).match_id, None)
    assert (again.status, [seat.bot for seat in again.seats]) == ("running", [None, "random", "greedy"])
    assert again.names == match_views.read_sheet(house.site, match_id, None).names, "a bot keeps its name"


@pytest.mark.long
def test_playing_again_after_declining_the_rematch_is_refused(house: House, over: str) -> None:
    press_play_again(house, over, 0)
    invited = press_play_again(house, over, 1)
    assert invited.token is not None
    matches.decline_invitation(house.site, house.tokens.read(InvitationClaim, invited.token))
    with pytest.raises(Gone):
        press_play_again(house, over, 1)


def test_a_rematch_that_was_called_off_gives_way_to_another(house: House, over: str) -> None:
    first = press_play_again(house, over, 0).match_id
    matches.cancel_or_leave_match(house.site, house.claim("play", first, 0))
    assert rematches.read_rematch_id(house.site, over) is None
    second = press_play_again(house, over, 1)
    assert second.match_id != first
    assert press_play_again(house, over, 0).match_id == second.match_id


@pytest.mark.long
def test_a_finished_rematch_can_have_a_rematch(house: House, over: str) -> None:
    again = press_play_again(house, over, 0).match_id
    for seat in (1, 2):
        matches.accept_invitation(house.site, house.claim("invitation", again, seat), *READER)
    house.play_out(again)
    assert press_play_again(house, again, 1).match_id not in (over, again)


def test_a_match_that_runs_or_waits_or_was_called_off_has_no_rematch(house: House) -> None:
    running, waiting, gone = house.begin(), house.create(), house.create()
    matches.confirm_match(house.site, house.claim("confirm", waiting, 0), *READER)
    matches.confirm_match(house.site, house.claim("confirm", gone, 0), *READER)
    matches.cancel_or_leave_match(house.site, house.claim("play", gone, 0))
    for match_id in (running, waiting, gone):
        with pytest.raises(Gone):
            press_play_again(house, match_id, 0)


@pytest.mark.long
def test_starting_a_rematch_needs_the_link_of_a_seat(house: House, over: str) -> None:
    for token in (house.token("mute", over, 0), house.token("play", over, 0, 1), over, ""):
        with pytest.raises(Unauthorized):
            rematches.find_or_create_rematch(house.site, house.tokens.read(PlayClaim, token), STRANGER)
    assert rematches.read_rematch_id(house.site, over) is None


@pytest.mark.long
def test_a_rematch_counts_towards_its_starters_matches_a_day(house_with_caps: House) -> None:
    house = house_with_caps
    match_id = finish_match(house)
    house.begin()
    with pytest.raises(TooMany):
        press_play_again(house, match_id, 0)
    assert press_play_again(house, match_id, 1).seat == "play"


def test_a_rematch_calls_an_unnamed_player_by_the_letter_of_their_new_seat(house: House) -> None:
    """Programs need not give a name when they accept; the letter is that of the seat, wherever it is."""
    people: list[Invitee | Unnamed] = [Invitee("Alice", address_of("Alice"))]
    people += [Unnamed(address_of(name)) for name in ("Bob", "Carol")]
    match_id = matches.create_match(house.site, STRANGER, NewMatch("hogen", people))
    matches.confirm_match(house.site, house.claim("confirm", match_id, 0), *READER)
    matches.accept_invitation(house.site, house.claim("invitation", match_id, 1), *READER, "Bob")
    matches.accept_invitation(house.site, house.claim("invitation", match_id, 2), *READER)
    assert match_views.read_sheet(house.site, match_id, 0).names == ("Alice", "Bob", "(C)")
    house.play_out(match_id)
    again = press_play_again(house, match_id, 2).match_id
    assert match_views.read_sheet(house.site, again, 0).names == ("(A)", "Alice", "Bob")


@pytest.mark.long
def test_players_with_lookalike_names_can_play_again_but_one_must_rename(house: House, over: str) -> None:
    with house.site.writing() as work:
        for seat, name in ((0, "mem O"), (1, "Mem0")):
            work.get_one(SeatRow, (over, seat)).name = name
    again = press_play_again(house, over, 0).match_id
    assert match_views.read_sheet(house.site, again, 0).names == ("mem O", "(B)", "Carol")
    with pytest.raises(Invalid, match="Please choose another name"):
        matches.accept_invitation(house.site, house.claim("invitation", again, 1), *READER, name="Mem0")
    matches.accept_invitation(house.site, house.claim("invitation", again, 1), *READER, name="Bob")
    matches.accept_invitation(house.site, house.claim("invitation", again, 2), *READER)
    assert match_views.read_sheet(house.site, again, 0).names == ("mem O", "Bob", "Carol")
