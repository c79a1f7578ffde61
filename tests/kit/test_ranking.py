"""Places follow from an outcome: winners first, the others by their scores, those who resigned last."""

from __future__ import annotations

from pbem.kit.contract import Outcome
from pbem.kit.ranking import places_of


def test_winners_share_the_first_place_and_the_next_is_as_many_further() -> None:
    assert places_of(Outcome("shared", winners=(0, 2), scores=(9, 4, 9, 7)), 4) == (1, 4, 1, 3)


def test_who_lost_a_tie_break_is_behind_the_winner_with_the_same_score() -> None:
    assert places_of(Outcome("won", winners=(1,), scores=(5, 5, 5)), 3) == (2, 1, 2)


def test_without_scores_those_who_lost_are_level() -> None:
    assert places_of(Outcome("won", winners=(2,)), 4) == (2, 2, 1, 2)


def test_where_nobody_has_won_nobody_has_the_first_place() -> None:
    assert places_of(Outcome("nobody"), 3) == (2, 2, 2)
    assert places_of(Outcome("nobody", scores=(1, 4, 4)), 3) == (4, 2, 2)


def test_seats_that_resigned_share_the_last_place_whatever_was_played_for_them() -> None:
    ended = Outcome("won", winners=(1,), scores=(8, 9, 2, 3))
    assert places_of(ended, 4, resigned=(0, 3)) == (3, 1, 2, 3)
    assert places_of(ended, 4, resigned=(1,)) == (2, 5, 4, 3), "nobody else has won either"


def test_the_last_seat_wins_over_all_who_resigned_even_with_fewer_points() -> None:
    assert places_of(Outcome("last_seat", winners=(2,), scores=(8, 9, 2)), 3, resigned=(0, 1)) == (2, 2, 1)
