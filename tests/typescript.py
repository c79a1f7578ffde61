"""Writes clients/pbem.d.ts anew from the OpenAPI document: `make types-ts`, which needs npx, and fetches its tool.

The first line holds a hash of the document, by which a test sees that the types are those of today. CI writes
nothing: it compares, and compiles.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from pbem import create_app
from pbem.config import Config
from pbem.services.site import open_site

TYPES = Path(__file__).resolve().parents[1] / "clients" / "pbem.d.ts"
TOOL = "openapi-typescript@7.13.0"


def document() -> dict[str, Any]:
    """The document, without the address of the site that tells it."""
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{folder}/none.db"
        site = open_site(Config(mode="embedded", data=Path(folder), database_url=url, secret="s" * 48))
        found: dict[str, Any] = json.loads(create_app(site=site).test_client().get("/api/v1/openapi.json").data)
        site.engine.dispose()
    del found["servers"]
    return found


def first_line(of: dict[str, Any]) -> str:
    """The line by which the types say of which document they are."""
    digest = hashlib.sha256(json.dumps(of, sort_keys=True).encode()).hexdigest()
    return f"// The types of the API, made by `make types-ts` from the document with sha256 {digest}\n"


def write() -> None:
    """Writes the types of today's document."""
    found = document()
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "openapi.json"
        source.write_text(json.dumps(found))
        argv = ["npx", "--yes", TOOL, str(source), "--default-non-nullable", "false"]
        made = subprocess.run(argv, cwd=folder, stdout=subprocess.PIPE, text=True, check=True).stdout
    TYPES.write_text(first_line(found) + made[made.index("/**") :])


if __name__ == "__main__":
    write()
