"""`python -m tests.services.chronicles` writes the chronicles again, or those that are named.

Read the difference before you commit it: each line is something that somebody gets, or that the service relies on.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import NoReturn

import structlog

from pbem.models.engine import migrate
from tests.services.chronicles.chapters import FILES, NAMES, play_chapter


def drop_log_line(*_: object) -> NoReturn:
    """Drops a line of the log."""
    raise structlog.DropEvent


structlog.configure(processors=[drop_log_line])
for name in sys.argv[1:] or NAMES:
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{folder}/pbem.db"
        migrate(url)
        FILES[name].with_suffix(".txt").write_text(play_chapter(name, url, Path(folder)), "utf-8")
