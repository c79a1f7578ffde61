"""Letters and notifications as their builders return them, in lines that a person reads.

What is random or a number of the database is named: a match is "match 1", a token says for whom it is and what for.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, fields, is_dataclass
from datetime import date, datetime
from functools import partial
from typing import Any

from sqlalchemy import text
from sqlmodel import col, select

from pbem.errors import Unauthorized
from pbem.features.circles import claims as circle_claims
from pbem.features.circles.tables import CircleMember
from pbem.features.inbox.reply_tokens import tokens_of
from pbem.features.leagues import claims
from pbem.features.leagues.tables import Entrant, Season
from pbem.features.push import notices
from pbem.mail.letters import Board, Letter
from pbem.models.tables import Match, OutboxRow, Player, SeatRow
from pbem.services.mail.claims import read_claimed_row
from pbem.services.mail.kinds.turn import Answer
from pbem.services.mail.letter_context import LetterContext, letter_for, reader_of
from pbem.services.site import Reading, Site, Work
from pbem.services.tokens import (
    SEAT_CLAIMS,
    ChangeClaim,
    Claim,
    MailboxClaim,
    NeverClaim,
    OfferClaim,
    SeatClaim,
    StopClaim,
)
from tests.table import House

KINDS: tuple[type[Claim], ...] = (
    *SEAT_CLAIMS.values(), NeverClaim, StopClaim, OfferClaim, ChangeClaim, claims.WeeklyClaim, claims.EntrantClaim,
    circle_claims.CircleClaim, circle_claims.MemberClaim,
)  # fmt: skip

PROPERTIES = (
    "addressee", "one_click_url", "commitments", "orders_told", "mark", "heads", "first_others", "others", "marks",
    "number_of_open_turns", "own",
)  # fmt: skip
"""What a letter says beside its fields, where it has it."""
SETTLED = ("row", "sender", "zone")
"""Fields that are the same for all letters to a reader, or a number of the database: compared in `Written.letter`."""
OTHERWISE = {
    "its match waits for players": "UPDATE matches SET status = 'inviting'",
    "its match is running": "UPDATE matches SET status = 'running'",
    "its match is paused": "UPDATE matches SET status = 'paused'",
    "its match is over": "UPDATE matches SET status = 'over'",
    "no take-back is asked for": "UPDATE matches SET undoing = NULL",
    "its reader has muted it": "UPDATE seats SET muted = TRUE",
    "its reader has left": "UPDATE seats SET status = 'declined'",
    "its reader is invited": "UPDATE seats SET status = 'invited'",
    "its reader sits there": "UPDATE seats SET status = 'accepted'",
    "its reader is away": "UPDATE seats SET absent = TRUE",
    "its reader is not away": "UPDATE seats SET absent = FALSE",
    "others sit there": "UPDATE seats SET player_id = NULL, bot = 'easy'",
    "its links are renewed": "UPDATE seats SET epoch = epoch + 1",
    "its questions are answered": "UPDATE asks SET closed_at = opened_at, closed_by = 'move'",
    "its questions are sealed": "UPDATE asks SET sealed_at = opened_at",
    "nobody votes": "DELETE FROM votes",
    "its reader has a digest": "UPDATE players SET digest_hour = 8",
    "its reader has no digest": "UPDATE players SET digest_hour = NULL",
    "its reader's address is proven": "UPDATE players SET verified_at = created_at",
    "its reader's address is not proven": "UPDATE players SET verified_at = NULL",
    "its reader wants no weekly mail": "UPDATE players SET weekly = FALSE",
    "offers are void": "UPDATE substitutes SET void = TRUE",
    "changes of address are done": "UPDATE address_changes SET done_at = '2026-01-01 00:00:00', result = 'done'",
    "members have muted their circle": "UPDATE circle_members SET muted = TRUE",
    "members have left": "UPDATE circle_members SET status = 'left'",
    "members are invited": "UPDATE circle_members SET status = 'invited'",
    "members belong to it": "UPDATE circle_members SET status = 'member'",
    "members' links are renewed": "UPDATE circle_members SET epoch = epoch + 1",
    "circles are open": "UPDATE circles SET open = TRUE",
    "circles are closed": "UPDATE circles SET open = FALSE",
    "circles are dissolved": "UPDATE circles SET dissolved_at = created_at",
    "circles have another founder": "UPDATE circles SET founder_id = (SELECT max(id) FROM players)",
    "evenings are past": "UPDATE occasions SET done_at = '2026-01-01 00:00:00'",
    "tables are stopped": "UPDATE standing_tables SET stopped_at = '2026-01-01 00:00:00'",
    "entrants have withdrawn": "UPDATE entrants SET status = 'withdrawn'",
    "entrants are invited": "UPDATE entrants SET status = 'invited'",
    "entrants play": "UPDATE entrants SET status = 'entered'",
    "seasons are open": "UPDATE seasons SET status = 'open', closed_at = NULL",
    "seasons are running": "UPDATE seasons SET status = 'running', closed_at = NULL",
    "seasons are closed": "UPDATE seasons SET status = 'closed', closed_at = starts_at",
    "seasons are called off": "UPDATE seasons SET status = 'cancelled', closed_at = starts_at",
    "webhooks work": "UPDATE webhooks SET disabled_at = NULL",
}
"""What else might be so when a mail leaves."""
TOKEN = re.compile(r"(?<=/)(?!replay/)[A-Za-z0-9_.-]{24,}(?=$|[/?\s])")


def letter_of(site: Site, session: Reading, row: OutboxRow) -> tuple[Letter | None, str]:
    """Returns the letter of a row, and what becomes of the row; without a reader it is stale."""
    claimed, reader = read_claimed_row(site, session, row.id), reader_of(session, row)
    return letter_for(LetterContext(site, session, claimed, reader)) if reader is not None else (None, "stale")


@dataclass
class Written:
    """What a house has written so far."""

    house: House
    lines: list[str] = field(default_factory=list)
    _matches: dict[str, str] = field(default_factory=dict)
    _named: dict[str, str] = field(default_factory=dict)
    _tried: set[str] = field(default_factory=set)

    def scene(self, title: str) -> None:
        """Begins a part."""
        self.lines += ["", f"# {title}"]

    def send(self) -> None:
        """Notes what is due now, each mail with the notification that goes ahead of it, then sends it."""
        with self.house.site.reading() as session:
            due = select(OutboxRow).where(col(OutboxRow.done_at).is_(None), OutboxRow.due_at <= self.house.clock())
            over = sum(self._note(session, row) for row in session.exec(due.order_by(col(OutboxRow.id))).all())
            self.lines += ["", f"## {over} turns: none"] if over else []
        self.house.drain()

    def _note(self, session: Reading, row: OutboxRow) -> int:
        """Adds the lines of a row; returns 1 if it is one of many whose turn is over, else 0."""
        self._name(session)
        letter, result = letter_of(self.house.site, session, row)
        to = row.kind if row.seat is None else f"{row.kind} to seat {row.seat} of {self._matches[row.match_id or '']}"
        said = letter.kind if letter is not None else result
        if letter is None and row.kind == "turn":
            return 1
        self.lines += ["", f"## {to}: {said}"]
        if letter is not None:
            assert letter.row == row.id
            assert letter.sender.url == self.house.site.config.url
            self._fields(session, letter)
        self._notice(session, row)
        if row.kind not in self._tried:
            self._tried.add(row.kind)
            self._otherwise(row, said)
        return 0

    def _otherwise(self, row: OutboxRow, said: str) -> None:
        """Notes what would become of a mail of this kind if something else were so."""
        results = defaultdict[str, list[str]](list)
        for what, sql in OTHERWISE.items():
            with self.house.site.engine.connect() as connection:
                connection.execute(text(sql))
                session = Work(connection, self.house.site)
                letter, result = letter_of(self.house.site, session, session.get_one(OutboxRow, row.id))
                results[letter.kind if letter is not None else result].append(what)
                connection.rollback()
        self.lines += [f"{result} if {', '.join(whats)}" for result, whats in results.items() if result != said]

    def _name(self, session: Reading) -> None:
        """Names what the letters cite."""
        for match in session.exec(select(Match).order_by(col(Match.created_at), col(Match.id))).all():
            name = self._matches.setdefault(match.id, f"match {len(self._matches) + 1}")
            self._named[match.id] = name.replace(" ", "-")
            self._named[match.commitment] = f"commitment of {name}"
            if match.head is not None:
                self._named[match.head] = f"head of {name}"

    def _notice(self, session: Reading, row: OutboxRow) -> None:
        if row.match_id is None or row.seat is None:
            return
        match, seat = session.get_one(Match, row.match_id), session.get_one(SeatRow, (row.match_id, row.seat))
        player = session.get(Player, seat.player_id) if seat.player_id is not None else None
        notice = notices.notice_for(self.house.site, session, row, match, seat, player) if player is not None else None
        if notice is not None:
            assert notice.row == row.id
            self.lines.append("notification:")
            self._say(session, notice, ("row", "mail", "tag"))

    def _fields(self, session: Reading, letter: Letter) -> None:
        self._say(session, letter, SETTLED)
        for name in PROPERTIES:
            if hasattr(letter, name) and name not in {one.name for one in fields(letter)}:
                said = getattr(letter, name)
                if said not in (None, (), ""):
                    self.lines += self._lines(session, f"({name})", said)
        self.lines.append(f"  (subject) {letter.subject_line('Us')}")
        self.lines.append(self._plain(session, f"  (reply) {letter.subject_of_reply('Us')}"))

    def _say(self, session: Reading, told: Any, without: tuple[str, ...]) -> None:
        """Adds a line for each field that says something."""
        for one in fields(told):
            if one.name not in without and getattr(told, one.name) not in (None, (), "", False):
                self.lines += self._lines(session, one.name, getattr(told, one.name))

    def _lines(self, session: Reading, name: str, said: Any) -> Iterator[str]:
        if isinstance(said, tuple) and any(is_dataclass(one) or isinstance(one, tuple) for one in said):
            yield f"  {name}"
            for one in said:
                yield f"    - {self._plain(session, one)}"
        else:
            yield f"  {name}: {self._plain(session, said)}"

    def _plain(self, session: Reading, said: Any) -> str:
        if isinstance(said, str):
            return self._text(session, said)
        if isinstance(said, datetime):
            return said.strftime("%Y-%m-%d %H:%M:%S%z")
        if isinstance(said, date):
            return said.isoformat()
        if isinstance(said, tuple | list):
            return f"({', '.join(self._plain(session, one) for one in said)})"
        if isinstance(said, Board):
            drawn = f"{len(said.svg)} letters of SVG" if said.svg is not None else "no picture"
            return f"{len(said.words)} lines, {drawn}, fault {said.fault}: {self._text(session, str(said.words[0]))}"
        if isinstance(said, Answer):
            several = " or others" if said.several else ""
            return f"[{said.short}; {said.label}; {said.typed}{several}; {self._text(session, said.href)}]"
        if hasattr(said, "meta"):
            return str(said.meta.slug)
        if is_dataclass(said):
            told = ", ".join(f"{one.name} {self._plain(session, getattr(said, one.name))}" for one in fields(said))
            return f"{type(said).__name__}: {told}"
        return str(said)

    def _text(self, session: Reading, said: str) -> str:
        said = TOKEN.sub(lambda found: self._claim(session, found[0]), said)
        said = re.sub(r"(?<=\+)[a-z2-7]{8,}(?=@)|(?<=\[)[a-z2-7]{8,}(?=\]$)|^[a-z2-7]{16,}$", self._name_by, said)
        for secret, name in self._named.items():
            said = said.replace(secret, name)
        return said.removeprefix(self.house.site.config.url)

    def _name_by(self, found: re.Match[str]) -> str:
        told = tokens_of(self.house.site.config.secret).read_token(found[0])
        if told is None:
            return found[0]
        named = {one.name: getattr(told, one.name) for one in fields(told)}
        return "<" + " ".join(str(named[key]) for key in ("named", "match_id", "seat") if key in named) + ">"

    def _claim(self, session: Reading, token: str) -> str:
        tokens, now = self.house.tokens, self.house.clock()
        readers: list[Callable[[str], Any]] = [
            *(partial(tokens.read, kind) for kind in KINDS),
            lambda one: tokens.read_account(one, now),
        ]  # fmt: skip
        for read in readers:
            try:
                claim = read(token)
            except Unauthorized:
                continue
            return f"<{self._who(session, claim)}>"
        return token

    def _who(self, session: Reading, claim: Any) -> str:
        kind = claim.purpose if isinstance(claim, SeatClaim) else type(claim).__name__.removesuffix("Claim").lower()
        said: dict[str, Any] = {one.name: getattr(claim, one.name) for one in fields(claim)}
        if (number := said.pop("player_id", None)) is not None:
            said["of"] = session.get_one(Player, number).canonical
        if (number := said.pop("entrant_id", None)) is not None:
            entrant = session.get_one(Entrant, number)
            season = session.get_one(Season, entrant.season_id).number
            said["of"] = f"{entrant.name} in season {season}"
            assert said.pop("digest") == self._digest(session, entrant.player_id)
        if (number := said.pop("member_id", None)) is not None:
            said["of"] = session.get_one(CircleMember, number).name
        if isinstance(claim, MailboxClaim):
            assert said.pop("digest") == self._digest(session, claim.player_id)
        for number_of in ("offer_id", "change_id"):
            said.pop(number_of, None)
        if not said.get("epoch", True):
            del said["epoch"]
        return " ".join([kind, *map(str, said.values())])

    def _digest(self, session: Reading, player_id: int | None) -> str:
        return self.house.tokens.address_digest(session.get_one(Player, player_id).canonical or "")
