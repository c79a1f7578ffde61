"""What one viewer may see of a match: read once, redacted once, and the source of everything shown.

A `View` holds the viewer's own fold and redacted log, never the full ones, so rendering it cannot leak secrets. It has
only the end of a long log, made from kept folds, and a `WholeView` has all of it.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from functools import cached_property
from itertools import pairwise
from typing import Annotated, Any, cast

import msgspec
from markupsafe import Markup
from msgspec import UNSET, Struct, UnsetType, structs
from sqlalchemy import bindparam, select
from sqlmodel import Session

from pbem import names
from pbem.answers import about, one_of
from pbem.errors import N_, Gone, NoMatch
from pbem.kit import folds, replay
from pbem.kit.codec import codec_for
from pbem.kit.contract import AnyGame, Ask, Card, Event, Move, Options, Outcome, Phrase, Scene, Shape, Viewer
from pbem.kit.endings import TABLE_ENDINGS
from pbem.kit.folds import BEGINNING, Start
from pbem.kit.logs import logfile
from pbem.kit.logs.chain import mark_of
from pbem.kit.logs.logfile import Log, Proof
from pbem.kit.replay import AnyEntry, TableEvent
from pbem.kit.texts import Lang
from pbem.models.prepared import Prepared, objects_of_rows
from pbem.models.tables import AskRow, Match, table
from pbem.render import phrases
from pbem.render.table_story import Narrator
from pbem.services import statements
from pbem.services.log import consent, deals, proofs, store, windows
from pbem.services.log.consent import Vote
from pbem.services.log.proofs import Stretch
from pbem.services.log.store import Table
from pbem.services.players import bounces
from pbem.services.players.players import name_of_unnamed_seat
from pbem.services.results.ratings import ShownRating
from pbem.services.results.sharing import Pace, ratings_and_paces_shown
from pbem.services.site import Site

STATUSES = ("unconfirmed", "inviting", "running", "paused", "over", "cancelled")
Status = Annotated[str, one_of(STATUSES)]
SEAT_STATUSES = ("open", "invited", "accepted", "declined")
SeatStatus = Annotated[str, one_of(SEAT_STATUSES)]
_m = table(Match).c
_WATCHABLE = Prepared(
    select(table(Match)).where(_m.id == bindparam("match"), _m.spectators, deals.condition_of_unsealed())
)
"""`match` → the match, if `is_watchable` is true of it."""


class Holiday(Struct, frozen=True):
    """Days, in the player's own time zone, on which their clock stops."""

    first: date
    last: date


class SheetSeat(Struct, frozen=True):
    """A seat."""

    seat: int
    name: str
    status: SeatStatus
    asked: bool
    bot: Annotated[str | None, about("The program that sits here.")] = None
    absent: Annotated[bool, about("The clock moves until the owner comes back.")] = False
    resigned: Annotated[bool, about("The clock moves until the end.")] = False
    bank_s: Annotated[int | None, about("Seconds left for all its turns; null without a bank.")] = None
    holidays: tuple[Holiday, ...] = ()
    bounces: Annotated[bool, about("Mail to the player is refused, so they may not know that they are asked.")] = False
    join: Annotated[
        str | None,
        about(
            "The link of an open seat, for the organiser to give on; null for everybody else. "
            "Its last segment is the token of POST /join."
        ),
    ] = None
    substitute: Annotated[
        str | None,
        about(
            "The link to a seat that was left, for anyone at the table to give on; null for "
            "everybody else. Its last segment is the token of POST /substitute."
        ),
    ] = None
    rating: Annotated[ShownRating | UnsetType, about("In this game, if the player wants ratings and has one.")] = UNSET
    pace: Annotated[Pace | UnsetType, about("Only if the player shows it.")] = UNSET

    @property
    def is_unnamed(self) -> bool:
        """True if nobody has said yet what the invited person is called."""
        return self.status == "invited" and self.name == name_of_unnamed_seat(self.seat)

    def away_until(self, today: date) -> date | None:
        """Returns the last day of the player's current holiday; None if they are not on holiday."""
        return next((one.last for one in self.holidays if one.first <= today <= one.last), None)


