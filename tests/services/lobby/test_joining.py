"""Open seats: claimed by link, taken by mail, closed by the organiser."""

from email.message import EmailMessage
from functools import partial

import pytest
from sqlmodel import col, select

from pbem.errors import Busy, Forbidden, Gone, Invalid, NotFound, TooMany, Unauthorized
from pbem.models.tables import OutboxRow, Player
from pbem.services.lobby import joining, matches
from pbem.services.lobby.match_request import BotSeat, Invitee, NewMatch, OpenSeat, Unnamed
from pbem.services.play.bots import play_quick_bots
from pbem.services.players import players
from pbem.services.tokens import InvitationClaim, MuteClaim, OpeningClaim, PlayClaim
from pbem.services.views import match_views, seats
from pbem.services.who import STRANGER
from tests.harness.cases import cases
from tests.services.letterbox import text_of
from tests.services.lobby.joining import (
    ALICE,
    FIVE,
    READER,
    accept_invitation,
    ask_for_seat,
    claim_seat,
    invitee,
    inviting,
    join_link,
    row_of_seat,
    valid_invitation,
)
from tests.services.play.stage.races import ROUNDS, at_once
from tests.table import House, address_of

BOB = Invitee("Bob", "bob@example.org")


@pytest.fixture
def match_id(house: House) -> str:
    """Alice's match with Bob invited and the third seat open."""
    return inviting(house, BOB, OpenSeat())


def kind_of(mail: EmailMessage) -> str:
    return str(mail["Message-ID"]).strip("<").split("-")[0]


def verify_address(house: House, name: str) -> int:
    """Returns the id of a player with a verified address."""
    with house.site.writing() as session:
        player = players.find_or_add(session, address_of(name), "en", house.clock())
        player.verified_at = house.clock()
        session.flush()
        assert player.id is not None
        return player.id


@pytest.mark.long
def test_an_open_seat_keeps_the_match_waiting_and_gets_no_mail(house: House, match_id: str) -> None:
    sheet = match_views.read_sheet(house.site, match_id, None)
    assert [(seat.name, seat.status) for seat in sheet.seats] == [
        ("Alice", "accepted"), ("Bob", "invited"), ("?", "open"),
    ]  # fmt: skip
    house.drain()
    assert [to for to, _ in house.mail.all_sent] == ["bob@example.org"]
    matches.accept_invitation(house.site, house.claim("invitation", match_id, 1), *READER)
    assert match_views.read_sheet(house.site, match_id, None).status == "inviting"


def test_only_the_organiser_gets_the_join_links_of_open_seats(house: House, match_id: str) -> None:
    assert set(joining.join_tokens_for_organiser(house.site, match_id, 0)) == {2}
    for viewer in (1, 2, None):
        assert joining.join_tokens_for_organiser(house.site, match_id, viewer) == {}


@pytest.mark.long
def test_a_player_who_claims_the_seat_is_mailed_and_sits_by_accepting(house: House, match_id: str) -> None:
    matches.accept_invitation(house.site, house.claim("invitation", match_id, 1), *READER)
    assert claim_seat(house, join_link(house, match_id), "Carol") == (match_id, 2)
    assert match_views.read_sheet(house.site, match_id, None).seats[2].status == "invited"
    house.drain()
    (mail,) = house.mail.to("carol@example.org")
    body = mail.get_body(("plain",))
    assert body is not None
    assert valid_invitation(house, match_id) in body.get_content()
    matches.accept_invitation(
        house.site, house.tokens.read(InvitationClaim, valid_invitation(house, match_id)), *READER
    )
    sheet = match_views.read_sheet(house.site, match_id, None)
    assert (sheet.status, sheet.names) == ("running", ("Alice", "Bob", "Carol"))


