"""Boards as mails show them, the same in every run."""

from pbem.games import all_games
from pbem.kit.contract import AnyGame, Scene
from pbem.kit.play import Table
from pbem.kit.replay import By

NAMES = ("Alice", "Bob", "Carol", "Dave", "Eve", "Frank")


def games_by_slug() -> list[AnyGame]:
    """Returns the games in the order of their slugs."""
    return [game for _, game in sorted(all_games().items())]


def table_after(game: AnyGame, seats: int, decisions: int) -> Table:
    """Returns a match after this many decisions at most, each the first that is legal."""
    played = Table(game, seats, game.meta.options(), bytes(32))
    while decisions and (asks := game.pending(played.state)):
        move = game.legal(played.folds[asks[0].seat], asks[0].seat)[0]
        played.play(asks[0], move, By(seat=asks[0].seat))
        decisions -= 1
    return played


def draw_board(played: Table) -> str:
    """Draws the board for the seat that is asked, in English, with the last three events marked and one bot."""
    asks = played.game.pending(played.state)
    seat = asks[0].seat if asks else None
    recent = tuple((n, entry.event) for n, entry in enumerate(played.entries[-3:], 1))
    scene = Scene(recent=recent, bots=frozenset({played.seats - 1}), over=not asks)
    return played.game.draw(played.folds[seat], seat, "en", scene)
