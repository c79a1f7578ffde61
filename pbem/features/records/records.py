"""A player's own record: their matches that are over, the results against the others, and how fast they answer.

It is theirs alone. They may publish a part of it under a link that nobody can guess: the results by game, which name
nobody. The link is a random key in their row, so withdrawing it ends it for good, and so does erasure.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from statistics import median

import msgspec
from sqlalchemy import select
from sqlmodel import Session, col

from pbem.games import all_games
from pbem.kit.contract import Outcome
from pbem.kit.endings import ranks_of
from pbem.models.tables import Match, Player, SeatRow, table
from pbem.services.log import deals, locks, waits
from pbem.services.results.sharing import Shared, sharing_of
from pbem.services.site import Site
from pbem.services.tokens import unknown_link

RECENT = 200
"""Answers are timed in this many of the player's latest matches."""
NO_PLACE = 1_000
"""Stands for no place, which is behind every place."""
_KEY_BYTES = 16
_m, _seat = table(Match).c, table(SeatRow).c


@dataclass(frozen=True)
class Played:
    """A match that is over, and the player's seat in it."""

    match_id: str
    game: str
    seat: int
    outcome: Outcome


@dataclass(frozen=True)
class Sat:
    """Who sat at a seat: a player, by their number, or a bot, or somebody who has been erased."""

    seat: int
    player_id: int | None
    name: str


