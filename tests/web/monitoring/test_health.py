"""The answers to probes: alive, ready, degraded, unready; never cached, without secrets."""

from __future__ import annotations

import socket
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text

from pbem.environment import Smtp
from pbem.features.inbox.ways import canary
from pbem.features.inbox.ways.intake import take_in_mail
from pbem.mail.send import MailboxTransport
from pbem.models.schema.branches import Branch
from pbem.services.monitoring import probes
from pbem.services.players import quotas
from tests.features.inbox.replying import comes_in
from tests.web.cast import Web

NOWHERE = "postgresql+psycopg://pbem:hush-hush@127.0.0.1:1/pbem"


def test_healthz_and_readyz_answer_200_with_no_store(web: Web) -> None:
    for path in ("/healthz", "/readyz"):
        answer = web.client().get(path)
        assert answer.status_code == 200
        assert answer.headers["Cache-Control"] == "no-store"
        assert answer.headers["X-Robots-Tag"] == "noindex"


def test_the_health_page_is_ready_with_database_and_current_schema(web: Web) -> None:
    assert web.client().get("/readyz").json == {
        "status": "ready", "database": "ok", "schema": "ok", "broker": "none", "mail": "ok",
        "checkpoint": "ok", "inbox": "ok", "pictures": "ok", "tasks": "ok",
    }  # fmt: skip


def test_a_broker_that_is_away_makes_a_site_degraded_but_ready(make_web: Callable[..., Web]) -> None:
    answer = make_web(redis_url="redis://:hush-hush@127.0.0.1:1/0").client().get("/readyz")
    assert answer.status_code == 200
    assert answer.json is not None
    assert (answer.json["status"], answer.json["broker"]) == ("degraded", "down")
    assert "hush" not in answer.text


@pytest.mark.long
def test_a_site_out_of_mail_to_unverified_addresses_is_degraded_but_ready(
    make_web: Callable[..., Web],
) -> None:
    relay = Smtp(host="127.0.0.1", port=25, user=None, password=None, tls="none", timeout=5)
    web = make_web(smtp=relay, unverified_mails_per_day=1)

    def ready() -> tuple[int, str, str]:
        answer = web.client().get("/readyz")
        assert answer.json is not None
        return answer.status_code, answer.json["status"], answer.json["mail"]

    assert ready() == (200, "ready", "ok")
    with web.site.writing() as session:
        quotas.take_from_quota_or_raise(session, quotas.Quota(quotas.SITE, 1), datetime.now(UTC))
    assert ready() == (200, "degraded", "held_back")


