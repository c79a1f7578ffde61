"""Entries, folds, and how long a fading field stays visible."""

from typing import Annotated

from pbem.games.hagakure import GAME as HAGAKURE
from pbem.games.hogen import GAME as HOGEN
from pbem.kit.contract import Event, Viewer
from pbem.kit.play import Table, random_decisions
from pbem.kit.replay import (
    AnyEntry,
    By,
    Entry,
    Extended,
    Resigned,
    first_entry_still_fresh,
    fold_for_viewer,
    full_fold,
    numbers_of_newest_repeats,
    redact_entries,
    seats_in_value,
    turn_of_key,
)
from pbem.kit.secrecy import fades
from tests.harness.cases import cases
from tests.kit.toys import GLIMPSE, Closed, Dealt, Glimpsed

ALICE, BOB, CAROL = range(3)
CHARLIE: Viewer = None


def entries(*rows: tuple[int | None, str | None, Event]) -> list[AnyEntry]:
    """Entries from (seat or None for the table, key, event)."""
    return [
        Entry(n, "2026-01-01T00:00:00Z", By(table=True) if seat is None else By(seat=seat), key, event)
        for n, (seat, key, event) in enumerate(rows, 1)
    ]


LOG = entries(
    (None, None, Dealt((10, 20, 30))),
    (ALICE, "t0.show", Glimpsed(ALICE, 10)),
    (BOB, "t1.show", Glimpsed(BOB, 20)),
    (None, None, Extended(3600)),
    (CAROL, "t2.show", Glimpsed(CAROL, 30)),
    (ALICE, "t3.show", Glimpsed(ALICE, 10)),
)


def first_fresh_entry(log: list[AnyEntry], viewer: Viewer) -> int:
    return first_entry_still_fresh(GLIMPSE, log, viewer, GLIMPSE.pending(full_fold(GLIMPSE, log)))


@cases(
    "length, viewer, first",
    [
        (1, ALICE, 1),
        (2, ALICE, 2),
        (5, ALICE, 2),
        (6, ALICE, 6),
        (6, BOB, 3),
        (6, CAROL, 5),
        (2, BOB, 1),
        (2, CHARLIE, 3),
        (6, CHARLIE, 7),
    ],
)
def test_fading_events_stay_visible_to_a_seat_since_its_last_turn(length: int, viewer: Viewer, first: int) -> None:
    assert first_fresh_entry(LOG[:length], viewer) == first


def test_a_spectator_sees_the_current_turn() -> None:
    """Two asks of one turn: while the second is open, the first one's events are fresh."""
    log = entries((None, None, Dealt((10, 20))), (BOB, "t0.look", Glimpsed(BOB, 20)))
    assert GLIMPSE.pending(full_fold(GLIMPSE, log[:1]))[0].turn == "t0"
    assert first_entry_still_fresh(GLIMPSE, log, CHARLIE, GLIMPSE.pending(full_fold(GLIMPSE, log[:1]))) == 2


def test_a_finished_match_hides_nothing_from_a_spectator() -> None:
    assert first_fresh_entry([*LOG, *entries((BOB, "t4.show", Closed(ALICE)))], CHARLIE) == 1


def test_in_a_game_without_fading_fields_the_whole_log_is_fresh() -> None:
    assert first_entry_still_fresh(HAGAKURE, LOG, ALICE, ()) == 1


def test_redacting_hides_faded_values_before_the_first_fresh_entry() -> None:
    seen = redact_entries(LOG, ALICE, fresh_from=5)
    assert [e.event.number for e in seen if isinstance(e.event, Glimpsed)] == [None, None, 30, 10]
    assert seen[0].event == Dealt((10, None, None))
    assert seen[3] is LOG[3]


class Opened(Event, frozen=True):
    number: Annotated[int | None, fades(repeated=True)]


def test_of_events_repeating_an_open_value_only_the_newest_is_seen() -> None:
    log = entries(
        (None, None, Dealt((10, 20))),
        (ALICE, "t0.show", Opened(1)),
        (BOB, "t1.show", Glimpsed(BOB, 20)),
        (BOB, "t1.show", Opened(2)),
        (None, None, Extended(60)),
    )
    assert numbers_of_newest_repeats(log) == {4}
    assert [getattr(e.event, "number", "-") for e in redact_entries(log, CHARLIE, 6)] == ["-", None, None, 2, "-"]
    assert [getattr(e.event, "number", "-") for e in redact_entries(log, CHARLIE, 3)] == ["-", None, 20, 2, "-"]
    assert redact_entries(log[:2], CHARLIE, 3)[1] == log[1]
    assert numbers_of_newest_repeats(LOG) == frozenset()


def test_a_question_closed_unanswered_does_not_make_events_fade() -> None:
    """Carol was asked in t1 and others were faster: she still sees what came since her own answer in t0."""
    log = entries(
        (None, None, Dealt((10, 20, 30))),
        (CAROL, "t0.show", Glimpsed(CAROL, 30)),
        (BOB, "t1.show", Glimpsed(BOB, 20)),
        (ALICE, "t2.show", Glimpsed(ALICE, 10)),
    )
    assert first_fresh_entry(log, CAROL) == 2


def test_table_events_never_reach_the_game() -> None:
    assert full_fold(GLIMPSE, LOG) == full_fold(GLIMPSE, [e for e in LOG if not isinstance(e.event, Extended)])
    assert full_fold(GLIMPSE, LOG).at == 4


def test_a_viewers_fold_holds_only_values_the_viewer_may_see() -> None:
    assert full_fold(GLIMPSE, LOG).numbers == (10, 20, 30)
    assert fold_for_viewer(GLIMPSE, LOG, BOB).numbers == (None, 20, None)
    assert fold_for_viewer(GLIMPSE, LOG, CHARLIE).numbers == (None, None, None)
    assert fold_for_viewer(GLIMPSE, redact_entries(LOG, BOB, 6), BOB) == fold_for_viewer(GLIMPSE, LOG, BOB)


def test_a_fold_of_redacted_entries_is_the_viewers_fold() -> None:
    table = Table(HOGEN, 4, HOGEN.meta.options(), bytes(32))
    for _ in random_decisions(table):
        pass
    for viewer in table.viewers:
        assert full_fold(HOGEN, redact_entries(table.entries, viewer)) == fold_for_viewer(HOGEN, table.entries, viewer)
        assert fold_for_viewer(HOGEN, table.entries, viewer) == table.folds[viewer]


def test_an_entry_answers_for_the_seat_that_was_asked() -> None:
    assert [by.seat_answered_for for by in (By(seat=0), By(clock=1), By(bot=2), By(table=True))] == [0, 1, 2, None]


def test_the_turn_of_a_question_key_is_its_part_before_the_last_dot() -> None:
    assert [turn_of_key(key) for key in ("t3.act0", "r2.t5.window1", "x")] == ["t3", "r2.t5", ""]


def test_the_seats_that_an_event_names_are_found_wherever_they_stand() -> None:
    from pbem.games.hogen.facts import Declared, Exchanged, Guess

    assert list(seats_in_value(Declared(1, (Guess(0, "F1"), Guess(9, "M1"))))) == [1, 0, 9]
    assert list(seats_in_value(Exchanged(2, "F1", "M1"))) == [2]
    assert list(seats_in_value(Resigned(3))) == [3]
    assert list(seats_in_value(Extended(5))) == []
