"""What tests of streams share."""

from __future__ import annotations

Message = dict[str, str]


def messages(told: str) -> list[Message]:
    """The messages of a stream without its comments, parsed as a browser does."""
    blocks = [block.splitlines() for block in told.split("\n\n") if block]
    fields = [[line.partition(": ")[::2] for line in block if not line.startswith(":")] for block in blocks]
    return [dict(block) for block in fields if block]
