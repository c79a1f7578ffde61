"""The chapters: each is a module below with a function `tell`, and its chronicle in a file of its name.

A folder of chapters is named for the room of the services that they are about. Those about a feature are in the folder
`chronicles` of its tests.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

from tests.services.chronicles.chronicle import Chronicle
from tests.table import open_house

TESTS = Path(__file__).parents[2]
FILES = {
    **{f"{file.parent.name}/{file.stem}": file for file in Path(__file__).parent.glob("*/*.py")},
    **{f"{file.parts[-3]}/{file.stem}": file for file in TESTS.glob("features/*/chronicles/*.py")},
}
"""The module of each chapter, by its room or feature and its own name."""
NAMES = sorted(FILES)


def play_chapter(name: str, database_url: str, data: Path) -> str:
    """Returns the chronicle of a chapter, played on this database; `SETTINGS` of its module are those of the house."""
    module = FILES[name].relative_to(TESTS.parent).with_suffix("")
    chapter: Any = import_module(".".join(module.parts))
    for house in open_house(database_url, data, **getattr(chapter, "SETTINGS", {})):
        told = Chronicle(house)
        chapter.tell(house, told)
    return "\n".join(told.lines).strip() + "\n"
