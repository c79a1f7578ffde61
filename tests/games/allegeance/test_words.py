"""The texts of Allégeance: natural sentences that never name a card which the reader does not know."""

from collections.abc import Iterator
from itertools import islice

import pytest

from pbem.games.allegeance import GAME
from pbem.games.allegeance.facts import Challenge, LetPass, MatchBegan, RoundBegan, RoundEnded
from pbem.games.allegeance.facts_state import State
from pbem.games.samurai import CARDS
from pbem.kit.contract import Viewer
from pbem.kit.play import Table as Match
from pbem.kit.play import random_decisions
from pbem.kit.secrecy import redact
from pbem.kit.texts import LANGS, Lang
from pbem.render.phrases import phrase_text
from tests.games.allegeance.tables import ALICE, BOB, CAROL, CHARLIE, DAVE, Played
from tests.games.discovered import LANGUAGES
from tests.harness.cases import cases
from tests.transcripts import seed_of

NBSP = "\u00a0"


def what_is_told(played: Played, viewer: Viewer, lang: Lang, fresh: bool = True) -> list[str]:
    """The story so far, with plain spaces, without lines that are not worth telling."""
    lines: list[str] = []
    before: State | None = None
    for event in played.events:
        shown = redact(event, viewer, fresh)
        lines.append(GAME.tell(shown, before, lang).replace(NBSP, " "))
        before = GAME.evolve(before, shown)
    return [line for line in lines if line]


def some_play() -> Played:
    played = Played(4, "T1 F2 M3 B2", target=1)
    played.play(ALICE, "T1")
    played.play(ALICE, "give D")
    played.miss(BOB, "M1")
    played.play(CAROL, "T1")
    played.play(DAVE, "challenge")
    played.play(DAVE, "F3")
    played.play(ALICE, "pass")
    played.play(BOB, "challenge")
    return played


def test_the_story_of_each_event_in_french() -> None:
    assert what_is_told(some_play(), CHARLIE, "fr") == [
        "1 jeton pour gagner. Mémoire fermée : retenez tout.",
        "Manche 1 : {0} commence, seize samouraïs attendent.",
        "{0} annonce {T1}.",
        "La Porte livre {T1} : c’est juste.",
        "{0} donne {T1} à {3}.",
        "{1} annonce {M1}.",
        "La Porte livre {F2} : c’est faux.",
        "Personne ne conteste.",
        "{2} annonce {T1}.",
        "La Porte livre {M3} : c’est faux.",
        "{3} conteste : {2} prend {T1} à {3} et {M3}.",
        "{3} annonce {F3}.",
        "La Porte livre {B2} : c’est faux.",
        "{1} conteste {F3} à tort et prend {B2}.",
    ]


def test_the_story_of_each_event_in_english() -> None:
    assert what_is_told(some_play(), CHARLIE, "en") == [
        "1 token to win. Closed memory: remember what you see.",
        "Round 1: {0} begins. Sixteen samurai are waiting.",
        "{0} announces {T1}.",
        "The Door reveals {T1}: right.",
        "{0} gives {T1} to {3}.",
        "{1} announces {M1}.",
        "The Door reveals {F2}: wrong.",
        "No one challenges.",
        "{2} announces {T1}.",
        "The Door reveals {M3}: wrong.",
        "{3} challenges: {2} takes {T1} from {3} and {M3}.",
        "{3} announces {F3}.",
        "The Door reveals {B2}: wrong.",
        "{1} challenges {F3} wrongly and takes {B2}.",
    ]


def test_the_story_of_faded_events_leaves_out_their_cards() -> None:
    assert what_is_told(some_play(), CHARLIE, "en", fresh=False)[2:] == [
        "{0} makes an announcement.",
        "The announcement is right.",
        "{0} gives the card to {3}.",
        "{1} makes an announcement.",
        "The announcement is wrong.",
        "No one challenges.",
        "{2} makes an announcement.",
        "The announcement is wrong.",
        "{3} challenges: {2} takes two cards, one from {3}.",
        "{3} makes an announcement.",
        "The announcement is wrong.",
        "{1} challenges wrongly and takes the revealed card.",
    ]
    french = what_is_told(some_play(), CHARLIE, "fr", fresh=False)
    assert french[2:5] == ["{0} fait une annonce.", "L’annonce est juste.", "{0} donne la carte à {3}."]
    assert french[-1] == "{1} conteste à tort et prend la carte révélée."


