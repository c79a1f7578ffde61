"""A release has one version: pyproject.toml has it, and every command and page follows."""

from __future__ import annotations

import json
import platform
import re
import tomllib
from pathlib import Path

import pytest

from pbem.models.schema.revisions import NEWEST_SCHEMA
from tests.commands.conftest import Pbem

ROOT = Path(__file__).parents[2]
VERSION: str = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
PAGES = [ROOT / "README.md", *ROOT.joinpath("docs").rglob("*.md")]
SAID = f"pbem {VERSION}, schema {NEWEST_SCHEMA}, Python {platform.python_version()}"


def test_the_program_says_its_version_and_its_schema(bare: Pbem) -> None:
    assert bare("--version").stdout == f"{SAID}\n"


@pytest.mark.long
def test_doctor_prints_the_versions_first_even_with_wrong_settings(pbem: Pbem, bare: Pbem) -> None:
    for command in (pbem, bare):
        first = json.loads(command("doctor", "--json").stdout)["checks"][0]
        assert (first["check"], first["level"], first["said"]) == ("version", "OK", SAID)


def test_readme_and_hosting_page_name_the_wheel_of_this_version() -> None:
    named = [(path.name, *found) for path in PAGES for found in re.findall(r"pbem-([\w.*]+)-(py3)", path.read_text())]
    assert {page for page, *_ in named} == {"README.md", "hosting.md"}
    assert {version for _, version, _ in named} == {VERSION}


def test_the_changelog_begins_with_this_version_and_always_instructs_hosts() -> None:
    parts = re.split(r"^## ", (ROOT / "CHANGELOG.md").read_text(), flags=re.MULTILINE)[1:]
    released = [part for part in parts if not part.startswith("Unreleased\n")]
    versions = [part.split()[0] for part in released]
    assert versions[0] == VERSION
    assert versions == sorted(versions, key=lambda one: [*map(int, one.split("."))], reverse=True)
    assert parts[-len(released) :] == released, "what is not released stands on top"
    for part in released:
        assert "\n### For hosts\n" in part, part.split()[0]
