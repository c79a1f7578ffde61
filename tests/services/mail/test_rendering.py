"""A mail that cannot be rendered: a fault of this program, not of its reader or of the relay."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from datetime import timedelta

import pytest
from sqlalchemy import text
from structlog.testing import capture_logs

from pbem.mail.compose import compose_mail
from pbem.mail.letters import Letter
from pbem.mail.mime import Mail
from pbem.mail.send import PermanentFailure, TemporaryFailure
from pbem.models.tables import OutboxRow
from pbem.services.calendar import deadlines
from pbem.services.log import outbox
from pbem.services.mail import reminders, sender
from pbem.services.monitoring import alarm, backlog, health
from pbem.services.players import bounces
from tests.services.letterbox import kinds_of_mails, newest_mail, once_a_day, player_of, text_of
from tests.services.mail.stage.rendering import open_asks_by_seat, run_workers_for_hours, unsent_mails
from tests.table import CAST, House, address_of

ATTACKS = ["=?utf-8?q?=0AX=3Ay?=", "=?utf-8?q?e=2Ecom=2Fx?=", "=?utf-8?q?a=00b?=", "=?utf-8?q?=FF=FE?=", "\u3164"]


@contextmanager
def break_rendering(*kinds: str, to: str = "", rows: Collection[int] = ()) -> Iterator[None]:
    """Breaks the rendering of these kinds during the block; if given, only to one of the cast, or for these rows."""

    def failing(letter: Letter, secret: str) -> Mail:
        meant = (not to or letter.to == address_of(to)) and (not rows or letter.row in rows)
        if letter.kind in kinds and meant:
            raise KeyError("a template of an older version")
        return compose_mail(letter, secret)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sender, "compose_mail", failing)
        yield


def mail_state_of_readyz(house: House) -> tuple[str, int]:
    """Returns `/readyz`'s state of the mail, and the number of mails that cannot be rendered."""
    found = health.read_health(house.site.config, house.clock())
    with house.site.engine.connect() as connection:
        return found.mail, backlog.count_mails_unrendered(connection, house.clock()).count


@pytest.mark.long
def test_the_clock_never_plays_for_whom_no_mail_could_be_rendered(house: House) -> None:
    match_id = house.begin()
    with break_rendering("turn", to="Bob"):
        house.drain()
        said = run_workers_for_hours(house, 80, at_once=8)
        found = open_asks_by_seat(house, match_id)
        assert found[1].mailed_at is None
        assert found[1].acts_at is None
        assert 0 not in found, "the clock has moved for Alice, who was told and let her time pass"
        run_workers_for_hours(house, 20 * 24, at_once=48)
        assert open_asks_by_seat(house, match_id)[1].acts_at is None
    assert "mail.unrendered" in said
    assert kinds_of_mails(house, "Bob").count("turn") == 0
    assert not [row for row in unsent_mails(house) if row.attempts], "it was never handed over, so nothing was refused"


@pytest.mark.long
def test_a_mail_that_cannot_be_rendered_delays_none_for_the_other_players(house: House) -> None:
    match_id = house.begin()
    with break_rendering("turn", to="Bob"):
        house.drain()
    assert kinds_of_mails(house, "Alice")[-1] == kinds_of_mails(house, "Carol")[-1] == "turn"
    assert {seat for seat, ask in open_asks_by_seat(house, match_id).items() if ask.acts_at is not None} == {0, 2}


@pytest.mark.long
def test_once_the_fault_is_mended_the_mail_leaves_with_the_whole_time(house: House) -> None:
    match_id = house.begin()
    with break_rendering("turn", to="Bob"):
        house.drain()
        run_workers_for_hours(house, 48, at_once=12)
    house.clock.forward(seconds=sender.RENDER_RETRY_S * (1 + bounces.JITTER))
    house.drain()
    ask = open_asks_by_seat(house, match_id)[1]
    assert kinds_of_mails(house, "Bob")[-1] == "turn"
    assert ask.mailed_at == house.clock()
    assert ask.deadline == house.clock() + timedelta(days=3)
    assert ask.acts_at == ask.deadline + deadlines.grace_period(3 * 86_400)
    assert mail_state_of_readyz(house) == ("ok", 0)
    assert unsent_mails(house) == []


