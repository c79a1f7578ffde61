"""What docker-compose.yml and docs/hosting.md say of containers, for the trial and for the tests that read them."""

from __future__ import annotations

import re
from typing import Any

import yaml

from tests.containers.engine import ROOT

_FENCE = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def services_of_compose() -> dict[str, dict[str, Any]]:
    """Returns the services of docker-compose.yml that start without a profile, by name."""
    found: dict[str, dict[str, Any]] = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]
    return {name: service for name, service in found.items() if "profiles" not in service}


def names_of_our_services() -> tuple[str, ...]:
    """Returns the names of the services that run pbem's own image."""
    return tuple(name for name, service in services_of_compose().items() if service["image"] == "pbem")


def services_kept_up() -> tuple[str, ...]:
    """Returns the names of the services that run until they are stopped."""
    return tuple(name for name, service in services_of_compose().items() if service.get("restart") != "no")


def commands_in_docs(word: str) -> list[str]:
    """Returns the lines of the one block in hosting.md that are all commands of Compose, one of which has this word."""
    page = (ROOT / "docs" / "hosting.md").read_text()
    blocks: list[list[str]] = [block.splitlines() for block in _FENCE.findall(page)]
    typed = (block for block in blocks if all(line.startswith("docker compose ") for line in block))
    (found,) = (block for block in typed if any(word in line.split() for line in block))
    return found
