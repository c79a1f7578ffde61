"""A database that does not answer is waited for, as long as is said."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from pbem.config import Config
from pbem.services.monitoring import probes
from tests.harness.mail_servers import free_port


def test_a_database_that_stays_away_is_waited_for_as_long_as_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    at, slept, said = [100.0], list[float](), list[str]()

    def sleep(seconds: float) -> None:
        slept.append(seconds)
        at[0] += seconds

    monkeypatch.setattr(probes, "time", SimpleNamespace(monotonic=lambda: at[0], sleep=sleep))
    url = f"postgresql+psycopg://pbem:secret@127.0.0.1:{free_port()}/pbem"
    config = Config(mode="embedded", data=tmp_path, database_url=url, secret="s" * 40)
    with pytest.raises(probes.Away, match="Start it, or correct DATABASE_URL") as given_up:
        probes.await_database(config, 2.5, said.append)
    assert slept == [1.0, 1.0, 0.5]
    (only,) = said
    assert only.endswith("Waiting up to 2.5 s.")
    assert "secret" not in only + str(given_up.value)
