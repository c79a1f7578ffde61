"""The commands in docs/getting-started.md lead a stranger from installation to a finished match."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from tests.browser.conftest import service as service
from tests.harness.mail_servers import program

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "getting-started.md"
BOT = ROOT / "examples" / "bot.py"
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SITE = "http://127.0.0.1:8000"


def script(before: str | None = None) -> str:
    """Returns all commands to type, in order, up to a heading or to the end."""
    blocks = BLOCK.findall(PAGE.read_text().partition(before)[0] if before else PAGE.read_text())
    assert {language for language, _ in blocks} == {"sh"}
    return "\n".join(text for _, text in blocks)


def typed(lines: str, service: str, folder: Path) -> str:
    """Returns the output of a shell that runs these lines, with this service's address in place of the page's.

    Its `python3` is the one that runs this test: another may be a script that looks for one, a hundred times.
    """
    program("curl", "curl")
    assert lines.count(SITE) == 1
    argv = ["bash", "-c", "set -euo pipefail\n" + lines.replace(SITE, service)]
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environ = {**os.environ, "PATH": path}
    done = subprocess.run(argv, cwd=folder, env=environ, capture_output=True, text=True, timeout=900, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_every_idempotency_key_in_the_docs_is_a_new_one_each_time() -> None:
    said = "".join(page.read_text() for page in sorted((ROOT / "docs").glob("*.md")))
    keys = re.findall(r"""['"]Idempotency-Key: (.*?)['"] """, said)
    assert set(keys) == {"$KEY", "$(uuidgen)"}
    assert "KEY=$(python3 -c 'import uuid; print(uuid.uuid4())')\n" in PAGE.read_text()


def played_to_its_end(service: str, folder: Path) -> str:
    """Types the page; returns the id of the match, which has been played to its end."""
    said = typed(script(), service, folder)
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


@pytest.mark.long  # every run types the page for an installed pbem (tests/test_wheel.py)
@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_a_stranger_who_types_the_page_has_played_a_match_to_its_end(service: str, tmp_path: Path) -> None:
    assert played_to_its_end(service, tmp_path)


def calls_of_the_bot() -> list[str]:
    """Returns the calls in the example's docstring, with a bare Python: -S disables all installed packages."""
    (said,) = re.findall(r'^"""(.*?)"""$', BOT.read_text(), re.MULTILINE | re.DOTALL)[:1]
    calls = re.findall(r"^    python examples/bot\.py (\S+(?: MATCH)?)  ", said, re.MULTILINE)
    assert calls == [f"{SITE} MATCH", SITE]
    bot = f"{sys.executable} -S {BOT}"
    return [f"{bot} {words}".replace(SITE, "$SITE").replace("MATCH", "$MATCH") for words in calls]


def test_the_example_bot_runs_where_nothing_is_installed(tmp_path: Path) -> None:
    environ = {name: value for name, value in os.environ.items() if name not in ("PBEM_TOKEN", "PYTHONPATH")}
    argv = [sys.executable, "-S", str(BOT)]
    done = subprocess.run(argv, cwd=tmp_path, env=environ, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "python examples/bot.py" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_the_example_bot_is_called_as_it_says_and_plays_to_the_end(service: str, tmp_path: Path) -> None:
    to_the_end, once = calls_of_the_bot()
    token = 'export PBEM_TOKEN="${ME##* }"\n'
    dave = script("## 5.").replace("alice@", "dave@")
    said = typed(f"{dave}{token}{once}\n{to_the_end}\n{once}\n", service, tmp_path).splitlines()[-3:]
    assert said[0] == "answered in 1 match"
    assert re.match(r"\d+ moves; \{", said[1]), said
    assert int(said[1].split()[0]) > 0
    assert said[2] == "answered in 0 matches"