@dataclass(frozen=True)
class Tally:
    """The results of some matches. `places` counts the places from the second on, as far as there are places."""

    matches: int = 0
    won: int = 0
    """Matches that the player won alone."""
    shared: int = 0
    """Matches that they won together with others."""
    places: Mapping[int, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Versus:
    """How often the player was ahead of somebody, level with them, or behind them."""

    ahead: int = 0
    level: int = 0
    behind: int = 0

    @property
    def matches(self) -> int:
        """Returns the number of matches that both played."""
        return self.ahead + self.level + self.behind


@dataclass(frozen=True)
class Friend:
    """Somebody the player has played with, by their latest name, and the results against them by game."""

    name: str
    games: Mapping[str, Versus]

    @property
    def results_in_all_games(self) -> Versus:
        """Returns the results in all games together."""
        parts = self.games.values()
        return Versus(sum(v.ahead for v in parts), sum(v.level for v in parts), sum(v.behind for v in parts))


def results_by_game(played: Iterable[Played], tables: Mapping[str, Sequence[Sat]]) -> dict[str, Tally]:
    """Returns the results by game; `tables` holds the seats of each match. Most played games come first."""
    found: dict[str, Tally] = {}
    for match in played:
        tally = found.get(match.game, Tally())
        winners, place = match.outcome.winners, ranks_of(match.outcome, len(tables[match.match_id]))[match.seat]
        won = match.seat in winners
        places = tally.places if won or place is None else Counter(tally.places) + Counter({place: 1})
        found[match.game] = Tally(
            tally.matches + 1,
            tally.won + (won and len(winners) == 1),
            tally.shared + (won and len(winners) > 1),
            dict(sorted(places.items())),
        )
    return dict(sorted(found.items(), key=lambda item: -item[1].matches))


def results_against_friends(played: Iterable[Played], tables: Mapping[str, Sequence[Sat]], me: int) -> list[Friend]:
    """Returns the results against everybody else who still has their seat; those met most often come first.

    `played` is in the order of time, so that the latest name counts.
    """
    names: dict[int, str] = {}
    behind_me: dict[int, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    for match in played:
        table = tables[match.match_id]
        places = [place or NO_PLACE for place in ranks_of(match.outcome, len(table))]
        for other in table:
            if other.player_id is not None and other.player_id != me:
                names[other.player_id] = other.name
                behind_me[other.player_id][match.game].append(places[other.seat] - places[match.seat])
    friends = [
        Friend(names[number], {game: _results_from_gaps_in_place(gaps) for game, gaps in games.items()})
        for number, games in behind_me.items()
    ]
    return sorted(friends, key=lambda friend: (-friend.results_in_all_games.matches, friend.name.casefold()))


def _results_from_gaps_in_place(gaps: Sequence[int]) -> Versus:
    """Returns the results of matches from how many places the player was ahead in each."""
    return Versus(sum(gap > 0 for gap in gaps), gaps.count(0), sum(gap < 0 for gap in gaps))


# --- the record --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Answers:
    """How long the player took to answer when it became their turn: half of the answers took at most `median`."""

    count: int
    median: timedelta


@dataclass(frozen=True)
class Published:
    """What a player's matches add up to, as they may publish it; `games` are slugs of games that are installed."""

    games: Mapping[str, Tally]
    shared: Shared
    """What they show of themselves everywhere."""


@dataclass(frozen=True)
class Record(Published):
    """What they add up to for the player alone."""

    friends: Sequence[Friend]
    answers: Answers | None
    """None if they have not answered yet."""
    key: str | None
    """The key of their public page; None if there is none."""

    @property
    def matches(self) -> int:
        """Returns the number of matches that are over."""
        return sum(tally.matches for tally in self.games.values())


def read_own_record(site: Site, player_id: int) -> Record:
    """Returns the player's record, for themselves alone. Seven statements at most, however many matches there are."""
    with site.reading() as session:
        played, tables = _past_matches_of(session, player_id)
        friends = results_against_friends(played, tables, player_id)
        player = session.get_one(Player, player_id)
        answers, shared = _speed_of_answers(session, player_id), sharing_of(session, player)
        return Record(results_by_game(played, tables), shared, friends, answers, player.page_key)


def read_public_record(site: Site, key: str) -> Published:
    """Returns what the player with this key has published. Raises Unauthorized."""
    with site.reading() as session:
        player = session.execute(select(Player).where(col(Player.page_key) == key)).scalar()
        if player is None:
            raise unknown_link()
        return Published(results_by_game(*_past_matches_of(session, player.id)), sharing_of(session, player))


def publish_record(site: Site, player_id: int) -> None:
    """Gives the player a public page under a new key, unless they have one. Raises Unauthorized if they were erased."""
    with site.writing() as work:
        player = locks.lock_player(work, player_id)
        if player.page_key is None:
            player.page_key = site.entropy(_KEY_BYTES).hex()


def unpublish_record(site: Site, player_id: int) -> None:
    """Ends the player's public page; its link never works again. Raises Unauthorized if they were erased."""
    with site.writing() as work:
        player = locks.lock_player(work, player_id)
        player.page_key = None


def _past_matches_of(session: Session, player_id: int) -> tuple[list[Played], dict[str, list[Sat]]]:
    """Returns the player's matches that are over, the oldest first, and the seats of each."""
    own = (
        select(_m.id, _m.game, _seat.seat, _m.outcome)
        .join(table(SeatRow), _seat.match_id == _m.id)
        .where(_seat.player_id == player_id, _seat.status == "accepted", _m.status == "over")
        # Nobody learns here how it went while another table plays the same deal.
        .where(deals.condition_of_unsealed())
    )
    rows = session.execute(own.order_by(_m.ended_at, _m.id)).all()
    seats = select(_seat.match_id, _seat.seat, _seat.player_id, _seat.name)
    tables = defaultdict[str, list[Sat]](list)
    for match_id, *sat in session.execute(seats.where(_seat.match_id.in_(own.with_only_columns(_m.id)))):
        tables[match_id].append(Sat(*sat))
    read, known = msgspec.json.Decoder(Outcome).decode, all_games()
    return [Played(match_id, game, seat, read(how)) for match_id, game, seat, how in rows if game in known], tables


def _speed_of_answers(session: Session, player_id: int) -> Answers | None:
    """Returns how fast the player answers the first question of a turn, since its mail left, in their latest matches.

    A table without deadlines, where nobody waits, does not count; see `waits` for what else does not.
    """
    recent = (
        select(_seat.match_id, _seat.seat, _seat.player_id)
        .join(table(Match), _seat.match_id == _m.id)
        .where(_seat.player_id == player_id, _seat.status == "accepted")
        .where(_m.started_at.is_not(None), _m.untimed.is_(False))
        .order_by(_m.started_at.desc())
        .limit(RECENT)
        .subquery()
    )
    took = [one.took for one in waits.waits_in_rows(session, recent) + waits.waits_in_archives(session, recent)]
    return Answers(len(took), timedelta(seconds=median(one.total_seconds() for one in took))) if took else None
