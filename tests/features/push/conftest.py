"""A house that may call this machine, and a push service on it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from tests.features.webhooks.hook_receiver import Receiver, run_receiver
from tests.table import House


@pytest.fixture
def house(make_house: Callable[..., House]) -> House:
    """A house whose devices may be on this machine."""
    return make_house(webhooks_private=True)


@pytest.fixture
def there() -> Iterator[Receiver]:
    """A push service that accepts what it gets."""
    with run_receiver() as service:
        service.status = 201
        yield service


@pytest.fixture(autouse=True)
def wake_servers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets no server rest that another test has found slow: a port may be used again."""
    monkeypatch.setattr("pbem.features.push.ahead.RESTING", {})
