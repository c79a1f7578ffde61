"""Whether the service works: what is late, which tasks fail, which alarms are raised."""

from __future__ import annotations

import time
from dataclasses import make_dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any
from unittest.mock import patch

from sqlmodel import delete, update

from pbem.config import Config
from pbem.environment import Smtp
from pbem.errors import Busy
from pbem.features.analysis import analyses
from pbem.features.analysis.tables import AnalysisRow
from pbem.features.checkpoints import hooks
from pbem.features.checkpoints.tables import CheckpointRow
from pbem.features.inbox.tables import InboxRow
from pbem.features.inbox.ways import arrivals, canary
from pbem.features.metrics.figures import count_open_asks, database_figures
from pbem.features.pictures import pictures
from pbem.features.pictures.tables import ReplayPicture
from pbem.features.webhooks.hooks import calls_due
from pbem.features.webhooks.tables import Delivery, Webhook
from pbem.kit.bots import LEVELS
from pbem.models.accounts import QuotaRow
from pbem.models.clocks import Heartbeat, TaskFailure
from pbem.models.tables import AskRow, Match, OutboxRow, Player, table
from pbem.services.mail import alarms
from pbem.services.monitoring import alarm, backlog, failures, health, probes
from pbem.services.monitoring.failures import Recorder
from pbem.services.monitoring.health import Health
from pbem.services.monitoring.probes import Disk
from pbem.services.play import timeouts
from pbem.services.play.stand_ins import BOT_PATIENCE
from tests.services.chronicles.chronicle import Chronicle
from tests.services.players.listed import note_results_of_cases, result_in_a_line, store_rows
from tests.table import House

SETTINGS: dict[str, Any] = {
    "smtp": Smtp(host="127.0.0.1", port=25, user=None, password=None, tls="none", timeout=5),
    "unverified_mails_per_day": 3, "mail_late_s": 900,
}  # fmt: skip
DAY, SECOND = timedelta(days=1), timedelta(seconds=1)


def tell(house: House, told: Chronicle) -> None:
    match_id = house.begin()
    with house.site.writing() as work:
        work.connection().execute(delete(OutboxRow))
    told.skip()
    told.part("tasks")
    _tell_tasks(house, told)
    told.part("what is late")
    _tell_rows(house, told, match_id)
    _tell_asks(house, told, match_id)
    _tell_inbox(house, told)
    told.part("health")
    _tell_health(house, told)
    told.part("alarms")
    _tell_alarms(house, told)


def _with(house: House, function: Any) -> str:
    def read() -> Any:
        with house.site.reading() as session:
            return function(session.connection(), house.clock())

    return result_in_a_line(read)


def _tell_tasks(house: House, told: Chronicle) -> None:
    site = house.site
    recorder, other = Recorder(), Recorder()
    moment = [1000.0]

    def state(title: str) -> None:
        asked = failures.failing_tasks, failures.failing_seconds_by_task, failures.state_of_tasks
        told.lines += [f"  {title}: {' '.join(str(_with(house, one)) for one in asked)}"]

    with patch.object(time, "monotonic", lambda: moment[0]):
        for wait in (0, 29, 30, 1):
            house.clock.forward(seconds=wait)
            told.do(f"it fails, {wait} s later", lambda: recorder.note_end_of_run(site, "drain", "KeyError" + "x" * 90))
            state("so")
        told.do("another task works", lambda: recorder.note_end_of_run(site, "sweep", None))
        told.do("it logs an exception", lambda: recorder.note_end_of_run(site, "sweep", None, "ValueError"))
        house.clock.forward(minutes=3, seconds=-1)
        told.do("within three minutes", lambda: recorder.note_end_of_run(site, "sweep", None))
        house.clock.forward(seconds=1)
        told.do("after three minutes", lambda: recorder.note_end_of_run(site, "sweep", None))
        told.do("in another process, which has not looked", lambda: Recorder().note_end_of_run(site, "drain-1", None))
        with patch.object(site.__class__, "writing", _busy):
            told.do("it cannot be noted", lambda: other.note_end_of_run(site, "draw", "Busy"))
        house.clock.forward(seconds=1)
        told.do("with the next failure", lambda: other.note_end_of_run(site, "draw", "OSError"))
        with patch.object(site.__class__, "writing", _busy):
            other.note_end_of_run(site, "draw", "Busy")
        told.do(
            "what could not be noted is forgotten with a success", lambda: other.note_end_of_run(site, "draw", None)
        )
        told.do("and counted no more", lambda: other.note_end_of_run(site, "draw", "OSError"))
        house.clock.forward(minutes=57)
        state("an hour after the last failure but a moment")
        house.clock.forward(minutes=3)
        state("an hour")
        told.do("it fails again: a new count", lambda: recorder.note_end_of_run(site, "drain", "KeyError"))
        third = Recorder()
        third.note_end_of_run(site, "other", None)
        store_rows(house, TaskFailure(task="late", error="x", since=house.clock(), last_at=house.clock() + DAY, runs=1))
        told.skip()
        moment[0] += 9.9
        told.do("it works, in a process that looks each ten seconds", lambda: third.note_end_of_run(site, "late", None))
        moment[0] += 0.1
        told.do("ten seconds later", lambda: third.note_end_of_run(site, "late", None))
    with site.writing() as work:
        work.connection().execute(delete(TaskFailure))
    told.skip()


