"""Reading a match: its row, its seats and open asks, its log and its state. `table` has what is written."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache, cached_property
from typing import Any, Self, Union

import msgspec
from sqlalchemy import Connection, or_
from sqlmodel import Session, col, select

from pbem.clock import iso_format
from pbem.errors import N_, GameUnavailable, NotFound
from pbem.games import find_game
from pbem.kit.codec import codec_for
from pbem.kit.contract import AnyGame, Ask, Viewer, game_with_marks
from pbem.kit.folds import Folds, KeptFolds, Part, Unreadable, fold_for_all, no_folds, view_since
from pbem.kit.replay import (
    TABLE_EVENTS,
    AnyEntry,
    By,
    Entry,
    Undone,
    entries_not_taken_back,
    evolve_all,
    fold_for_viewer,
    full_fold,
    key_without_takebacks,
)  # fmt: skip
from pbem.models.prepared import OneOf, Prepared, Sent, find_by_key, objects_of_join, objects_of_rows, pipeline
from pbem.models.tables import AskRow, Match, OrderRow, Player, SeatRow, table
from pbem.services import statements
from pbem.services.calendar import calendar
from pbem.services.calendar.calendar import ALWAYS, Calendar, Holidays
from pbem.services.log import archive, folds
from pbem.services.site import Reading

GAME_RETRY_S = 600
MATCH_ID = re.compile(r"[0-9a-f]{1,32}")
ASK_KEY = re.compile(r"[!-~]{1,64}")


class Table:
    """A match as a transaction sees it: its row, and what is read of it, once each."""

    def __init__(self, session: Reading, match: Match) -> None:
        self.session, self.match, self.id = session, match, match.id
        self._players: Sequence[Player | None] = ()
        """Who had the seats when they were read. The session forgets the players that nobody holds."""
        self._open_asks: Sequence[AskRow] | None = None
        self._kept_rows: tuple[Sequence[Any], Sequence[Any]] | None = None
        """The earlier row of its kept folds and those of the entries after it, if they were read with the match."""
        self.orders: dict[int, OrderRow | None] = {}
        """The rows of orders that are known, by seat; None: the seat has none. `orders_of` reads the others."""

    def read_seats_and_open_asks(self) -> Self:
        """Reads the seats, players, open asks and holidays in one round trip, unless they have been read."""
        if "seats" not in vars(self):
            with pipeline(self.session) as connection:
                sent = _query_seats_asks_and_holidays(connection, self.id)
            self.keep_seats_asks_and_holidays(*sent)
        return self

    def keep_seats_asks_and_holidays(self, people: Sent, asks: Sent, holidays: Sent) -> None:
        """Keeps the answers to what `_query_seats_asks_and_holidays` has sent."""
        found = objects_of_join(self.session, (SeatRow, Player), people.rows())
        self.keep_people(found, calendar.group_holidays_by_number(holidays.rows()))
        self._open_asks = objects_of_rows(self.session, AskRow, asks.rows())

    def keep_people(self, people: Iterable[tuple[Any, ...]], holidays: Holidays | None = None) -> None:
        """Keeps the seats in order, each with its player, and the holidays of these."""
        self.seats, self._players, *_ = zip(*people, strict=True)
        if holidays is not None:
            self.holidays = holidays

    def keep_earlier_folds_and_log_end(self, kept: Sent, later: Sent) -> None:
        """Keeps the answers to `statements.EARLIER_FOLDS` and `AFTER_EARLIER`, from the same moment as the match."""
        self._kept_rows = kept.rows(), later.rows()

    @cached_property
    def game(self) -> AnyGame:
        """The match's game. Raises GameUnavailable if it is broken or no longer installed."""
        return game_by_slug(self.match.game)

    def game_with_marks(self, *, seen: bool = True) -> AnyGame:
        """Returns the match's game with the marks that its seats have taken, if they take any; `seen`: if one may know.

        Reads the state where they do.
        """
        game = self.game
        if game.with_marks is None:
            return game
        options = codec_for(game).options(msgspec.json.decode(self.match.options))
        known = seen and self.match.version and game.meta.takes_marks(options)
        return game_with_marks(game, options, self.state if known else None)

    @cached_property
    def seats(self) -> Sequence[SeatRow]:
        """The seats in order."""
        rows = statements.TABLE.flush_and_send(self.session, {"match": self.id}).rows()
        self.keep_people(objects_of_join(self.session, (SeatRow, Player), rows))
        return self.seats

    @property
    def seats_with_players(self) -> list[tuple[SeatRow, Player | None]]:
        """The seats in order, each with its player, also after one has changed hands in this transaction."""
        return [(seat, self._player_of(seat)) for seat in self.seats]

    def _player_of(self, seat: SeatRow) -> Player | None:
        player = self._players[seat.seat] if self._players else None
        if player is not None and player.id == seat.player_id:
            return player
        return find_by_key(self.session, Player, seat.player_id) if seat.player_id is not None else None

    @cached_property
    def holidays(self) -> Holidays:
        """The holidays of the players by seat, as they were read."""
        return calendar.group_holidays_by_number(
            statements.HOLIDAYS.flush_and_send(self.session, {"match": self.id}).rows()
        )

    def calendar_of(self, seat: SeatRow) -> Calendar:
        """Returns the calendar of the player who has this seat now; a bot's clock always runs."""
        player = self._player_of(seat)
        if player is None or seat.bot is not None:
            return ALWAYS
        if self.seats[seat.seat].status != "accepted" or player is not self._players[seat.seat]:
            return calendar.calendar_of_player(self.session, player)
        return calendar.calendar_with_holidays(player, self.holidays.get(seat.seat, ()))

    @property
    def asks(self) -> Sequence[AskRow]:
        """The open asks in seat order."""
        if self._open_asks is None:
            self._open_asks = open_asks(self.session, self.id)
        return self._open_asks

    def ask_to(self, seat: int) -> AskRow | None:
        """Returns the open ask of the seat, or None."""
        return next((ask for ask in self.asks if ask.seat == seat), None)

    def ask(self, key: str, seat: int) -> AskRow | None:
        """Returns the ask with this key, open or closed; None if there is none or the key is malformed."""
        return get_ask(self.session, self.id, key, seat)

    def orders_of(self, seat: int) -> OrderRow | None:
        """Returns the row of the seat's orders, or None."""
        return self.orders[seat] if seat in self.orders else find_by_key(self.session, OrderRow, self.id, seat)

    @cached_property
    def entries(self) -> Sequence[AnyEntry]:
        """The entries of the log."""
        if self._kept_rows is not None and (later := self._kept_rows[1]) and later[0][0] == 1:
            return decode_entries(self.game, later)
        # In a session without a snapshot, others may have been appended since the match was read.
        return load_entries(self.session, self.id, self.game)[: self.match.version]

    @property
    def entries_after_earlier_folds(self) -> tuple[int, Sequence[AnyEntry]]:
        """After which entry the end of the log begins that is to be read, and its entries; 0 and all without folds."""
        kept, entries = self._earlier_folds
        return kept.n if kept is not None else 0, entries

    def part_of(self, viewer: Viewer, asks: Sequence[Ask], silent: Collection[str], *, fades: bool) -> Part | None:
        """Returns the end of the log as this viewer sees it, from kept folds; None if these do not suffice.

        `asks` and `silent` as in `kit.folds.view_of_whole_log`. Nobody else's folds leave this module for a reader.
        """
        kept, entries = self._earlier_folds
        try:
            return None if kept is None else view_since(self.game, kept, entries, viewer, asks, silent, fades=fades)
        except Unreadable:
            self._note_unreadable()
            return None

    @cached_property
    def _earlier_folds(self) -> tuple[KeptFolds | None, Sequence[AnyEntry]]:
        """The earlier of the folds that are kept, and the entries after it; None and all entries if there is none."""
        if self._kept_rows is not None:
            kept, entries = self._choose_kept(*self._kept_rows)
        else:
            kept, entries = self._read_kept_folds_and_later(statements.EARLIER_FOLDS, statements.AFTER_EARLIER)
        if (
            kept is not None
            and folds.is_other_row_missing(kept.n, self.match.version)
            and folds.entry_numbers_to_keep_folds_at(self.entries)[1:]
        ):
            self._note_lacking()
        return kept, entries

    @cached_property
    def state(self) -> Any:
        """The full state at the head, from this process's cache, or from kept folds and later entries."""
        match, game = self.match, self.game
        if (head := self.session.head(match.id, match.version, game.meta.fold)) is not None:
            return head.state
        kept, entries = vars(self).get("_earlier_folds") or self._read_latest_folds()
        try:
            return evolve_all(game, kept and kept.full_state(), (one.event for one in entries_not_taken_back(entries)))
        except Unreadable:
            self._note_unreadable()
            return full_fold(game, self.entries)

    def read_folds_at_head(self) -> Folds:
        """Returns what everybody knows at the head, for a writer, from kept folds and later entries."""
        kept, entries = self._read_latest_folds()
        nothing = no_folds(len(self.seats))
        try:
            return fold_for_all(
                self.game, kept.all_folds() if kept is not None else nothing, entries_not_taken_back(entries)
            )
        except Unreadable:
            self._note_unreadable()
            return fold_for_all(self.game, nothing, entries_not_taken_back(self.entries))

    def _read_latest_folds(self) -> tuple[KeptFolds | None, Sequence[AnyEntry]]:
        return self._read_kept_folds_and_later(statements.LATEST_FOLDS, statements.AFTER_LATEST)

    def _read_kept_folds_and_later(
        self, kept: Prepared, after: Prepared
    ) -> tuple[KeptFolds | None, Sequence[AnyEntry]]:
        """Returns folds that are kept and the entries `after` them; None and all entries if there is nothing to use."""
        if "entries" in vars(self) or self.match.archived_at is not None:
            return None, self.entries
        known = {"match": self.id}
        with pipeline(self.session) as connection:
            rows, later = kept.send(connection, known), after.send(connection, known)
        return self._choose_kept(rows.rows(), later.rows())

    def _choose_kept(
        self, found: Sequence[Any], later: Sequence[Any]
    ) -> tuple[KeptFolds | None, Sequence[AnyEntry]]:  # fmt: skip
        version, seats = self.match.version, len(self.seats)
        entries = decode_entries(self.game, [row for row in later if row[0] <= version])
        row = next((one for one in found if one[0] + 1 == (entries[0].n if entries else version + 1)), None)
        kept = folds.unpack_kept_row_or_log(self.id, self.game, seats, row) if row is not None else None
        undone = [one.event.to for one in entries if isinstance(one.event, Undone)]
        if isinstance(kept, KeptFolds) and all(to >= kept.n for to in undone):
            return kept, entries
        if not isinstance(kept, int) or kept < self.game.meta.fold:  # else a later release runs beside
            self._note_lacking()
        if entries and entries[0].n == 1:
            self.entries = entries
        return None, self.entries

    def _note_lacking(self) -> None:
        if self.match.version >= folds.EVERY and self.match.ended_at is None:
            self.session.lacks_folds.add(self.id)

    def _note_unreadable(self) -> None:
        folds.log_unreadable_folds(self.id)
        self._note_lacking()

    def folds_to_keep(self) -> list[tuple[int, Folds]]:
        """Returns the folds that should be kept, each with its entry, from the whole log; none if nothing lacks."""
        latest = self._read_latest_folds()  # first: the earlier one may need the whole log, which replaces both
        for kept, _ in (self._earlier_folds, latest):
            try:
                if kept is not None:
                    kept.all_folds()
            except Unreadable:
                self._note_unreadable()
        if self.id not in self.session.lacks_folds:
            return []
        self.session.lacks_folds.discard(self.id)
        log, nothing = self.entries, no_folds(len(self.seats))
        return [
            (n, fold_for_all(self.game, nothing, entries_not_taken_back(log[:n])))
            for n in folds.entry_numbers_to_keep_folds_at(log)
        ]

    def fold_of_seat(self, seat: Viewer) -> Any:
        """Returns the fold of what this seat knows."""
        return fold_for_viewer(self.game, self.entries, seat)


