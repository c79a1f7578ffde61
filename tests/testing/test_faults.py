"""Each fault that cost an author time, planted in a sound game: `pbem check` finds and names it."""

import dataclasses
import re
import time
from contextlib import nullcontext

import pytest
from click.testing import CliRunner

from pbem.cli import main
from pbem.games import find_game
from pbem.kit.chance import Chance
from pbem.kit.contract import Move, PlayerView
from pbem.kit.play import LawBroken
from pbem.testing import check, faults, moves
from pbem.testing.moves import check_bot, check_estimate
from tests.testing.planting import Plant, list_faults, plant, run_check

__all__ = ["plant"]

MATCHES = 20


def test_a_sound_game_passes_the_authors_check(plant: Plant) -> None:
    status, found = run_check(plant(), MATCHES)
    assert list_faults(found) == []
    assert (status, found["ok"]) == (0, True)
    assert found["fields"]["Guessed.right"] == "shown"
    assert found["fields"]["State.dice"] == "each its own"


DICE = "Each[Annotated[tuple[Die | None, ...], msgspec.Meta(max_length=3)]]"
AFTER_A_GUESS = "    events: list[Event] = [Guessed(seat, move.cup, move.die, right)]\n"
TEXT_FOR_EACH_SEAT = 'inside += text("i2", x, 120,'

SPY = """
_seen = []
_decide, _label = rules.decide, words.label
def _spy(state, *more):
    _seen[:] = [state.dice]
    return _decide(state, *more)
rules.decide, words.label = _spy, lambda *of: f"{_label(*of)} {_seen}"
GAME = assemble("""

