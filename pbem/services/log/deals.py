"""Deals that several tables share: made, given to tables, closed, and opened once the last of these tables is over.

Until a deal is open, each of its tables that is over keeps its secrets (`is_deal_sealed`): a viewer sees what they saw
when it ended, and nobody watches. A match without a shared deal keeps none. A table that is cancelled counts as over.

The number of tables that are left is a column of the deal, counted down in the transaction that ends a match: counting
the matches instead would open no deal whose last two tables end at once, as neither transaction sees the other's.
"""

from collections.abc import Iterable

from sqlalchemy import ColumnElement, and_, bindparam, exists, func, or_, select, update
from sqlmodel import Session

from pbem.errors import N_, Gone
from pbem.kit.codec import encode
from pbem.kit.logs.chain import commit, hash_word, word_from_seed
from pbem.models.deals import DealRow
from pbem.models.prepared import Prepared
from pbem.models.tables import Match, SeatRow, SubstituteRow, table
from pbem.services.site import Site, Work

_deals, _matches, _seats, _left = table(DealRow), table(Match), table(SeatRow), table(SubstituteRow)
_OPENED = Prepared(select(_deals.c.opened_at).where(_deals.c.id == bindparam("deal")))

over_and_counted = and_(_deals.c.closed, _deals.c.tables_left == 0, _deals.c.opened_at.is_(None))


def new_deal(site: Site, work: Work, game_slug: str, options_json: str, seats: int) -> DealRow:
    """Returns a new deal for tables of this game, these options as canonical JSON, and this number of seats.

    Its lucky words all follow from its seed: a word typed at one table would change the cards of all tables.
    """
    deal_id, seed = site.entropy(12).hex(), site.entropy(32)
    words = [hash_word(word_from_seed(seed, seat)) for seat in range(seats)]
    deal = DealRow(
        id=deal_id, game=game_slug, options=options_json, seats=seats, seed=seed,
        commitment=commit(deal_id, seed, words[0]), words=encode(words).decode(), created_at=site.now(),
    )  # fmt: skip
    return work.put(deal)


def count_table_of_deal(work: Work, deal: DealRow, game_slug: str, options_json: str, seats: int) -> None:
    """Counts another table of the deal. Raises Gone if the deal is closed.

    The table must be created in this transaction. Raises ValueError for a table at which something else would be
    played.
    """
    if (deal.game, deal.options, deal.seats) != (game_slug, options_json, seats):
        raise ValueError(f"deal {deal.id} is for {deal.seats} seats of {deal.game} with options {deal.options}")
    counted = update(_deals).where(_deals.c.id == deal.id, ~_deals.c.closed)
    if work.connection().execute(counted.values(tables_left=_deals.c.tables_left + 1)).rowcount != 1:
        raise Gone(N_("No further table can get this deal."))


def close_deal(work: Work, deal_id: str) -> None:
    """Guarantees that no further table gets the deal. It opens at once if all tables that got it are over."""
    work.flush()
    connection = work.connection()
    connection.execute(update(_deals).where(_deals.c.id == deal_id, ~_deals.c.closed).values(closed=True))
    last = select(func.max(_matches.c.ended_at)).where(_matches.c.deal_id == deal_id).scalar_subquery()
    opened = update(_deals).where(_deals.c.id == deal_id, over_and_counted)
    connection.execute(opened.values(opened_at=func.coalesce(last, _deals.c.created_at)))


def end_table_of_deal(work: Work, match: Match) -> None:
    """Counts a table as over, and opens its deal if that was the last one.

    Call this once, in the transaction that ends or cancels the match, which must be locked.
    """
    if match.deal_id is None:
        return
    connection, this = work.connection(), _deals.c.id == match.deal_id
    connection.execute(update(_deals).where(this).values(tables_left=_deals.c.tables_left - 1))
    connection.execute(update(_deals).where(this, over_and_counted).values(opened_at=match.ended_at))


# --- what is shown -------------------------------------------------------------------------------------------


def is_deal_sealed(session: Session, deal_id: str) -> bool:
    """True if another table may still play the deal: whether a match that has it is over or not, it keeps its secrets.

    A match without a shared deal keeps none.
    """
    (opened_at,) = _OPENED.flush_and_send(session, {"deal": deal_id}).rows()[0]
    return opened_at is None


def ids_of_sealed_matches(session: Session, matches: Iterable[Match]) -> frozenset[str]:
    """Returns the ids of those of these matches that `is_deal_sealed` is true of, in one query, or in none."""
    of = {match.id: match.deal_id for match in matches if match.deal_id is not None}
    if not of:
        return frozenset()
    asked = select(_deals.c.id).where(_deals.c.id.in_({*of.values()}), _deals.c.opened_at.is_(None))
    sealed = {*session.execute(asked).scalars()}
    return frozenset(match_id for match_id, deal_id in of.items() if deal_id in sealed)


def has_no_secrets_left(session: Session, match: Match) -> bool:
    """True if the match is over and nothing about it is secret any more."""
    return match.status == "over" and (match.deal_id is None or not is_deal_sealed(session, match.deal_id))


def players_elsewhere(session: Session, match_id: str) -> set[int]:
    """Returns the ids of all who have, or had, a seat at another table that plays the deal of this match."""
    deal = select(_matches.c.deal_id).where(_matches.c.id == match_id).scalar_subquery()
    others = select(_matches.c.id).where(_matches.c.deal_id == deal, _matches.c.id != match_id)
    sits = select(_seats.c.player_id).where(_seats.c.match_id.in_(others))
    sat = select(_left.c.former_id).where(_left.c.match_id.in_(others))
    return {*session.execute(sits.union(sat)).scalars()} - {None}


def condition_of_unsealed() -> ColumnElement[bool]:
    """Returns the condition that a row of `matches` is not at a sealed deal, for queries about many."""
    opened = exists(select(_deals.c.id).where(_deals.c.id == _matches.c.deal_id, _deals.c.opened_at.is_not(None)))
    return or_(_matches.c.deal_id.is_(None), opened)
