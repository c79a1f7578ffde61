"""Lucky words: committed to before others type theirs, fixed at the start, seen by their owners alone."""

from __future__ import annotations

import pytest

from pbem.errors import Invalid, Unauthorized
from pbem.kit.logs.chain import commit, hash_word, word_from_seed
from pbem.models.tables import Match, OutboxRow, SeatRow
from pbem.services.lobby import joining, lucky_words, matches, rematches
from pbem.services.lobby.match_request import BotSeat, Invitee, NewMatch, OpenSeat
from pbem.services.log import proofs
from pbem.services.mail.claims import Claimed
from pbem.services.mail.letter_context import LetterContext, Reader
from pbem.services.players import players
from pbem.services.privacy import erasure
from pbem.services.tokens import OpeningClaim
from pbem.services.views import match_views
from pbem.services.who import STRANGER
from tests.harness.cases import cases
from tests.services.play.stage.presence import miss_turns
from tests.services.play.stage.races import at_once
from tests.services.play.stage.substitutes import take_over
from tests.table import House, address_of

READER = ("en", "Europe/London")
ALICE, BOB, CAROL = (Invitee(name, address_of(name)) for name in ("Alice", "Bob", "Carol"))


def match_in_database(house: House, match_id: str) -> Match:
    """The match as the database has it."""
    with house.site.reading() as session:
        found = session.get_one(Match, match_id)
        session.expunge(found)
    return found


def seat_of(house: House, match_id: str, seat: int) -> SeatRow:
    """The seat as the database has it."""
    with house.site.reading() as session:
        found = session.get_one(SeatRow, (match_id, seat))
        session.expunge(found)
    return found


def word_of_seat(house: House, match_id: str, seat: int) -> str:
    """The word of the seat if nobody types one."""
    return word_from_seed(match_in_database(house, match_id).seed, seat)


def inviting(house: House, *others: Invitee | BotSeat | OpenSeat, word: str | None = None) -> str:
    """A match that Alice has confirmed."""
    match_id = matches.create_match(house.site, STRANGER, NewMatch("hogen", [ALICE, *others], language="en", word=word))
    matches.confirm_match(house.site, house.claim("confirm", match_id, 0), *READER)
    return match_id


def player_of(house: House, name: str) -> int:
    """A player who has verified their address."""
    with house.site.writing() as work:
        player = players.find_or_add(work, address_of(name), "en", house.site.now())
        player.verified_at = house.site.now()
        assert player.id is not None
        return player.id


def accept_seat(house: House, match_id: str, seat: int, word: str | None = None) -> None:
    """The player of the seat accepts."""
    claim = house.claim("invitation", match_id, seat, seat_of(house, match_id, seat).epoch)
    matches.accept_invitation(house.site, claim, *READER, word=word)


def hashes_of_words(house: House, match_id: str) -> tuple[str, ...]:
    """The hashes of the match's words."""
    return proofs.word_hashes(match_in_database(house, match_id))


def test_the_commitment_to_seed_and_organisers_lucky_word_never_changes(house: House) -> None:
    match_id = inviting(house, BOB, CAROL, word="  Abricot ROUGE ")
    match = match_in_database(house, match_id)
    assert seat_of(house, match_id, 0).word == "abricot rouge"
    assert match.commitment == commit(match_id, match.seed, hash_word("abricot rouge"))
    accept_seat(house, match_id, 1, "plum")
    accept_seat(house, match_id, 2)
    assert match_in_database(house, match_id).commitment == match.commitment
    wanted = (hash_word("abricot rouge"), hash_word("plum"), hash_word(word_of_seat(house, match_id, 2)))
    assert hashes_of_words(house, match_id) == wanted


def test_without_a_lucky_word_the_commitment_covers_one_from_the_seed(house: House) -> None:
    match = match_in_database(house, house.create(word="  "))
    assert match.commitment == commit(match.id, match.seed, hash_word(word_from_seed(match.seed, 0)))
    assert seat_of(house, match.id, 0).word is None


@pytest.mark.long
def test_a_lucky_word_is_hidden_until_the_match_begins_then_shown_hashed(house: House) -> None:
    match_id = inviting(house, BOB, CAROL, word="abricot")
    accept_seat(house, match_id, 1, "plum")
    for viewer in (0, 1, 2, None):
        sheet = match_views.read_sheet(house.site, match_id, viewer)
        assert (sheet.words, sheet.mark, sheet.head, sheet.typed) == (None, None, None, None)
    accept_seat(house, match_id, 2)
    for viewer in (0, 1, 2, None):
        sheet = match_views.read_sheet(house.site, match_id, viewer)
        assert sheet.words == hashes_of_words(house, match_id)
        assert sheet.typed == (0, 1)


