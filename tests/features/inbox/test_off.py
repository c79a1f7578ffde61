"""While mail that comes back is off, no mail asks for an answer, and none is taken in."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pbem.services.mail import sender
from pbem.web.features import larger_bodies
from tests.features.inbox.replying import comes_in
from tests.services.letterbox import newest_mail, text_of
from tests.table import House
from tests.web.cast import Web

OTHERS = ("push", "webhooks")
SECRET = "a-secret-of-relays"


@pytest.mark.parametrize("on", [True, False])
def test_mails_have_a_reply_address_only_while_replies_are_on(make_house: Callable[..., House], on: bool) -> None:
    house = make_house(features=(*OTHERS, *(["inbox"] if on else [])), **comes_in())
    house.begin(game="allegeance")
    house.drain()
    mail = newest_mail(house, "Alice")
    assert (mail["Reply-To"] is not None) == ("mailto:" in (mail["List-Unsubscribe"] or "")) == on
    assert ("Reply above this line" in text_of(mail) or "Répondez" in text_of(mail)) == on


def test_with_replies_off_their_addresses_answer_410_and_help_omits_them(make_web: Callable[..., Web]) -> None:
    web = make_web(features=OTHERS, **comes_in(secret=SECRET))
    client = web.client()
    client_of_one_that_is_on = make_web(**comes_in(secret=SECRET)).client()
    told = {"headers": {"Authorization": f"Bearer {SECRET}"}, "data": b"From: alice@example.org\r\n\r\nF3\r\n"}
    for path in ("/inbound", "/mailbox/incoming"):
        answer = client.post(path, **told)
        assert (answer.status_code, answer.mimetype) == (410, "text/plain")
        assert answer.text == "This site does not offer this feature.\n"
        assert answer.headers["Cache-Control"] == client_of_one_that_is_on.post(path).headers["Cache-Control"]
    assert client.get("/help/mail").status_code == 410
    assert "/help/mail" not in client.get("/help").text
    assert web.everything()["inbox"] == []
    assert larger_bodies(web.site.config) == {}


def test_with_replies_off_the_local_mailbox_has_no_reply_form(make_web: Callable[..., Web]) -> None:
    web = make_web()
    web.start()
    assert sender.drain(web.site) > 0
    listed = web.client().get("/mailbox.json").json
    assert listed
    for here, on in ((web, True), (make_web(features=OTHERS), False)):
        assert ("<textarea" in here.client().get(f"/mailbox/{listed[0]['id']}").text) == on
