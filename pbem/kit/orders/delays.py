"""How long an order waits before it answers, where its answer at once would tell what its owner knows.

In a silent window nobody sees when an answer is given, and a question that is `public` is answered from what everybody
sees. Elsewhere an order may answer because of its owner's cards, as one that plays a card when only one is allowed: who
sees the answer come by itself knows that. So it comes after a time that is drawn from the match's key, as long as
somebody takes who has just been notified.
"""

from pbem.kit.chance import Chance
from pbem.kit.contract import AskKind
from pbem.kit.windows import DAY_S

DELAY_MIN_S, DELAY_MAX_S = 2 * 60, 15 * 60
"""The bounds of the delay where a turn has a day or more; in proportion where it has less."""


def is_delayed(kind: AskKind) -> bool:
    """Returns whether an order waits before it answers a question of this kind, outside silent windows.

    It does not in a window that is not silent: there nothing is hidden, or the table wants answers at once.
    """
    return not (kind.public or kind.window)


def delay_s(chance: Chance, turn_s: int) -> int:
    """Returns after how many seconds an order answers; `turn_s` are the seconds of a turn.

    >>> from pbem.kit.chance import KeyLuck
    >>> [delay_s(KeyLuck(bytes(32)).order("t1.card", 1), turn_s) for turn_s in (7 * 86_400, 86_400, 3_600)]
    [193, 193, 8]
    """
    drawn = DELAY_MIN_S + chance.below(DELAY_MAX_S - DELAY_MIN_S + 1)
    return max(drawn * min(turn_s, DAY_S) // DAY_S, 1)
