"""Mistakes that authors make, planted in sound games on the layer: the check finds and names each of them."""

from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner
from msgspec import structs

from pbem.cli import main
from pbem.games import find_game, folder_of_game
from pbem.kit.assemble import AssembledGame
from pbem.kit.laws.positions import check_no_python
from pbem.kit.logs import logfile
from pbem.kit.play import LawBroken, Table, random_decisions
from pbem.kit.texts import Lang
from pbem.testing.older import logs_in
from tests.kit.game import sealed
from tests.testing.planting import Plant, list_faults, list_hints, plant, run_check
from tests.transcripts import log_of

__all__ = ["plant"]

MATCHES = 20
Pair = tuple[str, str]
ROLLED = "        return replace(s, dice=put(s.dice, self.seat, self.face), rolled=s.rolled + 1)"
KEPT = ("\n\nclass State(", "\n\nKEPT: dict[int, int] = {}\n\n\nclass State(")
KEEP = (ROLLED, f"        if self.face:\n            KEPT[self.seat] = self.face\n{ROLLED}")
MARKS = ("    rounds: Open[int] = 0\n", "    rounds: Open[int] = 0\n    marks: Open[dict[str, int]] = {}\n")
NEXT = "        return s.next_round((s.active + 1) % len(s.dice))"
TURN = "        if s.rolled < len(s.dice):\n"
SECRETLY = '            return self.say(lang, "{seat} lance son dé en secret.", "{seat} rolls a die in secret.")\n'
SAID = 'T("Au moins {said} ?", "At least {said}?").fill(said='
CACHE = "\n\n@functools.cache\ndef first_die(said: int) -> int:\n    return KEPT.get(0, 0)\n\n\nclass Sealed(Game):"
CHOSEN = "\n\nclass Chosen(Event"
GONE = '\n\nclass Gone(Event, frozen=True):\n    told = T("Tout disparaît.", "All is gone.")\n'
STATE = "\n\nclass State("
TURNS = "\n\nclass Terms(Options, frozen=True):\n    turns: Annotated[int, Meta(ge=1, le=9)] = 4\n"
TURNS_TEXT = 'OptionText(T("Tours", "Turns"), T("Leur nombre.", "How many."), {})'
TEXTS = f'    options = Terms\n    option_texts = {{"turns": {TURNS_TEXT}}}\n'

