"""Lucky words: how they count, and the word of a seat for which nobody typed one."""

import hashlib
import re
import sys
from pathlib import Path

import pytest

from pbem.kit.logs.chain import hash_word, normalize_word, word_from_seed
from tests.harness.cases import cases
from tests.kit.proof.write_vectors import BLANKS, NFKC_BLANKS, NO_BLANKS

CHANCE = Path(__file__).parents[3] / "docs" / "chance.md"


@cases("typed", ["abricot", "  Abricot ", "ABRICOT\n", "\uff21bricot", "abricot\u00a0"])
def test_a_lucky_words_hash_ignores_case_and_spacing(typed: str) -> None:
    assert normalize_word(typed) == "abricot"
    assert hash_word(typed) == hashlib.sha256(b"abricot").hexdigest()


@pytest.mark.long
def test_lucky_words_treat_only_the_documented_characters_as_spaces() -> None:
    blanks = {one for one in range(sys.maxunicode + 1) if normalize_word(f"a{chr(one)}b") == "a b"}
    assert blanks == {*BLANKS, *NFKC_BLANKS}
    assert not blanks & {*NO_BLANKS}
    said = {*re.findall(r"U\+[0-9A-F]{4,}", CHANCE.read_text(encoding="utf-8"))}
    assert said >= {"U+0009", "U+000D", "U+001C", "U+0020", "U+0085", "U+1680", "U+2028", "U+2029"}


@cases("one, other", [("été", "ete"), ("a b", "ab"), ("chat", "chats")])
def test_visibly_different_lucky_words_have_different_hashes(one: str, other: str) -> None:
    assert hash_word(one) != hash_word(other)


def test_each_seat_gets_its_own_pronounceable_word_from_the_seed() -> None:
    words = {word_from_seed(bytes([seed]) * 32, seat) for seed in range(100) for seat in range(6)}
    assert len(words) == 600
    said = "[bdfghjklmnprstvz][aiou][bdfghjklmnprstvz][aiou][bdfghjklmnprstvz]"
    assert all(re.fullmatch(f"{said}-{said}", word) for word in words)
    assert all(normalize_word(word) == word for word in words)
