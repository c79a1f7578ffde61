"""The commands in docs/getting-started.md lead a stranger from installation to a finished match."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.browser.conftest import service as service
from tests.docs.getting_started import PAGE, ROOT, SITE, commands_to_type, play_to_its_end, type_in_shell

BOT = ROOT / "examples" / "bot.py"


def test_every_docs_example_makes_a_fresh_idempotency_key() -> None:
    said = "".join(page.read_text() for page in sorted((ROOT / "docs").glob("*.md")))
    keys = re.findall(r"""['"]Idempotency-Key: (.*?)['"] """, said)
    assert set(keys) == {"$KEY", "$(uuidgen)"}
    assert "KEY=$(python3 -c 'import uuid; print(uuid.uuid4())')\n" in PAGE.read_text()


@pytest.mark.long  # every run types the page for an installed pbem (tests/test_wheel.py)
@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_typing_the_commands_of_getting_started_plays_a_match_to_its_end(service: str, tmp_path: Path) -> None:
    assert play_to_its_end(service, tmp_path)


def calls_of_the_bot() -> list[str]:
    """Returns the calls in the example's docstring, with a bare Python: -S disables all installed packages."""
    (said,) = re.findall(r'^"""(.*?)"""$', BOT.read_text(), re.MULTILINE | re.DOTALL)[:1]
    calls = re.findall(r"^    python examples/bot\.py (\S+(?: MATCH)?)  ", said, re.MULTILINE)
    assert calls == [f"{SITE} MATCH", SITE]
    bot = f"{sys.executable} -S {BOT}"
    return [f"{bot} {words}".replace(SITE, "$SITE").replace("MATCH", "$MATCH") for words in calls]


def test_the_example_bot_prints_its_usage_where_nothing_is_installed(tmp_path: Path) -> None:
    environ = {name: value for name, value in os.environ.items() if name not in ("PBEM_TOKEN", "PYTHONPATH")}
    argv = [sys.executable, "-S", str(BOT)]
    done = subprocess.run(argv, cwd=tmp_path, env=environ, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "python examples/bot.py" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_the_example_bot_called_by_its_own_usage_text_plays_to_the_end(service: str, tmp_path: Path) -> None:
    to_the_end, once = calls_of_the_bot()
    token = 'export PBEM_TOKEN="${ME##* }"\n'
    dave = commands_to_type("## 5.").replace("alice@", "dave@")
    said = type_in_shell(f"{dave}{token}{once}\n{to_the_end}\n{once}\n", service, tmp_path).splitlines()[-3:]
    assert said[0] == "answered in 1 match"
    assert re.match(r"\d+ moves; \{", said[1]), said
    assert int(said[1].split()[0]) > 0
    assert said[2] == "answered in 0 matches"