@dataclass(frozen=True)
class OpenAsk:
    """An open ask and when its time is up."""

    seat: int
    key: str
    turn: str
    kind: str
    origin: str
    """The key of the ask whose mail also covers this one."""
    deadline: datetime | None
    """None: the match is untimed."""
    acts_at: datetime | None = None
    """When the clock answers, a grace after the deadline; None if there is a vote or the mail has not left yet."""
    vote: Vote | None = None
    silent: bool = False
    """True if it belongs to a silent window: nobody sees when or how anybody answers before it closes."""
    sealed: Move | None = None
    """The viewer's own sealed answer to it; None without one, and always in the asks of others."""

    @property
    def ask(self) -> Ask:
        """Returns the ask as the game knows it."""
        return Ask(self.seat, replay.key_without_takebacks(self.key), self.turn, self.kind)


class OpenRequest(Struct, frozen=True):
    """The open request of a seat to take back what was played after entry `to`: POST takeback/consent."""

    seat: int
    to: int
    needed: Annotated[tuple[int, ...], about("The seats that must agree.")]
    agreed: Annotated[tuple[int, ...], about("The seats that have agreed.")]


@dataclass(frozen=True)
class Sheet:
    """What everybody who may see a match knows about it, without its log."""

    id: str
    game: AnyGame
    options: Options
    status: str
    version: int
    seats: tuple[SheetSeat, ...]
    asks: tuple[OpenAsk, ...]
    outcome: Outcome | None
    cancelled: str | None
    """Why the match was cancelled: withdrawn, lapsed, host, abandoned or season; otherwise None."""
    spectators: bool
    turn_s: int
    window_s: int
    late: str
    """What happens when the grace is over: "fallback" or "vote"."""
    bank_s: int | None
    increment_s: int
    untimed: bool
    """True if nobody at the table has deadlines: one person plays against bots."""
    silent: bool
    """True if the table's windows are silent, where there is anything to hide."""
    takebacks: str
    """What can be taken back: "consent", also what others have seen, or "free"."""
    takeback: OpenRequest | None
    """What somebody asks the others to let them take back."""
    deal: str | None
    """The id of the deal that other tables play, too; None: this table alone has its luck."""
    sealed: bool
    """True if another table may still play this one's deal: even once it is over, it keeps its secrets."""
    commitment: str
    """The commitment to its luck, made with the match."""
    words: tuple[str, ...] | None
    """The hashes of the lucky words in seat order; None before the start: nobody may choose theirs by another's."""
    typed: tuple[int, ...] | None
    """The seats whose word somebody typed; None before the start."""
    head: str | None
    """The head of the chain over its log; None before the first entry."""
    created_at: datetime
    started_at: datetime | None
    ended_at: datetime | None
    seen: int | None = None
    """The entry up to which the viewer has seen what happened; None for spectators, and if it is not recorded. Nobody
    learns it of anybody else."""

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Returns the players' names in seat order."""
        return tuple(seat.name for seat in self.seats)

    @property
    def bots(self) -> frozenset[int]:
        """Returns the seats that bots play."""
        return frozenset(seat.seat for seat in self.seats if seat.bot is not None)

    @property
    def alike(self) -> tuple[tuple[int, ...], ...]:
        """Returns the seats whose names look alike, one tuple per look; open seats have no name and are left out."""
        named = [seat for seat in self.seats if seat.status != "open"]
        return tuple(
            tuple(named[n].seat for n in group)
            for group in names.positions_of_lookalikes([seat.name for seat in named])
        )

    def with_name(self, seat: int, name: str) -> "Sheet":
        """Returns the sheet as it would be with this name at the seat."""
        return replace(self, seats=tuple(structs.replace(s, name=name) if s.seat == seat else s for s in self.seats))

    def has_resigned(self, seat: Viewer) -> bool:
        """True if the player of this seat has resigned from a match that goes on."""
        return seat is not None and self.status in ("running", "paused") and self.seats[seat].resigned

    @property
    def mark(self) -> str | None:
        """The mark of the head, for the eye; None before the first entry."""
        return mark_of(self.head) if self.head is not None else None

    @property
    def is_over_by_table(self) -> bool:
        """True if the match ended because of the people at it, before the rules ended it."""
        return self.outcome is not None and self.outcome.reason in TABLE_ENDINGS

    @property
    def over(self) -> bool:
        """True if the match was played to its end; whether it shows its secrets, `open` says."""
        return self.status == "over"

    @property
    def open(self) -> bool:
        """True if the match is over and nothing about it is secret any more."""
        return self.over and not self.sealed

    @property
    def has_ended(self) -> bool:
        """True if nothing is played any more: the match is over, or was called off."""
        return self.status in ("over", "cancelled")


