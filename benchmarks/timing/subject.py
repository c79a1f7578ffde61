"""A site of its own in a process of its own, whose requests the benchmark times: `python subject.py URL FOLDER`.

Its sweep runs in another process, as on every site: in one, what a sweep has just done would leave caches warm.

It reads `EXPERIMENT CLASS` from standard input, a line for each sample, and writes the figures that somebody outside
sees, as JSON, figure by name. It runs against any tree of the last weeks, whose folder is in PYTHONPATH, so it uses
nothing but what these trees have in common.
"""

from __future__ import annotations

import gc
import itertools
import json
import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from pbem import create_app
from pbem.kit.codec import plain
from pbem.models.engine import migrate
from pbem.services.lobby.match_request import SILENT
from pbem.services.log import store
from pbem.services.play import moves, ordering, timeouts
from pbem.services.players import players
from pbem.services.views.match_views import OpenAsk
from tests.table import House, claim_of, open_house

KNOWN = 200
TICK_S = 10
"""How often the sweep comes."""
APART_S = 0.3
"""Longer than a sweep takes here."""
LET_PASS = {"type": "LetPass"}
PASSING = {"type": "Always", "kind": "answer", "move": LET_PASS, "scope": "match"}


class Sweeps:
    """The process that sweeps."""

    def __init__(self, url: str, folder: str) -> None:
        argv = (sys.executable, __file__, url, folder, "sweeps")
        self._process = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)

    def sweep(self, at: datetime) -> None:
        """Lets the sweep of that moment pass."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{at.isoformat()}\n")
        if not self._process.stdout.readline():
            raise RuntimeError("the sweep has ended")

    def end(self) -> None:
        """Ends the process."""
        self._process.communicate()


class Subject:
    """A match of Allégeance with silent windows, played by four people, and the pages that take an address."""

    def __init__(self, house: House, sweeps: Sweeps) -> None:
        self.house, self.site, self.sweeps = house, house.site, sweeps
        self.client = create_app(site=house.site).test_client(use_cookies=False)
        self.match_id = ""
        self.names = itertools.count()
        self.luck = random.Random(10)
        self.known = self._addresses_known()

    # --- windows ---------------------------------------------------------------------------------------------

    def window(self, ordered: int) -> dict[str, float]:
        """The announcement that opens a window in which this many rivals have left orders, and another's answer."""
        announcer, rivals = self._play_until_announcement()
        self.luck.shuffle(rivals)
        one, *others = rivals
        self._order_to_pass(others[len(others) - ordered :])
        found = {"opened": self._post_answer(announcer)}
        if self._kind_of_question() == "answer":
            self._sweep_and_wait()
            found["answered"] = self._post_answer(one)
        self._finish_window()
        return found

    def after_hands(self, answered: int) -> dict[str, float]:
        """A rival's answer in a window that this many others have answered by hand."""
        one, *others = self._open_window(0)
        for seat in others[:answered]:
            self._play_first_legal(seat)
        found = {"after_hands": self._post_answer(one)}
        self._finish_window()
        return found

    def save_orders(self, ordered: int) -> dict[str, float]:
        """Orders that somebody saves while it is not their turn, where this many others have left some."""
        _, rivals = self._play_until_announcement()
        one = self.luck.choice(rivals)
        self._order_to_pass(self.luck.sample([seat for seat in rivals if seat != one], ordered))
        body = {"version": self._version_of_match(), "orders": ["always answer: pass for match"]}
        token = self.house.token("play", self.match_id, one)
        took = self._time_request(
            lambda: (
                self.client.put(
                    f"/api/v1/matches/{self.match_id}/orders", json=body, headers={"Authorization": f"Bearer {token}"}
                ).status_code
            ),
            200,
        )
        return {"saved": took}

    def close_window(self, late: int) -> dict[str, float]:
        """How far from the sweep's ticks a window closes that somebody answers late by hand, or that the floor ends."""
        rivals = self._open_window(0)
        last = rivals[0]
        for seat in rivals:
            if seat != last or not late:
                self._play_first_legal(seat)
        self._move_to_next_tick(self._earliest_closing_time() + timedelta(seconds=self.luck.uniform(0, 3 * TICK_S)))
        if late:
            self.house.clock.at += timedelta(seconds=self.luck.uniform(0, 1800))
            self._play_first_legal(last)
        version = self._version_of_match()
        while self._version_of_match() == version and self._kind_of_question() == "answer":
            self._move_to_next_tick(self.house.clock.at + timedelta(seconds=0.001))
        at = self._closing_time()
        phase = at.timestamp() % TICK_S
        return {"closed": min(phase, TICK_S - phase)}

    # --- addresses -------------------------------------------------------------------------------------------

    def links(self, known: int) -> dict[str, float]:
        """The form that sends somebody their links."""
        address = next(self.known) if known else f"nobody{next(self.names)}@example.net"
        self.client.get("/links")  # whatever was done for the sample before, caches are warm alike
        return {
            "links": self._time_request(lambda: self.client.post("/links", data={"address": address}).status_code, 303)
        }

    def signup(self, known: int) -> dict[str, float]:
        """The form that sends somebody a link to sign in with, whether they are known or not."""
        address = next(self.known) if known else f"nobody{next(self.names)}@example.net"
        self.client.get("/signup")
        typed = {"address": address, "zone": "Europe/Paris"}
        return {"signup": self._time_request(lambda: self.client.post("/signup", data=typed).status_code, 303)}

    def _addresses_known(self) -> Iterator[str]:
        """Yields addresses that are known, each once."""
        for block in itertools.count():
            addresses = [f"somebody{block}x{n}@example.net" for n in range(KNOWN)]
            with self.site.writing() as work:
                for address in addresses:
                    players.find_or_add(work, address, "en", self.site.now())
            yield from addresses

    # --- the match -------------------------------------------------------------------------------------------

    def _open_asks(self) -> tuple[OpenAsk, ...]:
        return self.house.view(self.match_id, None).sheet.asks

    def _play_until_announcement(self) -> tuple[int, list[int]]:
        """Plays on until somebody is to announce; returns them, and those who will be asked."""
        while True:
            asks = self._open_asks() if self.match_id else ()
            if not asks:
                self.match_id = self.house.begin(4, "allegeance", windows=SILENT, turn_s=86_400, options={"target": 5})
                continue
            if asks[0].kind == "announce":
                announcer = asks[0].seat
                return announcer, [seat for seat in range(4) if seat != announcer]
            if asks[0].kind == "answer":
                self._finish_window()
            else:
                self.house.play(self.match_id, asks[0].seat)

    def _open_window(self, ordered: int) -> list[int]:
        """Opens a window; returns who is asked, in any order, of whom this many at the end have left orders."""
        while True:
            announcer, rivals = self._play_until_announcement()
            self.luck.shuffle(rivals)
            self._order_to_pass(rivals[len(rivals) - ordered :])
            self._play_first_legal(announcer)
            if self._kind_of_question() == "answer":
                return rivals

    def _order_to_pass(self, seats: list[int]) -> None:
        """Has these seats let everything pass by order, and no other.

        All of them save orders, some none: what they leave behind in caches is then the same in each class.
        """
        for seat in self.luck.sample(range(4), 4):
            claim, said = claim_of(self.site, self.match_id, seat), [PASSING] if seat in seats else []
            ordering.save_orders(self.site, claim, self._version_of_match(), said, "api")

    def _answer_of_seat(self, seat: int) -> tuple[str, Any] | None:
        asks = self._open_asks()
        ask = next((one for one in asks if one.seat == seat), None)
        if ask is None:
            return None
        if ask.kind == "answer":
            return ask.key, LET_PASS
        legal = self.house.view(self.match_id, seat).legal()
        return ask.key, plain(legal[self.luck.randrange(len(legal))])

    def _play_first_legal(self, seat: int) -> None:
        said = self._answer_of_seat(seat)
        if said is not None:
            moves.play_answer(self.site, claim_of(self.site, self.match_id, seat), said[0], said[1], "api")

    def _post_answer(self, seat: int) -> float:
        said = self._answer_of_seat(seat)
        assert said is not None
        token = self.house.token("play", self.match_id, seat)
        self.client.get(f"/api/v1/matches/{self.match_id}/ask", headers={"Authorization": f"Bearer {token}"})
        return self._time_request(
            lambda: (
                self.client.post(
                    f"/api/v1/matches/{self.match_id}/moves",
                    json={"key": said[0], "move": said[1]},
                    headers={"Authorization": f"Bearer {token}"},
                ).status_code
            ),
            201,
        )

    def _finish_window(self) -> None:
        """Lets everybody let it pass who is still asked, and the window close."""
        asks = self._open_asks()
        if asks and asks[0].kind == "answer":
            for ask in asks:
                self._play_first_legal(ask.seat)
            while self._kind_of_question() == "answer":
                self.house.clock.at = max(self.house.clock.at, self._earliest_closing_time()) + timedelta(minutes=10)
                self.sweeps.sweep(self.house.clock.at)

    def _sweep_and_wait(self) -> None:
        """Lets the sweep pass, and waits until as long after its beginning, whatever it has done.

        On a site nobody answers right behind it. Here the process would have slept for as long as the sweep took, and
        come back to caches as cold as that.
        """
        began = time.perf_counter()
        self.sweeps.sweep(self.house.clock.at)
        time.sleep(max(0, began + APART_S - time.perf_counter()))

    def _move_to_next_tick(self, at: datetime) -> None:
        """Moves the clock to the next tick of the sweep from then on, and lets it pass."""
        self.house.clock.at = at + timedelta(seconds=-at.timestamp() % TICK_S)
        self.sweeps.sweep(self.house.clock.at)

    def _kind_of_question(self) -> str:
        asks = self._open_asks()
        return asks[0].kind if asks else ""

    def _version_of_match(self) -> int:
        with self.site.reading() as session:
            return store.get_match(session, self.match_id).version

    def _earliest_closing_time(self) -> datetime:
        with self.site.reading() as session:
            return max(row.floor_at for row in store.open_asks(session, self.match_id) if row.floor_at is not None)

    def _closing_time(self) -> datetime:
        entries = self.house.view(self.match_id, None).entries
        last = [one for one in entries if type(one.event).__name__ == "Unchallenged"][-1]
        return datetime.fromisoformat(last.at.replace("Z", "+00:00"))

    def _time_request(self, request: Callable[[], object], wanted: object) -> float:
        gc.collect(0)
        gc.disable()
        start = time.perf_counter()
        got = request()
        took = time.perf_counter() - start
        gc.enable()
        if got != wanted:
            raise RuntimeError(f"{got} in place of {wanted}")
        return took


def main(url: str, folder: str) -> None:
    """Measures what is asked for, until there is nothing more."""
    migrate(url)
    sweeps = Sweeps(url, folder)
    for house in open_house(url, Path(folder)):
        subject = Subject(house, sweeps)
        for line in sys.stdin:
            name, number = line.split()
            sys.stdout.write(f"{json.dumps(getattr(subject, name)(int(number)))}\n")
            sys.stdout.flush()
    sweeps.end()


def sweep(url: str, folder: str) -> None:
    """Sweeps at each moment that is asked for. As a sweep's heartbeat does, something is written each time."""
    for house in open_house(url, Path(folder)):
        for line in sys.stdin:
            house.clock.at = datetime.fromisoformat(line.strip())
            timeouts.sweep_deadlines(house.site)
            with house.site.writing() as work:
                players.find_or_add(work, "sweep@example.net", "en", house.site.now())
            sys.stdout.write("done\n")
            sys.stdout.flush()


if __name__ == "__main__":
    url, folder, *what = sys.argv[1:]
    (sweep if what else main)(url, folder)
