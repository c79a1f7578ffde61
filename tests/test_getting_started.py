"""What docs/getting-started.md tells a stranger to type leads from nothing to a finished match."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from tests.browser.conftest import service as service

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "getting-started.md"
BOT = ROOT / "examples" / "bot.py"
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SITE = "http://127.0.0.1:8000"


def script(before: str | None = None) -> str:
    """Everything that is to be typed, one after the other, up to a heading or all of it."""
    blocks = BLOCK.findall(PAGE.read_text().partition(before)[0] if before else PAGE.read_text())
    assert {language for language, _ in blocks} == {"sh"}
    return "\n".join(text for _, text in blocks)


def typed(lines: str, service: str, folder: Path) -> str:
    """What a shell says that was given these lines, at this service in place of the page's."""
    assert lines.count(SITE) == 1
    lines = "set -euo pipefail\n" + lines.replace(SITE, service)
    done = subprocess.run(["bash", "-c", lines], cwd=folder, capture_output=True, text=True, timeout=240, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_a_stranger_who_types_the_page_has_played_a_match_to_its_end(service: str, tmp_path: Path) -> None:
    said = typed(script(), service, tmp_path)
    match_id = json.loads((tmp_path / "match.json").read_text())["id"]
    with urllib.request.urlopen(f"{service}/api/v1/matches/{match_id}") as answer:
        sheet = json.load(answer)
    assert sheet["status"] == "over"
    assert [seat["bot"] for seat in sheet["seats"]] == [None, "random", "random"]
    log = json.loads((tmp_path / f"{match_id}.json").read_text())
    assert log["viewer"] == "all"
    assert any(entry["by"].get("seat") == 0 and entry["key"] for entry in log["events"])
    seen = said.splitlines()[-1].rpartition(" ")[2]
    with urllib.request.urlopen(seen) as page:
        assert page.status == 200


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_the_example_bot_waits_for_its_turns_and_plays_to_the_end(service: str, tmp_path: Path) -> None:
    bot = f'PBEM_TOKEN="${{ME##* }}" {sys.executable} {BOT} $SITE $MATCH\n'
    dave = script("## 5.").replace("my-first-match", "daves-match").replace("alice@", "dave@")
    said = typed(dave + bot, service, tmp_path).splitlines()[-1]
    assert re.match(r"\d+ moves; \{", said), said
    assert int(said.split()[0]) > 0
