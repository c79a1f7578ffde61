"""The architecture page shows the rooms as they are."""

from __future__ import annotations

import re

from tests.harness.cases import cases
from tests.structure.architecture import BEGIN, END, PAGE, ROOT, picture_of_layers

NAMED = re.compile(r"^ *((?:\w+/)+\w+)(?:\.(\w+))?(?: |$)", re.MULTILINE)


def test_architecture_mds_diagram_equals_the_import_contracts() -> None:
    assert PAGE.read_text().partition(BEGIN)[2].partition(END)[0] == picture_of_layers(), "make architecture"


@cases("module, name", NAMED.findall(PAGE.read_text().partition(END)[2]))
def test_every_module_named_in_architecture_md_exists(module: str, name: str) -> None:
    elsewhere = module.startswith(("web/", "api/", "features/", "kit/"))
    path = ROOT / "pbem" / ("" if elsewhere else "services") / f"{module}.py"
    assert path.exists()
    assert not name or re.search(rf"^ *def {name}\(", path.read_text(), re.MULTILINE)
