"""Runs the tests under each Python from 3.11 to 3.14 that can be had: `make test-pythons`.

A Python is looked for in PATH, among pyenv's, and, where there are debootstrap and root rights, in Debian testing. Each
has an environment of its own in build/pythons, kept for the next run. Exits with 1 if one fails. What follows the
versions is for pytest.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple, Protocol

from tests.pythons.root import Root, why_no_root

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build" / "pythons"
UV = ROOT / ".uv" / "bin" / "uv"
VERSIONS = ("3.11", "3.12", "3.13", "3.14")
FROM_DEBIAN = "3.14"
"""What Debian testing has."""
IS = "import sys; print('%d.%d' % sys.version_info[:2])"


class Place(Protocol):
    """Where commands run: this system, or another one on the same machine."""

    def run(self, *argv: str | Path, quiet: bool = False) -> subprocess.CompletedProcess[str]: ...


class Here:
    """This system."""

    def run(self, *argv: str | Path, quiet: bool = False) -> subprocess.CompletedProcess[str]:
        """Runs the command in the checkout; `quiet` keeps what it prints."""
        known = [*map(str, argv)]
        try:
            return subprocess.run(known, cwd=ROOT, capture_output=quiet, text=True, check=False)
        except FileNotFoundError:  # the Python of an environment may have gone
            return subprocess.CompletedProcess(known, 127, "", "")


class Found(NamedTuple):
    """A Python, and where it runs."""

    place: Place
    python: str


def _candidates(version: str) -> Iterator[str]:
    for name in (f"python{version}", "python3"):
        if found := shutil.which(name):
            yield found
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    yield from map(str, sorted(pyenv.glob(f"versions/{version}.*/bin/python3")))


def find_python(version: str) -> Found | str:
    """Returns the Python of this version, or a sentence why there is none."""
    here = Here()
    for python in _candidates(version):
        done = here.run(python, "-c", IS, quiet=True)
        if done.returncode == 0 and done.stdout.strip() == version:
            return Found(here, python)
    why = f"no python{version} in PATH, and none of pyenv's"
    if version != FROM_DEBIAN:
        return why
    if lacking := why_no_root():
        return f"{why}; {lacking}"
    try:
        root = Root(BUILD / "debian", ROOT)
    except subprocess.CalledProcessError as error:
        return f"{why}; debootstrap of Debian testing failed with status {error.returncode}"
    if root.run(f"python{version}", "-c", IS, quiet=True).stdout.strip() != version:
        return f"{why}; Debian testing has another one"
    return Found(root, f"python{version}")


def environment_of_version(version: str, found: Found) -> Path:
    """Returns the folder of this version's environment, with everything that the tests need."""
    folder, run = BUILD / version, found.place.run
    python = folder / "bin" / "python"
    if run(python, "-c", IS, quiet=True).stdout.strip() != version:
        run(UV, "venv", "--quiet", "--clear", "--python", found.python, folder).check_returncode()
    pip = (UV, "pip")
    locked = ("--require-hashes", "requirements/dev.txt")
    run(*pip, "sync", "--quiet", "--compile-bytecode", "--python", python, *locked).check_returncode()
    build = ("--build-constraints", "requirements/build.txt", "--require-build-hashes")
    run(*pip, "install", "--quiet", "--python", python, "--no-deps", *build, "--editable", ".").check_returncode()
    return folder


def run_tests_under(version: str, arguments: list[str]) -> tuple[bool, str]:
    """Runs the tests under this version; returns whether none failed, and a line about it."""
    found = find_python(version)
    if isinstance(found, str):
        return True, f"{version}  not run: {found}"
    sys.stdout.write(f"--- Python {version}: {found.python}\n")
    sys.stdout.flush()
    try:
        folder = environment_of_version(version, found)
    except subprocess.CalledProcessError as error:
        return False, f"{version}  FAILED: its environment cannot be made ({' '.join(error.cmd[-4:])})"
    report = folder / "last-line"
    more = ("-p", "tests.pythons.last_line", f"--last-line={report}", "-p", "no:cacheprovider")
    report.unlink(missing_ok=True)
    done = found.place.run(folder / "bin" / "pytest", "-q", *more, *arguments)
    said = (report.read_text() if report.exists() else "") or "no result"
    return done.returncode == 0, f"{version}  {'passed' if done.returncode == 0 else 'FAILED'}: {said}"


def main() -> None:
    """Tests under each version; prints a line for each at the end."""
    parser = argparse.ArgumentParser(prog="make test-pythons", description=__doc__)
    parser.add_argument("--versions", nargs="+", default=VERSIONS, choices=VERSIONS)
    asked, arguments = parser.parse_known_args()
    results = [run_tests_under(version, arguments) for version in asked.versions]
    sys.stdout.write("\n".join(["--- Pythons", *(line for _, line in results), ""]))
    sys.exit(not all(well for well, _ in results))


if __name__ == "__main__":
    main()