SEALED: dict[str, tuple[tuple[Pair, ...], str]] = {
    "a board that keeps the dice in a module": (
        (KEPT, KEEP, ("in enumerate(s.dice):", "in enumerate(KEPT.get(at, 1) for at in range(len(s.dice))):")),
        "processes: `describe in fr` of the same fold says",
    ),
    "a board that keeps the dice in the game": (
        (
            ("    def board(self", "    full: tuple[int | None, ...] = ()\n\n    def board(self"),
            (TURN, f"        if None not in s.dice:\n            self.full = s.dice\n{TURN}"),
            ("in enumerate(s.dice):", "in enumerate(self.full if len(self.full) == len(s.dice) else s.dice):"),
        ),
        "processes: `describe in fr` of the same fold says",
    ),
    "a cache that keeps what it was asked first": (
        (
            KEPT,
            KEEP,
            ("from collections.abc", "import functools\nfrom collections.abc"),
            ("\n\nclass Sealed(Game):", CACHE),
            (f"{SAID}s.said)", f"{SAID}first_die(s.said))"),
        ),
        "processes: `prompt` of the same fold says",
    ),
    "a bot that peeks": (
        (KEPT, KEEP, ("total = sum(3 if die is None else die for die in s.dice)", "total = sum(KEPT.values())")),
        "processes: `the bot greedy` of the same fold says",
    ),
    "rules that keep something in the game": (
        (
            ("        return Began(seats)", "        self.players = seats\n        return Began(seats)"),
            ("for at in range(1, len(s.dice))", "for at in range(1, self.players)"),
        ),
        "processes: the same luck gives ",
    ),
    "a fact that changes the state before it": (
        (
            MARKS,
            ("        return replace(s, said", '        s.marks["said"] = self.said\n        return replace(s, said'),
        ),
        "folds: Claimed(seat=0, said=",
    ),
    "a board that changes the fold": (
        (MARKS, ("        yield Big(s.said", '        s.marks["seen"] = 1\n        yield Big(s.said')),
        "changes the fold that it is given",
    ),
    "a bot that changes the fold": (
        (MARKS, ("    total = sum(", '    s.marks["seen"] = 1\n    total = sum(')),
        "bots: the bot 'greedy' changes the fold that it is given",
    ),
    "a bot that needs to have seen something": (
        (
            ("    total = sum(", "    assert view.seen\n    total = sum("),
            ("imagine=imagine)", "imagine=imagine, playout=count_on_others)"),
        ),
        "in an imagined match, of which nothing was seen",
    ),
    "hidden dice that are imagined the same": (
        (("chance.pick(FACES)", "FACES[2]"), ("chance.pick((True, False))", "True")),
        "bots: what is hidden is imagined the same with all luck",
    ),
    "an estimate that is no chance": (
        (("imagine=imagine)", "imagine=imagine, estimate=lambda s: s.scores)"),),
        "bots: the estimate is [3, 3]",
    ),
    "hidden dice that are supposed to be no dice": (
        (
            ("dice: Fading[Annotated[tuple[int", "dice: Fading[Annotated[tuple[Face"),
            ("(die, FACES)", "(die, range(7))"),
        ),
        "which no log can hold: Expected `int` >= 1",
    ),
    "a move that is listed twice": (
        (("for first in range(len(s.dice))", "for first in (0, *range(len(s.dice)))"),),
        "moves: Choose(first=0) is listed twice among the legal moves",
    ),
    "a seat that nobody has": (
        (("            yield s.loser, ", "            yield s.loser + 1, "),),
        "asks a seat that nobody has",
    ),
    "a prompt that says None": (
        (("Combien au moins ?", "Combien après {s.loser} ?"), ("How much at least?", "How much after {s.loser}?")),
        "matches: players are told 'None', as Python writes it: 'Combien après None",
    ),
    "a story that says None": (
        ((f"        if self.face is None:\n{SECRETLY}", ""),),
        "players are told 'None', as Python writes it",
    ),
    "a refusal that says None": (
        (("self.too_high(most=6 * len(s.dice))", "self.too_high(most=s.loser)"),),
        "players are told 'None', as Python writes it: 'Tous les dés ensemble font None au plus.'",
    ),
    "a fact that nothing makes": (
        ((CHOSEN, GONE + CHOSEN),),
        "declared: the fact 'Gone' never comes, and no code brings it about",
    ),
    "a refusal that nothing gives": (
        (("    nobody = Reason", '    never = Reason("2", T("Jamais {foo}.", "Never {foo}."))\n    nobody = Reason'),),
        "declared: the refusal 'never' never comes, and no code brings it about",
    ),
    "a seat that is never asked": (
        (
            (NEXT, NEXT.replace("len(s.dice)", "2")),
            ("(s.active + at) % len(s.dice) for at in range(1, len(s.dice))", "1 - s.active"),
            ("for first in range(len(s.dice))", "for first in range(2)"),
            ("not in range(len(s.dice))", "not in range(2)"),
        ),
        "declared: seat 2 of 3 is never asked anything",
    ),
}

QUESTIONS = "    questions = {\n"
BET = (
    (
        "\n\nclass PigGame(",
        '\n\nclass Wager(Move, frozen=True):\n    asked, makes, typed = "bet", Held, ("wager", "parie")\n'
        '    does, label = T("Parier", "Wager"), T("Vous pariez.", "You wager.")\n\n\nclass PigGame(',
    ),
    (
        QUESTIONS,
        f'{QUESTIONS}        "bet": Question(T("Pariez-vous ?", "Do you bet?"), prompt=T("Pariez.", "Bet.")),\n',
    ),
)

