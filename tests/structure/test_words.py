"""The words that `make style` refuses, and what it lets pass."""

from __future__ import annotations

from pathlib import Path

from tests.structure import words
from tests.structure.words import findings, is_participle, participles, words_of_code, words_of_page

WORD = "who" + "ever"
"""Put together here, since this file is looked at, too."""


def test_the_tree_contains_none_of_the_banned_words() -> None:
    assert [*findings(words.ROOT)] == []


def test_banned_words_are_found_in_prose_and_names_but_not_in_strings() -> None:
    assert words_of_code(f"x = 1  # {WORD} reads it\n") == [WORD]
    assert words_of_code(f'def f():\n    """Tells {WORD} asks."""\n') == [WORD]
    assert words_of_code(f"def test_{WORD}_asks(): ...\n") == [WORD]
    assert words_of_code(f'said = "{WORD} asks"\nf(an' + "ew=True)\n") == []


def test_banned_words_are_found_on_pages_but_not_in_their_code() -> None:
    assert words_of_page(f"{WORD.title()} asks for so" + " many") == [WORD.title(), "so" + " many"]
    assert words_of_page("`pbem checkpoint cosign --an" + "ew`") == []


def test_a_function_named_by_a_participle_is_found() -> None:
    assert participles("def asked_name(): ...\nasync def _told(): ...\ndef test_asked(): ...\n") == [
        "asked_name", "told",
    ]  # fmt: skip
    assert [word for word in ("feed", "seed", "need", "check", "send") if is_participle(word)] == []


def test_every_excepted_participle_name_exists() -> None:
    for path, names in {**words.FOR_PACKAGES, **words.KINDS_OF_MAIL}.items():
        assert set(names) <= set(participles((words.ROOT / path).read_text("utf-8"))), path


def test_each_banned_word_is_reported_with_its_file(tmp_path: Path) -> None:
    for page in words.PAGES:
        (tmp_path / page).write_text("")
    (tmp_path / "pbem").mkdir()
    (tmp_path / "pbem" / "a.py").write_text("def told(): ...\n")
    assert [*findings(tmp_path)] == ["pbem/a.py: told (participles)"]