def test_only_the_challenger_is_told_that_they_want_to_challenge() -> None:
    played = Played(3, "F1")
    played.play(ALICE, "T1")
    played.play(CAROL, "challenge")
    assert what_is_told(played, CAROL, "en")[-1] == "{2} wants to challenge."
    assert what_is_told(played, BOB, "en")[-1] == "The Door reveals {F1}: wrong."


@cases("seats", [2, 3])
def test_the_story_tells_who_won_the_round_and_the_match(seats: int) -> None:
    played = Played(seats, CARDS, target=1)
    played.play(ALICE, "F1")
    if seats == 3:
        played.play(ALICE, "give B")
    played.until(1)
    played.play(played.state.active, "T2")
    lines = what_is_told(played, CHARLIE, "en")[-2:]
    if seats == 2:
        assert lines == [
            "Round 1 is over: a token for {0}.",
            "{0} wins the match.",
        ]
    else:
        assert lines == [
            "Round 1 is over: a token for {0} and {2}.",
            "{0} and {2} win the match together.",
        ]
        assert what_is_told(played, CHARLIE, "fr")[-2:] == [
            "Manche 1 finie : un jeton pour {0} et {2}.",
            "{0} et {2} gagnent la partie ensemble.",
        ]


def test_the_story_tells_that_a_tie_is_broken_by_another_round() -> None:
    played = Played(3, CARDS, target=1, ties="round").until(1)
    played.play(played.state.active, "T2", CARDS)
    told = {lang: what_is_told(played, CHARLIE, lang) for lang in LANGS}
    assert told["en"][0] == "1 token to win alone. Closed memory: remember what you see."
    assert told["en"][-2] == "A tie: another round, 2 tokens to win."
    assert told["fr"][0] == "1 jeton pour gagner seul. Mémoire fermée : retenez tout."
    assert told["fr"][-2] == "Égalité : une manche de plus, 2 jetons pour gagner."


def test_the_story_says_that_a_caught_announcer_already_held_the_card() -> None:
    played = Played(3, "F1 F2 F3")
    played.play(ALICE, "F1")
    played.play(ALICE, "give C")
    played.miss(BOB, "T1")
    played.play(CAROL, "F1")
    played.play(ALICE, "challenge")
    assert what_is_told(played, CHARLIE, "en")[-1] == "{0} challenges: {2} already has {F1} and takes {F3}."
    assert what_is_told(played, CHARLIE, "fr")[-1] == "{0} conteste : {2} a déjà {F1} et prend {F3}."
    assert what_is_told(played, CHARLIE, "en", fresh=False)[-1] == "{0} challenges: {2} takes the revealed card."


def test_the_story_tells_a_card_taken_from_the_palace() -> None:
    played = Played(3, "F1 F2 F3")
    played.miss(ALICE, "T1")
    played.play(BOB, "F1")
    played.play(CAROL, "challenge")
    assert what_is_told(played, CHARLIE, "fr")[-1] == "{2} conteste : {1} prend {F1} au Palais et {F2}."
    assert what_is_told(played, CHARLIE, "en")[-1] == "{2} challenges: {1} takes {F1} from the Palace and {F2}."