@pytest.mark.long
def test_the_first_of_five_claims_to_accept_sits_and_the_others_get_a_mail(house: House, match_id: str) -> None:
    found = ask_for_seat(house, match_id)
    house.drain()
    for name, token in found.items():
        (mail,) = house.mail.to(address_of(name))
        text = text_of(mail)
        assert token in text
        seated = seats.read_seat(house.site, house.tokens.read(InvitationClaim, token))
        assert (seated.sheet.names[2], seated.status) == (name, "invited")
    for _ in range(2):
        assert accept_invitation(house, found["Dave"]) == (match_id, 2), "also if pressed twice"
        assert (row_of_seat(house, match_id).name, row_of_seat(house, match_id).status) == ("Dave", "accepted")
    house.drain()
    for name, token in found.items():
        later = house.mail.to(address_of(name))[1:]
        assert [kind_of(mail) for mail in later] == ([] if name == "Dave" else ["displaced"])
        if name != "Dave":
            assert "no longer kept for you" in text_of(later[0])
            assert later[0]["To"].addresses[0].display_name == name
            assert "Dave" not in text_of(later[0]), "nor who has it"
            with pytest.raises(Gone) as told:
                accept_invitation(house, token)
            assert told.value.facts == {"name": "Dave"}
    house.clock.forward(days=2)
    house.drain()
    assert len(house.mail.to(address_of("Carol"))) == 2


@pytest.mark.long
def test_renewing_a_seats_link_never_lets_an_ended_claim_take_the_seat(house: House, match_id: str) -> None:
    found = ask_for_seat(house, match_id)
    accept_invitation(house, found["Carol"])
    for _ in range(len(found) + 1):
        seats.renew_link(house.site, house.claim("play", match_id, 2, row_of_seat(house, match_id).epoch))
        for name, token in found.items():
            with pytest.raises(Unauthorized if name == "Carol" else Gone):
                accept_invitation(house, token)
    assert row_of_seat(house, match_id).name == "Carol"


@pytest.mark.long
@pytest.mark.parametrize("times", [1, 2])
def test_a_renewed_link_ends_all_invitations_of_the_seated_player(house: House, match_id: str, times: int) -> None:
    found = ask_for_seat(house, match_id, ["Carol", "Dave"][:times])
    token = join_link(house, match_id)
    claim_seat(house, token, "Carol")
    latest = house.site.tokens.sign(InvitationClaim(match_id, 2, row_of_seat(house, match_id).epoch))
    accept_invitation(house, latest)
    assert accept_invitation(house, latest) == (match_id, 2), "pressing twice is pressing once"
    seats.renew_link(house.site, house.claim("play", match_id, 2, row_of_seat(house, match_id).epoch))
    for old in (found["Carol"], latest):
        with pytest.raises(Unauthorized):
            accept_invitation(house, old)


def test_claiming_again_within_ten_minutes_of_a_links_mail_mails_later(house: House, match_id: str) -> None:
    ask_for_seat(house, match_id, ("Carol", "Dave", "Carol"))
    house.drain()
    sent = len(house.mail.to(address_of("Carol")))
    newest = ask_for_seat(house, match_id, ("Dave", "Carol"))["Carol"]
    house.drain()
    assert len(house.mail.to(address_of("Carol"))) == sent, "there are ten minutes between two such mails"
    house.clock.forward(minutes=10)
    house.drain()
    (last,) = house.mail.to(address_of("Carol"))[sent:]
    assert newest in text_of(last)


def test_declining_or_muting_an_earlier_claim_is_shown_and_may_be_repeated(house: House, match_id: str) -> None:
    found = ask_for_seat(house, match_id, FIVE[:3])
    carol, dave = (house.tokens.read(InvitationClaim, found[name]) for name in FIVE[:2])
    for _ in range(2):
        assert matches.decline_invitation(house.site, carol) == match_id
        assert seats.read_seat(house.site, carol).status == "declined"
    with pytest.raises(Gone, match="declined"):
        accept_invitation(house, found["Carol"])
    mute = house.tokens.read(MuteClaim, house.site.tokens.sign(MuteClaim(match_id, 2, dave.epoch)))
    for _ in range(2):
        seats.mute(house.site, mute, muted=True)
        assert seats.read_seat(house.site, mute).muted
    assert not row_of_seat(house, match_id).muted, "the seat is another's"
    seats.mute(house.site, mute, muted=False)
    assert accept_invitation(house, found["Dave"]) == (match_id, 2)


