"""Rows about those who wait: what 2,000 of them cost one web process, how soon they get news, and moves beside them."""

from __future__ import annotations

import itertools
import resource
import time
from collections.abc import Iterator, Sequence
from statistics import median

from benchmarks.service.clients import Line, answer, at_once
from benchmarks.service.effort import cpu_ms_of_family
from benchmarks.service.followers import Crowd, OwnCrowd
from benchmarks.service.machine import Machine, Web
from benchmarks.service.matches import OpenMatch, create_match
from benchmarks.service.report import Row, percentile
from pbem.api.protocol.waiting import LONGEST_S, SPREAD
from pbem.games import all_games
from pbem.models.tables import Player
from pbem.run.parking import EVERY_S
from pbem.services.access import access_tokens
from pbem.services.site import Site

WAITING, SEATS = 2000, 4
OWN, EACH = 500, 12
"""How many players follow all of their matches, and in how many matches each of them sits."""
CYCLE_S, STREAM_S = (most_s * (1 - SPREAD / 2) for most_s in (50, LONGEST_S))
"""How long a request waits and how long a stream lasts, as a mean: then their clients come again."""
Kind = tuple[str, str, float, float]
KINDS: tuple[Kind, ...] = (
    ("events?wait=50", "matches/{}/events?wait=50&after={}", CYCLE_S, 0.88),
    ("streams", "matches/{}/events/stream?after={}", STREAM_S, 0.95),
    (f"own streams, {EACH} matches each", "", STREAM_S, 0.9),
)
"""Its name, path and how long an answer lasts; the bar of moves beside it, against none."""
MOST_S = 600
NEWS = 50
AT_ONCE, WARM_S, BESIDE = 16, 0.5, 12
ROUNDS = 2 * BESIDE
"""Of moves, for each kind: BESIDE beside those who wait, in turn with as many at a process where nobody waits."""
FASTEST = 640
"""A process plays fewer moves a second than this."""
FILES = 8192


def measure_waiting(machine: Machine, seconds: float) -> Iterator[Row]:
    """Measures one web process with everybody who waits, and moves at it with them and without."""
    return _measure_kinds(machine, seconds, KINDS)


def measure_moves_beside_waiting(machine: Machine, seconds: float) -> Iterator[Row]:
    """Measures no more than moves beside those who wait for events, and beside streams of their own."""
    return _measure_kinds(machine, seconds, (KINDS[0], KINDS[-1]), only_moves=True)


