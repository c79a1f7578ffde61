"""From creation to the start, and withdrawal."""

from datetime import timedelta

import pytest

from pbem.errors import Forbidden, Gone, Invalid, NotFound, Stale, TooMany, Unauthorized
from pbem.games import all_games
from pbem.games.hogen import GAME as HOGEN
from pbem.models.tables import Match
from pbem.services.lobby import matches, seating
from pbem.services.lobby.match_request import BotSeat, Invitee, NewMatch, Unnamed
from pbem.services.play import timeouts
from pbem.services.players import players
from pbem.services.tokens import ConfirmClaim, InvitationClaim, PlayClaim
from pbem.services.views import match_views
from pbem.services.who import STRANGER
from tests.harness.cases import cases
from tests.services.letterbox import text_of
from tests.table import CAST, House, address_of, submit_answer


def invitees_of(*pairs: tuple[str, str]) -> list[Invitee]:
    """Returns invitees from names and addresses."""
    return [Invitee(name, address) for name, address in pairs]


GOOD = (("Alice", "alice@example.org"), ("Bob", "bob@example.org"), ("Carol", "carol@example.org"))


@pytest.mark.long
def test_the_test_cast_fills_a_table_of_every_game(house: House) -> None:
    seats, slug = max((max(game.meta.seats), slug) for slug, game in all_games().items())
    match_id = house.begin(seats, slug)
    assert match_views.read_sheet(house.site, match_id, 0).names == CAST[:seats]


def test_a_table_with_more_seats_than_the_cast_is_an_error(house: House) -> None:
    with pytest.raises(ValueError, match="cast"):
        house.create(len(CAST) + 1)


@pytest.mark.long
def test_before_the_organiser_confirms_only_they_get_a_mail(house: House) -> None:
    house.create()
    house.drain()
    assert [to for to, _ in house.mail.all_sent] == ["alice@example.org"]


def test_confirming_invites_the_others_once(house: House) -> None:
    match_id = house.create()
    for _ in range(2):
        assert matches.confirm_match(house.site, house.claim("confirm", match_id, 0), "fr", "Europe/Paris") == match_id
    house.drain()
    assert sorted(to for to, _ in house.mail.all_sent) == ["bob@example.org", "carol@example.org"]


def test_the_match_begins_when_the_last_one_accepts(house: House) -> None:
    match_id = house.create()
    matches.confirm_match(house.site, house.claim("confirm", match_id, 0), "fr", "Europe/Paris")
    matches.accept_invitation(house.site, house.claim("invitation", match_id, 1), "en", "Europe/London")
    assert match_views.read_sheet(house.site, match_id, None).status == "inviting"
    matches.accept_invitation(house.site, house.claim("invitation", match_id, 2), "en", "Europe/London")
    sheet = match_views.read_sheet(house.site, match_id, None)
    assert sheet.status == "running"
    assert [ask.seat for ask in sheet.asks] == [0, 1, 2]
    assert matches.accept_invitation(house.site, house.claim("invitation", match_id, 2), "en", "Europe/London") == (
        match_id,
        2,
    )


def test_a_player_who_declines_is_replaced_and_their_link_is_worth_nothing(house: House) -> None:
    match_id = house.create()
    matches.confirm_match(house.site, house.claim("confirm", match_id, 0), "fr", "Europe/Paris")
    old = house.token("invitation", match_id, 2)
    matches.decline_invitation(house.site, house.tokens.read(InvitationClaim, old))
    house.drain()
    assert len(house.mail.to("alice@example.org")) == 1  # that Carol declined
    play = house.token("play", match_id, 0)
    matches.invite_to_untaken_seat(
        house.site, house.tokens.read(PlayClaim, play), 2, Invitee("Dave", address_of("Dave"))
    )
    with pytest.raises(Gone, match="no longer kept for you"):
        matches.accept_invitation(house.site, house.tokens.read(InvitationClaim, old), "en", "Europe/London")
    matches.accept_invitation(house.site, house.claim("invitation", match_id, 1), "en", "Europe/London")
    matches.accept_invitation(house.site, house.claim("invitation", match_id, 2, epoch=1), "en", "Europe/London")
    assert match_views.read_sheet(house.site, match_id, None).names == ("Alice", "Bob", "Dave")


