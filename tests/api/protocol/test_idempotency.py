"""A request with an idempotency key takes effect once, however often it is sent, even twice at the same time."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import func, select
from werkzeug.test import TestResponse

from pbem.errors import Gone, Invalid, KeyReused
from pbem.kit.logs.logfile import log_to_bytes
from pbem.models.accounts import Idempotent
from pbem.models.clocks import Vacation
from pbem.models.tables import Match, MessageRow, OutboxRow, table
from pbem.services.access import idempotency
from pbem.services.access.idempotency import IdempotencyKey
from pbem.services.clock import holidays
from pbem.services.lobby import match_request, matches, rematches, reminding
from pbem.services.site import Site
from pbem.services.views import talk
from pbem.services.who import STRANGER
from tests.api.access_tokens import sign_in
from tests.api.cast import Api, Caller, Table, body_of_match, check_problem, json_of
from tests.harness.cases import cases
from tests.kit.logs.logs import LOG
from tests.services.play.stage.races import at_once
from tests.table import House, claim_of, open_house, play_out

KEY = "0b3e-1"


@pytest.fixture
def house(database_url: str, tmp_path: Path) -> Iterator[House]:
    """A site on each kind of database."""
    yield from open_house(database_url, tmp_path)


def post_with_key(caller: Caller, path: str, sent: Any, key: str | None = KEY) -> TestResponse:
    """Sends the request with a key."""
    headers = caller.headers() | ({"Idempotency-Key": key} if key is not None else {})
    return caller.client.post(f"/api/v1{path}", json=sent, headers=headers)


def count_rows(site: Site, model: Any) -> int:
    """Returns the number of rows of this model."""
    with site.reading() as session:
        return int(session.execute(select(func.count()).select_from(table(model))).scalar_one())


@pytest.mark.long
def test_a_match_sent_twice_is_one_match_with_one_mail(rest: Api) -> None:
    first, again = (post_with_key(rest.caller(), "/matches", body_of_match()) for _ in range(2))
    assert json_of(first, 201) == json_of(again, 201)
    assert first.headers["Location"] == again.headers["Location"]
    assert "Idempotency-Replayed" not in first.headers
    assert again.headers["Idempotency-Replayed"] == "true"
    assert (count_rows(rest.site, Match), count_rows(rest.site, OutboxRow)) == (1, 1)
    other = json_of(post_with_key(rest.caller(), "/matches", body_of_match(), "another"), 201)
    unkeyed = json_of(post_with_key(rest.caller(), "/matches", body_of_match(), None), 201)
    assert len({json_of(first, 201)["id"], other["id"], unkeyed["id"]}) == 3


def test_key_order_and_language_do_not_make_it_another_request(rest: Api) -> None:
    first = post_with_key(rest.caller(), "/matches", body_of_match())
    turned = {name: body_of_match()[name] for name in reversed(body_of_match())}
    again = post_with_key(rest.caller(language="fr"), "/matches?lang=fr", turned)
    assert json_of(first, 201) == json_of(again, 201)


def test_an_idempotency_key_used_for_another_request_is_refused(rest: Api) -> None:
    post_with_key(rest.caller(), "/matches", body_of_match())
    refused = post_with_key(rest.caller(), "/matches", body_of_match(("Dave", "Bob", "Carol")))
    check_problem(refused, 422, "key_reused")
    assert count_rows(rest.site, Match) == 1


def test_a_corrected_request_may_reuse_the_key_of_its_refused_one(rest: Api, hogen: Table) -> None:
    check_problem(post_with_key(hogen.alice, f"{hogen.path}/messages", {"text": " "}), 422, "invalid")
    json_of(post_with_key(hogen.alice, f"{hogen.path}/messages", {"text": "Hello"}), 201)


def test_a_chat_message_repeated_under_its_key_is_posted_once(hogen: Table, clock: Any) -> None:
    first = post_with_key(hogen.alice, f"{hogen.path}/messages", {"text": "Hello"})
    clock.forward(minutes=5)
    again = post_with_key(hogen.alice, f"{hogen.path}/messages", {"text": "Hello"})
    assert json_of(first, 201) == json_of(again, 201)
    assert count_rows(hogen.api.site, MessageRow) == 1
    assert json_of(post_with_key(hogen.alice, f"{hogen.path}/messages", {"text": "Hello"}, "2"), 201)["id"] == 2


def test_idempotency_keys_are_separate_for_each_caller(hogen: Table) -> None:
    told = [
        json_of(post_with_key(hogen.seat(seat), f"{hogen.path}/messages", {"text": "Hello"}), 201) for seat in range(3)
    ]
    assert [one["seat"] for one in told] == [0, 1, 2]


@pytest.mark.long
def test_strangers_in_two_networks_may_use_the_same_idempotency_key(rest: Api) -> None:
    """A reader who types an example from the docs does not get the answer to an earlier reader's request."""

    def post_from(place: str, sent: Any) -> TestResponse:
        client = rest.app.test_client()
        headers = {"Idempotency-Key": KEY, "Accept-Language": "en"}
        return client.post("/api/v1/matches", json=sent, headers=headers, environ_base={"REMOTE_ADDR": place})

    other = body_of_match(("Dave", "Bob", "Carol"))
    made = {
        place: json_of(post_from(place, body_of_match()), 201)["id"]
        for place in ("192.0.2.1", "192.0.2.2", "2001:db8::1")
    }
    assert len(set(made.values())) == 3
    for place in ("2001:db8:0:1::1", "198.51.100.1"):
        json_of(post_from(place, other), 201)
    for place, same in (("192.0.2.1", "::ffff:192.0.2.1"), ("2001:db8::1", "2001:db8::ffff:1")):
        again = post_from(same, body_of_match())
        assert (json_of(again, 201)["id"], again.headers["Idempotency-Replayed"]) == (made[place], "true")
        check_problem(post_from(same, other), 422, "key_reused")


