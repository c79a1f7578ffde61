"""From an outbox row to its reader and its letter, with the facts as they are when it is sent.

A row whose reason is gone (the ask is answered, the seat muted, the feature off), whose notification was opened, whose
address must not be written to (suppressed, bounced), or which the daily digest replaces has no letter; instead, a word
is returned that becomes the row's result.
"""

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cached_property
from typing import Any, cast

from sqlalchemy import and_, or_
from sqlmodel import Session, col, select

from pbem.kit.endings import endings_of
from pbem.kit.texts import Lang
from pbem.mail import letters
from pbem.mail.letters import Letter, Sender
from pbem.models.prepared import find_by_key
from pbem.models.tables import AskRow, Match, OutboxRow, Player, SeatRow
from pbem.render.i18n import message_catalogue
from pbem.services import statements
from pbem.services.access import seat_links
from pbem.services.calendar import calendar, deadlines
from pbem.services.hooks import Back, hooks_of
from pbem.services.kinds import all_kinds_of_mail, kinds_of_mail_sent
from pbem.services.log.store import Table
from pbem.services.mail.claims import Claimed
from pbem.services.play import ordering
from pbem.services.players import bounces, first_names
from pbem.services.players.players import is_suppressed, name_of_unnamed_seat
from pbem.services.site import Reading, Site
from pbem.services.tokens import SEAT_CLAIMS, InvitationClaim, NeverClaim, SeatPurpose
from pbem.services.views import match_views, talk
from pbem.services.views.match_views import View

MOST_SAID = 6
MOST_LINES = 24
"""The most lines of what happened that a mail about a question has."""
MOST_OF_ORDERS = 6
"""The most answers, questions left, and orders that go on; the match's page has all of them."""


@dataclass(frozen=True)
class Reader:
    """The player a row is for, with match and seat if it is about one."""

    player: Player
    match: Match | None
    seat: SeatRow | None

    @property
    def lang(self) -> Lang:
        """Returns the player's language."""
        return cast(Lang, self.player.language)


def reader_of(session: Session, row: OutboxRow) -> Reader | None:
    """Returns the row's reader; None if their seat, their data or the feature whose mail it is are gone."""
    kind, match, seat, player_id = all_kinds_of_mail().get(row.kind), None, None, row.player_id
    if kind is None:
        return None
    if row.match_id is not None and row.seat is not None:
        match, seat = find_by_key(session, Match, row.match_id), find_by_key(session, SeatRow, row.match_id, row.seat)
        if match is None or seat is None:
            return None
        if row.kind == "invitation":
            epoch = int((row.key or "").removeprefix(seat_links.EPOCH) or 0)
            claim = seat_links.earlier_claim_of_invitation(session, InvitationClaim(row.match_id, row.seat, epoch))
            seat = seat_links.seat_as_seen_by_claimant(seat, claim) if claim is not None else seat
        player_id = row.player_id if kind.to_newcomer else seat.player_id
    player = find_by_key(session, Player, player_id) if player_id is not None else None
    if player is None or not (player.address or (player.address is None and kind.to_any_mailbox)):
        return None  # of one who is erased only the id is left; a guest has no mailbox of their own
    return Reader(player, match, seat)


