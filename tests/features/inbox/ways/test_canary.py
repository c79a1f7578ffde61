"""The mail that the site writes to itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Self

import pytest

from pbem.environment import Smtp
from pbem.features.inbox import doctor
from pbem.features.inbox.ways import canary
from pbem.features.inbox.ways.canary import (
    age_of_last_return,
    is_our_canary,
    lets_forged_results_through,
    send_canary_if_due,
    sends_canaries,
)
from pbem.mail.mime import Mail
from tests.features.inbox.replying import comes_in, mail_of_player, send_and_read, token_of
from tests.table import House

RELAY = Smtp("127.0.0.1", 25, tls="none")


class Sent:
    """A transport that keeps what it is given."""

    def __init__(self) -> None:
        self.mails: list[tuple[Mail, str]] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def send(self, mail: Mail, to: str) -> None:
        self.mails.append((mail, to))


@pytest.fixture
def flying(make_house: Callable[..., House]) -> House:
    way = {"secret": "s" * 16}
    return make_house(smtp=RELAY, mail_from="play@pbem.example", **comes_in("play+{token}@pbem.example", **way))


def canary_age(house: House) -> float | None:
    with house.site.reading() as session:
        return age_of_last_return(session.connection(), house.site.now())


def test_one_canary_mail_is_sent_per_hour_however_many_processes_ask(flying: House) -> None:
    sent = Sent()
    assert send_canary_if_due(flying.site, sent)
    assert not send_canary_if_due(flying.site, sent)
    flying.clock.forward(minutes=59)
    assert not send_canary_if_due(flying.site, sent)
    flying.clock.forward(minutes=1)
    assert send_canary_if_due(flying.site, sent)
    assert {to for _mail, to in sent.mails} == {"play+canary@pbem.example"}
    assert len({mail.id for mail, _to in sent.mails}) == 2


def test_a_canary_mail_is_recognised_for_a_day(flying: House) -> None:
    sent = Sent()
    send_canary_if_due(flying.site, sent)
    raw = b"Received: from a by b\r\nX-Pbem-Canary: x\r\n" + sent.mails[0][0].raw
    assert is_our_canary(flying.site, raw)
    assert is_our_canary(flying.site, raw.replace(b"\r\n", b"\n"))
    flying.clock.forward(days=1, seconds=1)
    assert not is_our_canary(flying.site, raw)


@pytest.mark.parametrize(
    "forge",
    [
        lambda raw: raw.replace(b"X-Pbem-Canary: 1", b"X-Pbem-Canary: 2"),
        lambda raw: raw.replace(b"X-Pbem-Canary", b"X-Other"),
        lambda raw: b"From: a@example.org\r\n\r\n" + raw,
        lambda raw: raw[:-1].replace(
            b"\r\n\r\n", b"\r\n" + raw[raw.index(b"X-Pbem") :].split(b"\r\n")[0] + b"\r\n\r\n"
        ),
    ],
)
def test_a_forged_canary_mail_is_not_recognised(forge: Callable[[bytes], bytes], flying: House) -> None:
    sent = Sent()
    send_canary_if_due(flying.site, sent)
    assert not is_our_canary(flying.site, forge(sent.mails[0][0].raw))
    other = replace(flying.site, config=replace(flying.site.config, secret="o" * 32))
    assert not is_our_canary(other, sent.mails[0][0].raw)


def test_the_canarys_age_counts_from_its_last_return_or_first_sending(flying: House) -> None:
    assert canary_age(flying) is None
    sent = Sent()
    send_canary_if_due(flying.site, sent)
    flying.clock.forward(hours=2)
    send_canary_if_due(flying.site, sent)
    assert canary_age(flying) == 7200
    with flying.site.writing() as work:
        canary.note_moment(work, canary.RETURNED, flying.site.now())
    flying.clock.forward(minutes=5)
    assert canary_age(flying) == 300


def test_the_canary_detects_a_server_that_passes_forged_results(make_house: Callable[..., House]) -> None:
    way = comes_in(secret="s" * 16, authserv=("mx.pbem.example",))
    house = make_house(smtp=RELAY, mail_from="play@pbem.example", **way)
    sent = Sent()
    send_canary_if_due(house.site, sent)
    raw, to = sent.mails[0][0].raw, sent.mails[0][1]
    pasted = b"Authentication-Results: mx.pbem.example; x-pbem-canary=none\r\n"
    own = b"Authentication-Results: mx.pbem.example; dmarc=pass\r\nReceived: by mx.pbem.example\r\n"
    assert raw.count(pasted) == 1
    for came, through in ((raw, True), (own + raw.replace(pasted, b""), False), (own + raw, True)):
        assert send_and_read(house, came, recipients=[to]).verdict == "canary"
        with house.site.reading() as session:
            assert lets_forged_results_through(session.connection()) == through
            findings = list(doctor.check_rows(session.connection(), house.site.now(), house.site.config))
        assert [one.level for one in findings if one.check == "mail results"] == ["WARN"] * through


BOTH = (
    b"Authentication-Results: mx.pbem.example; dkim=pass header.d=example.org\r\n"
    b"Authentication-Results: mx.pbem.example; dmarc=pass header.from=example.org\r\n"
    b"Received: from a by mx.pbem.example\r\n"
)
"""As two filters of one server write them."""


@pytest.mark.on_postgresql
@pytest.mark.parametrize("whose", ["canary", "player"])
def test_doctor_warns_for_a_day_if_our_server_writes_several_results(
    whose: str, make_house: Callable[..., House]
) -> None:
    way = comes_in(secret="s" * 16, authserv=("mx.pbem.example",))
    house = make_house(smtp=RELAY, mail_from="play@pbem.example", **way)
    match_id = house.begin()

    def what_is_said() -> list[str]:
        with house.site.reading() as session:
            found = [*doctor.check_rows(session.connection(), house.site.now(), house.site.config)]
        findings = [one for one in found if one.check == "mail results"]
        assert all(one.level == "WARN" and one.todo for one in findings)
        return [one.said for one in findings]

    def come(head: bytes) -> None:
        if whose == "canary":
            sent = Sent()
            send_canary_if_due(house.site, sent)
            house.clock.forward(hours=1)
            raw = sent.mails[0][0].raw.replace(b"Authentication-Results", b"X-Deleted")
            assert send_and_read(house, head + raw, recipients=[sent.mails[0][1]]).verdict == "canary"
        else:
            assert (
                send_and_read(
                    house, head + mail_of_player(house, "Alice", token_of(house, match_id, 0), "help")
                ).verdict
                == "acted"
            )

    come(BOTH.partition(b"\r\n")[2])
    assert what_is_said() == []
    come(BOTH)
    assert len(what_is_said()) == 1
    assert "not believed, because it writes several" in what_is_said()[0]
    house.clock.forward(hours=20)
    come(BOTH)
    house.clock.forward(hours=20)
    assert len(what_is_said()) == 1
    house.clock.forward(hours=5)
    assert what_is_said() == []


def test_without_a_trusted_server_the_canary_has_no_forged_result(flying: House) -> None:
    sent = Sent()
    send_canary_if_due(flying.site, sent)
    assert b"Authentication-Results" not in sent.mails[0][0].raw


def test_the_canary_is_used_only_where_mail_is_sent_and_received(flying: House) -> None:
    config = flying.site.config
    assert sends_canaries(config)
    missing: dict[str, Any]
    for missing in ({"smtp": None}, comes_in(None, secret="s" * 16), comes_in()):
        assert not sends_canaries(replace(config, **missing))
    assert canary.LATE > 2 * canary.EVERY
