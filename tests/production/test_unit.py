"""The unit for systemd in docs/hosting.md leaves the service what it needs, and takes the rest from it."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from shutil import which

import pytest

from tests.production.topology import ROOT

MOST_EXPOSED = 30
"""In tenths, as `--threshold` takes it."""


def text_of_unit() -> str:
    """The unit that the page shows."""
    (found,) = re.findall(r"^```ini\n(\[Unit\]\n.*?)^```$", (ROOT / "docs" / "hosting.md").read_text(), re.M | re.S)
    return str(found)


def words_of_directive(name: str) -> list[str]:
    """Returns the words of a directive."""
    return [word for line in re.findall(rf"^{name}=(.*)$", text_of_unit(), re.MULTILINE) for word in line.split()]


def test_the_systemd_unit_runs_pbem_and_may_write_its_data_folder() -> None:
    (folder,) = words_of_directive("WorkingDirectory")
    assert words_of_directive("ExecStart") == [f"{folder}/.venv/bin/pbem", "run"]
    assert words_of_directive("EnvironmentFile") == [f"{folder}/.env"]
    assert words_of_directive("ProtectSystem") == ["strict"]
    assert words_of_directive("ReadWritePaths") == [f"{folder}/var", "-/run/pbem"]


def test_only_sockets_of_the_network_and_of_the_broker_are_allowed() -> None:
    assert set(words_of_directive("RestrictAddressFamilies")) == {"AF_UNIX", "AF_INET", "AF_INET6"}


@pytest.mark.skipif(which("systemd-analyze") is None, reason="this machine has no systemd-analyze")
def test_systemd_rates_its_exposure_at_three_or_less(tmp_path: Path) -> None:
    path = tmp_path / "pbem.service"
    path.write_text(text_of_unit())
    argv = ["systemd-analyze", "security", "--offline=true", f"--threshold={MOST_EXPOSED}", "--no-pager", str(path)]
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Overall exposure level for pbem.service" in done.stdout


def test_the_systemd_unit_does_not_hide_the_boot_id_in_proc_sys() -> None:
    """It stands in /proc/sys, which `ProcSubset=pid` hides; the time of the service on SQLite depends on it."""
    assert words_of_directive("ProcSubset") == []
