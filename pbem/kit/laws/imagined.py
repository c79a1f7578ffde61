"""What `imagine` must obey: nobody at the seat could tell the imagined state from the true one.

The chance with which each state is imagined is not a law: the tests of each game compare it with a count of all deals.
"""

from typing import Any

import msgspec

from pbem.kit.contract import Ask, PlayerView
from pbem.kit.play import Table
from pbem.kit.replay import player_view
from pbem.kit.secrecy import agrees, redact


def view_of(table: Table, seat: int) -> PlayerView:
    """Returns what the seat knows at the table now."""
    return player_view(table.game, table.entries, table.seats, seat, table.luck.memory(seat))


def check_imagined(table: Table, ask: Ask) -> Any:
    """Imagines the position once, from the seat that is asked, and checks it; returns it. Raises LawBroken."""
    game, seat, imagine = table.game, ask.seat, table.game.imagine
    assert imagine is not None, "the game imagines"
    view, luck = view_of(table, seat), table.luck

    def draw_state() -> Any:
        return imagine(view, seat, luck.bot(table.next_entry_number, f"{ask.key}:imagined", seat))

    state = draw_state()
    if state != draw_state():
        raise table.broken(f"seat {seat} imagines otherwise by the same view and luck")
    if not agrees(state, table.folds[seat]):
        raise table.broken(f"what seat {seat} imagines contradicts its fold")
    if (where := _first_difference_in_shape(table.state, state)) is not None:
        raise table.broken(f"what seat {seat} imagines has {where}, and the true state has not, or the other way round")
    if game.pending(state) != game.pending(table.state):
        raise table.broken(f"what seat {seat} imagines asks {game.pending(state)}")
    if [*game.legal(state, seat)] != [*game.legal(table.folds[seat], seat)]:
        raise table.broken(f"what seat {seat} imagines allows it other moves")
    if game.outcome(state) is not None:
        raise table.broken(f"what seat {seat} imagines is over")
    if redact(state, seat) != redact(table.state, seat):
        raise table.broken(f"the marks of the state show seat {seat} what it cannot know")
    return state


def _first_difference_in_shape(true: Any, imagined: Any, path: str = "state") -> str | None:
    """Returns where one has a value and the other none, or where they differ in size; None if they are alike."""
    if (true is None) != (imagined is None):
        return f"nothing at {path}" if imagined is None else f"something at {path}"
    if isinstance(true, msgspec.Struct):
        names = true.__struct_fields__
        return next(
            (
                gap
                for f in names
                if (gap := _first_difference_in_shape(getattr(true, f), getattr(imagined, f), f"{path}.{f}"))
            ),
            None,
        )
    if isinstance(true, tuple):
        if len(true) != len(imagined):
            return f"another number of things at {path}"
        pairs = enumerate(zip(true, imagined, strict=True))
        return next((gap for at, (a, b) in pairs if (gap := _first_difference_in_shape(a, b, f"{path}[{at}]"))), None)
    return None
