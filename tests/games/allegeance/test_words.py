"""The texts of Allégeance: natural sentences that never name a card which the reader does not know."""

from pbem.games.allegeance import GAME
from pbem.games.allegeance.facts import Challenge, LetPass, MatchBegan, RoundBegan, RoundEnded, State
from pbem.games.samurai import CARDS
from pbem.kit.contract import Viewer
from pbem.kit.secrecy import redact
from pbem.kit.texts import LANGS, Lang
from tests.games.allegeance.tables import ALICE, BOB, CAROL, CHARLIE, DAVE, Played
from tests.harness.cases import cases

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


def test_the_story_in_french() -> None:
    assert what_is_told(some_play(), CHARLIE, "fr") == [
        "La partie va à 1 jeton Satisfaction. Mémoire fermée : retenez ce que vous voyez.",
        "Manche 1 : seize samouraïs attendent derrière la Porte, {0} commence.",
        "{0} annonce {T1}.",
        "La Porte livre {T1} : c’est juste.",
        "{0} donne {T1} à {3}.",
        "{1} annonce {M1}.",
        "La Porte livre {F2} : c’est faux.",
        "Personne ne conteste.",
        "{2} annonce {T1}.",
        "La Porte livre {M3} : c’est faux.",
        "{3} conteste avec raison : {T1} était dans la main de {3}. {2} prend les deux cartes, {T1} et {M3}.",
        "{3} annonce {F3}.",
        "La Porte livre {B2} : c’est faux.",
        "{1} conteste à tort : {F3} est encore derrière la Porte. {1} prend {B2}.",
    ]


def test_the_story_in_english() -> None:
    assert what_is_told(some_play(), CHARLIE, "en")[2:] == [
        "{0} announces {T1}.",
        "The Door reveals {T1}: right.",
        "{0} gives {T1} to {3}.",
        "{1} announces {M1}.",
        "The Door reveals {F2}: wrong.",
        "No one challenges.",
        "{2} announces {T1}.",
        "The Door reveals {M3}: wrong.",
        "{3}’s challenge is right: {T1} was in {3}’s hand. {2} takes both cards, {T1} and {M3}.",
        "{3} announces {F3}.",
        "The Door reveals {B2}: wrong.",
        "{1}’s challenge is wrong: {F3} is still behind the Door. {1} takes {B2}.",
    ]


def test_what_has_faded_is_told_without_its_cards() -> None:
    assert what_is_told(some_play(), CHARLIE, "en", fresh=False)[2:] == [
        "{0} makes an announcement.",
        "The announcement is right.",
        "{0} gives the card to {3}.",
        "{1} makes an announcement.",
        "The announcement is wrong.",
        "No one challenges.",
        "{2} makes an announcement.",
        "The announcement is wrong.",
        "{3}’s challenge is right: the announced card was in {3}’s hand. {2} takes both cards, the announced card "
        "and the revealed card.",
        "{3} makes an announcement.",
        "The announcement is wrong.",
        "{1}’s challenge is wrong: {1} takes the revealed card.",
    ]
    french = what_is_told(some_play(), CHARLIE, "fr", fresh=False)
    assert french[2:5] == ["{0} fait une annonce.", "L’annonce est juste.", "{0} donne la carte à {3}."]
    assert french[-1] == "{1} conteste à tort et prend la carte révélée."


def test_an_answer_is_told_to_the_player_who_gave_it() -> None:
    played = Played(3, "F1")
    played.play(ALICE, "T1")
    played.play(CAROL, "challenge")
    assert what_is_told(played, CAROL, "en")[-1] == "{2} wants to challenge."
    assert what_is_told(played, BOB, "en")[-1] == "The Door reveals {F1}: wrong."


@cases("seats", [2, 3])
def test_rounds_and_matches_end_in_words(seats: int) -> None:
    played = Played(seats, CARDS, target=1)
    played.play(ALICE, "F1")
    if seats == 3:
        played.play(ALICE, "give B")
    played.until(1)
    played.play(played.state.active, "T2")
    lines = what_is_told(played, CHARLIE, "en")[-2:]
    if seats == 2:
        assert lines == [
            "Round 1 is over: {0} has the fewest cards and gets a token. Tokens: {0} 1, {1} 0.",
            "{0} wins the match.",
        ]
    else:
        assert lines == [
            "Round 1 is over: {0} and {2} have the fewest cards and get one token each. Tokens: {0} 1, {1} 0, {2} 1.",
            "{0} and {2} win the match together.",
        ]
        assert what_is_told(played, CHARLIE, "fr")[-2:] == [
            "La manche 1 est finie : {0} et {2} ont le moins de cartes et gagnent chacun un jeton. Jetons : {0} 1, "
            "{1} 0, {2} 1.",
            "{0} et {2} gagnent la partie ensemble.",
        ]


