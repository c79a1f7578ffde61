"""Webhooks: adding and changing them, the calls that they get, and what becomes of calls that fail."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any
from unittest.mock import patch

import msgspec
from sqlmodel import col, delete, select, update

from pbem.errors import Busy, GameUnavailable
from pbem.features import safe_http
from pbem.features.leagues.running import seasons
from pbem.features.leagues.tables import SeasonCursor
from pbem.features.safe_http import Answer
from pbem.features.webhooks import chats, cursors, deliveries, payloads, registry
from pbem.features.webhooks.chats import Message
from pbem.features.webhooks.tables import Delivery, Webhook, WebhookCursor
from pbem.models.tables import EntryRow, OutboxRow, table
from pbem.services.access.idempotency import IdempotencyKey
from pbem.services.play import presence
from pbem.services.who import HOST
from tests.features.leagues.cups import finish_match, pair_matches, running_cup, tally_and_publish
from tests.services.chronicles.chronicle import Chronicle
from tests.services.players.listed import note_results_of_cases, result_in_a_line, store_rows
from tests.table import House, claim_of

SETTINGS: dict[str, Any] = {"mail_hold_s": 60}
URL = "https://example.org/hook"
DISCORD, SLACK = "https://discord.com/api/webhooks/1", "https://hooks.slack.com/services/1"
OK, FAILED = Answer(204), Answer(500)
DAY, SECOND = timedelta(days=1), timedelta(seconds=1)


def tell(house: House, told: Chronicle) -> None:
    match_id = house.begin()
    told.skip()
    _tell_forms(told)
    told.part("webhooks")
    _tell_adding(house, told, match_id)
    _tell_changing(house, told)
    _by_hand(house, told)
    _of_the_host(house, told)
    _tell_clearing(house, told)
    told.part("calls about a match")
    _tell_news(house, told, match_id)
    _tell_clearing(house, told)
    told.part("calls that fail")
    _tell_failures(house, told, match_id)
    _tell_clearing(house, told)
    told.part("calls about a league")
    _tell_league(house, told)


def _tell_clearing(house: House, told: Chronicle) -> None:
    with house.site.writing() as work:
        for model in (Delivery, WebhookCursor, SeasonCursor, Webhook, OutboxRow):
            work.connection().execute(delete(model))
    told.skip()


def _tell_forms(told: Chronicle) -> None:
    told.part("messages to chats")
    signs = "a*b_c<@1>&[x](y)"
    messages = {
        "short": Message("Hello", ("one", "two"), "https://x.org/"), "bare": Message("Hello"),
        "signs": Message(signs, (signs,)), "2000": Message("x" * 2000), "2001": Message("x" * 2001),
        "2000 linked": Message("x" * 1985, (), "https://x.org/"), "2001 linked": Message("x" * 1986, (), "https://x.org/"),
        "escaped 2001": Message("*" * 1000 + "x"), "amps": Message("&" * 400), "amps 2005": Message("&" * 401),
    }  # fmt: skip
    for form in chats.FORMS.values():
        note_results_of_cases(told, form.__name__, lambda name, form=form: form(messages[name]), messages)  # type: ignore[misc]
    told.lines.append(f"  {chats.PRESETS} {sorted(payloads.TYPES.items())}")
    key = bytes(range(32))
    note_results_of_cases(
        told, "signatures", lambda stamp: payloads.signature_of_call(key, "msg_1", stamp, b"{}"), (0, 1)
    )


def _tell_adding(house: House, told: Chronicle, match_id: str) -> None:
    site = house.site
    add: Callable[..., Any] = registry.add_webhook
    tries: dict[str, Callable[[], Any]] = {
        "an address by http": lambda: add(site, 1, "http://example.org/", ["over"]),
        "a preset that is not there": lambda: add(site, 1, URL, ["over"], "irc"),
        "another's chat": lambda: add(site, 1, URL, ["over"], "discord"),
        "no events": lambda: add(site, 1, URL, []),
        "an event that is not there": lambda: add(site, 1, URL, ["over", "season"]),
        "the host has no turns": lambda: add(site, HOST, URL, ["your_turn"]),
        "a league has no moves": lambda: add(site, 1, URL, ["moved"], about="x"),
        "a match and a league": lambda: add(site, 1, URL, ["over"], match_id=match_id, about="x"),
        "a match that is not there": lambda: add(site, 1, URL, ["over"], match_id="0" * 24),
        "what is no match": lambda: add(site, 1, URL, ["over"], match_id="x"),
        "a match that is not there, for the host": lambda: add(site, HOST, URL, ["over"], match_id="0" * 24),
        "a league that is not there": lambda: add(site, 1, URL, ["over"], about="x"),
        "nobody's": lambda: add(site, 99, URL, ["over"]),
    }
    note_results_of_cases(told, "refused", lambda title: tries[title](), tries)
    once = IdempotencyKey("player:1", "k", "d")
    told.do("Alice's", lambda: add(site, 1, URL, ["over", "your_turn", "moved"], once=once))
    told.do("once more", lambda: add(site, 1, URL, ["over", "your_turn", "moved"], once=once))
    told.do("a chat of one match", lambda: add(site, 1, DISCORD, ["over"], "discord", match_id, "en"))
    told.do("Bob's", lambda: add(site, 2, SLACK, ["moved"], "slack"))
    told.do("the host's", lambda: add(site, HOST, URL, ["moved", "over"], match_id=match_id, language="fr"))
    told.do("all", lambda: registry.list_all_webhooks(site))
    note_results_of_cases(
        told, "whose", lambda who: [hook.id for hook in registry.list_webhooks(site, who)], (1, 2, 3, HOST)
    )
    told.do("Alice's first", lambda: registry.read_webhook(site, 1, 1))
    note_results_of_cases(
        told,
        "not theirs",
        lambda one: registry.read_webhook(site, *one),
        ((1, 3), (1, 4), (HOST, 1), (1, 99), (1, 2**31)),
    )
    ids = [add(site, 1, URL, ["over"])[0].id for _ in range(7)]
    told.do("the tenth", lambda: add(site, 1, URL, ["over"]))
    told.do("one more", lambda: add(site, 1, URL, ["over"]))
    told.do("an eleventh of the host would do", lambda: len(registry.list_webhooks(site, HOST)))
    for number in ids:
        registry.remove_webhook(site, 1, number)
    told.skip()
    told.do("the first is removed", lambda: registry.remove_webhook(site, 1, 1))
    told.do("again", lambda: registry.remove_webhook(site, 1, 1))
    told.do("Bob's by Alice", lambda: registry.remove_webhook(site, 1, 3))
    told.do("what was made is gone", lambda: add(site, 1, URL, ["over", "your_turn", "moved"], once=once))


def _tell_changing(house: House, told: Chronicle) -> None:
    site = house.site
    will = registry.read_webhook(site, 1, 2).owner_settings
    told.do("nothing is changed", lambda: registry.change_webhook(site, 1, 2))
    told.do("other events", lambda: registry.change_webhook(site, 1, 2, kinds=["moved", "your_turn"], was=will))
    told.do("by what was", lambda: registry.change_webhook(site, 1, 2, kinds=["over"], was=will))
    told.do("no events", lambda: registry.change_webhook(site, 1, 2, kinds=[]))
    told.do("a chat has no secret", lambda: registry.change_webhook(site, 1, 2, rotate=True))
    told.do("the host's gets another", lambda: registry.change_webhook(site, HOST, 4, rotate=True))
    told.do("it is active already", lambda: registry.change_webhook(site, 1, 2, active=True))
    told.do("another's", lambda: registry.change_webhook(site, 2, 2))


def _by_hand(house: House, told: Chronicle) -> None:
    site = house.site
    once = IdempotencyKey("host", "p", "d")
    told.do("a test call", lambda: registry.send_test_call(site, HOST, 4, once))
    told.do("once more, by its key", lambda: registry.send_test_call(site, HOST, 4, once))
    told.do("once more", lambda: registry.send_test_call(site, HOST, 4))
    told.do("of another one", lambda: registry.send_test_call(site, 1, 4))
    house.clock.at += 10 * SECOND - SECOND / 10
    told.do("too soon", lambda: registry.send_test_call(site, HOST, 4))
    house.clock.at += SECOND / 10
    told.do("after ten seconds", lambda: registry.send_test_call(site, HOST, 4))
    for answer in (OK, FAILED):
        told.do(f"a call is answered {answer.status}", lambda one=answer: _run(house, one, most=1))  # type: ignore[misc]
    told.do("it is made again, too soon", lambda: registry.redeliver_call(site, HOST, 4, 1))
    told.do("what failed is due now", lambda: registry.redeliver_call(site, HOST, 4, 2))
    house.clock.at += 10 * SECOND - SECOND / 10
    told.do("still too soon", lambda: registry.redeliver_call(site, HOST, 4, 1))
    house.clock.at += SECOND / 10
    again = IdempotencyKey("host", "r", "d")
    told.do("after ten seconds", lambda: registry.redeliver_call(site, HOST, 4, 1, again))
    told.do("by its key", lambda: registry.redeliver_call(site, HOST, 4, 1, again))
    note_results_of_cases(
        told,
        "no such call",
        lambda one: registry.redeliver_call(site, *one),
        ((HOST, 4, 9), (HOST, 4, 2**31), (1, 2, 1)),
    )
    store_rows(house, *(Delivery(webhook_id=4, dedupe=f"{at}", kind="ping", created_at=house.clock() - DAY,
          due_at=house.clock(), done_at=house.clock()) for at in range(49)))  # fmt: skip
    told.skip()

    def list_deliveries(before: int) -> Any:
        made, following = registry.list_calls(site, HOST, 4, before)
        return len(made), made[0].id if made else None, made[-1].id if made else None, following

    note_results_of_cases(told, "calls before", list_deliveries, (0, 52, 51, 2, 1))
    told.do("none of Alice's", lambda: registry.list_calls(site, 1, 2))
    told.do("not Alice's", lambda: registry.list_calls(site, 1, 4))
    with site.writing() as work:
        work.connection().execute(delete(Delivery).where(col(Delivery.id) == 1))
    told.skip()
    told.do("the test call is gone", lambda: registry.send_test_call(site, HOST, 4, once))


def _of_the_host(house: House, told: Chronicle) -> None:
    site = house.site
    told.do("the host stops Alice's", lambda: registry.disable_webhook_as_host(site, 2))
    told.do("Alice cannot enable it", lambda: registry.change_webhook(site, 1, 2, active=True))
    told.do("no test call", lambda: registry.send_test_call(site, 1, 2))
    told.do("the host enables it", lambda: registry.enable_webhook_as_host(site, 2))
    told.do("the host stops what is not there", lambda: registry.disable_webhook_as_host(site, 99))
    told.do("or enables it", lambda: registry.enable_webhook_as_host(site, 2**31))

    def forget(most: int) -> int:
        with site.writing() as work:
            return registry.forget_old(work, house.clock(), most)

    with site.writing() as work:
        work.connection().execute(update(Delivery).where(col(Delivery.id) > 4).values(done_at=house.clock() + SECOND))
        work.connection().execute(update(Delivery).where(col(Delivery.id) <= 4).values(done_at=house.clock()))
    told.skip()
    house.clock.at += 30 * DAY
    told.do("calls that ended thirty days ago", lambda: forget(1000))
    house.clock.at += SECOND
    told.do("a second later, one", lambda: forget(1))
    told.do("and the others", lambda: forget(1000))


@contextmanager
def _answering(*answers: Answer) -> Iterator[list[Any]]:
    """Answers calls in this order, the last one for ever; yields the calls."""
    got: list[Any] = []

    def call(url: str, body: bytes, headers: dict[str, str], *, private: bool) -> Answer:
        answer = answers[min(len(got), len(answers) - 1)]
        got.append({"url": url, "private": private, "headers": headers, "body": msgspec.json.decode(body)})
        return answer

    with (
        patch.object(safe_http, "post_safely", call),
        patch.object(deliveries, "THREADS", 1),
        patch.object(deliveries, "RUN", 5),
        patch.object(deliveries, "RUN_S", 1e6),
        patch("random.uniform", lambda low, high: low),
    ):
        yield got


def _run(house: House, *answers: Answer, most: int = 99) -> Any:
    """Makes the calls that are due, in as many runs as needed; returns them."""
    with _answering(*answers or (OK,)) as got, patch.object(deliveries, "RUN", min(most, 5)):
        for _ in range(min(most, 9)):
            wakes = len(house.wakes)
            deliveries.deliver_due_calls(house.site)
            if len(house.wakes) == wakes:
                break
    return got


def _tell_news(house: House, told: Chronicle, match_id: str) -> None:
    site = house.site
    registry.add_webhook(site, 1, URL, ["moved", "your_turn", "over"])
    registry.add_webhook(site, 2, DISCORD, ["your_turn", "moved", "over"], "discord", match_id, "en")
    registry.add_webhook(site, HOST, SLACK, ["moved", "over"], "slack", language="fr")
    registry.add_webhook(site, HOST, URL, ["over"])
    told.skip()
    told.do("nothing is new", lambda: _run(house))
    for seat in (0, 1, 2):
        house.play(match_id, seat)
    told.skip()
    told.do("what was played is held", lambda: _run(house))
    house.clock.at += 60 * SECOND - SECOND / 10
    told.do("for a minute", lambda: cursors.queue_calls_for_new_events(site))
    house.clock.at += SECOND / 10
    told.do("after a minute", lambda: cursors.queue_calls_for_new_events(site))
    told.do("nothing more is new", lambda: cursors.queue_calls_for_new_events(site))
    told.do("the calls are made", lambda: _run(house))
    for _ in range(2):
        (ask, *_) = house.asks(match_id)
        house.play(match_id, ask.seat)
    house.clock.at += 60 * SECOND
    told.skip()
    told.do("two moves later", lambda: _run(house))
    asked = house.asks(match_id)[0]
    house.clock.at += SECOND
    presence.resign(site, claim_of(site, match_id, 2 if asked.seat != 2 else 1))
    presence.resign(site, claim_of(site, match_id, 1 if asked.seat != 1 else 0))
    told.skip()
    told.do("the match is over: nothing is held", lambda: _run(house))
    with site.reading() as session:
        at = session.execute(select(table(EntryRow).c.n)).scalars().all()
    told.lines.append(f"  {len(at)} entries")


def _tell_failures(house: House, told: Chronicle, match_id: str) -> None:
    site = house.site
    first = registry.add_webhook(site, 1, URL, ["over"])[0].id
    second = registry.add_webhook(site, HOST, URL, ["over"])[0].id
    told.skip()

    def queue(hook: int, *, kind: str = "ping", **more: Any) -> None:
        now = house.clock()
        with site.reading() as session:
            count = len(session.exec(select(Delivery)).all())
        store_rows(
            house, Delivery(webhook_id=hook, dedupe=f"{hook}:{count}", kind=kind, created_at=now, due_at=now, **more)
        )
        told.skip()

    queue(first)
    queue(first)
    for attempt, answer in enumerate((
        Answer(error="timeout"), Answer(503, wait_s=61), Answer(404), Answer(302), Answer(199), Answer(300), Answer(600)
    )):  # fmt: skip
        said = {"status": answer.status, "error": answer.error, "wait_s": answer.wait_s}
        told.do(f"failure {attempt + 1}: {said}", lambda one=answer: len(_run(house, one, most=1)))  # type: ignore[misc]
        told.do("its state", lambda: registry.read_webhook(site, 1, first).state)
        with site.reading() as session:
            due = session.exec(select(Delivery.due_at).where(col(Delivery.done_at).is_(None))).first()
        assert due is not None
        house.clock.at = due - SECOND
        told.lines.append(f"  a second before: {len(_run(house, OK))} calls")
        house.clock.at = due
        told.skip()
    told.do("success", lambda: len(_run(house, Answer(200))))
    queue(first)
    _run(house, FAILED, most=1)
    with site.reading() as session:
        since = session.get_one(Webhook, first).failing_since
    assert since is not None
    queue(first)
    house.clock.at = since + DAY - SECOND
    told.skip()
    told.do("a second before it has failed for a day", lambda: len(_run(house, FAILED, most=1)))
    house.clock.at = since + DAY + timedelta(hours=1)
    told.do("after a day", lambda: len(_run(house, FAILED, most=1)))
    told.do("its state", lambda: registry.read_webhook(site, 1, first).state)
    told.do("Alice enables it", lambda: registry.change_webhook(site, 1, first, active=True))
    queue(second)
    told.do("the host's is gone", lambda: len(_run(house, Answer(410), most=1)))
    registry.enable_webhook_as_host(site, second)
    queue(second, kind="over", match_id=match_id)
    queue(second, kind="over", match_id=match_id)
    with patch.object(deliveries, "request_of_call", _raising(KeyError("a fault"))):
        told.do("one cannot be written: only that one waits", lambda: len(_run(house, OK, most=1)))
        house.clock.at += DAY
        told.do("for a day", lambda: len(_run(house, OK, most=2)))
    queue(second, kind="over", match_id=match_id)
    with patch.object(deliveries, "request_of_call", _raising(GameUnavailable("no game"))):
        told.do("its game is away", lambda: len(_run(house, OK, most=1)))
    queue(first, kind="your_turn", match_id=match_id, key="gone")
    told.do("there is nothing to tell", lambda: len(_run(house, OK, most=1)))
    queue(second)
    with patch.object(deliveries, "request_of_call", _raising(Busy("busy"))):
        told.do("the database is busy", lambda: result_in_a_line(lambda: _run(house, OK, most=1)))
    told.do("no other run may start, nor call it", lambda: len(_run(house, OK)))
    house.clock.at += timedelta(minutes=1)
    told.do("within its lease", lambda: deliveries.claim_call(site, 3))
    house.clock.at += SECOND
    told.do("after its lease", lambda: deliveries.claim_call(site, 3))
    told.do("claimed", lambda: deliveries.claim_call(site, 4))


def _raising(error: Exception) -> Callable[..., Any]:
    def fail(*_: object) -> None:
        raise error

    return fail


def _tell_league(house: House, told: Chronicle) -> None:
    site = house.site
    made, (alice, bob, carol, dave) = running_cup(house)
    add: Callable[..., Any] = registry.add_webhook
    told.skip()
    told.do("Bob does not organise it", lambda: add(site, 2, URL, ["over"], about=made.league_id))
    told.do("nor does the host", lambda: add(site, HOST, URL, ["over"], about=made.league_id))
    told.do("Alice's", lambda: add(site, 1, URL, ["season", "over"], about=made.league_id))
    told.do("a chat", lambda: add(site, 1, DISCORD, ["season"], "discord", about=made.league_id, language="fr"))
    told.do("another", lambda: add(site, 1, SLACK, ["over", "season"], "slack", about=made.league_id, language="en"))
    first, second = pair_matches(house, made.season_id, (alice, dave), (carol, bob))
    told.skip()
    told.do("nothing is public", lambda: _run(house))
    finish_match(house, second)
    tally_and_publish(house)
    told.skip()
    told.do("a result is public", lambda: _run(house))
    finish_match(house, first)
    tally_and_publish(house)
    seasons.end_season_early(site, 1, made.season_id)
    seasons.sweep_seasons(site)
    told.skip()
    told.do("the season is closed", lambda: _run(house))
    told.do("nothing more is new", lambda: _run(house))
