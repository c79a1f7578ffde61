"""The lesson of Niigata shows what its sentences say."""

from pbem.features.lessons.playing import play_lesson
from pbem.games.niigata import GAME
from pbem.games.niigata.facts_state import tiles_matching_dice
from pbem.games.niigata.facts_tiles import animals_on_tile
from pbem.games.niigata.rules_ponds import points_of_seat, worth_of_pond


def test_tiles_to_take_in_the_lesson_match_the_dice() -> None:
    _aim, first, second, *_ = play_lesson(GAME)
    assert (first.fold.colour, first.fold.number) == ("W", 4)
    assert {"N04", "N60"} <= tiles_matching_dice(first.fold)
    assert second.step.touch == "take-N60"
    assert animals_on_tile("N60") == (0, 0, 0, 1)


def test_the_readers_pond_in_the_lesson_scores_by_its_white_carp() -> None:
    stages = play_lesson(GAME)
    at = next(at for at, stage in enumerate(stages) if stage.step.touch.startswith("claim-"))
    (pond,) = (pond for pond in stages[at].fold.ponds.values() if not pond.open)
    assert worth_of_pond(pond.animals) == (6, "W", 3)
    assert points_of_seat(stages[at + 1].fold, 0) == 6


def test_in_the_lesson_the_heron_makes_an_unowned_pond_worthless() -> None:
    stages = play_lesson(GAME)
    at = next(at for at, stage in enumerate(stages) if stage.step.touch == "pass")
    before = max(worth_of_pond(pond.animals).points for pond in stages[at - 1].fold.ponds.values() if pond.open)
    closed = [
        worth_of_pond(pond.animals).points
        for pond in stages[at].fold.ponds.values()
        if not pond.open and pond.owner is None
    ]
    assert (before, closed) == (4, [0])
    assert stages[at].fold.breeders[0] == 3