def _query_seats_asks_and_holidays(connection: Connection, match_id: str) -> tuple[Sent, Sent, Sent]:
    known = {"match": match_id}
    return (
        statements.TABLE.send(connection, known),
        statements.OPEN_ASKS.send(connection, known),
        statements.HOLIDAYS.send(connection, known),
    )


Query = tuple[Prepared, Mapping[str, Any]]
"""A statement, and the values of its parameters."""


def read_table(session: Reading, match_id: str, *also: Query) -> tuple[Table, list[Sent]]:
    """Returns the match of a link with all that is around it, and the answers to other queries, in one round trip.

    Raises NotFound.
    """
    with pipeline(session) as connection:
        match, around = (
            statements.MATCH.send(connection, {"match": match_id}),
            _query_seats_asks_and_holidays(connection, match_id),
        )
        more = [one.send(connection, values) for one, values in also]
    table = Table(session, require_match(objects_of_rows(session, Match, match.rows())))
    table.keep_seats_asks_and_holidays(*around)
    return table, more


_seats, _players, _asks = table(SeatRow), table(Player), table(AskRow)
_of_these = OneOf(_seats.c.match_id, "matches")
_PEOPLE = Prepared(
    select(_seats, _players)
    .join(_players, _players.c.id == _seats.c.player_id, isouter=True)
    .where(_of_these)
    .order_by(_seats.c.seat)
)
_ASKS = Prepared(
    select(_asks).where(OneOf(_asks.c.match_id, "matches"), _asks.c.closed_at.is_(None)).order_by(_asks.c.seat)
)
_AWAY = Prepared(statements.ANNOUNCED.add_columns(_seats.c.match_id).where(_of_these))


