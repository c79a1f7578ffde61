"""The card of a round that is over."""

from pbem.games.allegeance import GAME
from pbem.games.samurai import CARDS
from pbem.kit.contract import Card, Viewer
from pbem.kit.texts import Lang
from tests.games.allegeance.tables import ALICE, BOB, CHARLIE, Played
from tests.games.stage.news import cards_shown
from tests.harness.cases import cases

FEWEST = ("{0} has the fewest cards.", "{0} can win in the next round.")
LE_MOINS = ("{0} a le moins de cartes.", "{0} peut gagner à la prochaine manche.")


def after_a_round(target: int) -> Played:
    """Two seats; Alice has given Bob the first card, and all other announcements were wrong."""
    played = Played(2, "T1", target=target)
    played.play(ALICE, "T1")
    if GAME.pending(played.state)[0].kind == "give":
        played.play(ALICE, "give B")
    played.until(1)
    state = played.state
    wrong = next(c for c in CARDS if c != state.door[0] and c not in state.banned)
    assert state.active is not None
    played.play(state.active, wrong, [*CARDS]) if target > 1 else played.play(state.active, wrong)
    return played


@cases(
    "target, viewer, lang, title, lines",
    [
        (3, ALICE, "en", "Round 1 is over", FEWEST[:1]),
        (2, BOB, "en", "Round 1 is over", FEWEST),
        (2, CHARLIE, "fr", "La manche 1 est finie", LE_MOINS),
    ],
)
def test_the_news_card_of_a_round_has_a_table_of_cards_and_tokens(
    target: int, viewer: Viewer, lang: Lang, title: str, lines: tuple[str, ...]
) -> None:
    (card,) = cards_shown(GAME, after_a_round(target).events, viewer, lang)
    heads = ("", "Cartes", "Manche", "Jetons") if lang == "fr" else ("", "Cards", "Round", "Tokens")
    assert card == Card(title, lines, (heads, ("{0}", "0", "+1", "1"), ("{1}", "1", "0", "0")))


def test_the_news_card_of_a_tied_round_says_who_can_win_the_next_one() -> None:
    played = Played(3, CARDS, target=1, ties="round").until(1)
    played.play(played.state.active, "T2", CARDS)
    (card,) = cards_shown(GAME, played.events, BOB, "en")
    assert card.lines == ("{0}, {1} and {2} have the fewest cards.", "{0}, {1} and {2} can win in the next round.")


def test_the_round_that_ends_the_match_has_no_news_card() -> None:
    assert cards_shown(GAME, after_a_round(1).events, ALICE, "en") == []
