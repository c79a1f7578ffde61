"""Faults in what a game says and draws, planted in a sound one: `pbem check` finds and names them."""

from __future__ import annotations

import dataclasses
from difflib import SequenceMatcher
from functools import partial
from pathlib import Path
from textwrap import indent
from typing import Any

import click
import pytest
from click.testing import CliRunner

from pbem.games import find_game, folder_of_game
from pbem.kit.contract import Intro, Picture, Scene, Shape, Viewer
from pbem.kit.drawing.svg import drawing, sky, text
from pbem.kit.play import Table, random_decisions
from pbem.kit.texts import Lang, Text
from pbem.testing import faults
from pbem.testing.faces.boards import Boards, Drawn
from pbem.testing.faces.languages import Languages, numbers_in_one_text_only
from pbem.testing.records import LIKELY
from tests.testing.planting import OTHERS, Plant, list_faults, plant, run_check

__all__ = ["plant"]

MATCHES = 12
"""Enough that each position comes in which something is wrong."""
COVER = (OTHERS["pig"] / "cover.svg").read_text()
INSIDE = "    return drawing(inside"

TEXTS = {
    "an option in one language, one word": (
        ("__init__.py", 'T("Durée", "Length")', 'T("Bet", "Bet")'),
        "texts: the title of the option 'length' says the same in both languages: 'Bet', 'Bet'",
    ),
    "two choices called alike": (
        ("__init__.py", 'T("longue", "long")', 'T("courte", "long")'),
        "texts: two choices of the option 'length' say the same: 'courte'",
    ),
    "an option whose hint is its title": (
        ("__init__.py", '"How many turns everybody has."', '"Length"'),
        "texts: the title and the hint of the option 'length' say the same: 'Length'",
    ),
    "a question whose hint is its title": (
        ("__init__.py", '"Who has what?"', '"Your turn to guess"'),
        "texts: the title and the hint of the question 'guess' say the same: 'Your turn to guess'",
    ),
    "an empty hint": (
        ("__init__.py", 'T("Chez qui voyez-vous quoi ?", "Who has what?")', 'T("", "")'),
        "texts: the hint of the question 'guess' is not said in both languages",
    ),
    "a title without room": (
        ("__init__.py", '"Your turn to guess"', '"It is your turn to guess what others hide"'),
        "texts: the title of the question 'guess' has 41 letters, and there is room for 40",
    ),
    "a goal that is the title": (
        ("__init__.py", '"Guess the dice under the others’ cups."', '"Hunch"'),
        "texts: the title and the goal say the same: 'Hunch'",
    ),
    "a fact named in one language alone": (
        ("__init__.py", '"No die shows {die}."', '"No die shows that."'),
        "texts: the refusal 'face' names other things in French than in English",
    ),
    "another number in English": (
        ("words.py", "says {die} at", "says {die + 1} at"),
        "texts: `tell` says other numbers in French than in English",
    ),
    "a name in one language alone": (
        ("words.py", "You say {move.die} at {{{move.cup}}}.", "You say {move.die}."),
        "texts: `label` names other things in French than in English",
    ),
    "None in a line of the board": (
        ("words.py", "{fold.dice[seat] or '?'}", "{fold.dice[seat]}"),
        "texts: `describe` says a value of Python: '",
    ),
    "a move written as in Python": (
        ("words.py", '"You say nothing."', 'f"You say {move}."'),
        "texts: `label` says a value of Python: 'You say Wait().'",
    ),
    "a tag in a sentence": (
        ("words.py", '"You say nothing."', '"You say <b>nothing</b>."'),
        "texts: `label` has a tag, which is shown as it stands: 'You say <b>nothing</b>.'",
    ),
    "French without its space": (
        ("words.py", '"Devinez un dé, ou attendez."', '"Que devinez-vous?"'),
        "texts: `prompt` lacks the space of French punctuation: 'Que devinez-vous?'",
    ),
    "French that can break before its mark": (
        (
            "__init__.py",
            'T("Chez qui voyez-vous quoi ?", "Who has what?")',
            'T("", "").__class__("Qui a quoi ?", "Who has what?")',
        ),
        "texts: the hint of the question 'guess' can break before its punctuation: 'Qui a quoi ?'",
    ),
    "English with a French space": (
        ("words.py", '"Guess a die, or wait."', '"Guess a die , or wait."'),
        "texts: `prompt` has a space before its punctuation, as in French",
    ),
    "one of something in the plural": (
        ("words.py", 'f"Turn {fold.turn} at the table."', 'f"{fold.turn} turns at the table."'),
        "texts: `describe` has one of something in the plural: '1 turns at the table.'",
    ),
    "a sentence in a third language": (
        ("words.py", '"You say nothing."', '"Du wartest und sagst nichts."'),
        "texts: `label` says it in another language in English: 'Du wartest",
    ),
    "a space too many": (
        ("words.py", "relance son dé.", "relance  son dé."),
        "texts: `tell` has a space or a point too many",
    ),
    "a text that is not finished": (
        ("words.py", '"Guess a die, or wait."', '"TODO: what is asked of you."'),
        "texts: `prompt` is not finished: 'TODO",
    ),
    "two moves that are called alike": (
        ("words.py", 'f"You say {move.die} at {{{move.cup}}}."', '"You say what lies at {0}, {1} or {2}, 1 to 6."'),
        "texts: `label` says the same of two moves: 'You say what lies",
    ),
    "a board without words": (
        ("words.py", "    return [*shown, say(", "    return []\n    return [*shown, say("),
        "texts: `describe` says nothing of a board",
    ),
    "two rules of one number": (
        ("RULES.fr.md", "\n3. ", "\n2. Ou bien passez.\n3. "),
        "rules: RULES.fr.md has two rules 2",
    ),
    "a rule with another number in English": (
        ("RULES.en.md", "shows 1 to 6", "shows 1 to 8"),
        "rules: rule 3 has the numbers 6 in French alone, and 8 in English alone",
    ),
}

