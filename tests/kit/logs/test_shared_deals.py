"""Logs of tables that play one deal: the same draws, seals that cannot be compared, and secrets kept after the end."""

from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from pbem.features.lab.sealing import redact_log, seal_log
from pbem.games import find_game
from pbem.kit.logs.log_errors import BadLog
from pbem.kit.logs.logfile import DEAL, Log, log_to_bytes, read
from pbem.kit.logs.verdict import verify
from pbem.kit.play import Table, random_decisions
from pbem.kit.texts import LANGS
from tests.harness.cases import cases

SEED, DEAL_ID = bytes(range(32)), "d0"


def log_of(table_id: str | None) -> Log:
    """The log of a table of this deal that plays random moves to its end."""
    game = find_game("hogen")
    assert game is not None
    table = Table(game, 3, game.meta.options(), SEED, deal=DEAL_ID)
    for _ in random_decisions(table):
        pass
    return seal_log(game, table.options, 3, DEAL_ID, SEED, table.words, table.entries, table_id)


ONE, TWO, ALONE = (log_of(table_id) for table_id in ("a1", "a2", None))


def seal_until(log: Log, until: str | None) -> Log:
    """The log with this end of its secrets."""
    assert log.proof is not None
    return msgspec.structs.replace(log, proof=msgspec.structs.replace(log.proof, sealed_until=until))


@pytest.mark.long
@cases("log", [ONE, TWO, ALONE])
def test_a_full_log_reads_back_and_verifies(log: Log) -> None:
    again = read(log_to_bytes(log), find_game)
    assert again == log
    assert verify(again).ok


@cases("viewer", [0, 2, None])
def test_a_viewers_log_verifies_only_for_the_table_it_was_sealed_at(viewer: int | None) -> None:
    log = read(log_to_bytes(redact_log(ONE, viewer)), find_game)
    verdict = verify(log)
    assert verdict.count("chain") == len(log.entries)
    assert verdict.count("seals") or viewer is None
    assert log.proof is not None
    other = msgspec.structs.replace(log, proof=msgspec.structs.replace(log.proof, table="a2"))
    assert "do not lead to the mark" in verify(other).problems[0]


def test_the_same_moves_at_two_tables_have_different_seals_salts_and_heads() -> None:
    """The same seed, the same moves: everything that is equal in the three logs would tell of equal secrets."""
    assert ONE.entries == TWO.entries == ALONE.entries
    found = []
    for log in (ONE, TWO, ALONE):
        assert log.proof is not None
        salts = redact_log(log, 1).proof
        assert salts is not None
        found.append(
            {
                *log.heads(),
                *(seal for seals in log.proof.sealed for seal in seals.values()),
                *(salt for one in salts.salts for salt in one.values()),
            }
        )
    assert all(found)
    assert not found[0] & found[1]
    assert not found[0] & found[2]


def test_seals_of_another_table_fail_verification() -> None:
    assert ONE.proof is not None
    assert TWO.proof is not None
    moved = msgspec.structs.replace(ONE, proof=msgspec.structs.replace(ONE.proof, sealed=TWO.proof.sealed))
    assert any("not what was sealed" in problem for problem in verify(moved).problems)


@cases(
    "until, says",
    [(DEAL, "before the last table of its deal is over"), ("2026-03-12T12:04:00Z", "kept until 2026-03-12T12:04:00Z")],
)
def test_a_sealed_log_says_until_when_it_cannot_be_checked(until: str, says: str) -> None:
    log = read(log_to_bytes(seal_until(redact_log(ONE, 1), until)), find_game)
    verdict = verify(log)
    assert not verdict.checked
    (finding,) = verdict.findings
    assert says in finding.said.en
    assert all(finding.said[lang] for lang in LANGS)


def test_a_sealed_log_that_contains_the_seed_is_refused() -> None:
    with pytest.raises(BadLog, match="does not show the seed"):
        read(log_to_bytes(seal_until(ONE, DEAL)), find_game)


@cases(
    "change, why",
    [
        (lambda document: document.update(table="a room"), "table"),
        (lambda document: document.update(table=""), "table"),
        (lambda document: document.update(sealed_until="later"), "sealed_until"),
        (lambda document: document.update(sealed_until=""), "sealed_until"),
    ],
)
def test_a_header_that_does_not_fit_is_refused(change: Callable[[dict[str, Any]], None], why: str) -> None:
    document = msgspec.json.decode(log_to_bytes(redact_log(ONE, 0)))
    change(document)
    with pytest.raises(BadLog, match=why):
        read(msgspec.json.encode(document), find_game)
