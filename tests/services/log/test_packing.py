"""An archive gives back the entries and asks that went in, also where they are not as the rules would have them."""

from __future__ import annotations

import lzma
from datetime import UTC, datetime

import pytest

from pbem.services.log.archive import FORM, Question, Stored, pack_archive, unpack_archive
from tests.harness.cases import cases
from tests.services.log.logs import FIRST, a_log


def pack_and_unpack(key: bytes, rows: list[Stored]) -> list[Stored]:
    kept = unpack_archive(FORM, pack_archive(rows, (), key, FIRST))
    proofs = kept.chain(key, FIRST)
    return [Stored(*line, sealed, head) for line, (_, sealed, head) in zip(kept.lines, proofs, strict=True)]


@pytest.mark.long
@cases("slug", ["allegeance", "hagakure"])
def test_unpacking_an_archive_recomputes_seals_and_heads(slug: str) -> None:
    key, rows = a_log(slug)
    assert any(row.sealed for row in rows)
    assert pack_and_unpack(key, rows) == rows
    packed, verbatim = (
        pack_archive(rows, (), key, FIRST),
        pack_archive(rows, (), b"another key of thirty-two bytes.", FIRST),
    )
    assert len(packed) < len(verbatim) / 2


def test_packed_logs_keep_hashes_that_do_not_follow_from_the_seed() -> None:
    key, rows = a_log()
    at = next(at for at, row in enumerate(rows) if row.sealed)
    path = next(iter(rows[at].sealed))
    rows[at] = rows[at]._replace(sealed={**rows[at].sealed, path: "f" * 64, "event.gone": "e" * 64})
    rows[3] = rows[3]._replace(head="d" * 64)
    assert pack_and_unpack(key, rows) == rows


def test_unpacked_questions_are_in_the_order_they_were_asked() -> None:
    key, rows = a_log(most=4)
    asked = [
        Question("r1.t1.call", 0, "r1.t1", "call", "r1.t1.call", 1, "seat", '{"type":"Call"}', 2, 3, None, None),
        Question("r1.t1.answer1", 1, "r1.t1", "answer", "r1.t1.call", 1, "table", None, None, None, "{}", '{"seat":1}'),
        Question("r1.t2.call", 1, "r1.t2", "call", "r1.t2.call", 3, "undone", "{}", 4, 4, None, None),
    ]
    assert unpack_archive(FORM, pack_archive(rows, reversed(asked), key, FIRST)).questions == asked


def test_archives_in_the_first_format_are_still_read() -> None:
    """What archives hold since the first of them was written; it is never changed."""
    written = """{
        "asks": {
            "answer": ["{}", null], "closed_by": ["seat", "table"], "first_n": [1, null], "key": ["t1.call", "t1.say1"],
            "kind": ["call", "say"], "last_n": [2, null], "opened_n": [3, 3], "origin": ["", "t1.call"],
            "sealed": [null, "{}"], "sealed_by": [null, "seat"], "seat": [0, 1], "turn": ["t1", "t1"]
        },
        "at": [1773317101, 61], "by": [{"table":true}, {"seat":1}], "event": [{"type":"MatchBegan"}, {"card":"F2"}],
        "heads": null, "key": [null, "t1.call"], "sealed": [null, ["event.card"]]
    }"""
    read = unpack_archive(1, lzma.compress(written.encode()))
    assert read.lines == [
        (1, datetime(2026, 3, 12, 12, 5, 1, tzinfo=UTC), '{"table":true}', None, '{"type":"MatchBegan"}'),
        (2, datetime(2026, 3, 12, 12, 6, 2, tzinfo=UTC), '{"seat":1}', "t1.call", '{"card":"F2"}'),
    ]
    assert read.questions == [
        ("t1.call", 0, "t1", "call", "t1.call", 3, "seat", "{}", 4, 6, None, None),
        ("t1.say1", 1, "t1", "say", "t1.call", 3, "table", None, None, None, "{}", "seat"),
    ]
    assert [(n, [*sealed]) for n, sealed, _ in read.chain(bytes(32), FIRST)] == [(1, []), (2, ["event.card"])]
    packed = pack_archive([], (), bytes(32), FIRST)
    assert (packed[:6], unpack_archive(1, packed).lines) == (b"\xfd7zXZ\x00", []), (
        "it is xz, and the form that is written"
    )
