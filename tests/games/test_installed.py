"""A game of an installed package that cannot be played is left out, and the site says which and why.

A game need not offer everything: what is optional may be absent.
"""

import importlib
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from pbem import games
from pbem.cli import main
from pbem.commands import checks
from pbem.games import all_games, broken_games, find_game, found_games, list_faults, look_for_games
from pbem.kit.bots import bots_of, is_thinking_bot
from pbem.kit.laws.offered import OPTIONAL, TEXTS
from pbem.render import pictures
from pbem.run import embedded
from tests.harness.waiting import SECONDS

ROOT = Path(__file__).parents[2]
MODULE = """
from msgspec.structs import replace

from pbem.games.hogen import GAME as HOGEN
from pbem.kit.contract import Game
from pbem.kit.texts import OptionText, Text


class Copy:
    pass


GAME = Copy()
for name in vars(Game):
    if not name.startswith("_") and name not in {without!r}:
        setattr(GAME, name, getattr(HOGEN, name))
GAME.meta = replace(HOGEN.meta, slug="copy")
{more}
"""

OPTIONS = "from pbem.games.niigata import GAME as N\nCHOICES, WORDS = N.meta.options, N.meta.option_texts\n"

Install = Callable[..., Path]


def code_changing_meta(change: str) -> str:
    """Returns the code that changes the game's meta."""
    return f"GAME.meta = replace(GAME.meta, {change})"


INTRO = """
from pbem.kit.contract import Intro, Length, Lesson, LessonStep, Picture
DRAWN = '<svg viewBox="0 0 360 228">'
def picture(draw=lambda lang: DRAWN + '</svg>', text=Text('Jouez.', 'Play.')):
    return Picture(draw, text)
"""


