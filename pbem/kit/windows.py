"""Silent windows: questions that interrupt another's turn, at which nobody sees when or how anybody answers.

How long somebody thinks tells what they hold. So nothing that others receive changes while a window is open. It closes
when all who were asked have answered, by hand, order, bot or clock, and no sooner than its *floor*: a time that is
drawn when it opens. That hides how fast the answers came, and whether they came by themselves. If somebody answers
later, it closes at the next of the moments that follow the floor at equal steps, so that its close does not show when,
or how, the last answer came.

A window is silent if at least two seats of the match are played by people, something is hidden at this table, and the
table did not choose that windows close at once.

How long an order waits outside of them stands here, too, where its answer at once would tell what its owner knows. A
question that is `public` is answered from what everybody sees. Elsewhere an order may answer because of its owner's
cards, as one that plays a card when only one is allowed: who sees the answer come by itself knows that. So it comes
after a time that is drawn from the match's key, as long as somebody takes who has just been notified.
"""

from pbem.kit.chance import Chance
from pbem.kit.contract import AskKind

DAY_S = 86_400
FLOOR_MIN_S, FLOOR_MAX_S = 20 * 60, 90 * 60
"""The bounds of the floor where a turn has a day or more; in proportion where it has less."""


def floor_s(chance: Chance, turn_s: int, window_s: int) -> int:
    """Returns for how many seconds a window stays open at least; never longer than those asked have to answer.

    `turn_s` and `window_s` are the seconds of a turn and of an answer in a window.

    >>> from pbem.kit.chance import KeyLuck
    >>> [floor_s(KeyLuck(bytes(32)).window("t1.answer1", 1), turn_s, 600) for turn_s in (86_400, 3_600)]
    [600, 200]
    """
    drawn = FLOOR_MIN_S + chance.below(FLOOR_MAX_S - FLOOR_MIN_S + 1)
    return max(min(drawn * min(turn_s, DAY_S) // DAY_S, window_s), 1)


STEP_S, MOST_STEPS = 10 * 60, 6
"""The time between the moments at which a window may close where a turn has a day or more, and into how many of them
the time of an answer is divided at least."""


def closing_step_s(turn_s: int, window_s: int) -> int:
    """Returns the seconds between the moments, from the floor on, at which a window may close.

    >>> [closing_step_s(turn_s, 3_600) for turn_s in (7 * 86_400, 86_400, 3_600, 60)]
    [600, 600, 25, 1]
    """
    return max(min(STEP_S * min(turn_s, DAY_S) // DAY_S, window_s // MOST_STEPS), 1)


# --- orders --------------------------------------------------------------------------------------------------

DELAY_MIN_S, DELAY_MAX_S = 2 * 60, 15 * 60
"""The bounds of the delay where a turn has a day or more; in proportion where it has less."""


def is_order_delayed(kind: AskKind) -> bool:
    """Returns whether an order waits before it answers a question of this kind, outside silent windows.

    It does not in a window that is not silent: there nothing is hidden, or the table wants answers at once.
    """
    return not (kind.public or kind.window)


def order_delay_s(chance: Chance, turn_s: int) -> int:
    """Returns after how many seconds an order answers; `turn_s` are the seconds of a turn.

    >>> from pbem.kit.chance import KeyLuck
    >>> [order_delay_s(KeyLuck(bytes(32)).order("t1.card", 1), turn_s) for turn_s in (7 * 86_400, 86_400, 3_600)]
    [193, 193, 8]
    """
    drawn = DELAY_MIN_S + chance.below(DELAY_MAX_S - DELAY_MIN_S + 1)
    return max(drawn * min(turn_s, DAY_S) // DAY_S, 1)