def test_move_labels_describe_the_whole_move_and_its_consequence() -> None:
    played = Played(3, "F1 F2 F3")
    own = played.fold_of(ALICE)
    assert GAME.label(GAME.parse("F4"), own, "fr") == (
        "Vous annoncez {F4}. Si elle sort, vous la donnez à un autre joueur."
    )
    played.play(ALICE, "F1")
    assert GAME.label(GAME.parse("give B"), played.fold_of(ALICE), "fr") == (
        "Vous donnez {F1} à {1}, qui aura 1 carte en main."
    )
    played.play(ALICE, "give B")
    assert GAME.label(GAME.parse("F1"), played.fold_of(BOB), "en") == (
        "You announce {F1}, which is in your hand: it cannot come out."
    )
    played.play(BOB, "M4")
    own = played.fold_of(ALICE)
    assert GAME.label(Challenge(), own, "fr").replace(NBSP, " ") == (
        "Vous contestez : {M4} serait déjà sortie. Si vous avez tort, vous prenez {F2}."
    )
    assert GAME.label(LetPass(), own, "en") == "You let {M4} pass. If no one challenges, no one takes a card."
    played.all_pass()
    assert GAME.label(GAME.parse("F2"), played.fold_of(CAROL), "en") == (
        "You announce {F2}, which is on top of the Palace: it cannot come out."
    )


def test_with_two_players_the_label_of_a_pass_says_no_one_takes_a_card() -> None:
    played = Played(2, "F1")
    played.play(ALICE, "T1")
    assert GAME.label(LetPass(), played.fold_of(BOB), "en") == "You let {T1} pass: no one takes a card."


def test_the_prompt_names_the_cards_that_limit_the_answer() -> None:
    played = Played(2, "F1 F2 F3")
    assert GAME.prompt(GAME.pending(played.state)[0], played.fold_of(ALICE), "en") == "Name the next card of the Door."
    played.miss(ALICE, "T1")
    played.miss(BOB, "T2")
    (ask,) = GAME.pending(played.state)
    own = played.fold_of(ALICE)
    assert GAME.prompt(ask, own, "fr") == "Nommez la prochaine carte de la Porte, sauf {T1} et {T2}."
    assert GAME.prompt(ask, own, "en") == "Name the next card of the Door, but not {T1} or {T2}."
    assert GAME.pad(ask, own, "en").note == "Not allowed this turn: {T1} and {T2}."
    played.play(ALICE, "T3")
    (ask,) = GAME.pending(played.state)
    assert GAME.prompt(ask, played.fold_of(BOB), "en") == (
        "{0} announced {T3}, the Door gave {F3}. Is {T3} already out?"
    )


def test_the_prompt_says_that_its_reader_holds_the_announced_card() -> None:
    played = Played(3, "F1 F2 F3")
    played.play(ALICE, "F1")
    played.play(ALICE, "give B")
    played.miss(BOB, "T1")
    played.play(CAROL, "F1")
    (ask,) = [ask for ask in GAME.pending(played.state) if ask.seat == BOB]
    assert GAME.prompt(ask, played.fold_of(BOB), "en") == (
        "{2} announced {F1}, which is in your hand; the Door gave {F3}."
    )


NAMES = ["Bernadet", "Aleksand", "Wilhelmi", "Maximili"]
TITLE, SENTENCE, LINE = 26, 75, 65
"""How many letters a phone's strip has room for: as a headline, as a question or a move, as a line of the story."""


def matches(decisions: int = 60) -> Iterator[Match]:
    """A match of each number of seats and each sample of options, after each of its first decisions."""
    for seats in GAME.meta.seats:
        for options in GAME.meta.samples:
            match = Match(GAME, seats, options, seed_of("words that fit", seats, 0))
            yield match
            for _ in islice(random_decisions(match), decisions):
                yield match


def test_the_titles_of_questions_fit_in_a_line() -> None:
    titles = [asked.title[lang] for asked in GAME.meta.asks.values() for lang in LANGS]
    assert [title for title in titles if len(title) > TITLE] == []


@pytest.mark.long
@LANGUAGES
def test_questions_and_moves_fit_in_two_lines(lang: Lang) -> None:
    said: set[str] = set()
    for match in matches():
        for ask in GAME.pending(match.state):
            own = match.folds[ask.seat]
            said |= {GAME.prompt(ask, own, lang), *(GAME.label(move, own, lang) for move in GAME.legal(own, ask.seat))}
    assert len(said) > 100
    assert [phrase for phrase in said if len(phrase_text(phrase, NAMES)) > SENTENCE] == []


