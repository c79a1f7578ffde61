"""Measures moves of pbem beside those of boardgame.io: `python -m benchmarks.peer`.

Both run on one PostgreSQL, with fsync and synchronous commits, in turn, and the client is on the same machine. pbem is
the Procfile's web, by default with two processes; boardgame.io is one process, for two of them would not see each
other's moves without a broker of their own, which its manual leaves to the host. It has a pool of 16 connections, and
the smallest game there is, while pbem plays all of its games. It tells a move before it has stored it, and stores it
before it takes the next one of the match; pbem stores first.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack

from benchmarks.peer import peer
from benchmarks.ratio.rows import ratios_by_round, row_of_medians
from benchmarks.service import endless
from benchmarks.service.clients import Line, Rush, answer, at_once
from benchmarks.service.machine import Machine, Web, machine
from benchmarks.service.matches import create_matches
from benchmarks.service.report import Row, markdown_of_rows, percentile
from pbem.services.site import Site

NAME = "boardgame.io 0.50"
AT_ONCE, WARM_S = 16, 1.0
LENGTH = 120
"""Moves of a match of boardgame.io: those of pbem are about as long."""
FASTEST = 1_000
"""Neither plays more moves a second than this."""
ALONE, FIRST = 250, 50
"""Moves of one match after the other, and those of them that do not count."""


class Ours:
    """pbem's web with some processes, and the matches that are played on it."""

    def __init__(self, site: Site, web: Web, first: int) -> None:
        self._site, self._web, self._next = site, web, first

    def _queue_of_answers(self, least: int) -> list[bytes]:
        matches = create_matches(self._site, least, self._next)
        self._next += len(matches)
        return [answer(match, said) for match in matches for said in match.script]

    def play_at_once(self, seconds: float) -> Rush:
        """Plays 16 matches at once."""
        queues = [self._queue_of_answers(int((seconds + WARM_S) * FASTEST / AT_ONCE)) for _ in range(AT_ONCE)]
        return at_once(self._web.port, queues, 201, WARM_S, seconds)

    def time_moves_alone(self) -> list[float]:
        """Returns how long each move took, one after the other."""
        line = Line(self._web.port)
        return [line.send_and_time(one, 201) for one in self._queue_of_answers(ALONE)[:ALONE]][FIRST:]


def measure_both(ready: Machine, node: str, processes: int, seconds: float, rounds: int) -> Iterator[Row]:
    """Measures rates and times, a round of each in turn."""
    with ExitStack() as stack:
        name = ready.empty()
        site = ready.site(name)
        ours = Ours(site, stack.enter_context(ready.web(name, processes=processes)), 1)
        port = stack.enter_context(peer.run_peer(node, ready))
        each = int((seconds + WARM_S) * FASTEST / AT_ONCE / LENGTH) + 1
        mine, theirs, alone, beside = list[float](), list[float](), list[list[float]](), list[list[float]]()
        for number in range(rounds + 1):
            their = peer.time_moves_of_peer(
                node, port, at_once=AT_ONCE, each=each, moves=LENGTH, warm=WARM_S, seconds=seconds
            )
            my = ours.play_at_once(seconds)
            one = peer.time_moves_of_peer(
                node, port, at_once=1, each=-(-ALONE // LENGTH), moves=LENGTH, warm=0, seconds=60
            )
            mine_alone = ours.time_moves_alone()
            if number:  # the first round warms both
                theirs.append(their.rate)
                mine.append(my.rate)
                beside.append(one.took[FIRST:])
                alone.append(mine_alone)
        site.engine.dispose()
    note = f"{min(mine):.0f}–{max(mine):.0f} : {min(theirs):.0f}–{max(theirs):.0f}"
    yield row_of_medians(
        f"moves/s, {AT_ONCE} matches at once : boardgame.io", ratios_by_round(mine, theirs), 2, ">=", note=note
    )
    for share, called in ((0.5, "p50"), (0.99, "p99")):
        my_times, their_times = ([percentile(share, times) * 1e3 for times in some] for some in (alone, beside))
        note = f"{min(my_times):.1f}–{max(my_times):.1f} : {min(their_times):.1f}–{max(their_times):.1f} ms"
        yield row_of_medians(
            f"one match, {called} : boardgame.io", ratios_by_round(my_times, their_times), 0.3, "<=", note=note
        )


def main(words: Sequence[str] | None = None) -> None:
    """Measures, and prints the table. Exits with 1 if a goal is missed, with 2 where boardgame.io cannot be run."""
    parser = argparse.ArgumentParser(description=f"Measures moves beside those of {NAME}.")
    parser.add_argument("--processes", type=int, default=2, help="of pbem's web; boardgame.io has one")
    parser.add_argument("--seconds", type=float, default=6, help="how long a rate is measured in each round")
    parser.add_argument("--rounds", type=int, default=4)
    args = parser.parse_args(words)
    try:
        node = peer.install_peer()
    except peer.MissingPeer as missing:
        sys.stderr.write(f"{missing}\n")
        sys.exit(2)
    begun = time.monotonic()
    with endless.register_endless_game(), machine() as ready:
        found = [*measure_both(ready, node, args.processes, args.seconds, args.rounds)]
    sides = f"pbem: {args.processes} web processes; {NAME}: 1 process with a pool of 16 connections; fsync on for both"
    spent = f"load {os.getloadavg()[0]:.1f}, {os.cpu_count()} cores, {time.monotonic() - begun:.0f} s"
    sys.stdout.write(f"{markdown_of_rows([('bench-peer', one) for one in found], NAME)}\n\n{sides}; {spent}\n")
    sys.exit(0 if all(one.is_met for one in found) else 1)


if __name__ == "__main__":
    main()