@dataclass(frozen=True)
class Line:
    """One line of the story: the number of its entry, the sentence, and the event as the viewer sees it.

    `undone` is True if what it tells was taken back. `card`: the same at more length, for news that no player must
    miss; None for all other lines.
    """

    n: int
    text: Phrase
    event: Event
    undone: bool = False
    card: Card | None = None


@dataclass(frozen=True)
class News:
    """The lines of the story that a reader can page through, oldest first, and where to begin.

    `unread` is the index of the first line that they have not read; None if they have read all. What they have played
    themselves counts as read, unless it has shown them something: then it has a card.
    """

    lines: tuple[Line, ...]
    unread: int | None


@dataclass(frozen=True)
class View:
    """A match as one viewer sees it: their fold, and as much of their log as tells their news.

    `viewer` None is a spectator. Who needs all of the log asks for a `WholeView`.
    """

    sheet: Sheet
    viewer: Viewer
    recent: tuple[AnyEntry, ...]
    """The entries after that of `start`, up to the newest."""
    fold: Any
    ask: OpenAsk | None
    told: dict[Lang, tuple[int, list[Line]]] = field(default_factory=dict, compare=False, repr=False)
    """A cache of the story by language, each from the earliest entry requested so far."""
    start: Start = BEGINNING
    drawn: dict[Lang, tuple[object, Mapping[Shape, Markup]]] = field(default_factory=dict, compare=False, repr=False)
    """A cache of the board by language: what was shown on it last, and the drawing in each shape."""

    @cached_property
    def game(self) -> AnyGame:
        """Returns the match's game."""
        return self.sheet.game

    def with_sheet(self, sheet: Sheet, ask: OpenAsk | None) -> "View":
        """Returns the view with what was read again: who sits there, and what is asked; what the log tells stays."""
        again = copy(self)
        vars(again).update(sheet=sheet, ask=ask)
        return again

    def markup(self, phrase: Phrase) -> Markup:
        """Returns the phrase as pages show it, with names and marks."""
        return phrases.phrase_html(phrase, self.sheet.names, self.game.meta)

    def legal(self) -> Sequence[Any]:
        """Returns the moves that answer the viewer's open ask; empty if there is none."""
        if self.ask is None or self.viewer is None:
            return ()
        return self.game.legal(self.fold, self.viewer)

    def story(self, lang: Lang, after: int) -> list[Line]:
        """Returns the lines that tell the entries with n > after. Raises ValueError if the view begins later."""
        if after < self.start.n:
            raise ValueError(f"the view begins after entry {self.start.n}, and cannot tell what comes after {after}")
        since, lines = self.told.get(lang, (self.recent[-1].n if self.recent else self.start.n, []))
        if after < since:
            since, lines = self.told[lang] = after, self._lines_of_story(lang, after)
        return lines if after == since else [line for line in lines if line.n > after]

    def tells(self, after: int) -> bool:
        """True if the view has all that came after this entry."""
        return after >= self.start.n

    def has_lines(self, lang: Lang, count: int) -> bool:
        """True if the view tells at least the last `count` lines of the story, or all there are."""
        return self.start.n == 0 or len(self.story(lang, self.start.n)) >= count

    def _lines_of_story(self, lang: Lang, after: int) -> list[Line]:
        lines, before, narrator = list[Line](), self.start.fold, Narrator(self.game, lang, self.start.there)
        counting = replay.entries_not_taken_back(self.recent)
        undone = set[int]() if counting is self.recent else {one.n for one in self.recent} - {one.n for one in counting}
        for at, entry in enumerate(self.recent, 1):
            of_game = not isinstance(entry.event, TableEvent)
            told = self.game.tell(entry.event, before, lang) if of_game and entry.n > after else ""
            of_table = narrator.card_of_table_or_clock(entry, told, self.viewer)
            text = narrator.line(entry, told)
            if text and entry.n > after:
                gone = entry.n in undone
                card = None if gone else self._card_of_entry(entry, before, lang) or of_table
                lines.append(Line(entry.n, text, entry.event, undone=gone, card=card))
            if of_game:
                before = self.game.evolve(before, entry.event)
            elif isinstance(entry.event, replay.Undone):
                until = (one.event for one in replay.entries_not_taken_back(self.recent[:at]))
                before = replay.evolve_all(self.game, self.start.fold, until)
        return lines

    def _card_of_entry(self, entry: AnyEntry, before: Any, lang: Lang) -> Card | None:
        """Returns the game's own card of the entry, from the fold before it."""
        if isinstance(entry.event, TableEvent) or self.game.card is None:
            return None
        return self.game.card(entry.event, before, self.viewer, lang)

    def news(self, lang: Lang) -> News:
        """Returns the lines from the viewer's own last move or from the first unread one, whichever is earlier.

        Without an own move they begin where the viewer took the seat over, or with the story. Spectators have all that
        the view tells, and nothing unread.
        """
        lines = tuple(self.story(lang, self.news_after) or self.story(lang, self.start.n)[-1:])
        own, seen = self._numbers_of_own_entries, self.newest_seen
        unread = (at for at, line in enumerate(lines) if line.n > seen and (line.n not in own or line.card is not None))
        return News(lines, next(unread, None) if self.viewer is not None else None)

    def recap(self, lang: Lang) -> list[tuple[int, Line]]:
        """Returns what a mail tells: the lines that are not marked as read, numbered as in the news, from one.

        Their own last move is among them where nothing later has been read.
        """
        seen = self.newest_seen
        return [(n, line) for n, line in enumerate(self.news(lang).lines, 1) if line.n > seen]

    @property
    def newest_seen(self) -> int:
        """The number of the entry up to which the viewer has read what happened.

        Where that is not recorded, everything before their own last move; 0 if they have made none.
        """
        return self.sheet.seen if self.sheet.seen is not None else self._entry_news_begin_at - 1

    @property
    def news_after(self) -> int:
        """The number of the entry after which the viewer's news begin: see `news`."""
        return min(self.newest_seen, self._entry_news_begin_at - 1) if self.viewer is not None else self.start.n

    @cached_property
    def _entry_news_begin_at(self) -> int:
        """The number of the entry with which the viewer's own last move, or else their time at the table, begins."""
        last = self.last_own
        if last is not None:
            return next(one.n for one in self.recent if one.key == last.key and one.by.seat == self.viewer)
        return max(self._numbers_of_own_takeovers, default=1)

    @cached_property
    def _numbers_of_own_takeovers(self) -> list[int]:
        """The numbers of the entries by which the viewer's seat was taken over."""
        taken = (one for one in self.recent if isinstance(one.event, replay.Replaced))
        return [one.n for one in taken if one.event.seat == self.viewer]

    def has_news(self) -> bool:
        """True if the view reaches back to where the viewer's news begin, and tells what they have played last."""
        begins = self.viewer is not None and (self.last_own is not None or self._numbers_of_own_takeovers)
        return self.start.n == 0 or bool(begins and self.news_after >= self.start.n)

    @property
    def has_moved(self) -> bool:
        """True if the viewer's own last move is what they have seen last, or the first that they have not."""
        own, seen = self.last_own, self.newest_seen
        return own is not None and all(one.key == own.key for one in self.recent if seen < one.n <= own.n)

    @property
    def others_moved(self) -> bool:
        """True if somebody else has answered a question since the viewer's own last move, or if they have made none."""
        own = self.last_own
        later = (one for one in self.recent if own is None or one.n > own.n)
        return own is None or any(one.seat_answered_for not in (None, self.viewer) for one in later)

    @cached_property
    def _numbers_of_own_entries(self) -> frozenset[int]:
        """The numbers of the entries that say what the viewer has played, without what followed: no news to them."""
        return frozenset(
            entry.n
            for before, entry in pairwise((None, *self.recent))
            if entry is not None and entry.by.seat == self.viewer and entry.key and entry.key != (before and before.key)
        )

    @cached_property
    def last_own(self) -> AnyEntry | None:
        """The last entry of the viewer's own moves; None without one, as after taking over a seat."""
        for entry in reversed(replay.entries_not_taken_back(self.recent)):
            if isinstance(entry.event, replay.Replaced) and entry.event.seat == self.viewer:
                return None
            if self.viewer is not None and entry.by.seat == self.viewer:
                return entry
        return None

    def scene(self, numbered: Iterable[tuple[int, Line]]) -> Scene:
        """Returns how the board is drawn where these lines stand beside it: what they tell has their numbers on it.

        Table events have no place on a board, nor has what was taken back.
        """
        marked = ((n, line.event) for n, line in numbered if not (line.undone or isinstance(line.event, TableEvent)))
        resigned, over = self.sheet.has_resigned(self.viewer), self.sheet.has_ended
        return Scene(recent=tuple(marked), resigned=resigned, over=over, bots=self.sheet.bots)