@pytest.mark.long
@pytest.mark.parametrize("there", ["nobody", "somebody silent"])
def test_a_site_without_its_database_is_soon_unready_and_tells_no_secret(
    make_web: Callable[..., Web], there: str
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = 1 if there == "nobody" else silent.getsockname()[1]
        web = make_web(database_url=f"postgresql+psycopg://pbem:hush-hush@127.0.0.1:{port}/pbem")
        answer = web.client().get("/readyz")  # without a time limit the silent server would be waited for for ever
    assert answer.status_code == 503
    assert int(answer.headers["Retry-After"]) > 0
    parts = {"database": "down", "schema": "unknown", "broker": "none", "mail": "unknown"}
    parts["checkpoint"] = parts["inbox"] = parts["pictures"] = parts["tasks"] = "unknown"
    assert answer.json == {"status": "unready", **parts}


@pytest.mark.long
@pytest.mark.parametrize(
    ("revision", "schema", "status"), [("0001", "behind", 503), ("9999", "ahead", 200), (None, "empty", 503)]
)
def test_readyz_reports_a_schema_of_another_version(
    make_web: Callable[..., Web], sqlite_url: str, revision: str | None, schema: str, status: int
) -> None:
    web = make_web()
    engine = create_engine(sqlite_url)
    with engine.begin() as connection:
        if revision is None:
            connection.execute(text("DROP TABLE alembic_version"))
        else:
            connection.execute(text("UPDATE alembic_version SET version_num = :it"), {"it": revision})
    engine.dispose()
    answer = web.client().get("/readyz")
    assert answer.json is not None
    assert (answer.status_code, answer.json["schema"]) == (status, schema)


@pytest.mark.parametrize(("step", "schema", "status"), [("0001", "behind", 503), ("0003", "ahead", 200)])
def test_readyz_names_a_feature_whose_tables_are_of_another_version(
    make_web: Callable[..., Web], sqlite_url: str, monkeypatch: pytest.MonkeyPatch, step: str, schema: str, status: int
) -> None:
    monkeypatch.setattr(probes, "branches", lambda: (Branch("feed", Path(), "0002"),))
    web = make_web()
    engine = create_engine(sqlite_url)
    with engine.begin() as connection:
        connection.execute(text("CREATE TABLE schema_of_feed (version_num VARCHAR(32) NOT NULL)"))
        connection.execute(text("INSERT INTO schema_of_feed VALUES (:step)"), {"step": step})
    engine.dispose()
    answer = web.client().get("/readyz")
    assert answer.json is not None
    assert (answer.status_code, answer.json["schema"], answer.json["feature"]) == (status, schema, "feed")


def test_readyz_does_not_create_a_missing_database(make_web: Callable[..., Web], tmp_path: Path) -> None:
    absent = tmp_path / "absent.db"
    assert make_web(database_url=f"sqlite:///{absent}").client().get("/readyz").status_code == 503
    assert not absent.exists()


def test_requests_are_answered_503_and_not_500_while_the_database_is_away(make_web: Callable[..., Web]) -> None:
    client = make_web(database_url=NOWHERE).client()
    page = client.get(f"/match/{'0' * 20}")
    assert (page.status_code, page.headers["Retry-After"]) == (503, "5")
    assert "cannot reach its database just now" in page.text
    problem = client.get(f"/api/v1/matches/{'0' * 20}")
    assert problem.json is not None
    assert (problem.status_code, problem.json["code"]) == (503, "unavailable")
    assert "hush" not in page.text + problem.text


def clock_standing_at(moment: datetime) -> Callable[[], datetime]:
    """A clock that stands still."""
    return lambda: moment


@pytest.mark.long
def test_a_site_whose_inbox_is_unread_or_silent_is_degraded_but_ready(
    make_web: Callable[..., Web], tmp_path: Path
) -> None:
    relay = Smtp(host="127.0.0.1", port=25, user=None, password=None, tls="none", timeout=5)
    way = {"secret": "s" * 16}
    web = make_web(smtp=relay, mail_from="play@pbem.example", **comes_in("play+{token}@pbem.example", **way))
    now = web.site.now()
    earlier, long_ago = (replace(web.site, now=clock_standing_at(now - timedelta(hours=hours))) for hours in (1, 4))

    def figures() -> tuple[str, str, str]:
        answer = web.client().get("/readyz")
        assert answer.json is not None
        assert answer.status_code == 200
        return answer.json["status"], answer.json["inbox"], web.client().get("/metrics").text

    assert figures()[:2] == ("ready", "ok")
    canary.send_canary_if_due(long_ago, MailboxTransport(tmp_path / "canaries"))
    assert figures()[:2] == ("degraded", "silent")
    assert "pbem_canary_age_seconds 14400.0" in figures()[2]
    with web.site.writing() as work:
        canary.note_moment(work, canary.RETURNED, web.site.now())
    assert figures()[:2] == ("ready", "ok")
    take_in_mail(earlier, b"From: alice@example.org\r\n\r\nF3\r\n", via="lmtp")
    status, inbox, metrics = figures()
    assert (status, inbox) == ("degraded", "late")
    assert 'pbem_inbox{verdict="unread",via="lmtp"} 1.0' in metrics
    assert 'pbem_oldest_due_seconds{kind="inbox"} 3600.0' in metrics
    assert "alice" not in metrics
