"""The texts of Hexen Rennen: natural sentences that never name what the reader does not know."""

import re

import pytest
from msgspec.structs import replace

from pbem.games.hexen_rennen import GAME
from pbem.games.hexen_rennen.facts import DIVISIONS, Divide, HexenOptions, Leave, Play, Reached
from pbem.games.hexen_rennen.facts_race import TILES, State
from pbem.kit.play import Table
from pbem.kit.secrecy import redact
from pbem.kit.texts import LANGS, Lang
from pbem.render import phrases
from tests.games.discovered import LANGUAGES, sample_tables
from tests.games.hexen_rennen.questions import questions
from tests.games.hexen_rennen.tables import ALICE, BOB, CHARLIE, Turn, race
from tests.games.stage.words import events_with_folds
from tests.harness.cases import cases

NBSP = "\u00a0"


def what_is_told(turn: Turn, before_: object, lang: Lang) -> list[str]:
    """The story of a written turn, with plain spaces."""
    lines, before = [], before_
    for event in turn.events:
        lines.append(GAME.tell(event, before, lang).replace(NBSP, " "))
        before = GAME.evolve(before, event)
    return [line for line in lines if line]


def chain() -> tuple[Turn, object]:
    before = race(
        3,
        witches={"A": (10, 50, 51), "B": (0, 0, 30)},
        tiles={12: "AS", 22: "BS", 15: "DS", 9: "A2", 11: "A3", 14: "A4", 18: "C9"},
        hands={"A": "10", "B": "7 S"},
        pile="6",
    )
    turn = Turn(before, 2)
    for move in ("play 10", "play 7"):
        turn.play(move)
    return turn, before


def test_the_story_of_each_event_in_french() -> None:
    turn, before = chain()
    assert what_is_told(turn, before, "fr") == [
        "{0} fait 2 et vole de 10 à 12.",
        "La tuile 12 est retournée : {AS}.",
        "Sur {AS}, {0} peut jouer une carte.",
        "{0} joue {A10} : de 12 à 22.",
        "La tuile 22 est retournée : {BS}.",
        "Sur {BS}, {1} peut jouer une carte contre {0}.",
        "{1} joue {B7} : {0} recule de 22 à 15.",
        "La tuile 15 est retournée : {DS}.",
        "Le clan D tire {D6} : {0} recule de 15 à 9.",
        "La tuile 9 est retournée : {A2}.",
        "{A2} porte {0} de 9 à 11.",
        "La tuile 11 est retournée : {A3}.",
        "{A3} porte {0} de 11 à 14.",
        "La tuile 14 est retournée : {A4}.",
        "{A4} porte {0} de 14 à 18.",
        "La tuile 18 est retournée : {C9}.",
    ]


def test_the_story_of_each_event_in_english() -> None:
    turn, before = chain()
    assert what_is_told(turn, before, "en")[:9] == [
        "{0} rolls 2 and flies from 10 to 12.",
        "Tile 12 is turned up: {AS}.",
        "On {AS}, {0} may play a card.",
        "{0} plays {A10}: from 12 to 22.",
        "Tile 22 is turned up: {BS}.",
        "On {BS}, {1} may play a card against {0}.",
        "{1} plays {B7}: {0} back from 22 to 15.",
        "Tile 15 is turned up: {DS}.",
        "Clan D draws {D6}: {0} back from 15 to 9.",
    ]


@cases(
    "die, witches, tiles, line",
    [
        (4, {"A": (48, 50, 51)}, {}, "{0} fait 4 et ne peut déplacer aucune sorcière."),
        (1, {"A": (48, 50, 51)}, {}, "La course est finie. {0} gagne avec 9 points."),
        (
            1,
            {"A": (48, 49, 49), "B": (0, 50, 50)},
            {},
            "La course est finie. {0} et {1} gagnent avec 6 points.",
        ),
        (
            2,
            {"A": (10, 50, 51), "B": (0, 0, 17)},
            {12: "A5"},
            "La tuile 12 est retournée : {A5}. 17 est prise.",
        ),
        (
            2,
            {"A": (44, 50, 51)},
            {46: "A5"},
            "La tuile 46 est retournée : {A5}. Ce serait trop loin.",
        ),
    ],
)
def test_the_story_tells_why_a_turn_ended(
    die: int, witches: dict[str, tuple[int, int, int]], tiles: dict[int, str], line: str
) -> None:
    before = race(2, witches=witches, tiles=tiles)
    assert what_is_told(Turn(before, die), before, "fr")[-1] == line


