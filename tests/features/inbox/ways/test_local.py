"""Answers on the page of the local mailbox."""

from __future__ import annotations

import html
import json
from collections.abc import Callable
from email import message_from_bytes
from email.policy import default
from typing import Any

import pytest

from pbem.services.mail import sender
from tests.harness.cases import cases
from tests.web.cast import Web


@pytest.fixture
def own(web: Web, hogen: str) -> Web:
    """A site whose mails have been sent to the mailbox."""
    assert sender.drain(web.site) > 0
    return web


def page_of(web: Web) -> str:
    """Returns the path of the newest mail."""
    listed = web.client().get("/mailbox.json").json
    assert listed
    return f"/mailbox/{listed[0]['id']}"


MAIL = b"From: alice@example.org\r\nTo: play+abc@localhost\r\n\r\nF3\r\n"


def came_in(web: Web) -> list[dict[str, Any]]:
    return web.everything()["inbox"]


@pytest.mark.long
def test_the_local_intake_takes_a_raw_mail_of_any_size(make_web: Callable[..., Web]) -> None:
    web = make_web(max_body=1000)
    large = MAIL + b"x" * 2000
    statuses = [web.client().post("/mailbox/incoming", data=raw).status_code for raw in (MAIL, MAIL, large, b"")]
    assert statuses == [201, 200, 201, 400]
    assert [(row["raw"], row["via"], row["mail_from"]) for row in came_in(web)] == [
        (MAIL, "mailbox", None), (large, "mailbox", None),
    ]  # fmt: skip


@cases(
    "told", [{"headers": {"Host": "evil.example"}}, {"environ_base": {"REMOTE_ADDR": "8.8.8.8"}},
             {"headers": {"X-Forwarded-For": "127.0.0.1"}}],
)  # fmt: skip
def test_the_local_intake_accepts_requests_only_from_this_machine(own: Web, told: dict[str, Any]) -> None:
    answer = page_of(own) + "/answer"
    for path, sent in (("/mailbox/incoming", {"data": MAIL}), (answer, {"data": {"text": "F3"}})):
        assert own.client().post(path, **sent, **told).status_code == 404
    assert came_in(own) == []


def test_the_local_intake_refuses_requests_of_other_sites_pages(own: Web) -> None:
    for path in ("/mailbox/incoming", page_of(own) + "/answer"):
        assert own.client().post(path, data=MAIL, headers={"Sec-Fetch-Site": "cross-site"}).status_code == 403
    assert came_in(own) == []


@pytest.mark.parametrize(("lang", "said"), [("en", "wrote:"), ("fr", "a écrit\u00a0:")])
def test_each_mail_of_the_local_mailbox_can_be_replied_to_on_its_page(own: Web, lang: str, said: str) -> None:
    path = page_of(own)
    raw = own.client().get(f"{path}.eml").data
    asked = message_from_bytes(raw, policy=default)
    shown = own.client(lang).get(path).text
    typed = html.unescape(shown.split("<textarea", 1)[1].split(">", 1)[1].split("</textarea>")[0])
    assert said in typed
    assert "\n> " in typed
    done = own.client(lang).post(f"{path}/answer", data={"text": "F3\r\n" + typed.replace("\n", "\r\n")})
    assert done.status_code == 200
    (row,) = came_in(own)
    answer = message_from_bytes(row["raw"], policy=default)
    assert answer["From"].addresses[0].addr_spec == asked["To"].addresses[0].addr_spec == row["mail_from"]
    assert answer["To"].addresses == (asked["Reply-To"] or asked["From"]).addresses
    assert json.loads(row["recipients"]) == [answer["To"].addresses[0].addr_spec]
    assert answer["In-Reply-To"] == asked["Message-ID"]
    assert str(answer["References"]).split() == [*str(asked["References"] or "").split(), str(asked["Message-ID"])]
    assert answer["Subject"] == f"Re: {asked['Subject']}"
    text = answer.get_content().replace("\r\n", "\n")
    assert text.startswith("F3\n")
    assert text.count("\n> ") >= 3


def test_an_empty_or_oversized_reply_in_the_local_mailbox_is_refused(own: Web) -> None:
    path = page_of(own) + "/answer"
    for text in ("", "  \r\n", "x" * 100_001):
        assert own.client().post(path, data={"text": text}).status_code == 422
    assert (
        own.client().post("/mailbox/turn-000000000000000000000000000000000000/answer", data={"text": "F3"}).status_code
        == 404
    )
    assert came_in(own) == []