def test_only_the_organiser_can_invite_a_replacement(house: House) -> None:
    match_id = house.create()
    matches.confirm_match(house.site, house.claim("confirm", match_id, 0), "fr", "Europe/Paris")
    with pytest.raises(Forbidden):
        matches.invite_to_untaken_seat(
            house.site, house.claim("play", match_id, 1), 2, Invitee("Dave", address_of("Dave"))
        )


def test_an_accepted_seat_is_not_given_away(house: House) -> None:
    match_id = house.create()
    matches.confirm_match(house.site, house.claim("confirm", match_id, 0), "fr", "Europe/Paris")
    matches.accept_invitation(house.site, house.claim("invitation", match_id, 2), "en", "Europe/London")
    with pytest.raises(Gone):
        matches.invite_to_untaken_seat(
            house.site, house.claim("play", match_id, 0), 2, Invitee("Dave", address_of("Dave"))
        )


def test_withdrawing_a_match_mails_the_players_who_had_accepted(house: House) -> None:
    match_id = house.create()
    matches.confirm_match(house.site, house.claim("confirm", match_id, 0), "fr", "Europe/Paris")
    matches.accept_invitation(house.site, house.claim("invitation", match_id, 1), "en", "Europe/London")
    matches.cancel_or_leave_match(house.site, house.claim("play", match_id, 0))
    house.drain()
    assert sorted(to for to, _ in house.mail.all_sent) == ["alice@example.org", "bob@example.org"]
    with pytest.raises(Gone):
        matches.accept_invitation(house.site, house.claim("invitation", match_id, 2), "en", "Europe/London")


def test_a_seat_given_up_before_the_start_is_shown_as_declined(house: House) -> None:
    match_id = house.create()
    matches.confirm_match(house.site, house.claim("confirm", match_id, 0), "fr", "Europe/Paris")
    matches.accept_invitation(house.site, house.claim("invitation", match_id, 1), "en", "Europe/London")
    matches.cancel_or_leave_match(house.site, house.claim("play", match_id, 1))
    assert match_views.read_sheet(house.site, match_id, None).seats[1].status == "declined"


def test_a_running_match_cannot_be_withdrawn(house: House) -> None:
    match_id = house.begin()
    with pytest.raises(Gone):
        matches.cancel_or_leave_match(house.site, house.claim("play", match_id, 0))


def test_a_match_that_is_not_filled_lapses_after_fourteen_days(house: House) -> None:
    match_id = house.create()
    matches.confirm_match(house.site, house.claim("confirm", match_id, 0), "fr", "Europe/Paris")
    house.clock.forward(days=14, seconds=-1)
    assert timeouts.cancel_lapsed_matches(house.site) == 0
    house.clock.forward(seconds=1)
    assert timeouts.cancel_lapsed_matches(house.site) == 1
    assert timeouts.cancel_lapsed_matches(house.site) == 0
    assert match_views.read_sheet(house.site, match_id, None).cancelled == "lapsed"


@cases(
    "wanted",
    [
        NewMatch("chess", invitees_of(*GOOD)),
        NewMatch("hogen", invitees_of(*GOOD[:2])),
        NewMatch("hogen", invitees_of(*GOOD, *GOOD)),
        NewMatch("hogen", invitees_of(*GOOD[:2], ("Carol", "not an address"))),
        NewMatch("hogen", invitees_of(*GOOD[:2], ("Carol", "ALICE@example.org"))),
        NewMatch("hogen", invitees_of(*GOOD[:2], ("alice", "carol@example.org"))),
        NewMatch("hogen", invitees_of(*GOOD[:2], ("", "carol@example.org"))),
        NewMatch("hogen", invitees_of(*GOOD[:2], ("C" * 25, "carol@example.org"))),
        NewMatch("hogen", invitees_of(*GOOD[:2], ("www.example.org", "carol@example.org"))),
        NewMatch("hogen", invitees_of(*GOOD[:2], ("http://x", "carol@example.org"))),
        NewMatch("hogen", invitees_of(*GOOD[:2], ("Ca\nrol\u202e", "carol@example.org"))),
        NewMatch("hogen", invitees_of(*GOOD), options={"target": 3}),
        NewMatch("hogen", invitees_of(*GOOD), turn_s=5),
        NewMatch("hogen", invitees_of(*GOOD), turn_s=10**9),
        NewMatch("hogen", invitees_of(*GOOD), language="xx"),
    ],
)
def test_an_impossible_new_match_is_refused_and_mails_nobody(house: House, wanted: NewMatch) -> None:
    with pytest.raises(Invalid):
        matches.create_match(house.site, STRANGER, wanted)
    assert house.drain() == 0


