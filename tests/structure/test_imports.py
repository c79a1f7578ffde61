"""Every name is imported from the module that defines it, and none from a module of tests."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDERS = ("pbem", "workers", "tests", "benchmarks", "examples")


FOR_AUTHORS = "pbem.kit.game"
"""What authors of packages take all from, and none of our own code."""


def name_of(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


FILES = {name_of(path): path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py")}
OURS = {name for name in FILES if name.partition(".")[0] in ("pbem", "tests")}


IMPORT = re.compile(r"^[ \t]*(from (?:pbem|tests)[\w.]* import)\b(?: (\([^()]*\)|[^\n(]+))?", re.MULTILINE)
OFFERED = re.compile(r"^__all__ = (\[[^]]*\]|\([^)]*\))", re.MULTILINE)


class Module:
    """A module's imports from modules of pbem, the attributes that it reads of those, and its `__all__`.

    To parse all modules takes many seconds, so they are looked for in the text: what stands in a string counts, too. In
    an `exact` module it does not.
    """

    def __init__(self, path: Path, *, exact: bool = False) -> None:
        source = path.read_text(encoding="utf-8")
        nodes = list(ast.walk(ast.parse(source if exact else _imports(source))))
        self.imports = [
            (node.module, one.name, one.asname or one.name, one.asname)
            for node in nodes
            if isinstance(node, ast.ImportFrom) and node.module in OURS
            for one in node.names
        ]
        known = {here: f"{of}.{name}" for of, name, here, _ in self.imports if f"{of}.{name}" in OURS}
        read = _attributes(nodes) if exact else re.findall(rf"\b({'|'.join(known)})\.(\w+)", source) if known else []
        self.attributes = [(known[of], name) for of, name in read if of in known]
        self.offered = {str(name) for listed in OFFERED.findall(source) for name in ast.literal_eval(listed)}

    def names(self) -> Iterator[tuple[str, str, str]]:
        """Yields each imported name that is no module: its source, the name there, and the name here."""
        return ((of, name, here) for of, name, here, _ in self.imports if f"{of}.{name}" not in OURS)


def _imports(source: str) -> str:
    """Returns the statements that import from modules of pbem; the whole text where one of them is hard to read."""
    found = IMPORT.findall(source)
    return "\n".join(map(" ".join, found)) if all(names for _, names in found) else source


def _attributes(nodes: list[ast.AST]) -> list[tuple[str, str]]:
    return [
        (node.value.id, node.attr)
        for node in nodes
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
    ]


@pytest.fixture(scope="module")
def modules() -> dict[str, Module]:
    return {name: Module(path) for name, path in FILES.items()}


Taken = tuple[str, str, str]
"""The module that takes a name, the module that it takes it from, and the name."""


def names_taken_from(modules: dict[str, Module]) -> list[Taken]:
    return [
        (user, of, name)
        for user, module in modules.items()
        for of, name in [*((of, name) for of, name, _ in module.names()), *module.attributes]
    ]


def second_hand(modules: dict[str, Module], taken: list[Taken]) -> dict[Taken, str]:
    """Returns what is taken from a module that has only imported it, with the module that this one has it from."""
    handed_on = {(name, here): of for name, module in modules.items() for of, _, here in module.names()}
    return {one: handed_on[one[1:]] for one in taken if one[1] in OURS and one[1:] in handed_on}


def test_every_name_is_imported_from_the_module_that_defines_it(modules: dict[str, Module]) -> None:
    taken = names_taken_from(modules)
    assert len(taken) > 1000
    suspects = {name for user, of, _ in second_hand(modules, taken) for name in (user, of)}
    exact = {name: Module(FILES[name], exact=True) for name in suspects}
    wrong = second_hand(exact, names_taken_from(exact))
    assert [f"{user}: {name} is of {of}" for (user, _, name), of in wrong.items()] == []


def test_no_test_module_imports_from_another_test_module(modules: dict[str, Module]) -> None:
    test = re.compile(r"tests(\.\w+)*\.test_\w+")
    wrong = {
        f"{user}: {of}.{name}"
        for user, module in modules.items()
        for of, name, _, _ in module.imports
        if test.fullmatch(of) or test.fullmatch(f"{of}.{name}")
    }
    assert sorted(wrong) == []


@pytest.mark.long  # parses every module
def test_searching_the_text_finds_all_that_modules_import_and_read(modules: dict[str, Module]) -> None:
    for name, path in FILES.items():
        here, exact = modules[name], Module(path, exact=True)
        assert {*exact.imports} <= {*here.imports}, name
        assert {*exact.attributes} <= {*here.attributes}, name


def test_no_module_offers_what_it_has_imported(modules: dict[str, Module]) -> None:
    wrong = [
        f"{module}: {name}"
        for module in OURS
        # A test has the fixtures of another folder by importing them.
        if not module.startswith("tests.") and module != FOR_AUTHORS
        for of, name, here, alias in modules[module].imports
        if alias == name or here in modules[module].offered
    ]
    assert wrong == []