def _measure_kinds(
    machine: Machine, seconds: float, kinds: Sequence[Kind], *, only_moves: bool = False
) -> Iterator[Row]:
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most if most != resource.RLIM_INFINITY else FILES, most))
    name = machine.empty()
    site = machine.site(name)
    awaited = [create_match(site, "hogen", n, seats=SEATS, most=1) for n in range(1, WAITING // SEATS + 1)]
    players, tokens = _create_players(site)
    followed = [create_match(site, "hogen", 5_000 + n, seats=SEATS, most=1, players=dict(enumerate(some)))
                for n, some in enumerate(players)]  # fmt: skip
    lasting = seconds / 4
    played = _queues_by_round(site, int((lasting + WARM_S) * FASTEST / AT_ONCE), ROUNDS * len(kinds))
    site.engine.dispose()
    with machine.web(name, processes=1) as web, machine.web(name, processes=1) as quiet:
        for kind, path, lasts, bar in kinds:
            among, alone = list[tuple[float, float]](), list[tuple[float, float]]()
            with Crowd(web.port, awaited, path) if path else OwnCrowd(web.port, tokens) as crowd:
                if only_moves:
                    crowd.connect_all()
                else:
                    yield _measure_idle_waiting(machine, web, crowd, kind, lasts)
                    yield from _measure_news(web, crowd, awaited if path else followed, kind)
                for number in range(BESIDE):
                    turns = ((web, among), (quiet, alone))
                    for place, rounds in turns if number % 2 else reversed(turns):
                        rounds.append(_play_round(place, played.pop(), lasting))
            yield _compare_moves_beside(kind, bar, among, alone)


def _create_players(site: Site) -> tuple[list[tuple[int, ...]], list[str]]:
    """Creates players with streams of their own; returns who sits in each of their matches, and a token of each."""
    now = site.now()
    people = [Player(address=f"own{n}@example.org", canonical=f"own{n}@example.org", verified_at=now, created_at=now)
              for n in range(OWN)]  # fmt: skip
    with site.writing() as work:
        work.add_all(people)
        work.flush()
        ids = [person.id for person in people]
    tokens = [access_tokens.create_token(site, one, "bench", ["read"], None)[1] for one in ids]
    tables = [tuple(ids[(n * SEATS + seat) % OWN] for seat in range(SEATS)) for n in range(OWN * EACH // SEATS)]
    return tables, [token for token in tokens if token is not None]


def _queues_by_round(site: Site, each: int, rounds: int) -> list[list[list[bytes]]]:
    """Returns for each round a queue of this many answers a connection: the round ends when one of them is empty."""
    slugs, numbers = [slug for slug in all_games() if slug != "endless"], itertools.count(10_000)

    def queue() -> list[bytes]:
        found: list[bytes] = []
        while len(found) < each:
            number = next(numbers)
            match = create_match(site, slugs[number % len(slugs)], number, most=each - len(found))
            found += [answer(match, said) for said in match.script]
        return found

    return [[queue() for _ in range(AT_ONCE)] for _ in range(rounds)]


def _measure_idle_waiting(machine: Machine, web: Web, crowd: Crowd, kind: str, lasts: float) -> Row:
    """Measures what waiting costs while nothing happens, each client's coming again included.

    A round of waits is measured whole: on a busy machine it takes longer, and counts as long as on a quiet one.
    """
    before, count = cpu_ms_of_family(web.pid), len(crowd.seats)
    crowd.connect_all()
    came = (cpu_ms_of_family(web.pid) - before) / count
    begun, answers = time.monotonic(), crowd.answers
    web_ms, database_ms = cpu_ms_of_family(web.pid), cpu_ms_of_family(machine.postmaster)
    time.sleep(CYCLE_S)
    while lasts == CYCLE_S and crowd.answers < answers + count and time.monotonic() < begun + MOST_S:
        time.sleep(0.1)
    took = time.monotonic() - begun if lasts > CYCLE_S else (crowd.answers - answers) / count * CYCLE_S
    web_ms, database_ms = cpu_ms_of_family(web.pid) - web_ms, cpu_ms_of_family(machine.postmaster) - database_ms
    again = came * count / lasts if lasts > CYCLE_S else 0.0  # no stream has come again in this time
    cost, beside = ((one / 10) / (count / 100) for one in (web_ms / took + again, database_ms / took))
    coming = f"; {came:.1f} ms of CPU to come" if lasts > CYCLE_S else ""
    note = f"of a core; PostgreSQL {beside:.2f} %{coming}; {crowd.failed} refused"
    return Row(f"{count:,} waiting, {kind}: CPU of the web, each hundred", cost, 1, "%", "<=", note)


def _measure_news(web: Web, crowd: Crowd, awaited: list[OpenMatch], kind: str) -> Iterator[Row]:
    """Measures how soon those who wait get the news of a move."""
    line = Line(web.port)
    late, asked = list[float](), awaited[:NEWS] if kind == "streams" else awaited[-NEWS:]
    for number, match in enumerate(asked):
        # Spread over the time between two looks: right after one, the wait is longest.
        time.sleep(EVERY_S * number / len(asked))
        heard = crowd.await_news_of_match(match.id)
        line.send_and_time(answer(match, match.script[0]), 201)
        committed = time.perf_counter()
        late += [max(0.0, moment - committed) for moment in heard(SEATS)]
    note = f"{len(late)} clients of {len(asked)} matches"
    yield Row(f"  {kind}: from a move to the news of it, p50", percentile(0.5, late) * 1e3, 400, "ms", "<=", note)
    yield Row(f"  {kind}: from a move to the news of it, p99", percentile(0.99, late) * 1e3, 600, "ms", "<=", note)


def _play_round(web: Web, queues: list[list[bytes]], seconds: float) -> tuple[float, float]:
    """Returns how many moves a second are played, and the web's CPU time of each, in milliseconds."""
    before = cpu_ms_of_family(web.pid)
    rush = at_once(web.port, queues, 201, WARM_S, seconds)
    return rush.rate, (cpu_ms_of_family(web.pid) - before) / rush.answered


def _compare_moves_beside(
    kind: str, bar: float, among: list[tuple[float, float]], alone: list[tuple[float, float]]
) -> Row:
    """Compares moves beside all who wait with those of a process where nobody waits, played in turn.

    Two rounds that follow each other make a ratio, and the median of these counts: other work on the machine meets
    both alike, and a round in which the disk is slow says nothing about those who wait.
    """
    ratios = sorted(one / other for (one, _), (other, _) in zip(among, alone, strict=True))
    (rate, cost), (full_rate, least) = (
        [median(column) for column in zip(*some, strict=True)] for some in (among, alone)
    )
    note = (
        f"{ratios[0]:.2f}–{ratios[-1]:.2f}; {rate:.0f} against {full_rate:.0f}/s, "
        f"{cost:.2f} against {least:.2f} ms of CPU a move"
    )
    return Row(f"  {kind}: moves beside them, against none", median(ratios), bar, "x", ">=", note)