def test_ordinary_player_names_are_accepted(house: House) -> None:
    for name in ("Jean-Luc", "J. R.", "Zoë", "O’Neill", "Алиса", "さくら", "Dr. No"):
        assert players.normalise_name(f" {name} ") == name


def test_an_unknown_zone_or_language_is_refused(house: House) -> None:
    match_id = house.create()
    for language, zone in (("fr", "Mars/Olympus"), ("xx", "Europe/Paris"), ("fr", "../etc/passwd")):
        with pytest.raises(Invalid):
            matches.confirm_match(house.site, house.claim("confirm", match_id, 0), language, zone)


def test_only_the_current_confirm_link_confirms_a_match(house: House) -> None:
    match_id = house.create()
    play = house.token("play", match_id, 0)
    for token in (play, "", "x", play[:-1], house.token("confirm", match_id, 0, epoch=1), "\udcff"):
        with pytest.raises(Unauthorized):
            matches.confirm_match(house.site, house.tokens.read(ConfirmClaim, token), "fr", "Europe/Paris")


@pytest.mark.long
def test_requested_links_are_mailed_once_in_ten_minutes_to_known_addresses(house: House) -> None:
    house.begin()
    house.drain()
    before = len(house.mail.all_sent)
    players.request_links(house.site, "charlie@example.org")
    players.request_links(house.site, "BOB@example.org")
    players.request_links(house.site, "bob@example.org")
    house.drain()
    assert [to for to, _ in house.mail.all_sent[before:]] == ["bob@example.org"]


def test_an_account_link_lives_half_an_hour(house: House) -> None:
    house.begin()
    token = house.site.tokens.for_account(1, 0, house.clock())
    assert (
        players.verify_and_read_account(house.site, house.tokens.read_account(token, house.site.now())).address
        == "alice@example.org"
    )
    house.clock.at += timedelta(minutes=30, seconds=1)
    with pytest.raises(Unauthorized):
        players.verify_and_read_account(house.site, house.tokens.read_account(token, house.site.now()))


@pytest.mark.long
def test_an_address_starts_only_a_few_matches_a_day(house_with_caps: House) -> None:
    house = house_with_caps
    for _ in range(2):
        house.begin()
    one_more = house.create()
    with pytest.raises(TooMany) as refused:
        matches.confirm_match(house.site, house.claim("confirm", one_more, 0), "fr", "Europe/Paris")
    assert refused.value.retry_after == 86_401
    assert match_views.read_sheet(house.site, one_more, None).status == "unconfirmed"
    house.clock.forward(days=1, seconds=1)
    matches.confirm_match(house.site, house.claim("confirm", one_more, 0), "fr", "Europe/Paris")


@pytest.mark.long
def test_a_replacement_invitee_is_mailed_in_the_organisers_language(house: House) -> None:
    match_id = house.create(language="fr")
    matches.confirm_match(house.site, house.claim("confirm", match_id, 0), "en", "Europe/London")
    matches.invite_to_untaken_seat(house.site, house.claim("play", match_id, 0), 2, Invitee("Dave", address_of("Dave")))
    house.drain()
    assert "Alice invites you" in str(house.mail.to("dave@example.org")[0]["Subject"])


