"""The checks of `pbem doctor` within the service: database, schema, clocks, broker, beat, workers, overdue work, key.

Each check returns findings; none changes anything.
"""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

from celery import Celery
from redis.exceptions import RedisError
from sqlalchemy import Connection, select, text
from sqlalchemy.exc import DBAPIError

from pbem.commands.terminal import pluralize
from pbem.config import Config
from pbem.discovery import attributes_of_features
from pbem.environment import mask_password
from pbem.games import list_faults
from pbem.models.clocks import Heartbeat
from pbem.models.tables import OutboxRow, table
from pbem.services.calendar import heartbeats
from pbem.services.database_time import database_time
from pbem.services.findings import Finding, Level, grade_figure
from pbem.services.hooks import overdue_of, thoughts_of
from pbem.services.log import rebuilding
from pbem.services.mail import alarms
from pbem.services.monitoring import backlog, failures, health, probes
from pbem.services.site import Reading

PING_S = 3.0
BEAT_WARN_S, BEAT_FAIL_S = 30, 120
LATE_WARN_S, LATE_FAIL_S = 60, 600
SKEW_WARN_S, SKEW_FAIL_S = 2, 30
BAD_MAILS, BAD_ADDRESSES = 10, 10
PRIVATE = 0o077
SECRET_LATE = timedelta(days=30)


def check_signing_secret(config: Config) -> Iterator[Finding]:
    """Checks that the signing key is long, looks random, and is readable by its owner alone."""
    length = pluralize(len(config.secret), "character", "characters")
    if len(set(config.secret)) < 12:
        todo = "Make one with: python3 -c 'import secrets; print(secrets.token_urlsafe(48))'. All links change with it."
        yield Finding("secret", "WARN", f"{length}, but only few different ones", todo)
    else:
        yield Finding("secret", "OK", length)
    for path in (config.data / "secret", Path(".env")):
        if path.is_file() and path.stat().st_mode & PRIVATE:
            level: Level = "FAIL" if path.name == "secret" else "WARN"
            yield Finding("secret", level, f"others may read {path}", f"chmod 600 {path}")


def check_games() -> Iterator[Finding]:
    """Names the games that are broken, and what cannot be shown of others."""
    for _slug, origin, said in list_faults():
        todo = f"Install a version of {origin} that works, or remove it; then restart all processes."
        yield Finding("games", "WARN", said.removesuffix("."), todo)


def check_disk(config: Config) -> Iterator[Finding]:
    """Checks that the disk of an SQLite database has room."""
    try:
        disk = probes.disk_of(config)
    except OSError:
        return  # there is no such folder: the database says so
    if disk is None:
        return
    said = f"{disk.folder} has {disk.free / 1e6:,.0f} MB free of {disk.total / 1e6:,.0f} MB"
    match disk.state:
        case "read_only":
            todo = "Make it writable for this user. Meanwhile pages can be read, and everything else answers 503."
            yield Finding("disk", "FAIL", f"{disk.folder} is read-only: nothing can be stored", todo)
        case "full":
            todo = "Make room: meanwhile pages can be read, and everything else answers 503. Nothing stored is lost."
            yield Finding("disk", "FAIL", f"it is full: {said}", todo)
        case "scarce":
            yield Finding("disk", "WARN", f"it is almost full: {said}", "Make room before nothing can be stored.")
        case _:
            yield Finding("disk", "OK", said)