def test_declining_a_claim_leaves_the_claims_of_others(house: House, match_id: str) -> None:
    found = ask_for_seat(house, match_id)
    for name in ("Carol", "Gus"):  # an earlier claim, and the last
        matches.decline_invitation(house.site, house.tokens.read(InvitationClaim, found[name]))
    with pytest.raises((Gone, Unauthorized)):
        accept_invitation(house, found["Carol"])
    assert accept_invitation(house, found["Erin"]) == (match_id, 2)
    house.drain()
    told = [name for name in FIVE if "displaced" in [kind_of(mail) for mail in house.mail.to(address_of(name))]]
    assert told == ["Dave", "Fanny"]


@pytest.mark.long
@pytest.mark.parametrize("how", ["open", "fill", "name"])
def test_claimants_of_a_seat_the_organiser_gives_away_get_a_mail(house: House, match_id: str, how: str) -> None:
    found = ask_for_seat(house, match_id, FIVE[:3])
    organiser = house.claim("play", match_id, 0)
    if how == "open":
        joining.open_seat(house.site, organiser, 2)
    elif how == "fill":
        joining.fill_with_bot(house.site, organiser, 2, "random")
    else:
        matches.invite_to_untaken_seat(house.site, organiser, 2, invitee("Zoe"))
    house.drain()
    for name, token in found.items():
        assert "displaced" in [kind_of(mail) for mail in house.mail.to(address_of(name))]
        with pytest.raises(Gone):
            accept_invitation(house, token)


def test_an_invitee_replaced_before_being_mailed_gets_no_mail_at_all(house: House, match_id: str) -> None:
    for name in ("Zoe", "Yann"):
        matches.invite_to_untaken_seat(house.site, house.claim("play", match_id, 0), 1, invitee(name))
        house.drain()
    assert not house.mail.to("bob@example.org")
    assert [kind_of(mail) for mail in house.mail.to(address_of("Zoe"))][1:] == ["displaced"]


@pytest.mark.long
def test_an_earlier_claim_keeps_its_language_but_not_a_name_taken_since(house: House) -> None:
    match_id = inviting(house, OpenSeat(), OpenSeat())
    first = house.tokens.read(OpeningClaim, join_link(house, match_id, 1))
    joining.claim_seat(house.site, first, Invitee("Sam", "sam@example.org"), "en", "Asia/Tokyo")
    token = valid_invitation(house, match_id, 1)
    joining.claim_seat(house.site, first, Invitee("Carol", "carol@example.org"), "fr", "Europe/Paris")
    claimed = house.tokens.read(InvitationClaim, token)
    assert seats.language_and_zone(house.site, claimed) == ("en", "Asia/Tokyo")
    joining.take_seat_at_once(
        house.site, house.tokens.read(OpeningClaim, join_link(house, match_id, 2)), verify_address(house, "Dave"), "Sam"
    )
    assert accept_invitation(house, token) == (match_id, 1)
    assert match_views.read_sheet(house.site, match_id, None).names == ("Alice", "(B)", "Sam")


def test_an_old_join_link_says_why_it_ended_and_an_unknown_one_does_not(house: House) -> None:
    ended = []
    for number in range(3):
        match_id = inviting(house, OpenSeat(), BotSeat("random"))
        old = join_link(house, match_id, 1)
        joining.open_seat(house.site, house.claim("play", match_id, 0), 1)
        if number == 1:
            joining.take_seat_at_once(
                house.site,
                house.tokens.read(OpeningClaim, join_link(house, match_id, 1)),
                verify_address(house, "Carol"),
                "Carol",
            )
        if number == 2:
            matches.cancel_or_leave_match(house.site, house.claim("play", match_id, 0))
        ended.append(old)
    for act in (
        partial(joining.read_open_seat, house.site),
        lambda opening: joining.claim_seat(house.site, opening, invitee("Dave"), "en", "Asia/Tokyo"),
        lambda opening: joining.take_seat_at_once(house.site, opening, verify_address(house, "Erin"), "Erin"),
    ):
        for old, words in zip(ended, ("new link", "has begun", "called off"), strict=True):
            with pytest.raises(Gone, match=words):
                act(house.tokens.read(OpeningClaim, old))
        with pytest.raises(NotFound, match="no such match any more"):
            act(house.tokens.read(OpeningClaim, house.token("join", "f" * 24, 1, 1)))
        with pytest.raises(Unauthorized):
            act(house.tokens.read(OpeningClaim, house.token("join", match_id, 0, 1)))