BOARDS = {
    "words above the upper edge": (
        ("board.py", INSIDE, f'    inside += text("in", 120, -20, "Above", 14)\n{INSIDE}'),
        "boards: portrait, fr, a spectator of 2, entry 1: the words 'Above' reach beyond the edge",
    ),
    "letters that are too small": (
        ("board.py", 'str(die or "?"), 20)', 'str(die or "?"), 8)'),
        "the letters of '?' are 7.6 pixels high on a phone",
    ),
    "a link that no finger hits": (
        ("board.py", 'box("iw", x, 150, 50, 44, 6))', 'box("iw", x + 15, 165, 20, 20, 6))'),
        "is 19 × 19 pixels large on a phone",
    ),
    "words beneath a path": (
        ("board.py", INSIDE, f'    inside += \'<path class="in" d="M-5 105h350v20h-350z"/>\'\n{INSIDE}'),
        "nobody sees the words '+0' by day: something covers them, or has their colour",
    ),
    "words half beneath a path": (
        ("board.py", INSIDE, f'    inside += \'<path class="iw" d="M90 0h90v40h-90z"/>\'\n{INSIDE}'),
        "lies beneath something that is drawn later",
    ),
    "words of the colour of their ground": (
        ("board.py", 'text("i2", x, 120,', 'text("sk", x, 120,'),
        "nobody sees the words '+0' by day",
    ),
    "words that cannot be read by night": (
        (
            "board.py",
            INSIDE,
            f'    inside += box("cw", 0, 205, 90, 30, 2) + text("in", 5, 225, "Night", 14)\n{INSIDE}',
        ),
        "the words 'Night' by night",
    ),
    "an id that stands twice": (
        ("board.py", INSIDE, f"    inside += '<g id=\"cup\"></g>' * 2\n{INSIDE}"),
        "two things in it have the id 'cup'",
    ),
    "a board without a name": (
        ("board.py", "label(view, SEEN_BY, SEEN_BY_ALL)", '""'),
        "what it shows has no name for who does not see it",
    ),
    "words that are escaped twice": (
        ("board.py", INSIDE, f'    inside += text("in", 120, 225, "Cup &amp; die", 14)\n{INSIDE}'),
        "it shows 'Cup &amp; die' as it stands",
    ),
    "a seat that is not drawn": (
        ("board.py", "enumerate(fold.dice):", "enumerate(fold.dice[:2]):"),
        "portrait, 3 seats: it always names seat 0, and never seat 2",
    ),
    "an element in one position alone": (
        (
            "board.py",
            INSIDE,
            f'    inside += "<polygon/>" if (*fold.scores, fold.turn) == (0, 1, 2) else ""\n{INSIDE}',
        ),
        "a picture knows no <polygon>",
    ),
    "words without room at one score alone": (
        ("board.py", "x + 70, 76, str(die", "x + (255 if fold.scores == (0, 1) else 70), 76, str(die"),
        "reach beyond the edge",
    ),
    "an element once somebody has resigned": (
        ("board.py", INSIDE, f'    inside += "<polygon/>" if scene.resigned else ""\n{INSIDE}'),
        "a picture knows no <polygon>",
    ),
    "an element once a match is over": (
        ("board.py", INSIDE, f'    inside += "<polygon/>" if scene.over and viewer == 1 else ""\n{INSIDE}'),
        "a picture knows no <polygon>",
    ),
    "an element where a part alone is shown": (
        ("board.py", INSIDE, f'    inside += "<polygon/>" if scene.extent == "part" else ""\n{INSIDE}'),
        "a picture knows no <polygon>",
    ),
    "an element where a step can be taken back": (
        ("board.py", INSIDE, f'    inside += "<polygon/>" if "cup-1" in scene.others else ""\n{INSIDE}'),
        "a picture knows no <polygon>",
    ),
}

