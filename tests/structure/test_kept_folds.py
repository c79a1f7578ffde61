"""Kept folds hold the secrets of all seats: few modules name them, and one opens them."""

import re
from collections.abc import Mapping
from pathlib import Path

from tests.harness.cases import cases

ROOT = Path(__file__).parents[2]
OPENED_BY: Mapping[str, set[str]] = {
    r"\b(EARLIER|LATEST)_FOLDS\b|\bFoldRow\b": {
        "pbem/models/tables.py", "pbem/services/statements.py",  # what is stored
        "pbem/services/log/store.py", "pbem/services/mail/claims.py",  # read rows; the first hands them to `folds`
        "pbem/services/log/undoing.py", "pbem/services/log/archiving.py",  # delete them
        "pbem/services/privacy/retention.py",
        "pbem/services/log/keeping.py",  # looks which can be used, and writes others in their place
    },
    r"\bread_kept_row\(": {"pbem/services/log/folds.py", "pbem/services/log/store.py", "pbem/services/log/keeping.py"},
    r"\bKeptFolds\b": {
        "pbem/kit/folds.py", "pbem/services/log/folds.py", "pbem/services/log/store.py",
        "pbem/services/log/keeping.py", "pbem/testing/folds.py",  # the latter of matches in memory alone
    },
    r"\.folds_to_keep\(": {"pbem/services/log/keeping.py"},
    r"\._earlier\b|\b_(choose|read)_kept\b|\._read_latest\(": {"pbem/services/log/store.py"},
    r"\.all_folds\(|\.full_state\(": {"pbem/kit/folds.py", "pbem/services/log/store.py"},
    r"\.read_folds\(": {"pbem/services/log/table.py"},
    r"\.part_of\(": {"pbem/services/views/match_views.py"},
    r"\.fold_of\(|\b_all_folds\b|\b_AllFolds\b": {"pbem/kit/folds.py"},
}  # fmt: skip


@cases("what", sorted(OPENED_BY))
def test_only_listed_modules_open_stored_folds(what: str) -> None:
    places = [*(ROOT / "pbem").rglob("*.py"), *(ROOT / "workers").rglob("*.py")]
    named = {path.relative_to(ROOT).as_posix() for path in places if re.search(what, path.read_text("utf-8"))}
    assert named == OPENED_BY[what]
