"""Skia, where this machine has the libraries that it needs; tests of it are left out elsewhere."""

from __future__ import annotations

import pytest

try:
    from pbem.render.raster import lettering as lettering
    from pbem.render.raster import skia_renderer as skia_renderer
except ImportError as error:
    MISSING = str(error)
else:
    MISSING = ""

needs_skia = pytest.mark.skipif(bool(MISSING), reason=f"Skia cannot be imported here: {MISSING}")