def _busy(_: Any) -> Any:
    raise Busy("busy")


def _tell_rows(house: House, told: Chronicle, match_id: str) -> None:
    """Each kind of rows: due now, due in a second, long due, done."""
    now = house.clock()
    over, old, archived = (house.create() for _ in range(3))
    m = table(Match)
    with house.site.writing() as work:
        work.connection().execute(delete(OutboxRow))
        for name, values in {
            over: {"status": "over", "ended_at": now, "lapses_at": None},
            old: {"status": "over", "ended_at": now - DAY * 40, "lapses_at": None},
            archived: {"status": "over", "ended_at": now - DAY * 50, "archived_at": now, "tallied_at": now},
        }.items():
            work.execute(update(m).where(m.c.id == name).values(**values))
    hooks = [Webhook(url="x", kinds="", created_at=now, disabled_at=off) for off in (None, now)]
    store_rows(house, *hooks)
    for at, (due, done) in enumerate(((now, None), (now - 9 * SECOND, None), (now + SECOND, None), (now, now))):
        for hook in (1, 2):
            store_rows(house, Delivery(webhook_id=hook, dedupe=f"{hook}{at}", kind="ping", created_at=now, due_at=due,
                  done_at=done))  # fmt: skip
        store_rows(
            house,
            OutboxRow(
                dedupe=f"m{at}",
                kind="turn" if at else "links",
                created_at=now,
                due_at=due,
                done_at=done,
                unrendered_since=due,
                answer="451",
            ),
        )
        match = (match_id, over, old, archived)[at]
        work_at: dict[str, Any] = {"match_id": match, "created_at": now, "turn_at": due, "done_at": done}
        store_rows(house, AnalysisRow(version=1, **work_at))
        store_rows(house, ReplayPicture(id=f"{at}", dedupe=f"{at}", seat=0, eyes="0", lang="fr", theme="", kind="gif",
              frame_ms=1, first_n=1, last_n=1, seen="", total=1, until=now, **work_at))  # fmt: skip
    with house.site.writing() as work:
        work.get_one(Player, 1).bounced_at = now
    told.lines.append("")
    for function in (
        backlog.mails_due_by_kind, backlog.count_mails_unrendered, backlog.count_mails_refused, calls_due,
        pictures.pictures_due, analyses.count_analyses_due, backlog.archives_due, backlog.tallies_due,
        backlog.lapses_due,
        backlog.live_counts_by_game_status, backlog.count_matches_held, count_open_asks, backlog.count_bouncing,
        backlog.ages_of_silent_heartbeats,
    ):  # fmt: skip
        short = function in (
            backlog.live_counts_by_game_status,
            backlog.count_matches_held,
            count_open_asks,
            backlog.count_bouncing,
        )
        told.lines.append(f"  {function.__name__}: {_with(house, _one(function) if short else function)}")
    _tell_checkpoints(house, told)
    told.skip()


def _one(function: Any) -> Any:
    return lambda connection, _now: function(connection)


def _tell_checkpoints(house: House, told: Chronicle) -> None:
    now = house.clock()

    def say(title: str) -> None:
        told.lines.append(f"  {title}: {_with(house, hooks.age_of_last_checkpoint_s)} {_with(house, hooks.due)}")

    say("no checkpoint")
    for number, (age, note) in enumerate(((4 * DAY, "x"), (2 * DAY, "x"), (DAY, None)), 1):
        store_rows(house,
        CheckpointRow(day=(now - age).date(), number=number, begun_at=now - age, stage="none", after="",
              size=0, note=note))  # fmt: skip
        say(f"checkpoint {number}")
    house.clock.at += SECOND
    say("a second later")
    house.clock.at -= SECOND


