"""What tests of match form share."""

from __future__ import annotations

ALICE = {"name": "Alice", "address": "alice@example.org"}