@pytest.mark.long
def test_joining_sets_the_language_and_zone_of_new_players_only(house: House, match_id: str) -> None:
    verify_address(house, "Dave")
    with house.site.writing() as session:
        session.exec(select(Player).where(Player.canonical == "dave@example.org")).one().language = "fr"
    for name in ("Carol", "Dave"):
        claim_seat(house, join_link(house, match_id), name)
    with house.site.reading() as session:
        found = {
            (p.canonical or "").partition("@")[0]: (p.language, p.zone) for p in session.exec(select(Player)).all()
        }
    assert found["carol"] == ("en", "Asia/Tokyo")
    assert found["dave"] == ("fr", "Europe/Paris")


def test_a_join_link_takes_claims_until_the_seat_is_taken_then_names_who(house: House, match_id: str) -> None:
    token = join_link(house, match_id)
    claim_seat(house, token, "Charlie")
    former = valid_invitation(house, match_id)
    claim_seat(house, token, "Carol")
    assert join_link(house, match_id) == token
    matches.accept_invitation(
        house.site, house.tokens.read(InvitationClaim, valid_invitation(house, match_id)), *READER
    )
    assert row_of_seat(house, match_id).name == "Carol"
    for act in (matches.accept_invitation, matches.decline_invitation, seats.read_seat):
        reader = READER if act is matches.accept_invitation else ()
        with pytest.raises(Gone) as told:
            act(house.site, house.tokens.read(InvitationClaim, former), *reader)
        assert told.value.facts == {"name": "Carol"}, "whoever comes too late learns who has the seat"
    with pytest.raises(Gone):
        claim_seat(house, token, "Dave")
    assert joining.read_open_seat(house.site, house.tokens.read(OpeningClaim, token)).how == "taken"
    assert joining.join_tokens_for_organiser(house.site, match_id, 0) == {}


@pytest.mark.long
def test_claiming_twice_for_one_address_sends_one_mail_and_keeps_its_link(house: House, match_id: str) -> None:
    token = join_link(house, match_id)
    claim_seat(house, token, "Carol")
    first = valid_invitation(house, match_id)
    claim_seat(house, token, "Carol")
    assert valid_invitation(house, match_id) == first
    house.drain()
    assert len(house.mail.to("carol@example.org")) == 1


@pytest.mark.long
def test_claiming_again_after_another_claim_mails_the_valid_invitation(house: House, match_id: str) -> None:
    token = join_link(house, match_id)
    for name in ("Carol", "Charlie"):
        claim_seat(house, token, name)
        house.drain()
    claim_seat(house, token, "Carol")
    house.drain()
    last = house.mail.to("carol@example.org")[-1].get_body(("plain",))
    assert last is not None
    assert valid_invitation(house, match_id) in last.get_content()
    assert len(house.mail.to("carol@example.org")) == 2


@pytest.mark.long
def test_claiming_again_after_requesting_links_mails_in_ten_minutes(house: House, match_id: str) -> None:
    token = join_link(house, match_id)
    for name in ("Carol", "Charlie"):
        claim_seat(house, token, name)
        house.drain()
    players.request_links(house.site, "carol@example.org")
    house.drain()
    claim_seat(house, token, "Carol")
    house.drain()
    assert len(house.mail.to("carol@example.org")) == 2
    house.clock.forward(minutes=10)
    house.drain()
    last = house.mail.to("carol@example.org")[-1].get_body(("plain",))
    assert last is not None
    assert valid_invitation(house, match_id) in last.get_content()
    assert len(house.mail.to("carol@example.org")) == 3


