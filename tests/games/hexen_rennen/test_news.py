"""The card of a witch of somebody else that reaches the goal."""

from pbem.games.hexen_rennen import GAME
from pbem.games.hexen_rennen.facts import Flew, Rolled
from pbem.games.hexen_rennen.facts_race import COURSE
from pbem.kit.contract import Card, Viewer
from pbem.kit.texts import Lang
from tests.games.hexen_rennen.tables import ALICE, BOB, CHARLIE, race
from tests.games.stage.news import with_plain_spaces

DIE = 4
Three = tuple[int, int, int]


def card_of_flight(witches: Three, viewer: Viewer, lang: Lang = "en") -> Card | None:
    """The card when the foremost of Alice's witches that still race flies by the die."""
    before = GAME.evolve(race(witches={"A": witches}), Rolled(ALICE, DIE))
    origin = max(place for place in witches if place <= COURSE)
    assert GAME.card is not None
    return GAME.card(Flew(ALICE, origin, origin + DIE), before, viewer, lang)


def test_a_witch_reaching_the_goal_is_a_news_card_for_all_others() -> None:
    says = ("This witch scores 3 points.", "It is their first witch of three.")
    for viewer in (BOB, CHARLIE):
        assert card_of_flight((10, 20, 46), viewer) == Card("{0} reaches the goal", says)
    assert card_of_flight((10, 20, 46), ALICE) is None


def test_the_news_card_of_the_second_witch_warns_of_the_end_of_the_race() -> None:
    english, french = (card_of_flight((10, 46, 49), BOB, lang) for lang in ("en", "fr"))
    assert english is not None
    assert english.lines[1] == "It is their second witch: the third one ends the race."
    assert french is not None
    assert (french.title, *map(with_plain_spaces, french.lines)) == (
        "{0} atteint l’arrivée",
        "Cette sorcière marque 3 points.",
        "C’est sa deuxième sorcière : la troisième finit la course.",
    )


def test_ordinary_flights_and_the_last_witch_have_no_news_card() -> None:
    assert card_of_flight((10, 20, 44), BOB) is None
    assert card_of_flight((46, 49, 51), BOB) is None
