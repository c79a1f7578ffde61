"""Kept folds hold the secrets of all seats: few modules name them, and one opens them."""

import re
from collections.abc import Mapping
from pathlib import Path

from tests.harness.cases import cases

ROOT = Path(__file__).parents[2]
OPENED_BY: Mapping[str, set[str]] = {
    r"\bEARLIER_FOLDS\b|\bLATEST_FOLDS\b|\bFoldRow\b": {
        "pbem/models/tables.py", "pbem/services/statements.py",  # what is stored
        "pbem/services/log/store.py", "pbem/services/mail/claims.py",  # read rows; the first hands them to `folds`
        "pbem/services/log/undoing.py", "pbem/services/log/archiving.py",  # delete them
        "pbem/services/privacy/retention.py",
        "pbem/services/log/keeping.py",  # looks which can be used, and writes others in their place
    },
    r"\bunpack_kept_row_or_log\(": {
        "pbem/services/log/folds.py", "pbem/services/log/store.py", "pbem/services/log/keeping.py",
    },
    r"\bKeptFolds\b": {
        "pbem/kit/folds.py", "pbem/services/log/folds.py", "pbem/services/log/store.py",
        "pbem/services/log/keeping.py", "pbem/testing/folds.py",  # the latter of matches in memory alone
    },
    r"\.folds_to_keep\(": {"pbem/services/log/keeping.py"},
    r"\b_earlier_folds\b|\b_choose_kept\b|\b_read_kept_folds_and_later\b|\b_read_latest_folds\(": {
        "pbem/services/log/store.py",
        "pbem/services/log/table.py",  # forgets what it has read
    },
    r"\.all_folds\(|\.full_state\(": {"pbem/kit/folds.py", "pbem/services/log/store.py"},
    r"\.read_folds_at_head\(": {"pbem/services/log/table.py"},
    r"\.part_of\(": {"pbem/services/views/match_views.py"},
    r"\.fold_of\(|\b_all_folds\b|\b_AllFolds\b": {"pbem/kit/folds.py"},
}  # fmt: skip


@cases("what", sorted(OPENED_BY))
def test_only_listed_modules_open_stored_folds(what: str) -> None:
    places = [*(ROOT / "pbem").rglob("*.py"), *(ROOT / "workers").rglob("*.py")]
    texts = {path.relative_to(ROOT).as_posix(): path.read_text("utf-8") for path in places}
    assert {path for path, text in texts.items() if re.search(what, text)} == OPENED_BY[what]
    for name in what.split("|"):
        assert any(re.search(name, text) for text in texts.values()), f"nothing has the name {name}"
