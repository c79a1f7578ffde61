"""What is wrong with a game: found by a check, said in a sentence, with what to do about it."""

import re
import signal
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import NamedTuple, NoReturn

from pbem.kit.contract import IllegalMove

PATIENCE_S = 20
"""Of computing, for one law on one match: a game that takes longer does not end."""
ENDLESS = "seconds of computing"
_LONGEST = 300
_PBEM, _PYTHON = Path(__file__).parents[1], Path(traceback.__file__).parent
_WHERE = re.compile(
    r"[\w-]+, (?P<match>\d+ seats, .*), seed (?P<seed>[0-9a-f]{64}), (?P<entry>entry \d+): (?P<what>.*)"
)
"""What the message of a law that is broken in a match begins with."""

_TODO = {
    r"does not end|do not end|seconds of computing": (
        "See that every turn brings the end nearer; `Meta.bound` is the most decisions that a match takes."
    ),
    r"draw by .* without a name": "Draw from `luck.named(…)`, under a name that begins with a key of `Meta.draws`.",
    r"kind of the draw .* is not declared": "Say in `Meta.draws` what this kind of draw is called.",
    r"two draws have the name": "Give each draw a name of its own: what turn it is, and which seat, stand in it.",
    r"two things are drawn under": "Draw one thing under each name: two dice have two names.",
    r"is no name of a draw|does not name the seat": "A name is its kind and what tells it from others: `die:s1:7`.",
    r"unreadable|cannot read|reads back from|does not survive JSON": "`parse(format(move))` must give the move again.",
    r"the preview of": "`preview` returns the first events that `decide` gives, from the seat's own fold.",
    r"is accepted though it is not legal": "`decide` must refuse what `legal` does not list, with a reason.",
    r"legal move .* is refused": "`legal` must list no move that `decide` refuses.",
    r"fold of .* contradicts|differs? in the fold": (
        "What is asked and allowed, and how it ends, must follow from every fold: look at the marks of the events."
    ),
    r"in another process": (
        "What is said, answered and decided follows from the arguments alone: keep nothing in modules, objects and "
        "caches, sort what comes out of a set, and take all luck from pbem."
    ),
    r"changes the (fold|state)": "Change nothing in place: use tuples, no lists; `replace` and `put` return others.",
    r"as Python writes it": "Say it in words: a text of its own where nothing is known, and the name of a thing.",
    r"is listed (twice|among)": "List each legal move once: two equal cards are one. A `Lazy` has what it lists.",
    r"are both called": "Name what tells them from each other: buttons and lists show nothing else.",
    r"but not read from": "Read it with a capital in front and spaces around it: see `pbem.kit.notation`.",
    r"is not among the events": "Name it in `events`; by default those of the module with the state are taken.",
    r"asks a seat that nobody has": "Seats are numbered from 0; count on by the number of seats at this table.",
    r"the estimate": "Return None, or a number from 0 to 1 for each seat, together at most 1.",
    r"imagined the same": "Draw what the seat does not see from the luck that `imagine` is given.",
    r"in an imagined match": "There `view.seen` is empty, and `view.fold` hides what the marks of the state say.",
    r"its deal gives": "A `Deal` has a worth for each thing that is shuffled, in the order before the shuffle.",
    r"once they have come": "What comes follows from the state: note in it what was looked at, and let it come once.",
    r"cannot suppose": "Ask `k.value(it, could)` for what may be hidden, with all that it can be, and `k` for luck.",
    r"which no log can hold": "`k.value(it, could)`: give what it can be and nothing else.",
    r"Expected .* at `\$": "An event holds more than its type allows: look at `Meta(ge=…, le=…, max_length=…)`.",
    r"the fallback": "`fallback` returns one of the legal moves, by the seat's own fold and its luck alone.",
    r"the bot .* has (no|the) name": "Forms, logs and the API know a bot by this name: choose another one.",
    r"the bot .* takes": "A bot answers at once; what thinks long is `Game.playout` and `imagine`, which have a limit.",
    r"the bot": "A bot returns one of `game.legal(view.fold, seat)`, by its view and its luck alone.",
    r"placeholder": "Braces hold the number of a seat, or a thing that `Meta.marks` has a mark for.",
    r"the key": "The key of a question stands still while it is open, and never comes again.",
    r"not in its own fold|in its own fold as": "A refusal must rest on nothing that the seat does not know.",
    r"in a turn of its own": (
        "Make the answer another type of fact than what comes by itself, and name it as `makes` of its move; if the "
        "turn is over, say `ends_turn = True` in the fact that ends it."
    ),
    r"it ends the program": "A game raises errors; it never ends the program that plays it.",
    r"no max_length": "Give every tuple of an event a `msgspec.Meta(max_length=…)`.",
    r"is never asked": "Name the kinds of questions that it answers in `asks`, or take it away.",
    r"is never followed": "Let `follow` answer by a legal move, and give `samples` orders that come up at a table.",
    r"way to end .* is not declared": "Say in `Meta.endings` what this ending is called.",
    r"refusal .* is not declared": "Say in `Meta.refusals` why, and by which rule.",
}
"""What to do, by what the message of a broken law says."""
_ELSE = "To see it again, play the match of this seed: `Table(game, seats, options, seed.to_bytes(32, 'big'))`."


