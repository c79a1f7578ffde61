"""Legal moves that are computed when they are read."""

from collections import Counter
from itertools import permutations
from unittest.mock import ANY

import pytest

from pbem.kit.chance import SeedChance
from pbem.kit.choices import Choices, Lazy, draw_random_move, kinds_of, nth_arrangement
from pbem.kit.contract import Move
from tests.harness.cases import cases


class Lay(Move, frozen=True):
    n: int


class Say(Move, frozen=True):
    n: int


MANY = 10**9


def lazy_choices(size: int = MANY) -> Lazy[Move]:
    return Lazy(size, Say, lambda move: isinstance(move, Say) and 0 <= move.n < size)


def test_lazy_choices_build_only_the_moves_that_are_read() -> None:
    says = lazy_choices()
    assert len(says) == MANY
    assert says[5] == Say(5)
    assert says[-1] == Say(MANY - 1)
    assert says[3:5] == [Say(3), Say(4)]
    assert Say(MANY - 1) in says
    assert Say(MANY) not in says
    assert Lay(1) not in says


@cases("index", [3, -4])
def test_an_index_beyond_either_end_of_lazy_choices_is_an_index_error(index: int) -> None:
    with pytest.raises(IndexError):
        lazy_choices(3)[index]


def test_choices_iterate_group_after_group() -> None:
    choices: Choices[Move] = Choices((Lay, (Lay(1), Lay(2))), (Say, lazy_choices(3)))
    assert list(choices) == [Lay(1), Lay(2), Say(0), Say(1), Say(2)]
    assert [choices[i] for i in range(5)] == list(choices)
    assert choices[-1] == Say(2)
    assert choices[1:3] == [Lay(2), Say(0)]
    assert len(choices) == 5
    assert Say(2) in choices
    assert Say(3) not in choices
    assert Lay(2) in choices
    with pytest.raises(IndexError):
        choices[5]


def test_choices_compare_by_content() -> None:
    assert Choices((Lay, (Lay(1),)), (Say, lazy_choices(2))) == [Lay(1), Say(0), Say(1)]
    assert Choices((Lay, (Lay(1),))) != Choices((Lay, (Lay(2),)))
    assert Choices((Lay, (Lay(1),))) != 1
    assert Choices((Lay, (Lay(1),))) == ANY, "what is no sequence says itself what it is equal to"


def test_empty_groups_of_choices_are_left_out() -> None:
    choices: Choices[Move] = Choices((Lay, ()), (Say, lazy_choices(2)))
    assert list(choices.kinds) == ["Say"]
    assert not Choices((Lay, ()))


def test_moves_in_a_plain_tuple_are_grouped_as_well() -> None:
    assert kinds_of((Lay(1), Say(1), Lay(2))) == {"Lay": [Lay(1), Lay(2)], "Say": [Say(1)]}


def test_arrangements_come_in_the_order_of_permutations() -> None:
    assert [nth_arrangement("ABCDE", 3, i) for i in range(60)] == list(permutations("ABCDE", 3))


def test_a_random_choice_picks_the_kind_of_move_first() -> None:
    choices: Choices[Move] = Choices((Lay, (Lay(1), Lay(2))), (Say, lazy_choices()))
    luck = SeedChance(bytes(32), 1, "bot")
    drawn = Counter(type(draw_random_move(choices, {"Lay": 3}, luck)).__name__ for _ in range(4000))
    assert 2850 < drawn["Lay"] < 3150
    assert drawn["Say"] == 4000 - drawn["Lay"]


def test_a_draw_within_a_kind_is_uniform() -> None:
    luck = SeedChance(bytes(32), 1, "bot")
    drawn = Counter(draw_random_move((Lay(1), Lay(2), Lay(3)), {}, luck) for _ in range(3000))
    assert all(900 < drawn[Lay(n)] < 1100 for n in (1, 2, 3))
