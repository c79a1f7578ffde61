"""The cards of important news: the score of a round, and what a seat alone is shown."""

import pytest
from msgspec.structs import replace

from pbem.games.hagakure import GAME
from pbem.games.hagakure.facts import Scored
from pbem.games.hagakure.facts_state import State
from pbem.kit.contract import Card, Viewer
from pbem.kit.texts import Lang
from tests.games.hagakure.tables import ALICE, BOB, CAROL, CHARLIE, THREE, Played
from tests.games.stage.news import cards_shown, with_plain_spaces
from tests.harness.cases import cases


def card_of_round(points: tuple[int, ...], number: int, totals: tuple[int, ...], lang: Lang = "en") -> Card | None:
    """The card of this round of three, when it gives these points; `totals` are those before it."""
    state: State = Played(*THREE, dealer=CAROL).state
    before = replace(
        state, phase="play", number=number, rounds=3, last=5, totals=totals, raised=("double", None, "look"),
        tricks=(0, 4, 1),
    )  # fmt: skip
    assert GAME.card is not None
    return GAME.card(Scored(points), before, CHARLIE, lang)


def test_the_news_card_of_a_round_lists_points_with_the_leader_first() -> None:
    assert card_of_round((-4, 4, 1), 1, (0, 0, 0), "fr") == Card(
        "Manche 1 sur 3",
        ("{1} mène avec 4 points.", "Bannières\u00a0: {0} Double."),
        (
            ("", "Plis", "Manche", "Total"),
            ("{1}", "4", "+4", "4"),
            ("{2}", "1", "+1", "1"),
            ("{0}", "0", "−4", "−4"),
        ),
    )


@cases(
    "number, totals, says",
    [
        (1, (4, 0, 3), ("{1} and {2} lead with 4 points.",)),
        (2, (4, 1, 3), ("{1} leads with 5 points.", "The next round is the last.")),
        (3, (4, 0, 3), ("{1} and {2} are tied: one more round.",)),
        (4, (8, 0, 0), ("{0} and {1} are tied: one more round.",)),
    ],
)
def test_a_rounds_news_card_says_who_leads_and_what_round_is_next(
    number: int, totals: tuple[int, ...], says: tuple[str, ...]
) -> None:
    card = card_of_round((-4, 4, 1), number, totals)
    assert card is not None
    assert card.lines == (*says, "Banners: {0} Double."), "a look changes no score"


def test_the_round_that_ends_the_match_has_no_news_card() -> None:
    assert card_of_round((-4, 4, 1), 3, (0, 0, 0)) is None
    assert card_of_round((-4, 4, 1), 5, (0, 0, 3)) is None, "a shared victory"


@pytest.mark.parametrize(("viewer", "count"), [(ALICE, 1), (BOB, 0), (CAROL, 0), (CHARLIE, 0)])
def test_a_look_is_a_news_card_only_for_the_player_who_looked(viewer: Viewer, count: int) -> None:
    played = Played(*THREE, dealer=CAROL)
    played.play("look B")
    assert [card.title for card in cards_shown(GAME, played.events, viewer, "fr")] == ["La main de {1}"] * count


def test_a_swaps_news_card_shows_the_new_hand() -> None:
    played = Played(*THREE, dealer=CAROL)
    played.play("swap")
    (card,) = cards_shown(GAME, played.events, ALICE, "en")
    assert card == Card("Your new hand", (card.lines[0], "Your old hand is the new Yomi."))
    assert with_plain_spaces(card.lines[0]) == "{F}, {F}, {F}, {V16} and {V17}"
    assert cards_shown(GAME, played.events, BOB, "en") == []