class Fault(NamedTuple):
    """Something that is wrong: which check found it, what it is, and what to do."""

    check: str
    said: str
    todo: str


class Endless(BaseException):
    """A game computes for too long. It is no Exception, which a game may catch."""


def fault_if_check_raises(check: str, look: Callable[[], object], match: str = "") -> Iterator[Fault]:
    """Looks, and yields a fault if that raises an error or takes no end; `match` is what is looked at."""
    try:
        with limit_computing_time():
            look()
    except (Exception, Endless, SystemExit) as error:  # noqa: BLE001 - whatever it is, it is what the author is told
        yield _fault_of_error(check, error, match)


def _fault_of_error(check: str, error: BaseException, match: str) -> Fault:
    said, raised = " ".join(str(error).split()), error.__cause__ or error
    if isinstance(error, SystemExit):
        said = f"it ends the program by {error!r}"
    where = _WHERE.fullmatch(said)
    if where is not None:
        said = where["what"]
    if not said or isinstance(raised, IllegalMove) or not type(raised).__module__.startswith("pbem."):
        frames = traceback.extract_tb(raised.__traceback__)
        frame = next((one for one in reversed(frames) if _is_file_of_game(one.filename)), frames[-1])
        file = Path(frame.filename)
        said = f"{said or frame.line} ({type(raised).__name__} in {file.parent.name}/{file.name}:{frame.lineno})"
    todo = next((todo for words, todo in _TODO.items() if re.search(words, said)), _ELSE)
    said = said if len(said) <= _LONGEST else f"{said[:_LONGEST]}…"
    if where is not None:
        match = f"{where['match']}, seed {int(where['seed'], 16)}, {where['entry']}"
    return Fault(check, f"{said} [{match}]" if match else said, todo)


def _is_file_of_game(file: str) -> bool:
    """Returns whether a file is a game's, and no other one of pbem or of Python."""
    path = Path(file)
    if path.is_relative_to(_PBEM):
        return path.is_relative_to(_PBEM / "games")
    return not path.is_relative_to(_PYTHON) or "site-packages" in path.parts


def _game_function_running(frame: FrameType | None) -> str:
    """Returns which function of a game runs, and where it is; "" where none does."""
    while frame is not None and not _is_file_of_game(frame.f_code.co_filename):
        # Beyond this file stands what has begun the check.
        frame = frame.f_back if frame.f_code.co_filename != __file__ else None
    if frame is None:
        return ""
    called, file = frame, Path(frame.f_code.co_filename)
    while called.f_back is not None and _is_file_of_game(called.f_back.f_code.co_filename):
        called = called.f_back
    return f", in `{called.f_code.co_qualname}` ({file.parent.name}/{file.name}:{frame.f_lineno})"


@contextmanager
def limit_computing_time() -> Iterator[None]:
    """Raises Endless where the block computes for more than `PATIENCE_S`. For the main thread of a command."""

    def give_up(_signal: int, frame: FrameType | None) -> NoReturn:
        raise Endless(f"this takes more than {PATIENCE_S} {ENDLESS}{_game_function_running(frame)}")

    before = signal.signal(signal.SIGPROF, give_up)
    signal.setitimer(signal.ITIMER_PROF, PATIENCE_S)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
