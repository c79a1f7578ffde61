"""Lets a bot of a package think for so long and no longer, apart from the match.

It thinks in a thread of its own: from there no frame leads to those who ask it, which know the whole match.
"""

import ctypes
from threading import Thread

from pbem.kit.bots import view_with_answers
from pbem.kit.chance import Chance
from pbem.kit.contract import AnyGame, BotView, Move, PackagedBot, PlayerView

PATIENCE_S = 10.0
"""The longest that a bot of a package may think about a question."""


class BotFailed(Exception):
    """The bot of this name has answered illegally, has raised something, or has taken too long."""

    def __init__(self, bot: str, why: str) -> None:
        super().__init__(f"{bot}: {why}")
        self.bot = bot


def answer_of(
    game: AnyGame, name: str, bot: PackagedBot, view: PlayerView, seat: int, chance: Chance, most: float = PATIENCE_S
) -> Move:
    """Returns the bot's answer, which is legal, within this many seconds. Raises BotFailed.

    One that takes longer is stopped: at once in code of Python, else when it comes back to it.
    """
    thinking = _Thinking(bot, view_with_answers(game, view, seat), seat, chance)
    thinking.start()
    thinking.join(most)
    if thinking.raised is not None:
        raise BotFailed(name, repr(thinking.raised)[:300]) from thinking.raised
    if thinking.is_alive():
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thinking.ident or 0), ctypes.py_object(SystemExit))
        raise BotFailed(name, f"it has thought for {most:g} seconds")
    if thinking.move is None:
        raise BotFailed(name, "its answer is not legal")
    return thinking.move


class _Thinking(Thread):
    """A bot at work; then `move` is its answer if that is legal, or `raised` what it has raised, even SystemExit."""

    move: Move | None = None
    raised: BaseException | None = None

    def __init__(self, bot: PackagedBot, view: BotView, seat: int, chance: Chance) -> None:
        super().__init__(name="bot", daemon=True)
        self._asked = bot, view, seat, chance

    def run(self) -> None:
        bot, view, seat, chance = self._asked
        try:
            answer = bot.choose(view, seat, chance)
            self.move = next((move for move in view.legal if move == answer), None)
        except BaseException as error:  # noqa: BLE001 - it must end no more than this thread
            self.raised = error
