"""How this many people are spread over tables of one game."""

from collections.abc import Sequence


def split(people: int, sizes: Sequence[int]) -> list[int]:
    """Returns the sizes of the tables, largest first, that seat as many of the people as the game allows.

    There are as few tables as possible, with seats as even as possible; [] if nobody can be seated.

    >>> split(7, (2, 3, 4)), split(9, (2, 3, 4)), split(5, (2,)), split(1, (2, 3))
    ([4, 3], [3, 3, 3], [2, 2], [])
    """
    best: list[tuple[int, int, list[int]] | None] = [(0, 0, [])]
    for count in range(1, people + 1):
        found = [
            (fewer[0] + 1, fewer[1] + size * size, [*fewer[2], size])
            for size in sizes
            if size <= count and (fewer := best[count - size]) is not None
        ]
        best.append(min(found, default=None))  # of equally many tables, the lowest sum of squares is the most even
    seated = next(found for found in reversed(best) if found is not None)
    return sorted(seated[2], reverse=True)
