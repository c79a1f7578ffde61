"""The order in which rows are locked, and the only functions that lock players and matches.

    1. players     held while changing a player, or writing a row that points to one
    2. matches     in the order of their ids; the holder of the lock may write everything that belongs to the match
    3. the rest    asks, seats, mails, idempotency keys, …

A transaction that holds a row of one kind takes no lock of a kind listed above it, and no match that sorts before one
it holds, so transactions never wait for each other in a circle. The player of a seat must be known before the match is
locked: it is read without a lock and compared again once the match is locked.

Players are locked in two strengths. `lock_player` is for changing the player's own data. `hold_players` is for writing
a row that points to them: others may still change the player, but not delete them or change their address. PostgreSQL
takes this second lock by itself when such a row is written, but that would be too late, because the match is already
locked by then.
"""

from collections.abc import Iterable

from sqlalchemy import SelectBase
from sqlmodel import Session, col, select

from pbem.errors import N_, Busy, Forbidden
from pbem.models.prepared import objects_of_rows, pipeline
from pbem.models.tables import Match, Player
from pbem.services import statements
from pbem.services.log.store import match_parameter, require_match
from pbem.services.tokens import unknown_link

NEEDS_ADDRESS = N_("This takes an email address. Add yours first: your matches stay with you.")

# --- players -------------------------------------------------------------------------------------------------


def lock_player(session: Session, player_id: int | None, *, or_guest: bool = False) -> Player:
    """Returns the player, locked until the transaction ends: of two concurrent changes the second sees the first.

    Raises Unauthorized if the player has been erased: nothing is stored for them from then on. Raises Forbidden for a
    guest, unless `or_guest`.
    """
    found = _players.where(col(Player.id) == player_id).with_for_update(key_share=True)
    found = found.suffix_with("/* FOR NO KEY UPDATE */", dialect="sqlite")
    player = session.exec(found).first() if player_id else None
    if player is None or player.address == "":
        raise unknown_link()
    if player.address is None and not or_guest:
        raise Forbidden(NEEDS_ADDRESS)
    return player


def lock_players_for_erasure(session: Session, player_ids: Iterable[int]) -> list[int | None]:
    """Locks these players' rows, even against rows that are about to point to them, and returns their ids.

    Used before the rows are emptied or deleted.
    """
    ids = [*player_ids]
    if not ids:
        return []
    found = _players.where(col(Player.id).in_(ids)).order_by(col(Player.id)).with_for_update()
    return [player.id for player in session.exec(found.suffix_with("/* FOR UPDATE */", dialect="sqlite"))]


def lock_players_and_read_if_rated(session: Session, player_ids: Iterable[int]) -> dict[int, bool]:
    """Returns whether each of these players wants ratings, locked as by `lock_player`; those who were erased do not."""
    ids = {*player_ids}
    if not ids:
        return {}
    found = select(col(Player.id), col(Player.rated)).where(col(Player.id).in_(ids)).order_by(col(Player.id))
    locked = found.with_for_update(key_share=True).suffix_with("/* FOR NO KEY UPDATE */", dialect="sqlite")
    return {number: rated for number, rated in session.execute(locked) if number is not None}


def hold_players(session: Session, player_ids: Iterable[int | None]) -> set[int | None]:
    """Returns those of these ids that exist, and guarantees that rows may point to them until the transaction ends."""
    ids = sorted({one for one in player_ids if one is not None})
    if not ids:
        return set()
    with pipeline(session) as connection:
        held = [statements.HOLD.send(connection, {"player": one}) for one in ids]
    return {number for sent in held for (number,) in sent.rows()}


def hold_players_by_one_statement(session: Session, player_ids: Iterable[int | None]) -> set[int | None]:
    """Returns and guarantees the same as `hold_players`, by one statement for all of them."""
    ids = sorted({one for one in player_ids if one is not None})
    if not ids:
        return set()
    found = select(Player.id).where(col(Player.id).in_(ids)).order_by(col(Player.id))
    found = found.with_for_update(read=True, key_share=True)
    return {*session.exec(found.suffix_with("/* FOR KEY SHARE */", dialect="sqlite"))}


def hold_players_of_query(session: Session, chosen: SelectBase) -> None:
    """Guarantees the same for the players whose ids a query chooses, by one statement, however many they are."""
    found = select(Player.id).where(col(Player.id).in_(chosen)).order_by(col(Player.id))
    held = found.with_for_update(read=True, key_share=True)
    session.exec(held.suffix_with("/* FOR KEY SHARE */", dialect="sqlite")).all()


def hold_player_with_address(session: Session, canonical: str) -> Player | None:
    """Returns the player with this canonical address, or None; rows may point to them until the transaction ends."""
    found = _players.where(col(Player.canonical) == canonical).with_for_update(read=True, key_share=True)
    return session.exec(found.suffix_with("/* FOR KEY SHARE */", dialect="sqlite")).first()


# SQLite has a single writer, which locks everything; a comment in the SQL names the lock that PostgreSQL would take.
_players = select(Player).execution_options(populate_existing=True)


# --- matches -------------------------------------------------------------------------------------------------


def lock_match(session: Session, match_id: str) -> Match:
    """Returns the match, locked until the transaction ends. Raises NotFound.

    To append to its log, or to change what it asks, use `table.lock_table` instead.
    """
    found = statements.LOCK.flush_and_send(session, match_parameter(match_id)).rows()
    return require_match(objects_of_rows(session, Match, found, refresh=True))


def lock_matches(session: Session, match_ids: Iterable[str]) -> dict[str, Match]:
    """Returns the matches by id, all locked until the transaction ends. Raises NotFound."""
    return {match_id: lock_match(session, match_id) for match_id in sorted({*match_ids})}


def busy_error() -> Busy:
    """Returns the error for data that changed before the match was locked; a retry sees the current state."""
    return Busy(N_("Somebody else is writing to this just now. Please try again."), retry_after=1)
