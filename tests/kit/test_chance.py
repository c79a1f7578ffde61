"""Luck: the published vectors, no bias, and scripts that fail when they are not followed."""

import hmac
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from pbem.kit.chance import WORDS, ScriptedChance, SeedChance
from tests.harness.cases import cases

SEEDS = {"zeros": bytes(32), "counting": bytes(range(32))}
VECTORS: list[dict[str, Any]] = json.loads(Path(__file__).with_name("vectors_of_format_1.json").read_text())


def words_of_stream(seed: bytes, position: int, purpose: str, seat: int | None) -> list[int]:
    """The first words of a stream, computed here from the description in the document."""
    digests = b"".join(
        hmac.digest(seed, f"pbem/1|{position}|{purpose}|{'-' if seat is None else seat}|{i}".encode(), "sha256")
        for i in range(4)
    )
    return [int.from_bytes(digests[i : i + 4], "big") for i in range(0, len(digests), 4)]


@cases("vector", VECTORS)
def test_the_luck_of_the_format_1_follows_its_vectors(vector: dict[str, Any]) -> None:
    chance = SeedChance(SEEDS[vector["seed"]], vector["position"], vector["purpose"], vector["seat"])
    kind, _, n = vector["draw"].rstrip(")").partition("(")
    if kind == "shuffle":
        assert list(chance.shuffled(range(int(n)))) == vector["result"]
    else:
        assert [chance.below(int(n)) for _ in vector["result"]] == vector["result"]


def test_a_draw_from_a_full_64_bit_word_returns_it_unchanged() -> None:
    chance = SeedChance(SEEDS["counting"], 7, "decide", 2)
    assert [chance.below(WORDS) for _ in range(20)] == words_of_stream(SEEDS["counting"], 7, "decide", 2)[:20]


def test_a_word_beyond_the_last_whole_multiple_is_skipped() -> None:
    n = 3 << 30
    words = words_of_stream(SEEDS["counting"], 7, "decide", 2)
    kept = [word for word in words if word < n]
    assert len(kept) < len(words)
    chance = SeedChance(SEEDS["counting"], 7, "decide", 2)
    assert [chance.below(n) for _ in kept] == kept


def test_every_part_of_a_draws_name_changes_its_random_stream() -> None:
    streams = {
        SeedChance(seed, position, purpose, seat).below(WORDS)
        for seed in SEEDS.values()
        for position in (1, 11)
        for purpose in ("decide", "fallback", "bot", "setup")
        for seat in (None, 0, 1)
    }
    assert len(streams) == 48


def test_the_same_draw_name_gives_the_same_luck_again() -> None:
    first, again = (SeedChance(bytes(32), 5, "decide", 1) for _ in range(2))
    assert [first.below(100) for _ in range(50)] == [again.below(100) for _ in range(50)]


@cases("n", [1, 2, 3, 5, 7, 12, 100])
def test_random_draws_are_uniform(n: int) -> None:
    chance = SeedChance(SEEDS["counting"], 1, "setup")
    draws = 3000
    counts = Counter(chance.below(n) for _ in range(draws))
    assert set(counts) == set(range(n))
    chi_square = sum((counts[i] - draws / n) ** 2 / (draws / n) for i in range(n))
    assert chi_square < n + 5 * (2 * n) ** 0.5


def test_every_shuffled_order_is_equally_likely() -> None:
    chance = SeedChance(SEEDS["counting"], 1, "setup")
    counts = Counter(chance.shuffled("ABC") for _ in range(6000))
    assert len(counts) == 6
    assert all(850 < count < 1150 for count in counts.values())


@cases("n", [0, -1, WORDS + 1])
def test_impossible_draws_are_refused(n: int) -> None:
    with pytest.raises(ValueError, match="below"):
        SeedChance(bytes(32), 1, "setup").below(n)


def test_a_seed_has_32_bytes() -> None:
    with pytest.raises(ValueError, match="32 bytes"):
        SeedChance(b"short", 1, "setup")


def test_scripted_chance_returns_its_values_and_then_fails() -> None:
    chance = ScriptedChance(2, "B", ["c"], 3)
    assert chance.below(3) == 2
    assert chance.pick("ABC") == "B"
    assert chance.shuffled("abc") == ("c", "a", "b")
    assert chance.left == 1
    assert chance.roll((1, 2, 3)) == 3
    with pytest.raises(AssertionError, match="at its end"):
        chance.below(2)


@cases("draw", ["below", "pick", "shuffled"])
def test_scripted_chance_fails_on_a_value_that_does_not_fit_the_draw(draw: str) -> None:
    chance = ScriptedChance(["x"] if draw == "shuffled" else 9)
    with pytest.raises(AssertionError, match="script"):
        chance.below(3) if draw == "below" else getattr(chance, draw)((1, 2))