@pytest.mark.long
def test_claiming_for_a_seated_player_reveals_nothing_and_gives_no_seat(house: House, match_id: str) -> None:
    matches.accept_invitation(house.site, house.claim("invitation", match_id, 1), *READER)
    house.drain()
    before = len(house.mail.to("bob@example.org"))
    bob_again = Invitee("Robert", "BOB@example.org")
    assert joining.claim_seat(
        house.site, house.tokens.read(OpeningClaim, join_link(house, match_id)), bob_again, "en", "Asia/Tokyo"
    ) == (match_id, 2)
    seat = match_views.read_sheet(house.site, match_id, None).seats[2]
    assert (seat.name, seat.status) == ("Robert", "invited")
    house.drain()
    assert len(house.mail.to("bob@example.org")) == before + 1  # the player's links, which show what has happened
    with pytest.raises(Gone):
        matches.accept_invitation(
            house.site, house.tokens.read(InvitationClaim, valid_invitation(house, match_id)), *READER
        )
    assert match_views.read_sheet(house.site, match_id, None).status == "inviting"


@pytest.mark.long
def test_after_a_claimant_declines_the_join_link_works_for_another(house: House, match_id: str) -> None:
    token = join_link(house, match_id)
    claim_seat(house, token, "Charlie")
    matches.decline_invitation(house.site, house.tokens.read(InvitationClaim, valid_invitation(house, match_id)))
    assert joining.read_open_seat(house.site, house.tokens.read(OpeningClaim, token)).how == "free"
    claim_seat(house, token, "Carol")
    matches.accept_invitation(
        house.site, house.tokens.read(InvitationClaim, valid_invitation(house, match_id)), *READER
    )
    matches.cancel_or_leave_match(house.site, house.claim("play", match_id, 2, row_of_seat(house, match_id).epoch))
    claim_seat(house, token, "Dave")
    assert row_of_seat(house, match_id).name == "Dave"


@pytest.mark.long
def test_a_claim_under_a_taken_name_is_refused(house: House, match_id: str) -> None:
    with pytest.raises(Invalid):
        claim_seat(house, join_link(house, match_id), "bob")
    assert (row_of_seat(house, match_id).status, row_of_seat(house, match_id).name) == ("open", "?")


def test_joining_takes_only_a_join_link_and_a_join_link_only_joins(house: House, match_id: str) -> None:
    token = join_link(house, match_id)
    for other in (house.token("play", match_id, 0), house.token("invitation", match_id, 1), "", "x", token[:-1]):
        with pytest.raises(Unauthorized):
            claim_seat(house, other, "Carol")
    for never_made in (house.token("join", match_id, 1, 1), house.token("join", match_id, 2, 3)):
        with pytest.raises(Unauthorized):
            claim_seat(house, never_made, "Carol")
    with pytest.raises(Unauthorized):
        seats.read_play(house.site, house.tokens.read(PlayClaim, token))
    with pytest.raises(Unauthorized):
        matches.accept_invitation(
            house.site, house.tokens.read(InvitationClaim, valid_invitation(house, match_id)), *READER
        )


@pytest.mark.long
def test_nobody_joins_before_the_organiser_confirms_or_after_they_withdraw(house: House) -> None:
    match_id = matches.create_match(house.site, STRANGER, NewMatch("hogen", [ALICE, BOB, OpenSeat()]))
    token = join_link(house, match_id)
    with pytest.raises(Gone):
        claim_seat(house, token, "Carol")
    matches.confirm_match(house.site, house.claim("confirm", match_id, 0), *READER)
    matches.cancel_or_leave_match(house.site, house.claim("play", match_id, 0))
    with pytest.raises(Gone):
        claim_seat(house, token, "Carol")
    assert joining.read_open_seat(house.site, house.tokens.read(OpeningClaim, token)).how == "cancelled"


def test_a_new_match_whose_first_seat_is_open_is_refused(house: House) -> None:
    with pytest.raises(Invalid):
        matches.create_match(house.site, STRANGER, NewMatch("hogen", [OpenSeat(), ALICE, BOB]))