def test_the_story_tells_divided_numbers_only_to_their_own_seat() -> None:
    table = Table(GAME, 2, HexenOptions(), bytes(32))
    (event,) = GAME.decide(table.state, ALICE, DIVISIONS[0], None)  # type: ignore[arg-type]
    assert GAME.tell(redact(event, ALICE), table.state, "en") == "{0} has divided: 2, 3, 4 / 5, 6, 7 / 8, 9, 10."
    for viewer in (BOB, CHARLIE):
        assert GAME.tell(redact(event, viewer), table.state, "en") == "{0} has divided their tiles."


def test_move_labels_describe_the_move_and_its_certain_consequence() -> None:
    before = race(witches={"A": (10, 20, 47)}, tiles={12: "A5", 17: "A2", 22: "BS"}, up=[12, 22])
    fold = Turn(before, 2).state
    labels = [GAME.label(move, fold, "fr").replace(NBSP, " ") for move in GAME.legal(fold, ALICE)]
    assert labels == [
        "Vous avancez de 10 à 12, puis 17, tuile encore cachée.",
        "Vous avancez de 20 à 22. {1} pourra jouer une carte.",
        "Vous avancez de 47 à l’arrivée (case 2).",
    ]
    said = "Stage 1 gets 2, 3, 4; stage 2 gets 5, 6, 7; stage 3 gets 8, 9, 10."
    assert GAME.label(DIVISIONS[0], fold, "en") == said


def test_card_labels_name_the_witch_they_move_and_from_which_tile() -> None:
    before = race(witches={"A": (10, 50, 51)}, tiles={12: "BS", 8: "A6", 14: "AS"}, up=[8], hands={"B": "2 4"})
    turn = Turn(before, 2)
    assert GAME.label(Play("2"), turn.state, "en") == "{B2}: {0} goes back from 12 to 10, a tile still face down."
    assert GAME.label(Play("4"), turn.state, "en") == "{B4}: {0} goes back to 8, then 14, a tile still face down."
    assert GAME.label(Leave(), turn.state, "en") == "You leave {0}’s witch on 12 and keep your cards."
    own = Turn(race(witches={"A": (10, 50, 51)}, tiles={12: "AS"}, hands={"A": "2 4"}), 2).state
    assert GAME.label(Play("2"), own, "fr").replace(NBSP, " ") == "{A2} : vous avancez de 12 à 14, tuile encore cachée."
    assert GAME.label(Leave(), own, "fr") == "Vous restez en 12 et gardez vos cartes."


@cases(
    "witches, pile, labels",
    [
        (
            (0, 5, 17),
            "6",
            [
                "Vous avancez de 10 à 12 ({A5}). 17 est prise.",
                "Vous avancez de 20 à 22. Le clan D tirera une carte.",
                "Vous avancez de 44 à 46 ({A9}). Ce serait trop loin.",
            ],
        ),
        (
            (0, 5, 24),
            "",
            [
                "Vous avancez de 10 à 12, puis 17 ({A7}). 24 est prise.",
                "Vous avancez de 20 à 22. Le clan D n’a plus de cartes.",
                "Vous avancez de 44 à 46 ({A9}). Ce serait trop loin.",
            ],
        ),
    ],
)
def test_move_labels_give_the_reason_why_the_witch_stops(
    witches: tuple[int, int, int], pile: str, labels: list[str]
) -> None:
    tiles = {12: "A5", 17: "A7", 22: "DS", 46: "A9"}
    before = race(3, witches={"A": (10, 20, 44), "B": witches}, tiles=tiles, up=list(tiles), pile=pile)
    fold = Turn(before, 2).state
    assert [GAME.label(move, fold, "fr").replace(NBSP, " ") for move in GAME.legal(fold, ALICE)] == labels


def test_a_label_foretells_the_neutral_draw_without_naming_the_card() -> None:
    before = race(3, witches={"A": (10, 20, 44)}, tiles={22: "DS"}, up=[22], pile="6")
    fold = Turn(before, 2).state
    said = "You fly from 20 to 22. Clan D will draw a card."
    assert GAME.label(GAME.parse("fly 20"), fold, "en") == said
    blind = replace(fold, piles=((), (), (), (None,)))
    assert GAME.label(GAME.parse("fly 20"), blind, "en") == said


