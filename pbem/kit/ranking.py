"""The places that the seats of a finished match have taken."""

from collections.abc import Collection

from pbem.kit.contract import Outcome, Seat


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
