"""Legal moves as a tree of choices, one short step at a time.

The game assigns each legal move a path of steps. The menu is the node of that tree reached by the steps picked so far.
If only one step is possible, it is taken automatically.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from pbem.kit.contract import AnyGame, Lang, Move, Step
from pbem.services.views.match_views import View


@dataclass(frozen=True)
class Option:
    """One possible next step: the picks that lead to it, and the move if they complete one."""

    step: Step
    picks: tuple[str, ...]
    move: Move | None


@dataclass(frozen=True)
class Menu:
    """A position in the tree of choices. `move` is set if the steps taken make a complete move.

    `options` are then the alternatives to the last step, so that the player can change their mind.
    `lost` is True if the requested picks are not, or no longer, possible; the menu then starts from the beginning.
    """

    taken: tuple[Step, ...]
    options: tuple[Option, ...]
    move: Move | None
    lost: bool = False
    before: tuple[str, ...] | None = None
    """The picks before the last choice the player made; None if they have made none."""

    @property
    def picks(self) -> tuple[str, ...]:
        """Returns the steps taken, as links carry them."""
        return tuple(step.text for step in self.taken)


Paths = list[tuple[tuple[Step, ...], Move]]


def menu(view: View, lang: Lang, picks: Sequence[str]) -> Menu:
    """Returns the menu after these picks; it has no options if the viewer has no open ask."""
    paths: Paths = [(view.game.path(move, view.fold, lang), move) for move in view.legal()]
    if not paths:
        return Menu((), (), None)
    found = _walk(paths, tuple(picks))
    return found if found is not None else _restart(paths)


def picks_of(game: AnyGame, view: View, move: Move) -> tuple[str, ...]:
    """Returns the picks that lead to a move."""
    return tuple(step.text for step in game.path(move, view.fold, "fr"))


def _restart(paths: Paths) -> Menu:
    fresh = _walk(paths, ())
    assert fresh is not None, "without picks there is always a menu"
    return Menu(fresh.taken, fresh.options, fresh.move, lost=True)


def _walk(paths: Paths, picks: tuple[str, ...]) -> Menu | None:
    taken: tuple[Step, ...] = ()
    siblings: tuple[Option, ...] = ()
    before: tuple[str, ...] | None = None
    while True:
        depth = len(taken)
        done = next((move for path, move in paths if len(path) == depth), None)
        if done is not None:
            return Menu(taken, siblings, done, before=before)
        options = _options(paths, taken)
        wanted = picks[0] if picks else None
        if wanted is None and len(options) > 1:
            return Menu(taken, options, None, before=before)
        option = options[0] if len(options) == 1 else next((o for o in options if o.step.text == wanted), None)
        if option is None:
            return None
        if wanted == option.step.text:
            picks = picks[1:]
        if len(options) > 1:
            siblings, before = options, tuple(step.text for step in taken)
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
