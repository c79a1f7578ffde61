"""Whether the service can do its work, in a word for each of its parts; for `/readyz`, the alarm and `pbem doctor`.

A database that does not answer, stores nothing, lacks a migration, or has one that this process is too old for makes it
unready. A broker that does not answer does not: moves and pages need none, and mails wait in the outbox until a worker
can be woken. Mails that wait too long, or a task that fails again and again, make the service degraded, not unready.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from datetime import datetime

from sqlalchemy import Connection, select
from sqlalchemy.exc import DBAPIError

from pbem.config import Config
from pbem.models.accounts import QuotaRow
from pbem.models.tables import table
from pbem.services.hooks import Overdue, overdue_of
from pbem.services.mail import alarms
from pbem.services.monitoring.backlog import combine_due_of_kinds, count_mails_unrendered, mails_due_by_kind
from pbem.services.monitoring.failures import state_of_tasks
from pbem.services.monitoring.probes import (
    broker_state,
    probe_connection,
    state_of_schema,
    state_of_storage,
    why_outdated,
)
from pbem.services.players.quotas import SITE


@dataclass(frozen=True)
class Health:
    """The state of the service's parts.

    `database`: ok, full or read_only (it answers, but stores nothing), down; `broker`: ok, down, none; `schema`: ok,
    behind, ahead, empty, unknown. `mail`: ok, unrendered (a bug keeps a mail from being rendered), late (something
    should have left long ago), given_up (one was given up within a day for a fault that is not its reader's), held_back
    (the site's quota of mail to unverified addresses is spent), unknown. `of_features`, by the name of the check: ok,
    late (the feature should have done it by now), unknown, or a word of the feature's own. `pictures`: ok, undrawn
    (mails leave with the board in words, because it cannot be drawn), unknown. `tasks`: ok, failing (one fails again
    and again), silent (the clocks were swept before and are no longer), unknown. `feature` is the one whose tables are
    behind or ahead; "" if they are those of pbem. `why` is the reason why this process, which is older than the
    database, may not serve; "" if it may.
    """

    database: str
    schema: str
    broker: str
    mail: str = "unknown"
    of_features: Mapping[str, str] = field(default_factory=dict)
    pictures: str = "unknown"
    tasks: str = "unknown"
    feature: str = ""
    why: str = ""

    @property
    def ready(self) -> bool:
        """True if requests can be served. A program works with a newer schema if that allows older programs."""
        return self.database == "ok" and self.schema in ("ok", "ahead") and not self.why

    @property
    def readiness_word(self) -> str:
        """Returns "ready", "degraded" or "unready"."""
        if not self.ready:
            return "unready"
        parts = {self.mail, *self.of_features.values(), self.pictures, self.tasks}
        whole = self.schema == "ok" and self.broker in ("ok", "none") and parts <= {"ok", "unknown"}
        return "ready" if whole else "degraded"

    @property
    def parts(self) -> dict[str, str]:
        """Returns each part with its state, those of features among the others, and what else there is to say."""
        told: dict[str, str] = {}
        for each in fields(self):
            told |= self.of_features if each.name == "of_features" else {each.name: getattr(self, each.name)}
        return {name: state for name, state in told.items() if state}


def can_serve_requests(config: Config) -> bool:
    """True if this process can serve requests. Asks for nothing else: see `Health.ready`."""
    try:
        with probe_connection(config) as connection:
            return _read_readiness(config, connection).ready
    except DBAPIError:
        return False


def _read_readiness(config: Config, connection: Connection, broker: str = "unknown") -> Health:
    """Returns what decides whether requests can be served; the other parts are unknown."""
    database, (schema, feature) = state_of_storage(config, connection), state_of_schema(connection)
    why = why_outdated(connection) if schema == "ahead" else ""
    return Health(database, schema, broker, of_features=_work_of_unknown_state(config), feature=feature, why=why)


def read_health(config: Config, now: datetime) -> Health:
    """Returns the current state of the service, within twice BOUND_S at most."""
    broker = broker_state(config)
    try:
        with probe_connection(config) as connection:
            found = _read_readiness(config, connection, broker)
            if found.schema not in ("ok", "ahead") or found.why:
                return found
            return replace(
                found,
                mail=mail_state(connection, now, config),
                of_features={
                    name: _state_of_feature_work(one, connection, now, config)
                    for name, one in overdue_of(config.features).items()
                    if one.degrades
                },
                pictures="undrawn" if alarms.picture_alarms(connection) else "ok",
                tasks=state_of_tasks(connection, now),
            )
    except DBAPIError:
        return Health("down", "unknown", broker, of_features=_work_of_unknown_state(config))


def _state_of_feature_work(overdue: Overdue, connection: Connection, now: datetime, config: Config) -> str:
    if overdue.state is not None:
        return overdue.state(connection, now, config)
    return "late" if overdue.due(connection, now).count else "ok"


def _work_of_unknown_state(config: Config) -> dict[str, str]:
    """Returns the work of features without which the service is degraded, by what it is called, of unknown state."""
    return {name: "unknown" for name, one in overdue_of(config.features).items() if one.degrades}


def mail_state(connection: Connection, now: datetime, config: Config) -> str:
    """Returns the state of the mails: "unrendered", "late", "given_up", "held_back" or "ok"."""
    if count_mails_unrendered(connection, now).count:
        return "unrendered"
    if combine_due_of_kinds(mails_due_by_kind(connection, now)).age_s > config.mail_late_s:
        return "late"
    if alarms.UNSENT in alarms.standing_alarms(connection):
        return "given_up"
    return "held_back" if is_unverified_mail_quota_spent(connection, now, config) else "ok"


def is_unverified_mail_quota_spent(connection: Connection, now: datetime, config: Config) -> bool:
    """True if the site's daily quota of mails to unverified addresses is spent."""
    t = table(QuotaRow)
    found = select(t.c.used).where(t.c.name == SITE, t.c.until > now)
    return config.has_caps and (connection.execute(found).scalar() or 0) >= config.unverified_mails_per_day
