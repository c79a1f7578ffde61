"""A foreign log can claim anything: it is refused, and never makes a huge or impossible state."""

import hashlib
import json
from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from pbem.games import find_game
from pbem.games.hagakure import GAME
from pbem.games.hagakure.facts import Dealt
from pbem.games.hagakure.facts_cards import FOOL
from pbem.games.hagakure.facts_state import Terms
from pbem.kit.codec import codec_for
from pbem.kit.logs.log_errors import BadLog
from pbem.kit.logs.logfile import entries_with_states, log_to_bytes, read
from pbem.kit.play import Table, random_decisions
from tests.harness.cases import cases
from tests.transcripts import log_of

HAND = [6, 7, 8, 9, 10]


def first_deal(**changes: Any) -> dict[str, Any]:
    """The first deal of a match for three, with these fields."""
    hands = [HAND, [11, 12, 13, 14, 15], [16, 17, 18, 19, 20]]
    event = {"type": "Dealt", "number": 1, "rounds": 9, "last": 19, "dealer": 0, "hands": hands, "yomi": HAND}
    return {**event, **changes}


@cases(
    "event",
    [
        first_deal(number=31),
        first_deal(number=0),
        first_deal(rounds=10**9),
        first_deal(last=31),
        first_deal(dealer=16),
        first_deal(dealer=-1),
        first_deal(hands=[HAND] * 6),
        first_deal(hands=[[6] * 6] * 3),
        first_deal(hands=[[28]] * 3),
        first_deal(hands=[["S19"]] * 3),
        first_deal(yomi=[6] * 6),
        {"type": "Played", "seat": 16, "card": 6},
        {"type": "Played", "seat": 0, "card": 28},
        {"type": "Played", "seat": 0, "card": -1},
        {"type": "Raised", "seat": 0, "nobori": "swap"},
        {"type": "Swapped", "seat": 0, "drawn": [6] * 6},
        {"type": "Looked", "seat": 0, "target": 99, "cards": HAND},
        {"type": "Looked", "seat": 0, "target": None, "cards": [6] * 100},
        {"type": "Scored", "points": [1] * 6},
        {"type": "Scored", "points": [10**30, 0, 0]},
        {"type": "Ended", "reason": "points", "winners": [0] * 6},
        {"type": "Ended", "reason": "boredom", "winners": [0]},
    ],
)
def test_an_event_with_values_out_of_bounds_is_refused(event: dict[str, Any]) -> None:
    assert isinstance(codec_for(GAME).event(json.dumps(first_deal())), Dealt)
    with pytest.raises(msgspec.ValidationError):
        codec_for(GAME).event(json.dumps(event))


@cases("options", [{"rounds": 0}, {"rounds": 21}, {"rounds": "9"}, {"extra_rounds": 11}, {"x": 1}])
def test_options_out_of_bounds_are_refused(options: dict[str, Any]) -> None:
    assert codec_for(GAME).options({"rounds": 20, "extra_rounds": 0}) == Terms(20, 0)
    assert codec_for(GAME).options({"rounds": None}) == Terms()
    with pytest.raises(msgspec.ValidationError):
        codec_for(GAME).options(options)


Forge = Callable[[list[dict[str, Any]]], None]


def fewer_hands(events: list[dict[str, Any]]) -> None:
    events[0]["event"]["hands"].pop()


def a_foreign_seat(events: list[dict[str, Any]]) -> None:
    events[1]["event"]["seat"] = 3


def a_card_played_twice(events: list[dict[str, Any]]) -> None:
    played = [e["event"] for e in events if e["event"]["type"] == "Played" and e["event"]["card"] != FOOL]
    played[1]["card"] = played[0]["card"]


def a_second_deal(events: list[dict[str, Any]]) -> None:
    events[1]["event"] = events[0]["event"]


def a_score_in_between(events: list[dict[str, Any]]) -> None:
    events[3]["event"] = {"type": "Scored", "points": [1, 1, 1]}


def a_score_for_two(events: list[dict[str, Any]]) -> None:
    next(e["event"] for e in events if e["event"]["type"] == "Scored")["points"].pop()


def an_early_end(events: list[dict[str, Any]]) -> None:
    events[2]["event"] = {"type": "Ended", "reason": "points", "winners": [0]}


def more_after_the_end(events: list[dict[str, Any]]) -> None:
    events.append({**events[0], "n": len(events) + 1})


@cases(
    "forge",
    [
        fewer_hands,
        a_foreign_seat,
        a_card_played_twice,
        a_second_deal,
        a_score_in_between,
        a_score_for_two,
        an_early_end,
        more_after_the_end,
    ],
)
def test_a_log_with_impossible_events_is_refused(forge: Forge) -> None:
    table = Table(GAME, 3, Terms(rounds=1, extra_rounds=0), hashlib.sha256(b"forged").digest())
    for _ in random_decisions(table):
        pass
    document = json.loads(log_to_bytes(log_of(table)))
    assert len(list(entries_with_states(read(json.dumps(document).encode(), find_game)))) == len(table.entries)
    forge(document["events"])
    with pytest.raises(BadLog):
        list(entries_with_states(read(json.dumps(document).encode(), find_game)))
