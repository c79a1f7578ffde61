"""What a checkpoint says is read back, and only what continues another one passes for it."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta

import pytest

from pbem.features.checkpoints import days
from pbem.features.checkpoints.days import Checkpoint, Day
from pbem.features.checkpoints.notes import BadNote
from tests.harness.cases import cases

ORIGIN = "play.example.org/pbem"
LISTED = [
    Day(date(2026, 3, 12) + timedelta(days=number), number, days.leaf_hash(b"%d" % number)) for number in range(5)
]


def checkpoints_of_days(listed: list[Day]) -> list[Checkpoint]:
    """Returns the checkpoints of a site with these days."""
    made: list[Checkpoint] = []
    for number, day in enumerate(listed, 1):
        previous = days.hash_of_checkpoint_text(made[-1].text) if made else None
        made.append(Checkpoint(ORIGIN, number, days.root_of_days(listed[:number]), day, previous))
    return made


def test_a_checkpoint_is_four_lines_and_a_fifth_for_the_one_before_it() -> None:
    first, second, *_ = checkpoints_of_days(LISTED)
    assert first.text == (
        "play.example.org/pbem\n1\nYM/RRXvGWqQB2SCcKGfEI5TVNvKOUA64LvcfT64lCCU=\n"
        "day 2026-03-12 0 db3426e878068d28d269b6c87172322ce5372b65756d0789001d34835f601c03\n"
    )
    assert second.text.splitlines()[4] == f"previous {days.hash_of_checkpoint_text(first.text)}"
    for one in checkpoints_of_days(LISTED):
        assert days.parse_checkpoint(one.text) == one


def test_a_checkpoint_follows_another_if_it_holds_the_others_hash() -> None:
    first, second, third, *_ = checkpoints_of_days(LISTED)
    assert days.is_next_checkpoint(second, first)
    assert not days.is_next_checkpoint(third, first)
    other = replace(first, day=replace(first.day, size=7))
    for former in (other, replace(first, origin="other.example.org/pbem")):
        with pytest.raises(BadNote):
            days.is_next_checkpoint(second, former)
    with pytest.raises(BadNote):
        days.is_next_checkpoint(replace(second, day=first.day), first)


def test_only_the_true_list_of_days_gives_the_root_of_each_day() -> None:
    for one in checkpoints_of_days(LISTED):
        days.check_days_lead_to_root(LISTED, one)
    third = checkpoints_of_days(LISTED)[2]
    changed = [replace(LISTED[0], size=9), *LISTED[1:]]
    for listed in (LISTED[:2], changed, [*LISTED[:1], *LISTED[2:]]):
        with pytest.raises(BadNote):
            days.check_days_lead_to_root(listed, third)
    with pytest.raises(BadNote):
        days.check_days_lead_to_root(LISTED, replace(third, day=LISTED[3]))


def test_a_list_of_days_is_parsed_line_by_line() -> None:
    text = "".join(f"{day}\n" for day in LISTED)
    assert days.read_days(text) == LISTED
    assert days.read_days("") == []
    for wrong in (
        text + "\n",
        f"{LISTED[1]}\n{LISTED[0]}\n",
        f"{LISTED[0]}\n{LISTED[0]}\n",
        text.replace("-03-", "-13-"),
    ):
        with pytest.raises(BadNote):
            days.read_days(wrong)


@cases(
    "old, new",
    [
        ("\n2\n", "\n02\n"), ("\n2\n", "\n0\n"), ("\n2\n", "\n1\n"), ("\n2\n", "\n-2\n"), ("=\n", "\n"),
        ("day ", ""), ("day 2", "day  2"), ("previous ", "before "), ("2026-03-13", "2026-02-30"), (ORIGIN, ""),
    ],
)  # fmt: skip
def test_a_text_that_is_not_a_checkpoint_is_refused(old: str, new: str) -> None:
    good = checkpoints_of_days(LISTED)[1].text
    assert old in good
    with pytest.raises(BadNote):
        days.parse_checkpoint(good.replace(old, new, 1))


def test_a_leaf_depends_only_on_commitment_entry_number_and_head() -> None:
    one, other = "ab" * 32, "cd" * 32
    assert days.leaf_hash_of_match(one, 7, other) == days.leaf_hash(f"pbem/2|checkpoint|{one}|7|{other}".encode())
    assert len({days.leaf_hash_of_match(*parts) for parts in ((one, 7, other), (one, 8, other), (other, 7, one))}) == 3
