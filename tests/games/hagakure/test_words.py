"""The texts of Hagakure: natural sentences that never name a card which the reader does not know."""

import hashlib
import re
from collections.abc import Iterator

import pytest

from pbem.games.hagakure import GAME
from pbem.games.hagakure.facts import Dealt, Play, Raise, Swap
from pbem.games.hagakure.facts_cards import CARDS, FOOL
from pbem.games.hagakure.facts_state import Terms
from pbem.kit.contract import Viewer
from pbem.kit.play import Table, random_decisions
from pbem.kit.secrecy import redact
from pbem.kit.texts import LANGS, Lang
from tests.games.hagakure.tables import ALICE, BOB, CAROL, CHARLIE, DAVE, FOUR, THREE, F, Played, luck
from tests.games.stage.lengths import MOST_ASKED, MOST_TITLE, length_of_phrase, questions_of_matches, story_of_matches
from tests.harness.cases import cases

NBSP = "\u00a0"


def what_is_told(played: Played, viewer: Viewer, lang: Lang) -> list[str]:
    """The story so far, with plain spaces."""
    lines, before = [], None
    for event in played.events:
        seen = redact(event, viewer)
        lines.append(GAME.tell(seen, before, lang).replace(NBSP, " "))
        before = GAME.evolve(before, seen)
    return lines


def test_the_story_of_each_event_in_french() -> None:
    played = Played(*FOUR, dealer=DAVE)
    played.play("look yomi", "swap", "double", "none", "20", "21", "11", "F")
    assert what_is_told(played, BOB, "fr") == [
        "Manche 1 : {3} distribue, {0} commence.",
        "{0} regarde le Yomi.",
        "{1} échange et reçoit {F}, {V16}, {V17}, {S21}.",
        "{2} joue Double : les points doublent.",
        "{3} ne joue pas de bannière.",
        "{0} entame avec {S20}.",
        "{1} joue {S21}.",
        "{2} joue {V11}, sans samouraï ni Vieux Fou.",
        "{3} joue un Vieux Fou, {F}.",
        "{1} gagne le pli 1 sur 4.",
    ]
    assert what_is_told(played, ALICE, "fr")[1] == "{0} voit le Yomi : {F}, {V16}, {V17}, {S21}."
    assert what_is_told(played, CHARLIE, "fr")[2] == "{1} échange sa main contre le Yomi."


def test_the_story_of_each_event_in_english() -> None:
    played = Played((F, 6, 7, 8, 9), (F, 10, 11, 12, 13), (18, 19, 20, 21, 22), dealer=CAROL, terms=Terms(rounds=1))
    played.play("look B", "villagers", "zero", "F", "F", "18")
    assert what_is_told(played, CHARLIE, "en") == [
        "Round 1: {2} deals, {0} begins.",
        "{0} looks at {1}’s hand.",
        "{1} plays Villagers: +2 with 4 of them.",
        "{2} plays Zero: 0 for the round.",
        "{0} leads an Old Fool, {F}.",
        "{1} plays an Old Fool, {F}.",
        "{2} plays {S18}.",
        "{1} takes trick 1 of 5 and {S18} with the last Old Fool.",
    ]
    played.play("10", "22", "6", "21", "7", "11", "20", "8", "12", chance=luck())
    assert what_is_told(played, ALICE, "en")[-7:] == [
        "{2} takes trick 4 of 5.",
        "{2} plays their last card: {S19}.",
        "{0} plays their last card: {V9}.",
        "{1} plays their last card: {V13}.",
        "{2} takes trick 5 of 5.",
        "Round 1 is over: {1} scores 2 points.",
        "{1} wins with 2 points.",
    ]


def test_the_story_of_the_end_of_a_round_in_french() -> None:
    played = Played(*THREE, dealer=CAROL, terms=Terms(rounds=1)).no_nobori()
    played.play("6", "11", "22", "21", "7", "12", "20", "8", "13", "19", "9")
    played.play("14", chance=luck())
    assert what_is_told(played, CHARLIE, "fr")[-5:] == [
        "{0} pose sa dernière carte : {V10}.",
        "{1} pose sa dernière carte : {V15}.",
        "{2} gagne le pli 5 sur 5, avec {S18} : +1.",
        "Manche 1 finie : {2} marque 6 points.",
        "{2} gagne avec 6 points.",
    ]


