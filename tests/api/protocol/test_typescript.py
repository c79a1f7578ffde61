"""The types for TypeScript are those of the document, and a client that plays every game compiles with them."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from pbem.games import all_games
from tests.typescript import TYPES, document, first_line

CHECK = TYPES.with_name("check.ts")


def compiled(*files: Path) -> subprocess.CompletedProcess[str]:
    """What the compiler says, as strict as it can be."""
    tsc = shutil.which("tsc")
    if tsc is None:
        assert "CI" not in os.environ, "CI installs node-typescript"
        pytest.skip("tsc is not installed; on Debian: apt-get install node-typescript")
    argv = [tsc, "--strict", "--exactOptionalPropertyTypes", "--noEmit", "--target", "es2020", *map(str, files)]
    return subprocess.run(argv, capture_output=True, text=True, timeout=100, check=False)


def test_the_types_are_those_of_the_document() -> None:
    with TYPES.open() as file:
        assert file.readline() == first_line(document()), "the API has changed: run `make types-ts`"


@pytest.mark.slow
def test_a_client_in_typescript_compiles() -> None:
    said = compiled(CHECK)
    assert said.returncode == 0, said.stdout


def test_that_client_plays_every_game() -> None:
    source = CHECK.read_text()
    assert [slug for slug in all_games() if f'case "{slug}"' not in source] == []


@pytest.mark.slow
def test_what_no_game_knows_does_not_compile(tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.ts"
    shutil.copy(TYPES, tmp_path)
    wrong.write_text(
        'import type { components } from "./pbem";\n'
        'export const call: components["schemas"]["hogen.Call"] = { type: "Call", clan: "X" };\n'
        'export const options: components["schemas"]["niigata.NewMatch"]["seats"] = [{ nome: "Alice" }];\n'
    )
    said = compiled(wrong)
    assert said.returncode != 0
    assert "wrong.ts(2," in said.stdout
    assert "wrong.ts(3," in said.stdout
    assert said.stdout.count("error") == 2
