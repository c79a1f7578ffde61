"""Devices: subscribing to a seat, what a notification says, and what becomes of its calls."""

from __future__ import annotations

import base64
import json
import time
from datetime import timedelta
from typing import Any
from unittest.mock import patch

from sqlmodel import select, update

from pbem.errors import Unauthorized
from pbem.features import safe_http
from pbem.features.push import ahead, notices, subscriptions
from pbem.features.push.notices import Notice
from pbem.features.push.subscriptions import Call, Device
from pbem.features.push.tables import PushSubscription
from pbem.features.safe_http import Answer
from pbem.models.tables import AskRow, Match, OutboxRow, Player, SeatRow, table
from tests.services.chronicles.chronicle import Chronicle
from tests.services.players.listed import note_results_of_cases, store_rows
from tests.table import House

POINT = base64.urlsafe_b64encode(
    bytes.fromhex(
        "046b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c2964fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ece"
        "cbb6406837bf51f5"
    )
).decode()
SECRET = base64.urlsafe_b64encode(bytes(range(16))).decode()
PUSH = "https://push.example.org/"
DAY, SECOND = timedelta(days=1), timedelta(seconds=1)


def _device(name: str, **other: str) -> Device:
    return Device(**({"endpoint": PUSH + name, "p256dh": POINT, "auth": SECRET} | other))


def tell(house: House, told: Chronicle) -> None:
    match_id = house.begin()
    told.skip()
    told.part("subscribing")
    _tell_subscribing(house, told, match_id)
    told.part("notifications")
    _tell_notices(house, told, match_id)
    told.part("calls")
    _tell_calls(house, told, match_id)
    _tell_settling(house, told, match_id)
    told.part("the end")
    _tell_ending(house, told, match_id)


def _tell_subscribing(house: House, told: Chronicle, match_id: str) -> None:
    site = house.site
    bob = house.claim("play", match_id, 1)

    def subscribe(device: Device, claim: Any = bob) -> None:
        subscriptions.subscribe_device(site, claim, device)

    wrong: dict[str, Device] = {
        "by http": _device("1", endpoint="http://push.example.org/"), "no point": _device("1", p256dh=POINT[:-4]),
        "padding": _device("1", p256dh=POINT.rstrip("=") + "A"), "no base64": _device("1", auth="!" * 22),
        "another letter": _device("1", auth="é" * 22), "a short secret": _device("1", auth="AAAA"),
        "a long one": _device("1", auth=SECRET + "A" * 80), "another point": _device("1", p256dh="A" * 87),
        "a long endpoint": _device("x" * (1001 - len(PUSH))),
    }  # fmt: skip
    note_results_of_cases(told, "refused", lambda name: subscribe(wrong[name]), wrong)
    told.do("Bob's phone", lambda: subscribe(_device("1")))
    house.clock.forward(seconds=1)
    told.do(
        "again, without padding", lambda: subscribe(_device("1", p256dh=POINT.rstrip("="), auth=SECRET.rstrip("=")))
    )
    told.do("the longest endpoint", lambda: subscribe(_device("x" * (1000 - len(PUSH)))))
    told.do("an old link", lambda: subscribe(_device("1"), house.claim("play", match_id, 1, 1)))
    for name in ("2", "3", "4"):
        house.clock.forward(seconds=1)
        subscribe(_device(name))
    told.skip()
    house.clock.forward(seconds=1)
    told.do("the sixth takes the place of the first", lambda: subscribe(_device("5")))
    told.do("Alice's is Bob's", lambda: subscribe(_device("1"), house.claim("play", match_id, 0)))
    with site.reading() as session:
        names = [
            one.endpoint[-1]
            for one in subscriptions.subscriptions_of_seat(session, session.get_one(SeatRow, (match_id, 1)))
        ]
    told.lines += ["", f"  {names}"]
    told.do("the phone is stopped at all seats", lambda: subscriptions.unsubscribe_device(site, PUSH + "1"))
    told.do("again", lambda: subscriptions.unsubscribe_device(site, PUSH + "1"))
    with site.writing() as work:
        seat = work.get_one(SeatRow, (match_id, 1))
        seat.epoch = 1
        work.add(seat)
    told.skip()
    told.do("a new link ends the old ones", lambda: subscribe(_device("7"), house.claim("play", match_id, 1, 1)))
    _tell_limit_reached(house, told, match_id, lambda: subscribe(_device("many"), house.claim("play", match_id, 1, 1)))
    for values in ({"untimed": True}, {"status": "over"}, {"status": "cancelled"}):
        before = {"untimed": False, "status": "running"}
        _set(house, match_id, **values)
        told.skip()
        told.do(f"nobody is written to: {values}", lambda: subscribe(_device("8"), house.claim("play", match_id, 1, 1)))
        _set(house, match_id, **before)
    told.skip()


