"""What is asked of a topology that has played."""

from __future__ import annotations

import json
from collections.abc import Callable

import psycopg
from prometheus_client.parser import text_string_to_metric_families

from pbem.games import all_games
from tests.harness.waiting import wait_until
from tests.production.people import People, address_of, tokens_in
from tests.production.topology import METRICS_TOKEN, Process, Service, send_request
from tests.table import THREE


def scrape_metrics(service: Service, at: int) -> dict[tuple[str, frozenset[tuple[str, str]]], float]:
    """Returns the metrics of one web server by name and labels."""
    answer = send_request(f"http://127.0.0.1:{service.ports[at]}/metrics", Authorization=f"Bearer {METRICS_TOKEN}")
    assert answer.status == 200, answer.text
    families = text_string_to_metric_families(answer.text)
    return {(s.name, frozenset(s.labels.items())): s.value for family in families for s in family.samples}


def total_of_metric(figures: dict[tuple[str, frozenset[tuple[str, str]]], float], name: str, **labels: str) -> float:
    """Returns the sum of a metric over all labels that are not named; fails if there is no such metric."""
    found = [v for (n, known), v in figures.items() if n == name and set(labels.items()) <= known]
    assert found, f"nothing tells {name} {labels or ''}"
    return sum(found)


def count_of(figures: dict[tuple[str, frozenset[tuple[str, str]]], float], name: str, **labels: str) -> float:
    """Like `total_of_metric`, for a counter, which does not exist before its first event."""
    return sum(v for (n, known), v in figures.items() if n == name and set(labels.items()) <= known)


def rows_of_statement(service: Service, statement: str) -> list[tuple[object, ...]]:
    """Returns the database's answer."""
    with psycopg.connect(service.database_url) as connection:
        return connection.execute(statement).fetchall()


def plays_well(
    service: Service, slug: str, meanwhile: Callable[[People], None] | None = None
) -> tuple[People, list[Process]]:
    """Plays a match to its end on a healthy topology, several of each; `meanwhile` is called before the end.

    CI plays the shortest game, in `tests.secrecy`.
    """
    service.settings["PBEM_SHARDS"] = "3"
    service.release()
    started = service.open("web", "web", "worker", "worker", "worker", "beat", "beat")
    people = People(service, slug, THREE[: min(all_games()[slug].meta.seats)])
    people.sit_down()
    if meanwhile is not None:
        meanwhile(people)
    people.play_to_the_end()
    wait_until(
        lambda: not rows_of_statement(service, "SELECT 1 FROM outbox WHERE done_at IS NULL"), "all mails have left"
    )

    for at in (0, 1):
        readiness = send_request(f"http://127.0.0.1:{service.ports[at]}/readyz").json
        assert readiness["status"] == "ready", readiness
    figures = all_is_counted(service, people)
    doctor = service.pbem("doctor", "--json")
    said = json.loads(doctor.stdout)
    assert doctor.returncode == 0, doctor.stdout
    levels = {check["check"]: check["level"] for check in said["checks"]}
    assert {check for check, level in levels.items() if level != "OK"} == {"thinking"}, "no bot thinks here"
    pulses = [("sweep",), ("web",)]  # a short match may be over before the first sweep
    wait_until(
        lambda: (
            rows_of_statement(service, "SELECT name FROM pulse WHERE name IN ('sweep', 'web') ORDER BY name") == pulses
        ),
        "both pulses are felt",
    )
    assert "Traceback" not in service.everything_said()
    nothing_twice(service)
    assert rows_of_statement(service, "SELECT count(*) FROM matches WHERE status = 'over'") == [(1,)]
    nothing_given_away(service, people, figures)
    return people, started


