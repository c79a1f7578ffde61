"""What mails say of seats that nobody has yet: they are counted, and the reader is "you"."""

from __future__ import annotations

from dataclasses import replace
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default

from pbem.mail.compose import compose_mail
from pbem.services.lobby import matches
from pbem.services.lobby.match_request import Invitee, NewMatch, OpenSeat
from pbem.services.who import STRANGER
from tests.harness.cases import cases
from tests.mail import samples
from tests.mail.reader import Reader, html_of
from tests.services.letterbox import newest_mail, text_of
from tests.services.lobby.joining import ALICE
from tests.table import House


@cases("free, said", [(1, "one free seat"), (2, "2 free seats")])
def test_confirm_mails_and_invitations_say_how_many_seats_are_free(house: House, free: int, said: str) -> None:
    bob = Invitee("Bob", "bob@example.org")
    match_id = matches.create_match(
        house.site, STRANGER, NewMatch("hogen", [ALICE, bob, *(OpenSeat(),) * free], language="en")
    )
    house.drain()
    matches.confirm_match(house.site, house.claim("confirm", match_id, 0), "en", "Europe/Paris")
    house.drain()
    for name, words in (("Alice", f"with Bob and {said}."), ("Bob", f"At the table: Alice, you and {said}.")):
        mail = newest_mail(house, name)
        assert words in text_of(mail)
        assert words in " ".join(Reader(html_of(mail)).words)


@cases(
    "free, said", [(0, "Alice et vous"), (1, "Alice, vous et une place libre"), (2, "Alice, vous et 2 places libres")]
)
def test_a_french_invitation_says_how_many_seats_are_free(free: int, said: str) -> None:
    letter = replace(samples.invitation("fr"), sitting=("Alice",), free=free)
    mail = message_from_bytes(bytes(compose_mail(letter, samples.SECRET)), policy=default)
    assert isinstance(mail, EmailMessage)
    assert f"À la table\u00a0: {said}." in text_of(mail)
