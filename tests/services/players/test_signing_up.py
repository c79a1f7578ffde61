"""The mail to whoever types an address to sign up: who is new reads of an account, others of their links."""

from __future__ import annotations

import re

from pbem.services.players import players
from tests.mail.test_compose import text_of
from tests.table import House, address_of


def newest(house: House, name: str) -> tuple[str, str]:
    """Returns subject and text of the last mail to somebody, after they have signed up."""
    players.sign_up(house.site, address_of(name), "en", "Europe/Paris")
    house.drain()
    mail = house.mail.to(address_of(name))[-1]
    return mail["Subject"], text_of(mail)


def open_it(house: House, text: str) -> None:
    """Opens the account by the link in the mail."""
    (token,) = re.findall(r"/account/(\S+)", text)
    players.open_account(house.site, house.tokens.read_account(token, house.clock.at))


def test_whoever_is_new_reads_of_an_account_until_they_have_opened_it(house: House) -> None:
    for _ in range(2):
        house.clock.forward(days=1)
        subject, text = newest(house, "Dave")
        assert subject.startswith("Your account on")
        assert "If it was not you, do nothing" in text
        assert "no match" not in text
    open_it(house, text)
    house.clock.forward(days=1)
    subject, text = newest(house, "Dave")
    assert subject.startswith("Your links on")
    assert "You have no match at the moment." in text


def test_whoever_plays_already_reads_of_their_matches(house: House) -> None:
    house.begin()
    subject, text = newest(house, "Alice")
    assert subject.startswith("Vos liens sur")
    assert "Vos parties" in text
