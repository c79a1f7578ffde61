"""The picture of the rooms in docs/architecture.md, made from the import contracts and the rooms' docstrings.

`make architecture` writes it again; a test compares it with the page.
"""

from __future__ import annotations

import ast
import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "architecture.md"
BEGIN, END = "<!-- rooms: written by `make architecture` -->\n", "<!-- end of rooms -->\n"
HOUSES = {"pbem.services": "Rooms of the services", "pbem.api": "Rooms of the API", "pbem.web": "Rooms of the pages"}
"""The packages that have rooms, each with the contract that orders them."""


def layers_of_contract(contract: str) -> list[list[str]]:
    """Returns the layers of the contract with this name, the highest first, each with its modules."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    (found,) = (one["layers"] for one in contracts if one["name"] == contract)
    return [re.split(r"\s*[|:]\s*", layer) for layer in found]


def first_sentence(module: str) -> str:
    """Returns the first sentence of the module's docstring."""
    path = ROOT / module.replace(".", "/")
    source = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    said = (ast.get_docstring(ast.parse(source.read_text())) or "").replace("\n", " ")
    return re.split(r"\. |\.$", said)[0]


def picture_of_layers() -> str:
    """Returns the layers of pbem from the top down, with their rooms, if any; imports only go down."""
    rows = list[str]()
    for modules in layers_of_contract("Arrows point down"):
        for module in modules:
            rows.append(f"{module:<24}{first_sentence(module)}")
            folder = ROOT / module.replace(".", "/")
            there = {path.parent.name for path in folder.glob("*/__init__.py")}
            order = layers_of_contract(HOUSES[module]) if module in HOUSES else []
            rows += [
                f"    .{room:<19}{first_sentence(f'{module}.{room}')}"
                for rooms in order
                for room in rooms
                if room in there
            ]
        rows.append("-" * 24)
    return "```\n" + "\n".join(rows[:-1]) + "\n```\n"


def main() -> None:
    """Writes the picture into the page."""
    before, _, rest = PAGE.read_text().partition(BEGIN)
    PAGE.write_text(before + BEGIN + picture_of_layers() + END + rest.partition(END)[2])


if __name__ == "__main__":
    main()
