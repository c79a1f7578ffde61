"""The kept databases, each as a site whose clock stands where that of its program did."""

from __future__ import annotations

import lzma
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from email import message_from_string
from email.message import EmailMessage
from email.policy import default
from functools import cached_property
from html import unescape
from pathlib import Path
from typing import Any

from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from pbem.config import Config
from pbem.features.inbox import reading
from pbem.services.mail import sender
from pbem.services.site import Site, open_site
from tests.harness.applications import lend_application
from tests.harness.servers import PostgresServer, postgres_programs
from tests.upgrades.play import HOST, authorization_header, body_of, environment_of_site, links_of

KEPT = Path(__file__).parent / "kept"
NAMES = tuple(sorted(folder.name for folder in KEPT.iterdir()))
DATABASES = ("sqlite", "postgresql")


def read_kept_file(name: str, what: str) -> bytes:
    """Returns a kept file, unpacked."""
    return lzma.decompress((KEPT / name / f"{what}.xz").read_bytes())


def restore_postgres(server: PostgresServer, name: str) -> str:
    """Returns the name of a new database with the kept dump, as its program left it."""
    database = server.create()
    psql = [
        f"{postgres_programs() / 'psql'}",
        "-q",
        "-v",
        "ON_ERROR_STOP=1",
        "-U",
        "postgres",
        "-h",
        f"{server.folder}",
    ]
    subprocess.run(
        [*psql, database], input=read_kept_file(name, "postgresql.sql"), check=True, stdout=subprocess.DEVNULL
    )
    return database


@dataclass
class Kept:
    """A site on an upgraded database, and what the old program said there."""

    url: str
    data: Path
    said: dict[str, Any]

    def __post_init__(self) -> None:
        self.at = datetime.fromisoformat(self.said["at"])

    @cached_property
    def site(self) -> Site:
        """The site; its clock is `at`, and its mails stay in the folder."""
        config = Config.from_env(environment_of_site(self.url, self.data), "embedded")
        return open_site(config, now=lambda: self.at)

    @cached_property
    def http(self) -> FlaskClient:
        """A browser on this machine."""
        return lend_application(self.site).test_client()

    @cached_property
    def mails(self) -> list[EmailMessage]:
        """The players' mails, the newest first."""
        return [
            message_from_string(mail["raw"], _class=EmailMessage, policy=default)
            for mail in reversed(self.said["mails"])
        ]

    @property
    def in_play(self) -> list[dict[str, Any]]:
        """The matches that were in play."""
        return [match for match in self.said["matches"] if match["status"] == "running"]

    def mails_of(self, player: str, kind: str) -> Iterator[EmailMessage]:
        """Yields the player's mails with a link of this kind, the newest first."""
        for mail in self.mails:
            if f"{player.lower()}@example.org" in str(mail["To"]) and f"{HOST}/{kind}/" in body_of(mail):
                yield mail

    def token(self, player: str, kind: str) -> str:
        """Returns the token of the newest link of this kind in the player's mails."""
        body = body_of(next(self.mails_of(player, kind)))
        return str(re.findall(rf"{HOST}/{kind}/([\w.~-]+)", body)[-1])

    def get(self, link: str) -> TestResponse:
        """Follows a link."""
        return self.http.get(link.removeprefix(HOST), base_url=HOST)

    def post(self, path: str, **fields: str) -> TestResponse:
        """Presses a button."""
        path = path.removeprefix(HOST)
        return self.http.post(path, base_url=HOST, data=fields, headers={"Origin": HOST})

    def api(self, method: str, path: str, token: str | None = None, **body: Any) -> TestResponse:
        """Calls the API."""
        return self.http.open(
            f"/api/v1{path}", method=method, base_url=HOST, headers=authorization_header(token), json=body or None
        )  # fmt: skip

    def drain(self) -> list[EmailMessage]:
        """Sends the mails that are due; returns all mails that this site has sent, the newest last."""
        sender.drain(self.site)
        files = sorted((self.data / "mailbox").glob("*.eml"), key=lambda path: path.stat().st_mtime_ns)
        return [message_from_string(one.read_text(), _class=EmailMessage, policy=default) for one in files]

    def answer(self, mail: EmailMessage, text: str, *, to: str | None = None) -> None:
        """Answers a mail as its reader's program does, and has the answer read."""
        reply = EmailMessage()
        reply["From"], reply["To"], reply["Subject"] = str(mail["To"]), to or str(mail["Reply-To"]), "Re: your turn"
        reply["Message-ID"], reply["In-Reply-To"] = "<answer@mail.example.org>", str(mail["Message-ID"])
        reply["Date"] = self.at
        reply.set_content(text)
        taken = self.http.post("/mailbox/incoming", base_url=HOST, data=reply.as_bytes())
        assert taken.status_code < 300, taken.text
        assert reading.read_inbox(self.site) == 1

    def question(self, match: dict[str, Any]) -> tuple[str, dict[str, Any], EmailMessage]:
        """Returns a seat's token, the question that the seat is asked, and the newest mail with its link."""
        for name, token in match["tokens"].items():
            question = self.api("GET", f"/matches/{match['id']}/ask", token).get_json()
            if question["ask"] is None or question["ask"]["sealed"] is not None:
                continue
            found = [mail for mail in self.mails_of(name, "play") if f"{HOST}/play/{token}" in body_of(mail)]
            asking = [mail for mail in found if links_with_answers(mail, token, question["ask"]["key"])]
            if found:
                return token, question, [*asking, *found][0]
        raise AssertionError(f"nobody has a mail with a question of {match['game']}")

    def stands_beside(self, link: str, form: str) -> bool:
        """Returns whether a page beside that of the seat has the form: what is rarely wanted has one of its own."""
        seat = link.partition("?")[0]
        if not re.fullmatch(r"/play/[^/]+", seat.removeprefix(HOST)):
            return False
        pages = (self.get(f"{seat}/{name}").text for name in ("talk", "orders", "away"))
        return any(f'action="{form.partition("#")[0]}' in text for text in pages)

    def was_shown(self, form: str) -> bool:
        """Returns whether the form takes back a move that has shown its player something: none does any more."""
        found = re.fullmatch(r"/play/(([^./]+)[^/]*)/takeback", form)
        if found is None:
            return False
        why = self.api("GET", f"/matches/{found[2]}/takeback", found[1]).get_json()["why"]
        return why is not None and why["code"] == "shown"

    def has_answered(self, match: dict[str, Any], token: str, key: str) -> bool:
        """Returns whether the question is answered, or its answer sealed until the others have answered."""
        ask = self.api("GET", f"/matches/{match['id']}/ask", token).get_json()["ask"]
        return ask is None or ask["key"] != key or ask["sealed"] is not None


def fields_of_play_form(page: str) -> dict[str, str] | None:
    """Returns the fields of the form that plays the chosen move; None if the page has none."""
    for form in re.findall(r"<form.*?</form>", page, re.DOTALL):
        found = re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', form)
        fields = {name: unescape(value) for name, value in found}
        if {"key", "move"} <= set(fields):
            return fields
    return None


def links_with_answers(mail: EmailMessage, token: str, key: str) -> list[str]:
    """Returns the links of a mail that open the board with an answer to this question, or its first step, chosen."""
    return [link for link in links_of(mail) if f"/play/{token}?ask={key}" in link]


def answers_by_mail(mail: EmailMessage) -> list[str]:
    """Returns what the links that write an answer let one send."""
    part = mail.get_body(("html",))
    whole = unescape(str(part.get_content())) if part is not None else ""
    return re.findall(r'"mailto:play\+[^"]*[&?]body=([^"&]+)"', whole)
