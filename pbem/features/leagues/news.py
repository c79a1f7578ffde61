"""Mails to the entrants of a season, and their rows in the next one: one statement each, however many they are."""

from datetime import datetime
from typing import Any

from sqlalchemy import Select, String, and_, case, cast, literal, or_, select
from sqlmodel import Session

from pbem.features.leagues.tables import Entrant
from pbem.models.prepared import insert_function_of_dialect
from pbem.models.tables import OutboxRow, Player, table
from pbem.services.log.outbox import dialect_name
from pbem.services.site import Work

_e, _o, _p = table(Entrant), table(OutboxRow), table(Player)
INVITED, ENTERED, WITHDRAWN, ERASED = "invited", "entered", "withdrawn", "erased"
"""What an entrant's row can say: asked and not answered yet, playing, not playing, without a name."""


def queue_mail_to_entrants(work: Work, season_id: str, kind: str, now: datetime) -> None:
    """Queues a mail of this kind to every player who has entered the season, once.

    A “callup” goes to those who were invited and have not answered.
    """
    work.flush()
    status, number = INVITED if kind == "callup" else ENTERED, cast(_e.c.id, String)
    found = (
        select(literal(f"{kind}:").concat(number), _e.c.player_id, number)
        .join(_p, _p.c.id == _e.c.player_id)
        .where(_e.c.season_id == season_id, _e.c.status == status, _p.c.address != "")
    )
    queue_mails_for_query(work, kind, found, now)


def queue_mails_for_query(work: Work, kind: str, found: Select[Any], now: datetime) -> int:
    """Queues a mail of this kind for each row of the query: its unique key, its player, and its own key.

    Returns how many were queued: those whose unique key is there already are not.
    """
    stamp = _o.c.created_at.type
    rows = found.add_columns(literal(kind), literal(now, stamp), literal(now, stamp), literal(0))
    columns = ["dedupe", "player_id", "key", "kind", "created_at", "due_at", "attempts"]
    queued = insert_function_of_dialect(dialect_name(work))(_o).from_select(columns, rows).on_conflict_do_nothing()
    work.wakes = True
    return int(work.connection().execute(queued, execution_options={"preserve_rowcount": True}).rowcount)


def carry_entrants_over(session: Session, before: str, after: str, now: datetime, *, bots: bool = True) -> None:
    """Adds everybody who was in the one season to the next one, people as invited; queues no mail.

    Nobody plays again without pressing yes. With `bots`, those that the organiser entered stay in by themselves; those
    that filled up tables do not. Rows that exist stay as they are.
    """
    session.flush()
    stamp = _e.c.at.type
    known = select(_e.c.player_id).where(_e.c.season_id == after, _e.c.player_id.is_not(None))
    status = case((_e.c.bot.is_(None), INVITED), else_=ENTERED)
    found = select(literal(after), _e.c.player_id, _e.c.bot, _e.c.name, status, literal(now, stamp)).where(
        _e.c.season_id == before,
        _e.c.status == ENTERED,
        # In SQL, NULL is not in an empty list: the bots would come along.
        or_(
            and_(_e.c.player_id.is_(None), literal(bots)),
            and_(_e.c.player_id.is_not(None), _e.c.player_id.not_in(known)),
        ),
        _e.c.filler.is_(False),
    )
    columns = ["season_id", "player_id", "bot", "name", "status", "at"]
    session.connection().execute(_e.insert().from_select(columns, found))
