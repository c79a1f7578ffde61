"""Writes the answers of all sessions, or of those that are named."""

import sys
from pathlib import Path

from tests.kit.sessions.session import answer_again, files_of_sessions


def _write(path: Path) -> None:
    path.write_text(answer_again(path.read_text("utf-8")), "utf-8")


if __name__ == "__main__":
    for wanted, file in files_of_sessions().items():
        if not sys.argv[1:] or wanted in sys.argv[1:]:
            _write(file)