@pytest.mark.long
def test_the_luck_depends_on_every_seats_lucky_word(house: House) -> None:
    keys = set()
    for word in (None, "plum", "pear"):
        match_id = inviting(house, BOB, CAROL)
        accept_seat(house, match_id, 1)
        accept_seat(house, match_id, 2, word)
        match = match_in_database(house, match_id)
        match.id, match.seed = "0", bytes(32)
        keys.add(proofs.keys_of(match).luck)
    assert len(keys) == 3


@pytest.mark.long
def test_typing_the_proposed_lucky_word_counts_as_typing_none(house: House) -> None:
    match_id = inviting(house, BOB, CAROL)
    accept_seat(house, match_id, 1, word_of_seat(house, match_id, 1).upper())
    accept_seat(house, match_id, 2, word_of_seat(house, match_id, 1))
    assert seat_of(house, match_id, 1).word is None
    assert seat_of(house, match_id, 2).word == word_of_seat(house, match_id, 1), "it is another seat's"
    assert match_views.read_sheet(house.site, match_id, None).typed == (2,)


@pytest.mark.long
@cases("word", ["x" * 41, "a\u200bb", "a\x00b", "\u202etxet", "ﷺ" * 3])
def test_a_lucky_word_too_long_or_invisible_is_refused_without_effect(house: House, word: str) -> None:
    match_id = inviting(house, BOB, OpenSeat())
    opening = house.tokens.read(OpeningClaim, joining.join_tokens_for_organiser(house.site, match_id, 0)[2])
    with pytest.raises(Invalid):
        accept_seat(house, match_id, 1, word)
    with pytest.raises(Invalid):
        joining.take_seat_at_once(house.site, opening, player_of(house, "Carol"), "Carol", word=word)
    with pytest.raises(Invalid):
        matches.create_match(house.site, STRANGER, NewMatch("hogen", [ALICE, BOB, CAROL], word=word))
    assert [seat_of(house, match_id, seat).status for seat in (1, 2)] == ["invited", "open"]


def test_a_lucky_word_of_forty_characters_is_stored(house: House) -> None:
    match_id = inviting(house, BOB, CAROL, word="é" * 40)
    assert seat_of(house, match_id, 0).word == "é" * 40


def test_the_lucky_word_of_a_player_giving_up_their_seat_is_dropped(house: House) -> None:
    match_id = inviting(house, BOB, CAROL)
    accept_seat(house, match_id, 1, "plum")
    matches.cancel_or_leave_match(house.site, house.claim("play", match_id, 1))
    assert seat_of(house, match_id, 1).word is None
    matches.invite_to_untaken_seat(house.site, house.claim("play", match_id, 0), 1, Invitee("Dave", address_of("Dave")))
    accept_seat(house, match_id, 1)
    accept_seat(house, match_id, 2, "pear")
    assert hashes_of_words(house, match_id)[1] == hash_word(word_of_seat(house, match_id, 1))


def test_taking_an_open_seat_at_once_stores_the_typed_lucky_word(house: House) -> None:
    match_id = inviting(house, BOB, OpenSeat())
    opening = house.tokens.read(OpeningClaim, joining.join_tokens_for_organiser(house.site, match_id, 0)[2])
    joining.take_seat_at_once(house.site, opening, player_of(house, "Carol"), "Carol", word="plum")
    accept_seat(house, match_id, 1)
    assert hashes_of_words(house, match_id)[2] == hash_word("plum")


def test_a_lucky_word_stored_before_a_seat_is_taken_is_ignored(house: House) -> None:
    match_id = inviting(house, BOB, CAROL)
    with house.site.writing() as work:  # as a request for the seat once left it there
        work.get_one(SeatRow, (match_id, 1)).word = "plum"
    invited = house.claim("invitation", match_id, 1)
    assert lucky_words.read_proposed_word(house.site, invited) == word_of_seat(house, match_id, 1)
    accept_seat(house, match_id, 1)
    accept_seat(house, match_id, 2)
    assert hashes_of_words(house, match_id)[1] == hash_word(word_of_seat(house, match_id, 1))


@pytest.mark.parametrize("how", ["open", "bot", "another"])
def test_a_seat_given_to_another_player_or_bot_loses_its_lucky_word(house: House, how: str) -> None:
    match_id = inviting(house, BOB, OpenSeat())
    with house.site.writing() as work:  # as above
        work.get_one(SeatRow, (match_id, 2)).word = "plum"
    organiser = house.claim("play", match_id, 0)
    if how == "open":
        joining.open_seat(house.site, organiser, 2)
    elif how == "bot":
        joining.fill_with_bot(house.site, organiser, 2, "random")
    else:
        matches.invite_to_untaken_seat(house.site, organiser, 2, Invitee("Dave", address_of("Dave")))
    assert seat_of(house, match_id, 2).word is None


