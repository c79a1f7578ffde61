"""The moves of the clock for an absent player."""

from collections import Counter
from collections.abc import Sequence

import pytest

from pbem.games.hagakure import GAME
from pbem.games.hagakure.facts import Keep
from pbem.kit.chance import SeedChance
from tests.games.hagakure.tables import BOB, DAVE, FOUR, F, Played, at_the_tricks
from tests.harness.cases import cases


def by_clock(played: Played, times: int) -> Counter[str]:
    """The clock's moves for the seat that is asked, this many times with different luck."""
    seat = played.to_move
    own = played.fold_of(seat)
    lucks = [SeedChance(bytes(32), position, "fallback", seat) for position in range(1, times + 1)]
    return Counter(GAME.format(GAME.fallback(own, seat, luck)) for luck in lucks)


def test_the_clock_plays_no_nobori_for_an_absent_player() -> None:
    assert by_clock(Played(*FOUR, dealer=DAVE), 20) == {GAME.format(Keep()): 20}


@pytest.mark.long
@cases(
    "led, allowed",
    [("6", ["play F", "play V9", "play V10", "play S19"]), ("20", ["play F", "play S19"])],
)
def test_ruling_20_the_clock_plays_any_allowed_card_with_equal_chance(led: str, allowed: Sequence[str]) -> None:
    played = at_the_tricks(*FOUR, dealer=DAVE)
    played.play(led)
    assert played.to_move == BOB
    counts = by_clock(played, 2000)
    assert sorted(counts) == sorted(allowed)
    assert all(abs(count - 2000 / len(allowed)) < 120 for count in counts.values())


def test_the_clock_plays_the_only_allowed_card() -> None:
    played = at_the_tricks((20, 6, 7, 8), (F, 9, 10, 11), (12, 13, 14, 15), (16, 17, 18, 21), dealer=DAVE)
    played.play("20")
    assert by_clock(played, 20) == {"play F": 20}