PIG: dict[str, tuple[tuple[Pair, ...], str]] = {
    "a question that is never asked": (BET, "declared: the question 'bet' never comes, and no code brings it about"),
    "a part that is a step of no move": (
        (('"at stake"), move="hold")', '"at stake"), move="bank")'),),
        "declared: the board offers to touch 'bank', which is a step of no move",
    ),
    "a part that can be touched only where that is not allowed": (
        (('"at stake"), move="hold")', '"at stake"), move="" if s.pot else "hold")'),),
        "declared: the board offers to touch 'hold' only where that is not allowed",
    ),
    "an ending that nothing brings about": (
        (("    endings = {", '    endings = {\n        "never": T("jamais vu", "never seen"),'),),
        "declared: the ending 'never' never comes, and no code brings it about",
    ),
    "a draw that nothing draws": (
        (("    draws = {", '    draws = {"coin": DrawKind(T("Pièce", "Coin")), '),),
        "declared: the draw 'coin' never comes, and no code brings it about",
    ),
    "a seat that is never asked": (
        (("(self.active + 1) % len(scores)", "(self.active + 1) % 2"),),
        "declared: seat 2 of 3 is never asked anything",
    ),
    "weights of no move": (
        (("    draws = {", '    weights = {"Rol": 3}\n    draws = {'),),
        "declared: `weights` names 'Rol', which is no move",
    ),
    "the most of a number that is too much": (
        (
            (STATE, TURNS + STATE),
            ("    draws = {", f"{TEXTS}    draws = {{"),
            ("        return Began(seats)", "        assert options.turns < 9\n        return Began(seats)"),
        ),
        "matches: assert options.turns < 9 (AssertionError in pig/__init__.py:",
    ),
}

PLANTED = {
    **{f"{name} in Sealed": ("sealed", *planted) for name, planted in SEALED.items()},
    **{f"{name} in Pig": ("pig", *planted) for name, planted in PIG.items()},
}


@pytest.mark.sample(6)
@pytest.mark.parametrize("name", PLANTED)
def test_a_mistake_of_an_author_is_found_and_named(plant: Plant, name: str) -> None:
    game, ((before, after), *more), said = PLANTED[name]
    slug = plant("__init__.py", before, after, game, more=more)
    status, found = run_check(slug, MATCHES)
    failed = [one.replace(slug, game) for one in list_faults(found)]
    assert [one for one in failed if said in one], failed
    assert status == 1
    assert all(fault["todo"] for one in found["checks"] for fault in one["faults"])


HINTS: dict[str, tuple[str, tuple[Pair, ...], str]] = {
    "an ending that is rare": (
        "pig",
        (("TARGET, TURNS = 50, 10", "TARGET, TURNS = 5000, 10"),),
        "declared: the ending 'target' did not come in 20 matches",
    ),
    "a question that is rare": (
        "pig",
        (*BET, ('yield s.active, "roll"', 'yield s.active, "bet" if s.turn > 99 else "roll"')),
        "declared: the question 'bet' did not come in 20 matches",
    ),
    "a function that keeps something": (
        "sealed",
        (KEPT, KEEP),
        "processes: a function in __init__.py:65 keeps something in KEPT",
    ),
    "a move that is never legal": (
        "pig",
        (("        if not s.pot:\n", "        if True:\n"), ("lesson=LESSON", "")),
        "declared: the move 'Hold' did not come in 20 matches",
    ),
    "a question with a single answer": (
        "sealed",
        (
            ("for first in range(len(s.dice))", "for first in range(1)"),
            ("not in range(len(s.dice))", "not in range(1)"),
            ("return Choose(seat)", "return Choose(0)"),
        ),
        "declared: the question 'choose' had a single answer each of the ",
    ),
}


@pytest.mark.sample(2)
@pytest.mark.parametrize("name", HINTS)
def test_a_finding_that_may_be_intended_is_a_hint_and_no_fault(plant: Plant, name: str) -> None:
    game, ((before, after), *more), said = HINTS[name]
    slug = plant("__init__.py", before, after, game, more=more)
    status, found = run_check(slug, MATCHES)
    hints = list_hints(found)
    assert [one for one in hints if said in one], hints
    assert (list_faults(found), status) == ([], 0)


def test_an_order_found_only_among_typical_orders_counts_as_followed(plant: Plant) -> None:
    typical = (
        "    def typical(self, view: object, seat: int, chance: Chance) -> list[Order]:\n"
        '        """Orders another face than the sample."""\n        return [Insist(face=1, scope="match")]\n\n'
    )
    sample_of_no_use = ("if isinstance(order, Insist) else Wait()", "if order.face == 1 else None")
    slug = plant("orders.py", *sample_of_no_use, more=(("    def follow(", f"{typical}    def follow("),))
    assert list_faults(run_check(slug, MATCHES)[1]) == []


