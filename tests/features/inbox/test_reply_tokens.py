"""Tokens in addresses: short, of one case, each for one thing."""

import string

from pbem.features.inbox.reply_tokens import PlayerNamed, ReplyTokens, RowNamed, SeatNamed
from tests.harness.cases import cases

TOKENS = ReplyTokens("a secret of this site, long enough")
MATCH = "0123456789abcdef01234567"


def read_token(token: str) -> SeatNamed:
    said = TOKENS.read_token(token)
    assert isinstance(said, SeatNamed)
    return said


def test_a_question_is_named_by_forty_letters_and_digits_at_most() -> None:
    token = TOKENS.for_question(MATCH, 3, 70_000, "r2.t5.call~1")
    assert len(token) <= 40
    assert set(token) <= set(string.ascii_lowercase + string.digits)


def test_a_reply_token_is_valid_in_any_letter_case() -> None:
    token = TOKENS.for_question(MATCH, 3, 1, "r2.t5.call")
    said = read_token(token.upper())
    assert (said.named, said.match_id, said.seat) == ("question", MATCH, 3)
    assert TOKENS.names_seat(said, 1)
    assert TOKENS.names_question(said, 1, "r2.t5.call")


def test_a_reply_token_of_an_old_question_names_only_its_seat() -> None:
    said = read_token(TOKENS.for_question(MATCH, 3, 1, "r2.t5.call"))
    assert TOKENS.names_seat(said, 1)
    assert not TOKENS.names_question(said, 1, "r2.t6.call")
    assert not TOKENS.names_question(said, 1, "r2.t5.call~1")


def test_renewing_a_seats_link_ends_its_reply_tokens() -> None:
    said = read_token(TOKENS.for_question(MATCH, 3, 1, "r2.t5.call"))
    assert not TOKENS.names_seat(said, 2)
    assert not TOKENS.names_question(said, 2, "r2.t5.call")


def test_a_mute_token_relabelled_as_a_questions_names_no_seat() -> None:
    said = read_token("q" + TOKENS.for_mute(MATCH, 3, 1)[1:])
    assert not TOKENS.names_seat(said, 1)


@cases("place", range(40))
def test_a_reply_token_with_any_letter_changed_is_invalid(place: int) -> None:
    """Each letter counts: anyone who changes one has named nothing."""
    token = TOKENS.for_question(MATCH, 3, 1, "call")
    other = token[:place] + ("a" if token[place] != "a" else "b") + token[place + 1 :]
    said = TOKENS.read_token(other)
    if isinstance(said, SeatNamed):
        assert not (TOKENS.names_seat(said, 1) and TOKENS.names_question(said, 1, "call"))


def test_bounce_tokens_name_a_mail_stop_tokens_a_player_and_are_signed() -> None:
    assert TOKENS.read_token(TOKENS.for_bounce(7_000_000)) == RowNamed(7_000_000)
    assert TOKENS.read_token(TOKENS.for_stop(12)) == PlayerNamed(12)
    assert TOKENS.read_token("b" + TOKENS.for_stop(12)[1:]) is None
    assert ReplyTokens("another secret of another site").read_token(TOKENS.for_stop(12)) is None


@cases("token", ["", "q", "x" * 40, "q" + "a" * 39, "é" * 40, "q" + "1" * 39, "b\n"])
def test_a_token_that_this_site_has_not_made_is_invalid(token: str) -> None:
    said = TOKENS.read_token(token)
    assert said is None or (isinstance(said, SeatNamed) and not TOKENS.names_seat(said, 0))