def code_of_intro(parts: str) -> str:
    """Returns the code that gives the game an introduction of these parts."""
    return f"{INTRO}GAME.intro = Intro({parts})"


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Yields what installs a package with the game *copy*, which is Hogen without the faces that are named.

    `more` is code behind it, `name` the package's. Returns the folder of the package.
    """
    look_for_games.cache_clear()
    monkeypatch.syspath_prepend(tmp_path)
    made: list[str] = []

    def make(*without: str, more: str = "", name: str = "copy_of_hogen", points: str = "") -> Path:
        package, info = tmp_path / name, tmp_path / f"{name}-1.0.dist-info"
        package.mkdir()
        info.mkdir()
        (package / "__init__.py").write_text(MODULE.format(without=without, more=more))
        for text in TEXTS:
            (package / text).write_text("")
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name.replace('_', '-')}\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text(points or f"[pbem.games]\ncopy = {name}:GAME\n")
        made.append(name)
        importlib.invalidate_caches()
        return package

    yield make
    look_for_games.cache_clear()
    for name in made:
        sys.modules.pop(name, None)


def what_is_said() -> list[str]:
    """Returns what is said of the games that are broken; ours are all there."""
    assert {slug for slug, found in found_games().items() if found.origin == games.OURS} == OURS
    assert "copy" not in all_games()
    return [one.said for one in broken_games()]


OURS = {path.parent.name.replace("_", "-") for path in (ROOT / "pbem" / "games").glob("*/__init__.py")}


def test_none_of_our_own_games_is_broken() -> None:
    assert [one.said for one in broken_games() if one.origin == games.OURS] == []
    assert {*all_games()} >= OURS


@pytest.mark.long
def test_a_game_without_optional_members_loads_and_has_no_thinking_bot(install: Install) -> None:
    install(*OPTIONAL)
    game = all_games()["copy"]
    assert [getattr(game, name) for name in OPTIONAL] == [None] * len(OPTIONAL)
    assert not any(is_thinking_bot(name) for name in bots_of(game))
    assert broken_games() == ()


@pytest.mark.long
def test_a_game_that_lacks_a_required_method_is_broken(install: Install) -> None:
    install("fallback")
    assert what_is_said() == ["the game 'copy' of copy-of-hogen 1.0 is no game: it lacks fallback"]


@pytest.mark.parametrize(
    ("more", "why", "words"),
    [
        ("raise RuntimeError('no')", "unloadable", "cannot be loaded: RuntimeError: no"),
        ("raise SystemExit(3)", "unloadable", "cannot be loaded: SystemExit: 3"),
        ("class Worse(BaseException): pass\nraise Worse", "unloadable", "cannot be loaded: Worse"),
        ("def x(:", "unloadable", "cannot be loaded: SyntaxError"),
        ("del GAME", "unloadable", "cannot be loaded: AttributeError"),
        ("GAME = None", "incomplete", "is no game: it lacks setup"),
        ("GAME.draw = None", "incomplete", "it lacks draw"),
        ("GAME.meta = {}", "incomplete", "it lacks a Meta"),
        ("class C(Copy):\n  meta = property(lambda self: 1 / 0)\nGAME.__class__ = C", "incomplete", "ZeroDivision"),
        ("class C(Copy):\n  meta = property(lambda self: exit(3))\nGAME.__class__ = C", "incomplete", "SystemExit: 3"),
        (code_changing_meta("slug='other'"), "misnamed", "calls itself 'other'"),
        (code_changing_meta("title=Text(fr='', en='x')"), "incomplete", "its title is not said in fr"),
        (code_changing_meta("blurb='x'"), "incomplete", "its blurb is no Text"),
        (OPTIONS + code_changing_meta("options=CHOICES"), "incomplete", "its options: copy: the options are"),
        (code_changing_meta("seats=()"), "incomplete", "numbers of seats"),
        (code_changing_meta("seats=[3, 17]"), "incomplete", "numbers of seats"),
        (code_changing_meta("minutes='long'"), "incomplete", "its minutes must be a number"),
        (code_changing_meta("moves=()"), "incomplete", "its moves must be types of the contract"),
        (code_changing_meta("events=(int,)"), "incomplete", "its events must be types of the contract"),
        (code_changing_meta("asks={}"), "incomplete", "it has no asks"),
        (
            code_changing_meta("endings={'x': Text(fr='fin', en=' ')}"),
            "incomplete",
            "'x' of its endings is not said in en",
        ),
        (code_changing_meta("refusals={'x': 1}"), "incomplete", "its refusals must be Refusal by name"),
        (code_changing_meta("shapes=('low',)"), "incomplete", "portrait is one of them"),
        ("GAME.bots = {'x': 1}", "incomplete", "its bots must be functions"),
    ],
)
def test_a_game_that_would_fail_in_play_is_broken_with_its_reason(
    install: Install, more: str, why: str, words: str
) -> None:
    install(more=more)
    (text,) = what_is_said()
    assert text.startswith("the game 'copy' of copy-of-hogen 1.0")
    assert words in text
    assert [one.why for one in broken_games()] == [why]


@pytest.mark.long
def test_a_packages_game_needs_words_for_its_options_in_both_languages(install: Install) -> None:
    words = "{name: replace(text, hint=Text(fr='oui', en='')) for name, text in WORDS.items()}"
    install(more=OPTIONS + code_changing_meta(f"options=CHOICES, option_texts={words}"))
    (text,) = what_is_said()
    assert "the hint of its option" in text
    assert "is not said in en" in text


@pytest.mark.parametrize(
    ("file", "data", "words"),
    [
        ("RULES.fr.md", None, "has no RULES.fr.md beside its code"),
        ("NOTATION.en.md", b"\xff", "NOTATION.en.md is no text in UTF-8"),
        ("parts.svg", b"<svg><symbol></svg>", "its parts.svg cannot be read: mismatched tag"),
    ],
)
def test_a_packages_game_needs_its_files_to_exist_and_be_readable(
    install: Install, file: str, data: bytes | None, words: str
) -> None:
    package = install()
    (package / file).unlink() if data is None else (package / file).write_bytes(data)
    (text,) = what_is_said()
    assert words in text


COVER = '<svg viewBox="0 0 400 300">{}</svg>'


@pytest.mark.parametrize(
    ("name", "code", "words"),
    [
        ("end", "GAME.end = lambda outcome: outcome.winners[0]", "tuple index"),
        ("end", "GAME.end = lambda outcome: '<svg viewBox=\"0 0 9 9\">{0}</svg>'", "no names, links and scripts"),
        ("end", 'GAME.end = lambda outcome: \'<svg viewBox="0 0 9 9" data-piece="a"/>\'', "no pieces"),
        ("intro", "GAME.intro = 'Hogen'", ""),
        ("intro", code_of_intro("designer=None"), "Expected `str`, got `null` - at `$.designer`"),
        ("intro", code_of_intro("year='2013'"), "at `$.year`"),
        ("intro", code_of_intro("turn=('',)"), "'str' object has no attribute 'text'"),
        ("intro", code_of_intro("turn=(picture(text=Text('Jouez', '')),)"), "text of picture 1 is not said in en"),
        ("intro", code_of_intro("turn=(picture(draw=lambda lang: lang[9]),)"), "string index out of"),
        (
            "intro",
            code_of_intro("turn=(picture(draw=lambda lang: DRAWN + '{0}</svg>'),)"),
            "no names, links and scripts",
        ),
        (
            "intro",
            code_of_intro("turn=(picture(draw=lambda lang: DRAWN + '<script/></svg>'),)"),
            "no names, links and scripts",
        ),
        ("intro", code_of_intro("turn=(picture(draw=lambda lang: DRAWN + '<g></svg>'),)"), "mismatched tag"),
        (
            "intro",
            code_of_intro("turn=(picture(draw=lambda lang: DRAWN + '<use href=\"#x\"/></svg>'),)"),
            "no such symbol: x",
        ),
        ("intro", code_of_intro("turn=(picture(draw=lambda lang: '<svg />'),)"), 'viewBox="0 0 360 '),
        ("intro", code_of_intro("lengths=(3, 7, 5)"), "Expected `object`, got `int` - at `$.lengths[0]`"),
        ("intro", code_of_intro("lengths=(Length(3, 0, 5),)"), "at `$.lengths[0].turns`"),
        ("lesson", "GAME.lesson = ()", ""),
        ("lesson", INTRO + "GAME.lesson = Lesson('0' * 64, 3, (LessonStep('Call'),))", "at `$.steps[0].say`"),
        ("lesson", INTRO + "GAME.lesson = Lesson('0' * 64, 3, ())", "at `$.steps`"),
        ("lesson", INTRO + "GAME.lesson = Lesson('zz', 3, (LessonStep(Text('x', 'x')),))", "at `$.seed`"),
        ("cover", COVER.format("<g>"), "mismatched tag"),
        ("cover", COVER.format("<a/>"), "no names, links and scripts"),
        ("cover", COVER.format('<use href="#nope"/>'), "no such symbol: nope"),
        ("cover", COVER.format("").replace("400", "40"), 'must begin with <svg viewBox="0 0 400 300'),
        ("cover", "<?xml version='1.0'?>" + COVER.format(""), 'must begin with <svg viewBox="0 0 400 300'),
        ("cover", "\ufeff" + COVER.format(""), 'must begin with <svg viewBox="0 0 400 300'),
        ("cover", "\udcff", 'must begin with <svg viewBox="0 0 400 300'),
    ],
)
def test_a_faulty_cover_end_intro_or_lesson_is_left_out_of_a_game(
    install: Install, name: str, code: str, words: str
) -> None:
    package = install("end", "intro", "lesson", more="" if name == "cover" else code)
    if name == "cover":
        (package / "cover.svg").write_bytes(code.encode(errors="surrogateescape"))
    found = found_games()["copy"]
    assert broken_games() == ()
    assert [found.game.end, found.game.intro, found.game.lesson, found.cover] == [None] * 4
    (fault,) = list_faults()
    assert fault[:2] == ("copy", "copy-of-hogen 1.0")
    assert fault[2].startswith(f"the game 'copy' of copy-of-hogen 1.0: its {name} cannot be shown: ")
    assert fault[2].endswith(". It is played without.")
    assert words in fault[2]
    assert [one.said for one in checks.check_games()] == [fault[2].removesuffix(".")]


def test_valid_covers_intros_and_symbols_of_a_package_are_kept(install: Install) -> None:
    drawn = code_of_intro("turn=(picture(draw=lambda lang: DRAWN + '<use href=\"#seal\"/></svg>'),)")
    package = install("end", more=drawn)
    (package / "parts.svg").write_text('<svg><symbol id="x"><use href="#seal"/></symbol></svg>')
    (package / "cover.svg").write_text(COVER.format('<use href="#x"/>'))
    found = found_games()["copy"]
    assert [*list_faults()] == []
    assert found.game.intro
    assert found.game.lesson
    assert found.cover


@pytest.mark.parametrize("cover", [None, "", COVER.format("<g>")])
def test_a_game_without_a_cover_shows_its_title_as_one(install: Install, cover: str | None) -> None:
    package = install(more='GAME.meta = replace(GAME.meta, title=Text("Copie", "Copy"))')
    if cover is not None:
        (package / "cover.svg").write_text(cover)
    game = find_game("copy")
    assert game is not None
    assert ">Copie</text>" in pictures.cover_svg(game, "fr")


def test_a_game_offered_by_two_packages_is_used_from_neither(
    install: Install,
) -> None:
    install()
    install(name="another_copy")
    assert what_is_said() == [
        "the game 'copy' of another-copy 1.0 has the name of the one of copy-of-hogen 1.0",
        "the game 'copy' of copy-of-hogen 1.0 has the name of the one of another-copy 1.0",
    ]


@pytest.mark.long
def test_a_broken_package_does_not_block_another_with_the_same_game(install: Install) -> None:
    install(more="1 / 0")
    install(name="another_copy")
    assert found_games()["copy"].origin == "another-copy 1.0"
    assert [one.origin for one in broken_games()] == ["copy-of-hogen 1.0"]


def test_a_package_cannot_take_the_place_of_one_of_our_games(install: Install) -> None:
    install(more=code_changing_meta("slug='hogen'"), points="[pbem.games]\nhogen = copy_of_hogen:GAME\n")
    assert what_is_said() == ["the game 'hogen' of copy-of-hogen 1.0 has the name of the one of pbem"]
    assert found_games()["hogen"].origin == games.OURS


@pytest.mark.parametrize("group", ["pbem.games.1", "pbem.games.2"])
def test_a_game_for_two_versions_of_the_contract_is_one_game(install: Install, group: str) -> None:
    install(points=f"[pbem.games]\ncopy = copy_of_hogen:GAME\n[{group}]\ncopy = copy_of_hogen:GAME\n")
    assert broken_games() == ()
    assert "copy" in all_games()


@pytest.mark.long
@pytest.mark.parametrize("points", ["[pbem.games]\ncopy\n", "[pbem.games]\ncopy = \n", "[pbem.games]\ncopy = 1:2\n"])
def test_unreadable_entry_points_break_only_their_own_package(install: Install, points: str) -> None:
    install(points=points)
    install(name="good", points="[pbem.games]\n", more="")
    (text,) = what_is_said()
    assert "copy-of-hogen 1.0" in text


@pytest.mark.parametrize(
    ("group", "why"),
    [
        ("pbem.games.1", None),
        ("pbem.games.2", "is written for version 2 of the contract, and this pbem knows none above 1: upgrade pbem"),
    ],
)
def test_a_game_for_another_contract_version_is_reported_and_not_used(
    install: Install, group: str, why: str | None
) -> None:
    install(
        more="" if why is None else "raise RuntimeError('it was run')", points=f"[{group}]\ncopy = copy_of_hogen:GAME\n"
    )
    assert [(one.why, one.said) for one in broken_games()] == (
        [] if why is None else [("unfit", f"the game 'copy' of copy-of-hogen 1.0 {why}")]
    )
    assert ("copy" in all_games()) is (why is None)


def test_startup_and_doctor_name_a_broken_game_and_go_on(install: Install, monkeypatch: pytest.MonkeyPatch) -> None:
    install("fallback")
    launched: list[object] = []
    monkeypatch.setattr(embedded, "run_embedded", lambda environ, reload: launched.append((environ, reload)))
    done = CliRunner().invoke(main, ["run"])
    assert (done.exit_code, len(launched)) == (0, 1)
    assert "the game 'copy' of copy-of-hogen 1.0 is no game: it lacks fallback. It is unavailable" in done.output
    (found,) = checks.check_games()
    assert (found.check, found.level) == ("games", "WARN")
    assert "copy-of-hogen 1.0" in found.said


def test_startup_and_doctor_name_left_out_parts_of_a_game_and_go_on(
    install: Install, monkeypatch: pytest.MonkeyPatch
) -> None:
    install("end", "lesson", more=code_of_intro("year=''"))
    monkeypatch.setattr(embedded, "run_embedded", lambda _environ, reload: None)
    done = CliRunner().invoke(main, ["run"])
    assert "pbem: the game 'copy' of copy-of-hogen 1.0: its intro cannot be shown: " in done.output
    (found,) = checks.check_games()
    assert (found.check, found.level) == ("games", "WARN")


@pytest.mark.long
def test_pytest_collects_tests_beside_a_broken_package(install: Install, tmp_path: Path) -> None:
    install("fallback")
    collecting = ["--collect-only", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "tests/games/test_files.py"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *collecting],
        cwd=ROOT, env={**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}"},
        capture_output=True, text=True, timeout=SECONDS, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert "test_every_game_folder_has_the_common_modules" in done.stdout