def nothing_twice(service: Service) -> None:
    """Checks that no mail came twice, no task did what another had done, and one beat at a time has sent the tasks."""
    ids = [mail["Message-ID"] for mail in service.sink.got]
    assert len(ids) == len(set(ids)), "a mail came twice"
    assert (
        rows_of_statement(
            service, "SELECT id FROM matches m WHERE version <> (SELECT count(*) FROM entries WHERE match_id = m.id)"
        )
        == []
    )
    # A worker logs a task once it has ended, a moment after what it did is seen.
    did = {"drain": len(ids)}
    for task, who in (("play_bots", "bot"), ("sweep", "clock")):
        did[task] = len(rows_of_statement(service, f"SELECT 1 FROM asks WHERE closed_by = '{who}'"))
    for task, count in did.items():
        wait_until(lambda task=task, count=count: _runs_of(service, task) >= count, f"{task} is logged")  # type: ignore[misc]
        assert _runs_of(service, task) == count, task
    leads = [process.output.count("beat.leads") for process in service.processes if process.name == "beat"]
    assert sum(leads) == 1 + sum(process.popen.poll() is not None for process in service.processes), leads


def _runs_of(service: Service, task: str) -> int:
    """Returns how much the workers say that this task has done."""
    lines = [line for process in service.processes if process.name == "worker" for line in process.output.splitlines()]
    said = [json.loads(line) for line in lines if line.startswith("{") and line.endswith("}")]
    return sum(one["done"] for one in said if one["event"] == "task" and one["task"] == task)


def all_is_counted(service: Service, people: People) -> dict[tuple[str, frozenset[tuple[str, str]]], float]:
    """Checks the metrics after a match."""
    answered = rows_of_statement(service, "SELECT count(*) FROM asks WHERE closed_by = 'seat'")[0][0]
    assert answered == len(people.acknowledged)
    wait_until(
        lambda: count_of(scrape_metrics(service, 1), "pbem_moves_total") == answered, "every move is counted once"
    )
    sent = len(service.sink.got)
    wait_until(
        lambda: count_of(scrape_metrics(service, 1), "pbem_mail_total", result="sent") == sent,
        "every mail is counted once",
    )
    heard = (
        "pbem_beat_age_seconds",
        frozenset[tuple[str, str]](),
    )  # a short match may be over before beat's first tick
    wait_until(lambda: heard in scrape_metrics(service, 0), "beat is heard of")
    figures = scrape_metrics(service, 0)
    by_mail = sum(seat == 0 for seat, _ in people.acknowledged)
    assert 0 < total_of_metric(figures, "pbem_moves_total", game=people.game, via="web") <= by_mail
    for kind in ("mail:turn", "asks", "bots", "lapses"):
        assert total_of_metric(figures, "pbem_oldest_due_seconds", kind=kind) == 0
    assert total_of_metric(figures, "pbem_oldest_due_seconds", kind="webhooks") < 15
    assert total_of_metric(figures, "pbem_queue_length") < 10
    assert total_of_metric(figures, "pbem_beat_age_seconds") < 15
    assert total_of_metric(figures, "pbem_up") == 2
    return figures


def nothing_given_away(
    service: Service, people: People, figures: dict[tuple[str, frozenset[tuple[str, str]]], float]
) -> None:
    """Checks that no log line or label holds a token, an address or a name, and no label the match."""
    log, labels = service.everything_said(), repr(sorted(str(key) for key in figures))
    secrets = people.all_secrets()
    for seat, name in enumerate(people.names):
        mails = service.sink.to(address_of(name))
        for purpose in ("invitation" if seat else "confirm", "play", "mute", "never"):
            found = tokens_in(mails, purpose)
            assert found, f"no mail to {name} holds a link /{purpose}/"
            assert found <= set(secrets), "every token is looked for"
    for secret in secrets:
        assert secret not in log
        assert secret not in labels
    for name in people.names:
        assert name not in log
        assert name not in labels
    assert people.match_id not in labels
    lines = [json.loads(line) for line in log.splitlines() if line.startswith("{")]
    requests = [line for line in lines if line["event"] == "request"]
    assert {"/api/v1/matches", "/play/<token>"} <= {line["route"] for line in requests}
    assert all(line["request_id"] and line["ms"] >= 0 and line["status"] for line in requests)
    assert any(line["event"] == "task" and line["task"] == "drain" for line in lines)
    # Celery prints this one line without using logging.
    own = ("", "worker: Warm shutdown (MainProcess)")
    plain = [line for line in log.splitlines() if line not in own and not line.startswith("{")]
    assert not plain, plain
