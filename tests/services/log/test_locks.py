"""Two writers of the same rows, step by step in turn on PostgreSQL, never deadlock.

Each takes one lock, then the other takes its next one; a writer that waits for the other is skipped. A writer
that breaks the order of `pbem.services.log.locks` causes a deadlock, and PostgreSQL aborts one of the two.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, Engine, event, text
from sqlmodel import col, select

from pbem.errors import Problem
from pbem.models.engine import WRITE
from pbem.models.tables import SubstituteRow
from pbem.services.clock import holidays
from pbem.services.lobby import match_request, matches, rematches
from pbem.services.lobby.match_request import Invitee
from pbem.services.mail import digests, sender
from pbem.services.play import presence, substitutes
from pbem.services.privacy import address_change
from pbem.services.tokens import ChangeClaim, InvitationClaim, OfferClaim, PlayClaim, VacancyClaim
from pbem.services.who import STRANGER
from tests.harness.lock_order import rows_locked_by
from tests.services.letterbox import id_of
from tests.services.play.stage.races import outcome_of_job
from tests.table import House, address_of, claim_of, open_house

Job = Callable[[], object]
NEW = "bob@new.example.net"
LONG_S = 60.0


@pytest.fixture
def house(postgres_url: str, tmp_path: Path) -> Iterator[House]:
    """A site on PostgreSQL with a long lock timeout: an abort means a deadlock, not a slow machine."""
    yield from open_house(postgres_url, tmp_path, lock_wait_s=LONG_S)


class InTurn:
    """Lets two threads lock in turn, and counts their rollbacks."""

    def __init__(self, engine: Engine, ahead: int) -> None:
        self._engine = engine
        self._ahead = ahead
        """The number of locks that the first one takes before the other begins."""
        self._changed = threading.Condition()
        self._at: dict[int, str] = {}
        self._pids: dict[int, int] = {}
        self._last: int | None = None
        self._first: int | None = None
        self.rolled_back = 0

    def run(self, *jobs: Job) -> list[object]:
        """Returns the results of the two jobs, or the Problems that they raise. Raises any other exception."""
        results: list[object] = [None] * len(jobs)
        failed: list[BaseException] = []

        def one(number: int, job: Job) -> None:
            results[number] = outcome_of_job(job, failed)
            with self._changed:
                self._at[threading.get_ident()] = "done"
                self._changed.notify_all()

        threads = [threading.Thread(target=one, args=pair) for pair in enumerate(jobs)]
        with self._listening():
            with self._changed:
                for thread in threads:
                    thread.start()
                    assert thread.ident is not None
                    self._at[thread.ident] = "runs"
                self._first = threads[0].ident
            for thread in threads:
                thread.join(LONG_S)
        if failed:
            raise failed[0]
        assert not any(thread.is_alive() for thread in threads), "a job has not come back"
        return results

    @contextmanager
    def _listening(self) -> Iterator[None]:
        events: dict[str, Callable[..., Any]] = {"before_cursor_execute": self._step, "rollback": self._back}
        for name, listener in events.items():
            event.listen(self._engine, name, listener)
        try:
            yield
        finally:
            for name, listener in events.items():
                event.remove(self._engine, name, listener)

    def _back(self, connection: Connection) -> None:
        if connection.get_execution_options().get(WRITE):
            self.rolled_back += 1

    def _step(self, connection: Connection, cursor: Any, sql: str, given: Any, context: Any, many: bool) -> None:
        me, some = threading.get_ident(), given[0] if many or isinstance(given, list) else given
        if not connection.get_execution_options().get(WRITE) or not [*rows_locked_by(sql, some)]:
            return
        with self._changed:
            if me not in self._at:
                return
            driver: Any = connection.connection.driver_connection
            self._at[me], self._pids[me] = "waits for its turn", driver.info.backend_pid
            self._changed.notify_all()
            # Woken by the other's next step; nothing announces a wait inside the database, so it must be polled.
            while not self._my_turn(me):
                self._changed.wait(timeout=0.02)
            self._at[me], self._last = "runs", me
            self._ahead -= me == self._first
            self._changed.notify_all()

    def _my_turn(self, me: int) -> bool:
        (other,) = self._at.keys() - {me}
        if self._at[other] == "done":
            return True
        if self._at[other] == "runs":
            return other in self._pids and self._is_blocked(self._pids[other])
        if self._ahead > 0 or self._last is None:
            return me == self._first
        return self._last != me

    def _is_blocked(self, pid: int) -> bool:
        with self._engine.connect() as connection:
            return bool(connection.execute(text("SELECT cardinality(pg_blocking_pids(:pid))"), {"pid": pid}).scalar())


def changing_address(house: House, name: str = "Bob") -> str:
    """Returns the token that completes a change of address, once the other mailbox has agreed."""
    address_change.request_change(house.site, id_of(house, name), NEW)
    with house.site.reading() as session:
        change = session.execute(text("SELECT max(id) FROM address_changes")).scalar_one()
    address_change.agree_to_change(
        house.site, house.tokens.read(ChangeClaim, house.site.tokens.sign(ChangeClaim(change, "old")))
    )
    return house.site.tokens.sign(ChangeClaim(change, "new"))


def play_until_asked(house: House, match_id: str, seat: int) -> None:
    """Plays on until the seat is asked."""
    while seat not in [ask.seat for ask in house.asks(match_id)]:
        house.play(match_id, house.asks(match_id)[0].seat)


def a_holiday_and_a_seat_taken_over(house: House) -> list[Job]:
    match_id = house.begin()
    play_until_asked(house, match_id, 1)
    house.drain()
    presence.resign(house.site, claim_of(house.site, match_id, 2))
    (link,) = substitutes.substitute_links_by_seat(house.site, house.view(match_id, 0).sheet, 0).values()
    bob = Invitee("Bobby", address_of("Bob"))
    substitutes.ask_for_seat(
        house.site, house.tokens.read(VacancyClaim, link.rpartition("/")[2]), bob, "en", "Europe/London"
    )
    with house.site.reading() as session:
        newest = session.exec(select(SubstituteRow.id).order_by(col(SubstituteRow.id).desc())).first()
    offer, today, number = house.site.tokens.sign(OfferClaim(newest or 0)), house.clock.at.date(), id_of(house, "Bob")
    return [
        lambda: holidays.add_holiday(house.site, number, today, today + timedelta(days=3)),
        lambda: substitutes.accept_offer(house.site, house.tokens.read(OfferClaim, offer), "en", "Europe/London"),
    ]


def an_address_changed_and_a_mail_sent(house: House) -> list[Job]:
    match_id = house.begin()
    token = changing_address(house)
    play_until_asked(house, match_id, 1)
    with house.site.writing() as session:
        session.execute(
            text("UPDATE outbox SET done_at = due_at WHERE done_at IS NULL AND NOT (seat = 1 AND kind = 'turn')")
        )
    return [
        lambda: address_change.agree_to_change(house.site, house.tokens.read(ChangeClaim, token)),
        lambda: sender.drain(house.site, lambda: house.mail),
    ]


def an_address_changed_and_a_rematch(house: House) -> list[Job]:
    match_id = house.begin()
    house.play_out(match_id)
    token, play = changing_address(house), house.token("play", match_id, 0)
    return [
        lambda: address_change.agree_to_change(house.site, house.tokens.read(ChangeClaim, token)),
        lambda: rematches.find_or_create_rematch(house.site, house.tokens.read(PlayClaim, play), id_of(house, "Alice")),
    ]


def an_address_changed_and_an_invitation_accepted_from_another_zone(house: House) -> list[Job]:
    """Bob is asked in one match and invited to another, in both of which Carol sits."""
    one, other = house.begin(), house.create()
    while other < one:
        other = house.create()
    play_until_asked(house, one, 1)
    house.drain()
    matches.confirm_match(house.site, house.claim("confirm", other, 0), "fr", "Europe/Paris")
    holidays.set_clock_hours(house.site, id_of(house, "Bob"), True, (22, 7))
    token, invitation = changing_address(house, "Carol"), house.token("invitation", other, 1)
    return [
        lambda: matches.accept_invitation(
            house.site, house.tokens.read(InvitationClaim, invitation), "en", "America/New_York"
        ),
        lambda: address_change.agree_to_change(house.site, house.tokens.read(ChangeClaim, token)),
    ]


def a_mail_a_day_and_a_move(house: House) -> list[Job]:
    match_id = house.begin()
    play_until_asked(house, match_id, 1)
    house.drain()
    holidays.set_clock_hours(house.site, id_of(house, "Bob"), True, (22, 7))
    number = id_of(house, "Bob")
    return [
        lambda: digests.set_preferences(house.site, number, "en", "America/New_York", 7),
        lambda: house.play(match_id, 1),
    ]


def two_matches_of_the_same_newcomers(house: House) -> list[Job]:
    people = [match_request.Invitee(name, f"{name.lower()}@example.net") for name in ("Alice", "Bob", "Carol")]
    ways = people, people[::-1]
    return [
        lambda way=way: matches.create_match(house.site, STRANGER, match_request.NewMatch("hogen", way))  # type: ignore[misc]
        for way in ways
    ]


@pytest.mark.long
@pytest.mark.parametrize(
    ("make", "ahead"),
    [
        (a_holiday_and_a_seat_taken_over, 0),
        (an_address_changed_and_a_mail_sent, 2),
        (an_address_changed_and_a_rematch, 0),
        (an_address_changed_and_an_invitation_accepted_from_another_zone, 0),
        (a_mail_a_day_and_a_move, 3),
        (two_matches_of_the_same_newcomers, 0),
    ],
)
def test_two_writers_of_the_same_rows_do_not_deadlock(
    house: House, make: Callable[[House], list[Job]], ahead: int
) -> None:
    in_turn = InTurn(house.site.engine, ahead)
    results = in_turn.run(*make(house))
    refused = [result for result in results if isinstance(result, Problem)]
    assert not [result for result in refused if result.status == 503]
    assert in_turn.rolled_back == len(refused), "what was broken off was perhaps done in another try"
