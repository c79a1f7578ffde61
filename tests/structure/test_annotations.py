"""No class binds a name that an annotation in it reads: from Python 3.14 on the annotation would mean the class's name.

Annotations are evaluated when somebody asks for them, and by then the class has all its names. Earlier Pythons evaluate
each where it stands, so the rule can be broken there without anything failing.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from tests.harness.cases import cases

ROOT = Path(__file__).parents[2]
FILES = sorted(
    path for folder in ("pbem", "workers", "tests", "benchmarks", "examples") for path in (ROOT / folder).rglob("*.py")
)
SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)


def in_the_body(nodes: list[ast.stmt]) -> Iterator[ast.AST]:
    """Yields what stands in a class itself, in its branches and loops as well, but not in its functions and classes."""
    waiting: list[ast.AST] = [*nodes]
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, SCOPES):
            waiting += ast.iter_child_nodes(node)


def name_bound(node: ast.AST) -> str | None:
    """Returns the name that the node binds in its class: a field without a value is one as well."""
    match node:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return name
        case ast.Name(id=name, ctx=ast.Store()):
            return name
        case ast.alias(name=name, asname=asname):
            return asname or name.partition(".")[0]
        case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
            return name
        case _:
            return None


def annotations_of(node: ast.AST) -> list[ast.expr]:
    """Returns the annotations of a field or of a function in the class."""
    match node:
        case ast.AnnAssign(annotation=said):
            return [said]
        case ast.FunctionDef(args=args, returns=returns) | ast.AsyncFunctionDef(args=args, returns=returns):
            every = [*args.posonlyargs, *args.args, *args.kwonlyargs, args.vararg, args.kwarg]
            return [said for said in [*(one.annotation for one in every if one), returns] if said is not None]
        case _:
            return []


def names_read(said: ast.expr) -> Iterator[str]:
    """Yields the names that an annotation reads, also where it is a text."""
    for node in ast.walk(said):
        if isinstance(node, ast.Name):
            yield node.id
        elif node is said and isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from (one.id for one in ast.walk(ast.parse(node.value, mode="eval")) if isinstance(one, ast.Name))


def find_shadowed(source: str) -> list[str]:
    """Returns "class.name" for each name of a class that an annotation in it reads."""
    found = []
    for kind in ast.walk(ast.parse(source)):
        if isinstance(kind, ast.ClassDef):
            nodes = [*in_the_body(kind.body)]
            own = {name_bound(node) for node in nodes}
            names = {name for node in nodes for said in annotations_of(node) for name in names_read(said)}
            found += [f"{kind.name}.{name}" for name in sorted(names & own)]
    return found


def test_no_class_attribute_shadows_a_name_its_annotations_use() -> None:
    found = {
        str(path.relative_to(ROOT)): hidden
        for path in FILES
        if "class " in (source := path.read_text(encoding="utf-8")) and (hidden := find_shadowed(source))
    }
    assert found == {}, "take the annotation out of the class, under a name of its own"


@cases(
    "body",
    [
        "to: int\n    card: Annotated[int, to('to')]",
        "card: Annotated[int, to('to')]\n    to: int = 1",
        "date: date",
        "def to(self) -> None: ...\n    card: to",
        "def list(self) -> list[int]: ...",
        "to = 1\n    def give(self, card: to) -> None: ...",
        "for to in (): pass\n    card: to",
        "if True:\n        to: int\n    card: 'to | None'",
        "class to: ...\n    card: to",
        "from kit import to\n    card: to",
    ],
)
def test_the_check_finds_each_kind_of_shadowed_annotation(body: str) -> None:
    assert len(find_shadowed(f"class Given:\n    {body}\n")) == 1


def test_the_check_accepts_classes_without_shadowed_annotations() -> None:
    assert find_shadowed("class Given:\n    to: int\n    def give(self) -> None:\n        card: to = 1\n") == []
    assert find_shadowed("class Given:\n    card: kit.to('to')\n    to: int\n") == []