@dataclass(frozen=True)
class WholeView(View):
    """A match as one viewer sees it, with all of their log."""

    @property
    def entries(self) -> tuple[AnyEntry, ...]:
        """The viewer's log."""
        return self.recent


Enough = Callable[[View], bool]
"""Whether a view with the end of a log has what its reader needs."""
ANY: Enough = lambda _: True  # noqa: E731
NEWS: Enough = View.has_news
WHOLE: Enough = lambda seen: isinstance(seen, WholeView)  # noqa: E731


_OF_MATCH = (
    "id", "status", "version", "turn_s", "window_s", "late", "bank_s", "increment_s", "untimed", "silent", "takebacks",
    "commitment", "head", "created_at", "started_at", "ended_at",
)  # fmt: skip
"""What a sheet says as the match's row does."""


def sheet(
    table: Table, viewer: Viewer, *, sealed: bool | None = None, listed: bool = False, standings: bool = False
) -> Sheet:
    """Returns the match's sheet for this viewer, with their own sealed answer and what they have seen.

    Reads whether the match is sealed unless that is passed in. The marks that seats have taken are not in the sheet for
    a stranger who may not see the match, nor, if it is `listed`, among many. With `standings` it has what its players
    show of themselves, which takes no query if nobody shows anything.
    """
    match, game, session = table.match, table.game, table.session
    if sealed is None:
        sealed = match.deal_id is not None and deals.is_deal_sealed(session, match.deal_id)
    spectators = match.spectators and not sealed
    seats, asks = table.read_seats_and_open_asks().seats, table.asks
    shown = _standings_of_players_at_table(table) if standings else {}
    away = table.holidays if viewer is not None else {}  # holidays are visible to seated players only
    asks_back = match.undoing is not None and match.status == "running"
    request = consent.find_takeback_request(match) if asks_back else None
    needed = consent.seats_to_agree_to_takeback(seats, request.seat) if request is not None else ()
    outcome, cancelled = end_of(match.status, match.outcome)
    return Sheet(
        **{name: getattr(match, name) for name in _OF_MATCH},
        game=table.game_with_marks(seen=not listed and (viewer is not None or spectators)),
        options=codec_for(game).options(msgspec.json.decode(match.options)),
        seats=tuple(
            SheetSeat(
                s.seat, s.name, s.status, any(ask.seat == s.seat for ask in asks), s.bot, s.absent, s.resigned,
                s.bank_s, tuple(Holiday(*days) for days in away.get(s.seat, ())),
                bounces.is_bounce_shown(s, player, match.status, viewer), **shown.get(s.seat, {}),
            )
            for s, player in table.seats_with_players
        ),
        asks=tuple(_open_ask(table, row, viewer) for row in asks),
        outcome=outcome, cancelled=cancelled, spectators=spectators, deal=match.deal_id,
        sealed=sealed,
        takeback=OpenRequest(request.seat, request.to, needed, request.agreed) if request is not None else None,
        words=proofs.word_hashes(match) if match.words is not None else None,
        typed=proofs.seats_with_word(match) if match.words is not None else None,
        seen=next((row.seen for row in seats if row.seat == viewer), None),
    )  # fmt: skip


