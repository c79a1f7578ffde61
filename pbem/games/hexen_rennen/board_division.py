"""The division of the viewer's nine numbers, drawn in place of the course until it is laid."""

from pbem.games.hexen_rennen import words
from pbem.games.hexen_rennen.board_tiles import SIDE, dashed, tile
from pbem.games.hexen_rennen.board_view import View
from pbem.games.hexen_rennen.facts import CLANS, NUMBERS, STAGES, SYMBOL
from pbem.kit.contract import Link
from pbem.kit.drawing.svg import box, linked, moved, number, seal, symbol, text

_BAND, _BETWEEN, _TOP = 60, 26, 84
_LARGE = 1.14
"""Tiles are larger than on the course: each can be touched."""


def division(view: View) -> tuple[str, float]:
    """Draws the stages with the viewer's numbers, below them the numbers that are left; returns the lower edge, too."""
    placed = _stages_of(view)
    parts, y = [], float(_TOP)
    for stage in range(1, STAGES + 1):
        parts.append(_stage(view, stage, y, [n for n, where in sorted(placed.items()) if where == stage]))
        y += _BAND
        if stage < STAGES:
            parts.append(symbol("broom", 60, y + 2, 260, 22))
            y += _BETWEEN
    if view.viewer is None or (view.fold.divided[view.viewer] and not view.scene.chosen):
        return "".join(parts), y + 12
    parts.append(text("nt b", 0, y + 26, words.YOUR_TILES[view.lang], 15))
    parts += [
        _free_number(view, n, at, y + 34) for at, n in enumerate(NUMBERS) if n not in placed or _is_sealed(view, n)
    ]
    return "".join(parts), y + 40 + 2 * 58


def _stages_of(view: View) -> dict[int, int]:
    """Returns the stage of each placed number: chosen step by step, or as the fold knows it."""
    steps = (step.partition("-") for step in view.scene.chosen)
    placed = {int(n): int(stage) for stage, _, n in steps if stage.isdigit()}
    if view.viewer is not None:
        for stage, numbers in enumerate(view.fold.stages[view.viewer] or (), 1):
            placed |= {n: stage for n in numbers if n is not None}
    return placed


def _is_sealed(view: View, n: int) -> bool:
    """Returns whether the viewer has just placed the number."""
    return any(step.endswith(f"-{n}") for step in view.scene.chosen)


def _link(view: View, n: int) -> Link | None:
    """Returns where touching a number leads; None for the choice just made."""
    links, chosen = view.scene.links, view.scene.chosen
    steps = (f"{stage}-{n}" for stage in range(1, STAGES + 1))
    return next((links[step] for step in steps if step in links and step not in chosen), None)


def _stage(view: View, stage: int, y: float, numbers: list[int]) -> str:
    """Draws a stage: its road with three places and the symbol that always lies there."""
    first = 16 * (stage - 1) + 1
    road = f'<path class="pt" d="M108,{number(y + 28)} H326" stroke-width="34" stroke-linecap="round"/>'
    parts = [
        road,
        text("nt b", 0, y + 24, words.STAGE[view.lang].format(stage), 15),
        text("nt", 0, y + 42, words.TILES_OF_STAGE[view.lang].format(first, first + 15)),
    ]
    for at in range(3):
        x = 100 + 62.0 * at
        if at < len(numbers):
            parts.append(_placed_number(view, numbers[at], x, y))
        else:
            parts.append(dashed("hl", x + 1, y + 3, 48, 48))
    if view.viewer is not None:
        parts.append(_tile(f"{CLANS[view.viewer]}{SYMBOL}", 100 + 62.0 * 3, y + 2))
    return "".join(parts)


def _placed_number(view: View, n: int, x: float, y: float) -> str:
    """Draws a number in its stage: framed and sealed if the viewer has placed it, a link if it may go elsewhere."""
    drawn = _tile(_name(view, n), x, y + 2)
    sealed = _is_sealed(view, n)
    if sealed:
        drawn += seal(x + 34, y - 5, 20)
    link = _link(view, n)
    if link is None and sealed:
        return _frame("se", x, y + 2) + drawn
    return linked(drawn, link, _frame("tg", x, y + 2))


def _free_number(view: View, n: int, at: int, y: float) -> str:
    """Draws a number that has no stage yet; a dashed frame for one that has just been placed."""
    x, top = 60.0 * (at % 5) + (32 if at > 4 else 2), y + 58 * (at // 5)
    if _is_sealed(view, n):
        return dashed("sl", x + 1, top + 1, 48, 48)
    return linked(_tile(_name(view, n), x, top), _link(view, n), _frame("tg", x, top))


def _name(view: View, n: int) -> str:
    return f"{CLANS[view.viewer or 0]}{n}"


def _frame(classes: str, x: float, y: float) -> str:
    return box(classes, x - 2, y - 2, SIDE * _LARGE + 4, SIDE * _LARGE + 9, 9)


def _tile(value: str, x: float, y: float) -> str:
    """Draws a tile, somewhat larger than on the course."""
    return moved(tile(value, 0, 0, None), x, y, str(_LARGE))
