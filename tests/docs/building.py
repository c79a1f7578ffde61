"""Builds the package that a page of docs writes file by file, and installs it."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from tests.harness.waiting import SECONDS

ROOT = Path(__file__).parents[2]
UV = ROOT / ".uv" / "bin" / "uv"
FILE = re.compile(r"^\*\*`([^`]+)`\*\*\n\n```\w+\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def write_page_files(page: Path, folder: Path) -> Path:
    """Writes the files of the page into the folder; returns it."""
    for name, text in FILE.findall(page.read_text(encoding="utf-8")):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


def install_package(source: Path, target: Path) -> None:
    """Builds the package as a wheel and installs it into a folder, as into an environment."""
    _run([sys.executable, "-m", "hatchling", "build", "--target", "wheel"], source)
    (wheel,) = (source / "dist").glob("*.whl")
    _run([UV, "pip", "install", "--no-cache", "--quiet", "--no-index", "--no-deps", "--target", target, wheel], source)


def _run(argv: list[str | Path], folder: Path) -> None:
    done = subprocess.run(argv, cwd=folder, capture_output=True, text=True, timeout=SECONDS, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
