"""Lets a bot of a package think for so long and no longer, apart from the match.

It thinks in a thread of its own: from there no frame leads to those who ask it, which know the whole match. Whatever
belongs to the package, also what it raises, stays there.
"""

import ctypes
from contextlib import suppress
from functools import partial
from threading import Thread
from time import monotonic, sleep

from pbem.kit.bots import view_with_legal_moves
from pbem.kit.chance import Chance
from pbem.kit.contract import AnyGame, Move, PackagedBot, PlayerView
from pbem.packages import place_of_error

PATIENCE_S = 10.0
"""The longest that a bot of a package may think about a question."""
STOP_S = 1.0
"""How long it may take to stop."""

_stuck: dict[tuple[str, str], Thread] = {}
"""The thread of each bot that did not stop, by game and name. While it lives the bot is not asked here again."""
_took_s: dict[tuple[str, str], float] = {}
"""How long each bot has last taken here for an answer that was not the only one, by game and name."""


class BotFailed(Exception):
    """The bot of this name has answered illegally, has raised something, or has taken too long."""

    def __init__(self, bot: str, why: str) -> None:
        super().__init__(f"{bot}: {why}")
        self.bot = bot


def answer_of_bot(
    game: AnyGame, name: str, bot: PackagedBot, view: PlayerView, seat: int, chance: Chance, most: float = PATIENCE_S
) -> Move:
    """Returns the bot's answer, which is legal, within this many seconds. Raises BotFailed.

    One that takes longer is stopped: at once in code of Python, else when it comes back to it. A forced answer takes as
    long as the last one that was not: who watches the clock must not learn that there was no choice.
    """
    which = (game.meta.slug, name)
    if which in _stuck and _stuck[which].is_alive():
        raise BotFailed(name, "it has not stopped thinking about an earlier question")
    began, thinking = monotonic(), _Thinking(game, bot, view, seat, chance)
    thinking.start()
    thinking.join(most)
    if thinking.is_alive():
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thinking.ident or 0), ctypes.py_object(SystemExit))
        thinking.join(STOP_S)
        _stuck[which] = thinking
        raise BotFailed(name, f"it has thought for {most:g} seconds")
    if thinking.move is None:
        raise BotFailed(name, thinking.why)
    if thinking.forced:
        sleep(max(0.0, began + _took_s.get(which, 0.0) - monotonic()))
    else:
        _took_s[which] = monotonic() - began
    return thinking.move


class _Thinking(Thread):
    """A bot at work; then `move` is its answer if that is legal, else `why` says, without any value, what is wrong."""

    move: Move | None = None
    forced = False
    why = "it has raised what has no name"

    def __init__(self, game: AnyGame, bot: PackagedBot, view: PlayerView, seat: int, chance: Chance) -> None:
        super().__init__(name="bot", daemon=True)
        self._show = partial(view_with_legal_moves, game, view, seat)
        self._asked = bot, seat, chance

    def run(self) -> None:
        bot, seat, chance = self._asked
        try:
            shown = self._show()
            del self._show  # no bot finds more of the game from here than it is given
            self.forced = len(shown.legal) == 1
            answer = bot.choose(shown, seat, chance)
            self.why = "its answer is not legal"
            self.move = next((move for move in shown.legal if move == answer), None)
        except BaseException as error:  # noqa: BLE001 - it must end no more than this thread
            with suppress(BaseException):  # the name of what it raises is code of the package, too
                self.why = f"{type(error).__name__}{place_of_error(error)}"