def read_tables(session: Reading, matches: Iterable[Match]) -> dict[str, Table]:
    """Returns these matches with all that is around them, by id, in three queries and one round trip."""
    tables = {match.id: Table(session, match) for match in matches}
    these = {"matches": [*tables]}
    with pipeline(session) as connection:
        people, asks, away = (one.send(connection, these) for one in (_PEOPLE, _ASKS, _AWAY))
    found = objects_of_join(session, (SeatRow, Player), people.rows())
    of_seat = _group_by_match((seat.match_id, (seat, player)) for seat, player in found)
    of_ask = _group_by_match((ask.match_id, ask) for ask in objects_of_rows(session, AskRow, asks.rows()))
    of_day = _group_by_match((at, (seat, first, last)) for seat, first, last, at in away.rows())
    for match_id, one in tables.items():
        one.keep_people(of_seat[match_id], calendar.group_holidays_by_number(of_day[match_id]))
        one._open_asks = of_ask[match_id]
    return tables


def seats_of_matches(session: Session, match_ids: Collection[str]) -> dict[str, list[SeatRow]]:
    """Returns the seats of these matches in order."""
    found = select(SeatRow).where(col(SeatRow.match_id).in_(match_ids)).order_by(col(SeatRow.seat))
    return _group_by_match((seat.match_id, seat) for seat in session.exec(found))


