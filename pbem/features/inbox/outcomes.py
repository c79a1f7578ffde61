"""What became of each line of a reply, as it is kept for the answer: places, codes and keys, none of its words."""

import re
from collections.abc import Callable, Iterable
from typing import Literal

import msgspec

from pbem.features.inbox.incoming import commands
from pbem.features.inbox.incoming.commands import Command, Line

What = Literal["done", "refused", "stale", "asked"]
PLAYED, SEALED, ORDERED, LEFT = "played", "sealed", "ordered", "left"
NOT_DONE, REFUSED = "not-done", "was-refused"
WAITS, UNVERIFIED = "waits", "unverified"
NOTHING = ""
NO_QUESTION = "no-question"
"""Why a mail with a move is asked back that was verified: it does not say which question it answers."""
OTHER_SENDER = "another-sender"
"""Why a mail is asked back that names its seat by a token: it is not from the mailbox of the seat's player."""
DONE: dict[type[Command], str] = {commands.Order: ORDERED, commands.Say: "said", commands.Note: "noted"}
"""The codes of commands that have been done, but for moves and wishes."""


class Outcome(msgspec.Struct, frozen=True):
    """What became of a reply. `codes` has one for each of its lines, `places` where each stands in the mail's text.

    `key`: that of the question that it answers, and `closed` how that was closed, as in its row, "" if it is open.
    `why`: the code of the problem with the line that was refused, or those of its doubts. `proven`: True if the mail
    was shown to be the player's own.
    """

    what: What
    codes: tuple[str, ...] = ()
    places: tuple[tuple[int, int], ...] = ()
    key: str | None = None
    closed: str = ""
    why: str = ""
    proven: bool = True

    @property
    def as_json(self) -> str:
        """Returns it as it is kept."""
        return msgspec.json.encode(self).decode()


def read_outcome(kept: str) -> Outcome:
    """Returns what was kept."""
    return msgspec.json.decode(kept, type=Outcome)


def codes_of_lines(lines: tuple[Line, ...], code_of: Callable[[Command], str]) -> tuple[str, ...]:
    """Returns a code for each line: its doubt, else what became of its command, "" if it has neither."""
    return tuple(line.doubt or (code_of(line.command) if line.command is not None else NOTHING) for line in lines)


def has_accepted_move(codes: Iterable[str]) -> bool:
    """True if a line with one of these codes was a move that was accepted."""
    return not {PLAYED, SEALED, LEFT}.isdisjoint(codes)


def is_answer(command: Command) -> bool:
    """True if the command answers a question."""
    return isinstance(command, commands.Move | commands.Number)


def spans_of_lines_in_text(text: str, lines: tuple[Line, ...]) -> tuple[tuple[int, int], ...]:
    """Returns where each line stands in the mail's text, as its beginning and its end; (0, 0) if it is not found."""
    found, after = [], 0
    for line in lines:
        pattern = r"\s+".join(map(re.escape, line.text.split()))
        at = re.compile(pattern).search(text, after) if pattern else None
        found.append(at.span() if at is not None else (0, 0))
        after = at.end() if at is not None else after
    return tuple(found)
