"""Metrics: figures from the database and Redis, for permitted scrapers, without a name in any label."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
import redis
from prometheus_client.parser import text_string_to_metric_families
from sqlalchemy import update

from pbem.mail import compose
from pbem.models.tables import AskRow, Match, OutboxRow, table
from pbem.services.counters import Counters, Mark
from pbem.services.mail import sender
from pbem.services.monitoring import health
from pbem.services.play.timeouts import cancel_lapsed_matches, sweep_deadlines
from pbem.services.results import tallying
from tests.table import THREE, MovedClock, play_out
from tests.web.cast import Web, choose_move, press_only_button

TOKEN = "a-token-for-the-scraper"
Figures = dict[tuple[str, tuple[str, ...]], float]


def samples_of_site(web: Web, **headers: str) -> Figures:
    """Returns the samples by name and the values of the labels, ordered by the labels' names."""
    answer = web.client().get("/metrics", headers=headers)
    assert answer.status_code == 200
    families = text_string_to_metric_families(answer.text)
    return {
        (s.name, tuple(v for _, v in sorted(s.labels.items()))): s.value for family in families for s in family.samples
    }


@pytest.mark.long
def test_without_a_token_configured_only_this_machine_reads_metrics(web: Web) -> None:
    assert web.client().get("/metrics").status_code == 200
    for refused in ({"Host": "play.example.org"}, {"X-Forwarded-For": "127.0.0.1"}, {"Via": "1.1 proxy"}):
        assert web.client().get("/metrics", headers=refused).status_code == 404
    assert web.client().get("/metrics", environ_base={"REMOTE_ADDR": "192.0.2.7"}).status_code == 404


@pytest.mark.long
def test_with_a_token_configured_only_its_holder_reads_metrics(make_web: Callable[..., Web]) -> None:
    client = make_web(metrics_token=TOKEN).client()
    far: dict[str, Any] = {"environ_base": {"REMOTE_ADDR": "192.0.2.7"}}
    told = client.get("/metrics", headers={"Authorization": f"Bearer {TOKEN}"}, **far)
    assert (told.status_code, told.headers["Cache-Control"]) == (200, "no-store")
    for wrong in ({}, {"Authorization": "Bearer another"}, {"Authorization": f"Bearer {TOKEN}é"}):
        assert client.get("/metrics", headers=wrong).status_code == 404


@pytest.mark.long
def test_a_committed_move_is_counted_once_and_a_refusal_by_its_code(web: Web, hogen: str) -> None:
    client, path = web.client(), web.link("play", hogen, 0)
    page = choose_move(client, path, lambda hrefs: hrefs[0])
    for _ in range(2):
        assert press_only_button(client, page).status_code == 303
    form = page.form("confirm")
    assert form is not None
    refused = client.post(form.action, data={**form.fields, "key": "t99.nothing"})
    assert refused.status_code == 409
    found = samples_of_site(web)
    assert found["pbem_moves_total", ("hogen", "web")] == 1
    assert found["pbem_refusals_total", ("stale",)] == 1
    assert found["pbem_requests_total", ("POST", "/play/<token>", "3xx")] == 2
    count = found["pbem_request_duration_seconds_count", ("POST", "/play/<token>")]
    assert count == found["pbem_request_duration_seconds_bucket", ("+Inf", "POST", "/play/<token>")] == 3


@pytest.mark.long
def test_metrics_export_the_age_of_the_oldest_due_question_and_mail(web: Web, hogen: str, clock: MovedClock) -> None:
    assert samples_of_site(web)["pbem_oldest_due_seconds", ("asks",)] == 0
    clock.forward(seconds=90)
    assert samples_of_site(web)["pbem_oldest_due_seconds", ("mail:turn",)] == 90
    with web.site.writing() as session:
        session.connection().execute(update(table(AskRow)).values(acts_at=clock() - timedelta(seconds=40)))
        session.connection().execute(update(table(OutboxRow)).values(done_at=clock(), result="sent"))
    found = samples_of_site(web)
    assert found["pbem_oldest_due_seconds", ("asks",)] == 40
    assert found["pbem_due", ("asks",)] == found["pbem_open_asks", ()] == 3
    assert found["pbem_oldest_due_seconds", ("mail:turn",)] == 0
    assert found["pbem_matches", ("hogen", "running")] == 1


@pytest.mark.long
def test_a_match_past_its_last_day_is_due_until_it_is_called_off(web: Web, hogen: str, clock: MovedClock) -> None:
    web.confirm(web.create())
    clock.forward(days=web.site.config.lapse_days, seconds=-1)
    assert samples_of_site(web)["pbem_due", ("lapses",)] == 0, "nor is the match that is played"
    clock.forward(seconds=31)
    assert samples_of_site(web)["pbem_oldest_due_seconds", ("lapses",)] == 30
    assert samples_of_site(web)["pbem_due", ("lapses",)] == 1
    assert cancel_lapsed_matches(web.site) == 1
    assert (
        samples_of_site(web)["pbem_oldest_due_seconds", ("lapses",)]
        == samples_of_site(web)["pbem_due", ("lapses",)]
        == 0
    )


@pytest.mark.long
def test_a_match_that_is_over_is_due_until_its_results_are_written(web: Web, hogen: str, clock: MovedClock) -> None:
    assert samples_of_site(web)["pbem_due", ("tallies",)] == 0
    play_out(web.site, hogen)
    clock.forward(seconds=20)
    found = samples_of_site(web)
    assert (found["pbem_due", ("tallies",)], found["pbem_oldest_due_seconds", ("tallies",)]) == (1, 20)
    tallying.tally_matches(web.site)
    assert samples_of_site(web)["pbem_due", ("tallies",)] == 0


