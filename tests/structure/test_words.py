"""The words that `make style` refuses, and what it lets pass."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.structure import words
from tests.structure.words import findings, is_participle, participles, too_many, words_of_code, words_of_page

WORD = "who" + "ever"
"""Put together here, since this file is looked at, too."""


def test_the_tree_has_no_more_of_these_words_than_it_had() -> None:
    assert too_many() == []


def test_the_words_are_found_in_prose_and_names_but_not_in_texts() -> None:
    assert words_of_code(f"x = 1  # {WORD} reads it\n") == [WORD]
    assert words_of_code(f'def f():\n    """Tells {WORD} asks."""\n') == [WORD]
    assert words_of_code(f"def test_{WORD}_asks(): ...\n") == [WORD]
    assert words_of_code(f'said = "{WORD} asks"\nf(an' + "ew=True)\n") == []


def test_the_words_are_found_on_pages_but_not_in_code() -> None:
    assert words_of_page(f"{WORD.title()} asks for so" + " many") == [WORD.title(), "so" + " many"]
    assert words_of_page("`pbem checkpoint cosign --an" + "ew`") == []


def test_a_function_is_named_by_no_participle() -> None:
    assert participles("def asked_name(): ...\nasync def _told(): ...\ndef test_asked(): ...\n") == [
        "asked_name", "told",
    ]  # fmt: skip
    assert [word for word in ("feed", "seed", "need", "check", "send") if is_participle(word)] == []


def test_only_names_that_packages_call_stay_and_each_of_them_is_there() -> None:
    for path, names in words.FOR_PACKAGES.items():
        assert set(names) <= set(participles((words.ROOT / path).read_text("utf-8"))), path


def test_one_more_than_there_were_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for page in words.PAGES:
        (tmp_path / page).write_text("")
    (tmp_path / "pbem").mkdir()
    (tmp_path / "pbem" / "a.py").write_text("def told(): ...\n")
    assert [(kind, folder, name) for kind, folder, _, name in findings(tmp_path)] == [("participles", "pbem", "told")]
    monkeypatch.setattr(words, "ROOT", tmp_path)
    monkeypatch.setattr(words, "TODAY", {"words": {}, "participles": {"pbem": 0}})
    assert len(too_many()) == 1
    monkeypatch.setattr(words, "TODAY", {"words": {}, "participles": {"pbem": 1}})
    assert too_many() == []
