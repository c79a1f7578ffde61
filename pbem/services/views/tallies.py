"""What a player's matches add up to: wins and places by game, and how they came off against each of the others.

Everything here is computed from plain values; `records` reads them.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from pbem.kit import endings
from pbem.kit.contract import Outcome


def places_of(outcome: Outcome, seats: int) -> list[int | None]:
    """Returns each seat's place: equal scores share one, winners are first, or the best if nobody has won.

    None for who lost without scores.
    """
    if outcome.scores is None:
        return [1 if seat in outcome.winners else None for seat in range(seats)]
    places = endings.places_of(outcome, seats)
    return [place - min(places) + 1 for place in places]


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
    def total(self) -> Versus:
        """Returns the results in all games together."""
        parts = self.games.values()
        return Versus(sum(v.ahead for v in parts), sum(v.level for v in parts), sum(v.behind for v in parts))


def tally_games(played: Iterable[Played], tables: Mapping[str, Sequence[Sat]]) -> dict[str, Tally]:
    """Returns the results by game; `tables` holds the seats of each match. Most played games come first."""
    found: dict[str, Tally] = {}
    for match in played:
        tally = found.get(match.game, Tally())
        winners, place = match.outcome.winners, places_of(match.outcome, len(tables[match.match_id]))[match.seat]
        won = match.seat in winners
        places = tally.places if won or place is None else Counter(tally.places) + Counter({place: 1})
        found[match.game] = Tally(
            tally.matches + 1,
            tally.won + (won and len(winners) == 1),
            tally.shared + (won and len(winners) > 1),
            dict(sorted(places.items())),
        )
    return dict(sorted(found.items(), key=lambda item: -item[1].matches))


def tally_friends(played: Iterable[Played], tables: Mapping[str, Sequence[Sat]], me: int) -> list[Friend]:
    """Returns the results against everybody else who still has their seat; those met most often come first.

    `played` is in the order of time, so that the latest name counts.
    """
    names: dict[int, str] = {}
    results: dict[int, dict[str, Versus]] = {}
    for match in played:
        table = tables[match.match_id]
        places = places_of(match.outcome, len(table))
        for other in table:
            if other.player_id is None or other.player_id == me:
                continue
            names[other.player_id] = other.name
            games = results.setdefault(other.player_id, {})
            games[match.game] = _count(games.get(match.game, Versus()), places[match.seat], places[other.seat])
    friends = [Friend(names[number], games) for number, games in results.items()]
    return sorted(friends, key=lambda friend: (-friend.total.matches, friend.name.casefold()))


def _count(versus: Versus, mine: int | None, theirs: int | None) -> Versus:
    """Returns the results with one more; no place is behind every place."""
    last = 1_000
    own, other = mine or last, theirs or last
    if own == other:
        return replace(versus, level=versus.level + 1)
    return replace(versus, ahead=versus.ahead + (own < other), behind=versus.behind + (own > other))
