"""Legal moves as a tree of choices, one short step at a time.

The game gives each legal move a path of steps. The menu is the node of that tree which the steps picked so far
lead to. Where only one step is possible it is taken: nobody chooses between one thing.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from pbem.kit.contract import AnyGame, Lang, Move, Step
from pbem.services.views.match_views import View


@dataclass(frozen=True)
class Option:
    """One next step: the picks that lead to it, and the move where these make a whole one."""

    step: Step
    picks: tuple[str, ...]
    move: Move | None


@dataclass(frozen=True)
class Menu:
    """Where one stands in choosing. `move` is set when the steps taken make a whole move.

    `options` are the alternatives to the last step then, so that one can change one's mind.
    `lost` says that the picks asked for are not possible (any more); the menu then starts anew.
    """

    taken: tuple[Step, ...]
    options: tuple[Option, ...]
    move: Move | None
    lost: bool = False

    @property
    def picks(self) -> tuple[str, ...]:
        """The steps taken, as links carry them."""
        return tuple(step.text for step in self.taken)


Paths = list[tuple[tuple[Step, ...], Move]]


def menu(view: View, lang: Lang, picks: Sequence[str]) -> Menu:
    """The menu after these picks. A menu without options when the viewer is asked nothing."""
    paths: Paths = [(view.game.path(move, view.fold, lang), move) for move in view.legal()]
    if not paths:
        return Menu((), (), None)
    found = _walk(paths, tuple(picks))
    return found if found is not None else _restart(paths)


def picks_of(game: AnyGame, view: View, move: Move) -> tuple[str, ...]:
    """The picks that lead to a move."""
    return tuple(step.text for step in game.path(move, view.fold, "fr"))


def _restart(paths: Paths) -> Menu:
    fresh = _walk(paths, ())
    assert fresh is not None, "without picks there is always a menu"
    return Menu(fresh.taken, fresh.options, fresh.move, lost=True)


def _walk(paths: Paths, picks: tuple[str, ...]) -> Menu | None:
    taken: tuple[Step, ...] = ()
    siblings: tuple[Option, ...] = ()
    while True:
        depth = len(taken)
        done = next((move for path, move in paths if len(path) == depth), None)
        if done is not None:
            return Menu(taken, siblings, done)
        options = _options(paths, taken)
        wanted = picks[0] if picks else None
        if wanted is None and len(options) > 1:
            return Menu(taken, options, None)
        option = options[0] if len(options) == 1 else next((o for o in options if o.step.text == wanted), None)
        if option is None:
            return None
        if wanted == option.step.text:
            picks = picks[1:]
        if len(options) > 1:
            siblings = options
        taken = (*taken, option.step)
        paths = [(path, move) for path, move in paths if path[depth].text == option.step.text]


def _options(paths: Paths, taken: tuple[Step, ...]) -> tuple[Option, ...]:
    depth = len(taken)
    before = tuple(step.text for step in taken)
    seen: dict[str, Option] = {}
    for path, move in paths:
        step = path[depth]
        if step.text not in seen:
            whole = move if len(path) == depth + 1 else None
            seen[step.text] = Option(step, (*before, step.text), whole)
    return tuple(seen.values())