@pytest.mark.long
@LANGUAGES
def test_a_line_of_the_story_fits_beside_the_pager(lang: Lang) -> None:
    told: set[str] = set()
    for match in dict.fromkeys(matches()):
        before: State | None = None
        for entry in match.entries:
            told.add(GAME.tell(entry.event, before, lang))
            before = GAME.evolve(before, entry.event)
    assert len(told) > 100
    assert [line for line in told if len(phrase_text(line, NAMES)) > LINE] == []


def test_the_steps_of_each_move_are_safe_in_urls() -> None:
    played = Played(3, "F1")
    own = played.fold_of(ALICE)
    assert [s.text for s in GAME.path(GAME.parse("F4"), own, "fr")] == ["announce-F4"]
    assert [s.text for s in GAME.path(GAME.parse("give B"), own, "fr")] == ["give-B"]
    played.play(ALICE, "T1")
    assert [s.text for s in GAME.path(Challenge(), played.fold_of(BOB), "fr")] == ["challenge"]
    assert [s.text for s in GAME.path(LetPass(), played.fold_of(BOB), "fr")] == ["pass"]


def test_the_board_in_words_is_enough_to_play() -> None:
    played = some_play()
    assert GAME.describe(played.fold_of(CAROL), CAROL, "en") == (
        "Round 1, turn 5 of 16. {0} is to announce.",
        "Door: 12 cards.",
        "Palace: 1 card; on top {F2}.",
        "Not allowed this turn: {F3}.",
        "{2} (seat C, you): 0 of 1 token; 2 cards in hand: {T1} and {M3}.",
        "{3} (seat D): 0 of 1 token; no card in hand.",
        "{0} (seat A): 0 of 1 token; no card in hand.",
        "{1} (seat B): 0 of 1 token; 1 card in hand.",
        "Clans: F Fujiwara, M Minamoto, T Taira, B Tachibana; the digit is the rank.",
    )
    french = [line.replace(NBSP, " ") for line in GAME.describe(played.fold_of(BOB), BOB, "fr")]
    assert french[:5] == [
        "Manche 1, tour 5 sur 16. {0} doit annoncer.",
        "Porte : 12 cartes.",
        "Palais : 1 carte ; sur le dessus {F2}.",
        "Pas permis à ce tour : {F3}.",
        "{1} (place B, vous) : 0 jeton sur 1 ; 1 carte en main : {B2}.",
    ]


def test_the_board_in_words_says_that_a_round_is_over() -> None:
    """The position after a line of the story about a round, as a replay shows it."""
    played = Played(3, CARDS, target=2).until(1)
    played.play(played.state.active, "T2", CARDS)
    first: dict[Lang, list[str]] = {lang: [] for lang in LANGS}
    state: State | None = None
    for event in played.events:
        state = GAME.evolve(state, redact(event, CHARLIE))
        if isinstance(event, (MatchBegan, RoundEnded, RoundBegan)):
            for lang in LANGS:
                first[lang].append(GAME.describe(state, CHARLIE, lang)[0].replace(NBSP, " "))
    assert first["en"] == [
        "The match begins.",
        "Round 1, {0} begins.",
        "Round 1 is over: a token for everyone.",
        "Round 2, {1} begins.",
    ]
    assert first["fr"] == [
        "La partie commence.",
        "Manche 1, {0} commence.",
        "Manche 1 finie : un jeton pour tout le monde.",
        "Manche 2, {1} commence.",
    ]


def test_the_board_in_words_says_who_is_awaited() -> None:
    played = Played(3, "F1")
    played.play(ALICE, "T1")
    played.play(BOB, "pass")
    assert GAME.describe(played.fold_of(CHARLIE), CHARLIE, "en")[0] == (
        "Round 1, turn 1 of 16. {0} announces {T1}: that is wrong. Challenge or pass: waiting for {2}."
    )


def test_every_card_of_allegeance_has_a_symbol() -> None:
    assert tuple(GAME.meta.marks) == CARDS
