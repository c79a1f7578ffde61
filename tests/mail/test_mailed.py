"""Mails, headers, mailboxes and answers of servers are as they are stored in mailed.txt."""

from __future__ import annotations

from tests.harness.cases import cases
from tests.mail import mailed
from tests.render.lines import Part, lines_of, what_is_stored


@cases("part", mailed.PARTS)
def test_what_mails_are_made_of_is_as_it_is_stored(part: Part) -> None:
    assert lines_of(part) == what_is_stored(mailed.FILE)[part.__name__]
