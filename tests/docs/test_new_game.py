"""docs/new-game.md builds two games, which obey every law and are played; `pbem new-game` writes the first of them."""

from __future__ import annotations

import importlib
import inspect
import json
import re
import subprocess
import sys
from contextlib import chdir
from pathlib import Path

import pytest
from click.testing import CliRunner

import pbem.kit.game
from pbem.cli import main
from pbem.features.lessons.laws import check_lesson
from pbem.games import find_game, folder_of_game, found_games, read_text_file_of_game
from pbem.testing import starter
from tests.docs.building import ROOT, install_package, write_page_files
from tests.docs.installing import look_again, play_to_the_end
from tests.harness.cases import cases
from tests.harness.waiting import SECONDS
from tests.table import House

PAGE = ROOT / "docs" / "new-game.md"
STARTER = Path(starter.__path__[0])
LAWS = re.compile(r"## While you work.*?```python\n(.*?)```", re.DOTALL)
ROW = re.compile(r"^\| (`.*?) \| .*\|$", re.MULTILINE)
TITLE = {"pig": "Pig", "cups": "Cups", "liars-dice": "Liars Dice"}


def section_of_page(heading: str) -> str:
    """The text of the page below this heading."""
    return PAGE.read_text("utf-8").partition(f"## {heading}\n")[2].partition("\n## ")[0]


def lay_out(slug: str, folder: Path) -> Path:
    """Writes one of the page's games as a package; returns its folder."""
    source = write_page_files(PAGE, folder / "written")
    for name in ("cover.svg", "lesson.py"):
        (source / "pig" / name).write_bytes((STARTER / "pig" / name).read_bytes())
    text = (source / "pyproject.toml").read_text()
    (source / "pyproject.toml").write_text(re.sub(r"\bpig\b", slug, text))
    return source


def run_new_game_command(name: str, folder: Path) -> str:
    """Has `pbem new-game` write a package in this folder; returns what it says."""
    with chdir(folder):
        done = CliRunner().invoke(main, ["new-game", name])
    assert done.exit_code == 0, done.output
    return done.output


@pytest.fixture(params=["pig", "cups", "liars-dice"])
def slug(request: pytest.FixtureRequest, tmp_path: Path, target: Path) -> str:
    """The slug of a game that is installed: of those of the page, and of one that `pbem new-game` has written."""
    name = str(request.param)
    if name == "liars-dice":
        run_new_game_command(name, tmp_path)
    install_package(tmp_path / name if name == "liars-dice" else lay_out(name, tmp_path), target)
    look_again(target)
    return name


def test_the_first_game_has_at_most_80_lines_and_equals_the_starter_files(tmp_path: Path) -> None:
    source = write_page_files(PAGE, tmp_path)
    code = (source / "pig" / "__init__.py").read_text("utf-8")
    assert 60 < len([line for line in code.splitlines() if line.strip()]) <= 80
    for path in source.rglob("*"):
        if path.is_file() and "cups" not in path.parts:
            assert path.read_text("utf-8") == (STARTER / path.relative_to(source)).read_text("utf-8"), path.name


def test_the_games_of_the_new_game_page_obey_every_law(slug: str) -> None:
    done = CliRunner().invoke(main, ["check", slug, "--matches", "20", "--json"])
    told = json.loads(done.output)
    assert [fault for check in told["checks"] for fault in check["faults"]] == []
    assert told["ok"]
    assert done.exit_code == 0
    assert len(told["checks"]) > 10


def test_the_games_of_the_new_game_page_play_by_page_mail_and_api(slug: str, house: House) -> None:
    client = play_to_the_end(house, slug, 2)
    assert TITLE[slug] in client.get("/games?lang=en").text
    for lang in ("fr", "en"):
        assert client.get(f"/rules/{slug}?lang={lang}").status_code == 200
        typed = client.get(f"/docs/api/notation/{slug}?lang={lang}")
        assert "<code>" in typed.text
    parts = {part.get_content_type() for part in house.mail.to("bob@example.org")[-1].walk()}
    assert parts >= {"text/plain", "text/html", "image/png"}


@pytest.mark.parametrize("slug", ["pig"], indirect=True)
def test_a_turn_of_several_rolls_is_one_mail(slug: str, house: House) -> None:
    match_id, told, turns = house.begin(2, slug), list[int](), list[str]()
    house.drain()
    house.mail.clear()
    while len({*turns}) < 4:
        (ask,) = house.asks(match_id)
        turns.append(ask.turn)
        house.play(match_id, ask.seat)
        (now,) = house.asks(match_id)
        house.drain()
        told.append(len(house.mail.all_sent))
        assert told[-1] == len({*turns, now.turn}) - 1, turns
    assert len(turns) > len({*turns}), "somebody has rolled again"


