"""Generates clients/pbem.d.ts from the OpenAPI document: `make types-ts`, which needs npx and tsc.

The types are not in the repository; clients/pbem.sha256 is. It is the hash of the document and the client, and
is written only after the client has compiled with the types. A test compares it, so CI needs neither npx nor network.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from pbem import create_app
from pbem.config import Config
from pbem.services.site import open_site

CLIENTS = Path(__file__).resolve().parents[3] / "clients"
CHECK, TYPES, COMPILED = CLIENTS / "check.ts", CLIENTS / "pbem.d.ts", CLIENTS / "pbem.sha256"
TOOL = "openapi-typescript@7.13.0"


def document() -> dict[str, Any]:
    """The document, without the address of the site that serves it."""
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{folder}/none.db"
        site = open_site(Config(mode="embedded", data=Path(folder), database_url=url, secret="s" * 48))
        found: dict[str, Any] = json.loads(create_app(site=site).test_client().get("/api/v1/openapi.json").data)
        site.engine.dispose()
    del found["servers"]
    return found


def digest_of_document(of: dict[str, Any]) -> str:
    """The hash of the document that the types are generated from, and of the client."""
    return hashlib.sha256(json.dumps(of).encode() + CHECK.read_bytes()).hexdigest()


def first_line(of: dict[str, Any]) -> str:
    """The line in which the types name their source."""
    return f"// The types of the API, made by `make types-ts`: {digest_of_document(of)}\n"


def write_types() -> None:
    """Writes the types of today's document."""
    found = document()
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "openapi.json"
        source.write_text(json.dumps(found))
        argv = ["npx", "--yes", TOOL, str(source), "--default-non-nullable", "false"]
        made = subprocess.run(argv, cwd=folder, stdout=subprocess.PIPE, text=True, check=True).stdout
    TYPES.write_text(first_line(found) + made[made.index("/**") :])


def write_hash() -> None:
    """Records the source of the types."""
    COMPILED.write_text(digest_of_document(document()) + "\n")


if __name__ == "__main__":
    {"types": write_types, "hash": write_hash}[sys.argv[1]]()
