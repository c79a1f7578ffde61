"""Runs the plans of a simulation in this process, in several, or on workers; shows how far they are."""

import multiprocessing
import os
import secrets
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from typing import NamedTuple, TextIO

import click

from pbem.config import Config
from pbem.features.lab.distribution import NoWorkers, tallies_from_workers
from pbem.features.lab.plans import Chunk, Plan, chunks_of_plans_in_turn
from pbem.features.lab.simulations import play_chunk
from pbem.features.lab.tallies import Tally
from pbem.kit.play import LawBroken

CHUNK = 20
"""The number of matches between two steps of the progress bar, and in one task of a worker."""
EVERY_S = 10.0
"""The time between two lines of progress where there is no terminal."""
INTERRUPTED = 130
"""The exit code after Ctrl-C."""

Play = Callable[[Sequence[Chunk]], Iterator[Tally]]
"""Yields the tallies of the chunks, in their order."""


class Ran(NamedTuple):
    """A tally for each plan, in their order; those of a run that was interrupted hold what was done by then.

    `error` is what ended it, if it was not Ctrl-C.
    """

    tallies: list[Tally]
    interrupted: bool
    error: LawBroken | NoWorkers | None = None

    def end_command(self, context: click.Context) -> None:
        """Ends the command as the run ended, after what was played by then has been told. Raises ClickException."""
        if self.error is not None:
            raise click.ClickException(str(self.error)) from self.error
        if self.interrupted:
            context.exit(INTERRUPTED)


class Progress:
    """Shows how many matches are played: a bar on a terminal, elsewhere a line now and then."""

    def __init__(self, total: int, file: TextIO | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self._total, self._terminal, self._clock = total, sys.stderr if file is None else file, clock
        self._began = self._told = clock()
        self._done = 0
        self._bar = (
            click.progressbar(length=total, label="matches", file=self._terminal, show_eta=True, show_pos=True)
            if self._terminal.isatty()
            else None
        )

    def show_more_matches_played(self, matches: int) -> None:
        """Shows that this many more are played."""
        self._done += matches
        if self._bar is not None:
            self._bar.update(matches)
            return
        now = self._clock()
        if now - self._told >= EVERY_S:
            self._told = now
            left = (now - self._began) * (self._total - self._done) / max(1, self._done)
            print(
                f"{self._done} of {self._total} matches, {duration_in_words(left)} left",
                file=self._terminal,
                flush=True,
            )

    def end(self) -> None:
        """Leaves the line of the bar."""
        if self._bar is not None:
            self._bar.render_finish()


def duration_in_words(seconds: float) -> str:
    """Returns a time in its two greatest units.

    >>> duration_in_words(30), duration_in_words(90), duration_in_words(36_059)
    ('30 s', '1 min 30 s', '10 h 0 min')
    """
    minutes, left = divmod(round(seconds), 60)
    if minutes >= 60:
        return f"{minutes // 60} h {minutes % 60} min"
    return f"{minutes} min {left} s" if minutes else f"{left} s"


def run_plans(
    plans: Sequence[Plan], matches: int, play: Play, settled: Callable[[Sequence[Tally]], bool] | None = None
) -> Ran:
    """Plays this many matches of each plan, in turn, until all are played, `settled` says so, or something ends it.

    That is Ctrl-C, a match that breaks a law, or workers that are lost: what was played by then is returned.
    `settled` is asked whenever all plans have equally many, so what it sees does not depend on who plays.
    """
    tallies = [Tally(plan.seats) for plan in plans]
    # Bots that think take long for one match.
    size = 1 if any(plan.has_bots_that_think for plan in plans) else max(1, min(CHUNK, matches // CHUNK))
    turns = list(chunks_of_plans_in_turn(plans, matches, size))
    shown = Progress(matches * len(plans))
    try:
        with closing(play([chunk for _, chunk in turns])) as coming:  # type: ignore[type-var]  # generators close
            for (which, _), tally in zip(turns, coming, strict=True):
                tallies[which].join(tally)
                shown.show_more_matches_played(tally.matches)
                if which == len(plans) - 1 and settled is not None and settled(tallies):
                    return Ran(tallies, interrupted=False)
    except KeyboardInterrupt:
        return Ran(tallies, interrupted=True)
    except (LawBroken, NoWorkers) as error:
        return Ran(tallies, interrupted=True, error=error)
    finally:
        shown.end()
    return Ran(tallies, interrupted=False)


def way_of_playing(jobs: int, distribute: bool) -> Play:
    """Returns what plays: this process, this many others, or the workers.

    Raises UsageError for both at once. What it returns raises NoWorkers when it is used.
    """
    if distribute and jobs > 1:
        raise click.UsageError("--jobs counts processes here, --distribute plays on workers: choose one.")
    if distribute:
        return lambda chunks: tallies_from_workers(_broker_url(), chunks)
    return lambda chunks: _play_here(chunks, jobs)


def _play_here(chunks: Sequence[Chunk], jobs: int) -> Iterator[Tally]:
    if jobs == 1:
        yield from map(play_chunk, chunks)
        return
    # A new interpreter each: a fork would inherit the threads' locks of this process. Ctrl-C is left to this one.
    with multiprocessing.get_context("spawn").Pool(
        min(jobs, len(chunks)), signal.signal, (signal.SIGINT, signal.SIG_IGN)
    ) as pool:  # fmt: skip
        yield from pool.imap(play_chunk, chunks)


def _broker_url() -> str:
    # Only the broker is used of all settings: nothing is signed, stored or sent.
    environ = {"PBEM_SECRET": secrets.token_hex(32), **os.environ}
    url = Config.from_env(environ, "embedded").broker_url
    if url is None:
        raise NoWorkers("--distribute needs workers: set REDIS_URL to the broker they listen to.")
    return url