def end_of(status: str, outcome: str | None) -> tuple[Outcome | None, str | None]:
    """Returns the outcome of a match that was played to its end, and why one was cancelled; None for what is not so.

    `outcome` is what its row says.
    """
    if outcome is None:
        return None, None
    if status == "over":
        return msgspec.json.decode(outcome, type=Outcome), None
    return None, str(msgspec.json.decode(outcome)["reason"])


def _open_ask(table: Table, row: AskRow, viewer: Viewer) -> OpenAsk:
    own_seal = row.sealed if row.seat == viewer else None
    sealed = windows.answer_if_readable(table.game, own_seal) if own_seal is not None else None
    voted = row.vote_since is not None
    vote = consent.current_vote_on_late_ask(table.session, row, table.seats, table.asks) if voted else None
    if table.match.untimed:  # the row of a bot has a deadline all the same; nobody at the table has to know
        return OpenAsk(row.seat, row.key, row.turn, row.kind, row.origin, None, sealed=sealed)
    acts_at = row.acts_at if vote is None else None  # the vote decides, and the clock only after a long time
    silent = row.floor_at is not None
    return OpenAsk(row.seat, row.key, row.turn, row.kind, row.origin, row.deadline, acts_at, vote, silent, sealed)


def read_sheet(site: Site, match_id: str, viewer: Viewer) -> Sheet:
    """Returns the sheet for this viewer. Raises NoMatch."""
    with site.reading() as session:
        table = Table(session, visible_match(session, match_id, viewer))
        return sheet(table, viewer, standings=True)


