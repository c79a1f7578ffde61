"""What an element draws, with which paint."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeAlias

import skia

from pbem.render.raster.elements import (
    element_box,
    parse_known_attributes,
    parse_numbers,
    parse_path_commands,
    parse_transforms,
)
from pbem.render.raster.styles import Style, argb_colour

Stroke: TypeAlias = tuple[Callable[..., None], Any, skia.Paint]
"""A method of the canvas, with its geometry and its paint."""

_CAPS = {"butt": skia.Paint.kButt_Cap, "round": skia.Paint.kRound_Cap, "square": skia.Paint.kSquare_Cap}
_JOINS = {"miter": skia.Paint.kMiter_Join, "round": skia.Paint.kRound_Join, "bevel": skia.Paint.kBevel_Join}
_MITRE = 4.0
"""SVG's own limit for a pointed corner."""


@lru_cache(4096)
def fill_and_outline_strokes(tag: str, written: str, style: Style) -> tuple[Stroke, ...]:
    """Returns how to draw this shape: its area and its outline, each if it has a colour."""
    method, geometry = _SHAPES[tag](parse_known_attributes(tag, written))
    return tuple((method, geometry, paint) for paint in fill_and_outline_paints(style) if paint is not None)


@lru_cache(1024)
def fill_and_outline_paints(style: Style) -> tuple[skia.Paint | None, skia.Paint | None]:
    """Returns the paints of the area and of the outline; None if it has none.

    The opacity of the whole is in the paint if only one of them is drawn; otherwise the caller applies it.
    """
    alone = style.fill == "none" or style.stroke == "none"
    whole = float(style.opacity) if alone else 1.0
    area = outline = None
    if style.fill != "none":
        colour = argb_colour(style.fill, whole * float(style.fill_opacity), style.color)
        area = skia.Paint(AntiAlias=True, Color=colour)
    if style.stroke != "none" and float(style.stroke_width) > 0:
        outline = skia.Paint(
            AntiAlias=True, Style=skia.Paint.kStroke_Style,
            Color=argb_colour(style.stroke, whole * float(style.stroke_opacity), style.color),
            StrokeWidth=float(style.stroke_width), StrokeMiter=_MITRE,
            StrokeCap=_CAPS[style.stroke_linecap], StrokeJoin=_JOINS[style.stroke_linejoin],
        )  # fmt: skip
        if style.stroke_dasharray != "none":
            lengths = parse_numbers(style.stroke_dasharray)
            outline.setPathEffect(skia.DashPathEffect.Make(lengths * (1 + len(lengths) % 2), 0))
    return area, outline


def bounds_with_outline(geometry: Any, outline: float) -> skia.Rect:
    """Returns where a shape is, with its outline of this width."""
    frame = geometry if isinstance(geometry, skia.Rect) else geometry.getBounds()
    return frame.makeOutset(outline * _MITRE, outline * _MITRE)


@lru_cache(2048)
def transform_matrix(said: str) -> skia.Matrix:
    """Returns the matrix of a `transform`. Raises ValueError for one that pictures do not know."""
    made = skia.Matrix()
    for step, values in parse_transforms(said):
        if step == "translate":
            made.preTranslate(values[0], values[1] if len(values) > 1 else 0)
        elif step == "scale":
            made.preScale(values[0], values[-1])
        else:
            made.preRotate(*values)
    return made


# --- geometry -------------------------------------------------------------------------------------

Shape: TypeAlias = tuple[Callable[..., None], Any]


def _rectangle_shape(given: Mapping[str, str]) -> Shape:
    frame = skia.Rect.MakeXYWH(*element_box(given))
    if radius := float(given.get("rx", 0)):
        return skia.Canvas.drawRRect, skia.RRect.MakeRectXY(frame, radius, radius)
    return skia.Canvas.drawRect, frame


def _oval_shape(given: Mapping[str, str]) -> Shape:
    x, y = (float(given.get(name, 0)) for name in ("cx", "cy"))
    wide, high = (float(given["r"]),) * 2 if "r" in given else (float(given["rx"]), float(given["ry"]))
    return skia.Canvas.drawOval, skia.Rect.MakeLTRB(x - wide, y - high, x + wide, y + high)


_SHAPES: dict[str, Callable[[Mapping[str, str]], Shape]] = {
    "rect": _rectangle_shape, "circle": _oval_shape, "ellipse": _oval_shape,
    "path": lambda given: (skia.Canvas.drawPath, skia_path_of_commands(given["d"])),
}  # fmt: skip


@dataclass
class _Pen:
    """A path as far as it is drawn, where the pen is, and where a smooth curve goes on from."""

    path: skia.Path
    x: float = 0.0
    y: float = 0.0
    start: tuple[float, float] = (0.0, 0.0)
    towards: tuple[float, float] | None = None


def skia_path_of_commands(said: str) -> skia.Path:
    """Returns the path with these commands. Raises ValueError for one that pictures do not know."""
    pen = _Pen(skia.Path())
    for command, values in parse_path_commands(said):
        _add_command_to_path(pen, command, values)
    return pen.path


def _add_command_to_path(pen: _Pen, command: str, values: list[float]) -> None:
    name = command.upper()
    x, y = (pen.x, pen.y) if command.islower() else (0.0, 0.0)
    if name == "Z":
        pen.path.close()
        pen.x, pen.y = pen.start
    elif name == "A":
        wide, high, turned, large, clockwise, to_x, to_y = values
        size = skia.Path.kLarge_ArcSize if large else skia.Path.kSmall_ArcSize
        direction = skia.PathDirection.kCW if clockwise else skia.PathDirection.kCCW
        pen.path.arcTo(wide, high, turned, size, direction, to_x + x, to_y + y)
        pen.x, pen.y = to_x + x, to_y + y
    elif name in "HV":
        pen.x, pen.y = (values[0] + x, pen.y) if name == "H" else (pen.x, values[0] + y)
        pen.path.lineTo(pen.x, pen.y)
    else:
        _extend_path_through_points(pen, name, [(values[n] + x, values[n + 1] + y) for n in range(0, len(values), 2)])
        return
    pen.towards = None


def _extend_path_through_points(pen: _Pen, name: str, points: list[tuple[float, float]]) -> None:
    """Draws what leads through points."""
    if name == "S":
        to_x, to_y = pen.towards or (pen.x, pen.y)
        points = [(2 * pen.x - to_x, 2 * pen.y - to_y), *points]
    flat = [value for point in points for value in point]
    draw = {"M": pen.path.moveTo, "L": pen.path.lineTo, "Q": pen.path.quadTo}.get(name, pen.path.cubicTo)
    draw(*flat)
    pen.x, pen.y = points[-1]
    if name == "M":
        pen.start = points[-1]
    pen.towards = points[1] if name in "CS" else None
