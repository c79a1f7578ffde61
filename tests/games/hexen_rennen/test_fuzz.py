"""Bad input: arbitrary moves and forged logs are refused, and nothing else ever happens."""

import hashlib
from functools import cache
from itertools import islice

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pbem.games import find_game
from pbem.games.hexen_rennen import GAME
from pbem.games.hexen_rennen.facts import HexenOptions
from pbem.kit.codec import codec_for, encode
from pbem.kit.contract import COMMON_REFUSALS, IllegalMove, Unreadable
from pbem.kit.logs.logfile import BadLog, Log, commitment, read, write
from pbem.kit.play import Table, random_decisions
from tests.games.hexen_rennen.tables import Dice
from tests.games.hexen_rennen.test_notation import moves


@cache
def tables() -> list[Table]:
    """Races at several points."""
    out = []
    for seats in (2, 3, 4):
        for length in (0, 1, 8, 25, 60, 400):
            seed = hashlib.sha256(f"fuzz {seats} {length}".encode()).digest()
            table = Table(GAME, seats, HexenOptions(bool(length % 2)), seed)
            for _ in islice(random_decisions(table), length):
                pass
            out.append(table)
    return out


@settings(max_examples=300, deadline=None)
@given(st.integers(0, 17), st.integers(0, 3), moves)
def test_any_move_is_legal_or_refused_by_a_rule_and_changes_nothing(at: int, seat: int, move: object) -> None:
    table = tables()[at]
    state = table.state
    if seat >= table.seats:
        return
    before = encode(state)
    legal = GAME.legal(state, seat)
    refusal = None
    try:
        GAME.decide(state, seat, move, Dice())
    except IllegalMove as caught:
        refusal = caught
    assert (refusal is None) == (move in legal)
    if refusal is not None:
        rule = {**COMMON_REFUSALS, **GAME.meta.refusals}[refusal.code]
        assert "{" not in rule.text.fr.format(**refusal.facts)
    assert encode(state) == before


@settings(max_examples=100, deadline=None)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(), lambda s: st.lists(s) | st.dictionaries(st.text(), s)
    )
)
def test_arbitrary_json_is_no_move(value: object) -> None:
    with pytest.raises(msgspec.ValidationError):
        codec_for(GAME).move_of(value)


@settings(deadline=None)
@given(st.text(max_size=60))
def test_arbitrary_notation_is_a_legal_move_or_a_refusal(text: str) -> None:
    table = tables()[8]
    (ask,) = GAME.pending(table.state)[:1]
    try:
        GAME.decide(table.state, ask.seat, GAME.parse(text), Dice())
    except (Unreadable, IllegalMove):
        return
    assert GAME.parse(text) in GAME.legal(table.state, ask.seat)


FINISHED = 5


@settings(max_examples=100, deadline=None)
@given(st.data())
def test_a_forged_log_is_a_bad_log_or_still_a_race(data: st.DataObject) -> None:
    table = tables()[data.draw(st.sampled_from([FINISHED, 11, 17]))]
    log = Log(GAME, table.options, table.seats, "all", commitment(table.seed), table.seed, tuple(table.entries))
    doc = msgspec.json.decode(write(log))
    for _ in range(data.draw(st.integers(1, 3))):
        event = data.draw(st.sampled_from(doc["events"]))["event"]
        field = data.draw(st.sampled_from(sorted(event)))
        event[field] = data.draw(st.integers(-1, 60) | st.sampled_from(["S", "A5", "D10", [], None, "2", "Rolled"]))
    try:
        found = read(encode(doc), find_game)
    except BadLog:
        return
    state = None
    for entry in found.entries:
        state = GAME.evolve(state, entry.event)
        assert len(encode(state)) < 5000


def test_a_log_whose_opening_is_for_other_seats_is_refused() -> None:
    table = tables()[FINISHED]
    log = Log(GAME, table.options, 2, "all", commitment(table.seed), table.seed, tuple(table.entries))
    doc = msgspec.json.decode(write(log))
    doc["seats"] = 3
    with pytest.raises(BadLog):
        read(encode(doc), find_game)
