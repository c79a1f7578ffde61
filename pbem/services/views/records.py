"""A player's own record: their matches that are over, the results against the others, and how fast they answer.

It is theirs alone. They may publish a part of it under a link that nobody can guess: the results by game, which name
nobody. The link is a random key in their row, so withdrawing it ends it for good, and so does erasure.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from statistics import median

import msgspec
from sqlalchemy import and_, select
from sqlmodel import Session, col

from pbem.games import all_games
from pbem.kit.contract import Outcome
from pbem.models.tables import Match, Player, SeatRow
from pbem.services.log import deals, locks, waits
from pbem.services.results.sharing import Shared, shared_by
from pbem.services.site import Site
from pbem.services.tokens import unknown_link
from pbem.services.views.tallies import Friend, Played, Sat, Tally, tally_friends, tally_games

RECENT = 200
"""Answers are timed in this many of the player's latest matches."""
_KEY_BYTES = 16


@dataclass(frozen=True)
class Answers:
    """How long the player took to answer when it became their turn: half of the answers took at most `median`."""

    count: int
    median: timedelta


@dataclass(frozen=True)
class Record:
    """What a player's matches add up to; `games` are slugs of games that are installed."""

    games: Mapping[str, Tally]
    friends: Sequence[Friend]
    answers: Answers | None
    """None if they have not answered yet."""
    key: str | None
    """The key of their public page; None if there is none."""
    shared: Shared
    """What they show of themselves everywhere."""

    @property
    def matches(self) -> int:
        """Returns the number of matches that are over."""
        return sum(tally.matches for tally in self.games.values())


@dataclass(frozen=True)
class Public:
    """What a player has published: their results by game, and what they show of themselves everywhere."""

    games: Mapping[str, Tally]
    shared: Shared


def read_record(site: Site, player_id: int) -> Record:
    """Returns the player's record, for themselves alone. Seven statements at most, however many matches there are."""
    with site.reading() as session:
        played, tables = _played(session, player_id)
        friends = tally_friends(played, tables, player_id)
        player = session.get_one(Player, player_id)
        answers, shared = _answers(session, player_id), shared_by(session, player)
        return Record(tally_games(played, tables), friends, answers, player.page_key, shared)


def read_public(site: Site, key: str) -> Public:
    """Returns what the player with this key has published. Raises Unauthorized."""
    with site.reading() as session:
        player = session.execute(select(Player).where(col(Player.page_key) == key)).scalar()
        if player is None or player.id is None:
            raise unknown_link()
        return Public(tally_games(*_played(session, player.id)), shared_by(session, player))


def publish(site: Site, player_id: int) -> None:
    """Gives the player a public page under a new key, unless they have one. Raises Unauthorized if they were erased."""
    with site.writing() as work:
        player = locks.lock_player(work, player_id)
        if player.page_key is None:
            player.page_key = site.entropy(_KEY_BYTES).hex()


def unpublish(site: Site, player_id: int) -> None:
    """Ends the player's public page; its link never works again. Raises Unauthorized if they were erased."""
    with site.writing() as work:
        player = locks.lock_player(work, player_id)
        player.page_key = None


def _played(session: Session, player_id: int) -> tuple[list[Played], dict[str, list[Sat]]]:
    """Returns the player's matches that are over, the oldest first, and the seats of each."""
    mine = and_(col(SeatRow.player_id) == player_id, col(SeatRow.status) == "accepted", col(Match.status) == "over")
    mine = and_(mine, deals.unsealed())  # nobody learns here how it went while another table plays the same deal
    own = select(col(Match.id), col(Match.game), col(SeatRow.seat), col(Match.outcome)).join(
        Match, col(SeatRow.match_id) == col(Match.id)
    )
    rows = session.execute(own.where(mine).order_by(col(Match.ended_at), col(Match.id))).all()
    ids = select(col(SeatRow.match_id)).join(Match, col(SeatRow.match_id) == col(Match.id)).where(mine)
    seats = select(col(SeatRow.match_id), col(SeatRow.seat), col(SeatRow.player_id), col(SeatRow.name))
    tables = defaultdict[str, list[Sat]](list)
    for match_id, seat, who, name in session.execute(seats.where(col(SeatRow.match_id).in_(ids))):
        tables[match_id].append(Sat(seat, who, name))
    decoder = msgspec.json.Decoder(Outcome)
    known = all_games()
    return [Played(row[0], row[1], row[2], decoder.decode(row[3])) for row in rows if row[1] in known], tables


def _answers(session: Session, player_id: int) -> Answers | None:
    """Returns how fast the player answers the first question of a turn, since its mail left, in their latest matches.

    A table without deadlines, where nobody waits, does not count; see `waits` for what else does not.
    """
    sits = and_(col(SeatRow.player_id) == player_id, col(SeatRow.status) == "accepted")
    recent = (
        select(col(SeatRow.match_id), col(SeatRow.seat), col(SeatRow.player_id))
        .join(Match, col(SeatRow.match_id) == col(Match.id))
        .where(sits, col(Match.started_at).is_not(None), col(Match.untimed).is_(False))
        .order_by(col(Match.started_at).desc())
        .limit(RECENT)
        .subquery()
    )
    took = [one.took for one in waits.in_rows(session, recent) + waits.in_archives(session, recent)]
    return Answers(len(took), timedelta(seconds=median(one.total_seconds() for one in took))) if took else None
