"""What `make test-wheels` has found about the locked packages is of the locks as they are."""

from __future__ import annotations

import json

import pytest

from requirements.install import MEGABYTES
from tests.bare.wheels import FOUND, digest_of_locks
from tests.harness.cases import cases

KNOWN = json.loads(FOUND.read_text())


def test_the_stored_package_sizes_are_of_the_locked_versions() -> None:
    assert KNOWN["locks"] == digest_of_locks(), "the locks have changed: run `make test-wheels`"


@cases("lock", ["run", "dev"])
def test_the_announced_megabytes_match_the_stored_package_sizes(lock: str) -> None:
    assert MEGABYTES[lock] == pytest.approx(KNOWN["megabytes"][lock], rel=0.1)
