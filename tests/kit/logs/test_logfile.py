"""The portable log: a written log is read back unchanged, and any other is refused by the number of its entry."""

import json
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from random import Random
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbem.features.lab.sealing import redact_log, seal_log
from pbem.games import all_games, find_game
from pbem.games.hogen import GAME
from pbem.games.hogen.facts import Exchanged
from pbem.kit.assemble import AssembledGame
from pbem.kit.codec import encode
from pbem.kit.contract import Options
from pbem.kit.logs import logfile
from pbem.kit.logs.chain import hash_word
from pbem.kit.logs.log_errors import BadLog
from pbem.kit.logs.logfile import Log, entries_with_states, log_to_bytes, read
from pbem.kit.logs.repetition import draws_of_rules_and_clock
from pbem.kit.logs.verdict import verify
from pbem.kit.logs.verdict_texts import ENOUGH, NOT_CHECKED
from pbem.kit.play import DEAL, EPOCH, Table, random_decisions, word_hashes_from_seed
from pbem.kit.replay import Absent, By, Cancelled, Entry, Undone, redact_entries
from pbem.kit.texts import LANGS, Lang
from tests.harness.cases import cases
from tests.harness.growth import LINEAR, growth_of_cpu_time
from tests.kit.logs.logs import LOG, SOME, TABLE, long_log, play_short_match
from tests.kit.plain import DEVELOPERS
from tests.kit.proof.forging import draw_again, end_by_the_table, exchange_seed, take_back, with_entries
from tests.kit.toys import GLIMPSE, Show
from tests.transcripts import log_of, seed_of

ALICE, BOB = 0, 1


DOCUMENT: dict[str, Any] = json.loads(log_to_bytes(LOG))


def test_a_full_log_reads_back_as_it_was_written() -> None:
    again = read(log_to_bytes(LOG), find_game)
    assert again == LOG
    assert log_to_bytes(again) == log_to_bytes(LOG)
    assert [state for _, state in entries_with_states(again)][-1] == TABLE.state


@cases("slug", ["allegeance", "niigata"])
def test_a_log_may_begin_with_several_facts_and_go_on_with_answers(slug: str) -> None:
    game = all_games()[slug]
    table = Table(game, 2, game.meta.options(), seed_of(slug, 2, 0))
    for at, _ in enumerate(random_decisions(table)):
        if at == 3:
            break
    log = redact_log(log_of(table), ALICE)
    keys = [entry.key for entry in log.entries]
    assert keys[:2] == [None, None]
    assert keys[-1] is not None
    assert read(log_to_bytes(log), find_game) == log