def check_database(config: Config) -> Iterator[Finding]:
    """Runs all checks on the database, or reports that it does not answer."""
    where = mask_password(config.database_url)
    try:
        with probes.probe_connection(config) as connection:
            yield Finding("database", "OK", f"{where} answers")
            yield _check_schema(connection)
            yield _check_durability(connection)
            if connection.dialect.name != "sqlite" and probes.state_of_storage(config, connection) != "ok":
                todo = "It is a standby, or set so (default_transaction_read_only). Let DATABASE_URL name the primary."
                yield Finding("database", "FAIL", "it is read-only: nothing can be stored", todo)
            now = database_time(connection)
            yield _check_clock_skew(connection)
            schema, _ = probes.state_of_schema(connection)
            if schema == "ok":
                yield _check_tables(connection)
            if schema == "ok" or (schema == "ahead" and not probes.why_outdated(connection)):
                yield _check_mail_queued_in_future(connection, now)
                yield _check_heartbeats_ahead(connection, now)
                yield _check_heartbeats(connection, now)
                yield _check_failing_tasks(connection, now)
                yield from check_other_secret_used(connection, config, now)
                yield from _check_unavailable_matches(connection)
                yield _check_open_asks(connection)
                yield _check_log_chains(connection)
                yield from _check_late_work(connection, now, config.mail_late_s, config.features)
                yield _check_unrendered_mails(connection, now)
                yield _check_mails_given_up(connection, now)
                yield _check_mail_pictures(connection, now)
                if health.is_unverified_mail_quota_spent(connection, now, config):
                    todo = "Raise PBEM_UNVERIFIED_MAILS_PER_DAY if these are your players; else look for the attacker."
                    yield Finding("mail held back", "WARN", "the day's mail to unverified addresses is spent", todo)
                yield from _check_refused_mails(connection, now)
                for overdue in overdue_of(config.features).values():
                    if overdue.check is not None:
                        yield overdue.check(connection, now)
                yield _check_late_archives(connection, now)
                yield _check_late_results(connection, now)
                for check_rows in attributes_of_features("doctor", "check_rows", config.features):
                    yield from check_rows(connection, now, config)
    except DBAPIError as error:
        problem = f"{where} does not answer: {' '.join(str(error.orig).split())}"
        yield Finding("database", "FAIL", problem, "Start it, or correct DATABASE_URL.")


def _check_schema(connection: Connection) -> Finding:
    state, feature = probes.state_of_schema(connection)
    match state:
        case "ok":
            return Finding("migrations", "OK", "the newest one is there")
        case "ahead" if feature:
            todo = "Upgrade its package too, or restore the backup that belongs to it."
            said = f"the tables of the feature {feature!r} belong to a newer version of it than is installed"
            return Finding("migrations", "WARN", said, todo)
        case "ahead":
            todo = "Upgrade this program too, or restore the backup that belongs to it."
            if why := probes.why_outdated(connection):
                return Finding("migrations", "FAIL", f"{why} So it changes nothing, and takes no move.", todo)
            return Finding("migrations", "WARN", "the database belongs to a newer pbem than this", todo)
        case "empty":
            return Finding("migrations", "FAIL", "the database has no tables yet", "Run: pbem migrate")
    said = f"the tables of the feature {feature!r} have not" if feature else "the database has not"
    to = "the version that is installed" if feature else "this pbem"
    return Finding("migrations", "FAIL", f"{said} been upgraded to {to}", "Run: pbem migrate")


def _check_tables(connection: Connection) -> Finding:
    from pbem.models.schema.comparison import schema_differences  # here: alembic takes a while to load

    found = schema_differences(connection)
    if not found:
        return Finding("tables", "OK", "all are as this program needs them")
    todo = (
        "What fails on them goes on failing: back up, then set each right by hand, or copy the rows into a database "
        "that `pbem migrate` has made (docs/hosting.md, Tables that differ)."
    )
    return Finding("tables", "FAIL", "; ".join(found), todo)


def _check_durability(connection: Connection) -> Finding:
    """Checks that acknowledged changes survive a power cut."""
    if connection.dialect.name == "sqlite":
        mode = connection.execute(text("PRAGMA journal_mode")).scalar()
        if mode == "wal":
            return Finding("durability", "OK", "write-ahead log, synchronous at every commit")
        todo = "`pbem run` turns the write-ahead log on; nobody else should open the file."
        return Finding("durability", "WARN", f"journal_mode is {mode}", todo)
    found = {name: connection.execute(text(f"SHOW {name}")).scalar() for name in _DURABLE}
    lost = [name for name, value in found.items() if value == "off"]
    settings = ", ".join(f"{name}={value}" for name, value in found.items())
    if not lost:
        return Finding("durability", "OK", settings)
    todo = f"Set {' and '.join(f'{name}=on' for name in lost)} in postgresql.conf: a power cut would lose moves."
    return Finding("durability", "FAIL", settings, todo)


_DURABLE = ("fsync", "synchronous_commit", "full_page_writes")


