"""The one mail a day: who gets it and when, and the mails that are left to it or brought back."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import text
from sqlmodel import select

from pbem.models.tables import OutboxRow, Player
from pbem.services import versions
from pbem.services.mail import digests
from pbem.services.players import players
from pbem.services.tokens import StopClaim
from tests.services.chronicles.chronicle import Chronicle
from tests.services.letterbox import id_of, once_a_day
from tests.table import START, House


def tell(house: House, told: Chronicle) -> None:
    _tell_hours(told)
    _tell_sweeping(house, told)
    _bringing_back(house, told)
    _tell_choosing(house, told)
    _tell_stopping(house, told)


def _tell_hours(told: Chronicle) -> None:
    told.part("the hour in a form")
    for typed in ("", "0", "07", "23", "24", "007", "-1", "x", "²", "1 "):
        told.do(f"“{typed}”", lambda typed=typed: digests.check_digest_hour(typed))  # type: ignore[misc]


def _sweeps(house: House) -> Callable[[], int]:
    return lambda: digests.queue_digests_and_reopen_mails(house.site)


def _tell_sweeping(house: House, told: Chronicle) -> None:
    told.part("queueing")
    house.begin(3)
    house.drain()
    told.skip()
    told.do("nobody has one", _sweeps(house))
    once_a_day(house, "Alice", 18)
    once_a_day(house, "Bob", 18, "Asia/Tokyo")
    once_a_day(house, "Carol", 23, "America/New_York")
    told.skip()
    for day, hour, minute in ((12, 16, 59), (12, 17, 0), (13, 2, 59), (13, 3, 0), (13, 5, 0), (13, 8, 59), (13, 9, 0)):
        house.clock.at = datetime(2026, 3, day, hour, minute, tzinfo=UTC)
        told.do(f"on the {day}th at {hour}:{minute:02} UTC", _sweeps(house))
    told.do("at once again", _sweeps(house))
    with house.site.reading() as session:
        for name in ("Alice", "Bob", "Carol"):
            player = session.get_one(Player, id_of(house, name))
            told.do(f"{name}'s next one", lambda player=player: digests.next_digest_at(session, player, house.clock()))  # type: ignore[misc]
            at = digests.next_digest_at(session, player, house.clock())
            for title, moment in (("when it is due", at), ("a moment later", at + timedelta(microseconds=1))):
                told.do(f"whether it comes before {title}", lambda player=player, moment=moment: (
                    digests.time_of_digest_before_deadline(session, player, moment, house.clock()),
                    digests.time_of_digest_before_deadline(session, player, moment, house.clock()) is not None))  # type: ignore[misc]  # fmt: skip
    house.clock.at = datetime(2026, 3, 14, 4, 59, 59, tzinfo=UTC)
    told.do("Alice's is nearly twelve hours late", _sweeps(house))
    house.clock.at = datetime(2026, 3, 15, 5, 0, tzinfo=UTC)
    told.do("Alice's is twelve hours late", _sweeps(house))
    _tell_closing(house, told)


def _tell_closing(house: House, told: Chronicle) -> None:
    with house.site.engine.begin() as connection:
        connection.execute(text("UPDATE outbox SET done_at = due_at, result = 'sent' WHERE done_at IS NULL"))
    told.skip()


def _bringing_back(house: House, told: Chronicle) -> None:
    told.part("turn mails that are left to one")
    site = house.site
    house.clock.at = START + timedelta(days=20)
    once_a_day(house, "Bob", None, "UTC")
    once_a_day(house, "Carol", None, "UTC")
    once_a_day(house, "Alice", 18, "UTC")
    _tell_closing(house, told)
    match_id = house.begin(3)
    house.drain()
    told.skip()
    with site.reading() as session:
        row = session.exec(
            select(OutboxRow).where(OutboxRow.match_id == match_id, OutboxRow.seat == 0, OutboxRow.kind == "turn")
        ).one()
    told.do("what has become of Alice's", lambda: (row.key, row.result, row.done_at))

    def at(hour: int, second: int = 0) -> datetime:
        return datetime(2026, 4, 1, hour, 0, second, tzinfo=UTC)

    def sweep(title: str, statement: str, **values: object) -> None:
        with site.engine.begin() as connection:
            left = {"row": row.id, "at": row.done_at}
            connection.execute(text("UPDATE outbox SET result = 'digest', done_at = :at WHERE id = :row"), left)
            connection.execute(text(statement), values)
        told.skip()
        told.do(title, _sweeps(house))

    deadline = "UPDATE asks SET deadline = :at WHERE match_id = :match AND seat = 0"
    sweep("her digest comes in time", deadline, at=at(16, 1), match=match_id)
    sweep("it comes too late", deadline, at=at(16), match=match_id)
    sweep("it comes too late, but she has answered", "UPDATE asks SET sealed_at = :at WHERE seat = 0", at=at(16))
    sweep("it comes too late, and she has not", "UPDATE asks SET sealed_at = NULL")
    with site.reading() as session:
        number = session.exec(select(OutboxRow.id).where(OutboxRow.kind == "digest", OutboxRow.player_id == 1)).first()
    change = f"UPDATE outbox SET done_at = :done, result = :result, unrendered_since = :since WHERE id = {number}"
    sweep("one is about to leave", change, done=None, result=None, since=None)
    sweep("one that cannot be written", change, done=None, result=None, since=at(12))
    sweep("one has left since", change, done=row.done_at, result="sent", since=None)
    sweep("one has left, and the clock runs", "UPDATE asks SET mailed_at = :at WHERE seat = 0", at=at(12))
    sweep("one had left before", change, done=at(11), result="sent", since=None)
    sweep("one was given up", change, done=at(15), result="rejected", since=None)
    house.begin(3)
    once_a_day(house, "Alice", 18, "UTC")
    house.drain()
    told.skip()
    told.do(
        "she wants a mail each turn", lambda: digests.set_preferences(site, id_of(house, "Alice"), "en", "UTC", None)
    )
    _tell_closing(house, told)


def _tell_choosing(house: House, told: Chronicle) -> None:
    told.part("choosing")
    site, bob = house.site, id_of(house, "Bob")

    def sets(*given: Any, **more: Any) -> Callable[[], str]:
        return lambda: digests.set_preferences(site, bob, *given, **more)

    told.do("a language that is none", sets("xx", "UTC", None))
    told.do("a zone that is none", sets("en", "Europe/Nowhere", None))
    told.do("nobody", lambda: digests.set_preferences(site, 99, "en", "UTC", None))
    told.do("a digest at five", sets("fr", "Europe/Paris", 5))
    told.do("the same", sets("fr", "Europe/Paris", 5))
    told.do("at another hour, without pictures", sets("fr", "Europe/Paris", 23, pictures=False))
    told.do("pictures as before", sets("fr", "Europe/Paris", 23))
    told.do("in another zone", sets("fr", "Asia/Tokyo", 23))
    told.do("what is in his form", lambda: digests.mail_settings_of(players.read_account(site, bob)))
    seen = versions.digest_of_values("fr", "Asia/Tokyo", 23, False)
    told.do("by a form that has seen it", sets("en", "Asia/Tokyo", 23, pictures=True, version=seen))
    told.do("by one that was opened before", sets("fr", "Asia/Tokyo", 7, pictures=False, version=seen))
    told.do("by one that was changed meanwhile", sets("xx", "Asia/Tokyo", 7, pictures=False, version=seen))
    told.do("a mail each turn", sets("en", "UTC", None))


def _tell_stopping(house: House, told: Chronicle) -> None:
    told.part("all matches")
    site = house.site
    over = house.begin(3)
    house.play_out(over)
    _tell_closing(house, told)

    def claim(address: str = "bob@example.org") -> Any:
        return site.tokens.read(StopClaim, site.tokens.sign_for(StopClaim, id_of(house, "Bob"), address))

    told.do("Bob's", lambda: digests.read_language_and_mute_of_stop_link(site, claim()))
    told.do(
        "with a link for another address",
        lambda: digests.read_language_and_mute_of_stop_link(site, claim("b@example.org")),
    )
    told.do("Bob mutes all", lambda: digests.mute_all_matches(site, claim(), True))
    told.do("what he sees then", lambda: digests.read_language_and_mute_of_stop_link(site, claim()))
    told.do("and again", lambda: digests.mute_all_matches(site, claim(), True))
    told.do("no longer", lambda: digests.mute_all_matches(site, claim(), False))
    told.do("with a link for another address", lambda: digests.mute_all_matches(site, claim("b@example.org"), True))
