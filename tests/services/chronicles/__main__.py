"""`python -m tests.services.chronicles` writes the chronicles again, or those that are named.

Read the difference before you commit it: each line is something that somebody gets, or that the service relies on.
"""

from __future__ import annotations

import logging
import sys
import tempfile
from pathlib import Path

import structlog

from pbem.models.engine import migrate
from tests.services.chronicles.chapters import FOLDER, NAMES, chronicle

structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
for name in sys.argv[1:] or NAMES:
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{folder}/pbem.db"
        migrate(url)
        (FOLDER / f"{name}.txt").write_text(chronicle(name, url, Path(folder)), "utf-8")
