"""The story's reasons: why a round is played, who got most in it, how a tie ends."""

from msgspec.structs import replace

from pbem.games.hagakure import GAME
from pbem.games.hagakure.facts import Dealt, Ended, Scored
from pbem.games.hagakure.facts_state import State
from pbem.kit.texts import Lang
from tests.games.hagakure.tables import ALICE, BOB, CAROL, THREE, Played
from tests.harness.cases import cases

NBSP = "\u00a0"


def after_round(number: int, totals: tuple[int, ...]) -> State:
    """After this round of three, with these totals."""
    state = Played(*THREE, dealer=CAROL).state
    return replace(state, phase="scored", number=number, rounds=3, last=5, totals=totals)


def what_is_told(event: Dealt | Ended | Scored, before: State, lang: Lang) -> str:
    return GAME.tell(event, before, lang).replace(NBSP, " ")


@cases("lang, begins", [("fr", "Égalité, manche de plus 1 : {0} "), ("en", "A tie, extra round 1: {0} ")])
def test_the_story_of_an_extra_round_names_the_tie(lang: Lang, begins: str) -> None:
    dealt = Dealt(4, 3, 5, ALICE, ((None,) * 5,) * 3, (None,) * 5)
    assert what_is_told(dealt, after_round(3, (5, 2, 5)), lang).startswith(begins)


def test_the_story_of_a_regular_round_names_no_tie_though_two_are_level() -> None:
    dealt = Dealt(3, 3, 5, ALICE, ((None,) * 5,) * 3, (None,) * 5)
    assert what_is_told(dealt, after_round(2, (5, 2, 5)), "en").startswith("Round 3: {0} deals")


@cases("rounds", (3, 5))
def test_a_shared_victory_names_those_who_share_it(rounds: int) -> None:
    ended = Ended("shared", (ALICE, BOB))
    before = after_round(rounds, (1, 1, -2))
    assert what_is_told(ended, before, "en") == "Tied at 1 point, {0} and {1} share the victory."
    assert what_is_told(ended, before, "fr") == "À égalité avec 1 point, {0} et {1} partagent la victoire."


@cases(
    "gained, english, french",
    [
        ((-2, 3, 2), "{1} scores 3 points", "{1} marque 3 points"),
        ((-4, 1, 1), "{1} and {2} score 1 point", "{1} et {2} marquent 1 point"),
        ((2, 2, 2), "3 players score 2 points", "3 joueurs marquent 2 points"),
    ],
)
def test_the_story_of_a_round_score_names_who_gained_most(gained: tuple[int, ...], english: str, french: str) -> None:
    state = replace(Played(*THREE, dealer=CAROL).state, phase="play", number=2)
    assert what_is_told(Scored(gained), state, "en") == f"Round 2 is over: {english}."
    assert what_is_told(Scored(gained), state, "fr") == f"Manche 2 finie : {french}."
