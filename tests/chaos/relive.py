"""Replays a log by its decisions: each is made again with its seed, and every position obeys the laws."""

from __future__ import annotations

from pbem.kit.codec import codec_for
from pbem.kit.contract import ask_of
from pbem.kit.laws.positions import check_position
from pbem.kit.play import Table
from pbem.kit.replay import TableEvent
from pbem.services.log import proofs
from tests.chaos.evidence import Played


def relive(played: Played) -> Table:
    """Returns the table at the end of the log. Raises LawBroken at the first entry that does not match."""
    game, row = played.game, played.row
    table = Table(game, len(played.seats), played.options, row.seed, deal=row.id, words=proofs.words_of(row))
    _same(table, played, 0)
    while table.position <= len(played.entries):
        check_position(table)
        entry = played.entries[table.position - 1]
        if isinstance(entry.event, TableEvent):
            table.entries.append(entry)
            continue
        before, seat = len(table.entries), entry.answers_for
        asked = None if seat is None else ask_of(game, table.state, seat)
        known = played.by_key.get((entry.key or "", -1 if seat is None else seat))
        if asked is None or asked.key != entry.key or known is None or known.answer is None:
            raise table.broken(f"entry {entry.n} answers a question that is not asked: {entry.key!r} by {entry.by}")
        table.play(asked, codec_for(game).move(known.answer.encode()), entry.by)
        _same(table, played, before)
    check_position(table)
    return table


def _same(table: Table, played: Played, before: int) -> None:
    """Returns when the entries that the table has made are those of the log."""
    for made, kept in zip(table.entries[before:], played.entries[before:], strict=False):
        if (made.n, made.by, made.key, made.event) != (kept.n, kept.by, kept.key, kept.event):
            raise table.broken(f"entry {kept.n} is {kept.event} by {kept.by}; the rules and the seed give {made.event}")
    if len(table.entries) > len(played.entries):
        raise table.broken("the log ends in the middle of a decision")