ON_THE_LAYER = {
    "a step that no move has": (
        ("__init__.py", 'move="hold"', 'move="bank"'),
        "the board offers to touch 'bank', which is a step of no move",
    ),
    "a cover that shows nothing": (
        ("cover.svg", COVER, f"{COVER.partition('<circle')[0]}</svg>"),
        "boards: the cover: it shows nothing",
    ),
    "a button in one language": (
        ("__init__.py", 'T("Lancer", "Roll")', 'T("Roll", "Roll")'),
        "texts: `pad` says the same in both languages: 'Roll'",
    ),
    "a word of the board in one language": (
        ("__init__.py", 'T("en jeu", "at stake")', 'T("more", "more")'),
        "texts: `draw` says the same in both languages: 'more'",
    ),
    "two endings that are called alike": (
        ("__init__.py", "ten turns are played", "somebody has 50 points"),
        "texts: two endings say the same: 'somebody has 50 points'",
    ),
    "two steps of a lesson that say the same": (
        ("lesson.py", "3 more. Dare!", "You need 8 more points. Roll."),
        "texts: two steps of the lesson say the same: 'You need 8 more points. Roll.'",
    ),
}


@pytest.mark.sample(4)
@pytest.mark.parametrize("name", TEXTS)
def test_a_fault_in_what_a_game_says_is_found_and_named(plant: Plant, name: str) -> None:
    _find(plant, "hunch", *TEXTS[name], 4)


@pytest.mark.sample(4)
@pytest.mark.parametrize("name", BOARDS)
def test_a_fault_in_what_a_game_draws_is_found_and_named(plant: Plant, name: str) -> None:
    _find(plant, "hunch", *BOARDS[name], MATCHES)


@pytest.mark.sample(2)
@pytest.mark.parametrize("name", ON_THE_LAYER)
def test_a_fault_in_the_words_of_the_example_game_pig_is_found(plant: Plant, name: str) -> None:
    _find(plant, "pig", *ON_THE_LAYER[name], LIKELY)


