"""The architecture page shows the rooms and the hooks as they are."""

from __future__ import annotations

import re

from tests.harness.cases import cases
from tests.structure.architecture import HOOKS, PAGE, ROOMS, ROOT, parts_of_page

NAMED = re.compile(r"^ *((?:\w+/)+\w+)(?:\.(\w+))?(?: |$)", re.MULTILINE)


def test_architecture_md_shows_the_import_contracts_and_the_users_of_hooks() -> None:
    for (begin, end), drawn in parts_of_page().items():
        assert PAGE.read_text().partition(begin)[2].partition(end)[0] == drawn, "make architecture"


def test_features_have_at_most_a_dozen_hooks() -> None:
    assert parts_of_page()[HOOKS].count("\n| `") <= 12


@cases("module, name", NAMED.findall(PAGE.read_text().partition(ROOMS[1])[2]))
def test_every_module_named_in_architecture_md_exists(module: str, name: str) -> None:
    elsewhere = module.startswith(("web/", "api/", "features/", "kit/"))
    path = ROOT / "pbem" / ("" if elsewhere else "services") / f"{module}.py"
    assert path.exists()
    assert not name or re.search(rf"^ *def {name}\(", path.read_text(), re.MULTILINE)
