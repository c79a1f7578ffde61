"""Answers at the same moment."""

import threading
from collections.abc import Callable
from functools import partial

from sqlalchemy import Connection, event

from pbem.errors import Problem
from pbem.kit.codec import plain
from pbem.models.engine import WRITE
from pbem.services.play import moves
from tests.harness.waiting import SECONDS, wait_until, watch_locks
from tests.table import House, claim_of

ROUNDS = 2
"""How often a test runs its race; `make test-races` runs the tests many times."""


def outcome_of_job(job: Callable[[], object], failed: list[BaseException]) -> object:
    """Returns the job's result, or the Problem that it raises; anything else is put into `failed`.

    The test raises that in its own thread: in another one it would be lost.
    """
    try:
        return job()
    except Problem as problem:
        return problem
    except BaseException as error:  # noqa: BLE001 - see above
        failed.append(error)
        return None


def at_once(*jobs: Callable[[], object]) -> list[object]:
    """Returns the results (or Problems) of jobs that start together in threads. Raises any other exception."""
    gate = threading.Barrier(len(jobs))
    results: list[object] = [None] * len(jobs)
    failed: list[BaseException] = []

    def run(at: int, job: Callable[[], object]) -> None:
        gate.wait()
        results[at] = outcome_of_job(job, failed)

    threads = [threading.Thread(target=run, args=(at, job)) for at, job in enumerate(jobs)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(SECONDS)
    if failed:
        raise failed[0]
    assert not any(thread.is_alive() for thread in threads), "a job has not come back"
    return results


def while_committing(house: House, first: Callable[[], object], second: Callable[[], object]) -> list[object]:
    """Returns what both jobs return: the second begins before the first commits, and waits for a lock it holds."""
    results: list[object] = [None, None]
    failed: list[BaseException] = []

    def do(at: int, job: Callable[[], object]) -> None:
        results[at] = outcome_of_job(job, failed)

    with watch_locks(house.site.engine) as waits:
        follower = threading.Thread(target=do, args=(1, second))

        def before_commit(connection: Connection) -> None:
            if connection.get_execution_options().get(WRITE) and follower.ident is None:
                follower.start()
                wait_until(waits, "the second one waits for the first")

        event.listen(house.site.engine, "commit", before_commit)
        try:
            do(0, first)
            assert follower.ident is not None, "the first one has not committed"
            follower.join(SECONDS)
        finally:
            event.remove(house.site.engine, "commit", before_commit)
    if failed:
        raise failed[0]
    assert not follower.is_alive(), "the second one has not come back"
    return results


def job_that_answers(house: House, match_id: str, seat: int, at: int) -> Callable[[], object]:
    """Returns a job by which the player who has the seat now answers its current question with its at-th legal move."""
    view, holder = house.view(match_id, seat), claim_of(house.site, match_id, seat)
    assert view.ask is not None
    return partial(moves.play_answer, house.site, holder, view.ask.key, plain(view.legal()[at]), "api")