@pytest.mark.long
def test_the_story_tells_extra_rounds_and_a_shared_victory() -> None:
    table = next(t for t in random_matches_with_ties(Terms(rounds=1, extra_rounds=1)) if t.state.over == "shared")
    lines, before = [], None
    for entry in table.entries:
        lines.append(GAME.tell(entry.event, before, "fr").replace(NBSP, " "))
        before = GAME.evolve(before, entry.event)
    assert any(re.match(r"Égalité, manche de plus 1 : ", line) for line in lines)
    assert re.match(r"À égalité avec .* point.*, .* partagent la victoire\.", lines[-1])
    assert "shared victory" in GAME.describe(table.state, None, "en")[1]


def random_matches_with_ties(terms: Terms) -> Iterator[Table]:
    """Random matches for three."""
    for number in range(500):
        table = Table(GAME, 3, terms, hashlib.sha256(f"tie {number}".encode()).digest())
        for _ in random_decisions(table):
            pass
        yield table


def test_move_labels_describe_the_move_and_its_certain_consequence() -> None:
    played = Played(*FOUR, dealer=DAVE)
    own = played.fold_of(ALICE)
    assert GAME.label(Raise("double"), own, "fr").replace(NBSP, " ") == (
        "Vous jouez Double : vos points de la manche comptent double."
    )
    assert GAME.label(Swap(), own, "en") == "You play Swap: your whole hand for the Yomi, unseen."
    played.no_nobori()
    assert GAME.label(Play(20), played.fold_of(ALICE), "fr") == "Vous jouez {S20}. {1} joue ensuite."
    played.play("20", "19", "11")
    assert GAME.label(Play(22), played.fold_of(DAVE), "fr") == "Vous jouez {S22}. Le pli est à vous."
    assert GAME.label(Play(FOOL), played.fold_of(DAVE), "en") == "You play an Old Fool, {F}. {0} takes the trick."


def test_the_prompt_names_the_card_that_must_be_followed() -> None:
    played = Played(*FOUR, dealer=DAVE)
    (ask,) = GAME.pending(played.state)
    assert GAME.prompt(ask, played.fold_of(ALICE), "en") == "Play one banner for this round, or none."
    played.no_nobori()
    (ask,) = GAME.pending(played.state)
    assert GAME.prompt(ask, played.fold_of(ALICE), "en") == "You lead trick 1 of 4: play any card."
    played.play("20")
    (ask,) = GAME.pending(played.state)
    assert GAME.prompt(ask, played.fold_of(BOB), "fr").replace(NBSP, " ") == (
        "{0} a entamé avec {S20} : jouez un samouraï ou un Vieux Fou."
    )
    played.play("19")
    (ask,) = GAME.pending(played.state)
    assert "Ni samouraï ni Vieux Fou" in GAME.prompt(ask, played.fold_of(CAROL), "fr")


def test_after_a_led_villager_the_prompt_allows_any_card() -> None:
    played = Played(*FOUR, dealer=DAVE).no_nobori()
    played.play("6")
    (ask,) = GAME.pending(played.state)
    assert GAME.prompt(ask, played.fold_of(BOB), "en") == "{0} led a villager, {V6}: play any card."


def test_the_steps_of_each_move_are_safe_in_urls() -> None:
    own = Played(*FOUR, dealer=DAVE).fold_of(ALICE)
    steps = {
        "none": ["none"],
        "double": ["double"],
        "swap": ["swap"],
        "look yomi": ["look", "look-yomi"],
        "look C": ["look", "look-C"],
        "play S19": ["play-S19"],
        "fou": ["play-F"],
    }
    for typed, expected in steps.items():
        assert [step.text for step in GAME.path(GAME.parse(typed), own, "fr")] == expected
    assert GAME.path(GAME.parse("look C"), own, "fr")[1].label == "La main de {2}"