@pytest.mark.long
def test_claims_by_a_join_link_do_not_count_as_the_organisers_invitations(house_with_caps: House) -> None:
    house = house_with_caps
    match_id = inviting(house, BOB, OpenSeat())
    token = join_link(house, match_id)
    for number in range(50):
        joining.claim_seat(
            house.site,
            house.tokens.read(OpeningClaim, token),
            Invitee(f"C {number}", f"c{number}@example.org"),
            "en",
            "Asia/Tokyo",
        )
    for address in ("c51@example.org", "bob@example.org"):
        with pytest.raises(TooMany, match="asked for a seat here today"):
            joining.claim_seat(
                house.site, house.tokens.read(OpeningClaim, token), Invitee("C 51", address), "en", "Asia/Tokyo"
            )
    organiser = house.token("play", match_id, 0)
    for number in range(49):  # Bob is the first of fifty
        who = Invitee(f"D {number}", f"d{number}@example.org")
        matches.invite_to_untaken_seat(house.site, house.tokens.read(PlayClaim, organiser), 1, who)
    with pytest.raises(TooMany, match="invited many people today"):
        matches.invite_to_untaken_seat(
            house.site, house.tokens.read(PlayClaim, organiser), 1, Invitee("D 50", "d50@example.org")
        )


# --- signed in -----------------------------------------------------------------------------------------------


def test_a_signed_in_player_sits_down_at_once_even_if_they_press_twice(house: House, match_id: str) -> None:
    matches.accept_invitation(house.site, house.claim("invitation", match_id, 1), *READER)
    token, carol = join_link(house, match_id), verify_address(house, "Carol")
    for _ in range(2):
        assert joining.take_seat_at_once(house.site, house.tokens.read(OpeningClaim, token), carol, "Carol") == (
            match_id,
            2,
        )
    sheet = match_views.read_sheet(house.site, match_id, None)
    assert (sheet.status, sheet.names) == ("running", ("Alice", "Bob", "Carol"))
    with pytest.raises(Gone):
        joining.take_seat_at_once(
            house.site, house.tokens.read(OpeningClaim, token), verify_address(house, "Dave"), "Dave"
        )


@pytest.mark.long
def test_a_player_cannot_take_a_second_seat_at_the_same_table(house: House) -> None:
    match_id = inviting(house, OpenSeat(), OpenSeat())
    carol = verify_address(house, "Carol")
    joining.take_seat_at_once(
        house.site, house.tokens.read(OpeningClaim, join_link(house, match_id, 1)), carol, "Carol"
    )
    with pytest.raises(Gone):
        joining.take_seat_at_once(
            house.site, house.tokens.read(OpeningClaim, join_link(house, match_id, 2)), carol, "Caroline"
        )


@pytest.mark.long
def test_of_two_players_taking_an_open_seat_at_once_one_gets_it(house: House) -> None:
    people = [(verify_address(house, name), name) for name in ("Carol", "Dave")]
    for _ in range(ROUNDS):
        match_id = inviting(house, BOB, OpenSeat())
        opening = house.tokens.read(OpeningClaim, join_link(house, match_id))
        results = at_once(*(partial(joining.take_seat_at_once, house.site, opening, *one) for one in people))
        assert sorted(type(result).__name__ for result in results) == ["Gone", "tuple"]
        seat = row_of_seat(house, match_id)
        assert (seat.player_id, seat.name) == people[results.index((match_id, 2))]


def test_a_claim_and_the_acceptance_of_an_earlier_one_never_both_win(house: House) -> None:
    for _ in range(ROUNDS):
        match_id = inviting(house, BOB, OpenSeat())
        token = join_link(house, match_id)
        claim_seat(house, token, "Carol")
        accepting = partial(
            matches.accept_invitation,
            house.site,
            house.tokens.read(InvitationClaim, valid_invitation(house, match_id)),
            *READER,
        )
        accepted, claimed = at_once(accepting, partial(claim_seat, house, token, "Dave"))
        seat = row_of_seat(house, match_id)
        won = isinstance(accepted, tuple)
        assert won or isinstance(accepted, Busy)
        assert won or isinstance(claimed, tuple)
        assert (seat.name, seat.status) == (("Carol", "accepted") if won else ("Dave", "invited"))


# --- the organiser -------------------------------------------------------------------------------------------


