"""Each fault that cost an author time, planted in a sound game: `pbem check` finds and names it."""

import re

import pytest
from click.testing import CliRunner

from pbem.cli import main
from pbem.testing import faults
from tests.testing.planting import Plant, list_faults, plant, run_check

__all__ = ["plant"]

MATCHES = 20


def test_a_sound_game_passes(plant: Plant) -> None:
    status, found = run_check(plant(), MATCHES)
    assert list_faults(found) == []
    assert (status, found["ok"]) == (0, True)
    assert found["fields"]["Guessed.right"] == "shown"
    assert found["fields"]["State.dice"] == "each its own"


DICE = "Each[Annotated[tuple[Die | None, ...], msgspec.Meta(max_length=3)]]"
AFTER_A_GUESS = "    events: list[Event] = [Guessed(seat, move.cup, move.die, right)]\n"
TEXT_FOR_EACH_SEAT = 'inside += text("i2", x, 120,'

FAULTS = {
    "a field that says nothing": (
        ("facts.py", "die: Own[Die | None]", "die: Die"),
        "fields: Rolled.die does not say who sees it",
    ),
    "a field that says nothing, and leaks": (
        ("facts.py", "right: Shown[bool]", "right: bool"),
        "fields: Guessed.right does not say who sees it, and True tells",
    ),
    "public dice": (("facts.py", DICE, DICE.replace("Each", "Open")), "leaks: Began.dice says Open, but"),
    "a public die": (("facts.py", "die: Own[Die | None]", "die: Open[Die | None]"), "leaks: Rolled.die says Open, but"),
    "a public verdict": (
        ("facts.py", "right: Shown[bool]", "right: Open[bool]"),
        "leaks: Guessed.right says Open, but",
    ),
    "a number worked out from hidden dice": (
        ("rules.py", 'Began(2 if options.length == "short" else 4, dice)', "Began(2 + sum(dice) % 2, dice)"),
        "leaks: Began.rounds says Open, but",
    ),
    "an open field of the state that is hidden": (
        ("facts.py", "dice: Each[tuple[Die | None, ...]]", "dice: Open[tuple[Die | None, ...]]"),
        "fields: State.dice says Open, but a spectator does not know it",
    ),
    "a mark that hides nothing": (
        ("facts.py", "scores: Open[tuple[int, ...]]", "scores: Each[tuple[int | None, ...]]"),
        "fields: State.scores says each its own, but everybody always knows it",
    ),
    "a guard looser than the domain": (
        ("rules.py", "if move.die not in FACES:", "if move.die > 7:"),
        "is accepted though it is not legal",
    ),
    "a preview that differs": (
        ("rules.py", "return [Waited(seat)] if isinstance(move, Wait) else []", "return [Waited(seat)]"),
        "the preview of Guess(",
    ),
    "a notation that does not come back": (
        ("words.py", "([abc]) ?([1-9])", "([abc]) ?([1-5])"),
        "is written as 'B6', which `parse` cannot read",
    ),
    "an order that is never asked": (
        ("orders.py", '        ("guess",),\n', "        (),\n"),
        "orders: the order 'insist' is never asked",
    ),
    "a question that is never asked": (
        (
            "__init__.py",
            "    asks={\n",
            '    asks={\n"doubt": AskKind(T("Doutez-vous ?", "Do you doubt?"), (facts.Wait,)),',
        ),
        "orders: the question 'doubt' is never asked",
    ),
    "a missing text of an option": (
        ("__init__.py", ', "long": T("longue", "long")', ""),
        "loads: the game 'hunch' of hunch 1.0: its options: hunch.length: the choice 'long' has no text",
    ),
    "a missing rulebook": (("RULES.fr.md", "", None), "loads: the game 'hunch' of hunch 1.0 has no RULES.fr.md"),
    "a rule number that does not exist": (
        ("__init__.py", '("3", "face")', '("7", "face")'),
        "rules: RULES.en.md has no rule 7, which the refusal 'face' cites",
    ),
    "a rule number in a comment": (
        ("rules.py", "# 2\n", "# 8\n"),
        "rules: RULES.fr.md has no rule 8, which a comment or a text in rules.py cites",
    ),
    "a rule in one language alone": (
        ("RULES.fr.md", "3. Un dé montre", "4. Un dé montre"),
        "rules: only one of the rulebooks has 3, 4",
    ),
    "the same text in both languages": (
        ("__init__.py", "Aucun dé ne montre {die}.", "No die shows {die}."),
        "texts: the refusal 'face' is the same in both languages: 'No die shows {die}.'",
    ),
    "a story in one language": (
        ("words.py", "relance son dé", "rolls again"),
        "texts: `tell` says the same in both languages",
    ),
    "an element that a picture does not know": (
        ("parts.svg", '<path class="cu" d="M10 4h40l6 52h-52z"/>', '<polygon class="cu" points="10,4 50,4 56,56"/>'),
        "a picture knows no <polygon>",
    ),
    "a class that no style sheet knows": (
        ("board.py", 'text("in b"', 'text("ink b"'),
        "no style sheet knows the class 'ink'",
    ),
    "an element only where something can be touched": (
        ("board.py", 'box("iw", x, 40, 60, 60, 6)', '"<polygon/>"'),
        "a picture knows no <polygon>",
    ),
    "a symbol that is not there": (("board.py", 'symbol("cup"', 'symbol("mug"'), "no such symbol: mug"),
    "words that lie over others": (
        ("board.py", f"{TEXT_FOR_EACH_SEAT}", 'inside += text("i2", x, 24,'),
        "' lie over '",
    ),
    "names without room": (("board.py", '"{{{seat}:9}}"', '"{{{seat}}}"'), "'Wilhelmina"),
    "words beyond the edge": (("board.py", "x + 70, 76, str(die", "x + 125, 76, str(die"), "reach beyond the edge"),
    "words beneath something": (
        ("board.py", "    return drawing", '    inside += box("sk", 0, 110, 300, 20, 0)\n    return drawing'),
        "lie beneath something",
    ),
    "words beneath a symbol": (
        ("board.py", "    return drawing", '    inside += symbol("cup", 60, 50, 60, 60, "c4")\n    return drawing'),
        "lie beneath something",
    ),
    "a draw without a name": (
        ("rules.py", 'luck.named(f"die:s{move.cup}:{state.turn + 1}").roll(FACES)', "luck.roll(FACES)"),
        "the rules draw by 'roll' without a name",
    ),
    "a draw of an unknown kind": (
        ("rules.py", 'luck.named(f"die:s{seat}:0")', 'luck.named(f"dice:s{seat}:0")'),
        "the kind of the draw 'dice:s0:0' is not declared",
    ),
    "a luck used twice": (
        ("rules.py", "{move.cup}:{state.turn + 1}", "{move.cup}:0"),
        "two draws have the name 'die:s",
    ),
    "a match that does not end": (
        ("rules.py", "state.turn >= state.rounds", "state.turn >= 99 * state.rounds"),
        "the match does not end within 14 decisions",
    ),
    "a legal move that raises": (
        ("rules.py", "    right = state.dice", "    assert move.die < 6 or state.turn < 3\n    right = state.dice"),
        "moves: ",
    ),
    "a bot that answers illegally": (
        ("rules.py", "return chance.pick(legal(view.fold, seat)[1:])", "return Guess(seat, 1)"),
        "bots: the bot 'bold' answers",
    ),
    "a bot that raises": (("rules.py", "(legal(view.fold, seat)[1:])", "([])"), "bots: the bot 'bold' raises"),
    "a module that cannot be imported": (
        ("__init__.py", "from . import board,", "from . import boards,"),
        "loads: the game 'hunch' of hunch 1.0 cannot be loaded: ImportError: cannot import name 'boards'",
    ),
    "a fallback that is not legal": (
        ("rules.py", '"""Nothing."""\n    return Wait()', '"""Something."""\n    return Guess(seat, 1)'),
        "the fallback Guess(",
    ),
    "a tuple without end": (
        ("facts.py", "msgspec.Meta(max_length=3)", "msgspec.Meta(min_length=1)"),
        "no max_length bounds Began.dice",
    ),
}


