"""Replays an uploaded log from the log alone: no database, no session.

Any failure is blamed on the log and on the entry at which it happens, even if a game crashes on it: a forged entry may
be well formed and still lead to a position that no match can reach.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from markupsafe import Markup

from pbem.errors import N_, Forbidden, NotFound
from pbem.games import find_game
from pbem.kit.contract import Shape
from pbem.kit.logs import log_errors, logfile
from pbem.kit.logs.log_errors import BadLog
from pbem.kit.logs.logfile import Log
from pbem.kit.replay import AnyEntry, redacted
from pbem.kit.texts import Lang, Text
from pbem.services.views.replays import Eyes, Replay, Step, all_eyes, steps_of

MAX_PICTURE = 262_144
"""The characters of one board: several times the largest of any match. A page asks for a hundred boards at once."""
PICTURE = Text(
    fr="le dessin de la position où elle mène dépasse {most} octets",
    en="the drawing of the position it leads to takes more than {most} bytes",
)
UNDRAWABLE = Text(
    fr="la position où elle mène ne peut pas être dessinée",
    en="the position it leads to cannot be drawn",
)


@dataclass(frozen=True)
class LogReplay(Replay):
    """The replay of an uploaded log. Its methods raise BadLog if a forged entry makes them fail."""

    def picture(self, step: Step, shape: Shape = "portrait", counted_from: int = 0) -> Markup:
        """Returns the board as a page shows it, with names."""
        with _blame(UNDRAWABLE, step.entry):
            drawn = super().picture(step, shape, counted_from)
        if len(drawn) > MAX_PICTURE:
            raise BadLog(PICTURE, step.entry, most=MAX_PICTURE)
        return drawn

    def line(self, step: Step) -> Markup:
        """Returns the step's line of the story."""
        with _blame(log_errors.UNTELLABLE, step.entry):
            return super().line(step)


def open_log(data: bytes) -> Log:
    """Returns the log in this document, if its game is installed. Raises BadLog."""
    return logfile.read(data, find_game)


def choices(log: Log) -> tuple[Eyes, ...]:
    """Returns the perspectives the log can be replayed from: all for a full log, otherwise only that of its viewer."""
    if log.viewer == "all":
        return all_eyes(log.seats)
    assert not isinstance(log.viewer, str), "the only word that a log is made for is all"
    return (log.viewer,)


def replay_log(log: Log, lang: Lang, names: Sequence[str], eyes: Eyes | str) -> LogReplay:
    """Returns the replay of the log from this perspective; "" means everybody's, or the one the log was made for.

    Raises BadLog at the first entry that cannot be told, NotFound and Forbidden for perspectives it does not offer.
    """
    allowed = choices(log)
    eyes = allowed[0] if eyes == "" else eyes
    if isinstance(eyes, int) and eyes >= log.seats:
        raise NotFound(N_("There is no such seat."))
    if eyes not in allowed:
        raise Forbidden(N_("This log was made for one viewer and cannot be shown to others."))
    entries: Sequence[AnyEntry] = log.entries
    if log.viewer == "all" and eyes != "all":
        assert not isinstance(eyes, str), "the only word among the allowed eyes is all"
        entries = redacted(entries, eyes)  # a full log is of a finished match, so nothing fades
    steps = _tell(log, entries, lang)
    if not steps:
        raise BadLog(log_errors.SILENT)
    return LogReplay(log.game, names, eyes, lang, steps)


def _tell(log: Log, entries: Sequence[AnyEntry], lang: Lang) -> tuple[Step, ...]:
    at = 0

    def watched() -> Iterable[AnyEntry]:
        nonlocal at
        for entry in entries:
            at = entry.n
            yield entry

    try:
        return tuple(steps_of(log.game, watched(), lang))
    except Exception as error:
        raise BadLog(log_errors.UNTELLABLE, at) from error


@contextmanager
def _blame(why: Text, entry: int) -> Iterator[None]:
    """Turns any exception in the block into a BadLog that names this entry."""
    try:
        yield
    except Exception as error:
        raise BadLog(why, entry) from error
