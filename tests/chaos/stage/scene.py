"""What a chaos run leaves, made by hand, for the tests of its checks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from pbem.kit.codec import plain
from tests.chaos import checks, checks_inbox, checks_mail
from tests.chaos.evidence import Evidence, Looked
from tests.chaos.ledger import Ack, Ledger, Reply
from tests.chaos.relay import Taken
from tests.features.inbox.replying import REPLY_TO, comes_in, mail_of_player, send_and_read, token_of
from tests.harness.undrawn import undrawn_boards as undrawn_boards
from tests.table import CAST, House, open_house, submit_answer

CHECKS: dict[str, Callable[[Evidence], Looked]] = {
    "moves": checks.check_moves, "backs": checks.check_take_backs, "orders": checks.check_orders, "logs":
    checks.check_logs, "laws": checks.check_laws, "verified": checks.verify_logs, "chains": checks.check_chains,
    "projections": checks.check_projections, "open_asks": checks_mail.open_asks, "sent": checks_mail.check_sent,
    "repeats": checks_mail.check_repeated_mails, "clocks": checks_mail.check_clocks, "waiting":
    checks_mail.check_waiting_work, "deliveries": checks_inbox.check_deliveries, "replies": checks_inbox.check_replies,
    "answers": checks_inbox.check_answers,
}  # fmt: skip


class Scene:
    """A table that has played a while, all its mails taken; and the evidence for the checks."""

    def __init__(self, house: House, **wanted: Any) -> None:
        self.house, self.ledger, self.more = house, Ledger(), list[Taken]()
        self.match_id = house.begin(**wanted)
        self.replied = [self.reply() for _ in range(2)]
        for _ in range(12):
            self.play()
        house.drain()

    def play(self) -> None:
        """Plays one more acknowledged move."""
        seat = self.house.asks(self.match_id)[0].seat
        view = self.house.view(self.match_id, seat)
        assert view.ask is not None
        move = view.legal()[0]
        receipt = submit_answer(self.house.site, self.match_id, seat, view.ask.key, move, "api")
        numbers = tuple(entry.n for entry in receipt.told.entries)
        self.ledger.write(Ack(self.match_id, seat, view.ask.key, plain(move), receipt.version, numbers))

    def reply(self) -> Reply:
        """Plays one more move by a reply that was acknowledged."""
        seat = self.house.asks(self.match_id)[0].seat
        view = self.house.view(self.match_id, seat)
        assert view.ask is not None
        move, to = view.legal()[0], token_of(self.house, self.match_id, seat)
        reply = Reply(f"<{view.sheet.version}@programs.example>", self.match_id, seat, view.ask.key, plain(move))
        self.ledger.reply(reply)
        written = mail_of_player(self.house, CAST[seat], to, view.game.format(move), message_id=reply.message_id)
        send_and_read(self.house, written, recipients=[REPLY_TO.replace("{token}", to)])
        self.ledger.deliver(reply.message_id, [REPLY_TO.replace("{token}", to)])
        return reply

    def change(self, *statements: str) -> None:
        """Changes the database as no program of ours does."""
        with self.house.site.engine.begin() as connection:
            for statement in statements:
                connection.execute(text(statement.replace("THIS", f"'{self.match_id}'")))

    def failing(self) -> set[str]:
        """Returns the names of the checks that fail."""
        taken = [Taken(to, message) for to, message in self.house.mail.all_sent]
        evidence = Evidence(self.house.site, taken + self.more, self.ledger)
        found = {name: check(evidence) for name, check in CHECKS.items()}
        assert all(looked.count for looked in found.values())
        return {name for name, looked in found.items() if looked.wrong}


@pytest.fixture
def scene(sqlite_url: str, tmp_path: Path) -> Iterator[Scene]:
    """A table after some moves."""
    for house in open_house(sqlite_url, tmp_path, **comes_in()):
        yield Scene(house)