def test_the_prompt_says_whether_its_reader_may_or_must_play_a_card() -> None:
    obliged = race(witches={"A": (18, 50, 51)}, tiles={20: "BS", 16: "CS"}, hands={"B": "4", "C": "3 9"})
    turn = Turn(obliged, 2)
    for words in (
        "{0} est en 20, sur votre symbole : une carte fait reculer sa sorcière.",
        "{0} a reculé en 16, sur votre symbole : vous devez jouer une carte.",
    ):
        (ask,) = GAME.pending(turn.state)
        assert GAME.prompt(ask, turn.state, "fr").replace(NBSP, " ") == words
        if ask.seat == BOB:
            turn.play("play 4")


def test_the_steps_of_each_move_are_safe_in_urls() -> None:
    fold = Turn(race(witches={"A": (10, 20, 47)}), 2).state
    assert [s.text for s in GAME.path(Divide(((2, 5, 9), (3, 4, 10), (6, 7, 8))), fold, "fr")] == [
        *("1-2", "1-5", "1-9"),
        *("2-3", "2-4", "2-10"),
        *("3-6", "3-7", "3-8"),
    ]
    assert [s.text for s in GAME.path(GAME.parse("fly 10"), fold, "fr")] == ["fly-10"]
    turn, _ = chain()
    assert [s.text for s in GAME.path(GAME.parse("play S"), turn.state, "en")] == ["card-S"]
    assert [s.text for s in GAME.path(GAME.parse("leave"), turn.state, "en")] == ["leave"]


def steps_of(fold: State, moves: str) -> list[str]:
    """What the steps to these moves are called, in English."""
    return [GAME.path(GAME.parse(move), fold, "en")[0].label for move in moves.split(", ")]


def test_step_labels_name_the_target_tile_and_the_symbol_there() -> None:
    before = race(witches={"A": (0, 10, 47)}, tiles={12: "A5"}, up=[12])
    assert steps_of(Turn(before, 2).state, "fly 0, fly 10, fly 47") == [
        "start · to 2",
        "10 · to 12 · {A5}",
        "47 · goal 2",
    ]
    on_b = race(witches={"A": (18, 50, 51)}, tiles={20: "BS", 16: "BS"}, up=[16], hands={"B": "3 4 S"})
    labels = ["3 · to 17", "4 · to 16 · {BS}", "{BS} · to 16 · {BS}", "Leave her there"]
    assert steps_of(Turn(on_b, 2).state, "play 3, play 4, play S, leave") == labels


def test_the_label_of_a_step_that_cannot_be_taken_names_no_target() -> None:
    before = race(witches={"A": (10, 20, 51), "B": (12, 0, 0), "C": (13, 0, 0)}, tiles={22: "BS"})
    fold = Turn(before, 2).state
    assert fold.asked == BOB, "the only witch that can move has flown"
    assert steps_of(fold, "play 2, play 9, play 10, play S") == ["2 · to 20", "9", "10", "{BS}"]


def test_the_board_in_words_is_enough_to_play() -> None:
    before = race(3, witches={"A": (10, 20, 50), "B": (0, 0, 30)}, tiles={12: "A5"}, up=[12], pile="6 S")
    fold = Turn(before, 2).state
    lines = GAME.describe(fold, BOB, "en")
    assert lines[:8] == (
        "{0}’s turn, die: 2.",
        "{1} (seat B, you): witches on 30 and at the start (2); cards 2, 3, 4, 5, 6, 7, 8, 9, 10, S, S, S; points: 0.",
        "{2} (seat C): witches at the start (3); cards 2, 3, 4, 5, 6, 7, 8, 9, 10, S, S, S; points: 0.",
        "{0} (seat A): witches in the goal (square 3), on 20 and on 10; "
        "cards 2, 3, 4, 5, 6, 7, 8, 9, 10, S, S, S; points: 3.",
        "Clan D, neutral: cards in its pile: 2.",
        "Stage 1 (tiles 1 to 16): 12 {A5}.",
        "Stage 2 (tiles 17 to 32): nothing is turned up yet.",
        "Stage 3 (tiles 33 to 48): nothing is turned up yet.",
    )


