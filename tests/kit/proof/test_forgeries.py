"""Forged logs: each is found from the mailboxes of two players, or is of a kind that the verdict names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cache
from random import Random

import msgspec
import pytest

from pbem.features.lab.sealing import redact_log
from pbem.games import find_game
from pbem.kit.logs import chain
from pbem.kit.logs.chain import hash_word, mark_of
from pbem.kit.logs.log_errors import BadLog
from pbem.kit.logs.logfile import Log, log_to_bytes, read
from pbem.kit.logs.verdict import verify
from pbem.kit.play import Table, random_decisions
from pbem.kit.replay import Absent, By
from tests.harness.cases import cases
from tests.kit.proof.forging import (
    FORGERIES,
    LIES,
    Forge,
    Mailbox,
    agrees_with_itself,
    birthday_fork,
    break_seal,
    cut_off,
    do_mails_differ,
    does_player_detect,
    draw_again,
    drop_entry,
    end_without_people,
    exchange_seed,
    exchange_word,
    exchange_word_and_play,
    insert_table_entries,
    leave_out_a_seal,
    mailbox_of_player,
    seal_something_public,
    with_entries,
    with_sealed,
)
from tests.transcripts import log_of, play_match, seed_of

SOME, MANY = 40, 1000
FOUND_WITHOUT_MAILS = (
    drop_entry, cut_off, exchange_seed, exchange_word, break_seal, seal_something_public, leave_out_a_seal,
    end_without_people,
)  # fmt: skip
GAMES = ("hogen", "allegeance", "hagakure", "hexen-rennen", "niigata")


@cache
def log_from(slug: str, number: int = 1) -> Log:
    game = find_game(slug)
    assert game is not None
    seats = game.meta.seats[0]
    return log_of(
        play_match(game, seats, seed_of(slug, seats, number), game.meta.samples[0] if game.meta.samples else None)
    )


@pytest.mark.long
def test_a_player_finds_nothing_wrong_in_an_honest_log() -> None:
    for slug in GAMES:
        log, luck = log_from(slug), Random(1)
        assert not does_player_detect(log, mailbox_of_player(log, luck))


@pytest.mark.long
@pytest.mark.parametrize("count", [pytest.param(SOME), pytest.param(MANY, marks=pytest.mark.long)])
def test_forgeries_are_found_or_belong_to_a_kind_named_as_not_checked(count: int) -> None:
    """Two players compare: half of the time both hold the mail at the end, else only some from before.

    Somebody without mails is asked, too, so that what is found is not found by one hash alone.
    """
    found, luck = Counter[tuple[str, str]](), Random(7)
    for number in range(count):
        forge = FORGERIES[number % len(FORGERIES)]
        log = log_from(luck.choice(GAMES if count == MANY else GAMES[:1]))
        ends = bool(number // len(FORGERIES) % 2)
        boxes = [mailbox_of_player(log, luck, end=ends) for _ in range(2)]
        assert not any(do_mails_differ(log, box) for box in boxes)
        forged = forge(log, luck)
        assert forged != log
        found[forge.__name__, how_found(forge, forged, boxes)] += 1
    for (name, how), times in sorted(found.items()):
        print(f"{name:24} {how:12} {times:4}")  # noqa: T201 - the table of the long run
    assert {how for _, how in found} <= {"by itself", "from mails", "named"}
    for forge in FOUND_WITHOUT_MAILS:
        assert {how for name, how in found if name == forge.__name__} == {"by itself"}, forge.__name__


def how_found(forge: Forge, forged: Log, boxes: Sequence[Mailbox]) -> str:
    """Returns how somebody finds the forgery."""
    if not agrees_with_itself(forged):
        return "by itself"
    if any(do_mails_differ(forged, box) for box in boxes):
        return "from mails"
    kinds = [kind for kind, lies in LIES.items() if forge in lies]
    return "named" if any(kind in verify(forged).not_checked for kind in kinds) else "not at all"


@pytest.mark.long
@cases("kind, lie", [(kind, lie) for kind, lies in LIES.items() for lie in lies])
def test_a_forgery_by_the_host_from_the_start_is_named_as_unchecked(kind: str, lie: Forge) -> None:
    luck = Random(3)
    log = lie(log_from("hogen"), luck)
    assert not does_player_detect(log, mailbox_of_player(log, luck)), (
        "all mails agree with what was written from the start"
    )
    assert kind in verify(log).not_checked


def test_a_log_on_which_the_rules_fail_reports_the_error_as_a_problem() -> None:
    log = log_from("hogen")
    nobody_deals = with_entries(
        log, [msgspec.structs.replace(log.entries[0], event=Absent(0), by=By(table=True), key=None)]
    )
    verdict = verify(nobody_deals)
    assert "AttributeError" in verdict.problems[-1]
    assert not verdict.cancelled


def test_a_player_can_detect_a_replaced_lucky_word() -> None:
    honest = log_from("hogen")
    assert honest.proof is not None
    assert honest.seed is not None
    words = (*honest.proof.words[:-1], hash_word("abricot"))
    table = Table(honest.game, honest.seats, honest.options, honest.seed, words=words)
    for _ in random_decisions(table):
        pass
    log = log_of(table)
    assert verify(log, word=" Abricot").ok
    other = exchange_word_and_play(log, Random(1))
    assert other.commitment == log.commitment
    assert verify(other, log.commitment).ok
    assert "no seat of this log has the word" in verify(other, log.commitment, word="abricot").problems[0]


def test_a_seal_cannot_show_a_public_fact_differently_to_two_players() -> None:
    log = log_from("hexen-rennen")
    assert log.proof is not None
    rolled = next(entry for entry in log.entries if type(entry.event).__name__ == "Rolled")
    path = "event.die"
    seal = chain.seal_of_value("0" * 64, 6)
    forged = redact_log(with_sealed(log, rolled.n - 1, {**log.proof.sealed[rolled.n - 1], path: seal}), 0)
    assert forged.proof is not None
    salts = tuple({k: v for k, v in one.items() if k != path} for one in forged.proof.salts)
    bare = msgspec.structs.replace(forged, proof=msgspec.structs.replace(forged.proof, salts=salts))
    assert f"entry {rolled.n}" in verify(bare).problems[0], "what is shown without salt is bound to nothing"
    with pytest.raises(BadLog, match="has a seal there, and may not have one"):
        read(log_to_bytes(bare), find_game)


@pytest.mark.long
def test_a_fork_that_was_shown_to_two_players_does_not_fit_both_mailboxes() -> None:
    luck = Random(5)
    log = log_from("hogen")
    fork = insert_table_entries(log, luck)
    alice, bob = mailbox_of_player(log, luck), mailbox_of_player(fork, luck)
    assert (does_player_detect(log, alice), does_player_detect(log, bob)) == (False, True)
    assert (does_player_detect(fork, alice), does_player_detect(fork, bob)) == (True, False)


@pytest.mark.long
def test_only_the_whole_head_reveals_a_fork_with_the_same_mark() -> None:
    one, other = birthday_fork(log_from("hogen"))
    head, fork = one.heads()[-1], other.heads()[-1]
    assert mark_of(head) == mark_of(fork)
    assert head != fork
    assert verify(other, one.commitment, mark_of(head)).ok
    assert not verify(other, one.commitment, head).ok


# --- what the first format did not notice ------------------------------------------------------------------------


@pytest.mark.long
def test_an_invented_match_is_consistent_but_fits_no_mailbox() -> None:
    luck = Random(1)
    log = log_from("hogen")
    made_up = draw_again(log, luck)
    assert verify(made_up).ok
    assert does_player_detect(made_up, mailbox_of_player(log, luck))


def test_an_inserted_table_entry_changes_no_draw_but_fits_no_mailbox() -> None:
    log = log_from("hogen")
    luck = Random(2)
    moved = insert_table_entries(log, luck)
    assert verify(moved).ok, "every draw is the same, although its entry has another number"
    assert does_player_detect(moved, mailbox_of_player(log, luck)), "and the chain shows that they were inserted"


def test_a_replaced_seed_fits_neither_the_events_nor_the_mail() -> None:
    log = log_from("hogen")
    exchanged = exchange_seed(log, Random(4))
    assert not verify(exchanged).ok
    assert "not the one that was given" in verify(exchanged, log.commitment).problems[0]