def test_hints_are_printed_below_a_check_that_passes(plant: Plant) -> None:
    slug = plant("__init__.py", "TARGET, TURNS = 50, 10", "TARGET, TURNS = 5000, 10", "pig")
    done = CliRunner().invoke(main, ["check", slug, "--matches", str(MATCHES)])
    assert done.exit_code == 0, done.output
    said = "HINT  declared: the ending 'target' did not come in 20 matches"
    assert f"OK    declared: it comes up\n{said}\n      → If" in done.output


def test_reading_a_file_of_the_working_directory_is_a_fault(
    plant: Plant, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "target.txt").write_text("50")
    reading = "with open('target.txt') as file:\n    TARGET, TURNS = int(file.read()), 10"
    slug = plant("__init__.py", "TARGET, TURNS = 50, 10", reading, "pig")
    (said,) = list_faults(run_check(slug, 1)[1])
    assert said.startswith("processes: in another process, beside another match, it breaks: the game 'pig")
    assert "FileNotFoundError: [Errno 2] No such file or directory: 'target.txt'" in said


BEGAN = "    seats: Open[Annotated[int, Meta(ge=2, le=4)]]\n"


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("TURNS = 50, 10", "TURNS = 50, 10", None),
        ("TURNS = 50, 10", "TURNS = 9, 10", "old.json is played otherwise by now: entry "),
        (BEGAN, f"{BEGAN}    most: Open[int]\n", "old.json cannot be read any more: entry 1: it cannot be read: "),
    ],
    ids=["the same", "another rule", "a field more"],
)
def test_logs_of_an_older_version_must_replay(plant: Plant, before: str, after: str, said: str | None) -> None:
    older, slug = find_game(plant(game="pig")), plant("__init__.py", before, after, "pig")
    assert isinstance(older, AssembledGame)
    assert logs_in(folder_of_game(slug)) == []
    table = Table(replace(older, meta=structs.replace(older.meta, slug=slug)), 2, older.meta.options(), bytes(32))
    for _ in random_decisions(table):
        pass
    logs = Path(str(folder_of_game(slug))) / "logs"
    logs.mkdir()
    (logs / "old.json").write_bytes(logfile.log_to_bytes(log_of(table)))
    status, found = run_check(slug, 1)
    failed = [one for one in list_faults(found) if one.startswith("logs: ")]
    assert bool(failed) == bool(status) == bool(said), failed
    assert all(one.startswith(f"logs: {said}") for one in failed), failed


@pytest.mark.parametrize(
    ("lang", "text"),
    [
        ("fr", "{0} pose le None."),
        ("fr", "C’est True."),
        ("en", "{0} plays <Suit.HEARTS: 1>."),
        ("en", "{0} plays Suit.HEARTS."),
        ("en", "{0} holds frozenset({1, 2})."),
        ("fr", "{0} a Decimal('1.50')."),
        ("en", "{0} makes Laid(seat=0, card=3)."),
        ("en", "{0} has ('red', 'blue')."),
        ("en", "{0} has 0.30000000000000004 points."),
    ],
)
def test_a_text_with_a_value_as_python_writes_it_breaks_a_law(lang: Lang, text: str) -> None:
    table = Table(sealed.GAME, 2, sealed.GAME.meta.options(), bytes(32))
    with pytest.raises(LawBroken, match="as Python writes it"):
        check_no_python(table, text, lang)


@pytest.mark.parametrize(
    ("lang", "text"),
    [
        ("en", "None of them doubts."),
        ("en", "True: there are three."),
        ("fr", "{0} a 1,5 point (règle 2.1)."),
        ("fr", "R7. Si {0} gagne : 3 < 5."),
    ],
)
def test_a_text_that_only_looks_like_python_breaks_no_law(lang: Lang, text: str) -> None:
    check_no_python(Table(sealed.GAME, 2, sealed.GAME.meta.options(), bytes(32)), text, lang)
