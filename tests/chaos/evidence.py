"""The evidence for the checks: the rows of the database, the mails that the relay took, the ledger."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Any

import msgspec
from sqlmodel import Session, col, select

from pbem.features.inbox.tables import InboxRow
from pbem.features.webhooks import hooks
from pbem.kit.codec import codec_for
from pbem.kit.contract import AnyGame
from pbem.kit.replay import AnyEntry, Undone, owner_of_undone_decision
from pbem.mail.compose import message_id
from pbem.models.tables import AskRow, Match, OrderRow, OutboxRow, SeatRow
from pbem.services.findings import Due
from pbem.services.log import store
from pbem.services.monitoring import backlog
from pbem.services.play.timeouts import SWEEP_INTERVAL
from pbem.services.site import Site
from tests.chaos.ledger import Ledger
from tests.chaos.relay import Taken


@dataclass
class Looked:
    """A check: the number of things examined, and what is wrong with some of them."""

    what: str
    count: int = 0
    wrong: list[str] = field(default_factory=list)

    def hold(self, true: object, otherwise: str) -> bool:
        """Counts one thing examined, and keeps the sentence if it fails."""
        self.count += 1
        if not true:
            self.wrong.append(otherwise)
        return bool(true)


@dataclass(frozen=True)
class Played:
    """A match as the database has it."""

    row: Match
    game: AnyGame
    seats: Sequence[SeatRow]
    entries: Sequence[AnyEntry]
    asks: Sequence[AskRow]
    mails: Sequence[OutboxRow]
    orders: Sequence[OrderRow]

    @property
    def options(self) -> Any:
        """The options of the match."""
        return codec_for(self.game).options(msgspec.json.decode(self.row.options))

    @cached_property
    def by_key(self) -> Mapping[tuple[str, int], AskRow]:
        """The questions, open and closed, by key and seat."""
        return {(ask.key, ask.seat): ask for ask in self.asks}

    @cached_property
    def answers(self) -> Mapping[int, AskRow]:
        """The questions that have an answer in the log, taken back or not, by the first entry of it."""
        return {ask.first_n: ask for ask in self.asks if ask.first_n is not None}

    def undone(self, ask: AskRow) -> bool:
        """Whether an entry of the log takes back the answer to this question."""
        first = ask.first_n or 0
        return any(isinstance(one.event, Undone) and one.event.to < first < one.n for one in self.entries)

    def put_again(self, ask: AskRow) -> bool:
        """Whether the mail of this question is none because its seat has taken back the answer to the first of them."""
        first = self.by_key.get((ask.origin, ask.seat), ask)
        put = [one for one in self.entries if one.n == first.opened_n and isinstance(one.event, Undone)]
        return any(owner_of_undone_decision(self.entries, entry) == ask.seat for entry in put)


@dataclass
class Evidence:
    """Everything that the checks examine, read in one transaction."""

    site: Site
    taken: Sequence[Taken]
    ledger: Ledger
    read_at: datetime = field(init=False)
    matches: Mapping[str, Played] = field(init=False)
    outbox: Sequence[OutboxRow] = field(init=False)
    inbox: Sequence[InboxRow] = field(init=False)
    overdue: Mapping[str, Due] = field(init=False)
    """What the clock, bots, the lapse of matches and webhooks had left to do since the sweep before."""

    def __post_init__(self) -> None:
        self.read_at = self.site.now()
        with self.site.reading() as session:
            connection, at = session.connection(), self.read_at - SWEEP_INTERVAL
            self.overdue = {
                "deadlines have passed": backlog.asks_due(connection, at),
                "bots were not asked": backlog.bot_asks_due(connection, at),
                "matches are past their last day": backlog.lapses_due(connection, at),
                "calls of webhooks wait": hooks.calls_due(connection, at),
            }
            self.matches = {match.id: _read_played_match(session, match) for match in session.scalars(select(Match))}
            self.outbox = list(session.scalars(select(OutboxRow).order_by(col(OutboxRow.id))))
            self.inbox = list(session.scalars(select(InboxRow).order_by(col(InboxRow.id))))
            session.expunge_all()  # they are read after the session has closed

    def message_id(self, row: OutboxRow) -> str:
        """The Message-ID of the row's mail."""
        assert row.id is not None, "a stored row has an id"
        host = self.site.config.mail_from.rpartition("@")[2]
        return message_id(row.kind, row.id, host, self.site.config.secret)


def _read_played_match(session: Session, match: Match) -> Played:
    game = store.game_by_slug(match.game)
    return Played(
        match,
        game,
        store.seats_of(session, match.id),
        store.load_entries(session, match.id, game),
        list(session.scalars(select(AskRow).where(col(AskRow.match_id) == match.id))),
        list(session.scalars(select(OutboxRow).where(col(OutboxRow.match_id) == match.id))),
        list(session.scalars(select(OrderRow).where(col(OrderRow.match_id) == match.id))),
    )