def _tell_asks(house: House, told: Chronicle, match_id: str) -> None:
    now, t = house.clock(), table(AskRow)
    level = sorted(LEVELS)[0]
    blank = {"acts_at": None, "closes_at": None, "follow_at": None, "sealed_at": None, "bot": None,
             "claimed_until": None, "opened_at": now - 90 * SECOND}  # fmt: skip
    cases: dict[str, dict[str, Any]] = {
        "nothing": {},
        "acts now": {"acts_at": now},
        "acts in a second": {"acts_at": now + SECOND},
        "acted": {"acts_at": now - 5 * SECOND},
        "sealed": {"acts_at": now, "sealed_at": now},
        "closes now": {"closes_at": now, "acts_at": now + DAY},
        "closes in a second": {"closes_at": now + SECOND},
        "to be followed": {"follow_at": now - timeouts.ORDER_PATIENCE, "acts_at": now - 9 * SECOND},
        "to be followed in a second": {"follow_at": now - timeouts.ORDER_PATIENCE + SECOND},
        "a bot": {"bot": "random"},
        "a bot that was tried": {"bot": "random", "claimed_until": now},
        "a bot that has answered": {"bot": "random", "sealed_at": now},
        "one thinks": {"bot": level, "acts_at": now - BOT_PATIENCE + SECOND},
        "one has thought": {"bot": level, "acts_at": now - BOT_PATIENCE},
        "one thinks still": {"bot": level, "acts_at": now - BOT_PATIENCE, "claimed_until": now},
        "one has thought too long": {"bot": level, "acts_at": now - BOT_PATIENCE, "claimed_until": now - 2 * SECOND},
        "one does not think": {"bot": "random", "acts_at": now - SECOND, "claimed_until": now - 2 * SECOND},
    }

    def due(name: str) -> Any:
        with house.site.writing() as work:
            work.execute(update(t).where(t.c.match_id == match_id).values(**blank | cases[name]))
        return [_with(house, backlog.asks_due), _with(house, backlog.bot_asks_due)]

    note_results_of_cases(told, "questions", due, cases)
    told.skip()


def _tell_inbox(house: House, told: Chronicle) -> None:
    now, late = house.clock(), 600 * SECOND
    cases: dict[str, list[dict[str, Any]]] = {
        "none": [], "ten minutes old": [{"due_at": now - late}], "older": [{"due_at": now - late - SECOND}],
        "failed": [{"received_at": now - late - SECOND, "due_at": now + DAY, "attempts": 1}],
        "being tried": [{"received_at": now - DAY, "due_at": now, "attempts": 1, "claimed_until": now}],
        "failed and tried": [{"received_at": now - DAY, "due_at": now, "attempts": 2, "claimed_until": now}],
        "put off": [{"received_at": now - DAY, "due_at": now + DAY}],
        "done": [{"due_at": now - DAY, "done_at": now, "verdict": "act"}, {"due_at": now, "via": "http"}],
    }  # fmt: skip

    def state(name: str) -> Any:
        with house.site.writing() as work:
            work.connection().execute(delete(InboxRow))
            for at, case in enumerate(cases[name]):
                row: dict[str, Any] = {"digest": f"{at}", "via": "lmtp", "size": 1, "received_at": now, "due_at": now}
                work.add(InboxRow(**row | case))
        config = house.site.config
        return [_with(house, lambda c, at: arrivals.late_silent_or_ok(c, at, config)), _with(house,
        arrivals.mails_unread),
                _with(house, lambda c, at: [*arrivals.gauges_of_mails(c, at, config)])]  # fmt: skip

    note_results_of_cases(told, "mails that have come in", state, cases)
    with house.site.writing() as work:
        work.connection().execute(delete(InboxRow))
    ages = {"none": None, "late": canary.LATE.total_seconds(), "later": canary.LATE.total_seconds() + 1}

    def flown(name: str) -> str:
        flies = patch.object(canary, "sends_canaries", lambda _: True)
        with flies, patch.object(canary, "age_of_last_return", lambda *_: ages[name]):
            return _with(house, lambda c, at: arrivals.late_silent_or_ok(c, at, house.site.config))

    note_results_of_cases(told, "the canary", flown, ages)
    told.skip()


def _in_lines(parts: dict[str, str]) -> Any:
    """Returns the parts as a value whose fields stand on lines of their own."""
    return make_dataclass("Parts", parts)(**parts)


