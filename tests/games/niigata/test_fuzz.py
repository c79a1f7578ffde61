"""Whatever is sent gives a refusal or a move that was legal; whatever log is forged is refused, never a crash."""

import contextlib
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pbem.games import find_game
from pbem.games.niigata import GAME
from pbem.games.niigata.cells import cell_name
from pbem.games.niigata.facts import Claim, NiigataOptions, Pass, Place, Take
from pbem.games.niigata.tiles import NAMES
from pbem.kit.chance import SeedChance
from pbem.kit.codec import codec_for, encode
from pbem.kit.contract import COMMON_REFUSALS, IllegalMove, Move, Unreadable
from pbem.kit.logs.logfile import BadLog, read, write
from pbem.kit.play import Table, random_decisions
from tests.transcripts import log_of, seed_of

near = st.builds(cell_name, st.integers(-3, 3), st.integers(-3, 3))
moves = st.one_of(
    st.builds(Take, st.sampled_from(NAMES)),
    st.builds(Pass),
    st.builds(Place, st.sampled_from(NAMES), near, st.integers(0, 3)),
    st.builds(Claim, st.builds("{}.{}".format, near, st.sampled_from("NESW"))),
)


def tables() -> list[Table]:
    """Matches of both versions, stopped in all phases."""
    found = []
    for n, stop in enumerate((0, 3, 7, 12, 19, 26, 40)):
        options = NiigataOptions("grab" if n % 2 else "turns")
        table = Table(GAME, 2 + n % 5, options, seed_of("fuzz", 2, n))
        for at, _ in enumerate(random_decisions(table)):
            if at == stop:
                break
        found.append(table)
    return found


TABLES = tables()


def tried(table: Table, seat: int, move: Move) -> None:
    """Plays the move: it is accepted just if it is legal, and refused with a rule and no harm otherwise."""
    before = encode(table.state)
    luck = SeedChance(table.seed, table.position, "decide", seat)
    if move in GAME.legal(table.state, seat):
        assert GAME.decide(table.state, seat, move, luck)
    else:
        with pytest.raises(IllegalMove) as caught:
            GAME.decide(table.state, seat, move, luck)
        text = {**COMMON_REFUSALS, **GAME.meta.refusals}[caught.value.code].text
        assert text["fr"].format(**caught.value.facts)
        assert text["en"].format(**caught.value.facts)
    assert encode(table.state) == before


@settings(max_examples=400)
@given(st.sampled_from(TABLES), st.integers(0, 6), moves)
def test_arbitrary_moves_give_nothing_but_a_refusal(table: Table, seat: int, move: Move) -> None:
    tried(table, seat, move)


@settings(max_examples=300)
@given(st.sampled_from(TABLES), st.integers(0, 6), st.text("0123456789 -,nesworNESW takeplcimpstub"))
def test_arbitrary_notation_gives_nothing_but_a_refusal(table: Table, seat: int, text: str) -> None:
    try:
        move = GAME.parse(text)
    except Unreadable:
        return
    tried(table, seat, move)


@pytest.mark.parametrize(
    "move",
    [
        {"type": "Take", "tile": "N80"},
        {"type": "Take", "tile": "I"},
        {"type": "Take"},
        {"type": "Place", "tile": "N20", "cell": "", "rotation": 0},
        {"type": "Place", "tile": "N20", "cell": "1N\n", "rotation": 0},
        {"type": "Place", "tile": "N20", "cell": "0N", "rotation": 0},
        {"type": "Place", "tile": "N20", "cell": "100N", "rotation": 0},
        {"type": "Place", "tile": "N20", "cell": "1N1E", "rotation": 0},
        {"type": "Place", "tile": "N20", "cell": "1N", "rotation": 4},
        {"type": "Claim", "pond": "1N"},
        {"type": "Claim", "pond": "1N.Q"},
        {"type": "Pass", "why": 1},
        {"type": "Call", "clan": "M"},
    ],
)
def test_a_move_of_another_shape_is_not_decoded(move: dict[str, Any]) -> None:
    with pytest.raises(msgspec.ValidationError):
        codec_for(GAME).move_of(move)


def whole_log() -> dict[str, Any]:
    table = Table(GAME, 2, NiigataOptions("grab"), seed_of("fuzz", 2, 99))
    for _ in random_decisions(table):
        pass
    document: dict[str, Any] = msgspec.json.decode(write(log_of(table)))
    return document


DOCUMENT = whole_log()


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_a_forged_log_is_refused_or_read_but_never_breaks_the_reader(data: st.DataObject) -> None:
    document: dict[str, Any] = msgspec.json.decode(encode(DOCUMENT))
    entries = document["events"]
    for _ in range(data.draw(st.integers(1, 3))):
        at, other = data.draw(st.integers(0, len(entries) - 1)), data.draw(st.integers(0, len(entries) - 1))
        event = entries[at]["event"]
        field = data.draw(st.sampled_from(sorted(event)))
        junk = st.none() | st.integers(-2, 99) | st.sampled_from(["N20", "9E9S", "0.N", "Ended", "Thrown", "R"])
        event[field] = data.draw(junk | st.just(entries[other]["event"].get(field)))
    with contextlib.suppress(BadLog):
        read(encode(document), find_game)


def test_a_log_for_other_seats_than_its_header_says_is_refused() -> None:
    document: dict[str, Any] = msgspec.json.decode(encode(DOCUMENT))
    document["events"][0]["event"]["seats"] = 6
    with pytest.raises(BadLog, match="seats"):
        read(encode(document), find_game)