def test_a_match_that_is_not_archived_is_due_a_day_late(web: Web, hogen: str, clock: MovedClock) -> None:
    with web.site.writing() as work:
        work.connection().execute(update(table(Match)).values(status="over", ended_at=clock()))
    clock.forward(days=8, seconds=-1)
    assert samples_of_site(web)["pbem_due", ("archives",)] == 0
    clock.forward(seconds=1)
    found = samples_of_site(web)
    assert (found["pbem_due", ("archives",)], found["pbem_oldest_due_seconds", ("archives",)]) == (1, 86_400)


@pytest.mark.long
def test_an_automatic_moves_lateness_is_counted(web: Web, hogen: str, clock: MovedClock) -> None:
    sender.drain(web.site)
    clock.forward(days=3, hours=6, seconds=20)
    assert sweep_deadlines(web.site) > 0
    found = samples_of_site(web)
    assert found["pbem_moves_total", ("hogen", "clock")] == 3
    assert found["pbem_deadline_lag_seconds_sum", ("hogen",)] == pytest.approx(60, abs=1)


@pytest.mark.long
def test_metric_labels_contain_no_secrets(web: Web, hogen: str) -> None:
    client = web.client()
    for seat in range(3):
        client.get(web.link("play", hogen, seat))
    client.get(f"/match/{hogen}")
    client.get("/nothing/alice@example.org")
    said = client.get("/metrics").text
    for secret in (hogen, *THREE, "example.org", *(web.link("play", hogen, seat).split("/")[-1] for seat in range(3))):
        assert secret not in said
    assert 'route="unknown"' in said


def test_metrics_of_an_unreachable_database_or_broker_are_left_out(make_web: Callable[..., Web]) -> None:
    found = samples_of_site(make_web(redis_url="redis://127.0.0.1:1/0"))
    assert (found["pbem_up", ("database",)], found["pbem_up", ("broker",)]) == (1, 0)
    away = samples_of_site(make_web(database_url="postgresql+psycopg://pbem@127.0.0.1:1/pbem"))
    assert away["pbem_up", ("database",)] == 0
    assert ("pbem_open_asks", ()) not in away


@pytest.mark.long
def test_a_process_that_ends_delivers_its_last_counts(redis_url: str) -> None:
    mark = "Mark('moves', ('hogen', 'web'))"
    counts = f"from pbem.services.counters import Counters, Mark; Counters({redis_url!r}).add([{mark}])"
    subprocess.run([sys.executable, "-c", counts], check=True)
    assert Counters(redis_url).read() == {"moves|hogen|web": 1}


@pytest.mark.long
def test_counts_of_all_processes_are_added_and_survive_restarts(redis_url: str) -> None:
    one, other = Counters(redis_url), Counters(redis_url)
    one.add([Mark("moves", ("hogen", "api")), Mark("lag", ("hogen",), 0.3)])
    other.add([Mark("moves", ("hogen", "api"))])
    assert one.flush()
    assert other.read() == {"moves|hogen|api": 2, "lag|hogen|#6": 1, "lag|hogen|#sum": 0.3}
    assert Counters(redis_url).read() == other.read()


def test_counts_are_kept_while_redis_is_away(redis_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise redis.ConnectionError("connection refused")

    counters = Counters(redis_url)
    with monkeypatch.context() as away:
        away.setattr(redis.Redis, "pipeline", refuse)
        counters.add([Mark("moves", ("hogen", "api"))] * 3)
        assert not counters.flush()
        assert not counters.flush()
    assert counters.flush()
    assert counters.read() == {"moves|hogen|api": 3}


@pytest.mark.long
def test_mails_that_cannot_be_rendered_are_counted_and_degrade_the_site(
    web: Web, hogen: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(*_: object) -> None:
        raise KeyError("a template of an older version")

    assert samples_of_site(web)["pbem_unrendered_mails", ()] == 0
    monkeypatch.setattr(sender, "compose_mail", failing)
    sender.drain(web.site)
    waiting = samples_of_site(web)["pbem_unrendered_mails", ()]
    assert waiting > 0
    assert sum(value for (name, labels), value in samples_of_site(web).items() if "unrendered" in labels) == waiting
    ready = web.client().get("/readyz")
    assert ready.status_code == 200
    assert ready.json is not None
    assert (ready.json["status"], ready.json["mail"]) == ("degraded", "unrendered")


@pytest.mark.long
def test_mails_sent_without_their_picture_are_counted_and_degrade_the_site(
    web: Web, hogen: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(*_: object) -> bytes:
        raise ValueError("no SVG that a picture knows: '<text>Bob'")

    assert samples_of_site(web)["pbem_undrawn_games", ()] == 0
    monkeypatch.setattr(compose, "draw_board", failing)
    sender.drain(web.site)
    assert samples_of_site(web)["pbem_undrawn_games", ()] == 1
    assert samples_of_site(web)["pbem_undrawn_total", ("hogen",)] > 0
    ready = web.client().get("/readyz")
    assert ready.status_code == 200
    assert ready.json is not None
    assert (ready.json["status"], ready.json["mail"], ready.json["pictures"]) == ("degraded", "ok", "undrawn")


def test_a_scrape_does_not_read_the_mail_state_of_the_health_page(web: Web, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "mail_state", None)
    assert samples_of_site(web)["pbem_ready", ()] == 1
