"""Marks: eight signs for the eye, read back as people write them."""

import pytest

from pbem.kit.logs.chain import SIGNS, mark_of, read_head_or_mark, read_mark
from tests.harness.cases import cases


def test_a_mark_is_the_first_forty_bits_of_a_head() -> None:
    assert mark_of("0" * 64) == "0000-0000"
    assert mark_of("f" * 64) == "ZZZZ-ZZZZ"
    assert mark_of("0000000001" + "f" * 54) == "0000-0001"
    assert mark_of("8000000000" + "0" * 54) == "G000-0000"


@cases("typed", ["7K3M-9QXT", "7k3m9qxt", " 7K3M 9QXT\n", "7k3m–9qxt", "(7K3M-9QXT)"])
def test_a_mark_is_read_in_any_case_and_spacing(typed: str) -> None:
    assert read_mark(typed) == "7K3M-9QXT"


def test_lookalike_characters_in_a_mark_are_read_as_the_intended_ones() -> None:
    assert read_mark("OoIi-LlA1") == "0011-11A1"
    assert not set("ILOU") & set(SIGNS)


@cases("typed", ["", "7K3M", "7K3M-9QX", "7K3M-9QXTT", "7K3M-9QXU", "7K3M-9QX!", "é" * 8])
def test_a_text_that_is_no_mark_is_refused(typed: str) -> None:
    with pytest.raises(ValueError, match="eight letters and digits"):
        read_mark(typed)


def test_a_head_or_a_mark_is_read() -> None:
    head = "0123456789abcdef" * 4
    assert read_head_or_mark(f" {head.upper()}\n") == head
    assert read_head_or_mark(f"{head[:32]} {head[32:]}") == head
    assert read_head_or_mark("7k3m 9qxt") == "7K3M-9QXT"
