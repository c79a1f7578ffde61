"""The commands of the page for beginners, run as they stand there."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import urllib.request
from pathlib import Path

from tests.browser.conftest import service as service
from tests.harness.mail_servers import path_of_program

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "getting-started.md"
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SITE = "http://127.0.0.1:8000"


def commands_to_type(before: str | None = None) -> str:
    """Returns all commands to type, in order, up to a heading or to the end."""
    blocks = BLOCK.findall(PAGE.read_text().partition(before)[0] if before else PAGE.read_text())
    assert {language for language, _ in blocks} == {"sh"}
    return "\n".join(text for _, text in blocks)


def type_in_shell(lines: str, service: str, folder: Path) -> str:
    """Returns the output of a shell that runs these lines, with this service's address in place of the page's.

    Its `python3` is the one that runs this test: another may be a script that looks for one, a hundred times.
    """
    path_of_program("curl", "curl")
    assert lines.count(SITE) == 1
    argv = ["bash", "-c", "set -euo pipefail\n" + lines.replace(SITE, service)]
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environ = {**os.environ, "PATH": path}
    done = subprocess.run(argv, cwd=folder, env=environ, capture_output=True, text=True, timeout=900, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def play_to_its_end(service: str, folder: Path) -> str:
    """Types the page; returns the id of the match, which has been played to its end."""
    said = type_in_shell(commands_to_type(), service, folder)
    match_id = str(json.loads((folder / "match.json").read_text())["id"])
    with urllib.request.urlopen(f"{service}/api/v1/matches/{match_id}") as answer:
        sheet = json.load(answer)
    assert sheet["status"] == "over"
    assert [seat["bot"] for seat in sheet["seats"]] == [None, "random", "random"]
    log = json.loads((folder / f"{match_id}.json").read_text())
    assert log["viewer"] == "all"
    assert any(entry["by"].get("seat") == 0 and entry["key"] for entry in log["events"])
    seen = said.splitlines()[-1].rpartition(" ")[2]
    with urllib.request.urlopen(seen) as page:
        assert page.status == 200
    return match_id