def test_a_match_that_takes_no_end_is_given_up(plant: Plant, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(faults, "PATIENCE_S", 1)
    slug = plant("rules.py", "    right = state.dice", "    while True:\n        pass\n    right = state.dice")
    status, found = run_check(slug, MATCHES)
    assert status == 1
    assert [one["check"] for one in found["checks"]] == ["loads", "rules", "matches"]
    assert any("this takes more than 1 seconds of computing" in said for said in list_faults(found))


def test_an_unknown_game_is_said_to_be_none(plant: Plant) -> None:
    plant()
    status, found = run_check("bunch", MATCHES)
    assert status == 1
    assert list_faults(found) == ["loads: there is no game 'bunch'"]


def test_it_is_printed_line_by_line_with_what_to_do(plant: Plant) -> None:
    slug = plant("facts.py", "right: Shown[bool]", "right: Open[bool]")
    done = CliRunner().invoke(main, ["check", slug, "--matches", "4"])
    assert done.exit_code == 1
    assert "State.dice     each its own\n" in done.output
    assert "OK    matches: 4 matches\n" in done.output
    assert re.search(r"FAIL  leaks: Guessed.right says Open, but .*\n      → Say Own, Each, Hidden", done.output)


@pytest.mark.sample(6)
@pytest.mark.parametrize("name", FAULTS)
def test_a_planted_fault_is_found_and_named(plant: Plant, name: str) -> None:
    (file, before, after), said = FAULTS[name]
    slug = plant(file, before, after)
    status, found = run_check(slug, MATCHES)
    failed = [one.replace(slug, "hunch") for one in list_faults(found)]
    assert [one for one in failed if said in one], failed
    assert (status, found["ok"]) == (1, False)
    todos = [fault["todo"] for one in found["checks"] for fault in one["faults"]]
    assert all(todos)
