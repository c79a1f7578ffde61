"""Clients that are generated from the document play a match to its end, over HTTP.

`make clients` installs the generators into build/clients; without them these tests are skipped.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from werkzeug.serving import make_server

from tests.api.cast import Api

HERE = Path(__file__).parent
TOOLS = HERE.parents[2] / "build" / "clients"
SECONDS = 300


def path_of_generator(path: str) -> str:
    """The path of an installed generator; the test is skipped without it."""
    found = shutil.which(path, path=str(TOOLS / "bin")) or shutil.which(path, path=str(TOOLS / "node_modules" / ".bin"))
    if found is None:
        pytest.skip(f"{path} is not installed: `make clients`")
    return found


def run_program(*argv: str | Path) -> str:
    """What a program says."""
    done = subprocess.run([*map(str, argv)], capture_output=True, text=True, timeout=SECONDS, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture
def source(rest: Api, tmp_path: Path) -> Path:
    """The document, in a file."""
    (tmp_path / "openapi.json").write_bytes(rest.caller().get("/openapi.json").data)
    return tmp_path / "openapi.json"


@pytest.fixture
def table(rest: Api) -> Iterator[list[str]]:
    """The arguments of a program that plays: where the API is served, a match, and the tokens of its seats."""
    match_id = rest.start()
    server = make_server("127.0.0.1", 0, rest.app, threaded=True)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield [f"http://127.0.0.1:{server.port}", match_id, *(rest.token("play", match_id, seat) for seat in range(3))]
    server.shutdown()
    thread.join()


@pytest.mark.long
def test_a_client_generated_by_openapi_python_client_plays_a_match(
    source: Path, table: list[str], tmp_path: Path
) -> None:
    generator, made = path_of_generator("openapi-python-client"), tmp_path / "made"
    config = tmp_path / "config.json"
    config.write_text(json.dumps({"post_hooks": []}))
    said = run_program(
        generator, "generate", "--path", source, "--output-path", made, "--config", config, "--fail-on-warning"
    )
    assert "Warning" not in said
    assert run_program(TOOLS / "bin" / "python", HERE / "openapi_python_client.py", made, *table).startswith("over ")


@pytest.mark.long
def test_a_client_generated_by_openapi_generator_plays_a_match(source: Path, table: list[str], tmp_path: Path) -> None:
    """It is generated without the webhooks, for which this generator writes methods without types."""
    document = json.loads(source.read_bytes())
    del document["webhooks"]
    source.write_text(json.dumps(document))
    made = tmp_path / "made"
    if shutil.which("java") is None:
        pytest.skip("openapi-generator needs Java")
    run_program(path_of_generator("openapi-generator-cli"), "generate", "-i", source, "-g", "python", "-o", made,
        "--package-name", "pbem_generated")  # fmt: skip
    assert run_program(TOOLS / "bin" / "python", HERE / "openapi_generator.py", made, *table).startswith("over ")


@pytest.mark.long
def test_a_client_generated_by_hey_api_plays_a_match(source: Path, table: list[str], tmp_path: Path) -> None:
    made, compiled = tmp_path / "made", tmp_path / "compiled"
    run_program(path_of_generator("openapi-ts"), "--input", source, "--output", made)
    run_program(path_of_generator("tsc"), "--module", "commonjs", "--target", "es2022", "--lib",
    "es2022,dom,dom.iterable", "--strict",
        "--outDir", compiled, made / "index.ts", made / "client" / "index.ts")  # fmt: skip
    assert run_program("node", HERE / "hey_api.js", compiled, *table).startswith("over ")


@pytest.mark.long
def test_types_generated_by_openapi_typescript_compile(source: Path, tmp_path: Path) -> None:
    run_program(
        path_of_generator("openapi-typescript"),
        source,
        "--output",
        tmp_path / "pbem.d.ts",
        "--default-non-nullable",
        "false",
    )
    shutil.copy(HERE.parents[2] / "clients" / "check.ts", tmp_path)
    run_program(
        path_of_generator("tsc"),
        "--strict",
        "--exactOptionalPropertyTypes",
        "--noEmit",
        "--target",
        "es2020",
        tmp_path / "check.ts",
    )


@pytest.mark.long
def test_redocly_finds_no_fault_in_the_openapi_document(source: Path) -> None:
    run_program(path_of_generator("redocly"), "lint", source, "--max-problems", "5", "--format", "json")