def test_the_organiser_can_open_a_seat_whose_invitee_does_not_answer(house: House, match_id: str) -> None:
    silent = house.token("invitation", match_id, 1)
    joining.open_seat(house.site, house.claim("play", match_id, 0), 1)
    with pytest.raises(Gone, match="no longer kept for you"):
        matches.accept_invitation(house.site, house.tokens.read(InvitationClaim, silent), *READER)
    claim_seat(house, join_link(house, match_id, 1), "Dave")
    matches.accept_invitation(
        house.site, house.tokens.read(InvitationClaim, valid_invitation(house, match_id, 1)), *READER
    )
    assert match_views.read_sheet(house.site, match_id, None).names[1] == "Dave"


def test_opening_an_open_seat_again_makes_a_new_link_and_ends_the_old_one(house: House, match_id: str) -> None:
    old = join_link(house, match_id)
    joining.open_seat(house.site, house.claim("play", match_id, 0), 2)
    with pytest.raises(Gone, match="new link"):
        claim_seat(house, old, "Carol")
    assert claim_seat(house, join_link(house, match_id), "Carol") == (match_id, 2)


def test_inviting_somebody_to_an_open_seat_ends_its_link(house: House, match_id: str) -> None:
    old = join_link(house, match_id)
    matches.invite_to_untaken_seat(house.site, house.claim("play", match_id, 0), 2, invitee("Carol"))
    with pytest.raises(Gone, match="went to somebody else"):
        claim_seat(house, old, "Dave")
    assert joining.join_tokens_for_organiser(house.site, match_id, 0) == {}
    matches.accept_invitation(
        house.site, house.tokens.read(InvitationClaim, valid_invitation(house, match_id)), *READER
    )


def test_the_organiser_can_fill_unanswered_seats_with_bots_to_begin(house: House, match_id: str) -> None:
    play, old = house.token("play", match_id, 0), join_link(house, match_id)
    joining.fill_with_bot(house.site, house.tokens.read(PlayClaim, play), 2, "greedy")
    assert match_views.read_sheet(house.site, match_id, None).status == "inviting"
    joining.fill_with_bot(house.site, house.tokens.read(PlayClaim, play), 1, "random")
    sheet = match_views.read_sheet(house.site, match_id, None)
    assert sheet.status == "running"
    assert [seat.bot for seat in sheet.seats] == [None, "random", "greedy"]
    assert len(set(sheet.names)) == 3, "bots have names of their own"
    assert {*sheet.names[1:]} <= {*sheet.game.meta.bot_names}
    assert play_quick_bots(house.site) == 2
    with pytest.raises(Gone, match="has begun"):
        claim_seat(house, old, "Carol")
    with pytest.raises(Gone):
        matches.accept_invitation(house.site, house.claim("invitation", match_id, 1), *READER)


@pytest.mark.long
def test_a_bot_gives_up_its_name_to_a_player_claiming_under_it(house: House) -> None:
    match_id = inviting(house, BotSeat("greedy"), OpenSeat(), OpenSeat())

    def bot() -> str:
        return row_of_seat(house, match_id, 1).name

    first = bot()
    claim_seat(house, join_link(house, match_id), first)
    assert row_of_seat(house, match_id).name == first != bot()
    second = bot()
    matches.invite_to_untaken_seat(
        house.site, house.claim("play", match_id, 0), 3, Invitee(second.upper(), "e@example.org")
    )
    sheet = match_views.read_sheet(house.site, match_id, None)
    assert sheet.names[2:] == (first, second.upper())
    assert sheet.names[1] in {*sheet.game.meta.bot_names} - {first, second}
    with pytest.raises(Invalid, match="Two players"):
        matches.invite_to_untaken_seat(house.site, house.claim("play", match_id, 0), 3, Invitee(first, "e@example.org"))


