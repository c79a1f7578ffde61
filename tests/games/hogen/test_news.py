"""The card of a wrong declaration: what its declarer alone learns, and what all others do."""

import pytest

from pbem.games.hogen import GAME
from pbem.kit.contract import Card, Viewer
from pbem.kit.texts import Lang
from tests.games.hogen.tables import ALICE, BOB, CHARLIE, Played
from tests.games.stage.news import cards_shown

WRONG = "declare B=F1 C=B1 D=B3"
FALLS = {"fr": "Au moins une carte est fausse.", "en": "At least one card is wrong."}
STAYS = {
    "fr": "{0} répond encore aux appels, mais n’appelle plus.",
    "en": "{0} still answers calls, but calls no more.",
}


@pytest.mark.parametrize(
    ("viewer", "lang", "title", "named"),
    [
        (CHARLIE, "en", "{0} is out", "The declaration: {1} hides {F1}, {2} hides {B1}, {3} hides {B3}."),
        (BOB, "en", "{0} is out", "The declaration: you hide {F1}, {2} hides {B1}, {3} hides {B3}."),
        (BOB, "fr", "{0} est hors jeu", "Sa déclaration : vous cachez {F1}, {2} cache {B1}, {3} cache {B3}."),
    ],
)
def test_a_wrong_declarations_news_card_hides_which_guess_was_wrong(
    viewer: Viewer, lang: Lang, title: str, named: str
) -> None:
    played = Played(first=ALICE)
    played.play(WRONG)
    assert cards_shown(GAME, played.events, viewer, lang) == [Card(title, (named, FALLS[lang], STAYS[lang]))]


def test_the_wrong_declarers_news_card_shows_the_true_allies() -> None:
    played = Played(first=ALICE)
    played.play(WRONG)
    (card,) = cards_shown(GAME, played.events, ALICE, "en")
    assert (card.title, card.lines[:2]) == (
        "You are out",
        ("Your declaration is wrong.", "In fact, {1} hides {F1}, {2} hides {B1}, {3} hides {M3}."),
    )


def test_the_last_wrong_declarers_news_card_does_not_say_that_play_goes_on() -> None:
    played = Played(seats=3, first=ALICE)
    for text in ("declare B=F1 C=F3", "declare A=T1 C=B1", "declare A=T1 B=F1"):
        played.play(text)
    (*_, last) = cards_shown(GAME, played.events, ALICE, "en")
    assert last == Card("{2} is out", ("The declaration: you hide {T1}, {1} hides {F1}.", FALLS["en"]))


def test_right_declarations_and_calls_have_no_news_card() -> None:
    played = Played(first=ALICE)
    for text in ("call F1", "call 4", "give B4 take M1", "declare A=F2 C=B1 D=M3"):
        played.play(text)
    assert cards_shown(GAME, played.events, BOB, "en") == []
