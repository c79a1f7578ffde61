"""The wheel contains everything that pbem needs: installed by itself, it serves pages, writes mails and takes moves."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import sysconfig
import urllib.request
from collections.abc import Iterator
from email import message_from_bytes
from pathlib import Path
from zipfile import ZipFile

import pytest

from tests.browser.conftest import does_url_answer, free_port
from tests.docs.getting_started import play_to_its_end
from tests.harness.waiting import SECONDS, wait_until

ROOT = Path(__file__).parents[1]
UV = ROOT / ".uv" / "bin" / "uv"


def run_program(argv: list[str | Path], folder: Path) -> str:
    """Returns the output of a command. Raises if it fails."""
    environ = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    done = subprocess.run(argv, cwd=folder, env=environ, capture_output=True, text=True, timeout=SECONDS, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel as it is built from these files."""
    folder = tmp_path_factory.mktemp("dist")
    run_program([sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", folder], ROOT)
    (built,) = folder.iterdir()
    return built


@pytest.fixture(scope="module")
def programs_of_wheel(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs of an environment with the wheel, and with this environment's dependencies."""
    venv = tmp_path_factory.mktemp("venv")
    run_program([UV, "venv", "--no-cache", "--quiet", "--clear", "--python", sys.executable, venv], venv)
    python = venv / "bin" / "python"
    run_program(
        [UV, "pip", "install", "--no-cache", "--quiet", "--no-index", "--no-deps", "--python", python, wheel], venv
    )
    (packages,) = venv.glob("lib/python3.*/site-packages")
    # These folders come after the wheel's pbem, and a .pth in them, such as a checkout's, is not read.
    (packages / "dependencies.pth").write_text(f"{sysconfig.get_path('purelib')}\n{sysconfig.get_path('platlib')}\n")
    return venv / "bin"


def test_the_wheel_has_what_a_new_game_begins_with(programs_of_wheel: Path, tmp_path: Path) -> None:
    run_program([programs_of_wheel / "pbem", "new-game", "mine"], tmp_path)
    begun = ROOT / "pbem" / "testing" / "starter"
    files = {str(path.relative_to(begun)) for path in begun.rglob("*") if path.is_file() and path.suffix != ".pyc"}
    written = {str(path.relative_to(tmp_path / "mine")) for path in (tmp_path / "mine").rglob("*") if path.is_file()}
    assert {path.replace("mine", "pig") for path in written} == files - {"__init__.py"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty folder."""
    return tmp_path_factory.mktemp("empty")


@pytest.fixture(scope="module")
def site(programs_of_wheel: Path, folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the site that the installed `pbem run` serves from that folder."""
    port, output = free_port(), tmp_path_factory.mktemp("log") / "output.txt"
    ours = re.compile(r"PBEM_|PYTHON|DATABASE_URL$|REDIS_URL$|SMTP_URL$")
    environ = {name: value for name, value in os.environ.items() if not ours.match(name)}
    with output.open("wb") as log:
        process = subprocess.Popen(
            [programs_of_wheel / "pbem", "run"], cwd=folder, env={**environ, "PORT": str(port)}, stdout=log, stderr=log
        )
    try:

        def up() -> bool:
            assert process.poll() is None, output.read_text()
            return does_url_answer(f"http://127.0.0.1:{port}/healthz")

        wait_until(up, "the service answers")
        yield f"http://127.0.0.1:{port}"
    finally:
        process.send_signal(signal.SIGINT)
        status = process.wait(SECONDS)
    assert status == 0, output.read_text()


def read_url(url: str) -> bytes:
    """Returns the content of an address that answers 200."""
    with urllib.request.urlopen(url, timeout=SECONDS) as answer:
        return bytes(answer.read())


def files_of(top: Path) -> set[str]:
    """Returns all files of the package, including those behind links, by their names in a wheel."""
    return {
        str((Path(folder) / name).relative_to(top.parent))
        for folder, _, names in os.walk(top, followlinks=True)
        for name in names
        if "__pycache__" not in folder
    }


def test_the_wheel_carries_every_file_including_templates_and_workers(wheel: Path) -> None:
    names = {name for name in ZipFile(wheel).namelist() if ".dist-info/" not in name}
    assert names == files_of(ROOT / "pbem")
    for top in ("templates", "workers"):
        assert {name for name in names if name.startswith(f"pbem/{top}/")} == {
            f"pbem/{n}" for n in files_of(ROOT / top)
        }


def test_the_wheel_carries_its_licence_and_says_which_it_is(wheel: Path) -> None:
    with ZipFile(wheel) as packed:
        (metadata,) = (name for name in packed.namelist() if name.endswith(".dist-info/METADATA"))
        (licence,) = (name for name in packed.namelist() if name.endswith(".dist-info/licenses/LICENSE"))
        assert packed.read(licence) == (ROOT / "LICENSE").read_bytes()
        said = message_from_bytes(packed.read(metadata))
    assert (said["License-Expression"], said["License-File"]) == ("MIT", "LICENSE")
    assert b"the pbem authors" in (ROOT / "LICENSE").read_bytes()


def test_the_wheel_installs_no_other_top_level_package(wheel: Path, programs_of_wheel: Path, folder: Path) -> None:
    assert {name.partition("/")[0].partition("-")[0] for name in ZipFile(wheel).namelist()} == {"pbem"}
    asked = "import importlib.util as i; print(i.find_spec('workers'), i.find_spec('pbem.workers').origin)"
    here, there = run_program([programs_of_wheel / "python", "-c", asked], folder).split()
    assert here == "None"
    assert Path(there).is_relative_to(programs_of_wheel.parent)


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_an_installed_wheel_serves_pages_sends_mails_and_plays_a_match(
    site: str, programs_of_wheel: Path, folder: Path, tmp_path: Path
) -> None:
    for lang, words in (("fr", "Des jeux de société par courriel"), ("en", "Board games by email")):
        page = read_url(f"{site}/?lang={lang}").decode()
        assert words in page
        for asset in re.findall(r'(?:href|src)="(/static/[^"]+)"', page):
            assert read_url(site + asset)
        for path in ("rules/hogen", "docs/api/notation/hogen"):
            assert b"<h2" in read_url(f"{site}/{path}?lang={lang}")

    match_id = play_to_its_end(site, tmp_path)  # confirmed by a mail, as Alice signs in by another
    assert b"<svg" in read_url(f"{site}/match/{match_id}")

    mails = [read_url(f"{site}/mailbox/{mail['id']}.eml") for mail in json.loads(read_url(f"{site}/mailbox.json"))]
    parts = {part.get_content_type() for mail in mails for part in message_from_bytes(mail).walk()}
    assert parts >= {"text/plain", "text/html", "image/png"}
    assert {
        finding.split()[0] for finding in run_program([programs_of_wheel / "pbem", "doctor"], folder).splitlines()
    } == {"OK"}
    assert list(folder.iterdir()) == [folder / "var"]