def _set(house: House, match_id: str, **values: Any) -> None:
    m = table(Match)
    with house.site.writing() as work:
        work.execute(update(m).where(m.c.id == match_id).values(**values))


def _tell_limit_reached(house: House, told: Chronicle, match_id: str, subscribe: Any) -> None:
    """A device at a hundred other seats, then at one less."""
    site, name = house.site, subscriptions.endpoint_hash(PUSH + "many")
    rows = [{"id": f"{at:024x}", "game": "hogen", "options": "{}", "status": "running", "seed": b"", "commitment": "",
             "turn_s": 1, "window_s": 1, "created_at": house.clock()} for at in range(900, 1000)]  # fmt: skip
    common = {
        "seat": 0,
        "device": name,
        "epoch": 0,
        "endpoint": "x",
        "p256dh": "",
        "auth": "",
        "created_at": house.clock(),
    }
    with site.writing() as work:
        work.connection().execute(table(Match).insert(), rows)
        work.connection().execute(table(PushSubscription).insert(), [common | {"match_id": row["id"]} for row in rows])
    told.skip()
    told.do("a hundred seats", subscribe)
    t = table(PushSubscription)
    with site.writing() as work:
        work.execute(t.delete().where(t.c.match_id == rows[0]["id"]))
    told.skip()
    told.do("one less", subscribe)
    with site.writing() as work:
        work.execute(t.delete().where(t.c.device == name))
        work.execute(table(Match).delete().where(table(Match).c.id.in_([row["id"] for row in rows])))
    told.skip()


def _notice(house: House, match_id: str, **row: Any) -> Notice | None:
    site = house.site
    with site.reading() as session:
        found = session.exec(select(OutboxRow).where(OutboxRow.kind == "turn", OutboxRow.seat == 1)).one()
        mail = OutboxRow(**found.model_dump() | row)
        seat = session.get_one(SeatRow, (match_id, 1))
        return notices.notice_for(
            site, session, mail, session.get_one(Match, match_id), seat, session.get_one(Player, seat.player_id)
        )