# --- for all matches ---------------------------------------------------------------------------------------

NAMES = ("Katharin", "Wilfried", "Hildegar", "Adelheid")
"""Of eight letters."""
MATCHES = pytest.mark.parametrize("matches", [1, pytest.param(5, marks=pytest.mark.long)])


def letters_of_phrase(phrase: str) -> int:
    """How many letters a phrase takes; a tile or card has its mark beside it."""
    return len(phrases.phrase_text(phrase, NAMES)) + 2 * len(re.findall(r"\{[A-D](?:[0-9]+|S)\}", phrase))


@LANGUAGES
def test_question_titles_fit_the_line_above_a_board(lang: Lang) -> None:
    assert all(len(ask.title[lang]) <= 26 for ask in GAME.meta.asks.values())


@LANGUAGES
@MATCHES
def test_prompts_and_move_labels_fit_two_lines(lang: Lang, matches: int) -> None:
    for fold, ask, _ in questions(matches):
        moves = GAME.legal(fold, ask.seat)
        said = [
            GAME.prompt(ask, fold, lang),
            *(GAME.label(move, fold, lang) for move in moves[:: 1 + len(moves) // 20]),
        ]
        assert [phrase for phrase in said if letters_of_phrase(phrase) > 75] == []


@LANGUAGES
@MATCHES
def test_each_line_of_the_story_is_short_enough_for_the_page(lang: Lang, matches: int) -> None:
    for table in {id(table): table for _, _, table in questions(matches)}.values():
        for viewer in (ALICE, CHARLIE):
            told = [GAME.tell(event, before, lang) for before, event, _ in events_with_folds(GAME, table, viewer)]
            assert [line for line in told if letters_of_phrase(line) > 66] == []


@LANGUAGES
def test_each_refusal_fits_two_lines(lang: Lang) -> None:
    facts = {"stage": 3, "count": 9, "number": 10, "place": 48, "card": "10"}
    for refusal in GAME.meta.refusals.values():
        assert len(refusal.text[lang].format_map(facts)) <= 75


@pytest.mark.long
def test_the_board_in_words_lists_only_the_readers_own_numbers() -> None:
    for table in sample_tables(GAME):
        for viewer in table.viewers:
            text = " ".join(GAME.describe(table.folds[viewer], viewer, "en"))
            assert ("Your numbers, stage 1" in text) == (viewer is not None and table.state.divided[viewer])
            assert "’s numbers" not in text


def test_the_board_in_words_after_the_end_lists_tiles_still_face_down() -> None:
    table = sample_tables(GAME)[-1]
    text = " ".join(GAME.describe(table.state, None, "en"))
    assert "Still face down: " in text
    named = re.findall(r"\{(\w+)\}", text.partition("Still face down: ")[2])
    laid = zip(table.state.tiles, table.state.shown, strict=True)
    assert named == [tile for tile, shown in laid if not shown]


def test_every_tile_of_hexen_rennen_has_a_symbol() -> None:
    assert tuple(GAME.meta.marks) == TILES


def test_the_board_in_words_names_who_chooses_on_their_symbol() -> None:
    before = race(witches={"A": (18, 50, 51)}, tiles={20: "BS"})
    turn = Turn(before, 2)
    assert isinstance(turn.events[-1], Reached)
    line = GAME.describe(turn.state, CHARLIE, "fr")[0].replace(NBSP, " ")
    assert line == "Tour de {0}, dé : 2. La sorcière est en 20, sur {BS} : {1} choisit."


def test_the_board_in_words_names_who_is_obliged_to_play() -> None:
    before = race(witches={"A": (18, 50, 51)}, tiles={20: "BS", 16: "CS"}, hands={"B": "4", "C": "3 9"})
    turn = Turn(before, 2)
    turn.play("play 4")
    lines = [GAME.describe(turn.state, CHARLIE, lang)[0].replace(NBSP, " ") for lang in LANGS]
    assert lines == [
        "Tour de {0}, dé : 2. La sorcière est en 16, sur {CS} : {2} doit jouer une carte.",
        "{0}’s turn, die: 2. The witch is on 16, on {CS}: {2} must play a card.",
    ]