def test_a_strangers_key_is_stored_without_their_ip_address(rest: Api) -> None:
    post_with_key(rest.caller(), "/matches", body_of_match())
    with rest.site.reading() as session:
        (owner,) = session.execute(select(table(Idempotent).c.owner)).scalars()
    assert owner.startswith("nobody:")
    assert "127.0.0.1" not in owner


@pytest.mark.long
def test_a_players_idempotency_keys_are_the_same_from_any_network(hogen: Table) -> None:
    told = []
    for place in ("192.0.2.1", "198.51.100.9"):
        headers = hogen.alice.headers() | {"Idempotency-Key": KEY}
        sent = {"json": {"text": "Hello"}, "headers": headers, "environ_base": {"REMOTE_ADDR": place}}
        told.append(json_of(hogen.alice.client.post(f"/api/v1{hogen.path}/messages", **sent), 201))
    assert told[0] == told[1]


def test_a_key_is_forgotten_after_a_day(hogen: Table, clock: Any) -> None:
    path, site = f"{hogen.path}/messages", hogen.api.site
    post_with_key(hogen.alice, path, {"text": "Hello"})
    clock.forward(hours=23, minutes=59)
    with site.writing() as session:
        assert idempotency.forget_old(session, site.now(), 9) == 0
    assert json_of(post_with_key(hogen.alice, path, {"text": "Hello"}), 201)["id"] == 1
    clock.forward(minutes=1)
    assert json_of(post_with_key(hogen.alice, path, {"text": "Hello"}), 201)["id"] == 2
    clock.forward(hours=24)
    with site.writing() as session:
        assert idempotency.forget_old(session, site.now(), 9) == 1
    assert count_rows(site, Idempotent) == 0


@cases("key", ["", "a b", "é", "x" * 129, "\t"])
def test_an_invalid_idempotency_key_header_is_refused_by_name(rest: Api, key: str) -> None:
    said = check_problem(post_with_key(rest.caller(), "/matches", body_of_match(), key), 422, "invalid")
    assert set(said["fields"]) == {"Idempotency-Key"}
    assert count_rows(rest.site, Match) == 0


def test_a_stored_key_holds_no_mail_address_no_text_and_no_token(hogen: Table) -> None:
    post_with_key(hogen.alice, f"{hogen.path}/messages", {"text": "the words"})
    post_with_key(hogen.api.caller(), "/matches", body_of_match())
    with hogen.api.site.reading() as session:
        kept = str(session.execute(select(table(Idempotent))).all())
    assert "example.org" not in kept
    assert "the words" not in kept
    assert str(hogen.alice.token) not in kept


@pytest.mark.long
def test_stored_request_digests_are_keyed_with_the_sites_secret(make_site: Callable[..., Site]) -> None:
    digests, match_id = set(), ""
    for secret in ("a" * 48, "b" * 48):
        api = Api(make_site(secret=secret))
        match_id = match_id or api.start()
        json_of(
            post_with_key(Table(api, match_id).alice, f"/matches/{match_id}/messages", {"text": "Hello"}, secret[0]),
            201,
        )
        with api.site.reading() as session:
            digests |= set(session.execute(select(table(Idempotent).c.digest)).scalars())
    assert len(digests) == 2


def request_under_key(digest: str = "d") -> IdempotencyKey:
    """A request under a key."""
    return IdempotencyKey("player:1", KEY, digest)


