"""The subject of a commit: 72 letters at most, and a verb in the imperative. `make hooks` has git run this.

python -m tests.structure.subject .git/COMMIT_EDITMSG
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from tests.structure.words import is_participle

LONGEST = 72
WRITTEN_BY_GIT = ("Merge ", "Revert ", "fixup! ", "squash! ", "amend! ")
PAST = re.compile("became|began|broke|came|chose|did|drew|forgot|gave|grew|knew|ran|saw|spoke|took|was|went|were|wrote")


def wrong_with(message: str) -> str:
    """Returns what is wrong with the message of a commit in a sentence, or ""."""
    subject = message.lstrip("\n").partition("\n")[0]
    if subject.startswith(WRITTEN_BY_GIT):
        return ""
    if len(subject) > LONGEST:
        return f"The subject has {len(subject)} letters, and may have {LONGEST}."
    first = re.split(r"\W", subject)[0]
    if not first[:1].isupper():
        return "The subject begins with a capital letter."
    if is_participle(first.lower()) or PAST.fullmatch(first.lower()):
        return f"The subject begins with a verb in the imperative, not with {first!r}: “Add”, not “Added”."
    return ""


if __name__ == "__main__":
    sys.exit(wrong_with(Path(sys.argv[1]).read_text(encoding="utf-8")) or 0)
