"""Tells which texts of a reply are moves, and asks the game as seldom as it can: about few texts, and each once."""

import re
from collections.abc import Callable

from pbem.kit.notation import LONGEST, plain_text
from pbem.mail.incoming import phrases
from pbem.mail.incoming.characters import UNSURE

MOST_READ = 300
"""How many texts of one reply the game is asked about; a reply that takes more is no answer to a question."""

Understands = Callable[[str], bool]

_WORD = re.compile(r"[^\W_]")


class TooMuch(Exception):
    """The game would have to be asked about more than MOST_READ texts."""


class Moves:
    """Which texts of one reply are moves. Greetings, thanks and closings are none, unless said with a move; nor is what
    cannot be read for sure.
    """

    def __init__(self, understands: Understands) -> None:
        self._understands = understands
        self._left = MOST_READ
        self._none: set[str] = set()

    def __call__(self, text: str) -> bool:
        """Returns whether the text is a move. Raises TooMuch."""
        if text in self._none or len(text) > LONGEST or UNSURE in text or not _WORD.search(text):
            return False
        said_to = phrases.said_to(plain_text(text))
        found = self._asked(text) if said_to is None else bool(said_to) and self(said_to) and self._asked(text)
        if found:
            self._none.clear()  # what follows a move in its sitting may be one now
        else:
            self._none.add(text)
        return found

    def _asked(self, text: str) -> bool:
        if self._left == 0:
            raise TooMuch
        self._left -= 1
        return self._understands(text)