def _tell_notices(house: House, told: Chronicle, match_id: str) -> None:
    site = house.site

    def change(model: Any, *where: Any, **values: Any) -> None:
        with site.writing() as work:
            work.execute(update(model).where(*where).values(**values))

    a, s, p = table(AskRow), table(SeatRow), table(Player)
    ask, seat, bob = (a.c.seat == 1,), (s.c.match_id == match_id, s.c.seat == 1), (p.c.id == 2,)

    def say(title: str, **row: Any) -> None:
        told.do(title, lambda: _notice(house, match_id, **row))

    say("Bob's turn")
    told.do("as JSON", lambda: json.loads((_notice(house, match_id) or _none()).payload()))
    say("a reminder", kind="reminder")
    say("a kickoff", kind="kickoff")
    say("the end of a match that runs", kind="over")
    say("another question", key="t9")
    changes: list[tuple[str, Any, Any, dict[str, Any], dict[str, Any]]] = [
        ("muted", s, seat, {"muted": True}, {"muted": False}),
        ("not accepted", s, seat, {"status": "invited"}, {"status": "accepted"}),
        ("in quiet hours", p, bob, {"quiet_from": 12, "quiet_to": 14}, {"quiet_from": None, "quiet_to": None}),
        ("no deadline", a, ask, {"deadline": None}, {"deadline": _who_is_asked(house).deadline}),
        ("answered in a silent window", a, ask, {"sealed_at": house.clock()}, {"sealed_at": None}),
        ("answered", a, ask, {"closed_at": house.clock()}, {"closed_at": None}),
        ("paused", table(Match), (table(Match).c.id == match_id,), {"status": "paused"}, {"status": "running"}),
        ("an hour is left", a, ask, _left(house, 3600), {}),
        ("a little more", a, ask, _left(house, 3601), {}),
        ("half a minute", a, ask, _left(house, 30), {}),
        ("forty days", a, ask, _left(house, 40 * 86_400), _left(house, 259_200)),
        ("in French", p, bob, {"language": "fr", "zone": "Europe/Paris"}, {"language": "en"}),
    ]  # fmt: skip
    for title, model, where, values, back in changes:
        change(model, *where, **values)
        told.skip()
        say(title)
        if back:
            change(model, *where, **back)
        told.skip()
    _set(house, match_id, status="over")
    told.skip()
    say("it is over", kind="over")
    say("its turn has passed")
    _set(house, match_id, status="running")
    told.skip()
    told.lines += ["", f"  {notices.opaque_name_of_mail(site, 'turn:1')}"]
    with site.reading() as session:
        mails = [row.dedupe for row in session.exec(select(OutboxRow).where(OutboxRow.kind == "turn")).all()]
    claim = house.claim("play", match_id, 1, 1)
    for dedupe in mails:
        name = notices.opaque_name_of_mail(site, dedupe)
        told.do(f"{dedupe[:5]} of {dedupe[-8:]} is opened", lambda n=name: subscriptions.note_opened(site, claim, n))  # type: ignore[misc]

    def all_again() -> None:
        for dedupe in mails:
            subscriptions.note_opened(site, claim, notices.opaque_name_of_mail(site, dedupe))

    told.do("again", all_again)
    told.do("an old link", lambda: subscriptions.note_opened(site, house.claim("play", match_id, 1), "x"))


def _left(house: House, seconds: int) -> dict[str, Any]:
    """The time that a question has, if its mail leaves now."""
    return {"allowed_s": seconds, "deadline": house.clock() + timedelta(seconds=seconds), "runs_out": None}


def _none() -> Notice:
    raise Unauthorized("no notification")


def _who_is_asked(house: House) -> AskRow:
    with house.site.reading() as session:
        return session.exec(select(AskRow).where(AskRow.seat == 1)).one()


def _tell_calls(house: House, told: Chronicle, match_id: str) -> None:
    site, now = house.site, house.clock()
    notice = _notice(house, match_id) or _none()
    got: list[Any] = []
    answers: list[Answer] = []

    def call(url: str, body: bytes, headers: dict[str, str], *, private: bool, life_s: float) -> Answer:
        said = headers["Authorization"]
        payload = said.partition("t=")[2].split(".")[1]
        claims = json.loads(base64.urlsafe_b64decode(payload + "=="))
        shown = {name: value for name, value in headers.items() if name != "Authorization"}
        got.append([url, len(body), private, life_s, shown, claims])
        return answers[0]

    def device(name: str, **more: Any) -> PushSubscription:
        row: dict[str, Any] = {"epoch": 1, "p256dh": POINT.rstrip("="), "auth": SECRET.rstrip("="), "created_at": now}
        server = f"https://{name}.example.org/1"
        return PushSubscription(match_id=match_id, seat=1, device=name, endpoint=server, **row | more)

    moment = [1000.0]
    with (
        patch.object(safe_http, "post_safely", call),
        patch.object(ahead, "RESTING", {}),
        patch.object(time, "monotonic", lambda: moment[0]),
    ):
        answers[:] = [Answer(201)]
        told.do("one device", lambda: [one.result for one in ahead.notify_devices(site, [device("a")], notice)])
        told.lines += [f"    {line}" for line in map(str, got[0])]
        both = [device("a"), device("b")]
        told.do("two", lambda: [one.device.device for one in ahead.notify_devices(site, both, notice)])
        broken = [device("a", auth="x")]
        told.do("keys that nothing can be written for", lambda: ahead.notify_devices(site, broken, notice)[0].result)
        age = timedelta(days=30)
        rows: dict[str, dict[str, Any]] = {
            "young": {},
            "often": {"refusals": 9},
            "almost often": {"refusals": 8, "created_at": now - age},
            "unseen": {"refusals": 9, "created_at": now - age},
            "seen": {"refusals": 9, "created_at": now - age + SECOND},
        }
        for answer in (Answer(200), Answer(404), Answer(410), Answer(401), Answer(403), Answer(408), Answer(429),
                       Answer(400), Answer(499), Answer(500), Answer(503), Answer(error="timeout")):  # fmt: skip
            answers[:] = [answer]
            results = {}
            for name, more in rows.items():
                ahead.RESTING.clear()
                results[name] = ahead.notify_devices(site, [device("c", **more)], notice)[0].result
            told.lines.append(f"  {answer.status}: {results}, resting {[*ahead.RESTING.items()]}")
        _tell_rests(told, moment, lambda name: ahead.notify_devices(site, [device(name)], notice)[0].result)
    told.lines.append(f"  {subscriptions.public_key('secret')}")
    told.skip()


