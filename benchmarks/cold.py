"""What the page of a seat costs in a process that knows nothing of the match, by the length of its log.

    python -m benchmarks.cold [game] [rounds]

Prints the processor time of a page, with nothing kept of the match in the process: at about 50, 400 and 2,100 entries,
as ratio to that at 50, and in *additions* (100,000 additions in Python, timed between the pages). The game is
Allegeance unless another is named. No match of ours is so long: before the last 400 entries, which are as they were
played, stands the same match several times, with other keys. The first page of each keeps its folds; it is not timed.
"""

import sys
import time
from collections.abc import Sequence
from statistics import median

from sqlalchemy import delete, insert, select, text, update

from benchmarks.service import endless
from benchmarks.service.machine import Machine, machine
from benchmarks.service.matches import create_match
from benchmarks.service.where import calls, environ
from pbem.games import all_games
from pbem.kit.contract import AnyGame
from pbem.kit.play import Table, random_decisions
from pbem.models.tables import AskRow, EntryRow, FoldRow, Match, SeatRow, table
from pbem.services.site import Cache, Site

LENGTHS = (50, 400, 2_100)
ROUNDS = 40
_entries, _asks = table(EntryRow), table(AskRow)


def lengthen(site: Site, match_id: str, length: int) -> int:
    """Puts the match before itself until its log has this many entries; returns how many it has then."""
    with site.writing() as work:
        rows = [dict(row) for row in work.execute(select(_entries).order_by(_entries.c.n)
                .where(_entries.c.match_id == match_id)).mappings()]  # fmt: skip
        copies = max(0, -(-(length - len(rows)) // len(rows)))
        more = copies * len(rows)
        work.execute(delete(_entries).where(_entries.c.match_id == match_id))
        for copy in range(copies + 1):
            prefix = f"p{copy}" if copy < copies else ""
            work.execute(insert(_entries), [
                row | {"n": row["n"] + copy * len(rows), "key": row["key"] and prefix + row["key"]} for row in rows
            ])  # fmt: skip
        later = {name: _asks.c[name] + more for name in ("opened_n", "first_n", "last_n")}
        work.execute(update(_asks).where(_asks.c.match_id == match_id).values(later))
        seats, matches = table(SeatRow), table(Match)
        work.execute(update(seats).where(seats.c.match_id == match_id).values(seen=seats.c.seen + more))
        work.execute(update(matches).where(matches.c.id == match_id).values(version=matches.c.version + more))
        work.execute(delete(table(FoldRow)).where(table(FoldRow).c.match_id == match_id))
    return len(rows) + more


def number_of(game: AnyGame, entries: int) -> tuple[int, int]:
    """Returns the number of a match that is long enough, and after how many answers it has about this many entries.

    Its first seat is asked then.
    """
    for number in range(40_000 + entries, 50_000 + entries):
        seed, seats = number.to_bytes(32, "big"), game.meta.seats[0]
        table = Table(game, seats, game.meta.options(), seed, deal=f"{number:024x}")
        for played, (ask, _) in enumerate(random_decisions(table)):
            if len(table.entries) >= entries and ask.seat == 0:
                return number, played
    raise ValueError(f"no match has {entries} entries")


def additions() -> float:
    """Returns the processor seconds of 100,000 additions."""
    start, total = time.process_time(), 0
    for one in range(100_000):
        total += one
    return time.process_time() - start


def measure(ready: Machine, slug: str, rounds: int) -> None:
    """Prints the costs."""
    Cache.__init__.__defaults__ = (0,)
    name = ready.empty()
    site = ready.site(name)
    requests, found = [], []
    for at, length in enumerate(LENGTHS):
        number, played = number_of(all_games()[slug], min(length, 400) - at)  # each a match of its own
        match = create_match(site, slug, number, most=1, ahead=played)
        found.append(lengthen(site, match.id, length))
        requests.append(environ(f"/play/{match.tokens[0]}", HTTP_ACCEPT_LANGUAGE="en"))
    jobs = calls(site, requests, "200")
    with site.engine.begin() as connection:
        connection.execute(text("ANALYZE"))
    for job in jobs * 5:
        job()
    spent, added = [list[float]() for _ in jobs], list[float]()
    for _ in range(rounds):
        for at, job in enumerate(jobs):
            added.append(additions())
            start = time.process_time()
            job()
            spent[at].append(time.process_time() - start)
    with site.reading() as session:
        kept = len(session.execute(select(table(FoldRow).c.n)).all())
    one = median(added)
    sys.stdout.write(f"{slug}: an addition is {one * 1000:.2f} ms; {kept} folds are kept\n")
    for length, times in zip(found, spent, strict=True):
        page = median(times)
        sys.stdout.write(
            f"{length:5d} entries: {page * 1000:6.2f} ms, {page / median(spent[0]):.2f} of the first, "
            f"{page / one:.2f} additions\n"
        )
    site.engine.dispose()


def main(argv: Sequence[str]) -> None:
    """Measures the game that is named."""
    with endless.make_known(), machine() as ready:
        measure(ready, argv[0] if argv else "allegeance", int(argv[1]) if argv[1:] else ROUNDS)


if __name__ == "__main__":
    main(sys.argv[1:])
