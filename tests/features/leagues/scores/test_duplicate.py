"""Points against those who sat on the same seat: for any results, not only for some."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbem.features.leagues.scores.ranking import points_at_duplicate_tables

RESULTS = st.integers(-3, 3)
DEALS = st.integers(1, 5).flatmap(
    lambda seats: st.lists(st.lists(RESULTS, min_size=seats, max_size=seats), min_size=1, max_size=8)
)


@pytest.mark.long
@given(DEALS)
def test_duplicate_points_compare_each_pair_on_the_same_seat(tables: list[list[int]]) -> None:
    """Counted the other way: each pair shares one point, and each gets the mean of theirs."""
    found = points_at_duplicate_tables(tables)
    for seat in range(len(tables[0])):
        for at, table in enumerate(found):
            own = tables[at][seat]
            others = [one[seat] for other, one in enumerate(tables) if other != at]
            better, level = sum(own > one for one in others), sum(own == one for one in others)
            assert table[seat] == Fraction(2 * better + level, 2 * max(1, len(others)))


@pytest.mark.long
@given(DEALS)
def test_the_points_on_a_seat_add_up_to_half_the_number_of_tables(tables: list[list[int]]) -> None:
    for column in zip(*points_at_duplicate_tables(tables), strict=True):
        assert sum(column, Fraction()) == Fraction(len(tables) if len(tables) > 1 else 0, 2)
        assert all(0 <= one <= 1 for one in column)


@pytest.mark.long
@given(DEALS, st.data())
def test_duplicate_points_do_not_depend_on_the_order_of_tables(tables: list[list[int]], data: st.DataObject) -> None:
    order = data.draw(st.permutations(range(len(tables))))
    assert [points_at_duplicate_tables(tables)[at] for at in order] == [
        *points_at_duplicate_tables([tables[at] for at in order])
    ]


@pytest.mark.long
@given(DEALS, st.integers(-9, 9), st.data())
def test_duplicate_points_do_not_depend_on_a_seats_luck(
    tables: list[list[int]], more: int, data: st.DataObject
) -> None:
    """What all who sat on a seat got in addition, because of its cards, does not count."""
    seat = data.draw(st.integers(0, len(tables[0]) - 1))
    richer = [[one + more if at == seat else one for at, one in enumerate(table)] for table in tables]
    assert points_at_duplicate_tables(richer) == points_at_duplicate_tables(tables)


@pytest.mark.long
@given(DEALS, st.data())
def test_a_better_result_never_costs_duplicate_points(tables: list[list[int]], data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(tables) - 1))
    seat = data.draw(st.integers(0, len(tables[0]) - 1))
    higher = [[*table] for table in tables]
    higher[at][seat] += 1
    assert points_at_duplicate_tables(higher)[at][seat] >= points_at_duplicate_tables(tables)[at][seat]


def test_only_entrants_of_the_same_seat_are_compared() -> None:
    assert points_at_duplicate_tables([[1, 9], [2, 8]]) == ((Fraction(0), Fraction(1)), (Fraction(1), Fraction(0)))


def test_a_deal_played_at_one_table_gives_no_points() -> None:
    assert points_at_duplicate_tables([[3, 4, 5]]) == ((Fraction(), Fraction(), Fraction()),)


def test_tables_of_different_sizes_cannot_share_a_deal() -> None:
    with pytest.raises(ValueError, match="argument"):
        points_at_duplicate_tables([[1, 2], [1, 2, 3]])
