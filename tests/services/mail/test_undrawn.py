"""A mail whose picture cannot be drawn leaves all the same, in words; the host is told until pictures work again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from email.message import EmailMessage
from functools import partial
from typing import Any

import pytest
from billiard.exceptions import SoftTimeLimitExceeded
from msgspec.structs import replace
from sqlmodel import select
from structlog.testing import capture_logs

from pbem.games import find_game
from pbem.kit.assemble import AssembledGame
from pbem.kit.contract import AnyGame
from pbem.mail import compose
from pbem.mail.compose import draw_board, draw_symbol_of_mark
from pbem.models.clocks import NAME_MOST, Heartbeat
from pbem.models.tables import OutboxRow
from pbem.render.raster import encode
from pbem.services.lobby import matches
from pbem.services.log import store
from pbem.services.mail import alarms, claims, digests, sender
from pbem.services.monitoring import alarm, backlog, health
from tests.kit.toys import META, Glimpse
from tests.services.letterbox import kinds_of_mails, newest_mail, once_a_day, player_of, text_of
from tests.services.mail.stage.digests import advance_clock_to
from tests.table import CAST, House

Breaking = Callable[[pytest.MonkeyPatch, Exception], None]


def raise_on_call(error: Exception, *_: object, **__: object) -> Any:
    raise error


def break_boards(patch: pytest.MonkeyPatch, error: Exception) -> None:
    patch.setattr(compose, "draw_board", partial(raise_on_call, error))


def break_marks(patch: pytest.MonkeyPatch, error: Exception) -> None:
    patch.setattr(compose, "draw_symbol_of_mark", partial(raise_on_call, error))


def break_covers(patch: pytest.MonkeyPatch, error: Exception) -> None:
    patch.setattr(compose, "draw_cover", partial(raise_on_call, error))


def break_pixels(patch: pytest.MonkeyPatch, error: Exception) -> None:
    """Fails where pixels become a PNG: the boards of these tests are drawn."""
    draw_board.cache_clear()
    draw_symbol_of_mark.cache_clear()
    patch.setattr(compose, "draw_board", draw_board)
    patch.setattr(compose, "draw_symbol_of_mark", draw_symbol_of_mark)
    patch.setattr(encode, "render_png", partial(raise_on_call, error))


def break_game(patch: pytest.MonkeyPatch, error: Exception) -> None:
    draw_as(patch, partial(raise_on_call, error))


def draw_as(patch: pytest.MonkeyPatch, draw: Callable[..., Any]) -> None:
    """Has games draw their boards so."""
    patch.setattr(AssembledGame, "draw", property(lambda game: draw))


WAYS: list[tuple[Breaking, Exception]] = [
    (break_boards, ValueError("<rect/>")), (break_boards, MemoryError()), (break_marks, KeyError("seal")),
    (break_pixels, ImportError("libEGL.so.1")), (break_game, ZeroDivisionError()),
]  # fmt: skip


@contextmanager
def break_drawing(way: Breaking = break_boards, error: Exception | None = None) -> Iterator[None]:
    """No picture can be drawn meanwhile."""
    with pytest.MonkeyPatch.context() as patch:
        way(patch, error or ValueError(f"a picture knows no <text>{CAST[1]}</text>"))
        yield


def hogen() -> AnyGame:
    game = find_game("hogen")
    assert game is not None
    return game


def picture_state_of_readyz(house: House) -> tuple[str, str]:
    """Returns how `/readyz` calls the pictures, and the whole."""
    found = health.read_health(house.site.config, house.clock())
    return found.pictures, found.readiness_word


def html_of(message: EmailMessage) -> str:
    body = message.get_body(("html",))
    assert body is not None
    return str(body.get_content())


def pictures_in(message: EmailMessage) -> int:
    return sum(part.get_content_type() == "image/png" for part in message.walk())


def alarms_of_games(house: House) -> list[str]:
    with house.site.reading() as session:
        return [name for name in session.exec(select(Heartbeat.name)) if name.startswith("undrawn:")]


@pytest.mark.long
@pytest.mark.parametrize(("way", "error"), WAYS)
def test_a_mail_leaves_in_words_whatever_goes_wrong_with_its_picture(
    house: House, way: Breaking, error: Exception
) -> None:
    match_id = house.begin()
    with break_drawing(way, error):
        house.drain()
    for name in CAST[:3]:
        mail = newest_mail(house, name)
        assert kinds_of_mails(house, name)[-1] == "turn"
        assert pictures_in(mail) == 0
        assert "cid:" not in html_of(mail)
        assert "<img" not in html_of(mail)
    with house.site.reading() as session:
        assert all(ask.acts_at is not None for ask in store.open_asks(session, match_id)), "their clocks run"
        assert {row.result for row in session.exec(select(OutboxRow)) if row.kind == "turn"} == {"sent"}
        waiting = backlog.count_mails_unrendered(session.connection(), house.clock())
    assert waiting.count == 0
    assert picture_state_of_readyz(house) == ("undrawn", "degraded")


@pytest.mark.on_postgresql
def test_a_mail_without_its_picture_equals_one_sent_without_pictures(house: House) -> None:
    bob = player_of(house, "Bob") if house.begin() else None
    assert bob is not None
    assert bob.id is not None
    with break_drawing():
        house.drain()
    without = newest_mail(house, "Bob")
    house.mail.clear()
    digests.set_preferences(house.site, bob.id, "en", "Europe/London", None, pictures=False)
    with house.site.writing() as session:
        row = next(row for row in session.exec(select(OutboxRow)) if row.kind == "turn" and row.seat == 1)
        row.done_at, row.result = None, None
    house.drain()
    again = newest_mail(house, "Bob")
    assert again["Message-ID"] == without["Message-ID"]
    assert (text_of(again), html_of(again)) == (text_of(without), html_of(without))


def test_a_digest_without_its_pictures_leaves_and_alarms_for_each_game(house: House) -> None:
    house.begin()
    house.begin(3, "hexen-rennen")
    once_a_day(house, "Bob", 18, "UTC")
    with break_drawing():
        advance_clock_to(house, 12, 18, 0)
    mail = newest_mail(house, "Bob")
    assert kinds_of_mails(house, "Bob")[-1] == "digest"
    assert pictures_in(mail) == 0
    assert "<img" not in html_of(mail)
    assert "pick=" in html_of(mail)
    with house.site.reading() as session:
        assert {one.game_title for one in alarms.picture_alarms(session.connection())} == {"Hogen", "Hexen Rennen"}


def test_a_cover_that_cannot_be_drawn_delays_no_invitation_but_alarms(house: House) -> None:
    """Its alarm ends after a day without another: a board says nothing of a cover."""
    matches.confirm_match(house.site, house.claim("confirm", house.create(), 0), "fr", "Europe/Paris")
    with break_drawing(break_covers):
        house.drain()
    for name in ("Bob", "Carol"):
        assert kinds_of_mails(house, name)[-1] == "invitation"
        assert pictures_in(newest_mail(house, name)) == 0
    assert alarms_of_games(house) == ["undrawn:some:hogen"]
    house.clock.forward(hours=25)
    alarm.watch_mails(house.site)
    assert alarms_of_games(house) == []


@pytest.mark.long
@pytest.mark.parametrize("nothing", [None, "", b"<svg/>", "<svg", "{9}"])
def test_a_game_that_draws_invalid_boards_stops_no_mail(house: House, nothing: object) -> None:
    house.begin()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compose, "draw_board", draw_board)
        draw_as(patch, lambda *_, **__: nothing)
        house.drain()
    assert kinds_of_mails(house, "Alice")[-1] == "turn"
    assert pictures_in(newest_mail(house, "Alice")) == 0
    assert picture_state_of_readyz(house) == ("undrawn", "degraded")


@pytest.mark.long
def test_the_log_of_a_failed_drawing_names_game_and_fault_but_no_secret(house: House) -> None:
    house.begin()
    with break_drawing(), capture_logs() as lines:
        house.drain()
    told = [line for line in lines if line["event"] == "mail.undrawn"]
    assert [(line["game"], line["log_level"]) for line in told] == 3 * [("hogen", "error")]
    assert all(line["fault"].startswith("ValueError at test_undrawn.py:") for line in told)
    assert not any(name.lower() in str(lines).lower() for name in (*CAST, "<text", "example.org"))
    with house.site.reading() as session:
        assert house.site.counters.read()["undrawn|hogen"] == 3
        assert len(alarms.picture_alarms(session.connection())) == 1


def test_a_picture_alarm_ends_once_the_games_first_board_can_be_drawn(house: House) -> None:
    house.begin()
    with break_drawing():
        house.drain()
        alarm.watch_mails(house.site)
    assert picture_state_of_readyz(house) == ("undrawn", "degraded")
    with capture_logs() as lines:
        alarm.watch_mails(house.site)
    assert picture_state_of_readyz(house) == ("ok", "ready")
    assert [line["game"] for line in lines if line["event"] == "mail.drawn"] == ["hogen"]


@pytest.mark.long
def test_a_picture_alarm_of_some_positions_ends_after_a_day_without_more(house: House) -> None:
    """Not with the next mail that has its picture, which says nothing about those positions."""
    match_id = house.begin()
    alarms.raise_picture_alarm(house.site, hogen(), 1, "ValueError at painter.py:1")
    for seat in range(3):
        house.play(match_id, seat)
    with capture_logs() as lines:
        house.drain()
    assert pictures_in(newest_mail(house, "Alice")) > 0
    assert len(alarms_of_games(house)) == 1
    assert not [line for line in lines if line["event"] == "mail.drawn"]
    house.clock.forward(hours=23)
    alarms.raise_picture_alarm(house.site, hogen(), 2, "ValueError at painter.py:1")
    house.clock.forward(hours=23)
    alarm.watch_mails(house.site)
    assert len(alarms_of_games(house)) == 1
    house.clock.forward(hours=2)
    alarm.watch_mails(house.site)
    assert alarms_of_games(house) == []


@pytest.mark.long
def test_mails_about_another_game_end_no_picture_alarm(house: House) -> None:
    house.begin()
    with break_drawing():
        house.drain()
    house.begin(3, "hagakure")
    house.drain()
    assert "turn" in kinds_of_mails(house, "Alice")
    with house.site.reading() as session:
        assert [one.game_title for one in alarms.picture_alarms(session.connection())] == ["Hogen"]


def test_the_picture_alarm_of_a_game_no_longer_installed_ends(house: House) -> None:
    with house.site.writing() as work:
        work.add(Heartbeat(name="undrawn:all:gone", at=house.clock()))
    assert picture_state_of_readyz(house)[0] == "undrawn"
    alarm.watch_mails(house.site)
    assert picture_state_of_readyz(house)[0] == "ok"


class LongName(Glimpse):
    meta = replace(META, slug="a" * 60)


def test_two_faults_of_a_game_with_a_long_name_raise_one_picture_alarm(house: House) -> None:
    for row in (1, 2):
        alarms.raise_picture_alarm(house.site, LongName(), row, "ValueError at painter.py:1")
    (name,) = alarms_of_games(house)
    assert len(name) == NAME_MOST


@pytest.mark.long
def test_a_reader_without_pictures_raises_and_ends_no_picture_alarm(house: House) -> None:
    match_id = house.begin()
    for name in CAST[:3]:
        number = player_of(house, name).id
        assert number is not None
        digests.set_preferences(house.site, number, "en", "Europe/London", None, pictures=False)
    with break_drawing():
        house.drain()
    assert picture_state_of_readyz(house) == ("ok", "ready")
    alarms.raise_picture_alarm(house.site, hogen(), 1, "ValueError at painter.py:1")
    for seat in range(3):
        house.play(match_id, seat)
    house.drain()
    assert picture_state_of_readyz(house) == ("undrawn", "degraded")


def break_composing(patch: pytest.MonkeyPatch, error: Exception) -> None:
    patch.setattr(sender, "compose_mail", partial(raise_on_call, error))


@pytest.mark.parametrize("way", [break_boards, break_marks, break_game, break_composing])
def test_a_time_limit_reached_while_rendering_leaves_the_mail_for_later(house: House, way: Breaking) -> None:
    house.begin()
    with break_drawing(way, SoftTimeLimitExceeded()), pytest.raises(SoftTimeLimitExceeded):
        house.drain()
    assert picture_state_of_readyz(house)[0] == "ok"
    assert health.read_health(house.site.config, house.clock()).mail == "ok"
    house.clock.forward(seconds=claims.LEASE.total_seconds() + 1)
    house.drain()
    assert pictures_in(newest_mail(house, "Alice")) > 0
