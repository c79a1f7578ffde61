"""The drawn scores: lines that differ in more than colour, marks that do not cover each other."""

from __future__ import annotations

import re
from itertools import pairwise

from pbem.features.curve import Curve
from pbem.games.hexen_rennen import GAME as HEXEN_RENNEN
from pbem.games.hogen import GAME

NAMES = ("Alice", "Bob", "Carol")
POINTS = [(0, (0, 0, 0)), (1, (1, -2, 3)), (2, (5, 5, 5))]


def draw_curve(curve: Curve, names: tuple[str, ...] = NAMES) -> str:
    return str(curve.svg(names))


def places_of_symbols(svg: str, symbol: str) -> list[tuple[float, float]]:
    """Returns where the symbols stand whose names begin so."""
    return [
        (float(x), float(y)) for x, y in re.findall(rf'<use href="#{symbol}[^"]*" x="([-.\d]+)" y="([-.\d]+)"', svg)
    ]


def test_lines_of_the_score_curve_differ_in_dashes_and_the_winners_is_bold() -> None:
    svg = draw_curve(Curve(GAME.meta.seat_marks, POINTS, winners=(1,)))
    lines = re.findall(r'<polyline class="cl (c\d)"[^>]*stroke-width="([.\d]+)"( stroke-dasharray="[^"]+")?', svg)
    assert {colour: width for colour, width, _ in lines} == {"c1": "2.5", "c2": "4", "c3": "2.5"}
    assert len({dashes for _, _, dashes in lines}) == len(NAMES)
    assert lines[-1][0] == "c2", "the winner's line is drawn last"


def test_seat_marks_of_equal_scores_do_not_overlap_on_the_curve() -> None:
    for scores in ((5, 5, 5), (0, 0, 0), (9, 0, 0), (-3, -3, 8)):
        heights = sorted(
            y
            for _, y in places_of_symbols(
                draw_curve(Curve(GAME.meta.seat_marks, [(0, (0, 0, 0)), (1, scores)])), "seat-"
            )
        )
        assert all(below - above >= 21.9 for above, below in pairwise(heights)), scores
        assert heights[0] >= 0
        assert heights[-1] <= 230


def test_turning_points_on_the_curve_do_not_overlap_and_are_numbered() -> None:
    svg = draw_curve(Curve(GAME.meta.seat_marks, POINTS, spots=[(1, 2), (1, 2), (2, 0)]))
    spots = places_of_symbols(svg, "spot")
    assert len(spots) == 3
    assert len({*spots}) == 3
    (x1, y1), (x2, y2), _ = spots
    assert x1 == x2
    assert abs(y1 - y2) >= 22
    assert re.findall(r'<text class="pa b m"[^>]*>(\d)</text>', svg) == ["1", "2", "3"]


def test_names_in_the_curves_text_for_screen_readers_are_escaped() -> None:
    svg = draw_curve(Curve(GAME.meta.seat_marks, POINTS, label='At the end: <b>"{0}"'))
    assert 'aria-label="At the end: &lt;b&gt;&quot;&#123;0&#125;&quot;"' in svg
    assert 'role="img"' in svg


def test_a_negative_score_on_the_curve_has_a_true_minus_sign() -> None:
    svg = draw_curve(Curve(GAME.meta.seat_marks, [(0, (0, 0, 0)), (1, (4, -2, 1))]))
    assert ">−2<" in svg
    assert ">-2<" not in svg


def test_the_seats_of_a_game_with_marks_of_its_own_have_them_on_the_curve() -> None:
    svg = draw_curve(Curve(HEXEN_RENNEN.meta.seat_marks, POINTS))
    assert "seat-" not in svg
    for seat in range(len(NAMES)):
        mark = HEXEN_RENNEN.meta.seat_marks[seat]
        assert f'href="#{mark.symbol}"' in svg
        assert f'<polyline class="cl {mark.colour}"' in svg


def test_scores_that_change_at_once_are_drawn_as_steps() -> None:
    svg = draw_curve(Curve(GAME.meta.seat_marks, [(0, (0, 0, 0)), (8, (5, 0, 0)), (9, (6, 0, 0))], steps=True))
    line = re.findall(r'<polyline class="cl c1" points="([^"]+)"', svg)[0]
    points = [tuple(map(float, point.split(","))) for point in line.split()]
    assert all(x == to_x or y == to_y for (x, y), (to_x, to_y) in pairwise(points))