def _find(plant: Plant, game: str, planted: tuple[str, str, str], said: str, matches: int) -> None:
    slug = plant(*planted, game)
    status, found = run_check(slug, matches)
    failed = list_faults(found)
    assert [one for one in failed if said in one], failed
    assert status == 1
    assert all(fault["todo"] for one in found["checks"] for fault in one["faults"])


@pytest.mark.parametrize(
    ("french", "english"),
    [
        ("Verser", "Pour"),
        ("Offrir à l’aîné", "Give to any son"),
        ("Planter un if", "Plant one yew"),
        ("Hutte der", "Der"),
    ],
)
def test_a_word_of_both_languages_is_not_taken_for_the_wrong_one(plant: Plant, french: str, english: str) -> None:
    rule = ("# Pig", "# Pig Der")
    slug = plant("RULES.en.md", *rule, game="pig")
    book = Path(str(folder_of_game(slug))) / "RULES.fr.md"
    book.write_text(f"{book.read_text()}\n\nDer\n")
    assert Languages(slug).what_is_wrong_with_translation(french, english) == ""


@pytest.mark.parametrize("word", ["Points", "Pause", "Table", "Niigata"])
def test_a_word_that_both_languages_have_need_not_differ(plant: Plant, word: str) -> None:
    slug = plant("__init__.py", 'T("en jeu", "at stake")', f'T("{word}", "{word}")', "pig")
    assert list_faults(run_check(slug, 2)[1]) == []


def test_a_position_told_by_colours_alone_is_found(plant: Plant, tmp_path: Path) -> None:
    told = 'say(lang, f"Tour {fold.turn} sur la table.", f"Turn {fold.turn} at the table.")'
    slug = plant("words.py", f"[*shown, {told}]", "[*shown]")
    assert list_faults(run_check(slug, MATCHES)[1]) == []
    board = tmp_path / slug / "board.py"
    plain = board.read_text()
    slug = plant("words.py", f"[*shown, {told}]", "[*shown]")
    (tmp_path / slug / "board.py").write_text(plain.replace('60, 60, "c4"', '60, 60, f"c{1 + fold.turn % 2}"'))
    said = list_faults(run_check(slug, MATCHES)[1])
    assert [one for one in said if "it differs from another position in nothing but colours" in one], said