def test_mails_that_cannot_be_rendered_raise_an_alarm_that_ends_with_them(house: House) -> None:
    house.begin()
    assert mail_state_of_readyz(house) == ("ok", 0)
    with break_rendering("turn"), capture_logs() as lines:
        house.drain()
        assert mail_state_of_readyz(house) == ("unrendered", 3)
        found = health.read_health(house.site.config, house.clock())
        assert (found.readiness_word, found.ready) == ("degraded", True)
        for _ in range(3):
            alarm.watch_mails(house.site)
    assert [line["mails"] for line in lines if line["event"] == "outbox.unrendered"] == [3]
    assert [line["log_level"] for line in lines if line["event"] == "outbox.unrendered"] == ["error"]
    assert not any(name.lower() in str(line).lower() for line in lines for name in (*CAST, "example.org"))
    with capture_logs() as lines:
        house.clock.forward(minutes=1)
        house.drain()
        for _ in range(3):
            alarm.watch_mails(house.site)
    assert [line["event"] for line in lines if line["event"].startswith("outbox.")] == ["outbox.rendered"]
    assert mail_state_of_readyz(house) == ("ok", 0)


def test_failures_to_render_a_mail_do_not_count_as_delivery_attempts(house: House) -> None:
    """A mail that could not be rendered for days gets as many attempts as any other when the relay defers it."""
    house.begin()
    with break_rendering("turn", to="Bob"):
        house.drain()
        run_workers_for_hours(house, 24 * 8, at_once=24)
    house.mail.refusing = {address_of("Bob"): TemporaryFailure(451, "4.7.1 come back later", "recipient")}
    house.clock.forward(minutes=20)
    house.drain()
    (row,) = [row for row in unsent_mails(house) if row.kind == "turn"]
    assert (row.attempts, row.unrendered_since) == (1, None)
    assert player_of(house, "Bob").bounced_at is None
    house.mail.refusing = {}
    house.clock.forward(minutes=1)
    house.drain()
    assert kinds_of_mails(house, "Bob")[-1] == "turn"


@pytest.mark.long
def test_a_player_whose_mail_cannot_be_rendered_is_not_marked_bouncing(house: House) -> None:
    house.begin()
    with break_rendering("turn", "reminder", "digest", to="Bob"):
        run_workers_for_hours(house, 24 * 7, at_once=12)
    assert player_of(house, "Bob").bounced_at is None
    assert house.mail.tried.count(address_of("Bob")) == kinds_of_mails(house, "Bob").count("invitation")


@pytest.mark.long
def test_a_mail_no_longer_needed_is_closed_even_if_it_cannot_be_rendered(house: House) -> None:
    match_id = house.begin()
    with break_rendering("turn", to="Bob"):
        house.drain()
        house.play(match_id, 1)
        house.clock.forward(minutes=20)
        house.drain()
        assert mail_state_of_readyz(house) == ("ok", 0)


@pytest.mark.long
def test_turn_mails_replace_a_digest_that_cannot_be_rendered(house: House) -> None:
    match_id = house.begin(turn_s=14 * 86_400)
    once_a_day(house, "Bob", 18)
    house.drain()
    assert "turn" not in kinds_of_mails(house, "Bob"), "it is left to the day's mail"
    with break_rendering("digest"):
        run_workers_for_hours(house, 10)
        assert kinds_of_mails(house, "Bob")[-1] == "turn"
        assert open_asks_by_seat(house, match_id)[1].acts_at is not None
        assert mail_state_of_readyz(house)[0] == "unrendered"
        run_workers_for_hours(house, 48, at_once=6)
        assert kinds_of_mails(house, "Bob").count("turn") == 1
    run_workers_for_hours(house, 24, at_once=6)
    assert kinds_of_mails(house, "Bob")[-1] == "digest"
    assert mail_state_of_readyz(house) == ("ok", 0)