def _standings_of_players_at_table(table: Table) -> dict[int, dict[str, Any]]:
    """Returns what the players at the table show of themselves, by seat.

    Only those who have accepted count: an invitee has not said yet that they are the person of this address.
    """
    sitting = {
        seat.seat: player
        for seat, player in table.seats_with_players
        if player is not None and seat.status == "accepted" and (player.rated or player.pace_shown)
    }
    found = ratings_and_paces_shown(table.session, table.match.game, sitting.values()) if sitting else {}
    return {seat: found[player.id] for seat, player in sitting.items() if player.id in found}


def is_watchable(session: Session, match: Match) -> bool:
    """True if spectators may see the match: if it admits any, and no other table may still play its deal."""
    return match.spectators and (match.deal_id is None or not deals.is_deal_sealed(session, match.deal_id))


def visible_match(session: Session, match_id: str, viewer: Viewer) -> Match:
    """Returns the match if this viewer may see it. Raises NoMatch.

    A spectator's statement does not find a match that admits none, or none yet, so the time it takes reveals nothing.
    """
    statement = statements.MATCH if viewer is not None else _WATCHABLE
    rows = statement.flush_and_send(session, {"match": match_id}).rows() if store.MATCH_ID.fullmatch(match_id) else []
    if not rows:
        raise NoMatch
    (match,) = objects_of_rows(session, Match, rows)
    return cast(Match, match)


def read_view(site: Site, match_id: str, viewer: Viewer) -> WholeView:
    """Returns the match as this viewer sees it. Raises NoMatch."""
    return cast(WholeView, read_now(site, match_id, viewer, WHOLE))


def read_now(site: Site, match_id: str, viewer: Viewer, enough: Enough = ANY) -> View:
    """Returns how the match stands for this viewer, with any part of the log that is enough. Raises NoMatch."""
    with site.reading() as session:
        return glance(Table(session, visible_match(session, match_id, viewer)), viewer, enough)


def read_whole(site: Site, view: View) -> WholeView:
    """Returns the view with all of the log. Raises NoMatch."""
    return view if isinstance(view, WholeView) else read_view(site, view.sheet.id, view.viewer)


