"""The texts of Hexen Rennen: natural sentences that never name what the reader does not know."""

import re

import pytest
from msgspec.structs import replace

from pbem.games.hexen_rennen import GAME
from pbem.games.hexen_rennen.facts import TILES, Divide, HexenOptions, Reached
from pbem.games.hexen_rennen.rules import DIVISIONS
from pbem.kit.play import Table
from pbem.kit.secrecy import redact
from pbem.kit.texts import LANGS, Lang
from tests.games.discovered import tables
from tests.games.hexen_rennen.tables import ALICE, BOB, CHARLIE, Turn, race
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


def test_the_story_in_french() -> None:
    turn, before = chain()
    assert what_is_told(turn, before, "fr") == [
        "{0} fait 2 et vole de 10 à 12.",
        "La tuile 12 est retournée : {AS}.",
        "Sur {AS}, {0} peut jouer une carte.",
        "{0} joue {A10} : sa sorcière vole de 12 à 22.",
        "La tuile 22 est retournée : {BS}.",
        "Sur {BS}, {1} peut jouer une carte contre {0}.",
        "{1} joue {B7} contre {0} : la sorcière recule de 22 à 15.",
        "La tuile 15 est retournée : {DS}.",
        "Pour le clan neutre D, on tire {D6} : la sorcière recule de 15 à 9.",
        "La tuile 9 est retournée : {A2}.",
        "{A2} porte la sorcière de {0} de 9 à 11.",
        "La tuile 11 est retournée : {A3}.",
        "{A3} porte la sorcière de {0} de 11 à 14.",
        "La tuile 14 est retournée : {A4}.",
        "{A4} porte la sorcière de {0} de 14 à 18.",
        "La tuile 18 est retournée : {C9}.",
    ]


def test_the_story_in_english() -> None:
    turn, before = chain()
    assert what_is_told(turn, before, "en")[:9] == [
        "{0} rolls 2 and flies from 10 to 12.",
        "Tile 12 is turned up: {AS}.",
        "On {AS}, {0} may play a card.",
        "{0} plays {A10}: their witch flies from 12 to 22.",
        "Tile 22 is turned up: {BS}.",
        "On {BS}, {1} may play a card against {0}.",
        "{1} plays {B7} against {0}: the witch goes back from 22 to 15.",
        "Tile 15 is turned up: {DS}.",
        "For the neutral clan D, {D6} is drawn: the witch goes back from 15 to 9.",
    ]


@cases(
    "die, witches, tiles, line",
    [
        (4, {"A": (48, 50, 51)}, {}, "{0} fait 4 et ne peut déplacer aucune sorcière."),
        (1, {"A": (48, 50, 51)}, {}, "Les trois sorcières de {0} sont arrivées. Points : {0} 9, {1} 0. {0} gagne."),
        (
            1,
            {"A": (48, 49, 49), "B": (0, 50, 50)},
            {},
            "Les trois sorcières de {0} sont arrivées. Points : {0} 6, {1} 6. {0} et {1} gagnent.",
        ),
        (
            2,
            {"A": (10, 50, 51), "B": (0, 0, 17)},
            {12: "A5"},
            "La tuile 12 est retournée : {A5}. La tuile 17 est occupée : la sorcière reste.",
        ),
        (
            2,
            {"A": (44, 50, 51)},
            {46: "A5"},
            "La tuile 46 est retournée : {A5}. Ce nombre mènerait trop loin : la sorcière reste.",
        ),
    ],
)
def test_a_turn_that_ends_says_why(
    die: int, witches: dict[str, tuple[int, int, int]], tiles: dict[int, str], line: str
) -> None:
    before = race(2, witches=witches, tiles=tiles)
    assert what_is_told(Turn(before, die), before, "fr")[-1] == line


def test_the_division_is_told_to_its_own_seat_alone() -> None:
    table = Table(GAME, 2, HexenOptions(), bytes(32))
    (event,) = GAME.decide(table.state, ALICE, DIVISIONS[0], None)  # type: ignore[arg-type]
    assert GAME.tell(redact(event, ALICE), table.state, "en").endswith("stage 3: 8, 9, 10.")
    for viewer in (BOB, CHARLIE):
        assert GAME.tell(redact(event, viewer), table.state, "en") == "{0} has divided their tiles."


def test_a_label_says_the_whole_move_and_what_follows_for_certain() -> None:
    before = race(witches={"A": (10, 20, 47)}, tiles={12: "A5", 17: "A2", 22: "BS"}, up=[12, 22])
    fold = Turn(before, 2).state
    labels = [GAME.label(move, fold, "fr").replace(NBSP, " ") for move in GAME.legal(fold, ALICE)]
    assert labels == [
        "Vous faites voler une sorcière de 10 à 12 ({A5}). {A5} la porte à 17, tuile encore cachée.",
        "Vous faites voler une sorcière de 20 à 22 ({BS}). {1} pourra jouer une carte.",
        "Vous faites voler une sorcière de 47 à l’arrivée (case 2).",
    ]
    assert GAME.label(DIVISIONS[0], fold, "en") == (
        "You divide your numbers. Stage 1: 2, 3, 4; stage 2: 5, 6, 7; stage 3: 8, 9, 10."
    )