def _tell_health(house: House, told: Chronicle) -> None:
    words: list[dict[str, str]] = [
        {}, {"database": "full"}, {"schema": "ahead"}, {"schema": "behind"}, {"broker": "none"}, {"broker": "down"},
        {"mail": "late"}, {"checkpoint": "late"}, {"inbox": "silent"}, {"pictures": "undrawn"}, {"tasks": "failing"},
        {"mail": "ok", "tasks": "ok"}, {"why": "old"},
    ]  # fmt: skip

    def state(at: int) -> Any:
        own: dict[str, Any] = {"of_features": words[at]} if words[at].keys() & {"checkpoint", "inbox"} else words[at]
        found = Health(**({"database": "ok", "schema": "ok", "broker": "ok"} | own))
        return words[at], found.ready, found.readiness_word

    note_results_of_cases(told, "states", state, range(len(words)))
    config = house.site.config
    told.do("at present", lambda: _in_lines(health.read_health(config, house.clock()).parts))
    told.do("figures", lambda: database_figures(config, house.clock()))
    told.lines += ["", f"  ready {health.can_serve_requests(config)}"]
    _mail_states(house, told, config)
    mega = 1 << 20
    disks = [
        (mega, 10**12, False),
        (mega - 1, 10**12, False),
        (200 * mega, 10**12, False),
        (200 * mega - 1, 10**12, False),
        (30, 1000, False),
        (3 * mega, 100 * mega, False),
        (3 * mega - 1, 100 * mega, False),
        (10**9, 10**12, True),
    ]
    note_results_of_cases(told, "disks", lambda one: Disk(Path(), *one).state, disks)
    note_results_of_cases(told, "secrets", probes.row_name_of_secret, ("a", "b"))
    for url in ("sqlite:///x/../nowhere/pbem.db", "postgresql://x", "sqlite:///"):
        other = Config(mode="embedded", data=config.data, database_url=url, secret="s" * 40)
        told.lines.append(f"  {url}: {_disk(other)}")


def _disk(config: Config) -> str:
    try:
        return str(probes.disk_of(config))
    except OSError as error:
        return type(error).__name__


def _mail_states(house: House, told: Chronicle, config: Config) -> None:
    site, now = house.site, house.clock()

    def say(title: str) -> None:
        told.lines.append(f"  {title}: {_with(house, lambda c, at: health.mail_state(c, at, config))}")

    def change(**values: Any) -> None:
        with site.writing() as work:
            work.execute(update(table(OutboxRow)).values(**values))

    change(unrendered_since=None, done_at=None, due_at=now - 900 * SECOND)
    say("a quarter of an hour late")
    change(due_at=now - 901 * SECOND)
    say("a second more")
    change(unrendered_since=now)
    say("unrendered")
    change(done_at=now)
    store_rows(house, QuotaRow(name="unverified", used=3, until=now + SECOND))
    say("the quota is spent")
    alarms.raise_alarm(site, alarms.UNSENT, now)
    say("one was given up")
    alarms.end_alarms(site, (alarms.UNSENT,))
    for values in ({"until": now}, {"until": now + SECOND, "used": 2}):
        with site.writing() as work:
            work.execute(update(table(QuotaRow)).values(**values))
        say(f"{sorted(values)}")
    told.skip()


def _tell_alarms(house: House, told: Chronicle) -> None:
    site, now = house.site, house.clock()

    def watch() -> int:
        return alarm.watch_mails(site)

    def change(model: Any = OutboxRow, **values: Any) -> None:
        with site.writing() as work:
            work.execute(update(table(model)).values(**values))
        told.skip()

    told.do("the first time", watch)
    told.do("again", watch)
    change(done_at=None, unrendered_since=None, due_at=now - 900 * SECOND)
    told.do("a quarter of an hour late", watch)
    change(due_at=now - 901 * SECOND)
    told.do("a second more", watch)
    told.do("again", watch)
    change(unrendered_since=now)
    change(QuotaRow, used=3)
    told.do("unrendered, and a quota is spent", watch)
    change(done_at=now)
    change(QuotaRow, used=2)
    told.do("all is well", watch)
    alarms.raise_alarm(site, alarms.UNSENT, now)
    told.skip()
    house.clock.at = now + alarms.QUIET
    told.do("a mail was given up a day ago", watch)
    house.clock.at += SECOND
    told.do("a second later", watch)
    with site.writing() as work:
        work.execute(
            update(table(Heartbeat)).where(table(Heartbeat).c.name.startswith("secret:")).values(name="secret:x")
        )
    told.skip()
    told.do("another secret", watch)
