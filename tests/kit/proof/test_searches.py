"""Who could choose the deal by searching: each search is tried as often as it takes to please by chance.

A deal pleases if the first of sixteen cards is the one that is wished for, as one deal in sixteen does.
"""

from collections.abc import Iterator
from math import sqrt

import pytest

from pbem.kit.chance import KeyLuck
from pbem.kit.logs.chain import commit, hash_word, key_of_luck, word_from_seed

DEAL, SEED, SEATS = "0123456789ab", bytes(range(32)), 4
ORGANISER, ALICE, LAST = 0, 1, 3
TYPED = {ORGANISER: "abricot", ALICE: "le chat dort"}
"""The words that were typed; the other seats have those that follow from the seed."""


def hashes_of_words(seed: bytes, typed: dict[int, str]) -> list[str]:
    return [hash_word(typed.get(seat, word_from_seed(seed, seat))) for seat in range(SEATS)]


def pleases_cheater(seed: bytes, words: list[str]) -> bool:
    deal = KeyLuck(key_of_luck(DEAL, seed, words)).rules(1).named("deal:r1")
    return deal.shuffled(range(16))[0] == 0


def seeds_to_try(count: int) -> Iterator[bytes]:
    return (hash_word(f"seed {number}").encode()[:32] for number in range(count))


def words_to_try(count: int) -> Iterator[str]:
    return (f"mot {number}" for number in range(count))


TRIES = [pytest.param(500, id="some"), pytest.param(10_000, id="many", marks=pytest.mark.long)]


def is_as_by_chance(count: int, tries: int) -> bool:
    """True if this many of the tries pleased as chance alone gives, within five standard deviations."""
    return abs(count - tries / 16) < 5 * sqrt(tries * 15) / 16


@pytest.mark.parametrize("tries", TRIES)
def test_the_host_finds_no_other_seed_for_its_mailed_commitment(tries: int) -> None:
    promised = commit(DEAL, SEED, hash_word(TYPED[ORGANISER]))
    pleasing = [seed for seed in seeds_to_try(tries) if pleases_cheater(seed, hashes_of_words(seed, TYPED))]
    assert is_as_by_chance(len(pleasing), tries), "the search itself finds deals that please"
    assert not [seed for seed in pleasing if commit(DEAL, seed, hash_word(TYPED[ORGANISER])) == promised]


@pytest.mark.parametrize("tries", TRIES)
def test_the_host_cannot_choose_the_word_of_a_seat_that_typed_none(tries: int) -> None:
    """A word that the host has chosen counts as typed, and the seat's owner knows that they typed none."""
    pleasing = [
        word for word in words_to_try(tries) if pleases_cheater(SEED, hashes_of_words(SEED, TYPED | {LAST: word}))
    ]
    assert is_as_by_chance(len(pleasing), tries)
    own = word_from_seed(SEED, LAST)
    assert [word for word in (*pleasing, own) if hash_word(word) == hashes_of_words(SEED, TYPED)[LAST]] == [own]


@pytest.mark.long
@pytest.mark.parametrize("tries", TRIES)
def test_the_last_seat_alone_gains_nothing_by_choosing_its_word(tries: int) -> None:
    """It has to choose before it knows the seed: no word is better, over the seeds that may be in the envelope."""
    for word in ("mot 0", "mot 1"):
        assert is_as_by_chance(
            sum(pleases_cheater(seed, hashes_of_words(seed, TYPED | {LAST: word})) for seed in seeds_to_try(tries)),
            tries,
        )
    assert is_as_by_chance(
        sum(pleases_cheater(SEED, hashes_of_words(SEED, TYPED | {LAST: word})) for word in words_to_try(tries)), tries
    )


def test_host_and_last_seat_together_can_choose_the_deal_as_documented() -> None:
    found = next(
        word for word in words_to_try(1000) if pleases_cheater(SEED, hashes_of_words(SEED, TYPED | {LAST: word}))
    )
    assert pleases_cheater(SEED, hashes_of_words(SEED, TYPED | {LAST: found}))


def test_a_word_that_is_typed_later_changes_no_commitment_and_all_luck() -> None:
    before, after = hashes_of_words(SEED, TYPED), hashes_of_words(SEED, TYPED | {LAST: "citron"})
    assert commit(DEAL, SEED, before[ORGANISER]) == commit(DEAL, SEED, after[ORGANISER])
    assert key_of_luck(DEAL, SEED, before) != key_of_luck(DEAL, SEED, after)
