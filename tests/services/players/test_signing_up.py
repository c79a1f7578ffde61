"""The mail to anyone who types an address to sign up: who is new reads of an account, others of their links."""

from __future__ import annotations

import re
from typing import Any

import pytest
from sqlmodel import Session, col, select
from structlog.testing import capture_logs

from pbem.models.tables import LinkRequest, Player
from pbem.services.log import locks
from pbem.services.players import players
from tests.mail.reader import text_of
from tests.services.play.stage.races import at_once
from tests.table import House, address_of


def sign_up_and_read_mail(house: House, name: str) -> tuple[str, str]:
    """Returns subject and text of the last mail to somebody, after they have signed up."""
    players.sign_up(house.site, address_of(name), "en", "Europe/Paris")
    house.drain()
    mail = house.mail.to(address_of(name))[-1]
    return mail["Subject"], text_of(mail)


def open_it(house: House, text: str) -> None:
    """Opens the account by the link in the mail."""
    (token,) = re.findall(r"/account/(\S+)", text)
    players.verify_and_read_account(house.site, house.tokens.read_account(token, house.clock.at))


def test_a_player_who_is_new_reads_of_an_account_until_they_have_opened_it(house: House) -> None:
    for _ in range(2):
        house.clock.forward(days=1)
        subject, text = sign_up_and_read_mail(house, "Dave")
        assert subject.startswith("Your account on")
        assert "If it was not you, do nothing" in text
        assert "no match" not in text
    open_it(house, text)
    house.clock.forward(days=1)
    subject, text = sign_up_and_read_mail(house, "Dave")
    assert subject.startswith("Your links on")
    assert "You have no match at the moment." in text


def test_a_player_who_plays_already_reads_of_their_matches(house: House) -> None:
    house.begin()
    subject, text = sign_up_and_read_mail(house, "Alice")
    assert subject.startswith("Vos liens sur")
    assert "Vos parties" in text


def test_the_last_link_to_an_address_that_never_opened_one_lives_a_day(house: House) -> None:
    sign_up_and_read_mail(house, "Dave")
    house.clock.forward(hours=1)
    _, text = sign_up_and_read_mail(house, "Dave")
    house.clock.forward(hours=23)
    open_it(house, text)


def waiting_mails(house: House) -> list[str]:
    with house.site.reading() as session:
        return [row.address for row in session.exec(select(LinkRequest).order_by(col(LinkRequest.id)))]


@pytest.mark.on_postgresql
def test_failing_requests_delay_no_others_and_get_only_three_attempts(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    bad = [f"bad{n}@example.org" for n in range(3)]
    monkeypatch.setattr(players, "REQUESTS", len(bad))
    with house.site.writing() as work:
        for address in bad:  # no request is known that fails; one whose address is none stands for it
            work.add(LinkRequest(address=f"{address}@", language="en", zone="UTC", at=house.clock()))
        work.add(LinkRequest(address="dave@example.org", language="en", zone="UTC", at=house.clock()))
    assert players.queue_requested_links(house.site) == 0
    assert waiting_mails(house)[0] == "dave@example.org"
    with capture_logs() as told:
        assert players.queue_requested_links(house.site) == 1
        for _ in range(3):
            assert players.queue_requested_links(house.site) == 0
    assert waiting_mails(house) == []
    assert [line["event"] for line in told].count("links.dropped") == len(bad)
    assert [line["event"] for line in told].count("links.failed") == 2 * len(bad)


def test_a_request_of_a_busy_player_waits_behind_others_without_penalty(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    find_or_add, busy = players.find_or_add, [True] * 5

    def find_later(session: Session, address: str, *more: Any) -> Player:
        if address == "dave@example.org" and busy:
            busy.pop()
            raise locks.busy_error()
        return find_or_add(session, address, *more)

    monkeypatch.setattr(players, "find_or_add", find_later)
    monkeypatch.setattr(players, "REQUESTS", 1)
    for name in ("Dave", "Erin"):
        players.sign_up(house.site, address_of(name), "en", "Europe/Paris")
    assert [players.queue_requested_links(house.site) for _ in range(7)] == [0, 1, 0, 0, 0, 0, 1]
    assert waiting_mails(house) == []


def test_a_request_for_links_claimed_by_another_worker_is_skipped(house: House) -> None:
    players.sign_up(house.site, address_of("Dave"), "en", "Europe/Paris")
    served = at_once(*(lambda: players.queue_requested_links(house.site) for _ in range(2)))
    assert {*served} == {0, 1}
    assert waiting_mails(house) == []
