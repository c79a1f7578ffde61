"""What the hook of `make hooks` says about the subject of a commit."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import yaml

from tests.harness.cases import cases
from tests.structure.subject import wrong_with

ROOT = Path(__file__).parents[2]


@cases(
    "subject", ["Add a row", "Need no second key", "Merge branch 'x' of " + "y" * 80, "fixup! add", "Add " + "x" * 68]
)
def test_an_imperative_commit_subject_of_up_to_72_letters_is_accepted(subject: str) -> None:
    assert wrong_with(subject) == ""
    assert wrong_with(f"{subject}\n\nwhy, in a line of its own, " + "x" * 80) == ""


@cases(
    "subject, why",
    [
        ("Add " + "x" * 69, "73 letters"), ("add a row", "capital"), ("", "capital"), ("«Add» a row", "capital"),
        ("Added a row", "'Added'"), ("Made it quicker", "'Made'"), ("Wrote it down", "'Wrote'"),
    ],
)  # fmt: skip
def test_a_wrong_commit_subject_is_refused_in_a_sentence(subject: str, why: str) -> None:
    assert why in wrong_with(subject)


def test_the_commit_hook_reads_the_message_file_and_sets_the_exit_code(tmp_path: Path) -> None:
    hooks = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())
    (hook,) = (one for one in hooks["repos"][0]["hooks"] if one["id"] == "subject")
    assert (hook["stages"], "commit-msg" in hooks["default_install_hook_types"]) == (["commit-msg"], True)
    for subject, status in (("Add a row", 0), ("added a row", 1)):
        (tmp_path / "message").write_text(subject)
        argv = [sys.executable, *hook["entry"].split()[1:], str(tmp_path / "message")]
        assert subprocess.run(argv, cwd=ROOT, capture_output=True, check=False).returncode == status
