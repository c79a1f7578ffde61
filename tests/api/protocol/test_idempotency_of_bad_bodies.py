"""An idempotency key with a body that is not JSON: the body is refused just as without the key."""

from __future__ import annotations

import pytest

from tests.api.access_tokens import make_program
from tests.api.cast import Table

BODIES = {
    "cut": b"{x", "deep": b"[" * 100_000 + b"]" * 100_000, "not utf-8": b'"\xff"', "half a sign": b'{"a":"\\ud800"}',
    "endless": b'{"a":1e999}', "long": b'{"a":1' + b"0" * 5000 + b"}", "nothing": b"",
}  # fmt: skip
HOOK = "/me/webhooks/1"


@pytest.mark.long
@pytest.mark.parametrize("path", ["/logs", "/matches", f"{HOOK}/ping", f"{HOOK}/deliveries/1/redeliver"])
def test_an_unreadable_body_is_refused_the_same_with_and_without_a_key(hogen: Table, path: str) -> None:
    alice = make_program(hogen.api, "Alice")
    for name, sent in BODIES.items():
        answers = [
            alice.client.post(
                f"/api/v1{path}", data=sent, content_type="application/json", headers=alice.headers() | key
            )
            for key in ({}, {"Idempotency-Key": "k"}, {"Idempotency-Key": "k"})
        ]
        assert {answer.status_code for answer in answers} <= {400, 404, 413, 422}, name
        assert len({answer.data for answer in answers}) == 1, name
