"""What docs/architecture.md draws: the rooms, from import contracts and docstrings, and who uses which hook.

`make architecture` writes both again; a test compares them with the page.
"""

from __future__ import annotations

import ast
import re
import tomllib
from dataclasses import fields
from pathlib import Path

from pbem.discovery import packages_of_features
from pbem.services.hooks import Hooks, hooks_of, requests_of, tasks_of

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "architecture.md"
ROOMS = "<!-- rooms: written by `make architecture` -->\n", "<!-- end of rooms -->\n"
HOOKS = "<!-- hooks: written by `make architecture` -->\n", "<!-- end of hooks -->\n"
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


def table_of_hooks() -> str:
    """Returns the hooks, and the modules that are hooks, each with the features of pbem that answer it."""
    names = sorted(packages_of_features())
    unused = Hooks()
    users = {
        one.name: [
            name
            for name in names
            for hooks in hooks_of((name,))
            if _is_used(getattr(hooks, one.name), unused, one.name)
        ]
        for one in fields(Hooks)
    }
    users["TASKS"] = [name for name in names if tasks_of((name,))]
    users["REQUESTS"] = [name for name in names if requests_of((name,))]
    rows = [f"| `{hook}` | {', '.join(found)} |" for hook, found in users.items()]
    return "\n".join(["| hook | features that answer it |", "|---|---|", *rows]) + "\n"


def _is_used(answer: object, unused: Hooks, hook: str) -> bool:
    default = getattr(unused, hook)
    return answer is not default and answer != default


def parts_of_page() -> dict[tuple[str, str], str]:
    """Returns what stands in the page between two lines, by these."""
    return {ROOMS: picture_of_layers(), HOOKS: table_of_hooks()}


def main() -> None:
    """Writes the picture and the table into the page."""
    text = PAGE.read_text()
    for (begin, end), drawn in parts_of_page().items():
        before, _, rest = text.partition(begin)
        text = before + begin + drawn + end + rest.partition(end)[2]
    PAGE.write_text(text)


if __name__ == "__main__":
    main()
