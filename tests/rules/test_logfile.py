"""The portable log: what goes out comes back, and whatever else comes in is refused by the number of its entry."""

import json
from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbem.games import find_game
from pbem.games.hogen import GAME
from pbem.rules import logfile
from pbem.rules.chance import SeedChance
from pbem.rules.logfile import BadLog, Log, commitment, read, states, verify, write
from pbem.rules.play import Table, random_decisions
from pbem.rules.replay import Absent, By, Entry, redacted
from tests.transcripts import log_of, seed_of

ALICE, BOB = 0, 1


def played() -> Table:
    """A short match: every third decision is the clock's."""
    table = Table(GAME, 3, GAME.meta.options(), seed_of("hogen", 3, 4))
    decision = 0
    while asks := GAME.pending(table.state):
        decision += 1
        ask = asks[-1]
        if decision % 3 and decision > 6:
            legal = GAME.legal(table.state, ask.seat)
            table.play(ask, legal[-1], By(seat=ask.seat))
        else:
            luck = SeedChance(table.seed, table.position, "fallback", ask.seat)
            table.play(ask, GAME.fallback(table.folds[ask.seat], ask.seat, luck), By(clock=ask.seat))
    return table


TABLE = played()
LOG = log_of(TABLE)
DOCUMENT: dict[str, Any] = json.loads(write(LOG))


def test_a_log_comes_back_as_it_went_out() -> None:
    again = read(write(LOG), find_game)
    assert again == LOG
    assert write(again) == write(LOG)
    assert [state for _, state in states(again)][-1] == TABLE.state


def test_a_redacted_log_comes_back_as_well() -> None:
    for viewer in TABLE.viewers:
        log = msgspec.structs.replace(LOG, viewer=viewer, seed=None, entries=tuple(redacted(LOG.entries, viewer)))
        again = read(write(log), find_game)
        assert again == log
        assert b'"seed":' not in write(log)
        assert [state for _, state in states(again)][-1] == TABLE.folds[viewer]


def test_table_events_are_part_of_a_log() -> None:
    entries = list(LOG.entries)
    entries.append(Entry(len(entries) + 1, "2026-01-01T00:00:00Z", By(table=True), None, Absent(BOB)))
    assert read(write(msgspec.structs.replace(LOG, entries=tuple(entries))), find_game).entries[-1].event == Absent(BOB)


# --- verification ------------------------------------------------------------------------------------------


def test_a_true_log_is_verified_moves_and_clock_alike() -> None:
    verdict = verify(LOG)
    assert verdict.problems == ()
    assert verdict.ok
    assert verdict.decisions > 10
    assert any(e.by.clock is not None for e in LOG.entries)
    assert any(e.by.seat is not None for e in LOG.entries)


def test_another_seed_than_the_one_committed_to_is_noticed() -> None:
    assert "committed" in verify(msgspec.structs.replace(LOG, seed=bytes(32))).problems[0]


def test_a_seed_that_did_not_give_these_draws_is_noticed() -> None:
    verdict = verify(msgspec.structs.replace(LOG, seed=bytes(32), seed_sha256=commitment(bytes(32))))
    assert verdict.problems[0].startswith("entry 1:")


@pytest.mark.parametrize("changes", [{"seed": None}, {"viewer": ALICE}, {"viewer": None}])
def test_only_a_full_log_with_its_seed_can_be_verified(changes: dict[str, Any]) -> None:
    verdict = verify(msgspec.structs.replace(LOG, **changes))
    assert not verdict.ok
    assert "can be verified" in verdict.problems[0]


def forged(index: int, **changes: Any) -> Log:
    """The log with the event of one entry changed."""
    entries = list(LOG.entries)
    event = msgspec.structs.replace(entries[index].event, **changes)
    entries[index] = msgspec.structs.replace(entries[index], event=event)
    return msgspec.structs.replace(LOG, entries=tuple(entries))


def test_a_forged_fact_is_noticed_at_its_entry() -> None:
    index = next(i for i, e in enumerate(LOG.entries) if type(e.event).__name__ == "Began")
    began = LOG.entries[index].event.seat
    problems = verify(forged(index, seat=(began + 1) % 3)).problems
    assert problems[0].startswith(f"entry {index}:")


def test_a_move_that_was_not_the_clocks_is_noticed() -> None:
    index = next(i for i, e in enumerate(LOG.entries) if e.by.seat is not None)
    entry = LOG.entries[index]
    group = [i for i, e in enumerate(LOG.entries) if e.key == entry.key]
    entries = list(LOG.entries)
    for i in group:
        entries[i] = msgspec.structs.replace(entries[i], by=By(clock=entry.by.seat))
    problems = verify(msgspec.structs.replace(LOG, entries=tuple(entries))).problems
    assert any(p.startswith(f"entry {index + 1}:") for p in problems)


def test_an_answer_to_a_question_that_was_not_open_is_noticed() -> None:
    entries = list(LOG.entries)
    entries[1] = msgspec.structs.replace(entries[1], key="t9.act0")
    verdict = verify(msgspec.structs.replace(LOG, entries=tuple(entries)))
    assert verdict.problems[0].startswith("entry 2:")


def test_a_log_on_which_the_rules_break_is_a_finding_not_a_crash() -> None:
    verdict = verify(forged(0, hands=((None,) * 4,) * 3))
    assert not verdict.ok


# --- what is refused ---------------------------------------------------------------------------------------


