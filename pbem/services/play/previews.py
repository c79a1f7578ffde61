"""A move tried before it is played: what its player can foresee of it, from his own fold and nothing else."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pbem.errors import N_, Problem
from pbem.kit.chance import SeedChance
from pbem.kit.contract import AnyGame, Event, IllegalMove, Move
from pbem.kit.secrecy import redact
from pbem.services.play import moves
from pbem.services.site import Site
from pbem.services.views import match_views
from pbem.services.views.match_views import OpenAsk, View

NO_LUCK = bytes(32)
"""What a move that is refused would have drawn from: nothing of the match's."""


@dataclass(frozen=True)
class Foreseen:
    """A legal move, the question that it would answer, and the first events of it, as the mover knows them already."""

    view: View
    ask: OpenAsk
    move: Move
    events: Sequence[Event]


def preview(site: Site, match_id: str, seat: int, key: str | None, said: moves.Said) -> Foreseen:
    """What the seat can foresee of a move that answers its open question; with a `key`, of the question named so.

    Nothing changes. Raises NotFound, Unreadable, Gone, Stale, Illegal.
    """
    view = match_views.read_view(site, match_id, seat)
    move = moves.read_move(view.game, said, seat)
    moves.must_run(view.sheet.status)
    if view.ask is None or key not in (None, view.ask.key):
        raise moves.stale(N_("This question is no longer open."), view.ask)
    if move not in view.legal():
        raise refusal(view.game, view.fold, seat, move)
    foreseen = view.game.preview(view.fold, seat, move)
    return Foreseen(view, view.ask, move, [redact(event, seat) for event in foreseen])


def refusal(game: AnyGame, fold: Any, seat: int, move: Move) -> Problem:
    """Why a move that is not legal is refused: what the rules say of it to who knows no more than this fold."""
    try:
        game.decide(fold, seat, move, SeedChance(NO_LUCK, 1, "decide", seat))
    except IllegalMove as why:
        return moves.illegal(game, move, why)
    raise AssertionError("the rules refuse in a seat's own fold whatever is not legal there")