def _check_clock_skew(connection: Connection) -> Finding:
    before = datetime.now(UTC)
    there = database_time(connection)
    after = datetime.now(UTC)
    off = max((before - there).total_seconds(), (there - after).total_seconds(), 0.0)
    if connection.dialect.name == "sqlite":
        todo = "This machine's clock was set. What it says is taken over ten minutes later if it is still so then."
        said = f"this machine's clock and the time of the site differ by {off:.1f} s"
    else:
        todo = "Let both machines take their time from the network (chrony, systemd-timesyncd)."
        said = f"this machine and the database differ by {off:.1f} s"
    return grade_figure("clock", off, SKEW_WARN_S, SKEW_FAIL_S, said, todo)


def _check_mail_queued_in_future(connection: Connection, now: datetime) -> Finding:
    t = table(OutboxRow)
    newest = connection.execute(select(t.c.created_at).order_by(t.c.id.desc()).limit(1)).scalar()
    if newest is None or newest <= now + timedelta(seconds=SKEW_FAIL_S):
        return Finding("clock", "OK", "nothing was written in the future")
    todo = "A clock was wrong, or is. Deadlines made meanwhile are off by as much."
    return Finding("clock", "FAIL", f"the newest mail was queued at {newest:%Y-%m-%d %H:%M:%S} UTC", todo)


def _check_heartbeats_ahead(connection: Connection, now: datetime) -> Finding:
    with Reading(connection) as session:
        ahead = heartbeats.latest_future_moment(session, now)
    if ahead is None:
        return Finding("marks", "OK", "no heartbeat and no outage lies in the future")
    todo = "The next sweep sets them right and gives the time back: start beat and a worker if they do not run."
    return Finding("marks", "FAIL", f"the service was said to be up at {ahead:%Y-%m-%d %H:%M:%S} UTC", todo)


def _check_heartbeats(connection: Connection, now: datetime) -> Finding:
    """Checks that the clocks may play: not while the heartbeat of the sweep or of the web is missing."""
    stopped = backlog.ages_of_silent_heartbeats(connection, now)
    if not stopped:
        return Finding("pulse", "OK", "nothing that was heard of has fallen silent")
    said = ", ".join(f"{name} silent for {seconds:.0f} s" for name, seconds in sorted(stopped.items()))
    todo = (
        "No clock moves until it is heard of again; the time is given back. sweep: start beat and a worker. web: start "
        "it by `python -m pbem.run.server` (see Procfile)."
    )
    return Finding("pulse", "FAIL", said, todo)


def _check_failing_tasks(connection: Connection, now: datetime) -> Finding:
    found = failures.failing_tasks(connection, now)
    if not found:
        return Finding("tasks", "OK", "none fails again and again")
    said = "; ".join(
        f"{one.task} has failed {pluralize(one.runs, 'time', 'times')} since {one.since:%Y-%m-%d %H:%M:%S} UTC "
        f"({one.error})"
        for one in found
    )
    todo = "The worker's log has the traceback, and the match if it is one; see `tables` above, too."
    return Finding("tasks", "FAIL", said, todo)


def check_other_secret_used(connection: Connection, config: Config, now: datetime) -> Iterator[Finding]:
    """Reports another secret with which links were mailed lately."""
    t, own = table(Heartbeat), probes.row_name_of_secret(config.secret)
    found = connection.execute(select(t.c.name, t.c.at).where(t.c.name.startswith(probes.SECRET_MARK)))
    used = {one.name: one.at for one in found}
    others = [at for name, at in used.items() if name != own]
    if others and max(used.get(own, now), *others) > now - SECRET_LATE:
        since = f"since {used[own]:%Y-%m-%d %H:%M} UTC" if own in used else "as this terminal knows it"
        todo = (
            "If that was not meant, restore the former one from the backup: links and tokens of mails that were sent "
            "with one do not work with the other. This is said for 30 days."
        )
        yield Finding("secret", "WARN", f"it is another one than this database was used with before, {since}", todo)


def _check_unavailable_matches(connection: Connection) -> Iterator[Finding]:
    waiting = backlog.count_matches_held(connection)
    if waiting:
        said = ", ".join(f"{pluralize(count, 'match', 'matches')} of {slug}" for slug, count in sorted(waiting.items()))
        todo = (
            "Install the game again and restart all processes: the matches go on with the time they lost. Or end them "
            "with `pbem match cancel`."
        )
        yield Finding("games", "FAIL", f"the game is unavailable, so these stand still: {said}", todo)