@cases("charset", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
def test_a_log_saved_in_another_encoding_reads_the_same(charset: str) -> None:
    assert read(log_to_bytes(LOG).decode().encode(charset), find_game) == LOG


@cases("data", [b"\xff\xfe{\x00\xd8", b"{\xe9}", b"\xef\xbb\xbf{\xe9}"])
def test_a_log_in_neither_utf8_nor_utf16_is_refused(data: bytes) -> None:
    with pytest.raises(BadLog, match="neither UTF-8 nor UTF-16"):
        read(data, find_game)


def test_a_viewers_log_without_the_seed_reads_back_as_it_was_written() -> None:
    for viewer in TABLE.viewers:
        log = redact_log(LOG, viewer)
        again = read(log_to_bytes(log), find_game)
        assert again == log
        assert b'"seed":' not in log_to_bytes(log)
        assert [state for _, state in entries_with_states(again)][-1] == TABLE.folds[viewer]


def test_table_events_are_part_of_a_log() -> None:
    entries = list(LOG.entries)
    entries.append(Entry(len(entries) + 1, "2026-01-01T00:00:00Z", By(table=True), None, Absent(BOB)))
    assert read(log_to_bytes(with_entries(LOG, entries)), find_game).entries[-1].event == Absent(BOB)


# --- verification ------------------------------------------------------------------------------------------


def test_a_true_log_verifies_with_moves_and_automatic_moves() -> None:
    verdict = verify(LOG)
    assert verdict.problems == ()
    assert verdict.ok
    assert verdict.count("facts") == len({(entry.key, entry.by) for entry in LOG.entries})
    assert verdict.count("luck") == len(draws_of_rules_and_clock(LOG))
    assert verdict.count("chain") == len(LOG.entries)
    assert any(e.by.clock is not None for e in LOG.entries)
    assert any(e.by.seat is not None for e in LOG.entries)


def test_verification_fails_for_a_seed_not_committed_to() -> None:
    assert "committed" in verify(msgspec.structs.replace(LOG, seed=bytes(32))).problems[0]


def test_verification_fails_for_a_seed_that_did_not_give_the_draws() -> None:
    verdict = verify(exchange_seed(LOG, Random(1)))
    assert verdict.problems[0].startswith("entry 1:")


@cases("changes", [{"seed": None}, {"viewer": ALICE}, {"viewer": None}])
def test_only_a_full_log_with_its_seed_can_be_verified(changes: dict[str, Any]) -> None:
    verdict = verify(msgspec.structs.replace(LOG, **changes))
    assert not verdict.ok
    assert "can be verified" in verdict.problems[0]


@cases("lang", LANGS)
def test_a_log_without_its_seed_says_whether_the_match_is_still_running(lang: Lang) -> None:
    half = up_to(len(LOG.entries) // 2)
    running = redact_log(half, None)
    stripped = msgspec.structs.replace(LOG, seed=None)
    stopped = redact_log(call_off(half, len(half.entries)), None)
    wait, never = {"en": ("before the end", "called off"), "fr": ("avant la fin", "arrêtée")}[lang]
    for log, waits, ended in ((running, True, False), (stripped, False, False), (stopped, False, True)):
        verdict = verify(log)
        assert (verdict.ok, verdict.checked, len(verdict.findings)) == (False, False, 1)
        said = verdict.findings[0].said[lang]
        assert ((wait in said), (never in said)) == (waits, ended)


@pytest.mark.long
def test_a_kept_commitment_reveals_an_exchange_of_seed_and_commitment() -> None:
    made_up = draw_again(LOG, Random(1))
    assert verify(made_up).ok
    for digits in (64, 16):
        verdict = verify(LOG, LOG.commitment[:digits])
        assert (verdict.ok, verdict.count("commitment")) == (True, digits)
        verdict = verify(made_up, LOG.commitment[:digits])
        assert (verdict.ok, verdict.count("commitment")) == (False, None)
        assert "not the one that was given" in verdict.problems[0]
        assert made_up.commitment[:4] in verdict.problems[0]


def test_a_header_forged_to_the_readers_commitment_does_not_fit_its_seed() -> None:
    verdict = verify(msgspec.structs.replace(LOG, seed=bytes(32)), LOG.commitment)
    assert verdict.problems == ("the seed is not the one that was committed to",)


def test_verification_checks_bots_moves_only_for_the_present_bot_version() -> None:
    """In the first format nobody noticed it when all moves of people were called a bot's."""

    def blame_bots(version: int | None) -> Log:
        entries = [
            msgspec.structs.replace(entry, by=By(bot=entry.by.seat, via="greedy", version=version))
            if entry.by.seat is not None
            else entry
            for entry in LOG.entries
        ]
        return with_entries(LOG, entries)

    verdict = verify(blame_bots(GAME.meta.bot_version))
    assert any("this bot would not have chosen this move" in problem for problem in verdict.problems)
    for version in (None, GAME.meta.bot_version + 1):
        verdict = verify(blame_bots(version))
        assert verdict.ok
        assert "bots" in verdict.not_checked
    assert "bots" not in verify(LOG).not_checked


def test_verification_names_times_and_table_entries_as_not_checked() -> None:
    entries = [msgspec.structs.replace(entry, at="2001-01-01T00:00:00Z") for entry in LOG.entries]
    entries.append(Entry(len(entries) + 1, "2001-01-01T00:00:00Z", By(table=True), None, Absent(BOB)))
    verdict = verify(with_entries(LOG, entries))
    assert verdict.ok
    assert verdict.not_checked == ("players", "times", "via", "table", "seed_choice")
    assert set(verdict.not_checked) < set(NOT_CHECKED)


def test_the_verdict_on_chosen_luck_depends_on_the_lucky_words_typed() -> None:
    assert verify(LOG).count("words") == 0
    for seat, chosen in ((ALICE, "seed_choice"), (BOB, "collusion")):
        words = [
            hash_word("abricot") if seat == at else word for at, word in enumerate(word_hashes_from_seed(TABLE.seed, 3))
        ]
        table = play_short_match(words)
        log = seal_log(GAME, table.options, 3, DEAL, table.seed, words, table.entries)
        verdict = verify(log)
        assert (verdict.ok, verdict.count("words")) == (True, 1)
        assert verdict.not_checked[-1] == chosen


def forge_entry(index: int, **changes: Any) -> Log:
    """The log with the event of one entry changed."""
    entries = list(LOG.entries)
    event = msgspec.structs.replace(entries[index].event, **changes)
    entries[index] = msgspec.structs.replace(entries[index], event=event)
    return with_entries(LOG, entries)


def test_verification_names_the_entry_of_a_forged_event() -> None:
    index = next(i for i, e in enumerate(LOG.entries) if type(e.event).__name__ == "Began")
    began = LOG.entries[index].event.seat
    problems = verify(forge_entry(index, seat=(began + 1) % 3)).problems
    assert problems[0].startswith(f"entry {index}:")


def test_verification_finds_a_move_falsely_attributed_to_the_clock() -> None:
    index = next(i for i, e in enumerate(LOG.entries) if e.by.seat is not None)
    entry = LOG.entries[index]
    group = [i for i, e in enumerate(LOG.entries) if e.key == entry.key]
    entries = list(LOG.entries)
    for i in group:
        entries[i] = msgspec.structs.replace(entries[i], by=By(clock=entry.by.seat))
    problems = verify(with_entries(LOG, entries)).problems
    assert any(p.startswith(f"entry {index + 1}:") for p in problems)


def test_verification_finds_an_answer_to_a_question_not_open() -> None:
    entries = list(LOG.entries)
    entries[1] = msgspec.structs.replace(entries[1], key="t9.act0")
    verdict = verify(with_entries(LOG, entries))
    assert verdict.problems[0].startswith("entry 2:")


def up_to(count: int) -> Log:
    """The log without everything after this many entries."""
    return with_entries(LOG, LOG.entries[:count])


def call_off(log: Log, at: int) -> Log:
    """The log with the host's end of the match inserted as the entry of this number."""
    entries = list(log.entries)
    entries.insert(at - 1, Entry(at, EPOCH, By(table=True), None, Cancelled()))
    renumbered = (msgspec.structs.replace(entry, n=n) for n, entry in enumerate(entries, 1))
    return with_entries(log, renumbered)


def test_verification_fails_for_a_log_cut_off_before_the_end() -> None:
    last_decision = next(e.n for e in reversed(LOG.entries) if e.key != LOG.entries[-1].key)
    verdict = verify(up_to(last_decision))
    assert verdict.problems == (f"entry {last_decision}: the log is cut off here, the match has not ended",)


def test_a_called_off_log_is_rewritten_byte_by_byte_with_or_without_reason() -> None:
    before = call_off(up_to(SOME), SOME + 1)
    old = log_to_bytes(before)
    assert b'"event":{"type":"Cancelled"}' in old.replace(b" ", b"")
    entries = (*before.entries[:-1], msgspec.structs.replace(before.entries[-1], event=Cancelled("abandoned")))
    new = log_to_bytes(with_entries(before, entries))
    assert b'"reason":"abandoned"' in new.replace(b" ", b"")
    for document in (old, new):
        log = read(document, find_game)
        assert log_to_bytes(log) == document
        assert verify(log).ok
    with pytest.raises(BadLog):
        read(new.replace(b"abandoned", b"boredom"), find_game)


def test_a_log_of_a_match_ended_by_the_host_verifies_and_says_so() -> None:
    verdict = verify(call_off(up_to(SOME), SOME + 1))
    assert (verdict.ok, verdict.cancelled) == (True, True)
    assert not verify(LOG).cancelled


@cases("at", [5, len(LOG.entries) + 1])
def test_a_log_may_cancel_only_a_running_match_and_nothing_may_follow(at: int) -> None:
    assert any(p.startswith(f"entry {at}: the match was called off here") for p in verify(call_off(LOG, at)).problems)


def test_verification_stops_after_ten_problems() -> None:
    verdict = verify(long_log(200))
    assert len(verdict.problems) == ENOUGH + 1
    assert "not looked at" in verdict.problems[-1]
    assert verdict.count("facts") is None, "not all were looked at"


def test_a_log_on_which_the_rules_break_is_a_finding_not_a_crash() -> None:
    verdict = verify(forge_entry(0, hands=((None,) * 4,) * 3))
    assert not verdict.ok


def test_a_log_entry_after_which_pending_raises_is_named_as_at_fault() -> None:
    def ask(state: object) -> object:
        raise LookupError

    game: Any = SimpleNamespace(evolve=GAME.evolve, pending=ask)
    with pytest.raises(BadLog, match=r"^entry 1: "):
        list(entries_with_states(msgspec.structs.replace(LOG, game=game)))


# --- what is refused ---------------------------------------------------------------------------------------


def change_document(change: Callable[[dict[str, Any]], Any]) -> bytes:
    """The document after a change."""
    document = json.loads(json.dumps(DOCUMENT))
    change(document)
    return json.dumps(document).encode()


def change_at_path(*path: Any, value: Any) -> Callable[[dict[str, Any]], None]:
    """A change that sets the value at this path."""

    def change(document: dict[str, Any]) -> None:
        at: Any = document
        for step in path[:-1]:
            at = at[step]
        at[path[-1]] = value

    return change


@cases(
    "change, why",
    [
        (
            change_at_path("format", value="pbem-log/9"),
            "the format is 'pbem-log/9', this reads 'pbem-log/2', 'pbem-log/1'",
        ),
        (change_at_path("game", value="chess"), "no game here is called 'chess'"),
        (
            change_at_path("game", value=7),
            "not a log document: in game: a word in quotes is expected, not a whole number",
        ),
        (change_at_path("options", value={"x": 1}), "the header does not fit: there is no option “x”, but: memory"),
        (
            change_at_path("options", value=[]),
            "not a log document: in options: a set of names and values in { } is expected, not a list in [ ]",
        ),
        (change_at_path("seats", value=5), "Hogen is not played by 5"),
        (
            change_at_path("seats", value="3"),
            "not a log document: in seats: a whole number is expected, not a word in quotes",
        ),
        (change_at_path("seats", value=10**30), "Hogen is not played by 1000000000000000000000000000000"),
        (change_at_path("viewer", value=3), "there is no seat 3"),
        (change_at_path("viewer", value=99), "not a log document: in viewer: at most 15 is allowed"),
        (
            change_at_path("viewer", value="some"),
            "not a log document: in viewer: 'some' is nothing that can stand there",
        ),
        (change_at_path("seed", value="zz"), "the seed has not 32 bytes"),
        (change_at_path("seed", value="00"), "the seed has not 32 bytes"),
        (change_at_path("seed", value=DOCUMENT["seed"].upper()), "“seed” has not 64 hexadecimal digits"),
        (
            change_at_path("sealed_until", value="2026-03-12T12:04:00Z"),
            "a log that hides something does not show the seed",
        ),
        (
            change_at_path("commitment", value=None),
            "not a log document: in commitment: a word in quotes is expected, not null",
        ),
        (change_at_path("commitment", value="G" * 64), "“commitment” has not 64 hexadecimal digits"),
        (
            change_at_path("seed_sha256", value="0" * 64),
            "not a log document: it has “seed_sha256”, which has no place there",
        ),
        (change_at_path("deal", value="a room of one's own"), "its “deal” is not what a header writes there"),
        (change_at_path("head", value="0"), "“head” has not 64 hexadecimal digits"),
        (change_at_path("words", value=[]), "a log of 3 seats has as many hashes of lucky words, this has 0"),
        (change_at_path("words", 0, value="abricot"), "“words” has not 64 hexadecimal digits"),
        (change_at_path("sealed_until", value="tomorrow"), "its “sealed_until” is not what a header writes there"),
        (
            change_at_path("events", value={}),
            "not a log document: in events: a list in [ ] is expected, not a set of names and values in { }",
        ),
        (change_at_path("events", value=[]), "it has no entries"),
        (change_at_path("more", value=1), "not a log document: it has “more”, which has no place there"),
    ],
)
def test_a_header_that_does_not_fit_is_refused(change: Callable[[dict[str, Any]], None], why: str) -> None:
    with pytest.raises(BadLog) as caught:
        read(change_document(change), find_game)
    assert (caught.value.entry, caught.value.why) == (None, why)
    assert not any(DEVELOPERS.search(caught.value.said[lang]) for lang in LANGS), caught.value.said


@cases("viewer", [ALICE, None])
def test_a_viewers_log_that_contains_the_seed_is_refused(viewer: int | None) -> None:
    log = msgspec.structs.replace(redact_log(LOG, viewer), seed=LOG.seed)
    with pytest.raises(BadLog, match="does not show the seed"):
        read(log_to_bytes(log), find_game)


def test_moves_are_taken_back_only_to_the_end_of_a_decision_that_counts() -> None:
    log = take_back(LOG, Random(2))
    assert verify(read(log_to_bytes(log), find_game)).ok
    (undone,) = (entry for entry in log.entries if isinstance(entry.event, Undone))
    ends = {one.n for one, after in pairwise(log.entries[: undone.n - 1]) if one.key != after.key}
    for to in range(-1, len(log.entries) + 1):
        entries = list(log.entries)
        entries[undone.n - 1] = msgspec.structs.replace(undone, event=Undone(to))
        if to not in ends:
            with pytest.raises(BadLog) as caught:
                read(log_to_bytes(with_entries(log, entries)), find_game)
            assert caught.value.entry == undone.n


def test_verification_finds_a_move_taken_back_after_the_match_has_ended() -> None:
    for log in (LOG, end_by_the_table(LOG, Random(3))):
        decided = [one.n for one, after in pairwise(log.entries) if one.key != after.key]
        back = Entry(0, "2026-01-01T00:00:00Z", By(table=True), None, Undone(decided[-1 if log is LOG else 0]))
        forged = read(log_to_bytes(with_entries(log, [*log.entries, back])), find_game)
        assert any("ended" in problem for problem in verify(forged).problems)


def test_failed_checks_are_not_counted_as_checked() -> None:
    decisions = verify(LOG).count("facts") or 0
    at = next(i for i, entry in enumerate(LOG.entries) if entry.key is not None)
    other = (LOG.entries[at].by.seat or 0) + 1
    entries = list(LOG.entries)
    entries[at] = msgspec.structs.replace(entries[at], by=By(seat=other % LOG.seats))
    verdict = verify(with_entries(LOG, entries))
    assert verdict.findings[0].entry == entries[at].n
    assert verdict.count("facts") == decisions - 1


EVENT = ("events", 1, "event")


@cases(
    "change, entry, why",
    [
        (
            change_at_path("events", 1, value=None),
            2,
            "it cannot be read: a set of names and values in { } is expected, not null",
        ),
        (
            change_at_path("events", 1, value="x"),
            2,
            "it cannot be read: a set of names and values in { } is expected, not a word in quotes",
        ),
        (change_at_path("events", 1, "n", value=7), 2, "it is numbered 7"),
        (
            change_at_path("events", 1, "n", value="2"),
            2,
            "it cannot be read: in n: a whole number is expected, not a word in quotes",
        ),
        (change_at_path("events", 1, "n", value=2**70), 2, "it is numbered 1180591620717411303424"),
        (
            change_at_path("events", 1, "at", value=5),
            2,
            "it cannot be read: in at: a word in quotes is expected, not a whole number",
        ),
        (change_at_path("events", 1, "by", value={"seat": 3}), 2, "there is no seat 3"),
        (
            change_at_path("events", 1, "by", value={"seat": 99}),
            2,
            "it cannot be read: in by.seat: at most 15 is allowed",
        ),
        (
            change_at_path("events", 1, "by", value={"who": 1}),
            2,
            "it cannot be read: in by: it has “who”, which has no place there",
        ),
        (
            change_at_path("events", 1, "key", value=5),
            2,
            "it cannot be read: in key: a word in quotes or null is expected, not a whole number",
        ),
        (change_at_path("events", 1, "more", value=1), 2, "it cannot be read: it has “more”, which has no place there"),
        (
            change_at_path(*EVENT, value={"type": "Nothing"}),
            2,
            "it cannot be read: in event.type: 'Nothing' is nothing that can stand there",
        ),
        (change_at_path(*EVENT, value={"type": "Passed"}), 2, "it cannot be read: in event: “seat” is missing"),
        (change_at_path(*EVENT, value={"type": "Passed", "seat": 3}), 2, "there is no seat 3"),
        (
            change_at_path(*EVENT, value={"type": "Passed", "seat": 10_000_000}),
            2,
            "it cannot be read: in event.seat: at most 15 is allowed",
        ),
        (
            change_at_path(*EVENT, value={"type": "Passed", "seat": 1}),
            2,
            "'event.card' has a seal there, and may not have one",
        ),
        (
            change_at_path(*EVENT, value={"type": "Exchanged", "seat": 1, "given": "F1", "taken": "F9"}),
            2,
            "it cannot be read: in event.taken: it is not written as it must be",
        ),
        (
            change_at_path(*EVENT, value={"type": "Declared", "seat": 0, "allies": [{"seat": 3, "card": "F1"}]}),
            2,
            "there is no seat 3",
        ),
        (
            change_at_path("events", 4, "event", value={"type": "Dealt", "palace": [], "hands": [[]] * 9}),
            5,
            "it cannot be read: in event.hands: at most 4 items are expected",
        ),
        (change_at_path("events", 0, "event", "hands", value=[["F1"]]), 1, "hands is not for 3 seats"),
        (
            change_at_path("events", 0, "event", value={"type": "Began", "seat": 0}),
            1,
            "'event.hands.0' has a seal there, and may not have one",
        ),
        (
            change_at_path("events", 0, "event", value={"type": "Absent", "seat": 0}),
            1,
            "'event.hands.0' has a seal there, and may not have one",
        ),
        (
            change_at_path("events", 1, "by", value={"seat": 0, "clock": 0}),
            2,
            "its “by” is not what a log writes there",
        ),
        (change_at_path("events", 1, "by", value={"seat": 0, "clock": None}), 2, "a log does not write it like this"),
        (
            change_at_path("events", 1, "by", value={"seat": 0, "version": 1}),
            2,
            "its “by” is not what a log writes there",
        ),
        (
            change_at_path("events", 1, "by", value={"clock": 0, "via": "web"}),
            2,
            "its “by” is not what a log writes there",
        ),
        (change_at_path("events", 1, "by", value={"table": True}), 2, "its “key” is not what a log writes there"),
        (change_at_path("events", 1, "key", value=None), 2, "its “key” is not what a log writes there"),
        (
            change_at_path("events", 1, "key", value=DOCUMENT["events"][1]["key"] + "~1"),
            2,
            "its “key” is not what a log writes there",
        ),
        (change_at_path("events", 1, "salts", value={}), 2, "a log does not write it like this"),
        (change_at_path("events", 0, "by", value={"seat": 0}), 1, "its “key” is not what a log writes there"),
        (change_at_path("events", 0, "key", value="t0.deal"), 1, "its “key” is not what a log writes there"),
        (change_at_path("events", 0, "sealed", value={}), 1, "a log does not write it like this"),
        (
            change_at_path("events", 0, "salts", value={"event.hands.0": "0" * 64}),
            1,
            "it gives salts, which follow from the seed",
        ),
        (lambda document: document["events"].pop(0), 1, "it is numbered 2"),
        (lambda document: document["events"].pop(5), 6, "it is numbered 7"),
    ],
)
def test_an_invalid_entry_is_refused_with_its_number(
    change: Callable[[dict[str, Any]], None], entry: int, why: str
) -> None:
    with pytest.raises(BadLog) as caught:
        read(change_document(change), find_game)
    assert (caught.value.entry, caught.value.why) == (entry, why)
    assert str(caught.value) == f"entry {entry}: {why}"


@cases(
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
        log_to_bytes(LOG).replace(b'"event":{', b'"event":' + b"[" * 100_000, 1),
        b'{"seats":' + b"9" * 20_000 + b"}",
    ],
)
def test_a_file_that_is_no_log_document_is_refused(data: bytes) -> None:
    with pytest.raises(BadLog):
        read(data, find_game)


@pytest.mark.long
@given(st.binary(max_size=200))
def test_no_bytes_crash_the_log_reader(data: bytes) -> None:
    with pytest.raises(BadLog):
        read(data, find_game)


@pytest.mark.long
@given(st.integers(0, len(log_to_bytes(LOG)) - 1), st.binary(min_size=1, max_size=3))
def test_no_damaged_log_crashes_the_log_reader(at: int, damage: bytes) -> None:
    data = log_to_bytes(LOG)
    try:
        log = read(data[:at] + damage + data[at + len(damage) :], find_game)
    except BadLog:
        return
    assert (verify(log).count("facts") or 0) <= len(LOG.entries)


@pytest.mark.long
@cases("words", ["call me at home", "<b> x", "x" * 65, "a\nb", "é"])
@cases(
    "place, field",
    [
        (("commitment",), "commitment"),
        (("deal",), "deal"),
        (("words", 1), "words"),
        (("head",), "head"),
        (("events", 0, "sealed", "event.hands.0"), "event.hands.0"),
        (("events", 3, "at"), "at"),
        (("events", 3, "key"), "key"),
        (("events", 3, "by", "via"), "via"),
    ],
)
def test_a_log_has_no_field_for_free_text(place: tuple[str | int, ...], field: str, words: str) -> None:
    with pytest.raises(BadLog, match=field):
        read(change_document(change_at_path(*place, value=words)), find_game)


def test_a_log_beyond_its_size_limits_is_refused() -> None:
    with pytest.raises(BadLog, match="bytes"):
        read(b" " * (logfile.MAX_BYTES + 1), find_game)
    many = change_document(change_at_path("events", value=[0] * (logfile.MAX_ENTRIES + 1)))
    with pytest.raises(BadLog, match="entries"):
        read(many, find_game)


def test_a_log_has_a_limit_of_table_events() -> None:
    absent = Entry(0, "2026-01-01T00:00:00Z", By(table=True), None, Absent(BOB))

    def with_(more: int) -> bytes:
        entries = [*LOG.entries, *([absent] * more)]
        numbered = (msgspec.structs.replace(entry, n=n) for n, entry in enumerate(entries, 1))
        return log_to_bytes(with_entries(LOG, numbered))

    assert read(with_(logfile.MAX_TABLE_ENTRIES), find_game).game is LOG.game
    with pytest.raises(BadLog, match="about the table"):
        read(with_(logfile.MAX_TABLE_ENTRIES + 1), find_game)


# --- how much work it is -----------------------------------------------------------------------------------


@pytest.mark.long
def test_a_log_has_a_limit_of_decisions_for_its_game() -> None:
    forged, most = long_log(1999), GAME.meta.bound
    keys = list(dict.fromkeys(e.key for e in forged.entries if e.key))
    assert len(keys) < most

    def with_(decisions: int) -> bytes:
        """The log with its last call and its passes repeated, up to this many decisions."""
        entries, again = list(forged.entries), forged.entries[-3:]
        for n in range(decisions - len(keys)):
            for entry in again:
                entries.append(msgspec.structs.replace(entry, n=len(entries) + 1, key=f"t2.act{n}"))
        return log_to_bytes(with_entries(forged, entries))

    whole = read(with_(most), find_game)
    with pytest.raises(BadLog, match=f"ends within {most} decisions") as refused:
        read(with_(most + 1), find_game)
    assert refused.value.entry == len(whole.entries) + 1


def test_a_state_larger_than_a_real_match_needs_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = [len(encode(state)) for _, state in entries_with_states(LOG)]
    assert max(sizes) < logfile.MAX_STATE / 4
    monkeypatch.setattr(logfile, "WEIGH_EVERY", 1)
    monkeypatch.setattr(logfile, "MAX_STATE", max(sizes))
    assert read(log_to_bytes(LOG), find_game) == LOG
    monkeypatch.setattr(logfile, "MAX_STATE", max(sizes) - 1)
    with pytest.raises(BadLog, match="takes more than") as refused:
        read(log_to_bytes(LOG), find_game)
    assert refused.value.entry == sizes.index(max(sizes)) + 1
    monkeypatch.setattr(logfile, "WEIGH_EVERY", len(sizes) + 1)
    monkeypatch.setattr(logfile, "MAX_STATE", sizes[-1] - 1)
    with pytest.raises(BadLog, match="takes more than") as refused:
        read(log_to_bytes(LOG), find_game)
    assert refused.value.entry == len(sizes), "the last position is weighed in any case"


@cases("key", ["t1", "a.b.c.d.e", "T1.act", "t1.act now", "t1..act", "t1.<b>", "words-of-ones-own.", "t1." + "a" * 17])
def test_a_log_entrys_question_key_must_have_the_form_games_use(key: str) -> None:
    with pytest.raises(BadLog, match="key"):
        read(change_document(change_at_path("events", 1, "key", value=key)), find_game)


@pytest.mark.long
def test_reading_and_verifying_the_longest_log_takes_linear_time() -> None:
    tenth, whole = log_to_bytes(long_log(700)), log_to_bytes(long_log(7000))
    assert 0.7 * logfile.MAX_BYTES < len(whole) <= logfile.MAX_BYTES
    assert growth_of_cpu_time(lambda: read(tenth, find_game), lambda: read(whole, find_game)) < 10 * LINEAR
    part, log = read(tenth, find_game), read(whole, find_game)
    assert growth_of_cpu_time(lambda: verify(part), lambda: verify(log)) < 10 * LINEAR


@pytest.mark.long
def test_verifying_a_match_played_by_the_clock_takes_linear_time() -> None:
    """Each decision needs a seat's own fold: without a cache that would be hundreds of thousands of steps."""
    steps = 0

    def evolve(state: Any, event: Any) -> Any:
        nonlocal steps
        steps += 1
        return GAME.evolve(state, event)

    assert isinstance(GAME, AssembledGame)
    game = replace(GAME, evolve=evolve)
    table = Table(game, 3, GAME.meta.options(), seed_of("hogen", 3, 7))
    while asks := GAME.pending(table.state):
        luck = table.luck.fallback(table.next_entry_number, asks[0].key, asks[0].seat)
        table.play(asks[0], GAME.fallback(table.folds[asks[0].seat], asks[0].seat, luck), By(clock=asks[0].seat))
    log = log_of(table)
    steps = 0
    assert verify(log).ok
    assert len(log.entries) > 200
    assert steps <= (1 + log.seats) * len(log.entries)


def with_palace(cards: int) -> bytes:
    return change_document(change_at_path("events", 0, "event", "palace", value=["F1"] * cards))


@pytest.mark.long
def test_an_event_with_more_items_than_the_game_has_is_refused() -> None:
    with pytest.raises(BadLog) as caught:
        read(with_palace(60_000), find_game)
    assert caught.value.entry == 1
    assert "at most 4 items" in caught.value.why


def test_a_log_that_takes_a_card_that_is_not_there_is_refused() -> None:
    begun = next(i for i, e in enumerate(LOG.entries, 1) if type(e.event).__name__ == "Exchanged")
    entries = list(LOG.entries[: begun - 1])
    answer = LOG.entries[begun - 1].event
    absent = next(c for c in ("F1", "F2", "F3", "F4", "M1") if c not in (*states_after(begun - 1).palace, answer.given))
    entries.append(Entry(begun, EPOCH, By(seat=answer.seat), "x.y", Exchanged(answer.seat, answer.given, absent)))
    with pytest.raises(BadLog) as caught:
        read(log_to_bytes(with_entries(LOG, entries)), find_game)
    assert caught.value.entry == begun


def states_after(count: int) -> Any:
    """The full state after this many entries."""
    return [state for _, state in entries_with_states(up_to(count))][-1]


# --- a log for one viewer shows no more than that -----------------------------------------------------------


def test_a_full_log_that_hides_something_is_refused() -> None:
    hidden = change_at_path("events", 0, "event", "hands", 1, value=[None] * 4)
    with pytest.raises(BadLog, match="something is hidden") as caught:
        read(change_document(hidden), find_game)
    assert caught.value.entry == 1
    one = change_at_path("events", 0, "event", "hands", 2, 0, value=None)
    with pytest.raises(BadLog, match="something is hidden"):
        read(change_document(one), find_game)


@cases("viewer, whose", [(ALICE, "seat A"), (BOB, "seat B"), (None, "a spectator")])
def test_a_viewers_log_that_shows_more_than_they_may_see_is_refused(viewer: int | None, whose: str) -> None:
    def change(document: dict[str, Any]) -> None:
        document.update(viewer=viewer)
        document.pop("seed")

    with pytest.raises(BadLog, match=f"shows what {whose} may not see") as caught:
        read(change_document(change), find_game)
    assert caught.value.entry == 1
    own = redact_entries(LOG.entries, viewer)
    at = next(i for i, e in enumerate(own) if type(e.event).__name__ == "AllyChosen" and e.event.card is None)
    own[at] = LOG.entries[at]
    with pytest.raises(BadLog, match=f"shows what {whose} may not see") as caught:
        read(log_to_bytes(msgspec.structs.replace(redact_log(LOG, viewer), entries=tuple(own))), find_game)
    assert caught.value.entry == at + 1


def test_a_viewers_log_may_hide_faded_values() -> None:
    table = Table(GLIMPSE, 2, Options(), bytes(32))
    for _ in range(3):
        ask = GLIMPSE.pending(table.state)[0]
        table.play(ask, Show(1), By(seat=ask.seat))
    entries = redact_entries(table.entries, BOB, fresh_from=4)
    log = redact_log(log_of(table), BOB, fresh_from=4)
    assert list(log.entries) == entries
    assert any(e.event.number is None for e in entries[1:])
    assert read(log_to_bytes(log), lambda slug: GLIMPSE) == log
