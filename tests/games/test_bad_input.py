"""Any input, in every game: a move is legal, or refused without effect; a forged log is refused or read."""

import contextlib
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pbem.games import all_games, find_game
from pbem.kit.chance import SeedChance
from pbem.kit.codec import codec_for, encode
from pbem.kit.contract import COMMON_REFUSALS, AnyGame, IllegalMove, Move, Unreadable
from pbem.kit.logs.log_errors import BadLog
from pbem.kit.logs.logfile import entries_with_states, log_to_bytes, read
from pbem.kit.play import Table
from pbem.kit.texts import LANGS
from tests.games.discovered import AMOUNTS, GAMES, examples_of, options_of, sample_tables, texts_to_parse
from tests.transcripts import log_of, play_match, seed_of

LARGEST = 20_000
"""How many bytes no state of a game comes near."""


def play_or_be_refused(table: Table, seat: int, move: Move) -> None:
    """Plays the move: it is accepted only if it is legal; otherwise a rule refuses it, and it changes nothing."""
    game, before = table.game, encode(table.state)
    legal = move in game.legal(table.state, seat)
    try:
        accepted = bool(
            game.decide(table.state, seat, move, SeedChance(table.seed, table.next_entry_number, "decide", seat))
        )
    except IllegalMove as refusal:
        accepted = False
        for lang in LANGS:
            said = {**COMMON_REFUSALS, **game.meta.refusals}[refusal.code].text[lang].format(**refusal.facts)
            assert "{}" not in said
    assert accepted == legal
    assert encode(table.state) == before


@pytest.mark.long
@GAMES
@AMOUNTS
def test_any_move_is_legal_or_refused_by_a_rule_and_changes_nothing(game: AnyGame, amount: int) -> None:
    @settings(max_examples=amount)
    @given(st.sampled_from(sample_tables(game)), st.integers(0, 60), examples_of(game).MOVES)
    def is_judged(table: Table, seat: int, move: Move) -> None:
        play_or_be_refused(table, seat % table.seats, move)

    is_judged()


@pytest.mark.long
@GAMES
@AMOUNTS
def test_any_text_is_parsed_as_a_move_or_refused_as_unreadable(game: AnyGame, amount: int) -> None:
    @settings(max_examples=amount)
    @given(st.sampled_from(sample_tables(game)), st.integers(0, 60), texts_to_parse(game))
    def is_judged(table: Table, seat: int, typed: str) -> None:
        with contextlib.suppress(Unreadable):
            play_or_be_refused(table, seat % table.seats, game.parse(typed))

    is_judged()


@pytest.mark.long
@AMOUNTS
def test_arbitrary_json_is_no_move_of_any_game(amount: int) -> None:
    leaves = st.none() | st.booleans() | st.integers() | st.text()

    @settings(max_examples=amount)
    @given(st.recursive(leaves, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=5))
    def is_no_move(value: object) -> None:
        for game in all_games().values():
            with pytest.raises(msgspec.ValidationError):
                codec_for(game).move_of(value)

    is_no_move()


def a_log(game: AnyGame) -> bytes:
    """The log of a finished match."""
    return log_to_bytes(log_of(play_match(game, game.meta.seats[0], seed_of("forged", 2, 0), options_of(game, 1))))


@pytest.mark.long
@GAMES
@AMOUNTS
def test_a_forged_log_is_refused_or_read_and_makes_no_huge_state(game: AnyGame, amount: int) -> None:
    data = a_log(game)
    junk: st.SearchStrategy[Any] = (
        st.none() | st.integers(-2, 99) | st.sampled_from(["S", "Ended", "0.N", *game.meta.marks]) | st.just([])
    )

    @settings(max_examples=amount)
    @given(st.data())
    def is_refused_or_read(drawn: st.DataObject) -> None:
        document: dict[str, Any] = msgspec.json.decode(data)
        events = st.sampled_from([entry["event"] for entry in document["events"]])
        for _ in range(drawn.draw(st.integers(1, 3))):
            event, other = drawn.draw(events), drawn.draw(events)
            field = drawn.draw(st.sampled_from(sorted(event)))
            event[field] = drawn.draw(junk | st.just(other.get(field)))
        with contextlib.suppress(BadLog):
            for _, state in entries_with_states(read(encode(document), find_game)):
                assert len(encode(state)) < LARGEST

    is_refused_or_read()


@pytest.mark.long
@GAMES
def test_a_log_for_other_seats_than_its_header_says_is_refused(game: AnyGame) -> None:
    document: dict[str, Any] = msgspec.json.decode(a_log(game))
    assert len(list(entries_with_states(read(encode(document), find_game)))) == len(document["events"])
    document["seats"] = game.meta.seats[-1]
    with pytest.raises(BadLog):
        list(entries_with_states(read(encode(document), find_game)))
