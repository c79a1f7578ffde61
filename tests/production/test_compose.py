"""docker-compose.yml and Dockerfile match the Procfile. These tests read them; `make test-compose` runs them."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from pbem.discovery import attributes_of_features, packages_of_features
from pbem.run.server import GRACE_S, KILL_AFTER_S
from tests.containers import documented
from tests.harness.waiting import SECONDS
from tests.production.topology import ROOT, commands_of_procfile

KEPT_UP = ("web", "worker", "thinking", "beat", "inbound")
"""Our services that keep running."""
DEFAULT = re.compile(r"\$\{(\w+):-([^}]*)\}")


@pytest.fixture(scope="module")
def compose() -> dict[str, Any]:
    """The file as a container engine reads it."""
    found: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
    return found


def words_of_command(name: str) -> list[str]:
    """A command of the Procfile with the defaults in place of variables."""
    return shlex.split(DEFAULT.sub(r"\2", commands_of_procfile()[name]))


@pytest.mark.parametrize(("service", "name"), [("migrate", "release"), *((name, name) for name in KEPT_UP)])
def test_each_compose_service_runs_its_command_of_the_procfile(
    compose: dict[str, Any], service: str, name: str
) -> None:
    assert [DEFAULT.sub(r"\2", word) for word in compose["services"][service]["command"]] == words_of_command(name)


def test_the_image_serves_the_web_where_no_command_is_given() -> None:
    last = (ROOT / "Dockerfile").read_text().rstrip().rpartition("\nCMD ")[2]
    assert json.loads(last) == words_of_command("web")


def test_every_variable_is_a_setting_that_the_program_reads(compose: dict[str, Any]) -> None:
    modules = ("config.py", "environment.py", "run/server.py")
    read = {name for path in modules for name in re.findall(r'"([A-Z][A-Z_]+)"', source_of_module(path))}
    declared = [
        one for settings in attributes_of_features("settings", "SETTINGS", packages_of_features()) for one in settings
    ]
    read |= {name for one in declared for name in one.variables}
    for name in ("migrate", *KEPT_UP):
        assert set(compose["services"][name]["environment"]) <= read


def test_several_containers_of_a_kind_can_stand_side_by_side(compose: dict[str, Any]) -> None:
    for name in ("web", "worker", "thinking"):
        assert "container_name" not in compose["services"][name]
        assert compose["services"][name]["scale"] == f"${{{name.upper()}_CONTAINERS:-1}}"
    assert compose["services"]["web"]["ports"] == ["127.0.0.1:${PORT:-8000}:8000"], "PORT may be a range"
    for name, node in (("worker", "celery"), ("thinking", "thinking")):
        assert f'"{node}@" + socket.gethostname()' in compose["services"][name]["healthcheck"]["test"][-1]


def source_of_module(name: str) -> str:
    """A module of pbem."""
    return (ROOT / "pbem" / name).read_text()


def test_long_running_services_have_a_healthcheck_and_a_stop_grace_period(compose: dict[str, Any]) -> None:
    services = compose["services"]
    for name in ("postgres", "redis", *KEPT_UP):
        assert services[name]["healthcheck"]["test"], name
        assert services[name]["restart"] == "unless-stopped"
    seconds = {name: int(services[name]["stop_grace_period"].removesuffix("s")) for name in ("web", "worker")}
    assert seconds["web"] > GRACE_S["production"] + KILL_AFTER_S
    assert "/readyz" in services["web"]["healthcheck"]["test"][-1]


def test_python_programs_in_compose_healthchecks_compile(compose: dict[str, Any]) -> None:
    for name in KEPT_UP:
        test = compose["services"][name]["healthcheck"]["test"]
        assert test[:3] == ["CMD", "python", "-c"]
        compile(test[3], name, "exec")


def test_every_service_waits_for_the_migrations(compose: dict[str, Any]) -> None:
    for name in KEPT_UP:
        assert compose["services"][name]["depends_on"]["migrate"] == {"condition": "service_completed_successfully"}
    assert compose["services"]["migrate"]["depends_on"]["postgres"] == {"condition": "service_healthy"}


def test_one_service_builds_the_image_for_all(compose: dict[str, Any]) -> None:
    ours = {name: service for name, service in compose["services"].items() if service["image"] == "pbem"}
    assert set(ours) == {"migrate", *KEPT_UP}
    assert [name for name, service in ours.items() if "build" in service] == ["migrate"]


def test_container_logs_are_rotated(compose: dict[str, Any]) -> None:
    for name, service in compose["services"].items():
        assert service["logging"]["options"]["max-size"], name


def test_everything_the_image_fetches_is_pinned_by_hash() -> None:
    installs = re.findall(r"pip (?:install|wheel) (.*)", (ROOT / "Dockerfile").read_text())
    assert len(installs) == 4
    for words in installs:
        assert "--require-hashes" in words or "--no-deps" in words
        ready = "requirements/build.txt" in words or words.endswith("dist/*.whl")
        assert ready or "--no-build-isolation" in words, "pip would fetch what a library without a wheel is built with"


def test_the_compose_trial_knows_all_services_and_which_are_ours() -> None:
    assert documented.services_kept_up() == ("postgres", "redis", *KEPT_UP)
    assert documented.names_of_our_services() == ("migrate", *KEPT_UP)


def test_the_documented_restore_stops_all_services_but_the_database() -> None:
    first, *_, last = documented.commands_in_docs("dropdb")
    assert set(first.split()[3:]) == set(KEPT_UP), "whoever has the database open keeps it from being dropped"
    assert last == "docker compose up --detach"


def test_an_upgrade_replaces_every_service_of_ours() -> None:
    lines = documented.commands_in_docs("build")
    assert lines[0] == "docker compose build"
    assert lines[1].split()[:3] == ["docker", "compose", "stop"]
    assert set(lines[1].split()[3:]) == set(KEPT_UP) - {"web"}
    *words, migrating = lines[2].split()
    assert (words[-2:], migrating) == (["run", "--rm"], "migrate")
    assert set(lines[3].split("--no-deps")[1].split()) == set(KEPT_UP)


def try_compose(path: Path) -> subprocess.CompletedProcess[str]:
    """`make test-compose` where only the programs of this folder are found."""
    return subprocess.run(
        [sys.executable, "-m", "tests.containers"],
        cwd=ROOT, env={"PATH": str(path)}, capture_output=True, text=True, timeout=SECONDS, check=False,
    )  # fmt: skip


def test_without_a_container_engine_the_trial_says_so(tmp_path: Path) -> None:
    done = try_compose(tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("There is no container engine here")
    assert "Nothing was built" in done.stdout


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("programs", "said"),
    [
        ({"docker": "false"}, "The container engine does not answer (`docker info` fails). Start it."),
        ({"docker": '[ "$1" = info ]'}, "The container engine has no Compose here"),
        ({"docker": '[ "$1" = info ] || [ "$1" = compose ]'}, "The official images cannot be had; to make others"),
        ({"podman": "true"}, "Podman is here without the command `docker`"),
    ],
)
def test_an_engine_that_is_there_but_cannot_be_used_is_a_failure(
    tmp_path: Path, programs: dict[str, str], said: str
) -> None:
    for name, script in programs.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{script}\n")
        (tmp_path / name).chmod(0o755)
    done = try_compose(tmp_path)
    assert done.returncode == 1
    assert done.stderr.startswith(said)
    assert "Nothing was built" in done.stderr


def test_the_mail_catcher_comes_only_when_it_is_asked_for(compose: dict[str, Any]) -> None:
    assert compose["services"]["mailcatcher"]["profiles"] == ["mailcatcher"]
