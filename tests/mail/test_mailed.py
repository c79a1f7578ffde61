"""Mails, headers, mailboxes and answers of servers are as they are stored in mailed.txt."""

from __future__ import annotations

from tests.harness.cases import cases
from tests.mail import mailed
from tests.render.lines import Part, lines_of, what_is_stored


@cases("part", mailed.PARTS)
def test_the_building_blocks_of_mails_equal_the_stored_ones(part: Part) -> None:
    assert lines_of(part) == what_is_stored(mailed.FILE)[part.__name__]
