"""Pages and API open no transaction: they call use cases.

A contract of import-linter (pyproject.toml) forbids them to import the database.
"""

import ast
from pathlib import Path

import pbem
from tests.harness.cases import cases

ROOT = Path(pbem.__file__).parent
FACES = [
    *ROOT.joinpath("web").rglob("*.py"),
    *ROOT.joinpath("api").rglob("*.py"),
    *ROOT.glob("features/*/pages.py"),
    *ROOT.glob("features/*/api.py"),
    ROOT / "limits.py",
]
TRANSACTIONS = {"reading", "writing", "one_statement"}


def places_opened_in(source: str) -> list[str]:
    """Returns the places that open a transaction of the site, whatever its name is there."""
    nodes = ast.walk(ast.parse(source))
    return [ast.unparse(node) for node in nodes if isinstance(node, ast.Attribute) and node.attr in TRANSACTIONS]


def test_no_module_of_pages_api_or_commands_opens_a_transaction() -> None:
    assert {
        str(path.relative_to(ROOT)): found for path in FACES if (found := places_opened_in(path.read_text("utf-8")))
    } == {}


@cases("source", ["with site().reading() as session: ...", "x = here.writing", "a.one_statement()"])
def test_the_check_finds_each_way_to_open_a_transaction(source: str) -> None:
    assert len(places_opened_in(source)) == 1
