"""Replays a log by its decisions: each is made again with its seed, and every position obeys the laws."""

from __future__ import annotations

from collections.abc import Iterator

from pbem.kit.chance import KeyLuck
from pbem.kit.codec import codec_for
from pbem.kit.contract import ask_of
from pbem.kit.laws.positions import check_position
from pbem.kit.play import Table
from pbem.kit.replay import (
    AnyEntry,
    By,
    Entry,
    TableEvent,
    Undone,
    count_takebacks,
    fold_for_viewer,
    full_fold,
    key_in_log,
    key_without_takebacks,
)
from pbem.models.tables import AskRow
from pbem.services.log import proofs
from tests.chaos.evidence import Played

TAKEN_BACK = TableEvent()
"""What stands in the place of an entry of the game that was taken back: something that no game sees."""


def replay_log(played: Played) -> Table:
    """Returns the table at the end of the log. Raises LawBroken at the first entry that does not match."""
    game, row = played.game, played.row
    table = Table(game, len(played.seats), played.options, row.seed, deal=row.id, words=proofs.word_hashes(row))
    _await_same_log(table, played, 0)
    while table.next_entry_number <= len(played.entries):
        check_position(table)
        entry = played.entries[table.next_entry_number - 1]
        if isinstance(entry.event, TableEvent):
            table.entries.append(entry)
            if isinstance(entry.event, Undone):
                _take_back(table, entry.event.to)
            continue
        before, seat = len(table.entries), entry.seat_answered_for
        asked = None if seat is None else ask_of(game, table.state, seat)
        known = played.answers.get(entry.n)
        if asked is None or known is None or known.answer is None or {*_questions(entry, known)} != {(asked.key, seat)}:
            raise table.broken(f"entry {entry.n} answers a question that is not asked: {entry.key!r} by {entry.by}")
        table.play(asked, codec_for(game).move(known.answer.encode()), entry.by)
        _await_same_log(table, played, before)
    check_position(table)
    return table


def _questions(entry: AnyEntry, ask: AskRow) -> Iterator[tuple[str, int | None]]:
    """Yields the question and the seat, as the entry names them and as the question's row does."""
    yield key_without_takebacks(entry.key or ""), entry.seat_answered_for
    yield key_without_takebacks(ask.key), ask.seat


def _take_back(table: Table, to: int) -> None:
    """Leads the table back to where it was after entry `to`, with the luck of who has taken back once more.

    What was taken back keeps its number only, and its questions may come again.
    """
    gone = [one for one in table.entries if one.n > to and not isinstance(one.event, TableEvent)]
    for one in gone:
        table.entries[one.n - 1] = Entry(one.n, one.at, By(table=True), None, TAKEN_BACK)
    table.state = full_fold(table.game, table.entries)
    table.folds = {viewer: fold_for_viewer(table.game, table.entries, viewer) for viewer in table.viewers}
    table.luck = KeyLuck(table.key, count_takebacks(table.entries))
    table.keys, table.open, table.closed, table.faded = {}, set(), set(), {}


def _await_same_log(table: Table, played: Played, before: int) -> None:
    """Returns when the entries that the table has made are those of the log."""
    undone = count_takebacks(table.entries)
    for made, kept in zip(table.entries[before:], played.entries[before:], strict=False):
        key = None if made.key is None else key_in_log(made.key, undone)
        if (made.n, made.by, key, made.event) != (kept.n, kept.by, kept.key, kept.event):
            raise table.broken(f"entry {kept.n} is {kept.event} by {kept.by}; the rules and the seed give {made.event}")
    if len(table.entries) > len(played.entries):
        raise table.broken("the log ends in the middle of a decision")