@dataclass(frozen=True)
class LetterContext:
    """The context from which a letter is written."""

    site: Site
    session: Reading
    claimed: Claimed
    """The row with what was read with it."""
    reader: Reader
    run: dict[str, Any] = field(default_factory=dict)
    """What letters of one run of the sender have read for those after them, by kind; a run lasts seconds."""

    @property
    def row(self) -> OutboxRow:
        return self.claimed.row

    @property
    def now(self) -> datetime:
        return self.site.now()

    @property
    def match(self) -> Match:
        assert self.reader.match is not None
        return self.reader.match

    @property
    def seat(self) -> SeatRow:
        assert self.reader.seat is not None
        return self.reader.seat

    @cached_property
    def table(self) -> Table:
        """The match, with what is read of it, once each."""
        return self.claimed.table or Table(self.session, self.match)

    def is_suppressed(self) -> bool:
        """True if the reader must not be written to."""
        canonical, known = self.reader.player.canonical, self.claimed.suppressed
        if known is None or canonical is None:
            return is_suppressed(self.site, self.session, self.reader.player)
        return self.site.tokens.address_digest(canonical) in known

    def link(self, purpose: SeatPurpose, path: str = "") -> str:
        """Returns the URL of this seat's page for a purpose, at the path of that name unless given."""
        token = self.site.tokens.sign(SEAT_CLAIMS[purpose](self.match.id, self.seat.seat, self.seat.epoch))
        return self.site.url(f"/{path or purpose}/{token}")

    def envelope(self) -> dict[str, Any]:
        """Returns the fields of every letter.

        What unsubscribes stops all mail to an unverified address; a verified player mutes this match. For a guest whose
        new mailbox is asked, the letter brings its own link.
        """
        player, seat, config = self.reader.player, self.reader.seat, self.site.config
        never, unsubscribe = "", None
        if player.canonical is not None:
            never = self.site.url(f"/never/{self.site.tokens.sign_for(NeverClaim, player.id, player.canonical)}")
        if player.verified_at is None:
            unsubscribe = never
        elif seat is not None and seat.player_id == player.id:
            unsubscribe = self.link("mute")
        back = self._back()
        return {
            "row": self.row.id,
            "to": player.address,
            "lang": self.reader.lang,
            "zone": player.zone,
            "at": self.now,
            "sender": Sender(name="pbem", address=config.mail_from, url=config.url),
            "never_url": never,
            "unsubscribe": unsubscribe,
            **(back.of_letter(config, self.row.id, player, seat) if back is not None else {}),
        }

    def replies(self, key: str | None = None) -> dict[str, Any]:
        """Returns the fields of a letter that say where its reply goes: to this question of the seat, by its key."""
        back = self._back()
        return dict(back.of_seat(self.site.config, self.seat, key)) if back is not None else {}

    def _back(self) -> Back | None:
        """Returns what says where mail comes back to: one feature at most, of those that are on."""
        return next((one.back for one in hooks_of(self.site.config.features) if one.back is not None), None)

    def names(self) -> tuple[str, ...]:
        """Returns what the letter calls everybody at the table."""
        own = self.reader.seat  # what it is called for its reader: others may have claimed it since
        seats = self.table.seats
        return tuple(self.name_at(own if own is not None and own.seat == one.seat else one) for one in seats)

    def name_at(self, seat: SeatRow) -> str:
        """Returns the name at the seat; in words where nobody has said yet what the invited person is called."""
        if seat.status != "invited" or seat.name != name_of_unnamed_seat(seat.seat):
            return seat.name
        return message_catalogue(self.reader.lang).gettext("Player %(letter)s") % {"letter": seat.name}

    def others(self) -> tuple[list[SeatRow], int]:
        """Returns the other seats that have somebody, in seat order, and the number of those that are free."""
        others = [seat for seat in self.table.seats if seat.seat != self.seat.seat]
        taken = [seat for seat in others if seat.status != "open"]
        return taken, len(others) - len(taken)

    def about(self, names: tuple[str, ...] | None = None) -> dict[str, Any]:
        """Returns the fields of a letter about a match; the lucky word is the reader's, not that of a seat on offer."""
        names, own = names or self.names(), self.seat.player_id == self.reader.player.id
        return {
            **self.envelope(),
            "game": self.table.game,
            "match": self.match.id,
            "seat": self.seat.seat,
            "names": names,
            "first_names": first_names.names_at_start(self.match.first_names, names) if self.match.first_names else (),
            "nth": self.match.nth,
            **self.proof(),
            "word": self.seat.word if own else None,
        }

    def proof(self) -> dict[str, Any]:
        """Returns what a mail keeps of the match: the commitment, and the head of its log as it is now."""
        return {"commitment": self.match.commitment, "head": self.match.head}

    def is_superseded(self) -> bool:
        """True if a later mail of the same kind for the same reader waits or was sent, which makes this one pointless.

        A later mail that cannot be rendered does not count.
        """
        row = self.row
        reader = (
            (col(OutboxRow.player_id) == row.player_id,)
            if row.match_id is None
            else (col(OutboxRow.match_id) == row.match_id, col(OutboxRow.seat) == row.seat)
        )
        waits = and_(col(OutboxRow.done_at).is_(None), col(OutboxRow.unrendered_since).is_(None))
        tells = or_(waits, col(OutboxRow.result).in_(("sent", "opened")))
        later = (col(OutboxRow.kind) == row.kind, col(OutboxRow.id) > row.id, tells)
        return self.session.exec(select(OutboxRow.id).where(*later, *reader).limit(1)).first() is not None

    # --- the board, the clock, the result, and what orders did ---------------------------------------------------

    def board_fields(self, view: View) -> dict[str, Any]:
        """Returns the fields of every letter with the board, as the viewer sees it."""
        return {
            **self.about(view.sheet.names),
            **self.news_fields(view, MOST_LINES, MOST_SAID),
            "board": self.board(view),
            "mute_url": self.link("mute"),
            "play_url": self.link("play"),
            **self.replies(view.ask.key if view.ask is not None else None),
        }

    def board(self, view: View) -> letters.Board:
        """Returns the board as the viewer sees it, drawn if the reader wants pictures."""
        assert view.viewer is not None, "mails go to seats"
        lang, pictured = self.reader.lang, self.reader.player.pictures
        return letters.board_of(
            view.game, view.fold, view.viewer, lang, view.scene(view.recap(lang)), pictured=pictured
        )

    def news_fields(self, view: View, lines: int, messages: int) -> dict[str, Any]:
        """Returns the fields that say what is new to the viewer, with at most this number of lines and messages."""
        own, recap = view.last_own, view.recap(self.reader.lang)
        found = self._messages_said_since(datetime.fromisoformat(own.at) if own else datetime.min.replace(tzinfo=UTC))
        said = tuple(one for one in found if one.seat != view.viewer)
        return {
            "recap": tuple((number, line.text) for number, line in recap[-lines:]),
            "moved": view.has_moved,
            "said": said[-messages:],
            "said_before": max(0, len(said) - messages),
            "orders": self.news_of_orders(view),
        }

    def _messages_said_since(self, since: datetime) -> list[letters.Said]:
        """Returns the messages at the table after a moment, oldest first, at most the newest 200."""
        rows = self.claimed.said
        if self.claimed.table is None:
            wanted = {"match": self.match.id, "since": since, "most": talk.SHOWN}
            rows = statements.SAID_SINCE.flush_and_send(self.session, wanted).rows()
        return [letters.Said(seat, text) for _, seat, at, text in reversed(rows) if at > since]

    def players_on_holiday(self, view: View) -> tuple[letters.Away, ...]:
        """Returns the other players who are on holiday, each with their last day."""
        others = (seat for seat in view.sheet.seats if seat.seat != view.viewer)
        today = self.now.date()
        return tuple(letters.Away(seat.seat, last) for seat in others if (last := seat.away_until(today)) is not None)

    def how_match_is_played(self) -> letters.Start:
        """Returns how the match is played, for its first mail."""
        match, meta = self.match, self.table.game.meta
        windows = meta.has_windows and match.window_s != match.turn_s
        window = timedelta(seconds=match.window_s) if windows else None
        return letters.Start(**self.turn_time(), window=window, rules_url=self.site.url(f"/rules/{meta.slug}"))

    def turn_time(self) -> dict[str, Any]:
        """Returns the time for each turn, or that for all turns together and the increment per turn, as fields."""
        match = self.match
        if match.bank_s is None:
            return {"turn": timedelta(seconds=match.turn_s)}
        return {"turn": timedelta(seconds=match.bank_s), "increment": timedelta(seconds=match.increment_s)}

    def deadline_if_sent_now(self, ask: AskRow) -> datetime:
        """Returns the deadline that will apply to the reader's ask if its mail leaves now."""
        days = calendar.calendar_with_holidays(self.reader.player, self.table.holidays.get(ask.seat, ()))
        return deadlines.time_after_mail(ask, self.now, days).deadline

    def ending_fields(self, view: View) -> dict[str, Any]:
        """Returns the fields of a match played to its end: why, the results with winners first, where its replay is."""
        outcome = view.sheet.outcome
        assert outcome is not None, "the match was played to its end"
        scores = outcome.scores or (None,) * len(view.sheet.seats)
        rows = [letters.Standing(seat, seat in outcome.winners, score) for seat, score in enumerate(scores)]
        public = match_views.is_watchable(self.session, self.match)
        return {
            "outcome": endings_of(view.game)[outcome.reason][self.reader.lang],
            "standings": tuple(sorted(rows, key=lambda row: (not row.won, -(row.score or 0)))),
            "replay_url": self.site.url(f"/replay/{self.match.id}") if public else self.link("play") + "/replay",
        }

    def news_of_orders(self, view: View) -> letters.OrderNews | None:
        """Returns the news of the reader's orders that no mail has told yet; None without any."""
        if self.seat.player_id != self.reader.player.id or self.table.orders_of(self.seat.seat) is None:
            return None
        lang, found = self.reader.lang, ordering.orders_and_news_of_seat(self.table, self.seat.seat)
        news = [one for one in found.news if one.n > found.mailed]
        seen = view if ordering.view_covers_news(view, news) else match_views.view(self.table, view.viewer)
        told = ordering.news_in_words(seen, news, lang)
        if not (told.answered or told.left):
            return None
        going = found.says(lang)
        return letters.OrderNews(
            answered=told.answered[-MOST_OF_ORDERS:],
            count=len(told.answered),
            left=told.left[-MOST_OF_ORDERS:],
            going=going[:MOST_OF_ORDERS],
            stop_url=self.link("orders", "stop-orders"),
            change_url=self.link("play") + "/orders",
            upto=max(one.n for one in news),
            left_before=max(0, len(told.left) - MOST_OF_ORDERS),
            more_going=max(0, len(going) - MOST_OF_ORDERS),
        )


def letter_for(context: LetterContext) -> tuple[Letter | None, str]:
    """Returns the letter and "sent", or None and the reason why none is sent.

    The reason is "stale", "opened", "muted", "suppressed", "bounced" or "digest".
    """
    site, session, row, reader = context.site, context.session, context.row, context.reader
    if row.kind not in kinds_of_mail_sent(site.config.features):
        return None, "stale"
    if row.opened_at is not None:
        return None, "opened"
    kind = all_kinds_of_mail()[row.kind]
    if not kind.to_any_mailbox:
        if context.is_suppressed():
            return None, "suppressed"
        if bounces.is_mail_withheld(site, session, row, reader.player):
            return None, "bounced"
    if kind.can_be_muted and not kind.on_request and reader.seat is not None and reader.seat.muted:
        return None, "muted"
    letter = kind.build(context)
    return (None, letter) if isinstance(letter, str) else (letter, "sent")
