"""How a match ended: by the rules of its game, or before that because of the people at the table; and who is where.

`Game.outcome` knows the rules only. What is told of the end of a match is read here, where the table comes first.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from pbem.kit.contract import AnyGame, Outcome, Seat
from pbem.kit.replay import AnyEntry, MatchEnded, ending_of, full_fold
from pbem.kit.texts import Text

TABLE_ENDINGS: Mapping[str, Text] = {
    "last_seat": Text("tous les autres ont abandonné", "everybody else has resigned"),
    "no_people": Text("il ne reste que des robots", "only bots are left"),
}
"""How a match of any game can end because of the people at it, said like `Meta.endings`."""


def endings_of(game: AnyGame) -> Mapping[str, Text]:
    """Returns every way in which a match of the game can end: its own, and those of the table."""
    return {**game.meta.endings, **TABLE_ENDINGS}


def end_by_resignations(left: Sequence[Seat], bots: Collection[Seat]) -> MatchEnded | None:
    """Returns how the match ends if only these seats have not resigned; None if it goes on.

    `bots` are the seats that programs hold.
    """
    if len(left) == 1:
        return MatchEnded("last_seat", tuple(left))
    if all(seat in bots for seat in left):
        return MatchEnded("no_people", tuple(left))
    return None


def outcome_by_table(game: AnyGame, fold: Any, end: MatchEnded) -> Outcome:
    """Returns the outcome of a match that the table ended in this position, with its scores if the game keeps any.

    Every viewer's fold gives the same.
    """
    return Outcome(end.reason, end.winners, game.scores(fold))


def outcome_of_fold_and_entries(game: AnyGame, fold: Any, entries: Iterable[AnyEntry]) -> Outcome | None:
    """Returns how the match ended that these entries led to this position; None while it runs.

    A match that was called off has no outcome either, nor does one whose entries are cut off before the end.
    """
    end = ending_of(entries)
    return game.outcome(fold) if end is None else outcome_by_table(game, fold, end)


def outcome_of(game: AnyGame, entries: Sequence[AnyEntry]) -> Outcome | None:
    """Returns how the match with these entries ended, as `outcome_of_fold_and_entries` does, from the entries alone."""
    return outcome_of_fold_and_entries(game, full_fold(game, entries), entries)


def places_of(outcome: Outcome, seats: int, resigned: Collection[Seat] = ()) -> tuple[int, ...]:
    """Returns each seat's place. Seats that share a place are level.

    Place 1 is for the winners: where nobody has won, the best place is 2. The others follow by their scores, of which
    more are better, and share a place without scores. Seats that have resigned share the last place, also if what was
    played for them would have won.

    >>> places_of(Outcome("won", winners=(1,), scores=(3, 5, 3, 4)), 4)
    (3, 1, 3, 2)
    >>> places_of(Outcome("won", winners=(1,), scores=(3, 5, 3, 4)), 4, resigned=(3,))
    (2, 1, 2, 4)
    >>> places_of(Outcome("nobody"), 3)
    (2, 2, 2)
    """

    def rank(seat: Seat) -> tuple[bool, bool, int]:
        won = seat in outcome.winners
        points = outcome.scores[seat] if outcome.scores is not None and not won else 0
        return seat not in resigned, won and seat not in resigned, points if seat not in resigned else 0

    ranks = [rank(seat) for seat in range(seats)]
    first = 1 if any(won for _, won, _ in ranks) else 2
    return tuple(first + sum(other > own for other in ranks) for own in ranks)


def ranks_of(outcome: Outcome, seats: int) -> list[int | None]:
    """Returns each seat's place: equal scores share one, and the winners are first, or the best if nobody has won.

    In a match without scores the losers have no place: None.
    """
    if outcome.scores is None:
        return [1 if seat in outcome.winners else None for seat in range(seats)]
    places = places_of(outcome, seats)
    return [place - min(places) + 1 for place in places]
