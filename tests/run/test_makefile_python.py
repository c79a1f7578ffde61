"""`make` keeps the Python of its environments until PYTHON names another, or until theirs has gone."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
VERSION = next(
    line.split(":= ")[1] for line in (ROOT / "Makefile").read_text().splitlines() if line.startswith("UV_VERSION")
)
PYTHON = """#!/bin/sh
# Stands for a Python: its environments lead to it, and it has a version and tells it.
case "$*" in
    *"-m venv "*)
        for folder; do :; done
        mkdir -p "$folder/bin" "$folder/lib/pythonMINOR"
        ln -s "HERE" "$folder/bin/python"
        cp "TOOL" "$folder/bin/uv"
        touch "$folder/pyvenv.cfg" ;;
    *"sys.exit(sys.version_info"*) exit OLD ;;
    *"python%d.%d"*) echo pythonMINOR ;;
    *"print(sys.version"*) echo "MINOR.1 /usr" ;;
esac
"""
UV = """#!/bin/sh
case "$1" in
    venv)
        rm -rf .venv
        mkdir -p .venv/bin .venv/lib
        cp -P .uv/bin/python .venv/bin/python
        cp -R .uv/lib .venv/
        printf '#!/bin/sh\\nexit 0\\n' > .venv/bin/pbem
        chmod +x .venv/bin/pbem
        touch .venv/pyvenv.cfg ;;
esac
"""


class Checkout:
    """A folder with the Makefile, and with Pythons that are scripts."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.pythons = folder / "checkout", folder / "pythons"
        (self.folder / "requirements").mkdir(parents=True)
        self.pythons.mkdir()
        shutil.copy(ROOT / "Makefile", self.folder)
        for name in ("pyproject.toml", "requirements/run.txt", "requirements/build.txt"):
            (self.folder / name).touch()
        self.tool = folder / "uv"
        self.script(self.tool, UV)

    def script(self, path: Path, text: str) -> None:
        path.write_text(text)
        path.chmod(0o755)

    def python(self, name: str, minor: str, *, old: bool = False) -> str:
        """A Python of this version, under this name in PATH."""
        path = self.pythons / name
        text = PYTHON.replace("MINOR", minor).replace("HERE", str(path)).replace("TOOL", str(self.tool))
        self.script(path, text.replace("OLD", str(int(old))))
        return str(path)

    def make(self, **environ: str) -> subprocess.CompletedProcess[str]:
        """Runs `make run`, with these variables in its environment."""
        path = f"{self.pythons}{os.pathsep}{os.environ['PATH']}"
        known = {name: value for name, value in os.environ.items() if name not in ("PYTHON", "MAKEFLAGS", "MAKELEVEL")}
        return subprocess.run(
            ["make", "run"], cwd=self.folder, env={**known, "PATH": path, **environ}, capture_output=True, text=True,
            check=False,
        )  # fmt: skip

    def made(self) -> list[str]:
        """The Python of each environment, by its folder of libraries."""
        return [next((self.folder / name / "lib").iterdir()).name for name in (".uv", ".venv")]


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    """A checkout in which `make run` was called once, with Python 3.12."""
    checkout = Checkout(tmp_path)
    checkout.python("python3", "3.12")
    done = checkout.make()
    assert (done.returncode, checkout.made()) == (0, ["python3.12"] * 2), done.stderr
    assert (checkout.folder / ".uv" / VERSION).exists()
    return checkout


def test_without_a_name_the_environments_stay(checkout: Checkout) -> None:
    checkout.python("other", "3.13")
    (checkout.pythons / "python3.12").symlink_to(checkout.pythons / "python3")
    done = checkout.make()
    assert (done.returncode, done.stdout, checkout.made()) == (0, "", ["python3.12"] * 2)
    assert checkout.make(PYTHON="python3").stdout == "", "it is the same one"


def test_another_name_makes_both_environments_again_and_they_stay_so(checkout: Checkout) -> None:
    other = checkout.python("other", "3.13")
    done = checkout.make(PYTHON=other)
    assert (done.returncode, checkout.made()) == (0, ["python3.13"] * 2), done.stderr
    assert "PYTHON names another one" in done.stdout
    assert checkout.make(PYTHON=other).stdout == ""
    assert checkout.make().stdout == ""
    assert checkout.made() == ["python3.13"] * 2


@pytest.mark.parametrize("name", ["nowhere", "too-old"])
def test_a_name_that_does_not_do_is_refused_and_nothing_is_removed(checkout: Checkout, name: str) -> None:
    checkout.python("too-old", "3.10", old=True)
    done = checkout.make(PYTHON=name)
    assert done.returncode != 0
    assert f"pbem needs Python 3.11 or newer; {name} is not" in done.stderr
    assert checkout.made() == ["python3.12"] * 2
    assert checkout.make().returncode == 0


def test_environments_whose_python_has_gone_are_made_again(checkout: Checkout) -> None:
    (checkout.pythons / "python3").unlink()
    checkout.python("python3.13", "3.13")
    checkout.python("python3", "3.10", old=True)
    for name in (".uv", ".venv"):
        (checkout.folder / name / "bin" / "python").unlink()
        (checkout.folder / name / "bin" / "python").symlink_to(checkout.pythons / "gone")
    checkout.python("python3.14", "3.13")
    done = checkout.make()
    assert (done.returncode, checkout.made()) == (0, ["python3.13"] * 2), done.stderr
    assert "their Python has gone" in done.stdout


def test_environments_whose_python_has_become_another_version_are_made_again(checkout: Checkout) -> None:
    checkout.python("python3", "3.13")  # their links lead to it
    done = checkout.make()
    assert (done.returncode, checkout.made()) == (0, ["python3.13"] * 2), done.stderr
