"""The story's reasons: why a round is played, what changed a score, how a tie ends."""

from msgspec.structs import replace

from pbem.games.hagakure import GAME
from pbem.games.hagakure.facts import Dealt, Ended, Nobori, Scored, State
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


@cases(
    "lang, begins",
    [
        ("fr", "Manche de plus 1, car {0} et {2} sont à égalité : {0} "),
        ("en", "Extra round 1, because {0} and {2} are"),
    ],
)
def test_an_extra_round_says_who_is_level(lang: Lang, begins: str) -> None:
    dealt = Dealt(4, 3, 5, ALICE, ((None,) * 5,) * 3, (None,) * 5)
    assert what_is_told(dealt, after_round(3, (5, 2, 5)), lang).startswith(begins)


def test_a_regular_round_needs_no_reason_though_two_are_level() -> None:
    dealt = Dealt(3, 3, 5, ALICE, ((None,) * 5,) * 3, (None,) * 5)
    assert what_is_told(dealt, after_round(2, (5, 2, 5)), "en").startswith("Round 3 of 3: {0} deals")


def test_a_shared_victory_without_an_extra_round_is_not_still_level() -> None:
    ended = Ended("shared", (ALICE, BOB))
    assert what_is_told(ended, after_round(3, (1, 1, -2)), "en") == "Tied at 1 point, {0} and {1} share the victory."
    assert what_is_told(ended, after_round(3, (1, 1, -2)), "fr") == (
        "À égalité avec 1 point, {0} et {1} se partagent la victoire."
    )
    assert (
        what_is_told(ended, after_round(5, (7, 7, -2)), "en")
        == "Still tied at 7 points, {0} and {1} share the victory."
    )
    assert what_is_told(ended, after_round(5, (7, 7, -2)), "fr") == (
        "Toujours à égalité avec 7 points, {0} et {1} se partagent la victoire."
    )


@cases(
    "raised, gained, english, french",
    [
        ((None, None, None), (-2, 3, 2), "{0} −2, {1} 3, {2} 2", "{0} −2, {1} 3, {2} 2"),
        (
            ("double", "zero", "swap"),
            (-4, 0, 2),
            "{0} −4 (Double), {1} 0 (Zero), {2} 2",
            "{0} −4 (Double), {1} 0 (Zéro), {2} 2",
        ),
        (
            (None, "villagers", "villagers"),
            (-2, 5, 2),
            "{0} −2, {1} 5 (Villagers), {2} 2",
            "{0} −2, {1} 5 (Villageois), {2} 2",
        ),
    ],
)
def test_a_score_names_the_nobori_that_changed_it(
    raised: tuple[Nobori | None, ...], gained: tuple[int, ...], english: str, french: str
) -> None:
    state = replace(Played(*THREE, dealer=CAROL).state, phase="play", raised=raised, tricks=(0, 3, 2))
    state = replace(state, won=((), (6, 7, 8, 9, 10, 11, 12, 13, 14), (15, 16, 19, 20, 21, 22)))
    assert what_is_told(Scored(gained), state, "en").startswith(f"Points this round: {english}. Totals: ")
    assert what_is_told(Scored(gained), state, "fr").startswith(f"Points de la manche : {french}. Totaux : ")
