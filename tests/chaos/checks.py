"""Checks after the faults: moves and logs here, mails and clocks in `checks_mail`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pbem.errors import Problem
from pbem.features.lab.sealing import seal_log
from pbem.games import find_game
from pbem.kit.codec import codec_for, encode
from pbem.kit.endings import outcome_of_fold_and_entries
from pbem.kit.logs import logfile
from pbem.kit.logs.log_errors import BadLog
from pbem.kit.logs.verdict import verify
from pbem.kit.logs.verdict_texts import CUT_OFF
from pbem.kit.orders.typed import format_order
from pbem.kit.play import LawBroken
from pbem.kit.replay import (
    AnyEntry,
    Resigned,
    TableEvent,
    Undone,
    ending_of,
    fold_for_viewer,
    full_fold,
    key_without_takebacks,
)
from pbem.services.log import proofs
from pbem.services.log.store import UNDONE
from pbem.services.play.orders import orders_from_json
from pbem.services.views import match_views
from tests.chaos.evidence import Evidence, Looked, Played
from tests.chaos.ledger import Ack
from tests.chaos.relive import replay_log


def check_moves(evidence: Evidence) -> Looked:
    """Checks that every acknowledged move is in its log once, as it was made, at the acknowledged place."""
    looked = Looked("acknowledged moves are in the log once")
    for ack in evidence.ledger.acks:
        played = evidence.matches.get(ack.match_id)
        where = f"{ack.match_id} seat {ack.seat} {ack.key}"
        if looked.hold(played, f"{where}: there is no such match") and played is not None:
            looked.wrong += [f"{where}: {wrong}" for wrong in _wrong_with(played, ack)]
    for match_id, seat in evidence.ledger.resigned:
        told = [entry for entry in evidence.matches[match_id].entries if entry.event == Resigned(seat)]
        looked.hold(len(told) == 1, f"{match_id} seat {seat} has resigned, and the log says it {len(told)} times")
    return looked


def check_take_backs(evidence: Evidence) -> Looked:
    """Checks that whatever was acknowledged as taken back is so in the log, once for each acknowledgement."""
    looked = Looked("what was taken back is so in the log")
    for back in evidence.ledger.backs:
        where = f"{back.match_id} seat {back.seat} took back to {back.to} by version {back.version}"
        played = evidence.matches.get(back.match_id)
        if not looked.hold(played, f"{where}: there is no such match") or played is None:
            continue
        acknowledged = [
            one for one in evidence.ledger.backs
            if (one.match_id, one.to) == (back.match_id, back.to) and one.version <= back.version
        ]  # fmt: skip
        told = [one for one in played.entries[: back.version] if one.event == Undone(back.to)]
        looked.hold(len(told) >= len(acknowledged), f"{where}: the log says it {len(told)} times")
    for match_id, played in evidence.matches.items():
        said = sum(isinstance(one.event, Undone) for one in played.entries)
        looked.hold(said == played.row.undone, f"{match_id}: taken back {said} times, its row says {played.row.undone}")
        for ask in played.answers.values():
            looked.hold(
                (ask.closed_by == UNDONE) == played.undone(ask),
                f"{match_id} seat {ask.seat} {ask.key} is closed by {ask.closed_by}, and the log says otherwise",
            )
    return looked


def _wrong_with(played: Played, ack: Ack) -> Iterator[str]:
    ask = played.by_key.get((ack.key, ack.seat))
    if ack.sealed and ask is not None and ask.first_n is None and ask.closed_by in (None, "table", UNDONE):
        if ask.sealed != encode(codec_for(played.game).move_of(ack.answer)).decode():
            yield f"sealed as {ack.answer}, kept as {ask.sealed}"
        return
    if ask is None or ask.closed_by not in ("seat", UNDONE) or ask.first_n is None or ask.last_n is None:
        yield "acknowledged, but the question is not answered by the seat"
        return
    move = played.game.parse(ack.answer) if isinstance(ack.answer, str) else codec_for(played.game).move_of(ack.answer)
    if ask.answer != encode(move).decode():
        yield f"acknowledged as {encode(move).decode()}, kept as {ask.answer}"
    key = played.entries[ask.first_n - 1].key if ask.first_n <= len(played.entries) else None
    if key is None or key_without_takebacks(key) != key_without_takebacks(ack.key):
        yield f"the log has another question at {ask.first_n}: {key}"
    made = tuple(entry.n for entry in played.entries if (entry.key, entry.by.seat) == (key, ack.seat))
    if not made or made != tuple(range(ask.first_n, ask.last_n + 1)):
        yield f"the log has it at {made}, the question at {ask.first_n} to {ask.last_n}"
    if ack.entries is not None and not ack.sealed and (ack.entries, ack.version) != (made, ask.last_n):
        yield f"acknowledged as {ack.entries} up to {ack.version}, the log has it at {made} up to {ask.last_n}"


def check_orders(evidence: Evidence) -> Looked:
    """Checks that no order stands but those that were acknowledged last, and that their matches know of them."""
    looked = Looked("orders that stand are those that were sent last")
    for match_id, played in evidence.matches.items():
        ordering = [row for row in played.orders if row.body]
        looked.hold(
            len(ordering) == played.row.ordering,
            f"{match_id}: {len(ordering)} seats have orders, the match says {played.row.ordering}",
        )
        for row in ordering:
            standing = {format_order(one.order, played.game) for one in orders_from_json(played.game, row.body)}
            known = evidence.ledger.orders.get((match_id, row.seat), frozenset())
            looked.hold(standing <= known, f"{match_id} seat {row.seat}: {standing - known} was never sent")
    return looked


def check_logs(evidence: Evidence) -> Looked:
    """Checks that every log counts from 1 without a gap, and that each answer belongs to one question."""
    looked = Looked("logs have no gap; one answer a question")
    for match_id, played in evidence.matches.items():
        numbers = [entry.n for entry in played.entries]
        looked.hold(
            numbers == list(range(1, played.row.version + 1)),
            f"{match_id}: entries {numbers[:3]}…{numbers[-3:]}, {len(numbers)} of them, version {played.row.version}",
        )
        answers = [
            (group[0].key, group[0].seat_answered_for, group[0].n, group[-1].n)
            for group in entries_by_answer(played.entries)
        ]
        closed = [
            (key_without_takebacks(ask.key), ask.seat, ask.first_n, ask.last_n)
            for ask in played.asks
            if ask.closed_by in ("seat", "clock", "bot") or (ask.closed_by == UNDONE and ask.first_n is not None)
        ]
        odd = {(key_without_takebacks(key or ""), *rest) for key, *rest in answers} ^ set(closed)
        looked.hold(
            not odd and len(answers) == len(closed) == len({answer[:2] for answer in answers}),
            f"{match_id}: answers in the log and closed questions differ: {sorted(map(str, odd))[:4]}",
        )
    return looked


def entries_by_answer(entries: Sequence[AnyEntry]) -> Iterator[list[AnyEntry]]:
    """Returns the entries that answer a question, those of one answer together."""
    group: list[AnyEntry] = []
    for entry in entries:
        if group and (entry.key, entry.by) != (group[-1].key, group[-1].by):
            yield group
            group = []
        if not isinstance(entry.event, TableEvent) and entry.key is not None:
            group.append(entry)
    if group:
        yield group


def check_laws(evidence: Evidence) -> Looked:
    """Checks that every log replays for every seat, and that every position on the way obeys the laws."""
    looked = Looked("logs replay from every seat and obey the laws")
    for match_id, played in evidence.matches.items():
        if not played.entries:
            continue
        try:
            table = replay_log(played)
        except (LawBroken, ValueError) as broken:
            looked.hold(False, f"{match_id}: {broken}")
            continue
        looked.hold(full_fold(played.game, played.entries) == table.state, f"{match_id}: the full fold is another one")
        for viewer in table.viewers:
            looked.hold(
                fold_for_viewer(played.game, played.entries, viewer) == table.folds[viewer],
                f"{match_id}: the fold of {viewer} is another one",
            )
    return looked


def verify_logs(evidence: Evidence) -> Looked:
    """Checks that `pbem verify` accepts every finished log, and finds nothing but the missing end in any other."""
    looked = Looked("logs verify")
    for match_id, played in evidence.matches.items():
        if not played.entries:
            continue
        over = played.row.status == "over"
        try:
            log = match_views.read_log(evidence.site, match_id, None) if over else _so_far(played)
            log = logfile.read(logfile.log_to_bytes(log), find_game)
        except (Problem, BadLog) as error:
            looked.hold(False, f"{match_id}: {error}")
            continue
        found = [str(f) for f in verify(log).findings if over or f.said != CUT_OFF]
        looked.hold(not found, f"{match_id}: {found}")
    return looked


def _so_far(played: Played) -> logfile.Log:
    """Returns the log up to here, in the form it will have once the match is over, with its chain made again."""
    row, words = played.row, proofs.word_hashes(played.row)
    return seal_log(played.game, played.options, len(words), row.id, row.seed, words, played.entries)


def check_chains(evidence: Evidence) -> Looked:
    """Checks that every log's chain, made again from its entries, ends at the head that the match has."""
    looked = Looked("chains lead to the heads of their matches")
    for match_id, played in evidence.matches.items():
        head = played.row.head
        if played.entries and looked.hold(played.row.words is not None, f"{match_id}: played without lucky words"):
            made = _so_far(played)
            looked.hold(made.heads()[-1] == head, f"{match_id}: its chain leads to {made.heads()[-1]}, it has {head}")
            looked.hold(made.commitment == played.row.commitment, f"{match_id}: its words are not those committed to")
        else:
            looked.hold(bool(played.entries) or head is None, f"{match_id}: a head without an entry")
    return looked


def check_projections(evidence: Evidence) -> Looked:
    """Checks that the stored questions and outcomes are those that follow from the logs."""
    looked = Looked("open questions are those that the logs give")
    for match_id, played in evidence.matches.items():
        kept = {
            (key_without_takebacks(ask.key), ask.seat, ask.turn, ask.kind)
            for ask in played.asks
            if ask.closed_at is None
        }
        try:
            state = full_fold(played.game, played.entries) if played.entries else None
        except ValueError as error:
            looked.hold(False, f"{match_id}: the log cannot be folded: {error}")
            continue
        asked = () if state is None or ending_of(played.entries) else played.game.pending(state)
        wanted = {(ask.key, ask.seat, ask.turn, ask.kind) for ask in asked}
        looked.hold(kept == wanted, f"{match_id}: open are {sorted(kept)}, the log asks {sorted(wanted)}")
        over = state is not None and outcome_of_fold_and_entries(played.game, state, played.entries) is not None
        looked.hold(over == (played.row.status == "over"), f"{match_id}: {played.row.status}, and the log says {over}")
    return looked
