"""How many logs one place may upload and look at within an hour."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from flask_limiter import Limiter
from limits.storage import MemoryStorage

from pbem.features.uploads.limits import LOGS_PER_HOUR, OPENED_PER_HOUR
from tests.web.cast import Web


@pytest.mark.long
def test_logs_can_be_uploaded_a_few_times_an_hour(make_web: Callable[..., Web]) -> None:
    client = make_web(mode="production").client()
    sent = {client.post("/replay/open").status_code for _ in range(LOGS_PER_HOUR)}
    assert sent == {422}
    assert client.post("/replay/open").status_code == 429
    assert client.post("/api/v1/logs", json={}).status_code == 429, "counted together"


def test_uploaded_logs_can_be_viewed_a_few_times_an_hour(make_web: Callable[..., Web]) -> None:
    client, path = make_web(mode="production").client(), f"/replay/log/{'0' * 24}"
    limiter: Limiter = client.application.extensions["pbem.limiter"]
    assert client.get(path).headers["RateLimit"].startswith(f'"opened";r={OPENED_PER_HOUR - 1};')
    storage = limiter.storage
    assert isinstance(storage, MemoryStorage)
    (counted,) = storage.storage
    storage.storage[counted] = OPENED_PER_HOUR - 1  # as many requests later
    assert client.get(path).status_code == 404
    assert client.get(f"{path}/frames.json").status_code == 429
