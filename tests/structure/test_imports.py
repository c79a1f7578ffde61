"""Every name of pbem and of its tests is imported from the module that defines it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDERS = ("pbem", "workers", "tests", "benchmarks", "examples")


def named(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


FILES = {named(path): path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py")}
OURS = {name for name in FILES if name.partition(".")[0] in ("pbem", "tests")}


class Module:
    """A module's imports from modules of pbem, the attributes that it reads of those, and its `__all__`."""

    def __init__(self, path: Path) -> None:
        tree = ast.parse(path.read_text())
        nodes = list(ast.walk(tree))
        self.imports = [
            (node.module, one.name, one.asname or one.name, one.asname)
            for node in nodes
            if isinstance(node, ast.ImportFrom) and node.module in OURS
            for one in node.names
        ]
        known = {here: f"{of}.{name}" for of, name, here, _ in self.imports if f"{of}.{name}" in OURS}
        self.attributes = [
            (known[node.value.id], node.attr)
            for node in nodes
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in known
        ]
        self.offered = {str(name) for node in tree.body for name in _offered(node)}

    def names(self) -> Iterator[tuple[str, str, str]]:
        """Yields each imported name that is no module: its source, the name there, and the name here."""
        return ((of, name, here) for of, name, here, _ in self.imports if f"{of}.{name}" not in OURS)


def _offered(node: ast.stmt) -> list[str]:
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and node.targets[0].id == "__all__":
        return list(ast.literal_eval(node.value))
    return []


@pytest.fixture(scope="module")
def modules() -> dict[str, Module]:
    return {name: Module(path) for name, path in FILES.items()}


def test_nobody_takes_a_name_from_a_module_that_has_only_imported_it(modules: dict[str, Module]) -> None:
    handed_on = {(module, here): of for module in OURS for of, _, here in modules[module].names()}
    taken = [
        (user, of, name)
        for user, module in modules.items()
        for of, name in [*((of, name) for of, name, _ in module.names()), *module.attributes]
    ]
    assert len(taken) > 1000
    wrong = [f"{user}: {name} is of {handed_on[of, name]}" for user, of, name in taken if (of, name) in handed_on]
    assert wrong == []


def test_no_module_offers_what_it_has_imported(modules: dict[str, Module]) -> None:
    wrong = [
        f"{module}: {name}"
        for module in OURS
        # A test has the fixtures of another folder by importing them.
        if not module.startswith("tests.")
        for of, name, here, alias in modules[module].imports
        if alias == name or here in modules[module].offered
    ]
    assert wrong == []