@pytest.mark.long
def test_a_reminder_that_cannot_be_rendered_keeps_no_later_one_back(house: House) -> None:
    house.begin(turn_s=3 * 86_400)
    house.drain()
    with break_rendering("reminder"):
        run_workers_for_hours(house, 38, at_once=19)
    stuck = [row.id for row in unsent_mails(house) if row.kind == "reminder" and row.id is not None]
    assert len(stuck) == 3
    with break_rendering("reminder", rows=stuck):
        run_workers_for_hours(house, 33, at_once=3)
    assert kinds_of_mails(house, "Bob").count("reminder") == 1


def test_a_later_reminder_that_cannot_be_rendered_replaces_no_earlier_one(house: House) -> None:
    house.begin()
    house.drain()
    house.clock.forward(hours=36)
    assert reminders.sweep_reminders(house.site) == 3
    (bobs,) = (row for row in unsent_mails(house) if (row.kind, row.seat) == ("reminder", 1))
    with house.site.writing() as session:
        session.get_one(OutboxRow, bobs.id).due_at += timedelta(minutes=1)
        outbox.enqueue(session, "later", "reminder", house.clock(), match_id=bobs.match_id or "", seat=1, key=bobs.key)
    (later,) = (row.id for row in unsent_mails(house) if row.kind == "reminder" and row.dedupe == "later")
    assert later is not None
    with break_rendering("reminder", rows=[later]):
        house.drain()
        assert kinds_of_mails(house, "Bob").count("reminder") == 0
        house.clock.forward(minutes=2)
        house.drain()
    assert kinds_of_mails(house, "Bob").count("reminder") == 1


@pytest.mark.long
def test_a_mail_refused_for_good_still_starts_the_clock(house: House) -> None:
    match_id = house.begin()
    house.mail.refusing = {address_of("Bob"): PermanentFailure(550, "5.1.1 no such user", "recipient")}
    house.drain()
    assert open_asks_by_seat(house, match_id)[1].acts_at is not None


def test_the_host_can_have_a_mail_tried_again_at_once(house: House) -> None:
    house.begin()
    with break_rendering("turn", to="Bob"):
        house.drain()
    (row,) = unsent_mails(house)
    assert row.id is not None
    assert house.drain() == 0
    sender.make_mail_due_again(house.site, row.id)
    assert house.drain() == 1
    assert kinds_of_mails(house, "Bob")[-1] == "turn"
    sender.make_mail_due_again(house.site, row.id)
    assert mail_state_of_readyz(house) == ("ok", 0), "nothing says that it cannot be rendered any more"


@pytest.mark.on_postgresql
@pytest.mark.sample(2)
@pytest.mark.parametrize("name", [*ATTACKS[:-1], pytest.param(ATTACKS[-1], marks=pytest.mark.on_postgresql)])
def test_hostile_names_from_older_versions_stop_no_mail_and_stay_undecoded(house: House, name: str) -> None:
    match_id = house.begin()
    with house.site.engine.begin() as connection:
        connection.execute(text("UPDATE seats SET name = :name WHERE seat = 1"), {"name": name})
    house.drain()
    assert mail_state_of_readyz(house) == ("ok", 0)
    assert all(ask.acts_at is not None for ask in open_asks_by_seat(house, match_id).values())
    shown = "?" if name == "\u3164" else name
    for who in ("Alice", "Carol"):
        mail = newest_mail(house, who)
        assert mail.get_all("Subject") == [mail["Subject"]]
        assert shown in mail["Subject"]
        assert shown in text_of(mail)
        assert "X" not in mail
    assert [one.display_name for one in newest_mail(house, "Bob")["To"].addresses] == [shown]
    once_a_day(house, "Carol", 18)
    for seat in range(3):
        house.play(match_id, seat)
    run_workers_for_hours(house, 30, at_once=5)
    assert mail_state_of_readyz(house) == ("ok", 0)
