"""A match in memory that somebody plays against bots, or with others at the same keyboard.

It goes as a match of a site does: a bot decides from what its seat knows and by its own luck, the clock answers for one
that fails, and in a window nobody sees what others answer before all have answered. So its log can be verified.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from pbem.features.lab.sealing import redact_log, seal_log
from pbem.kit.bots import bots_of, version_of
from pbem.kit.contract import AnyGame, Ask, Move, Viewer, require_legal
from pbem.kit.logs.logfile import Log
from pbem.kit.play import Table, first_to_answer
from pbem.kit.replay import By, player_view


class Evening:
    """A match with this seed. `bots` names the bot of each seat that nobody plays by hand."""

    def __init__(self, game: AnyGame, seats: int, options: Any, seed: bytes, bots: Mapping[int, str]) -> None:
        self.game, self.bots = game, bots
        self._begin = partial(Table, game, seats, options, seed)
        self.table = self._begin()
        self._made: list[tuple[Ask, Move, By]] = []
        self._sealed: dict[int, tuple[Move, By]] = {}
        """The answers in the window that is open."""

    def next_ask_by_lot(self) -> Ask | None:
        """Returns the question to be answered next, one of several by lot; None if the match is over."""
        asks = [ask for ask in self.game.pending(self.table.state) if ask.seat not in self._sealed]
        return first_to_answer(asks, self.table.luck, self.table.next_entry_number) if asks else None

    def play_or_seal_move(self, ask: Ask, move: Move, by: By) -> None:
        """Answers the question with a legal move. Raises LawBroken if the game is at fault."""
        self._made.append((ask, move, by))
        if not self._is_window(ask):
            self.table.play(ask, move, by)
            return
        self._sealed[ask.seat] = move, by
        asks = [ask for ask in self.game.pending(self.table.state) if self._is_window(ask)]
        if all(ask.seat in self._sealed for ask in asks):
            for asked in asks:
                if asked in self.game.pending(self.table.state):
                    self.table.play(asked, *self._sealed[asked.seat])
            self._sealed.clear()

    def play_bot(self, ask: Ask) -> str | None:
        """Answers for the bot that has the seat; returns why the clock had to move for it, or None."""
        table, seat, name = self.table, ask.seat, self.bots[ask.seat]
        view = player_view(self.game, table.entries, table.seats, seat, table.luck.memory(seat))
        why = None
        try:
            move = bots_of(self.game)[name](view, seat, table.luck.bot(table.next_entry_number, ask.key, seat))
            require_legal(self.game, view.fold, seat, move)
            by = By(bot=seat, via=name, version=version_of(self.game, name))
        except Exception as error:  # noqa: BLE001 - whatever a bot raises, the match goes on, as on a site
            why, by = f"{name}: {error!r}", By(clock=seat)
            move = self.game.fallback(view.fold, seat, table.luck.fallback(table.next_entry_number, ask.key, seat))
        self.play_or_seal_move(ask, move, by)
        return why

    def take_back(self) -> bool:
        """Goes back to before the last decision that was made by hand; returns whether there was one."""
        by_hand = [at for at, (_, _, by) in enumerate(self._made) if by.seat is not None]
        if not by_hand:
            return False
        made = self._made[: by_hand[-1]]
        self.table, self._made = self._begin(), []
        self._sealed.clear()
        for one in made:
            self.play_or_seal_move(*one)
        return True

    def log_for_viewer(self, viewer: Viewer) -> Log:
        """Returns the log: what the viewer sees of it, and all of it with the seed once the match is over."""
        table = self.table
        whole = seal_log(self.game, table.options, table.seats, table.deal, table.seed, table.words, table.entries)
        return redact_log(whole, viewer) if self.game.pending(table.state) else whole

    def _is_window(self, ask: Ask) -> bool:
        return self.game.meta.asks[ask.kind].window


def bots_by_seat(bots: Sequence[str], seats: int, mine: int) -> dict[int, str]:
    """Returns which bot has which seat: the others in turn from my seat on, none if there are none.

    >>> bots_by_seat(["greedy", "easy"], 4, 1)
    {2: 'greedy', 3: 'easy', 0: 'greedy'}
    """
    others = [(mine + step) % seats for step in range(1, seats)]
    return {seat: bots[at % len(bots)] for at, seat in enumerate(others)} if bots else {}
