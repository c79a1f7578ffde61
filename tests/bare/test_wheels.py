"""What `make test-wheels` has found about the locked packages is of the locks as they are."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.bare.wheels import FOUND, ROOT, digest

KNOWN = json.loads(FOUND.read_text())


def test_the_packages_were_looked_up_as_they_are_locked() -> None:
    assert KNOWN["locks"] == digest(), "the locks have changed: run `make test-wheels`"


@pytest.mark.parametrize("lock", ["run", "dev"])
def test_make_says_what_the_packages_weigh(lock: str) -> None:
    (said,) = re.findall(rf"^MEGABYTES_{lock.upper()} := (\d+)$", Path(ROOT / "Makefile").read_text(), re.MULTILINE)
    assert int(said) == pytest.approx(KNOWN["megabytes"][lock], rel=0.1)
