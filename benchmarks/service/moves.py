"""Rows about moves: many concurrent matches beside bare psycopg, one match alone, and late in a match against early."""

from collections.abc import Iterator
from statistics import median

from benchmarks.service import bare
from benchmarks.service.clients import Line, answer, at_once
from benchmarks.service.machine import Machine, execute
from benchmarks.service.matches import Answer, OpenMatch, advance_endless_match, create_match, create_matches
from benchmarks.service.report import Row, percentile

AT_ONCE = 16
WARM_S = 2.0
PEERS = {"rate": "boardgame.io 246–269", "p50": "boardgame.io 8.6–15", "p99": "boardgame.io 19–35"}
"""boardgame.io 0.50 on the same PostgreSQL, in minutes in which pbem made 648 to 706 moves: see docs/speed.md."""
TICK = b'{"type":"Tick"}'


def _queues_of_answers(matches: list[OpenMatch]) -> list[list[bytes]]:
    """Returns the matches' answers, match after match, in one queue per connection."""
    queues: list[list[bytes]] = [[] for _ in range(AT_ONCE)]
    for match in matches:
        shortest = min(queues, key=len)
        shortest += [answer(match, said) for said in match.script]
    return queues


def measure_moves_at_once(machine: Machine, seconds: float) -> Iterator[Row]:
    """Measures durable moves over HTTP in 16 concurrent matches, and their statements sent by bare psycopg."""
    name = machine.empty()
    site = machine.site(name)
    matches = create_matches(site, int((seconds + WARM_S) * 700))
    site.engine.dispose()
    template = name
    machine.database.freeze(template)
    taped, again, played = (machine.database.create(template) for _ in range(3))
    site = machine.site(taped)
    moves = 60
    tapes = bare.record(site, matches[:AT_ONCE], moves)
    site.engine.dispose()
    count = sum(min(moves, len(match.script)) for match in matches[:AT_ONCE])
    execute(machine.libpq(again), "CHECKPOINT")
    reference = count / bare.replay(machine.libpq(again), tapes)
    statements = sum(1 for tape in tapes for sent in tape if sent[0] not in ("commit", "rollback")) / count
    queues = _queues_of_answers(matches)
    with machine.web(played) as web:
        rush = at_once(web.port, queues, 201, WARM_S, seconds)
        spent = web.effort.each(rush.answered)
    took, rate = rush.took, rush.rate
    waited = f"p50 {percentile(0.5, took) * 1e3:.1f} ms, p99 {percentile(0.99, took) * 1e3:.1f} ms"
    note = f"{waited}, {statements:.1f} statements a move, {spent}"
    yield Row("durable moves over HTTP, 16 matches at once", rate, 1000, "/s", ">=", note, PEERS["rate"])
    yield Row("  beside the same statements by bare psycopg", rate / reference, 0.6, "x", ">=", f"{reference:.0f}/s")


def measure_moves_alone(machine: Machine, seconds: float) -> Iterator[Row]:
    """Measures one match, one move after the other."""
    name = machine.empty()
    site = machine.site(name)
    matches = create_matches(site, 1200)
    site.engine.dispose()
    with machine.web(name) as web:
        line = Line(web.port)
        took = [line.send_and_time(answer(match, said), 201) for match in matches for said in match.script][200:]
    note = f"{len(took)} moves"
    for share, name, bar in ((0.5, "p50", 2), (0.99, "p99", 6)):
        what = f"one match, one move after the other: {name}"
        yield Row(what, percentile(share, took) * 1e3, bar, "ms", "<=", note, PEERS[name])


def measure_late_moves(machine: Machine, seconds: float) -> Iterator[Row]:
    """Measures a move at event 5,000 of an endless match against one at event 50 of another, alternating."""
    count = 150
    name = machine.empty()
    site = machine.site(name)
    queues = []
    for number, start in enumerate((50, 5000), 10_000):
        match = create_match(site, "endless", number, scripted=False)
        advance_endless_match(site, match.id, start - 1)
        ticks = [Answer(n % 2, f"t{n}.tick", TICK) for n in range(start - 1, start - 1 + count)]
        queues.append([answer(match, said) for said in ticks])
    site.engine.dispose()
    with machine.web(name) as web:
        line = Line(web.port)
        took = [(line.send_and_time(one, 201), line.send_and_time(two, 201)) for one, two in zip(*queues, strict=True)][
            10:
        ]
    first, second = (median(times) * 1e3 for times in zip(*took, strict=True))
    note = f"{second:.2f} ms against {first:.2f} ms"
    yield Row("a move at event 5,000 against event 50", second / first, 1.2, "x", "<=", note)
