"""The Celery application: broker settings, the beat schedule, and one site a process.

No task has a countdown or an ETA: with a Redis broker these run again past the visibility timeout. Deadlines and
due times are columns, which beat's tasks check often.
"""

from datetime import datetime
from functools import cache

import structlog
from celery import Celery
from celery.signals import setup_logging

from pbem import logs
from pbem.config import Config, config_of_process
from pbem.games import list_faults
from pbem.services.site import Site
from pbem.services.wakeup import open_with_broker

from . import watch
from .schedule import schedule_of_site

log = structlog.get_logger()


@cache
def config_of_worker() -> Config:
    """Returns the settings of this process, read once."""
    return config_of_process()


@cache
def site_of_worker() -> Site:
    """Returns the site of this process."""
    return open_with_broker(config_of_worker(), stopping=watch.is_stopping)


@setup_logging.connect
def _keep_own_logging(**_: object) -> None:
    """Replaces Celery's own log configuration, whose lines have another format."""
    logs.configure_logging(as_json=config_of_worker().log_json, on_error=watch.note_caught)
    if config_of_worker().mode == "production":  # `pbem run` says it itself
        for slug, _origin, said in list_faults():
            log.warning("games.broken", game=slug, why=said)


class _Celery(Celery):
    """Names each task `workers.tasks.<function>`, whatever the module that holds it is called.

    Its time is the site's: else a message would expire with a jump of the clock of the machine that sends or gets it.
    """

    def now(self) -> datetime:
        """Returns the present moment."""
        return site_of_worker().now()

    def gen_task_name(self, name: str, module: str) -> str:
        # `pbem.services`, which does not import this package, and other processes send tasks by these names.
        return f"workers.tasks.{name}"


watch.connect_signals(site_of_worker)
app = _Celery("pbem", include=[f"{__package__}.tasks"], task_cls=watch.Calm)
app.conf.update(
    broker_url=config_of_worker().broker_url,
    # Only what somebody waits for has a result (see `ignore_result`), and nobody fetches one later.
    result_backend=config_of_worker().broker_url,
    result_expires=600,
    broker_connection_retry_on_startup=True,
    broker_connection_max_retries=None,
    worker_cancel_long_running_tasks_on_connection_loss=True,
    broker_transport_options={
        "visibility_timeout": 300,
        # A task that died with its worker is redelivered within seconds, not after the default hundred.
        "unacked_restore_interval": 2,
        "unacked_restore_throttle": 1,
        "socket_timeout": 10,
        "socket_connect_timeout": 5,
    },
    task_acks_late=True,
    task_soft_time_limit=200,
    task_time_limit=watch.HUNG_S,
    task_reject_on_worker_lost=True,
    task_ignore_result=True,
    task_serializer="json",
    accept_content=["json"],
    worker_prefetch_multiplier=1,
    worker_hijack_root_logger=False,
    timezone="UTC",
    beat_scheduler=f"{__package__}.beat:LeasedScheduler",
    beat_schedule=schedule_of_site(config_of_worker().shards, config_of_worker().features),
)
