"""What is measured in each database, the databases in turn, so that other work on the machine meets all alike."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import count

from flask.testing import FlaskClient

from benchmarks.scale.filled import Filled
from benchmarks.service.clients import Line, answer
from benchmarks.service.clockwork import time_sweep
from benchmarks.service.incoming import REPLY_TO, SERVER, reply
from benchmarks.service.machine import SECRET, Machine
from benchmarks.service.matches import create_match
from benchmarks.service.report import Row, at
from pbem import create_app
from pbem.features.inbox import reading
from pbem.features.inbox.ways import intake
from pbem.models.tables import Match
from pbem.services.privacy import retention
from pbem.services.site import Site

ROUNDS = 5
MATCHES, MOVES = 10, 24
"""How many matches are played in a round, and how many moves of each."""
AMONG = 40
"""In how many of the many matches one move is played in a round; nothing of them is kept, and all of it is cold."""
DUE = 20
VISITS, REPLIES = 16, 10
BAR = 1.2

INCOMING = {"PBEM_REPLY_TO": REPLY_TO, "PBEM_AUTHSERV": SERVER, "PBEM_INBOUND_SECRET": SECRET}
_STRIDE = 389
"""No divisor of any size, so no match comes twice in a database that is large enough."""

_numbers = count(200_000)


@dataclass
class Times:
    """How long each thing took in one of the databases, in milliseconds."""

    of: dict[str, list[float]] = field(default_factory=dict)

    def add(self, what: str, *took: float) -> None:
        """Notes times in milliseconds."""
        self.of.setdefault(what, []).extend(took)


class Place:
    """A database that is measured: its site in this process, and the port of its web."""

    def __init__(self, machine: Machine, filled: Filled, port: int) -> None:
        self.machine, self.filled, self.line, self.times = machine, filled, Line(port), Times()
        self.site = machine.site(filled.name, INCOMING, wake=lambda: None)
        self.due = [create_match(self.site, "endless", next(_numbers), scripted=False).id for _ in range(DUE)]
        self.app = create_app(site=self.site)

    def measure(self, at_round: int) -> None:
        """Measures everything once."""
        self.line.open()  # the web has hung up while the other databases were measured
        for number in range(MATCHES):
            slug = ("hogen", "hagakure", "allegeance", "niigata", "hexen-rennen")[number % 5]
            match = create_match(self.site, slug, next(_numbers), most=MOVES)
            took = [self.line.ask(answer(match, said), 201) * 1e3 for said in match.script]
            self.times.add("move", *took)
        for number in range(AMONG):
            match = self.filled.match(self.site, (at_round * AMONG + number) * _STRIDE % self.filled.size)
            self.times.add("among", self.line.ask(answer(match, match.script[0]), 201) * 1e3)
        self.times.add("sweep", time_sweep(self.site, self.machine, self.filled.name, self.due, rounds=1))
        for number in range(VISITS):
            self.times.add("home", self._visit(self._player(at_round * VISITS + number)))
        self.times.add("inbox", *(self._reply() for _ in range(REPLIES)))
        self.times.add("tidy", _time(lambda: retention.tidy(self.site)))

    def _player(self, number: int) -> int:
        return self.filled.player + number * 31 % self.filled.players

    def _visit(self, player: int) -> float:
        client = _sign_in(self.app.test_client(), self.site, player)
        return _time(lambda: client.get("/"))

    def _reply(self) -> float:
        """Takes in a mail that plays a move, and reads it."""
        match = create_match(self.site, "hogen", next(_numbers), most=1)
        mail, _, to = reply(self.site, match)

        def come() -> None:
            intake.take_in(self.site, mail, via="lmtp", recipients=[to])
            if reading.read_inbox(self.site) != 1:
                raise RuntimeError("the mail was not read")

        before, took = self._version(match.id), _time(come)
        if self._version(match.id) == before:
            raise RuntimeError("the mail was read, but its move was not played")
        return took

    def _version(self, match_id: str) -> int:
        with self.site.reading() as session:
            return session.get_one(Match, match_id).version


def _time(do: Callable[[], object]) -> float:
    start = time.perf_counter()
    done = do()
    took = (time.perf_counter() - start) * 1e3
    if getattr(done, "status_code", 200) != 200:
        raise RuntimeError(f"the page answered {getattr(done, 'status_code', None)}")
    return took


def _sign_in(client: FlaskClient, site: Site, player: int) -> FlaskClient:
    client.post(f"/account/{site.tokens.for_account(player, 0, site.now())}")
    return client


def rows(machine: Machine, databases: Sequence[Filled]) -> Iterator[Row]:
    """Measures all databases in turn; yields the figures of each, and their ratio to those of the smallest."""
    with ExitStack() as stack:
        places = [Place(machine, one, stack.enter_context(machine.web(one.name)).port) for one in databases]
        places[0].measure(0)  # what is loaded and compiled once counts for nobody
        for place in places:
            place.times = Times()
        for at_round in range(1, ROUNDS + 1):
            for place in places:
                place.measure(at_round)
        for place in places:
            place.site.engine.dispose()
    for what, share, name in _FIGURES:
        smallest, *_ = figures = [at(share, place.times.of[what]) for place in places]
        for place, figure in zip(places, figures, strict=True):
            note = f"{figure:.2f} ms, {len(place.times.of[what])} times"
            yield Row(f"{name}, {place.filled.size:,} open matches", figure / smallest, BAR, "x", "<=", note)


_FIGURES = (
    ("among", 0.5, "a move in one of them, p50"), ("among", 0.99, "a move in one of them, p99"),
    ("move", 0.5, "a move in a match just begun, p50"), ("move", 0.99, "a move in a match just begun, p99"),
    ("sweep", 0.5, f"deadline sweep, {DUE} due"), ("home", 0.5, "home page of a player in a dozen matches"),
    ("inbox", 0.5, "a mail that plays a move"), ("tidy", 0.5, "retention, nothing to delete"),
)  # fmt: skip
