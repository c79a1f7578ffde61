"""Kept folds hold the secrets of all seats: few modules name them, and one opens them."""

import re
from collections.abc import Mapping
from pathlib import Path

from tests.harness.cases import cases

ROOT = Path(__file__).parents[2]
OPENED_BY: Mapping[str, set[str]] = {
    r"\bFOLDS\b|\bFoldRow\b": {
        "pbem/models/tables.py", "pbem/services/statements.py",  # what is stored
        "pbem/services/log/store.py", "pbem/services/mail/claims.py",  # read rows; the first hands them to `folds`
        "pbem/services/log/keeping.py", "pbem/services/log/undoing.py", "pbem/services/log/archiving.py",  # delete them
    },
    r"\bopen_row\(": {"pbem/services/log/folds.py", "pbem/services/log/store.py"},
    r"\.everyone\(": {"pbem/services/log/store.py"},
    r"_body\b|\b_Body\b": {"pbem/services/log/folds.py"},
}  # fmt: skip


@cases("what", sorted(OPENED_BY))
def test_what_kept_folds_hold_is_seen_by_these_modules_alone(what: str) -> None:
    places = [*(ROOT / "pbem").rglob("*.py"), *(ROOT / "workers").rglob("*.py")]
    services = [path for path in places if "_body" not in what or "services/log" in path.as_posix()]
    named = {path.relative_to(ROOT).as_posix() for path in services if re.search(what, path.read_text("utf-8"))}
    assert named == OPENED_BY[what]