def _tell_rests(told: Chronicle, moment: list[float], notify: Any) -> None:
    """Servers that do not answer are left alone for a minute, a thousand at most."""
    ahead.RESTING.clear()
    results = []
    for after in (0.0, 59.9, 0.1, 0.0):
        moment[0] += after
        results.append((moment[0], notify("slow"), dict(ahead.RESTING)))
    told.lines += [f"  {one}" for one in results]
    moment[0] += 30
    notify("other")
    moment[0] += 30
    notify("third")
    told.lines.append(f"  {ahead.RESTING}")
    with patch.object(ahead, "MOST_RESTING", 2):
        notify("fourth")
    told.lines.append(f"  {ahead.RESTING}")


def _tell_settling(house: House, told: Chronicle, match_id: str) -> None:
    site, now = house.site, house.clock()
    for name, refusals in (("gone", 0), ("refused", 1), ("failed", 2), ("accepted", 3), ("none", 0), ("skipped", 4),
                           ("anew", 0)):  # fmt: skip
        store_rows(
            house,
            PushSubscription(
                match_id=match_id,
                seat=1,
                device=name,
                epoch=1,
                endpoint=name,
                p256dh="",
                auth="",
                created_at=now,
                refusals=refusals,
            ),
        )
    told.skip()

    def settle(**results: Any) -> None:
        with site.writing() as work:
            calls = [
                Call(work.get_one(PushSubscription, (match_id, 1, name)), result) for name, result in results.items()
            ]
            work.expunge_all()
            for call in calls:
                if call.device.device == "anew":
                    call.device.created_at -= SECOND
            subscriptions.note_results_of_calls(work, calls)

    told.do(
        "settled",
        lambda: settle(
            gone="gone",
            refused="refused",
            failed="failed",
            accepted="accepted",
            none="accepted",
            skipped="skipped",
            anew="gone",
        ),
    )


def _tell_ending(house: House, told: Chronicle, match_id: str) -> None:
    site, now = house.site, house.clock()

    def forget(most: int) -> int:
        with site.writing() as work:
            return subscriptions.forget_ended_subscriptions(work, house.clock(), most)

    store_rows(house,
    *(PushSubscription(match_id=match_id, seat=2, device=f"{epoch}", epoch=epoch, endpoint="x", p256dh="",
          auth="", created_at=now) for epoch in (0, 1, 2)))  # fmt: skip
    told.skip()
    told.do("a link that has ended", lambda: forget(1))
    told.do("and another", lambda: forget(9))
    _set(house, match_id, status="over", ended_at=now - 7 * DAY + SECOND)
    told.skip()
    told.do("a match that ended within a week", lambda: forget(9))
    _set(house, match_id, ended_at=now - 7 * DAY)
    told.skip()
    told.do("a week ago: the first in their order", lambda: forget(2))

    def seat_goes() -> None:
        with site.writing() as work:
            subscriptions.forget_seat(work, work.get_one(SeatRow, (match_id, 2)))

    told.do("those of a seat", seat_goes)
    told.do("the others", lambda: forget(9))