@pytest.mark.long
def test_an_invitee_may_be_invited_again_only_until_they_are_replaced(house: House) -> None:
    match_id = house.create()
    matches.confirm_match(house.site, house.claim("confirm", match_id, 0), "fr", "Europe/Paris")
    play = house.token("play", match_id, 0)
    carol, dave = Invitee("Carol", address_of("Carol")), Invitee("Dave", address_of("Dave"))
    house.drain()
    matches.decline_invitation(house.site, house.claim("invitation", match_id, 2))
    matches.invite_to_untaken_seat(
        house.site, house.tokens.read(PlayClaim, play), 2, carol
    )  # she changed her mind: her first link is valid
    matches.accept_invitation(house.site, house.claim("invitation", match_id, 2), "en", "Europe/London")
    matches.cancel_or_leave_match(house.site, house.claim("play", match_id, 2))
    matches.invite_to_untaken_seat(house.site, house.tokens.read(PlayClaim, play), 2, dave)
    with pytest.raises(Invalid):
        matches.invite_to_untaken_seat(house.site, house.tokens.read(PlayClaim, play), 2, carol)
    house.drain()
    assert len([m for m in house.mail.to("carol@example.org") if "invitation" in str(m["Message-ID"])]) == 1


def test_an_organiser_invites_only_a_few_people_a_day(house_with_caps: House) -> None:
    house = house_with_caps
    match_id = house.create()
    matches.confirm_match(house.site, house.claim("confirm", match_id, 0), "fr", "Europe/Paris")
    play = house.token("play", match_id, 0)
    for number in range(48):  # Bob and Carol are the first two of fifty
        matches.invite_to_untaken_seat(
            house.site,
            house.tokens.read(PlayClaim, play),
            2,
            Invitee(f"Dave {number}", f"dave{number}@example.org"),
        )
    with pytest.raises(TooMany):
        matches.invite_to_untaken_seat(
            house.site, house.tokens.read(PlayClaim, play), 2, Invitee("Dave", "dave@example.org")
        )


@cases("name", ["evil․com", "evil。com", "evil.1com", "a.b"])
def test_a_name_that_a_mail_program_might_make_a_link_of_is_refused(name: str) -> None:
    with pytest.raises(Invalid):
        players.normalise_name(name)


def test_ids_that_no_database_can_hold_are_unknown_ids(house: House) -> None:
    match_id = house.begin()
    for bad in ("\x00", "\ud800", "x" * 300, ""):
        with pytest.raises(NotFound):
            match_views.read_sheet(house.site, bad, None)
        with pytest.raises(Stale):
            submit_answer(house.site, match_id, 0, bad, house.view(match_id, 0).legal()[0], "api")


@pytest.mark.long
def test_the_mail_to_confirm_a_match_marks_the_bots(house: House) -> None:
    alice, bob = invitees_of(*GOOD[:2])
    wanted = NewMatch("hogen", [alice, BotSeat("random"), bob, BotSeat("random")], language="en")
    match_id = matches.create_match(house.site, STRANGER, wanted)
    _, first, _, last = match_views.read_sheet(house.site, match_id, 0).names
    house.drain()
    (mail,) = house.mail.to(address_of("Alice"))
    assert f"with {first} (bot), Bob and {last} (bot)." in text_of(mail)


def test_no_bot_is_called_like_a_person_or_another_bot(house: House) -> None:
    match_id, own = house.create(), HOGEN.meta.bot_names
    with house.site.reading() as session:
        match = session.get_one(Match, match_id)
        at = own.index(seating.choose_bot_name(match, []))
        following = own[at + 1 :] + own[:at]
        assert seating.choose_bot_name(match, [own[at].upper(), following[0]]) == following[1]
        assert seating.choose_bot_name(match, [], wish=following[4]) == following[4]
        assert seating.choose_bot_name(match, [own[at]], wish=own[at]) == following[0]
        assert seating.choose_bot_name(match, [], wish="Carol") == own[at]
        assert seating.choose_bot_name(match, own) == f"{own[at]} 2"


def test_an_unnamed_organiser_or_one_address_for_two_unnamed_is_refused(house: House) -> None:
    organiser = Invitee("Alice", address_of("Alice"))
    others = [Unnamed("bob@example.org"), Unnamed("carol@example.org")]
    with pytest.raises(Invalid):
        matches.create_match(house.site, STRANGER, NewMatch("hogen", [Unnamed("alice@example.org"), *others]))
    match_id = matches.create_match(house.site, STRANGER, NewMatch("hogen", [organiser, *others]))
    assert match_views.read_sheet(house.site, match_id, 0).names == ("Alice", "(B)", "(C)")
    with pytest.raises(Invalid):
        matches.create_match(
            house.site, STRANGER, NewMatch("hogen", [organiser, others[0], Unnamed("BOB@example.org")])
        )
