"""What a viewer sees from kept folds and the end of a log is what they see from all of it, in every game."""

from collections import Counter
from itertools import islice

import pytest

from pbem.games import all_games
from pbem.kit import folds
from pbem.kit.contract import AnyGame
from pbem.kit.folds import fold_for_all, no_folds
from pbem.kit.play import Table, random_decisions
from pbem.kit.replay import entries_not_taken_back
from pbem.testing.folds import (
    SELDOM,
    check_views_from_kept_folds,
    entries_to_cut_after,
    folds_as_stored,
    positions_with_absence_and_undo,
)
from tests.games.discovered import SEATED, options_of
from tests.transcripts import seed_of


@pytest.mark.parametrize("number", [0, *(pytest.param(n, marks=pytest.mark.long) for n in (1, 2, 3))])
@SEATED
def test_views_from_stored_folds_equal_views_from_the_whole_log(game: AnyGame, seats: int, number: int) -> None:
    each = 1 if number else SELDOM  # the long run looks at every entry
    used = check_views_from_kept_folds(
        game, seats, options_of(game, number), seed_of("kept folds", seats, number), each
    )
    assert min(used[True], used[False]) > 10, "kept folds are of use, also while something fades"


@SEATED
def test_continued_folds_equal_folds_of_the_whole_log(game: AnyGame, seats: int) -> None:
    *_, (log, _) = positions_with_absence_and_undo(
        Table(game, seats, options_of(game, 0), seed_of("kept folds", seats, 0))
    )
    for n in entries_to_cut_after(log):
        whole = fold_for_all(game, no_folds(seats), entries_not_taken_back(log))
        rest = [one for one in entries_not_taken_back(log) if one.n > n]
        assert fold_for_all(game, folds_as_stored(game, seats, log, n).all_folds(), rest) == whole


@pytest.mark.parametrize("memory", ["open", "closed"])
def test_two_folds_are_stored_only_if_something_can_fade(memory: str) -> None:
    """Then they are of use wherever what is fresh begins."""
    game = all_games()["allegeance"]
    table = Table(game, 3, game.meta.options(memory=memory), seed_of("kept folds", 3, 0))
    used = Counter[bool]()
    for _ in islice(random_decisions(table), 60):
        log, asks = table.entries, game.pending(table.state)
        for n in entries_to_cut_after(log):
            kept = folds_as_stored(game, 3, log, n)
            assert kept.has_faded == (memory == "closed")
            for viewer in (None, *range(3)):
                used[folds.view_since(game, kept, log[n:], viewer, asks, (), fades=True) is None] += 1
    assert bool(used[True]) == (memory == "closed")
    assert used[False]