@cases(
    "witches, pile, labels",
    [
        (
            (0, 5, 17),
            "6",
            [
                "Vous faites voler une sorcière de 10 à 12 ({A5}). La tuile 17 est occupée : la sorcière reste.",
                "Vous faites voler une sorcière de 20 à 22 ({DS}). Une carte du clan neutre D sera tirée.",
                "Vous faites voler une sorcière de 44 à 46 ({A9}). Ce nombre mènerait trop loin : la sorcière reste.",
            ],
        ),
        (
            (0, 5, 24),
            "",
            [
                "Vous faites voler une sorcière de 10 à 12 ({A5}). {A5} la porte à 17 ({A7}). "
                "La tuile 24 est occupée : la sorcière reste.",
                "Vous faites voler une sorcière de 20 à 22 ({DS}). La pioche neutre est vide.",
                "Vous faites voler une sorcière de 44 à 46 ({A9}). Ce nombre mènerait trop loin : la sorcière reste.",
            ],
        ),
    ],
)
def test_a_label_says_why_the_witch_goes_no_further(
    witches: tuple[int, int, int], pile: str, labels: list[str]
) -> None:
    tiles = {12: "A5", 17: "A7", 22: "DS", 46: "A9"}
    before = race(3, witches={"A": (10, 20, 44), "B": witches}, tiles=tiles, up=list(tiles), pile=pile)
    fold = Turn(before, 2).state
    assert [GAME.label(move, fold, "fr").replace(NBSP, " ") for move in GAME.legal(fold, ALICE)] == labels


def test_a_label_foretells_the_neutral_draw_without_naming_the_card() -> None:
    before = race(3, witches={"A": (10, 20, 44)}, tiles={22: "DS"}, up=[22], pile="6")
    fold = Turn(before, 2).state
    said = "You fly a witch from 20 to 22 ({DS}). A card of the neutral clan D will be drawn."
    assert GAME.label(GAME.parse("fly 20"), fold, "en") == said
    blind = replace(fold, piles=((), (), (), (None,)))
    assert GAME.label(GAME.parse("fly 20"), blind, "en") == said


def test_prompts_say_what_binds() -> None:
    obliged = race(witches={"A": (18, 50, 51)}, tiles={20: "BS", 16: "CS"}, hands={"B": "4", "C": "3 9"})
    turn = Turn(obliged, 2)
    for words in ("Une carte la fait reculer. Vous pouvez aussi ne rien jouer.", "vous devez jouer une carte."):
        (ask,) = GAME.pending(turn.state)
        assert GAME.prompt(ask, turn.state, "fr").replace(NBSP, " ").endswith(words)
        if ask.seat == BOB:
            turn.play("play 4")


def test_paths_are_steps_that_links_can_carry() -> None:
    fold = Turn(race(witches={"A": (10, 20, 47)}), 2).state
    assert [s.text for s in GAME.path(Divide(((2, 5, 9), (3, 4, 10), (6, 7, 8))), fold, "fr")] == [
        *("1-2", "1-5", "1-9"),
        *("2-3", "2-4", "2-10"),
        *("3-6", "3-7", "3-8"),
    ]
    assert [s.text for s in GAME.path(GAME.parse("fly 10"), fold, "fr")] == ["fly-10"]
    assert GAME.path(GAME.parse("fly 10"), fold, "fr")[0].label == f"Sorcière en 10{NBSP}: aller à 12"
    turn, _ = chain()
    assert [s.text for s in GAME.path(GAME.parse("play S"), turn.state, "en")] == ["card-S"]
    assert [s.text for s in GAME.path(GAME.parse("leave"), turn.state, "en")] == ["leave"]


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


@pytest.mark.long
def test_ones_own_numbers_are_described_to_oneself_alone() -> None:
    for table in tables(GAME):
        for viewer in table.viewers:
            text = " ".join(GAME.describe(table.folds[viewer], viewer, "en"))
            assert ("Your numbers, stage 1" in text) == (viewer is not None and table.state.divided[viewer])
            assert "’s numbers" not in text


def test_the_full_log_shows_what_stayed_face_down() -> None:
    table = tables(GAME)[-1]
    text = " ".join(GAME.describe(table.state, None, "en"))
    assert "Still face down: " in text
    named = re.findall(r"\{(\w+)\}", text.partition("Still face down: ")[2])
    laid = zip(table.state.tiles, table.state.shown, strict=True)
    assert named == [tile for tile, shown in laid if not shown]


def test_every_tile_has_its_mark() -> None:
    assert tuple(GAME.meta.marks) == TILES


def test_while_a_symbol_waits_it_is_said_who_chooses() -> None:
    before = race(witches={"A": (18, 50, 51)}, tiles={20: "BS"})
    turn = Turn(before, 2)
    assert isinstance(turn.events[-1], Reached)
    line = GAME.describe(turn.state, CHARLIE, "fr")[0].replace(NBSP, " ")
    assert line == "Tour de {0}, dé : 2. La sorcière est en 20, sur {BS} : {1} choisit."


def test_while_somebody_obliged_waits_it_is_said_that_they_must_play() -> None:
    before = race(witches={"A": (18, 50, 51)}, tiles={20: "BS", 16: "CS"}, hands={"B": "4", "C": "3 9"})
    turn = Turn(before, 2)
    turn.play("play 4")
    lines = [GAME.describe(turn.state, CHARLIE, lang)[0].replace(NBSP, " ") for lang in LANGS]
    assert lines == [
        "Tour de {0}, dé : 2. La sorcière est en 16, sur {CS} : {2} doit jouer une carte.",
        "{0}’s turn, die: 2. The witch is on 16, on {CS}: {2} must play a card.",
    ]
