"""The rooms of the services: each says in its docstring what it holds, and the contract orders all of them."""

from __future__ import annotations

import ast
import re
import tomllib
from pathlib import Path

import pytest

SERVICES = Path(__file__).parents[2] / "pbem" / "services"
ROOMS = sorted(path.parent for path in SERVICES.glob("*/__init__.py"))
LISTED = re.compile(r"^(\w+)  +\S", re.MULTILINE)
MOST = 20


def modules(room: Path) -> set[str]:
    return {path.stem for path in room.glob("*.py")} - {"__init__"}


def docstring(room: Path) -> str:
    return ast.get_docstring(ast.parse((room / "__init__.py").read_text())) or ""


def use_cases(module: Path) -> list[str]:
    """The public functions of a module whose first argument is the site, in their order."""
    functions = [node for node in ast.parse(module.read_text()).body if isinstance(node, ast.FunctionDef)]
    public = [one for one in functions if not one.name.startswith("_")]
    return [one.name for one in public if one.args.args and one.args.args[0].arg == "site"]


@pytest.mark.parametrize("room", ROOMS, ids=lambda room: str(room.name))
def test_a_room_lists_its_modules_and_their_use_cases(room: Path) -> None:
    said = docstring(room)
    names = LISTED.findall(said)
    assert sorted(names) == sorted(modules(room))
    for name, after in zip(names, LISTED.split(said)[2::2], strict=True):
        listed = " ".join(line for line in after.splitlines()[1:] if line.startswith(" "))
        assert re.findall(r"\w+", listed) == use_cases(room / f"{name}.py"), name


def test_the_services_list_their_rooms_and_what_stands_beside_them() -> None:
    names = LISTED.findall(docstring(SERVICES))
    assert sorted(names) == sorted({room.name for room in ROOMS} | modules(SERVICES))


def test_the_contract_orders_every_room_as_the_list_does() -> None:
    contracts = tomllib.loads((SERVICES.parents[1] / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    (layers,) = (one["layers"] for one in contracts if one["name"] == "Rooms of the services")
    ordered = [name.strip().removeprefix("pbem.services.") for layer in layers for name in re.split(r"[|:]", layer)]
    rooms = {room.name for room in ROOMS}
    assert sorted(one for one in ordered if one in rooms) == sorted(rooms)
    listed = [name for name in LISTED.findall(docstring(SERVICES)) if name in rooms]
    assert [one for one in reversed(ordered) if one in rooms] == listed


@pytest.mark.parametrize("room", [SERVICES, *ROOMS], ids=lambda room: str(room.name))
def test_no_room_holds_too_much(room: Path) -> None:
    assert len(modules(room)) <= MOST
