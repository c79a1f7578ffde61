"""The rooms of pbem: each lists its content in its docstring, and the contract orders those of the services."""

from __future__ import annotations

import ast
import re
import tomllib
from pathlib import Path

from tests.harness.cases import cases

ROOT = Path(__file__).parents[2]
SERVICES, FACES = ROOT / "pbem" / "services", [ROOT / "pbem" / "api", ROOT / "pbem" / "web"]
FEATURES = ROOT / "pbem" / "features"
ROOMS = sorted(path.parent for path in SERVICES.glob("*/__init__.py"))
OF_FEATURES = sorted(path.parent for path in [*FEATURES.glob("*/__init__.py"), *FEATURES.glob("*/*/__init__.py")])
KIT = ROOT / "pbem" / "kit"
HOUSES = [SERVICES, *FACES, KIT]
FACE_ROOMS = sorted(path.parent for face in FACES for path in face.glob("*/__init__.py"))
BOARDS = sorted(path.parent for path in (ROOT / "pbem" / "games").glob("*/board/__init__.py"))
OTHERS = [ROOT / "pbem" / "run", *sorted(path.parent for path in KIT.glob("*/__init__.py")), *BOARDS]
LISTED = re.compile(r"^(\w+)  +\S", re.MULTILINE)
TOPS = ("pbem", "workers", "tests", "benchmarks", "examples")
MOST = 20
COUNTED_ELSEWHERE = {SERVICES / "mail" / "kinds"}
"""Kinds of mails are no rooms: tests/mail/test_kinds.py says how many there may be."""


def modules_in_room(room: Path) -> set[str]:
    return {path.stem for path in room.glob("*.py")} - {"__init__"}


def name_of(room: Path) -> str:
    return str(room.relative_to(ROOT / "pbem"))


def docstring_of_room(room: Path) -> str:
    return ast.get_docstring(ast.parse((room / "__init__.py").read_text())) or ""


def use_cases(module: Path) -> list[str]:
    """Returns the public functions of a module whose first argument is the site, in order."""
    functions = [node for node in ast.parse(module.read_text()).body if isinstance(node, ast.FunctionDef)]
    public = [one for one in functions if not one.name.startswith("_")]
    return [one.name for one in public if one.args.args and one.args.args[0].arg == "site"]


@cases("room", [*ROOMS, *OF_FEATURES])
def test_a_packages_docstring_lists_its_modules_and_use_cases(room: Path) -> None:
    said = docstring_of_room(room)
    names = LISTED.findall(said)
    assert sorted(names) == sorted(modules_in_room(room))
    for name, after in zip(names, LISTED.split(said)[2::2], strict=True):
        listed = " ".join(line for line in after.splitlines()[1:] if line.startswith(" "))
        assert re.findall(r"\w+", listed) == use_cases(room / f"{name}.py"), name


@cases("room", [*FACE_ROOMS, *OTHERS])
def test_a_package_without_use_cases_lists_its_modules(room: Path) -> None:
    assert sorted(LISTED.findall(docstring_of_room(room))) == sorted(modules_in_room(room))


@cases("house", HOUSES)
def test_a_layers_docstring_lists_its_packages_and_modules(house: Path) -> None:
    rooms = {path.parent.name for path in house.glob("*/__init__.py")}
    assert sorted(LISTED.findall(docstring_of_room(house))) == sorted(rooms | modules_in_room(house))


@cases("face", FACES)
def test_packages_of_pages_and_api_are_named_like_those_of_the_services(face: Path) -> None:
    own = {"protocol", "docs"}
    assert {room.parent.name for room in face.glob("*/__init__.py")} - own <= {room.name for room in ROOMS}


def test_the_import_contract_orders_packages_as_the_docstring_lists_them() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    (layers,) = (one["layers"] for one in contracts if one["name"] == "Rooms of the services")
    ordered = [name.strip() for layer in layers for name in re.split(r"[|:]", layer)]
    rooms = {room.name for room in ROOMS}
    assert sorted(one for one in ordered if one in rooms) == sorted(rooms)
    listed = [name for name in LISTED.findall(docstring_of_room(SERVICES)) if name in rooms]
    assert [one for one in reversed(ordered) if one in rooms] == listed


def test_no_folder_holds_more_than_twenty_modules() -> None:
    folders = {path.parent for top in TOPS for path in (ROOT / top).rglob("*.py")}
    files = {folder: modules_in_room(folder) for folder in folders}
    files |= {
        folder: {path.name for path in folder.iterdir()}
        for static in (ROOT / "pbem" / "web" / "static", *FEATURES.glob("*/static"))
        for folder in [static, *static.rglob("*")]
        if folder.is_dir()
    }
    counted = {folder: held for folder, held in files.items() if folder not in COUNTED_ELSEWHERE}
    assert {str(one.relative_to(ROOT)): len(held) for one, held in counted.items() if len(held) > MOST} == {}
