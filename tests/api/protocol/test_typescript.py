"""The types for TypeScript are those of the document, and a client that plays every game compiles with them."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from pbem.games import all_games
from tests.api.protocol.typescript import CHECK, COMPILED, TYPES, digest_of_document, document, first_line


def compiler_output(*files: Path) -> subprocess.CompletedProcess[str]:
    """What the compiler says, as strict as it can be."""
    tsc = shutil.which("tsc")
    if tsc is None:
        pytest.skip("tsc is not installed; on Debian: apt-get install node-typescript")
    argv = [tsc, "--strict", "--exactOptionalPropertyTypes", "--noEmit", "--target", "es2020", *map(str, files)]
    return subprocess.run(argv, capture_output=True, text=True, timeout=100, check=False)


@pytest.fixture
def types() -> Path:
    """The types of today's document; the test is skipped if they have not been generated."""
    if not TYPES.exists():
        pytest.skip("clients/pbem.d.ts is not there: `make types-ts` makes it")
    with TYPES.open() as file:
        assert file.readline() == first_line(document()), "the API has changed: run `make types-ts`"
    return TYPES


@pytest.mark.long
def test_the_stored_typescript_types_match_the_current_document() -> None:
    assert COMPILED.read_text().strip() == digest_of_document(document()), (
        "the API or its client has changed: run `make types-ts`"
    )


def test_the_typescript_check_covers_every_game() -> None:
    source = CHECK.read_text()
    assert [slug for slug in all_games() if f'case "{slug}"' not in source] == []


@pytest.mark.slow
def test_the_typescript_client_compiles_and_an_unknown_move_does_not(types: Path, tmp_path: Path) -> None:
    """Compiles once, because the compiler takes seconds to start: every error is on one of the wrong lines."""
    wrong = tmp_path / "wrong.ts"
    wrong.write_text(
        f'import type {{ components }} from "{types.with_suffix("").with_suffix("")}";\n'
        'export const call: components["schemas"]["hogen.Call"] = { type: "Call", clan: "X" };\n'
        'export const options: components["schemas"]["niigata.NewMatch"]["seats"] = [{ nome: "Alice" }];\n'
    )
    said = compiler_output(CHECK, wrong)
    assert said.returncode != 0
    assert "wrong.ts(2," in said.stdout
    assert "wrong.ts(3," in said.stdout
    assert said.stdout.count("error") == 2, said.stdout
