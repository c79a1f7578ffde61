"""Imports without the garbage collector, which works again afterwards."""

import gc
import sys
from pathlib import Path

import pytest

from pbem.run.preloading import preload_modules


def test_preloaded_modules_are_returned_and_frozen_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "preloaded.py").write_text("import gc\nCOLLECTS = gc.isenabled()\nKEPT = [{} for _ in range(100)]")
    monkeypatch.syspath_prepend(tmp_path)
    before = gc.get_freeze_count()
    [module] = preload_modules("preloaded")
    monkeypatch.delitem(sys.modules, "preloaded", raising=False)
    assert (module.COLLECTS, gc.isenabled()) == (False, True)
    assert gc.get_freeze_count() >= before + 100
    frozen = gc.get_freeze_count()
    assert preload_modules("gc") == [gc]
    assert gc.get_freeze_count() == frozen


def test_where_a_module_cannot_be_imported_garbage_is_collected_again() -> None:
    with pytest.raises(ModuleNotFoundError):
        preload_modules("nowhere_to_be_found")
    assert gc.isenabled()
