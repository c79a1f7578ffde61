"""Forged logs: each is found from the mailboxes of two players, or is of a kind that the verdict names."""

from __future__ import annotations

from collections import Counter
from functools import cache
from random import Random

import pytest

from pbem.games import find_game
from pbem.kit.logs.logfile import Log
from pbem.kit.logs.verdict import verify
from pbem.kit.proof.marks import mark_of
from tests.kit.proof.forging import (
    FORGERIES,
    LIES,
    birthday_fork,
    disagrees,
    draw_again,
    exchange_seed,
    insert_table_entries,
    mailbox,
)
from tests.transcripts import log_of, played, seed_of

SOME, MANY = 40, 1000
GAMES = ("hogen", "allegeance", "hagakure", "hexen-rennen", "niigata")


@cache
def log_from(slug: str, number: int = 1) -> Log:
    game = find_game(slug)
    assert game is not None
    seats = game.meta.seats[0]
    return log_of(
        played(game, seats, seed_of(slug, seats, number), game.meta.samples[0] if game.meta.samples else None)
    )


@pytest.mark.parametrize("count", [pytest.param(SOME), pytest.param(MANY, marks=pytest.mark.long)])
def test_forgeries_are_found_from_two_mailboxes_alone(count: int) -> None:
    found, luck = Counter[str](), Random(7)
    for number in range(count):
        forge = FORGERIES[number % len(FORGERIES)]
        log = log_from(luck.choice(GAMES if count == MANY else GAMES[:1]))
        alice, bob = mailbox(log, luck), mailbox(log, luck)
        assert not disagrees(log, alice)
        forged = forge(log, luck)
        assert forged != log
        if disagrees(forged, alice) or disagrees(forged, bob):
            found[forge.__name__] += 1
        else:
            pytest.fail(f"{forge.__name__} of {log.game.meta.slug}, number {number}, was not found")
    for name, times in found.most_common():
        print(f"{name:24} {times:4} found")  # noqa: T201 - the table of the long run


@pytest.mark.parametrize("name", LIES)
def test_what_the_host_wrote_from_the_start_is_named_as_not_checked(name: str) -> None:
    luck = Random(3)
    lie = LIES[name](log_from("hogen"), luck)
    assert not disagrees(lie, mailbox(lie, luck)), "all mails agree with what was written from the start"
    assert name in verify(lie).not_checked


def test_a_fork_that_was_shown_to_two_players_does_not_fit_both_mailboxes() -> None:
    luck = Random(5)
    log = log_from("hogen")
    fork = insert_table_entries(log, luck)
    alice, bob = mailbox(log, luck), mailbox(fork, luck)
    assert (disagrees(log, alice), disagrees(log, bob)) == (False, True)
    assert (disagrees(fork, alice), disagrees(fork, bob)) == (True, False)


@pytest.mark.long
def test_a_fork_with_the_same_mark_is_found_by_the_whole_head_and_not_by_the_mark() -> None:
    one, other = birthday_fork(log_from("hogen"))
    head, fork = one.heads()[-1], other.heads()[-1]
    assert mark_of(head) == mark_of(fork)
    assert head != fork
    assert verify(other, one.commitment, mark_of(head)).ok
    assert not verify(other, one.commitment, head).ok


# --- what the first format did not notice ------------------------------------------------------------------------


def test_a_match_that_was_made_up_agrees_with_itself_and_with_no_mailbox() -> None:
    luck = Random(1)
    log = log_from("hogen")
    made_up = draw_again(log, luck)
    assert verify(made_up).ok
    assert disagrees(made_up, mailbox(log, luck))


def test_entries_about_the_table_move_no_draw() -> None:
    log = log_from("hogen")
    luck = Random(2)
    moved = insert_table_entries(log, luck)
    assert verify(moved).ok, "every draw is the same, although its entry has another number"
    assert disagrees(moved, mailbox(log, luck)), "and the chain shows that they were inserted"


def test_an_exchanged_seed_does_not_fit_the_facts_nor_the_mail() -> None:
    log = log_from("hogen")
    exchanged = exchange_seed(log, Random(4))
    assert not verify(exchanged).ok
    assert "not the one that was given" in verify(exchanged, log.commitment).problems[0]
