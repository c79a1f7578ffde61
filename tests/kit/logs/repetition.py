"""A match among bots, and its log."""

from pbem.kit.bots import bots_of, usual_bot, version_of
from pbem.kit.contract import AnyGame
from pbem.kit.logs.logfile import Log
from pbem.kit.play import Table, first_to_answer
from pbem.kit.replay import By, player_view
from tests.transcripts import log_of


def among_bots(game: AnyGame, seats: int, seed: int) -> Log:
    """The log of a match in which the game's own bot has all seats."""
    table, name = Table(game, seats, game.meta.options(), bytes([seed] * 32)), usual_bot(game)
    while asks := game.pending(table.state):
        ask = first_to_answer(asks, table.luck, table.next_entry_number)
        view = player_view(game, table.entries, seats, ask.seat, table.luck.memory(ask.seat))
        move = bots_of(game)[name](view, ask.seat, table.luck.bot(table.next_entry_number, ask.key, ask.seat))
        table.play(ask, move, By(bot=ask.seat, via=name, version=version_of(game, name)))
    return log_of(table)
