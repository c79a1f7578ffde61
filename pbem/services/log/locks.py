"""The order in which rows are locked, and the functions that lock players and matches. Nothing else locks these.

    1. players     what changes a player, and what points a row to one, holds the player from here on
    2. matches     in the order of their ids; whoever holds one may write all that belongs to it
    3. the rest    questions, seats, mails, webhooks, keys of requests, …

A transaction that holds a row of one kind takes none of a kind above it, and no match that sorts before one it holds.
So no transactions wait for each other in a circle. Whose a seat is must be known before its match is locked: it is read
without a lock, and compared once more under the match's.

Players are locked in two strengths. `lock_player` is for who changes something of theirs. `hold_players` is for who
makes a row that points to them: they may be changed meanwhile, but stay, with their address. PostgreSQL takes that
second lock by itself when such a row is written; then it is too late, because the match is locked already.
"""

from collections.abc import Iterable

from sqlmodel import Session, col, select
from sqlmodel.sql.expression import SelectOfScalar

from pbem.errors import N_, Busy
from pbem.models.prepared import joined, objects, together
from pbem.models.tables import AskRow, Match, Player, SeatRow
from pbem.services import statements
from pbem.services.log.store import ASK_KEY, known_match, there
from pbem.services.tokens import unknown_link
from pbem.services.work import Work

# --- players -------------------------------------------------------------------------------------------------


def lock_player(session: Session, player_id: int | None) -> Player:
    """The player, locked until the transaction ends: of two changes at once the second sees the first.

    Raises Unauthorized where they have gone: nothing is kept for them any more, whatever they were about to do.
    """
    found = _players.where(col(Player.id) == player_id).with_for_update(key_share=True)
    player = _first(session, found.suffix_with("/* FOR NO KEY UPDATE */", dialect="sqlite")) if player_id else None
    if player is None or not player.address:
        raise unknown_link()
    return player


def lock_rows_of(session: Session, player_ids: Iterable[int]) -> list[int | None]:
    """The ids of these players, their rows locked even against rows that are to point to them, for who empties them."""
    ids = [*player_ids]
    if not ids:
        return []
    found = _players.where(col(Player.id).in_(ids)).order_by(col(Player.id)).with_for_update()
    return [player.id for player in session.exec(found.suffix_with("/* FOR UPDATE */", dialect="sqlite"))]


def hold_players(session: Session, player_ids: Iterable[int | None]) -> set[int | None]:
    """Those of these ids that are players', to whom rows may point until the transaction ends."""
    ids = sorted({one for one in player_ids if one is not None})
    if not ids:
        return set()
    with together(session) as connection:
        held = [statements.HOLD.send(connection, {"player": one}) for one in ids]
    return {number for sent in held for (number,) in sent.rows()}


def hold_address(session: Session, canonical: str) -> Player | None:
    """The player whose address compares equal, to whom rows may point until the transaction ends; None without one."""
    found = _players.where(col(Player.canonical) == canonical).with_for_update(read=True, key_share=True)
    return _first(session, found.suffix_with("/* FOR KEY SHARE */", dialect="sqlite"))


# SQLite has one writer, who holds everything. What would be locked is said all the same, to whoever reads along.
_players = select(Player).execution_options(populate_existing=True)


def _first(session: Session, found: SelectOfScalar[Player]) -> Player | None:
    return session.exec(found).first()


# --- matches -------------------------------------------------------------------------------------------------


def lock_match(session: Session, match_id: str) -> Match:
    """The match, locked until the transaction ends. Raises NotFound."""
    match: Match = there(objects(session, Match, statements.LOCK.ask(session, known_match(match_id)).rows(), anew=True))
    return match


def lock_matches(session: Session, match_ids: Iterable[str]) -> dict[str, Match]:
    """The matches by their ids, all locked until the transaction ends. Raises NotFound."""
    return {match_id: lock_match(session, match_id) for match_id in sorted({*match_ids})}


def lock_table(work: Work, match_id: str, key: str, seat: int) -> tuple[Match, AskRow | None]:
    """The match, locked, and the seat's ask with this key, at once; its people are at hand then. Raises NotFound."""
    known = known_match(match_id)
    asked = {**known, "key": key if ASK_KEY.fullmatch(key) else "", "seat": seat}
    with together(work) as connection:
        match, ask = statements.LOCK.send(connection, known), statements.ASK.send(connection, asked)
        people = statements.TABLE.send(connection, known)
    locked: Match = there(objects(work, Match, match.rows(), anew=True))
    work.people = joined(work, (SeatRow, Player), people.rows())
    return locked, next(iter(objects(work, AskRow, ask.rows(), anew=True)), None)


def lock_asked(session: Session, match_id: str) -> tuple[Match, list[AskRow]]:
    """The match, locked, and its open questions in seat order, at once. Raises NotFound."""
    known = known_match(match_id)
    with together(session) as connection:
        match, asks = statements.LOCK.send(connection, known), statements.OPEN_ASKS.send(connection, known)
    locked: Match = there(objects(session, Match, match.rows(), anew=True))
    return locked, objects(session, AskRow, asks.rows(), anew=True)


def changed_meanwhile() -> Busy:
    """That what was read before the match was locked is another by now; whoever asks again finds it as it is."""
    return Busy(N_("Somebody else is writing to this just now. Please try again."), retry_after=1)
