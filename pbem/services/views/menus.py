"""Legal moves as a tree of choices, one short step at a time.

The game assigns each legal move a path of steps. The menu is the node of that tree reached by the steps picked so far.
If only one step is possible, it is taken automatically. Some kinds of ask let the steps be chosen in any order
(`AskKind.any_order`): there the menu is made of the moves that have all the steps picked so far.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import and_

from pbem.kit.contract import AnyGame, Move, Step
from pbem.kit.texts import Lang
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
    back: tuple[Option, ...] = ()
    """The steps to return to, each with the picks without it and, where the order is not free, without later ones."""
    free: tuple[Option, ...] = ()
    """Where the order is free: all other steps, too many for a list. To one that does not fit, old picks give way."""
    others: tuple[Option, ...] = ()
    """What could have been chosen instead of the earlier steps: boards offer it where those were chosen."""

    @property
    def picks_taken(self) -> tuple[str, ...]:
        """Returns the steps taken, as links carry them."""
        return tuple(step.text for step in self.taken)


Paths = list[tuple[tuple[Step, ...], Move]]


def menu_after_picks(view: View, lang: Lang, picks: Sequence[str]) -> Menu:
    """Returns the menu after these picks; it has no options if the viewer has no open ask."""
    path, fold = view.game.path, view.fold
    paths: Paths = [(path(move, fold, lang), move) for move in view.legal()]
    if view.ask is None or not paths:
        return Menu((), (), None)
    find = _menu_in_any_order if view.game.meta.asks[view.ask.kind].any_order else _menu_in_order
    found = find(paths, tuple(picks))
    if found is not None:
        return found
    fresh = find(paths, ())
    assert fresh is not None, "without picks there is always a menu"
    return replace(fresh, lost=True)


def picks_of(game: AnyGame, view: View, move: Move) -> tuple[str, ...]:
    """Returns the picks that lead to a move."""
    return tuple(step.text for step in game.path(move, view.fold, "fr"))


# --- one step after the other ------------------------------------------------------------------------------


def _menu_in_order(paths: Paths, picks: tuple[str, ...]) -> Menu | None:
    taken: tuple[Step, ...] = ()
    siblings: tuple[Option, ...] = ()
    before: tuple[str, ...] | None = None
    others: tuple[Option, ...] = ()
    while True:
        depth = len(taken)
        done = next((move for path, move in paths if len(path) == depth), None)
        if done is not None:
            others = others[: len(others) - len(siblings)]
            return Menu(taken, siblings, done, before=before, back=_options_to_go_back(taken, siblings), others=others)
        options = _options_after_steps(paths, taken)
        wanted = picks[0] if picks else None
        if wanted is None and len(options) > 1:
            return Menu(taken, options, None, before=before, back=_options_to_go_back(taken, options), others=others)
        option = options[0] if len(options) == 1 else next((o for o in options if o.step.text == wanted), None)
        if option is None:
            return None
        if wanted == option.step.text:
            picks = picks[1:]
        if len(options) > 1:
            siblings, before = options, tuple(step.text for step in taken)
            others += options
        taken = (*taken, option.step)
        paths = [(path, move) for path, move in paths if path[depth].text == option.step.text]


def _options_after_steps(paths: Paths, taken: tuple[Step, ...]) -> tuple[Option, ...]:
    depth = len(taken)
    before = tuple(step.text for step in taken)
    seen: dict[str, Option] = {}
    for path, move in paths:
        step = path[depth]
        if step.text not in seen:
            whole = move if len(path) == depth + 1 else None
            seen[step.text] = Option(step, (*before, step.text), whole)
    return tuple(seen.values())


def _options_to_go_back(taken: tuple[Step, ...], options: tuple[Option, ...]) -> tuple[Option, ...]:
    depth = len(options[0].picks) - 1 if options else 0
    texts = tuple(step.text for step in taken)
    return tuple(Option(step, texts[:at], None) for at, step in enumerate(taken[:depth]))


# --- in any order ------------------------------------------------------------------------------------------


def _menu_in_any_order(paths: Paths, picks: tuple[str, ...]) -> Menu | None:
    """Returns the menu after these picks in any order; None if no move has them all.

    A step that all remaining moves have is taken, but is no pick: it gives way as soon as one of the picks does.
    """
    steps = _steps_in_order([path for path, _move in paths])
    bit = {text: 1 << at for at, text in enumerate(steps)}
    moves = {sum(bit[step.text] for step in path): (path, move) for path, move in paths}
    chosen, left = _picks_that_narrow([*moves], [bit.get(pick, 0) for pick in picks])
    if not left:
        return None
    certain = reduce(and_, left)
    path, move = moves[left[0]]
    own = [text for text in dict.fromkeys(picks) if bit[text] in chosen]

    def option(text: str) -> Option:
        """Returns the option of a step; where it does not fit, the oldest picks give way."""
        others = [pick for pick in own if pick != text]
        kept, _ = _picks_that_narrow([*moves], [bit[text], *(bit[pick] for pick in reversed(others))], skip=True)
        return Option(steps[text], (*(pick for pick in others if bit[pick] in kept), text), None)

    # Listed are the first step still open and what excludes it; of a whole move, the last pick and what excludes it.
    listed = next((text for text in steps if not bit[text] & certain and any(m & bit[text] for m in left)), None)
    if listed is None and own:
        listed = own[-1]
    beside: list[str] = []
    if listed is not None:
        beside = [t for t in steps if t == listed or not any(mask & bit[t] and mask & bit[listed] for mask in moves)]
    if len(left) > 1:
        beside = [text for text in beside if any(mask & bit[text] for mask in left)]
    return Menu(
        tuple(step for step in path if bit[step.text] & certain),
        tuple(map(option, beside)),
        move if len(left) == 1 else None,
        before=tuple(own[:-1]) if own else None,
        back=tuple(Option(steps[text], tuple(pick for pick in own if pick != text), None) for text in own),
        free=tuple(option(text) for text in steps if text not in beside and not bit[text] & certain),
    )


def _steps_in_order(paths: Sequence[tuple[Step, ...]]) -> dict[str, Step]:
    """Returns all steps by their text, each after those that come before it in a path."""
    steps = {step.text: step for path in paths for step in path}
    bit = {text: 1 << at for at, text in enumerate(steps)}
    earlier = dict.fromkeys(steps, 0)
    for path in paths:
        seen = 0
        for step in path:
            earlier[step.text] |= seen
            seen |= bit[step.text]
    return {text: steps[text] for text in sorted(steps, key=lambda text: earlier[text].bit_count())}


def _picks_that_narrow(moves: list[int], picks: Sequence[int], *, skip: bool = False) -> tuple[list[int], list[int]]:
    """Returns the picks that tell the moves apart, and the moves that have them all.

    With `skip`, a pick that no move has together with those before it is left out.
    """
    kept = []
    for pick in picks:
        found = [move for move in moves if pick and move & pick]
        if len(found) < len(moves) and (found or not skip):
            kept.append(pick)
            moves = found
    return kept, moves
