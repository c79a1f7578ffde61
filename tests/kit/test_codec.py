"""JSON under stable names: canonical one way, strict the other."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbem.games import find_game
from pbem.games.hogen import GAME
from pbem.games.hogen.facts import Call, Declare, Guess, State
from pbem.kit.codec import codec_for, encode, plain
from pbem.kit.contract import Ask, Options
from tests.harness.cases import cases
from tests.kit.toys import GLIMPSE, Show

CODEC = codec_for(GAME)


def test_the_type_field_of_encoded_values_is_the_class_name() -> None:
    assert encode(Call("M", 1)) == b'{"clan":"M","rank":1,"type":"Call"}'


def test_the_same_value_gives_the_same_bytes() -> None:
    assert encode({"b": 1, "a": [1, None]}) == encode({"a": [1, None], "b": 1}) == b'{"a":[1,null],"b":1}'


def test_plain_python_values_equal_the_json() -> None:
    assert msgspec.json.decode(encode(Ask(1, "t1.a", "t1", "a"))) == plain(Ask(1, "t1.a", "t1", "a"))


@given(st.sampled_from(["F", "M", "T", "B", None]), st.one_of(st.none(), st.integers(1, 4)))
def test_a_move_survives_json(clan: str | None, rank: int | None) -> None:
    move = Call(clan, rank)  # type: ignore[arg-type]  # one of the four clans
    assert CODEC.move(encode(move)) == move
    assert CODEC.move_of(plain(move)) == move


def test_a_declaration_and_a_state_survive_json() -> None:
    move = Declare((Guess(1, "F1"), Guess(2, "B1")))
    assert CODEC.move(encode(move)) == move
    state = State(3, ("M1",), ((None, "F1"), (), ()), (None,) * 3, (True,) * 3, (False,) * 3, failed=(Call("M"),))
    assert CODEC.state(encode(state)) == state


@cases(
    "data",
    [
        b"",
        b"[]",
        b"null",
        b"{",
        b'{"type":"Call"',
        b'{"clan":"M"}',
        b'{"type":"Unknown"}',
        b'{"type":"Call","clan":"X"}',
        b'{"type":"Call","rank":5}',
        b'{"type":"Call","rank":"4"}',
        b'{"type":"Call","rank":4.5}',
        b'{"type":"Call","more":1}',
        b'{"type":"Exchange","give":"F1"}',
        b'{"type":"Exchange","give":"F1","take":"F5"}',
        b'{"type":"Exchange","give":"F1","take":"F1\\n"}',
        b'{"type":"Declare","allies":[{"seat":16,"card":"F1"}]}',
        b'{"type":"Declare","allies":[{"seat":-1,"card":"F1"}]}',
        b'{"type":"Declare","allies":[{"seat":1,"card":"F1","x":1}]}',
        b'{"type":"Declare","allies":{"seat":1,"card":"F1"}}',
        b'{"type":"Dealt","palace":[],"hands":[]}',
        b"\xff\xfe",
    ],
)
def test_json_that_is_no_move_is_refused(data: bytes) -> None:
    with pytest.raises(msgspec.MsgspecError):
        CODEC.move(data)


def test_events_of_another_game_are_refused() -> None:
    with pytest.raises(msgspec.ValidationError, match="Glimpsed"):
        CODEC.event(b'{"type":"Glimpsed","seat":0,"number":1}')
    assert type(CODEC.event(b'{"type":"Passed","seat":0}')).__name__ == "Passed"


def test_a_game_without_options_takes_none() -> None:
    assert codec_for(GLIMPSE).options({}) == Options()
    with pytest.raises(msgspec.ValidationError):
        codec_for(GLIMPSE).options({"target": 3})


def test_each_game_has_a_single_cached_codec() -> None:
    assert codec_for(GAME) is CODEC
    assert codec_for(GLIMPSE) is not CODEC
    assert codec_for(GLIMPSE).move(b'{"type":"Show","tone":1}') == Show(1)


def test_games_are_found_by_their_slug() -> None:
    assert find_game("hogen") is GAME
    assert find_game("nothing") is None