def test_the_board_in_words_is_enough_to_play() -> None:
    played = Played(*FOUR, dealer=DAVE)
    played.play("look B", "none", "double", "none", "20")
    assert GAME.describe(played.fold_of(ALICE), ALICE, "en") == (
        "Round 1 of 8, trick 1 of 4: {0} {S20}.",
        "{1} is to play.",
        "{0} (seat A, you): 0 points; hand: {V6}, {V7}, {V8}; 0 tricks; banner of this round: Look; "
        "banners left: Double, Zero, Villagers, Swap.",
        "{1} (seat B): 0 points; hand: {F}, {V9}, {V10}, {S19}; 0 tricks; banner of this round: none; "
        "banners left: Double, Zero, Villagers, Swap, Look.",
        "{2} (seat C): 0 points; hand: 4 unknown cards; 0 tricks; banner of this round: Double; "
        "banners left: Zero, Villagers, Swap, Look.",
        "{3} (seat D, dealt): 0 points; hand: 4 unknown cards; 0 tricks; banner of this round: none; "
        "banners left: Double, Zero, Villagers, Swap, Look.",
        "Yomi: 4 unknown cards.",
        "Cards not seen in this round: {V11}, {V12}, {V13}, {V14}, {V15}, {V16}, {V17}, {S18}, {S21}, {S22}, 2 × {F}.",
        "V villager, S samurai, F Old Fool, which counts as a samurai; the number is the value.",
    )


def test_the_board_in_words_tells_tricks_points_and_rounds() -> None:
    played = Played(*THREE, dealer=CAROL, terms=Terms(rounds=2)).no_nobori()
    played.play("6", "11", "22")
    lines = [line.replace(NBSP, " ") for line in GAME.describe(played.fold_of(BOB), BOB, "fr")]
    assert lines[0] == "Manche 1 sur 2, pli 2 sur 5."
    assert lines[1] == "{2} entame."
    assert "1 pli ({V6}, {V11}, {S22})" in lines[3]
    played.play("21", "7", "12", "20", "8", "13", "19", "9")
    played.play("14", chance=luck())
    text = "\n".join(GAME.describe(played.fold_of(BOB), BOB, "fr")).replace(NBSP, " ")
    assert "Manches ({0}, {1} et {2}) : 1 (−2, −2, 6)." in text
    assert "{0} choisit une bannière" not in text
    assert "−2 points" in text


def test_every_card_of_hagakure_has_a_symbol() -> None:
    assert tuple(GAME.meta.marks) == CARDS
    assert len(CARDS) == 28


def test_the_story_of_a_deal_names_no_card() -> None:
    played = Played(*FOUR, dealer=DAVE)
    (dealt,) = played.events
    assert isinstance(dealt, Dealt)
    assert what_is_told(played, CHARLIE, "en") == ["Round 1: {3} deals, {0} begins."]
    assert GAME.tell(dealt, None, "en") == "Round 1: {3} deals, {0} begins."


# --- in the strip of a seat's page ---------------------------------------------------------------------------

MOST_TOLD = 62
SECRETS = 70
"""Of the cards of a whole hand, which one alone has seen."""


@cases("lang", LANGS)
def test_the_title_of_each_question_fits_one_line_of_a_phone(lang: Lang) -> None:
    assert [ask.title[lang] for ask in GAME.meta.asks.values() if len(ask.title[lang]) > MOST_TITLE] == []


@pytest.mark.long
@cases("lang", LANGS)
def test_questions_and_chosen_moves_fit_two_lines_of_a_phone(lang: Lang) -> None:
    found = [(kind, text) for kind, text in questions_of_matches(GAME, lang) if length_of_phrase(text) > MOST_ASKED]
    assert found == []


@pytest.mark.long
@cases("lang", LANGS)
def test_a_line_of_the_story_fits_two_lines_of_the_strip(lang: Lang) -> None:
    lines = [*story_of_matches(GAME, lang)]
    assert [text for kind, text in lines if length_of_phrase(text) > (SECRETS if kind == "Looked" else MOST_TOLD)] == []
    assert len({kind for kind, _ in lines}) > 8
