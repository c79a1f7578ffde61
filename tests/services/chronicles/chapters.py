"""The chapters: each is a module below with a function `tell`, and its chronicle in a file of its name.

A folder of chapters is named for the room of the services that they are about.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

from tests.services.chronicles.chronicle import Chronicle
from tests.table import open_house

FOLDER = Path(__file__).parent
NAMES = sorted(file.relative_to(FOLDER).with_suffix("").as_posix() for file in FOLDER.glob("*/*.py"))


def chronicle(name: str, database_url: str, data: Path) -> str:
    """Returns the chronicle of a chapter, played on this database; `SETTINGS` of its module are those of the house."""
    chapter: Any = import_module(f"{__package__}.{name.replace('/', '.')}")
    for house in open_house(database_url, data, **getattr(chapter, "SETTINGS", {})):
        told = Chronicle(house)
        chapter.tell(house, told)
    return "\n".join(told.lines).strip() + "\n"