def operations_with_key(house: House) -> dict[str, Callable[[IdempotencyKey], object]]:
    """Every operation that takes a key."""
    match_id, over, inviting = house.begin(), house.begin(), house.create()
    play_out(house.site, over)
    matches.confirm_match(house.site, house.claim("confirm", inviting, 0), "fr", "Europe/Paris")
    house.clock.forward(days=2)  # a reminder of the invitations is due
    people = [match_request.Invitee(name, f"{name.lower()}@example.net") for name in ("Alice", "Bob", "Carol")]
    today = house.clock.at.date()
    site = house.site
    return {
        "create": lambda key: matches.create_match(site, STRANGER, match_request.NewMatch("hogen", people), once=key),
        "say": lambda key: talk.post_message(site, claim_of(site, match_id, 0), "Hello", once=key),
        "announce": lambda key: holidays.add_holiday(site, 1, today, date(2026, 3, 14), once=key),
        "rematch": lambda key: (
            rematches.find_or_create_rematch(site, house.claim("play", over, 1), STRANGER, once=key).match_id
        ),
        "remind": lambda key: reminding.remind_invited_player(site, house.claim("play", inviting, 0), 1, once=key),
        "now": lambda key: matches.start_match_against_bots(
            site, STRANGER, "hogen", "Guest", "en", "Europe/Paris", once=key
        ),
    }


def test_a_repeated_reminder_is_replayed_even_after_its_seat_is_taken(house: House) -> None:
    inviting, site = house.create(), house.site
    matches.confirm_match(site, house.claim("confirm", inviting, 0), "fr", "Europe/Paris")
    house.clock.forward(days=2)
    reminding.remind_invited_player(site, house.claim("play", inviting, 0), 1, once=request_under_key())
    for seat in (1, 2):
        matches.accept_invitation(site, house.claim("invitation", inviting, seat), "en", "Europe/London")
        again = request_under_key()
        reminding.remind_invited_player(site, house.claim("play", inviting, 0), 1, once=again)
        assert again.replayed, "and so it is when the match has begun"
    with pytest.raises(Gone):
        reminding.remind_invited_player(
            site, house.claim("play", inviting, 0), 1, once=IdempotencyKey("other", "k", "d")
        )


@pytest.mark.sample(1)
@pytest.mark.parametrize("what", ["create", "say", "announce", "rematch", "remind", "now"])
def test_two_simultaneous_requests_under_one_key_act_once_and_answer_alike(house: House, what: str) -> None:
    make = operations_with_key(house)[what]
    mails = count_rows(house.site, OutboxRow)
    keys = (request_under_key(), request_under_key())
    one, other = at_once(*(lambda key=key: make(key) for key in keys))
    assert one == other
    assert not isinstance(one, Exception)
    assert sorted(key.replayed for key in keys) == [False, True]
    assert (count_rows(house.site, MessageRow), count_rows(house.site, Vacation)) == (what == "say", what == "announce")
    assert count_rows(house.site, Match) == 3 + (what in ("create", "rematch", "now"))
    assert what != "remind" or count_rows(house.site, OutboxRow) == mails + 1
    with pytest.raises(KeyReused):
        make(request_under_key("other"))


THROWN: dict[str, tuple[str, Any]] = {
    "token": ("/me/tokens", {"name": "bot", "scopes": ["read"], "days": None}),
    "webhook": ("/me/webhooks", {"url": "https://hooks.example.org/x", "kinds": ["over"]}),
    "log": ("/logs", json.loads(log_to_bytes(LOG))),
    "holiday": ("/me/calendar/holidays", {"first": "2026-03-20", "last": "2026-03-21"}),
}


@pytest.mark.parametrize("what", THROWN)
def test_a_repeated_request_does_not_create_again_what_was_deleted_since(hogen: Table, what: str) -> None:
    alice, (path, sent) = sign_in(hogen.api, "Alice"), THROWN[what]
    made = post_with_key(alice, path, sent)
    told = json_of(made, 201)
    where = f"{path}/2026-03-20" if what == "holiday" else f"{path}/{told['id']}"
    headers = alice.headers() | {"If-Match": "*"}
    assert alice.client.delete(f"/api/v1{where}", headers=headers).status_code in (200, 204)
    check_problem(post_with_key(alice, path, sent), 409, "gone")
    again = post_with_key(alice, path, sent, "another")
    assert json_of(again, 201).keys() == told.keys()


@pytest.mark.long
def test_the_key_of_a_refused_request_is_not_stored(house: House) -> None:
    announce = operations_with_key(house)["announce"]
    announce(request_under_key())
    with pytest.raises(Invalid):
        announce(IdempotencyKey("player:1", "new", "d"))
    assert count_rows(house.site, Idempotent) == 1
