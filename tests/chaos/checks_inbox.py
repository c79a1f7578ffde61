"""Checks of the mails that came in, after the faults: none lost, each read, played and answered at most once."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from email import message_from_bytes

from pbem.features.inbox import verdicts
from pbem.features.inbox.tables import InboxRow
from pbem.kit.codec import codec_for, encode
from tests.chaos.checks import entries_by_answer
from tests.chaos.evidence import Evidence, Looked
from tests.chaos.ledger import Reply

VIA = "mail"


def check_deliveries(evidence: Evidence) -> Looked:
    """Checks that every delivery that was acknowledged is kept, as one row, and has been read."""
    looked = Looked("deliveries acknowledged were kept and read")
    kept = Counter((said, tuple(json.loads(row.recipients))) for row, said in _mails_with_ids(evidence))
    for said, recipients in evidence.ledger.deliveries:
        looked.hold(kept[said, recipients], f"{said} was acknowledged and is not kept")
    for row, said in _mails_with_ids(evidence):
        state = f"due {row.due_at}, claimed until {row.claimed_until}, {row.attempts} attempts"
        looked.hold(row.done_at is not None and row.verdict is not None, f"{said} waits: {state}")
        looked.hold(row.done_at is None or row.claimed_until is None, f"{said} is read and claimed")
    return looked


def check_replies(evidence: Evidence) -> Looked:
    """Checks that every reply was played, once, unless its question had been answered before; and nothing else was."""
    looked = Looked("replies are played once, or came too late")
    rows = _by_id(evidence)
    acknowledged = {said for said, _ in evidence.ledger.deliveries}
    for said in acknowledged | {*rows}:
        reply = evidence.ledger.replies.get(said)
        if not looked.hold(reply is not None, f"{said} came in, and nobody wrote it") or reply is None:
            continue
        looked.wrong += [f"{said} to {reply.key}: {wrong}" for wrong in _wrong_with(evidence, reply, rows)]
    acted = Counter(row.match_id for of_one in rows.values() for row in of_one if row.verdict == verdicts.ACTED)
    looked.hold(VIA in {one.by.via for played in evidence.matches.values() for one in played.entries}, "nobody replied")
    for match_id, played in evidence.matches.items():
        made = sum(group[0].by.via == VIA for group in entries_by_answer(played.entries))
        looked.hold(made == acted[match_id], f"{match_id}: {made} moves by mail, {acted[match_id]} mails were acted on")
    return looked


def _wrong_with(evidence: Evidence, reply: Reply, rows: Mapping[str, Sequence[InboxRow]]) -> Iterator[str]:
    played, own = evidence.matches.get(reply.match_id), rows[reply.message_id]
    first, *others = [row.verdict for row in own if row.verdict != verdicts.DUPLICATE] or [None]
    if others or first not in (verdicts.ACTED, verdicts.STALE):
        yield f"it became {[(row.verdict, row.detail) for row in own]}"
        return
    ask = None if played is None else played.by_key.get((reply.key, reply.seat))
    if played is None or ask is None or ask.closed_at is None:
        yield "its question is still open, or never was"
        return
    made = [
        group for group in entries_by_answer(played.entries) if (group[0].key, group[0].by.seat) == (ask.key, ask.seat)
    ]
    ways = [group[0].by.via for group in made]
    if first == verdicts.STALE:
        if ways == [VIA] and not _is_another_played(evidence, reply, rows):
            yield "it came too late, and no other mail was played"
        return
    move = encode(codec_for(played.game).move_of(reply.answer)).decode()
    if (ask.closed_by, ask.answer) != ("seat", move):
        yield f"it was acted on, and its question was closed by {ask.closed_by} with {ask.answer}"
    if ways != [VIA]:
        yield f"it was acted on, and the log has its question answered by {ways}"


def _is_another_played(evidence: Evidence, late: Reply, rows: Mapping[str, Sequence[InboxRow]]) -> bool:
    """True if another mail about the same question was acted on."""
    return any(
        row.verdict == verdicts.ACTED
        for other in evidence.ledger.replies.values()
        if other is not late and (other.match_id, other.seat, other.key) == (late.match_id, late.seat, late.key)
        for row in rows.get(other.message_id, ())
    )


def check_answers(evidence: Evidence) -> Looked:
    """Checks that every mail was answered at most once, and as its row says."""
    looked = Looked("replies are answered at most once")
    queued = Counter(row.dedupe.split(":")[1] for row in evidence.outbox if row.dedupe.startswith("reply:"))
    for said, rows in _by_id(evidence).items():
        count = sum(queued[str(row.id)] for row in rows)
        looked.hold(count <= 1, f"{said} was answered {count} times")
        for row in rows:
            looked.hold(queued[str(row.id)] == row.answered, f"{said}: {queued[str(row.id)]} answers, {row.answered}")
    return looked


def _mails_with_ids(evidence: Evidence) -> Iterator[tuple[InboxRow, str]]:
    """Yields the mails that came in, but for the site's own, each with its Message-ID."""
    for row in evidence.inbox:
        if row.verdict != verdicts.CANARY:
            yield row, str(message_from_bytes(row.raw or b"")["Message-ID"])


def _by_id(evidence: Evidence) -> defaultdict[str, list[InboxRow]]:
    found = defaultdict[str, list[InboxRow]](list)
    for row, said in _mails_with_ids(evidence):
        found[said].append(row)
    return found