def _group_by_match(found: Iterable[tuple[str, Any]]) -> dict[str, list[Any]]:
    sorted_out: dict[str, list[Any]] = defaultdict(list)
    for match_id, one in found:
        sorted_out[match_id].append(one)
    return sorted_out


def game_by_slug(slug: str) -> AnyGame:
    """Returns the game with this slug. Raises GameUnavailable if it is broken or no longer installed."""
    game = find_game(slug)
    if game is None:
        message = N_(
            "The game “%(game)s” is not available here at the moment. Its matches wait, no time is lost, and they go "
            "on when it is back."
        )
        raise GameUnavailable(message, {"game": slug}, retry_after=GAME_RETRY_S)
    return game


def get_match(session: Session, match_id: str) -> Match:
    """Returns the match. Raises NotFound."""
    found = objects_of_rows(session, Match, statements.MATCH.flush_and_send(session, match_parameter(match_id)).rows())
    return require_match(found)


def match_parameter(match_id: str) -> dict[str, str]:
    """Returns the id as a statement's parameter.

    Raises NotFound for text that cannot be an id: a database may reject it, as PostgreSQL rejects NUL.
    """
    if not MATCH_ID.fullmatch(match_id):
        raise NotFound(N_("There is no such match."))
    return {"match": match_id}


