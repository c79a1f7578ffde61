"""What docs/getting-started.md tells a stranger to type leads from nothing to a finished match."""

from __future__ import annotations

import json
import re
import subprocess
import urllib.request
from pathlib import Path

import pytest

from tests.browser.conftest import service as service

PAGE = Path(__file__).parents[1] / "docs" / "getting-started.md"
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SITE = "http://127.0.0.1:8000"


def script() -> str:
    """Everything that is to be typed, one after the other."""
    blocks = BLOCK.findall(PAGE.read_text())
    assert {language for language, _ in blocks} == {"sh"}
    return "\n".join(text for _, text in blocks)


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_a_stranger_who_types_the_page_has_played_a_match_to_its_end(service: str, tmp_path: Path) -> None:
    assert script().count(SITE) == 1
    typed = "set -euo pipefail\n" + script().replace(SITE, service)
    done = subprocess.run(["bash", "-c", typed], cwd=tmp_path, capture_output=True, text=True, timeout=240, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    match_id = json.loads((tmp_path / "match.json").read_text())["id"]
    with urllib.request.urlopen(f"{service}/api/v1/matches/{match_id}") as answer:
        sheet = json.load(answer)
    assert sheet["status"] == "over"
    assert [seat["bot"] for seat in sheet["seats"]] == [None, "random", "random"]
    log = json.loads((tmp_path / f"{match_id}.json").read_text())
    assert log["viewer"] == "all"
    assert any(entry["by"].get("seat") == 0 and entry["key"] for entry in log["events"])
    seen = done.stdout.splitlines()[-1].rpartition(" ")[2]
    with urllib.request.urlopen(seen) as page:
        assert page.status == 200