@pytest.mark.parametrize("slug", ["liars-dice"], indirect=True)
def test_the_new_game_command_writes_a_cover_a_lesson_and_a_test(slug: str, tmp_path: Path) -> None:
    found = found_games()[slug]
    assert (found.wrong, bool(found.cover)) == ((), True)
    assert check_lesson(found.game)
    test = {"__name__": "written"}
    exec(compile((tmp_path / slug / "test_liars_dice.py").read_text(), "test_liars_dice.py", "exec"), test)
    for name in [name for name in test if name.startswith("test_")]:
        test[name]()  # type: ignore[operator]


@pytest.mark.parametrize("slug", ["pig"], indirect=True)
def test_the_pages_call_of_the_laws_runs_and_a_notation_file_replaces_ours(slug: str, target: Path) -> None:
    (laws,) = LAWS.findall(PAGE.read_text("utf-8"))
    exec(compile(laws, str(PAGE), "exec"), {})
    assert read_text_file_of_game(slug, "NOTATION.en.md").startswith("# Notation of Pig\n")
    (target / slug / "NOTATION.en.md").write_text("# By hand\n")
    assert read_text_file_of_game(slug, "NOTATION.en.md") == "# By hand\n"


@pytest.mark.parametrize("slug", ["cups"], indirect=True)
def test_the_pages_second_game_has_a_bot_and_imagines_matches(slug: str) -> None:
    game = find_game(slug)
    assert game is not None
    assert [*game.bots] == ["careful"]
    assert game.imagine is not None
    assert folder_of_game(slug).is_dir()


def test_the_new_game_command_prints_the_next_steps(tmp_path: Path) -> None:
    said = run_new_game_command("liars-dice", tmp_path).splitlines()
    assert [line.split()[0] for line in said[1:4]] == ["1.", "2.", "3."]
    assert "--editable ./liars-dice" in said[1]
    assert "pbem check liars-dice" in said[2]
    assert "pbem play liars-dice" in said[3]
    assert not [path for path in (tmp_path / "liars-dice").rglob("*") if "pig" in path.name]
    for path in (tmp_path / "liars-dice").rglob("*"):
        if path.is_file():
            assert not re.search(r"\b(pig|Pig|Cochon)\b", path.read_text("utf-8")), path.name


@cases(
    "name, said",
    [
        ("Liars Dice", "'Liars Dice' is no name of a game: small letters, digits and hyphens"),
        ("../pig", "'../pig' is no name of a game"),
        ("hogen", "There is a game 'hogen' already"),
        ("random", "Python has something of its own that is called 'random'"),
        ("pbem", "'pbem' is taken by pbem itself"),
        ("class", "Python has something of its own that is called 'class'"),
        ("mine", "The folder mine is there already"),
    ],
)
def test_the_new_game_command_refuses_an_invalid_name_and_writes_nothing(tmp_path: Path, name: str, said: str) -> None:
    (tmp_path / "mine").mkdir(exist_ok=True)
    with chdir(tmp_path):
        done = CliRunner().invoke(main, ["new-game", name])
    assert done.exit_code == 1
    assert done.output.startswith(f"Error: {said}")
    assert len(done.output.splitlines()) == 1
    assert [path.name for path in tmp_path.rglob("*")] == ["mine"]


def test_the_games_of_the_page_are_written_as_our_own_code(tmp_path: Path) -> None:
    source = lay_out("cups", tmp_path)
    ruff = [sys.executable, "-m", "ruff"]
    settings, ignored = ["--config", str(ROOT / "pyproject.toml"), "--no-cache"], "F403,F405,RUF012"
    for argv in ([*ruff, "check", *settings, "--ignore", ignored, "."], [*ruff, "format", "--check", *settings, "."]):
        done = subprocess.run(argv, cwd=source, capture_output=True, text=True, timeout=SECONDS, check=False)
        assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.long
def test_the_types_of_the_second_game_are_right(tmp_path: Path) -> None:
    source = lay_out("cups", tmp_path)
    argv = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path / "cache"), str(source / "cups")]
    done = subprocess.run(argv, cwd=ROOT, capture_output=True, text=True, timeout=10 * SECONDS, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_pages_table_lists_every_name_of_the_game_layer() -> None:
    listed = section_of_page("Every helper").partition("\nThe rest")[0]
    names = [name for row in ROW.findall(listed) for name in re.findall(r"`(\w+)`", row)]
    assert sorted(names) == sorted(pbem.kit.game.__all__)


@cases("module", ["words", "notation", "secrecy", "drawing.svg", "drawing.board"])
def test_the_pages_table_lists_every_function_of_the_author_modules(module: str) -> None:
    (row,) = re.findall(rf"^\| `pbem.kit.{module}` \| (.*) \|$", section_of_page("Every helper"), re.MULTILINE)
    home = importlib.import_module(f"pbem.kit.{module}")
    public = {
        name
        for name, value in vars(home).items()
        if inspect.isclass(value) or inspect.isfunction(inspect.unwrap(value))
        if not name.startswith("_") and value.__module__ == home.__name__
    }
    assert {*re.findall(r"`(\w+)`", row)} == public