def changed(change: Callable[[dict[str, Any]], Any]) -> bytes:
    """The document after a change."""
    document = json.loads(json.dumps(DOCUMENT))
    change(document)
    return json.dumps(document).encode()


def put(*path: Any, value: Any) -> Callable[[dict[str, Any]], None]:
    """A change that sets the value at this path."""

    def change(document: dict[str, Any]) -> None:
        at: Any = document
        for step in path[:-1]:
            at = at[step]
        at[path[-1]] = value

    return change


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (put("format", value="pbem-log/9"), "format"),
        (put("game", value="chess"), "no game"),
        (put("game", value=7), "not a log document"),
        (put("options", value={"x": 1}), "header"),
        (put("options", value=[]), "not a log document"),
        (put("seats", value=5), "not played by 5"),
        (put("seats", value="3"), "not a log document"),
        (put("seats", value=10**30), "not"),
        (put("viewer", value=3), "no seat 3"),
        (put("viewer", value=99), "not a log document"),
        (put("viewer", value="some"), "not a log document"),
        (put("seed", value="zz"), "header"),
        (put("seed", value="00"), "32 bytes"),
        (put("seed_sha256", value=None), "not a log document"),
        (put("events", value={}), "not a log document"),
        (put("events", value=[]), "no entries"),
        (put("more", value=1), "not a log document"),
    ],
)
def test_a_header_that_does_not_fit_is_refused(change: Callable[[dict[str, Any]], None], why: str) -> None:
    with pytest.raises(BadLog, match=why) as caught:
        read(changed(change), find_game)
    assert caught.value.entry is None


EVENT = ("events", 1, "event")


@pytest.mark.parametrize(
    ("change", "entry"),
    [
        (put("events", 1, value=None), 2),
        (put("events", 1, value="x"), 2),
        (put("events", 1, "n", value=7), 2),
        (put("events", 1, "n", value="2"), 2),
        (put("events", 1, "n", value=2**70), 2),
        (put("events", 1, "at", value=5), 2),
        (put("events", 1, "by", value={"seat": 3}), 2),
        (put("events", 1, "by", value={"seat": 99}), 2),
        (put("events", 1, "by", value={"who": 1}), 2),
        (put("events", 1, "key", value=5), 2),
        (put("events", 1, "more", value=1), 2),
        (put(*EVENT, value={"type": "Nothing"}), 2),
        (put(*EVENT, value={"type": "Passed"}), 2),
        (put(*EVENT, value={"type": "Passed", "seat": 3}), 2),
        (put(*EVENT, value={"type": "Passed", "seat": 10_000_000}), 2),
        (put(*EVENT, value={"type": "Passed", "seat": 1}), 2),
        (put(*EVENT, value={"type": "Exchanged", "seat": 1, "given": "F1", "taken": "F9"}), 2),
        (put(*EVENT, value={"type": "Declared", "seat": 0, "allies": [{"seat": 3, "card": "F1"}]}), 2),
        (put("events", 4, "event", value={"type": "Dealt", "palace": [], "hands": [[]] * 9}), 5),
        (put("events", 0, "event", "hands", value=[["F1"]]), 1),
        (put("events", 0, "event", value={"type": "Began", "seat": 0}), 1),
        (put("events", 0, "event", value={"type": "Absent", "seat": 0}), 1),
        (lambda document: document["events"].pop(0), 1),
        (lambda document: document["events"].pop(5), 6),
    ],
)
def test_an_entry_that_does_not_fit_is_named(change: Callable[[dict[str, Any]], None], entry: int) -> None:
    with pytest.raises(BadLog) as caught:
        read(changed(change), find_game)
    assert caught.value.entry == entry


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"null",
        b"[]",
        b"{",
        b"\xff\xfe",
        b'{"format":"\xff"}',
        b"[" * 200_000,
        b'{"options":' + b'{"a":' * 100_000,
        write(LOG).replace(b'"event":{', b'"event":' + b"[" * 100_000, 1),
        b'{"seats":' + b"9" * 20_000 + b"}",
    ],
    ids=range(10),
)
def test_what_is_no_document_is_refused(data: bytes) -> None:
    with pytest.raises(BadLog):
        read(data, find_game)


@given(st.binary(max_size=200))
def test_no_bytes_break_the_reader(data: bytes) -> None:
    with pytest.raises(BadLog):
        read(data, find_game)


@given(st.integers(0, len(write(LOG)) - 1), st.binary(min_size=1, max_size=3))
def test_no_damage_breaks_the_reader(at: int, damage: bytes) -> None:
    data = write(LOG)
    try:
        log = read(data[:at] + damage + data[at + len(damage) :], find_game)
    except BadLog:
        return
    assert verify(log).decisions <= len(LOG.entries)


def test_a_log_has_bounds() -> None:
    with pytest.raises(BadLog, match="bytes"):
        read(b" " * (logfile.MAX_BYTES + 1), find_game)
    many = changed(put("events", value=[0] * (logfile.MAX_ENTRIES + 1)))
    with pytest.raises(BadLog, match="entries"):
        read(many, find_game)


def test_a_log_as_long_as_allowed_is_read_in_good_time() -> None:
    """The longest match of random moves fits well within the bounds."""
    table = Table(GAME, 4, GAME.meta.options(), seed_of("hogen", 4, 11))
    for _ in random_decisions(table):
        pass
    assert len(write(log_of(table))) < logfile.MAX_BYTES // 5