FAULTS = {
    "a story that keeps what others hide": (
        ("__init__.py", "\nGAME = assemble(", SPY.replace("label", "tell")),
        "processes: `tell in fr` of the same fold says",
    ),
    "a label that keeps what others hide": (
        ("__init__.py", "\nGAME = assemble(", SPY),
        "processes: `label of ",
    ),
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
    "an event that comes where somebody has a six": (
        ("rules.py", " dice)]", " dice), *([Waited(0)] if 6 in dice else [])]"),
        "leaks: Waited tells ",
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
        "declared: the question 'doubt' never comes, and no code brings it about",
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
        "texts: the refusal 'face' says the same in both languages: 'No die shows {die}.', 'No die shows {die}.'",
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
    "an element in the middle of a short match": (
        ("board.py", "    return drawing", '    inside += "<polygon/>" if fold.turn == 3 else ""\n    return drawing'),
        "a picture knows no <polygon>",
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
    "a trait that is missing": (
        ("__init__.py", '"hidden", "luck"', '"luck"'),
        "fields: some fields of events are hidden, but `Meta.traits` does not say `hidden`",
    ),
    "a title in one language": (
        ("__init__.py", 'T("Dé", "Die")', 'T("Die", "Die")'),
        "texts: the draw 'die' says the same in both languages",
    ),
    "a shown die that nothing had hidden": (
        ("facts.py", "die: Own[Die | None]", "die: Shown[Die]"),
        "leaks: Rolled.die says Shown, but nothing had hidden what it tells everybody",
    ),
    "shown dice": (
        ("facts.py", DICE, DICE.replace("Each", "Shown")),
        "leaks: Began.dice says Shown, but nothing had hidden what it tells everybody",
    ),
    "a shown field of the state that is hidden": (
        ("facts.py", "dice: Each[tuple[Die | None, ...]]", "dice: Shown[tuple[Die | None, ...]]"),
        "fields: State.dice says Shown, but a spectator does not know it",
    ),
    "a refusal that tells a secret": (
        ("rules.py", '"face", die=move.die', '"face", die=state.dice[move.cup]'),
        "but in its own fold as",
    ),
    "a question whose key tells a secret": (
        ("rules.py", 'turn = f"t{state.turn}"', 'turn = f"t{state.turn}x{state.dice[0]}"'),
        "pending or outcome differ in the fold of None",
    ),
    "a guard looser with three seats": (
        ("rules.py", "if move.cup == seat or", "if (move.cup == seat and len(state.scores) == 2) or"),
        "of seat 2 is accepted though it is not legal [3 seats",
    ),
    "a guard stricter with three seats": (
        ("rules.py", "if move.die not in FACES:", "if move.die not in FACES[: 8 - len(state.scores)]:"),
        "is refused: face [3 seats",
    ),
    "a preview that raises": (
        ("rules.py", "    return [Waited(seat)] if", "    assert fold.turn < 3\n    return [Waited(seat)] if"),
        "moves: the preview of the legal move Wait() of seat 1 raises AssertionError() (AssertionError in hunch/rules.",
    ),
    "a notation for two moves": (
        (
            "words.py",
            '{move.die}" if isinstance(move, Guess) else "wait"',
            '{min(move.die, 5)}" if isinstance(move, Guess) else "wait"',
        ),
        "reads back from 'A5' as Guess(cup=0, die=5)",
    ),
    "an order that is never followed": (
        ("orders.py", "order.face) if isinstance(order, Insist) else Wait()", "7) if False else None"),
        "orders: the order 'insist' is never followed",
    ),
    "a text of an option in one language": (
        ("__init__.py", 'T("longue", "long")', 'T("longue", "")'),
        "the long of its option length is not said in en",
    ),
    "a rule number in a sentence": (
        ("words.py", "You say nothing.", "You say nothing, by rule 9."),
        "rules: RULES.en.md has no rule 9, which a comment or a text in words.py cites",
    ),
    "a rule number in the page of notation": (
        ("NOTATION.en.md", "#", "See rules 2 and 9.\n\n#"),
        "rules: RULES.en.md has no rule 9, which a comment or a text in NOTATION.en.md cites",
    ),
    "a ruling that does not exist": (
        ("rules.py", "Everybody rolls.", "Everybody rolls (R9)."),
        "rules: RULES.en.md has no rule R9",
    ),
    "a prompt in one language": (
        ("words.py", "Devinez un dé, ou attendez.", "Guess a die, or wait."),
        "texts: `prompt` says the same in both languages",
    ),
    "a word in one language": (
        ("orders.py", '"fr": "rien"', '"fr": "nothing"'),
        "texts: `name` says the same in both languages: 'nothing'",
    ),
    "a hint in one language": (
        ("words.py", "Écrivez par exemple : B4, ou : rien.", "Write for example: B4, or: wait."),
        "texts: what is said where a move cannot be read says the same in both languages",
    ),
    "a picture called in one language": (
        ("board.py", "Hunch vu par *", "Hunch as * sees it"),
        "texts: `draw` says the same in both languages",
    ),
    "a sentence in one language alone": (
        ("words.py", 'f"{{{seat}}} relance son dé."', '""'),
        "texts: `tell` says nothing in French: '{",
    ),
    "a line of the board in one language alone": (
        ("words.py", "return [*shown, say(", 'return [*shown] if lang == "fr" else [*shown, say('),
        "texts: `describe` says nothing in French: 'Turn",
    ),
    "a label in the other language": (
        ("words.py", '"Vous ne dites rien.", "You say nothing."', '"You say nothing.", "Vous ne dites rien."'),
        "texts: `label` says it in English in French: 'You say nothing.'",
    ),
    "a line of a rulebook in the other language": (
        ("RULES.fr.md", "\n3. ", "\n1. Everybody rolls a die under their cup.\n3. "),
        "rules: RULES.fr.md and RULES.en.md say the same",
    ),
    "an element in a symbol that nothing draws": (
        ("parts.svg", "</defs>", '<symbol id="mug" viewBox="0 0 6 6"><polygon points="0,0 4,4"/></symbol></defs>'),
        "boards: mug in parts.svg: a picture cannot show it: a picture knows no <polygon>",
    ),
    "a gradient that a picture does not know": (
        ("board.py", 'text("in b"', '"<linearGradient id=\'g\'/>" + text("in b"'),
        "a picture cannot show it: no SVG that a picture knows",
    ),
    "words that lie over others in the third seat": (
        ("board.py", "PLACES = (0, 120, 240)", "PLACES = (0, 120, 140)"),
        "' lie over '",
    ),
    "a bot that is slow": (
        ("rules.py", "return chance.pick(legal", "__import__('time').sleep(3)\n    return chance.pick(legal"),
        "bots: the bot 'bold' takes 3 seconds to answer",
    ),
    "a bot that answers illegally with an option": (
        (
            "rules.py",
            "return chance.pick(legal",
            "if view.fold.rounds > 2:\n        return Wait\n    return chance.pick(legal",
        ),
        "bots: the bot 'bold' answers",
    ),
    "a bot with luck of its own": (
        ("rules.py", "return chance.pick(legal", "return __import__('random').choice(legal"),
        "in two ways",
    ),
    "a move with luck of its own": (
        (
            "rules.py",
            'luck.named(f"die:s{move.cup}:{state.turn + 1}").roll(FACES)',
            '__import__("random").choice(FACES)',
        ),
        "gives other events for the same luck",
    ),
    "two dice of one draw": (
        ("rules.py", 'luck.named(f"die:s{seat}:0")', 'luck.named("die:s0:0")'),
        "two draws have the name 'die:s0:0'",
    ),
    "a match that ends when somebody has no point": (
        ("rules.py", "state.turn >= state.rounds *", "state.turn >= (state.rounds if 0 in state.scores else 99) *"),
        "the match does not end within 14 decisions of the bot 'bold'",
    ),
    "a sentence that breaks late": (
        ("words.py", "        case Rolled(seat):\n", "        case Rolled(seat):\n            assert event.die != 6\n"),
        "matches: assert event.die != 6 (AssertionError in hunch/words.py:",
    ),
    "a refusal without its facts": (
        ("__init__.py", "No die shows {die}.", "No die shows {face}."),
        "the refusal 'face' says 'No die shows {face}.', but has {'die': ",
    ),
    "a module of another name": (
        ("words.py", "from .facts import", "from .fact import"),
        "ModuleNotFoundError: No module named 'hunch.fact' (hunch/words.py:",
    ),
    "a module that cannot be read": (
        ("rules.py", "def active(state: State) -> int:", "def active(state: State) -> int"),
        "SyntaxError: expected ':' (rules.py, line",
    ),
    "a game that is none": (
        ("__init__.py", "GAME = assemble(", "GAME = META\n_GAME = assemble("),
        "its entry point names an object of the type Meta",
    ),
    "a rule that ends the program": (
        (
            "rules.py",
            "    right = state.dice",
            "    if state.turn == 2:\n        raise SystemExit(0)\n    right = state.dice",
        ),
        "matches: it ends the program by SystemExit(0) (SystemExit in hunch/rules.py:",
    ),
    "a hint that ends the program": (
        (
            "words.py",
            "    return understand(",
            '    if text == "?":\n        raise SystemExit(0)\n    return understand(',
        ),
        "moves: it ends the program by SystemExit(0)",
    ),
    "a move after the end": (
        (
            "rules.py",
            "    if is_over(state) or seat != active(state):\n        raise IllegalMove",
            "    if seat != active(state):\n        raise IllegalMove",
        ),
        "is accepted though it is not legal",
    ),
    "a notation in small letters alone": (
        ("words.py", 'if plain in ("wait", "rien")', 'if text in ("wait", "rien")'),
        "is written as 'wait', but not read from 'Wait'",
    ),
    "two answers that are called the same": (
        ("words.py", "Vous dites {move.die} chez", "Vous dites un dé chez"),
        "are both called 'Vous dites un dé chez",
    ),
    "moves in an order of Python's own": (
        (
            "rules.py",
            "return [Wait(), *(Guess(cup, die) for cup in range(len(state.scores)) if cup != seat for die in FACES)]",
            "every = [Wait(), *(Guess(cup, die) for cup in range(len(state.scores)) if cup != seat for die in FACES)]\n"
            "    return sorted(every, key=lambda move: hash(str(move)))",
        ),
        "processes: `legal` of the same fold says",
    ),
    "an option that nothing reads": (
        ("rules.py", '2 if options.length == "short" else 4', "3"),
        "declared: no code reads the option 'length'",
    ),
    "an event that is not declared": (
        ("__init__.py", "events=kinds_in(facts, Event)", "events=kinds_in(facts, Event)[:3]"),
        "matches: Rolled is not among the events of `Meta`: no log can be read",
    ),
    "an ending that nothing brings about": (
        ("__init__.py", "endings={", 'endings={"bored": T("on s’ennuie", "everybody is bored"), '),
        "declared: the ending 'bored' never comes, and no code brings it about",
    ),
    "a tuple without end": (
        ("facts.py", "msgspec.Meta(max_length=3)", "msgspec.Meta(min_length=1)"),
        "no max_length bounds Began.dice",
    ),
}


ON_THE_LAYER = {
    "a field that says nothing": (
        ("face: Own[Face | None]", "face: Face | None"),
        "TypeError: Rolled.face: say who sees it: Open, Shown, Own, Each, Hidden or Fading",
    ),
    "a field of the state that says nothing": (("said: Open[int] = 0", "said: int = 0"), "State.said: say who sees it"),
    "a public die": (("face: Own[Face | None]", "face: Open[Face | None]"), "leaks: Rolled.face says Open, but"),
    "a shown die": (("face: Own[Face | None]", "face: Shown[Face | None]"), "leaks: Rolled.face says Shown, but"),
    "a die that fades": (
        ("face: Own[Face | None]", "face: Fading[Face | None]"),
        "fading changes what None knows at the head",
    ),
    "a shown answer": (
        ("doubts: Own[bool | None]", "doubts: Shown[bool | None]"),
        "leaks: Answered.doubts says Shown, but nothing had hidden",
    ),
    "shown answers in the state": (
        ("wishes: Each[tuple[bool | None, ...]] = ()", "wishes: Shown[tuple[bool | None, ...]] = ()"),
        "bots: the marks of the state show seat 1 what it cannot know",
    ),
    "a guard looser than the domain": (
        ("if not 1 <= self.said <= 6 * len(s.dice):", "if not 1 <= self.said <= 7 * len(s.dice):"),
        "is accepted though it is not legal",
    ),
    "a domain smaller than the guard": (
        ("range(1, 6 * len(s.dice) + 1)]", "range(1, 5 * len(s.dice) + 1)]"),
        "is accepted though it is not legal",
    ),
    "a word for two moves": (
        ('("believe", "crois")', '("believe", "doute")'),
        "Doubt and Believe are both typed 'doute'",
    ),
    "two rolls in one step": (
        ('k.roll("die", s.rolled, FACES))', 'max(k.roll("die", s.rolled, FACES) for _ in FACES))'),
        "two draws have the name 'die:s0:1'",
    ),
    "a draw of an unknown kind": (
        ('k.roll("die"', 'k.roll("dice"'),
        "the kind of the draw 'dice:s0:1' is not declared",
    ),
    "a fact that breaks late": (
        (
            "        loser = self.seat if self.true",
            "        assert s.rounds < 7\n        loser = self.seat if self.true",
        ),
        "matches: assert s.rounds < 7 (AssertionError in sealed/__init__.py:",
    ),
    "a text with a field that is none": (
        ('T("{first}", "{first}")', 'T("{firs}", "{first}")'),
        "matches: Choose has no field 'firs' for '{firs}'",
    ),
    "a prompt with a field that is none": (
        ('prompt=T("Combien au moins ?"', 'prompt=T("Combien au moins, {s.most} ?"'),
        "matches: the prompt of 'claim' says 'Combien au moins, {s.most}",
    ),
    "a secret story in one language": (
        ("{seat} lance son dé en secret.", "{seat} rolls a die in secret."),
        "texts: `tell` says the same in both languages",
    ),
    "a button in one language": (('T("Douter", "Doubt")', 'T("Doubt", "Doubt")'), "texts: `pad` says the same"),
    "a word of the board in one language": (
        ('T("annoncé", "claimed")', 'T("claimed", "claimed")'),
        "texts: `draw` says",
    ),
}


def test_the_check_gives_up_on_a_match_that_does_not_end(plant: Plant, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(faults, "PATIENCE_S", 1)
    slug = plant("rules.py", "    right = state.dice", "    while True:\n        pass\n    right = state.dice")
    status, found = run_check(slug, MATCHES)
    assert status == 1
    assert [one["check"] for one in found["checks"]] == ["loads", "rules", "matches"]
    assert any("this takes more than 1 seconds of computing" in said for said in list_faults(found))


def test_pbem_check_reports_an_unknown_game(plant: Plant) -> None:
    plant()
    status, found = run_check("bunch", MATCHES)
    assert status == 1
    assert list_faults(found) == ["loads: there is no game 'bunch'"]


def test_pbem_check_prints_each_fault_with_a_remedy(plant: Plant) -> None:
    slug = plant("facts.py", "right: Shown[bool]", "right: Open[bool]")
    done = CliRunner().invoke(main, ["check", slug, "--matches", "4"])
    assert done.exit_code == 1
    assert "State.dice     each its own\n" in done.output
    assert "OK    matches: 4 matches\n" in done.output
    assert re.search(r"FAIL  leaks: Guessed.right says Open, but .*\n      → Say Own, Each, Hidden", done.output)


def test_pbem_check_reports_a_fault_stopping_several_checks_once(plant: Plant) -> None:
    slug = plant("rules.py", "    right = state.dice", "    assert state.turn < 3\n    right = state.dice")
    said = [one.partition(" [")[0] for one in list_faults(run_check(slug, 4)[1])]
    assert len([one for one in said if one.startswith(("matches", "orders", "folds"))]) == 1, said


def test_pbem_check_omits_findings_on_shown_fields_if_no_match_finished(plant: Plant) -> None:
    slug = plant("rules.py", "state.turn >= state.rounds", "state.turn >= 99 * state.rounds")
    assert not [one for one in list_faults(run_check(slug, MATCHES)[1]) if "says Shown" in one]


@pytest.mark.sample(6)
@pytest.mark.parametrize("name", FAULTS)
def test_the_check_names_each_planted_fault(plant: Plant, name: str) -> None:
    (file, before, after), said = FAULTS[name]
    slug = plant(file, before, after)
    status, found = run_check(slug, MATCHES)
    failed = [one.replace(slug, "hunch") for one in list_faults(found)]
    assert [one for one in failed if said in one], failed
    assert (status, found["ok"]) == (1, False)
    todos = [fault["todo"] for one in found["checks"] for fault in one["faults"]]
    assert all(todos)


def test_pbem_check_reports_an_entry_point_to_a_missing_attribute(plant: Plant) -> None:
    slug = plant(point="GAMES")
    (said,) = list_faults(run_check(slug, 1)[1])
    assert said.endswith(f"has no attribute 'GAMES' (entry point {slug} = {slug}:GAMES)")


@pytest.mark.sample(4)
@pytest.mark.parametrize("name", ON_THE_LAYER)
def test_a_fault_planted_in_a_game_on_the_layer_is_found_and_named(plant: Plant, name: str) -> None:
    (before, after), said = ON_THE_LAYER[name]
    slug = plant("__init__.py", before, after, "sealed")
    status, found = run_check(slug, MATCHES)
    failed = [one.replace(slug, "sealed") for one in list_faults(found)]
    assert [one for one in failed if said in one], failed
    assert status == 1


@pytest.mark.parametrize(("game", "checks"), [("sealed", 14), ("pig", 15)])
def test_a_sound_game_on_the_layer_passes_the_authors_check(plant: Plant, game: str, checks: int) -> None:
    status, found = run_check(plant(game=game), 6)
    assert (list_faults(found), status) == ([], 0)
    assert len(found["checks"]) == checks


def test_a_lesson_that_cannot_be_played_is_found(plant: Plant) -> None:
    slug = plant("lesson.py", '"roll", "roll", "roll", "hold"), (', '"hold", "roll"), (', "pig")
    assert "lesson: before the first step: 'hold' of seat 0 is refused: nothing" in list_faults(run_check(slug, 2)[1])


def test_a_game_that_takes_long_is_played_in_fewer_matches(plant: Plant, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(check, "ENOUGH_S", 0)
    said = {one["check"]: one["said"] for one in run_check(plant(), MATCHES)[1]["checks"]}
    assert said["moves"] == "4 matches"  # two and three seats, each with both options


def test_a_bot_that_is_slow_only_once_passes_the_check(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(moves, "SLOW_S", 0.2)
    game, begun = find_game("hogen"), time.perf_counter()
    assert game is not None

    def answer_slowly_at_first(view: PlayerView, seat: int, chance: Chance) -> Move:
        while time.perf_counter() < begun + 0.5:
            """As where the machine does something else."""
        move: Move = chance.pick(game.legal(view.fold, seat))
        return move

    check_bot("slow", answer_slowly_at_first, game, 3, game.meta.options(), bytes(32))


@pytest.mark.parametrize(
    ("told", "sound"), [((1.0000000000000002, 0.0, 0.0), True), ((1.1, 0.0, 0.0), False), ((-0.1, 0.5, 0.5), False)]
)
def test_the_check_refuses_estimates_outside_0_to_1_except_by_rounding(told: tuple[float, ...], sound: bool) -> None:
    game = find_game("hogen")
    assert game is not None
    estimating = dataclasses.replace(game, estimate=lambda state: told)  # type: ignore[type-var]
    with nullcontext() if sound else pytest.raises(LawBroken, match="must be the chance to win"):
        check_estimate(estimating, 3, game.meta.options(), bytes(32))
