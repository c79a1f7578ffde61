"""Legal moves as choices."""

from __future__ import annotations

from functools import partial
from typing import Any

from pbem.kit.codec import plain
from pbem.services.views.menus import Menu, Option, menu_after_picks, picks_of
from tests.services.chronicles.chronicle import Chronicle
from tests.table import House


def tell(house: House, told: Chronicle) -> None:
    _in_any_order(house, told)
    _in_order(house, told)


def _what_is_said(found: Menu) -> Any:
    """A menu in short: of options their step and their picks, of steps their text."""

    def options(some: tuple[Option, ...]) -> str:
        return " ".join(f"{one.step.text}[{','.join(one.picks)}]{'!' if one.move is not None else ''}" for one in some)

    said = {
        "taken": " ".join(found.picks_taken), "options": options(found.options), "back": options(found.back),
        "free": options(found.free), "others": options(found.others), "before": found.before, "lost": found.lost,
        "move": plain(found.move) if found.move is not None else None,
        "chosen": " ".join(one.step.text for one in found.options if {*one.picks} <= {*found.picks_taken}),
    }  # fmt: skip
    return _lines({name: value for name, value in said.items() if value not in ("", None, False)})


def _lines(said: dict[str, Any]) -> list[str]:
    """Each value in as many lines as it takes to show it whole."""
    lines = []
    for name, value in said.items():
        words, line = str(value).split(" "), f"{name}:"
        for word in words:
            if len(line) + len(word) >= 59:
                lines.append(line)
                line = " "
            line += f" {word}"
        lines.append(line)
    return lines


def _in_any_order(house: House, told: Chronicle) -> None:
    told.part("in any order")
    view = house.view(house.begin(2, "hexen-rennen"), 0)
    told.skip()
    whole = ("1-2", "1-5", "1-9", "2-3", "2-4", "2-10", "3-6", "3-7", "3-8")
    for picks in (
        (), ("3-7",), ("3-7", "1-2"), ("3-7", "1-2", "2-4"), ("3-7", "3-7"), ("1-2", "1-5", "1-9"), whole[:5],
        ("3-8", "3-7", "3-6", "1-2", "1-5"), whole[::-1], ("1-2", "2-2"), ("1-2", "1-3", "1-4", "1-5"), ("nonsense",),
    ):  # fmt: skip
        told.do(" ".join(picks) or "nothing", lambda picks=picks: _what_is_said(menu_after_picks(view, "en", picks)))  # type: ignore[misc]
    told.do("the picks of a move", lambda: picks_of(view.game, view, view.legal()[100]))


def _in_order(house: House, told: Chronicle) -> None:
    told.part("in order")
    match_id = house.begin(3, "hogen")
    for seat in range(3):
        house.play(match_id, seat)
    seat = house.asks(match_id)[0].seat
    view = house.view(match_id, seat)
    told.skip()
    told.do(
        "another's",
        lambda: _what_is_said(menu_after_picks(house.view(match_id, 1 - seat if seat < 2 else 0), "en", ())),
    )
    told.do("a spectator's", lambda: _what_is_said(menu_after_picks(house.view(match_id, None), "en", ())))
    shown = set[tuple[str, ...]]()
    for at in (0, 1, 5, -30, -1):
        picks = picks_of(view.game, view, view.legal()[at])
        for length in range(len(picks) + 1):
            some = picks[:length]
            if some not in shown:
                shown.add(some)
                told.do(f"{at}: {' '.join(some) or 'nothing'}", partial(_menu, view, some))
    told.do("without the first", partial(_menu, view, picks_of(view.game, view, view.legal()[-1])[1:]))
    told.do("nonsense", partial(_menu, view, ("nonsense",)))
    told.do("nonsense behind", partial(_menu, view, (*picks_of(view.game, view, view.legal()[-1])[:1], "nonsense")))
    match_id = house.begin(2, "niigata")
    view = house.view(match_id, house.asks(match_id)[0].seat)
    told.skip()
    told.do("a tile", partial(_menu, view, ()))


def _menu(view: Any, picks: tuple[str, ...]) -> Any:
    return _what_is_said(menu_after_picks(view, "en", picks))
