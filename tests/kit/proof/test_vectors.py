"""The test vectors of words, luck, seals and chain, which other programs are tested with, too."""

from __future__ import annotations

import json

from tests.kit.proof.write_vectors import FILE, all_vectors


def test_the_published_proof_vectors_are_unchanged() -> None:
    assert all_vectors() == json.loads(FILE.read_text(encoding="utf-8"))
