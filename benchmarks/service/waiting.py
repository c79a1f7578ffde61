"""Rows about those who wait: what 2,000 of them cost one web process, how soon they get news, and moves beside them."""

from __future__ import annotations

import resource
import time
from collections.abc import Iterator
from contextlib import ExitStack
from statistics import median

from benchmarks.service.clients import Line, answer, at_once
from benchmarks.service.effort import spent_ms
from benchmarks.service.followers import Crowd
from benchmarks.service.machine import Machine, Web
from benchmarks.service.matches import OpenMatch, create_match, create_matches
from benchmarks.service.report import Row, at

WAITING, SEATS = 2000, 4
CYCLE_S, STREAM_S = 25, 120
"""How long a request waits and how long a stream lasts: then their clients come again."""
KINDS = (
    ("events?wait=25", "events?wait=25&after={}", CYCLE_S),
    ("streams", "events/stream?after={}", STREAM_S),
)
MOST_S = 600
NEWS = 50
AT_ONCE, WARM_S, ROUNDS = 16, 0.5, 4
FILES = 8192


def rows(machine: Machine, seconds: float) -> Iterator[Row]:
    """Measures one web process with everybody who waits, and the moves beside them at another one without any."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most if most != resource.RLIM_INFINITY else FILES, most))
    name = machine.empty()
    site = machine.site(name)
    awaited = [create_match(site, "hogen", n, seats=SEATS, most=1) for n in range(1, WAITING // SEATS + 1)]
    plan = int(ROUNDS * (seconds / ROUNDS + WARM_S) * 500)
    played = _groups(create_matches(site, plan, first=WAITING))
    site.engine.dispose()
    with ExitStack() as stack:
        full, empty = (stack.enter_context(machine.web(name, processes=1)) for _ in range(2))
        for kind, path, lasts in KINDS:
            with Crowd(full.port, awaited, path) as crowd:
                yield _idle(machine, full, crowd, kind, lasts)
                yield from _news(full, crowd, awaited, kind)
                if kind == "streams":
                    yield _beside(full, empty, played, seconds / ROUNDS)


def _groups(matches: list[OpenMatch]) -> list[list[list[bytes]]]:
    """Returns the answers of the matches for each round, in one queue per connection."""
    groups: list[list[list[bytes]]] = [[[] for _ in range(AT_ONCE)] for _ in range(ROUNDS)]
    for number, match in enumerate(matches):
        shortest = min(groups[number % ROUNDS], key=len)
        shortest += [answer(match, said) for said in match.script]
    return groups


def _idle(machine: Machine, web: Web, crowd: Crowd, kind: str, lasts: int) -> Row:
    """Measures what waiting costs while nothing happens, each client's coming again included.

    On a busy machine a round of answers takes longer than a wait; it counts as long as it would take on a quiet one.
    """
    before = spent_ms(web.pid)
    crowd.come()
    came = (spent_ms(web.pid) - before) / WAITING
    begun, answers = time.monotonic(), crowd.answers
    web_ms, database_ms = spent_ms(web.pid), spent_ms(machine.postmaster)
    time.sleep(CYCLE_S)
    while lasts == CYCLE_S and crowd.answers < answers + WAITING and time.monotonic() < begun + MOST_S:
        time.sleep(0.1)
    took = time.monotonic() - begun if lasts > CYCLE_S else (crowd.answers - answers) / WAITING * CYCLE_S
    web_ms, database_ms = spent_ms(web.pid) - web_ms, spent_ms(machine.postmaster) - database_ms
    again = 0.0 if lasts == CYCLE_S else came * WAITING / lasts  # no stream has come again in this time
    cost, beside = ((one / 10) / (WAITING / 100) for one in (web_ms / took + again, database_ms / took))
    note = f"of a core; PostgreSQL {beside:.2f} %; {came:.1f} ms of CPU to come; {crowd.failed} refused"
    return Row(f"{WAITING:,} waiting, {kind}: CPU of the web, each hundred", cost, 1, "%", "<=", note)


def _news(web: Web, crowd: Crowd, awaited: list[OpenMatch], kind: str) -> Iterator[Row]:
    """Measures how soon those who wait get the news of a move."""
    line = Line(web.port)
    late, asked = list[float](), awaited[:NEWS] if kind == "streams" else awaited[-NEWS:]
    for match in asked:
        heard = crowd.heard(match.id)
        line.ask(answer(match, match.script[0]), 201)
        committed = time.perf_counter()
        late += [max(0.0, moment - committed) for moment in heard(SEATS)]
    note = f"{len(late)} clients of {len(asked)} matches"
    yield Row(f"  {kind}: from a move to the news of it, p50", at(0.5, late) * 1e3, 400, "ms", "<=", note)
    yield Row(f"  {kind}: from a move to the news of it, p99", at(0.99, late) * 1e3, 600, "ms", "<=", note)


def _beside(full: Web, empty: Web, played: list[list[list[bytes]]], seconds: float) -> Row:
    """Measures moves at the process where everybody waits against those at one where nobody does, in turn."""
    rates: dict[Web, list[float]] = {full: [], empty: []}
    cost: dict[Web, list[float]] = {full: [], empty: []}
    for web, queues in zip((empty, full) * (ROUNDS // 2), played, strict=True):
        before = spent_ms(web.pid)
        rush = at_once(web.port, queues, 201, WARM_S, seconds)
        cost[web].append((spent_ms(web.pid) - before) / rush.answered)
        rates[web].append(rush.rate)
    among, alone = (median(rates[web]) for web in (full, empty))
    spent = " against ".join(f"{median(cost[web]):.2f}" for web in (full, empty))
    note = f"{among:.0f} against {alone:.0f}/s, {spent} ms of CPU a move"
    return Row("  moves beside them, against none", among / alone, 0.95, "x", ">=", note)