def test_a_bots_lucky_word_is_derived_from_the_seed(house: House) -> None:
    match_id = inviting(house, BOB, BotSeat("greedy"))
    accept_seat(house, match_id, 1, "plum")
    assert hashes_of_words(house, match_id)[2] == hash_word(word_of_seat(house, match_id, 2))


@pytest.mark.long
def test_a_substitute_changes_no_luck_and_has_no_lucky_word(house: House) -> None:
    match_id = inviting(house, BOB, CAROL)
    accept_seat(house, match_id, 1, "plum")
    accept_seat(house, match_id, 2)
    before = hashes_of_words(house, match_id)
    miss_turns(house, match_id, 1)
    take_over(house, match_id)
    assert seat_of(house, match_id, 1).word is None
    assert hashes_of_words(house, match_id) == before
    epoch = seat_of(house, match_id, 1).epoch
    assert lucky_words.read_typed_lucky_word(house.site, house.claim("play", match_id, 1, epoch)) is None


def test_erasing_a_player_deletes_their_lucky_word_and_keeps_its_hash(house: House) -> None:
    match_id = inviting(house, BOB, CAROL)
    accept_seat(house, match_id, 1, "plum")
    accept_seat(house, match_id, 2)
    before = hashes_of_words(house, match_id)
    player = seat_of(house, match_id, 1).player_id
    assert player is not None
    erasure.erase_player(house.site, player)
    assert seat_of(house, match_id, 1).word is None
    assert hashes_of_words(house, match_id) == before
    assert proofs.seats_with_word(match_in_database(house, match_id)) == (1,)


@pytest.mark.long
def test_a_rematch_uses_the_lucky_words_of_its_starter_and_of_joiners(house: House) -> None:
    match_id = house.begin()
    house.play_out(match_id)
    way = rematches.find_or_create_rematch(house.site, house.claim("play", match_id, 1), STRANGER, word="plum")
    match = match_in_database(house, way.match_id)
    assert match.commitment == commit(match.id, match.seed, hash_word("plum"))
    rematches.sit_down_in_rematch(house.site, house.claim("play", match_id, 2), STRANGER, word="pear")
    assert [seat_of(house, way.match_id, seat).word for seat in range(3)] == ["plum", "pear", None]


def test_a_match_against_bots_uses_the_persons_lucky_word(house: House) -> None:
    begun = matches.start_match_against_bots(house.site, STRANGER, "hogen", "Guest", "en", "UTC", word="plum")
    assert hashes_of_words(house, begun.match_id)[0] == hash_word("plum")


@pytest.mark.long
def test_only_a_seats_owner_sees_its_lucky_word(house: House) -> None:
    match_id = inviting(house, BOB, CAROL)
    invited = house.claim("invitation", match_id, 1)
    assert lucky_words.read_proposed_word(house.site, invited) == word_of_seat(house, match_id, 1)
    accept_seat(house, match_id, 1, "plum")
    assert lucky_words.read_typed_lucky_word(house.site, house.claim("play", match_id, 1)) == "plum"
    assert lucky_words.read_proposed_word(house.site, invited) == "", "the seat is taken"
    with pytest.raises(Unauthorized):
        lucky_words.read_typed_lucky_word(house.site, house.claim("play", match_id, 1, epoch=7))
    with pytest.raises(Unauthorized):
        lucky_words.read_proposed_word(house.site, house.claim("invitation", match_id, 1, epoch=7))


def test_mails_about_a_seat_show_its_lucky_word_to_its_owner_alone(house: House) -> None:
    match_id = inviting(house, BOB, CAROL)
    accept_seat(house, match_id, 1, "plum")
    with house.site.reading() as session:
        match, seat = session.get_one(Match, match_id), session.get_one(SeatRow, (match_id, 1))
        bob, carol = (players.player_by_address(session, address_of(name)) for name in ("Bob", "Carol"))
        assert bob is not None
        assert carol is not None
        for player, word in ((bob, "plum"), (carol, None)):  # a player who is offered Bob's seat reads about it, too
            row = OutboxRow(id=1, dedupe="", kind="substitute", created_at=house.clock(), due_at=house.clock())
            assert LetterContext(house.site, session, Claimed(row), Reader(player, match, seat)).about()["word"] == word


@pytest.mark.long
def test_of_two_invitees_accepting_at_once_both_lucky_words_count(house: House) -> None:
    match_id = inviting(house, BOB, CAROL)
    at_once(lambda: accept_seat(house, match_id, 1, "plum"), lambda: accept_seat(house, match_id, 2, "pear"))
    assert hashes_of_words(house, match_id)[1:] == (hash_word("plum"), hash_word("pear"))