def _check_open_asks(connection: Connection) -> Finding:
    with Reading(connection) as session:
        found = list(rebuilding.differences_of_open_asks(session))
    if not found:
        return Finding("questions", "OK", "all matches ask what they should")
    todo = "A game was corrected while they were played: `pbem match rebuild`, once all processes are of this version."
    if any(one.answered for one in found):
        todo += " It names those that it cannot set right; `pbem match cancel` ends them."
    one, many = "match asks other questions than it should", "matches ask other questions than they should"
    return Finding("questions", "FAIL", pluralize(len(found), one, many), todo)


def _check_log_chains(connection: Connection) -> Finding:
    """Checks that the chain over each log in play leads to the head that the mails of the match have."""
    with Reading(connection) as session:
        found = list(rebuilding.matches_with_broken_chain(session))
    if not found:
        return Finding("chains", "OK", "all logs of matches in play are as they were written")
    said = ", ".join(f"{match_id} at entry {n}" for match_id, n in found[:10])
    todo = f"Restore a backup from before the change, or `pbem match cancel` the match: {said}."
    one, many = "log is not as it was written", "logs are not as they were written"
    return Finding("chains", "FAIL", pluralize(len(found), one, many), todo)


def _check_late_work(
    connection: Connection, now: datetime, late_s: int, features: tuple[str, ...]
) -> Iterator[Finding]:
    mails = backlog.combine_due_of_kinds(backlog.mails_due_by_kind(connection, now))
    todo = "Is a worker running, and does it reach the mail server? `pbem mail list --due` shows them."
    waiting = f"{pluralize(mails.count, 'mail', 'mails')}, the oldest for {mails.age_s:.0f} s"
    yield grade_figure("mail due", mails.age_s, LATE_WARN_S, max(LATE_WARN_S, late_s), waiting, todo)
    for check, one, many, due in (
        ("deadlines due", "question", "questions", backlog.asks_due(connection, now)),
        ("bots due", "question", "questions", backlog.bot_asks_due(connection, now)),
        ("matches due", "match to call off", "matches to call off", backlog.lapses_due(connection, now)),
        *(
            (f"{name} due", *one.counted, one.due(connection, now))
            for name, one in overdue_of(features).items()
            if one.counted is not None
        ),
    ):
        waiting = f"{pluralize(due.count, one, many)}, the oldest for {due.age_s:.0f} s"
        todo = "Are a worker and beat running? Their log says what fails, if something does."
        yield grade_figure(check, due.age_s, LATE_WARN_S, LATE_FAIL_S, waiting, todo)


def _check_unrendered_mails(connection: Connection, now: datetime) -> Finding:
    """Checks that every mail can be rendered: a mail that cannot be waits, and so does the clock of its recipient."""
    found = backlog.count_mails_unrendered(connection, now)
    if not found.count:
        return Finding("mail rendered", "OK", "all mails can be rendered")
    todo = (
        "A fault of this program: the worker's log says which (`mail.unrendered`), and `pbem mail list --failed` shows "
        "the mails. They leave about a quarter of an hour after it is mended; until then no clock runs for them."
    )
    return Finding("mail rendered", "FAIL", f"{found.count} cannot be, the first for {found.age_s:.0f} s", todo)


def _check_mails_given_up(connection: Connection, now: datetime) -> Finding:
    last = alarms.standing_alarms(connection).get(alarms.UNSENT)
    if last is None:
        return Finding("mail given up", "OK", "none for a fault of ours")
    todo = (
        "`pbem mail list --failed` shows them: `unsendable` ones were too large, `rejected` ones the mail server "
        "did not take. Their clocks have started. `pbem mail resend` tries one again; this ends after a day."
    )
    said = f"a mail was given up, the last one {max(0.0, (now - last).total_seconds()):.0f} s ago"
    return Finding("mail given up", "FAIL", said, todo)


def _check_mail_pictures(connection: Connection, now: datetime) -> Finding:
    found = alarms.picture_alarms(connection)
    if not found:
        return Finding("mail pictures", "OK", "mails leave with their pictures")
    titles, last = ", ".join(alarm.game_title for alarm in found), (now - found[-1].at).total_seconds()
    todo = (
        "Those mails have the board in words. The worker's log says why it could not be drawn (`mail.undrawn`). This "
        "ends within a minute once the game's first board can be drawn; if only certain positions fail, after a day."
    )
    said = f"mails about {titles} leave without their picture, the last one {max(0.0, last):.0f} s ago"
    return Finding("mail pictures", "FAIL", said, todo)