@cases("one, other", [("mem O", "Mem0"), ("Alice B", "АliceB")])
def test_creating_joining_and_inviting_refuse_a_name_like_anothers(house: House, one: str, other: str) -> None:
    match_id = inviting(house, Invitee(one, "bob@example.org"), OpenSeat())
    opening = house.tokens.read(OpeningClaim, join_link(house, match_id))
    play = house.claim("play", match_id, 0)
    for act in (
        lambda: joining.claim_seat(house.site, opening, Invitee(other, "carol@example.org"), "en", "Asia/Tokyo"),
        lambda: joining.take_seat_at_once(house.site, opening, verify_address(house, "Dave"), other),
        lambda: matches.invite_to_untaken_seat(house.site, play, 2, Invitee(other, "erin@example.org")),
        lambda: inviting(house, Invitee(one, "bob@example.org"), Invitee(other, "carol@example.org")),
    ):
        with pytest.raises(Invalid, match="Please choose another name"):
            act()
    assert (row_of_seat(house, match_id).status, row_of_seat(house, match_id).name) == ("open", "?")


def test_who_was_invited_without_a_name_may_not_take_one_like_anothers(house: House) -> None:
    match_id = inviting(house, Invitee("Mem0", "bob@example.org"), Unnamed("carol@example.org"))
    claim = house.claim("invitation", match_id, 2)
    with pytest.raises(Invalid, match="Please choose another name"):
        matches.accept_invitation(house.site, claim, *READER, name="mem O")
    matches.accept_invitation(house.site, claim, *READER, name="Carol")
    assert row_of_seat(house, match_id).name == "Carol"


def test_a_bot_gives_up_a_name_that_looks_like_a_claimants(house: House) -> None:
    match_id = inviting(house, BotSeat("greedy"), OpenSeat())
    first = row_of_seat(house, match_id, 1).name
    claim_as = Invitee(" ".join(first), "carol@example.org")
    joining.claim_seat(
        house.site, house.tokens.read(OpeningClaim, join_link(house, match_id)), claim_as, "en", "Asia/Tokyo"
    )
    assert row_of_seat(house, match_id, 1).name != first


def test_only_the_organiser_opens_or_fills_seats_and_only_untaken_ones(house: House, match_id: str) -> None:
    matches.accept_invitation(house.site, house.claim("invitation", match_id, 1), *READER)
    alice, bob = house.token("play", match_id, 0), house.token("play", match_id, 1)
    for token, seat, refusal in ((bob, 2, Forbidden), (alice, 1, Gone), (alice, 0, Gone), (alice, 9, NotFound)):
        with pytest.raises(refusal):
            joining.open_seat(house.site, house.tokens.read(PlayClaim, token), seat)
        with pytest.raises(refusal):
            joining.fill_with_bot(house.site, house.tokens.read(PlayClaim, token), seat, "random")
    with pytest.raises(Invalid):
        joining.fill_with_bot(house.site, house.tokens.read(PlayClaim, alice), 2, "deep thought")
    assert row_of_seat(house, match_id).status == "open"


# --- confirmed at once ---------------------------------------------------------------------------------------


@pytest.mark.long
def test_a_signed_in_organiser_confirms_by_creating(house: House) -> None:
    alice = verify_address(house, "Alice")
    match_id = matches.create_match(house.site, alice, NewMatch("hogen", [ALICE, BOB, OpenSeat()]))
    assert match_views.read_sheet(house.site, match_id, None).status == "inviting"
    with house.site.reading() as session:
        kinds = session.exec(select(OutboxRow.kind, OutboxRow.seat).order_by(col(OutboxRow.id))).all()
    assert [tuple(kind) for kind in kinds] == [("invitation", 1)]


@pytest.mark.long
def test_against_bots_alone_a_signed_in_organiser_plays_at_once(house: House) -> None:
    match_id = matches.create_match(
        house.site, verify_address(house, "Alice"), NewMatch("hogen", [ALICE, BotSeat("random"), BotSeat("greedy")])
    )
    assert match_views.read_sheet(house.site, match_id, None).status == "running"


def test_an_organiser_unverified_or_signed_in_as_another_confirms_by_mail(house: House) -> None:
    with house.site.writing() as session:
        unshown = players.find_or_add(session, "alice@example.org", "en", house.clock()).id
    for known in (unshown, verify_address(house, "Bob")):
        match_id = matches.create_match(house.site, known or 0, NewMatch("hogen", [ALICE, BOB, OpenSeat()]))
        assert match_views.read_sheet(house.site, match_id, None).status == "unconfirmed"
