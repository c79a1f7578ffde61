"""Reports of small studies of toys, with every figure, stored in reports.txt.

    python -m tests.features.lab.reports

writes the file again. Matches follow from their seed, so the figures change only with what is counted or reckoned.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from pbem.features.lab.plans import NONE, PLANNER, TYPICAL, Chunk, Study, Variant
from pbem.features.lab.report import make_report, report_as_json
from pbem.features.lab.simulations import play_matches
from pbem.kit.contract import AnyGame
from tests.features.lab.toys import FAULTY, MENDED
from tests.kit.toys import IMAGINING, ORDERING

FILE = Path(__file__).with_name("reports.txt")
SEED = "5e" * 32
WIDE = 250

CARAVAN = Study("caravan", (2,), SEED, ("shrewd",), (Variant("faulty", {}), Variant("mended", {})))
RESTRICTED = Study("caravan", (2,), SEED, ("random", "shrewd"), without=("load G6", "sing"))
ORDERED = Study("ordering", (3,), SEED, ("loud", "random"), orders=(TYPICAL, NONE, PLANNER))
IMAGINED = Study("imagining", (3,), SEED, ("random",))
STUDIES: tuple[tuple[Study, int, Sequence[AnyGame]], ...] = (
    (CARAVAN, 120, (FAULTY, MENDED)),
    (RESTRICTED, 120, (FAULTY,)),
    (ORDERED, 24, (ORDERING,)),
    (IMAGINED, 12, (IMAGINING,)),
)
"""Each with the number of matches of a plan, and with the game of each variant."""


def figures_of_report(study: Study, matches: int, games: Sequence[AnyGame]) -> str:
    """Returns every figure of the study's report: each list or set of names in one line, if it is short enough."""
    game_of = dict(zip((variant.name for variant in study.variants), games, strict=True))
    ran = [(cell, play_matches(game_of[cell.variant], Chunk(cell.plan, 0, matches))) for cell in study.cells()]
    found = report_as_json(make_report(games[0], study, ran, verdict=("open", matches)))
    del found["study"]
    return "\n".join(_lines(found, ""))


def _lines(value: Any, indent: str) -> Iterator[str]:
    for name, one in value.items() if isinstance(value, dict) else enumerate(value):
        whole = _in_a_line(one)
        if not isinstance(one, dict | list) or len(indent) + len(str(name)) + len(whole) < WIDE:
            yield f"{indent}{name}: {whole}"
        else:
            yield f"{indent}{name}:"
            yield from _lines(one, indent + "  ")


def _in_a_line(value: Any) -> str:
    match value:
        case {"value": number, "low": low, "high": high, **of} if of.keys() <= {"of"}:
            return f"{number} ({low} to {high})" + (f" of {of['of']}" if of else "")
        case dict():
            return "; ".join(f"{name}: {_in_a_line(one)}" for name, one in value.items()) or "nothing"
        case list():
            return "[" + ", ".join(map(_in_a_line, value)) + "]"
    return str(value)


def what_is_stored() -> list[str]:
    """Returns what the file holds of each study."""
    return FILE.read_text("utf-8").removesuffix("\n").split("\n\n")[1:]


if __name__ == "__main__":
    told = "".join(f"\n\n{figures_of_report(*study)}" for study in STUDIES)
    FILE.write_text(f"Written by python -m tests.features.lab.reports{told}\n", "utf-8")
