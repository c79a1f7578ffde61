"""A short log, and a long one that is forged."""

from collections.abc import Sequence
from itertools import pairwise

from pbem.games.hogen import GAME
from pbem.games.hogen.facts import Called, Passed
from pbem.kit.logs.logfile import Log
from pbem.kit.play import EPOCH, Table
from pbem.kit.replay import AnyEntry, By, Entry
from tests.kit.proof.forging import with_entries
from tests.transcripts import log_of, seed_of


def play_short_match(words: Sequence[str] | None = None) -> Table:
    """A short match in which every third decision is the clock's."""
    table = Table(GAME, 3, GAME.meta.options(), seed_of("hogen", 3, 4), words=words)
    decision = 0
    while asks := GAME.pending(table.state):
        decision += 1
        ask = asks[-1]
        if decision % 3 and decision > 6:
            legal = GAME.legal(table.state, ask.seat)
            table.play(ask, legal[-1], By(seat=ask.seat))
        else:
            luck = table.luck.fallback(table.next_entry_number, ask.key, ask.seat)
            table.play(ask, GAME.fallback(table.folds[ask.seat], ask.seat, luck), By(clock=ask.seat))
    return table


TABLE = play_short_match()
LOG = log_of(TABLE)
SOME = next(one.n for one, after in pairwise(LOG.entries) if one.n > 4 and one.key != after.key)
"""Some entries from the beginning, to the end of a decision."""


def long_log(entries: int) -> Log:
    """A forged log that folds: after the true beginning one seat calls and all others pass, again and again.

    However long it is, it has no more decisions than a match of the game.
    """
    begun = next(i for i, e in enumerate(LOG.entries, 1) if type(e.event).__name__ == "Began")
    caller = LOG.entries[begun - 1].event.seat
    out: list[AnyEntry] = list(LOG.entries[:begun])
    round_of = [Called(caller, "F", None), *(Passed((caller + step) % 3) for step in (1, 2))]
    while len(out) < entries:
        key = f"t1.act{len(out)}"
        for event in round_of * (1 + entries // 2000):
            out.append(Entry(len(out) + 1, EPOCH, By(clock=caller), key, event))
    return with_entries(LOG, out)