def _check_refused_mails(connection: Connection, now: datetime) -> Iterator[Finding]:
    found, bouncing = backlog.count_mails_refused(connection, now), backlog.count_bouncing(connection)
    codes = ", ".join(f"{count} × {answer}" for answer, count in sorted(found.items()))
    todo = (
        "Not the addresses' fault: see whether the mail server may relay for us, whether SPF and DKIM fit PBEM_FROM, "
        "and what it has against these mails. `pbem mail list --failed` shows them."
    )
    yield grade_figure("mail refused", sum(found.values()), 1, BAD_MAILS, codes or "none for a fault of ours", todo)
    said = pluralize(bouncing, "player's address is refused", "players' addresses are refused")
    todo = "`pbem address list` shows them. Where they are many, the mail server is wrong, not they."
    yield grade_figure("addresses", bouncing, BAD_ADDRESSES, float("inf"), said, todo)


def _check_late_archives(connection: Connection, now: datetime) -> Finding:
    due = backlog.archives_due(connection, now)
    said = f"{pluralize(due.count, 'match is', 'matches are')} over for more than eight days and not archived"
    todo = "Are a worker and beat running? The worker's log says why a match cannot be archived (`archive.failed`)."
    return grade_figure("archives", due.count, 1, float("inf"), said if due.count else "none is late", todo)


def _check_late_results(connection: Connection, now: datetime) -> Finding:
    due = backlog.tallies_due(connection, now)
    said = f"{pluralize(due.count, 'match that is over has', 'matches that are over have')} no results yet, "
    said += f"for {due.age_s:.0f} s"
    todo = "Are a worker and beat running? The worker's log says whose end cannot be read (`tally.unreadable`)."
    return grade_figure(
        "results", due.age_s, backlog.TALLY_LATE_S, float("inf"), said if due.count else "none is late", todo
    )


def check_broker_beat_and_workers(config: Config) -> Iterator[Finding]:
    """Checks that tasks reach a worker: the broker, beat, workers."""
    if config.redis_url is None:
        yield Finding("broker", "OK", "`pbem run` keeps one of its own, which only it can reach; not asked")
        return
    where = mask_password(config.redis_url)
    try:
        queue = probes.read_queue(config, datetime.now(UTC))
    except (RedisError, OSError) as error:
        problem = f"{where} does not answer ({type(error).__name__})"
        todo = "Start Redis, or correct REDIS_URL. Moves are taken meanwhile; mails and clocks wait."
        yield Finding("broker", "FAIL", problem, todo)
        return
    yield Finding("broker", "OK", f"{where} answers, {pluralize(queue.waiting, 'task waits', 'tasks wait')}")
    todo = "Start beat (see Procfile): without it no clock runs and no mail is looked for."
    if queue.beat_age_s is None:
        yield Finding("beat", "FAIL", "never heard of", todo)
    else:
        said = f"its last tick was {queue.beat_age_s:.0f} s ago"
        yield grade_figure("beat", queue.beat_age_s, BEAT_WARN_S, BEAT_FAIL_S, said, todo)
    yield from _check_workers(config)


def _check_workers(config: Config) -> Iterator[Finding]:
    """Checks that somebody takes the tasks, and those of bots that think."""
    app = Celery("pbem-doctor", broker=config.broker_url, set_as_current=False)
    app.conf.broker_transport_options = {"socket_timeout": PING_S, "socket_connect_timeout": PING_S}
    with app.connection_for_read() as connection:
        answers = app.control.inspect(timeout=PING_S, connection=connection).active_queues() or {}
    taken = [{queue["name"] for queue in queues} for queues in answers.values()]
    names = ", ".join(name for name, _ in thoughts_of(config.features))
    wait = f", and these features wait: {names}" if names else ""
    kinds: tuple[tuple[str, Level, str, str], ...] = (
        ("workers", "FAIL", probes.USUAL, "Start a worker (see Procfile); one that is overloaded answers late."),
        (
            "thinking", "WARN", probes.THINKING,
            f"Start `thinking` (see Procfile): without it bots that think do not answer{wait}.",
        ),
    )  # fmt: skip
    for check, level, name, todo in kinds:
        count = sum(name in queues for queues in taken)
        if count:
            yield Finding(check, "OK", pluralize(count, "answers", "answer"))
        else:
            yield Finding(check, level, f"none answers within {PING_S:g} s", todo)
