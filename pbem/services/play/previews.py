"""Previews of moves: what a player can foresee of a move, computed from their own fold and nothing else."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pbem.errors import N_, Problem
from pbem.kit.chance import KeyLuck
from pbem.kit.contract import AnyGame, Event, IllegalMove, Move
from pbem.kit.secrecy import redact
from pbem.services.play import moves
from pbem.services.play.order_checks import illegal_error
from pbem.services.site import Site
from pbem.services.views import match_views
from pbem.services.views.match_views import OpenAsk, View

NO_LUCK = KeyLuck(bytes(32))
"""The luck with which an illegal move is tried to get its refusal: nothing derived from the match's own."""


@dataclass(frozen=True)
class Foreseen:
    """A legal move, the ask it would answer, and its first events as far as the mover can know them."""

    view: View
    ask: OpenAsk
    move: Move
    events: Sequence[Event]


def preview(site: Site, match_id: str, seat: int, key: str | None, said: moves.Said) -> Foreseen:
    """Returns what the seat can foresee of a move, for the question with this `key` if one is given. Changes nothing.

    Raises NotFound, Unreadable, Gone, Stale, Illegal.
    """
    view = match_views.read_view(site, match_id, seat)
    move = moves.read_move(view.game, said, seat)
    moves.require_running(view.sheet.status)
    if view.ask is None or key not in (None, view.ask.key):
        raise moves.stale_error(N_("This question is no longer open."), view.ask)
    if move not in view.legal():
        raise refusal(view.game, view.fold, seat, move)
    foreseen = view.game.preview(view.fold, seat, move)
    return Foreseen(view, view.ask, move, [redact(event, seat) for event in foreseen])


def refusal(game: AnyGame, fold: Any, seat: int, move: Move) -> Problem:
    """Returns why a move is not legal, as far as the rules can tell a player who knows only this fold."""
    try:
        game.decide(fold, seat, move, NO_LUCK.rules(1, seat))
    except IllegalMove as why:
        return illegal_error(game, move, why)
    raise AssertionError("the rules refuse in a seat's own fold whatever is not legal there")