def test_drawing_a_board_without_end_is_reported_with_its_line_of_code(
    plant: Plant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(faults, "PATIENCE_S", 1)
    slug = plant("board.py", INSIDE, f"    while fold.turn == 2:\n        pass\n{INSIDE}")
    said = list_faults(run_check(slug, 1)[1])
    assert [one for one in said if f"seconds of computing, in `draw` ({slug}/board.py:" in one], said


def test_drawing_without_end_is_reported_even_if_it_catches_exceptions(
    plant: Plant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(faults, "PATIENCE_S", 1)
    loop = ["while fold.turn == 2:", "    try:", "        sorted(range(9999))", "    except Exception:", "        pass"]
    slug = plant("board.py", INSIDE, f"{indent(chr(10).join(loop), ' ' * 4)}\n{INSIDE}")
    said = list_faults(run_check(slug, 1)[1])
    assert [one for one in said if f"seconds of computing, in `draw` ({slug}/board.py:" in one], said


def test_a_computation_without_end_outside_a_game_is_reported_without_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(faults, "PATIENCE_S", 0.1)
    long = SequenceMatcher(None, "a" * 20_000, "a" * 20_000, autojunk=False)
    look = click.Command("look", callback=lambda: [*faults.fault_if_check_raises("boards", long.ratio)])
    (fault,) = CliRunner().invoke(look, standalone_mode=False).return_value
    assert fault.said == "this takes more than 0.1 seconds of computing"


def test_the_check_draws_only_a_few_boards_for_each_decision() -> None:
    game, drawn = find_game("hogen"), list[Shape]()
    assert game is not None

    def draw(fold: Any, viewer: Viewer, lang: Lang, scene: Scene) -> str:
        drawn.append(scene.shape)
        return game.draw(fold, viewer, lang, scene)

    boards = Boards(dataclasses.replace(game, draw=draw))  # type: ignore[type-var]
    boards.look_at_boards_of_random_match(3, game.meta.options(), bytes(32))
    drawn.clear()
    boards.look_at_boards_of_random_match(
        3, game.meta.options(), bytes(32)
    )  # the first one with three seats is looked at more closely
    decisions = sum(1 for _ in random_decisions(Table(game, 3, game.meta.options(), bytes(32))))
    assert {*drawn} == {*game.meta.shapes}
    assert len(drawn) == (len(game.meta.shapes) + 2) * (decisions + 1)


def _faults_of_drawings(*drawn: Drawn) -> list[str]:
    game = find_game("hogen")
    assert game is not None
    boards = Boards(game)
    for one in drawn:
        boards.look_at_drawing(one)
    return [fault.said for fault in boards.faults()]


def test_two_shapes_with_one_id_are_found_since_a_page_has_both() -> None:
    shapes: tuple[Shape, ...] = ("portrait", "low")
    ground = sky("sk", 0, 0, 390, 200)
    same = [
        Drawn(shape, drawing(ground + text("in", 9, 20, shape), (0, 0, 390, 200), "A"), 3, shape) for shape in shapes
    ]
    assert _faults_of_drawings(*same) == ["low: something in it has the id 'bokashi', which stands in portrait, too"]
    assert _faults_of_drawings(same[0], same[1]._replace(svg=same[1].svg.replace("bokashi", "bokashi-low"))) == []


def test_words_hard_to_read_on_their_ground_are_reported_by_day_and_night() -> None:
    inside = sky("sk", 0, 0, 390, 300) + text("in", 20, 200, "Hogen") + text("om", 20, 280, "Niigata")
    assert _faults_of_drawings(Drawn("it", drawing(inside, (0, 0, 390, 300), "A"), 3)) == [
        "it: the words 'Niigata' are hard to read by day: their contrast is 1.3, not 4.5",
        "it: nobody sees the words 'Niigata' by night: something covers them, or has their colour",
    ]


def _draw(svg: str, lang: Lang) -> str:
    return svg


def test_two_pictures_of_a_turn_that_are_the_same_are_found() -> None:
    game = find_game("hogen")
    assert game is not None
    ground = drawing(sky("sk", 0, 0, 360, 200) + text("in", 9, 20, "A"), (0, 0, 360, 200), "A")
    other = drawing(sky("sk", 0, 0, 360, 200) + text("in", 9, 20, "B"), (0, 0, 360, 200), "B")
    turn = tuple(Picture(partial(_draw, one), Text("un", "one")) for one in (ground, other, ground))
    boards = Boards(dataclasses.replace(game, intro=Intro(turn=turn)))  # type: ignore[type-var]
    boards.look_at_figures("")
    assert [fault.said for fault in boards.faults() if "same" in fault.said] == [
        f"picture 3 of a turn, {lang}: it is the same as picture 1 of a turn, {lang}" for lang in ("fr", "en")
    ]


@pytest.mark.parametrize(
    ("french", "english", "alone"),
    [
        ("4 cartes de 1 à 20", "four cards of 1 to 30", (["20"], ["30"])),
        ("deux cartes", "2 cards", ([], [])),
        ("10 000 points, {3} en a 12", "10,000 points, {2} has twelve", ([], [])),
        ("{0} a F4", "{0} has F4", ([], [])),
        ("le 1er tour, 2,5 points", "the first turn, 2.5 points", ([], [])),
    ],
)
def test_numbers_are_compared_however_they_are_written(french: str, english: str, alone: object) -> None:
    assert numbers_in_one_text_only(french, english) == alone
