"""Players who answer the mail about their turn by a reply to it, as their mail programs and relays send it."""

from __future__ import annotations

from dataclasses import dataclass, field
from email.message import EmailMessage
from typing import get_args

from tests.chaos.courier import Courier, Way
from tests.chaos.ledger import Reply
from tests.chaos.players import ByMail, asked, choices
from tests.production.sink import text_of

PATIENCE = 60
"""How often they look in vain before they open the page: the answer takes a worker's time, as does the next mail."""
TWICE = 0.3
"""How often a relay hands a mail over twice, unchanged, though it was acknowledged."""
OTHER_WAY = 0.2
"""How often the mail comes a second time on another way, so that it is not the same bytes."""
OTHERWISE = 0.15
"""How often a player writes a second mail, with another answer to the same question."""


@dataclass
class ByReply(ByMail):
    """A player who types one of the legal answers above what they were sent; now and then two, now and then twice."""

    courier: Courier = field(kw_only=True)
    written: int = 0

    def step(self) -> bool:
        """Answers the newest mail if it is unread; returns whether a reply was acknowledged."""
        mails = self.relay.to(self.address)
        fresh, self.read = mails[self.read :], len(mails)
        asking = [mail for mail in fresh if key_of(mail) is not None]
        if asking:
            self.waited = 0
            return self.answer(asking[-1])
        self.waited += 1
        # A seat gets few answers an hour, so not each further question of a turn has a mail that can be answered.
        return self.waited > PATIENCE and self.open(f"{self.url}/play/{self.token}")

    def answer(self, mail: EmailMessage) -> bool:
        """Answers the question of the mail if it is still asked; returns whether it was."""
        found = self.api("/ask").json
        if not found.get("ask") or found["ask"]["sealed"] or found["ask"]["key"] != key_of(mail):
            return False
        luck, key = self.caller.luck, found["ask"]["key"]
        for _ in range(2 if luck.random() < OTHERWISE else 1):
            chosen = luck.choice(found["legal"])
            self.written += 1
            written = reply_to(mail, self.address, f"<{self.written}.{self.match_id}.{self.seat}@programs.example>")
            written.set_content(f"{chosen['text']}\n\nSomebody wrote:\n{quoted(mail)}")
            self.caller.ledger.reply(Reply(str(written["Message-ID"]), self.match_id, self.seat, key, chosen["move"]))
            self.send(written)
        return True

    def send(self, mail: EmailMessage) -> None:
        """Returns once all deliveries of the mail have been acknowledged."""
        luck, recipients = self.caller.luck, [str(mail["To"])]
        way, other = luck.sample(get_args(Way), 2)
        self.courier.deliver(self.caller, mail, recipients, way)
        if luck.random() < TWICE:
            self.courier.deliver(self.caller, mail, recipients, way)
        if luck.random() < OTHER_WAY:
            mail["X-Relay"] = "another"
            self.courier.deliver(self.caller, mail, recipients, other)


def key_of(mail: EmailMessage) -> str | None:
    """Returns the key of the question that the mail asks; None if it asks none that can be answered by a reply."""
    found = choices(mail)
    return asked(found[-1]) if found and mail["Reply-To"] else None


def reply_to(mail: EmailMessage, author: str, message_id: str) -> EmailMessage:
    """Returns a mail without a text that answers this one."""
    reply = EmailMessage()
    reply["From"] = author
    reply["To"] = mail["Reply-To"].addresses[0].addr_spec
    reply["Subject"] = f"Re: {mail['Subject']}"
    reply["Message-ID"] = message_id
    reply["In-Reply-To"] = str(mail["Message-ID"])
    return reply


def quoted(mail: EmailMessage) -> str:
    """Returns the text of a mail as programs quote it."""
    return "".join(f"> {line}\n" for line in text_of(mail).splitlines())
