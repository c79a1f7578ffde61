"""make says in one sentence why it cannot install; two of them in one folder do so one after the other.

`make test-bare` runs all of it, on a bare system; here stand-ins for Python fail as it does there.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.harness.waiting import SECONDS

ROOT = Path(__file__).parents[2]
WITHOUT_VENV = """#!/bin/sh
case "$*" in *ensurepip*) exit 1;; esac
exec {python} "$@"
"""
# Its virtual environments hold a Python that can fetch nothing.
WITHOUT_NETWORK = """#!/bin/sh
case "$*" in
    "-m venv .uv") mkdir -p .uv/bin && printf '#!/bin/sh\\nexit 1\\n' > .uv/bin/python && chmod +x .uv/bin/python;;
    *) exec {python} "$@";;
esac
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A fresh copy of what make installs by, in a folder with a space and an umlaut."""
    made = tmp_path / "Spiele für Zwölf"
    made.mkdir()
    shutil.copytree(ROOT / "requirements", made / "requirements")
    for name in ("Makefile", "pyproject.toml"):
        shutil.copy(ROOT / name, made)
    return made


def refused(folder: Path, **environ: str) -> str:
    """Returns what `make run` says, which fails before it runs anything."""
    words = [f"{name}={value}" for name, value in environ.items()]
    ours = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    done = subprocess.run(["make", "run", *words], cwd=folder, env=ours, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "Traceback" not in done.stderr
    return done.stderr.splitlines()[0]


def test_on_windows_make_says_where_it_runs(folder: Path) -> None:
    assert refused(folder, OS="Windows_NT") == "pbem needs Linux or macOS. On Windows it runs inside WSL."


def test_without_a_python_that_is_new_enough_make_says_so(folder: Path) -> None:
    assert refused(folder, PYTHON="").startswith("pbem needs Python 3.11 or newer")


@pytest.mark.parametrize(
    ("python", "sentence"),
    [(WITHOUT_VENV, "This Python cannot make virtual environments. On Debian: apt-get install python3-venv"),
     (WITHOUT_NETWORK, "The packages cannot be fetched (see above). The first time, make needs the internet.")],
    ids=["venv", "network"],
)  # fmt: skip
def test_what_a_bare_system_lacks_is_named(folder: Path, python: str, sentence: str) -> None:
    stand_in = folder.parent / "python"
    stand_in.write_text(python.format(python=sys.executable))
    stand_in.chmod(0o755)
    assert refused(folder, PYTHON=str(stand_in)) == sentence


@pytest.mark.skipif(os.geteuid() == 0, reason="root can write everywhere; `make test-bare` mounts a folder read-only")
def test_a_folder_that_cannot_be_written_to_is_named(folder: Path) -> None:
    folder.chmod(0o500)
    assert refused(folder).startswith("make cannot write to ")


def alone(folder: Path, program: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, folder / "requirements" / "alone.py", "sh", "-c", program],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


@pytest.mark.parametrize("ends", [True, False], ids=["the first ends", "the first is killed"])
def test_of_two_that_install_into_one_folder_one_waits_and_says_so(folder: Path, ends: bool) -> None:
    first = alone(folder, "echo begun; read line; echo ended")
    assert first.stdout is not None
    assert first.stdout.readline() == "begun\n"
    second = alone(folder, "echo begun")
    assert second.stderr is not None
    assert second.stderr.readline() == "pbem: another make installs into this folder; this one waits for it.\n"
    assert second.poll() is None
    if not ends:
        first.send_signal(signal.SIGKILL)
    rest, _ = first.communicate("\n" if ends else None, SECONDS)
    assert rest == ("ended\n" if ends else "")
    assert second.communicate(timeout=SECONDS) == ("begun\n", "")