def require_match(found: list[Any]) -> Match:
    """Returns the match found by a query. Raises NotFound if there is none."""
    if not found:
        raise NotFound(N_("There is no such match."))
    match: Match = found[0]
    return match


def seats_of(session: Session, match_id: str) -> list[SeatRow]:
    """Returns the match's seats in seat order."""
    return objects_of_rows(session, SeatRow, statements.SEATS.flush_and_send(session, {"match": match_id}).rows())


UNDONE = "undone"
"""How a question was closed whose answer, or what had put it, was taken back."""
Key = tuple[str, int]
"""Key and seat of an ask, the key as the rules know it."""


def open_and_closed_ask_keys(session: Session, match_id: str) -> tuple[frozenset[Key], frozenset[Key]]:
    """Returns the asks of the match that have a row, the open ones and the closed ones, but for what was taken back."""
    t = _asks
    counts = or_(t.c.closed_by.is_(None), t.c.closed_by != UNDONE)
    rows = session.execute(select(t.c.key, t.c.seat, t.c.closed_at).where(t.c.match_id == match_id, counts)).all()
    is_open = frozenset((key_without_takebacks(key), seat) for key, seat, closed_at in rows if closed_at is None)
    return is_open, frozenset((key_without_takebacks(key), seat) for key, seat, _ in rows) - is_open


def open_asks(session: Session, match_id: str, *, refresh: bool = False) -> list[AskRow]:
    """Returns the match's open asks in seat order; one that the session has stays as it is, unless `refresh`."""
    found = statements.OPEN_ASKS.flush_and_send(session, {"match": match_id}).rows()
    return objects_of_rows(session, AskRow, found, refresh=refresh)


@cache
def _event_decoder(game: AnyGame) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(Union[(*game.meta.events, *TABLE_EVENTS)])


_by_decoder = msgspec.json.Decoder(By)


def get_ask(session: Session, match_id: str, key: str, seat: int) -> AskRow | None:
    """Returns the ask with this key, open or closed; None if there is none or the key is malformed."""
    if not ASK_KEY.fullmatch(key):
        return None
    asked = statements.ASK.flush_and_send(session, {"match": match_id, "key": key, "seat": seat})
    found = objects_of_rows(session, AskRow, asked.rows(), refresh=True)
    return found[0] if found else archive.ask_in_archive(session, match_id, key, seat)


def asks_of_seat(session: Session, match_id: str, seat: int) -> list[AskRow]:
    """Returns all asks of the seat, open and closed, in the order in which they were opened."""
    asked = select(AskRow).where(col(AskRow.match_id) == match_id, col(AskRow.seat) == seat)
    rows = session.exec(asked.order_by(col(AskRow.opened_n), col(AskRow.key))).all()
    return [*rows] or [ask for ask in archive.asks_in_archive(session, match_id) if ask.seat == seat]


def load_entries(session: Session, match_id: str, game: AnyGame, after: int = 0) -> list[AnyEntry]:
    """Returns the log's entries with n > after, in one query, or in two if the match is archived."""
    rows: Sequence[Any] = statements.LOG.flush_and_send(session, {"match": match_id, "after": after}).rows()
    if not rows and (archived := archive.find_archive(session, match_id)) is not None:
        rows = archived.lines[after:]
    return decode_entries(game, rows)


def decode_entries(game: AnyGame, rows: Iterable[Sequence[Any]]) -> list[AnyEntry]:
    """Returns the entries in these rows of `statements.LOG`."""
    event = _event_decoder(game).decode
    return [Entry(n, iso_format(at), _by_decoder.decode(by), key, event(data)) for n, at, by, key, data in rows]