def test_labels_say_the_whole_move() -> None:
    played = Played(3, "F1 F2 F3")
    own = played.fold_of(ALICE)
    assert GAME.label(GAME.parse("F4"), own, "fr") == "Vous annoncez {F4}."
    played.play(ALICE, "F1")
    assert GAME.label(GAME.parse("give B"), played.fold_of(ALICE), "fr") == "Vous donnez {F1} à {1}."
    played.play(ALICE, "give B")
    assert GAME.label(GAME.parse("F1"), played.fold_of(BOB), "en") == "You announce {F1}. It is in your hand."
    played.play(BOB, "M4")
    own = played.fold_of(ALICE)
    assert GAME.label(Challenge(), own, "fr").replace(NBSP, " ") == (
        "Vous contestez l’annonce de {1} : {M4} serait déjà sortie. Si vous vous trompez, vous prenez {F2}."
    )
    assert GAME.label(LetPass(), own, "en") == "You let {1}’s announcement pass."
    played.all_pass()
    assert GAME.label(GAME.parse("F2"), played.fold_of(CAROL), "en") == "You announce {F2}. It is on top of the Palace."


def test_prompts_say_what_binds() -> None:
    played = Played(2, "F1 F2 F3")
    played.miss(ALICE, "T1")
    played.miss(BOB, "T2")
    (ask,) = GAME.pending(played.state)
    assert GAME.prompt(ask, played.fold_of(ALICE), "fr") == (
        "Nommez la carte du dessus de la Porte (14 cartes). {T1} et {T2} viennent d’être annoncées et ne peuvent pas "
        "l’être maintenant."
    )
    played.play(ALICE, "T3")
    (ask,) = GAME.pending(played.state)
    assert GAME.prompt(ask, played.fold_of(BOB), "en") == (
        "{0} has announced {T3} and the Door gave {F3}. Is {T3} already out, in the Palace or in a hand? If your "
        "challenge is right, {0} takes {T3} and {F3}; if it is wrong, you take {F3}."
    )


def test_prompts_to_several_seats_say_that_nobody_sees_their_answers() -> None:
    two, three = Played(2, "F1"), Played(3, "F1")
    for played in (two, three):
        played.play(ALICE, "T1")
    sentences: dict[Lang, str] = {
        "fr": "Personne ne voit votre réponse avant la fin de la fenêtre.",
        "en": "No one sees your answer until the window closes.",
    }
    for lang, sentence in sentences.items():
        asked = [GAME.prompt(GAME.pending(p.state)[0], p.fold_of(BOB), lang) for p in (two, three)]
        assert [sentence in text for text in asked] == [False, True]


def test_paths_are_steps_that_links_can_carry() -> None:
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
        "Not to be announced this turn: {F3}.",
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
        "À ne pas annoncer à ce tour : {F3}.",
        "{1} (place B, vous) : 0 jeton sur 1 ; 1 carte en main : {B2}.",
    ]


def test_between_two_rounds_the_description_says_so() -> None:
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
        "Round 1 is over. A token for {0}, {1} and {2}.",
        "Round 2, {1} begins.",
    ]
    assert first["fr"] == [
        "La partie commence.",
        "Manche 1, {0} commence.",
        "La manche 1 est finie. Un jeton pour {0}, {1} et {2}.",
        "Manche 2, {1} commence.",
    ]


def test_who_is_waited_for_is_in_the_description() -> None:
    played = Played(3, "F1")
    played.play(ALICE, "T1")
    played.play(BOB, "pass")
    assert GAME.describe(played.fold_of(CHARLIE), CHARLIE, "en")[0] == (
        "Round 1, turn 1 of 16. {0} announces {T1}: that is wrong. Challenge or pass: waiting for {2}."
    )


def test_every_card_has_its_mark() -> None:
    assert tuple(GAME.meta.marks) == CARDS
