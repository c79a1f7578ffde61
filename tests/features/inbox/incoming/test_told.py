"""What comes in is read, piece by piece, as it is stored in heard.txt, looks.txt and received.txt."""

from __future__ import annotations

from types import ModuleType

import pytest

from tests.features.inbox.incoming import heard, looks, received
from tests.render.lines import lines_of, what_is_stored


@pytest.mark.parametrize("module", [heard, looks, received], ids=lambda module: module.__name__.rpartition(".")[2])
def test_each_parser_of_incoming_mail_gives_its_stored_output(module: ModuleType) -> None:
    known = what_is_stored(module.FILE)
    assert {part.__name__: lines_of(part) for part in module.PARTS} == known