def read_events(site: Site, match_id: str, viewer: Viewer, after: int) -> tuple[View, Stretch]:
    """Returns the match as the viewer sees it, and its entries after `after` with what proves them. Raises NoMatch."""
    with site.reading() as session:
        match = visible_match(session, match_id, viewer)
        seen = glance(Table(session, match), viewer, lambda seen: seen.tells(after))
        return seen, proofs.read_stretch(session, match, seen.recent, after)


def view(table: Table, viewer: Viewer) -> WholeView:
    """Returns the match as this viewer sees it; before the match has begun, the log is empty and the fold None."""
    return cast(WholeView, glance(table, viewer, WHOLE))


def glance(table: Table, viewer: Viewer, enough: Enough = NEWS) -> View:
    """Returns the match as this viewer sees it, with at least that part of the log which is enough: for their news.

    What it costs does not grow with the log, as long as kept folds suffice.
    """
    shown = sheet(table, viewer, standings=True)
    views, ask = table.session.views, next((ask for ask in shown.asks if ask.seat == viewer), None)
    key = shown.id, shown.version, viewer, shown.status, shown.sealed, tuple(ask.key for ask in shown.asks)
    known: View | None = views.find(key) if views is not None else None
    if known is not None and enough(known := known.with_sheet(shown, ask)):
        seen = known
    else:
        seen = _view_from_kept_folds_or_log(table, shown, viewer, ask, enough)
    if views is not None and (seen.recent[-1].n if seen.recent else seen.start.n) == shown.version:
        views.keep(key, seen)  # it has all that the sheet tells of, and later what is worked out of it
    return seen


def _view_from_kept_folds_or_log(
    table: Table, shown: Sheet, viewer: Viewer, ask: OpenAsk | None, enough: Enough
) -> View:
    """Returns the view from kept folds and the entries after them; from the whole log, if that is not enough."""
    hides = shown.silent and shown.game.meta.has_windows and not shown.open
    silent = windows.keys_of_silent_windows(table.session, shown.id) if hides else frozenset()
    pending = tuple(one.ask for one in shown.asks)
    fades = shown.sealed or not shown.has_ended  # as long as something of the match is secret
    if enough is not WHOLE and shown.version:
        part = table.part_of(viewer, pending, silent, fades=fades)
        if part is not None and enough(seen := View(shown, viewer, part.entries, part.fold, ask, start=part.start)):
            return seen
    log = table.entries if shown.version else []
    part = folds.view_of_whole_log(shown.game, log, viewer, pending, silent, fades=fades)
    return WholeView(shown, viewer, part.entries, part.fold, ask)


def read_log(site: Site, match_id: str, viewer: Viewer) -> Log:
    """Returns the portable log: in full, with the seed, once the match is over and open; otherwise the viewer's own.

    Raises NoMatch, and Gone for a match without a start: no log has a header without lucky words.
    """
    with site.reading() as session:
        match = visible_match(session, match_id, viewer)
        if match.head is None and match.status == "cancelled":
            raise Gone(N_("This match has been called off."))
        if match.head is None:
            raise Gone(N_("The match has not begun yet."))
        table = Table(session, match)
        seen = view(table, viewer)
        sheet = seen.sheet
        entries = table.entries if sheet.open else seen.entries
        sealed = [seals for _, seals, _ in proofs.read_seals(session, match.id)]
        # A full log has the seed, from which all salts follow.
        salts = [{} for _ in sealed] if sheet.open else [s.salts for s in proofs.open_seals(match, entries, sealed)]
        until = logfile.DEAL if sheet.over and sheet.sealed else None
        proof = Proof(
            proofs.deal_id_of(match), proofs.word_hashes(match), proofs.options_dict_as_stored(match), tuple(sealed),
            tuple(salts),
            match.head, until, proofs.table_id_at_shared_deal(match),
        )  # fmt: skip
        whose, seed = ("all", match.seed) if sheet.open else (viewer, None)
        return Log(seen.game, sheet.options, len(sheet.seats), whose, match.commitment, seed, tuple(entries), proof)
