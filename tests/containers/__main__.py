"""Builds the image and plays a match on docker-compose.yml: `make test-compose`.

The test builds the image once, waits until every service is healthy, asks `pbem doctor` in it, plays a match by mail
and REST to its end, and restores a backup and upgrades as docs/hosting.md says. The mail server is one of ours
(`catcher.py`). If the official images are not available, an image made from Debian's packages replaces them, with the
versions that Debian has. Without a container engine the command says so and tests nothing; where there is one, whatever
keeps it from running is a failure.
"""

from __future__ import annotations

import json
import re
import secrets
import sys
import urllib.request
from base64 import b64decode
from dataclasses import dataclass
from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from time import monotonic
from typing import Any

from pbem.client import Match, Pbem
from tests.containers import documented, engine
from tests.containers.engine import ROOT, Away, Unusable, run_engine
from tests.harness.waiting import wait_until
from tests.production.sink import free_port, text_of

IMAGE = "pbem-test"
ALICE = "alice@example.org"
UNTRIED = "Nothing was built, and docker-compose.yml was not tried."


@dataclass
class Stack:
    """The services of docker-compose.yml under a test's own project name and images."""

    compose: tuple[str, ...]
    override: Path
    official: bool

    def __post_init__(self) -> None:
        self.port = free_port()
        self.env = {
            "PBEM_URL": f"http://localhost:{self.port}", "PBEM_SECRET": secrets.token_urlsafe(48),
            "POSTGRES_PASSWORD": secrets.token_hex(12), "SMTP_URL": "smtp://mail:1025?tls=none",
            "PBEM_FROM": "play@example.org", "PORT": str(self.port), "PBEM_MAIL_HOLD": "0",
        }  # fmt: skip
        self.override.write_text(json.dumps(self._changes()))
        self.no_settings = self.override.with_name("env")  # replaces the user's own .env
        self.no_settings.touch()

    def _changes(self) -> dict[str, Any]:
        services: dict[str, Any] = {name: {"image": IMAGE} for name in documented.names_of_our_services()}
        build: dict[str, Any] = {"context": str(ROOT)}
        services["mail"] = {
            "image": IMAGE, "pull_policy": "never", "command": ["python", "/catcher.py"],
            "volumes": [f"{Path(__file__).parent / 'catcher.py'}:/catcher.py:ro"],
            "depends_on": {"migrate": {"condition": "service_completed_successfully"}},
        }  # fmt: skip
        if not self.official:
            # Uses this machine's network, which may be the only one with access to the internet.
            build |= {"args": {"PYTHON": engine.DEBIAN}, "network": "host"}
            services["postgres"] = {"image": engine.DEBIAN, "command": ["/start-postgres"]}
            command = ["redis-server", "--appendonly", "yes", "--save", "", "--protected-mode", "no"]
            services["redis"] = {"image": engine.DEBIAN, "command": command}
        services["migrate"]["build"] = build
        return {"services": services}

    def do(self, *words: str, stdin: bytes | None = None) -> bytes:
        """Returns what Compose prints."""
        files = ("--file", "docker-compose.yml", "--file", str(self.override), "--env-file", str(self.no_settings))
        return run_engine(*self.compose, *files, "--project-name", IMAGE, *words, env=self.env, stdin=stdin)

    def is_healthy(self, service: str) -> bool:
        """True if the engine reports the service's container as healthy. Raises AssertionError if it has exited."""
        container = self.do("ps", "--quiet", service).decode().strip()
        state = json.loads(run_engine("docker", "inspect", container))[0]["State"]
        assert state["Status"] != "exited", f"{service} has ended:\n{self.do('logs', service).decode()}"
        return bool(state["Health"]["Status"] == "healthy")

    def await_health(self) -> None:
        """Returns when all services are healthy."""
        for service in documented.services_kept_up():
            wait_until(lambda name=service: self.is_healthy(name), f"{service} is healthy", every_s=0.5)  # type: ignore[misc]

    def mails(self) -> list[EmailMessage]:
        """Returns the mails that have arrived."""
        container = self.do("ps", "--quiet", "mail").decode().strip()
        lines = run_engine("docker", "logs", container).splitlines()
        return [message_from_bytes(b64decode(line), _class=EmailMessage, policy=policy.default) for line in lines]

    def token(self, kind: str) -> str:
        """Returns the token of the newest link of this kind that Alice was sent."""
        found: list[str] = []

        def came() -> bool:
            text = "\n".join(map(text_of, self.mails()))
            found[:] = re.findall(rf"{re.escape(self.env['PBEM_URL'])}/{kind}/([^/\s?#]+)", text)
            return bool(found)

        wait_until(came, f"a {kind} mail", every_s=0.5)
        return found[-1]

    def begin(self) -> Match:
        """A match of Alice's with two bots, as a program with a token of hers sees it."""
        site = Pbem(self.env["PBEM_URL"])
        match = site.create("hogen", [{"name": "Alice", "email": ALICE}, {"bot": "random"}, {"bot": "random"}])
        site.send("POST", f"/confirm/{self.token('confirm')}", {"language": "en", "zone": "Europe/London"})
        urllib.request.urlopen(f"{self.env['PBEM_URL']}/links", f"address={ALICE}".encode()).close()
        alice = Pbem(self.env["PBEM_URL"], self.token("account"))
        made = alice.send("POST", "/me/tokens", {"name": "test", "scopes": ["read", "play"], "days": 1})
        return Pbem(self.env["PBEM_URL"], made["token"]).match(match.id)


def run_doctor(stack: Stack) -> None:
    """Guarantees that `pbem doctor` has nothing against the image and its services."""
    said = json.loads(stack.do("exec", "-T", "web", "sh", "-c", "pbem doctor --json || true"))
    # A container has a loopback address of its own, so the address of the host's players is not found from within.
    wrong = [found for found in said["checks"] if found["level"] != "OK" and found["check"] != "address"]
    assert not wrong, wrong


def print_step(what: str, began: float) -> None:
    """Prints what holds, and after how many seconds."""
    print(f"{monotonic() - began:6.1f} s  {what}", flush=True)  # noqa: T201


def try_out(stack: Stack) -> None:
    """Runs the test. Raises AssertionError when a check fails."""
    began = monotonic()
    stack.do("build")
    print_step("the image is built", began)
    stack.do("up", "--detach")
    stack.await_health()
    print_step("every service is healthy", began)
    with urllib.request.urlopen(stack.env["PBEM_URL"]) as page:
        assert b"Hogen" in page.read()
    run_doctor(stack)
    print_step("doctor finds nothing wrong", began)
    match, luck = stack.begin(), Random(1)
    print_step("a page was read, a match is confirmed by its mail", began)
    for moves, question in enumerate(match.questions(), 1):
        match.play(question, luck.choice(question["legal"]))
        if moves == 1:
            backup = stack.do("exec", "-T", "postgres", "pg_dump", "--username", "pbem", "--format=custom", "pbem")
    assert match.sheet()["status"] == "over"
    print_step("the match is over", began)
    type_documented_commands(stack, "dropdb", backup)
    assert match.sheet()["status"] == "running"
    for question in match.questions():
        match.play(question, luck.choice(question["legal"]))
    print_step("the backup was put back, and the match played to its end again", began)
    type_documented_commands(stack, "build")
    assert match.sheet()["status"] == "over"
    print_step("the upgrade of docs/hosting.md was gone through", began)


def type_documented_commands(stack: Stack, word: str, backup: bytes | None = None) -> None:
    """Types what docs/hosting.md says, in the block whose commands have this word; returns when all services are up."""
    for line in documented.commands_in_docs(word):
        command, _, source = line.removeprefix("docker compose ").partition(" < ")
        stack.do(*command.split(), stdin=backup if source else None)
    stack.await_health()


def main() -> None:
    """Exits with 0 if all checks pass, or if the machine has no container engine; with 1 in every other case."""
    try:
        compose = engine.compose_command()
        official = engine.are_official()
        if not official:
            print("The official images cannot be had: one of Debian's packages stands in for them.")  # noqa: T201
            engine.ensure_debian()
    except Away as away:
        print(f"{away} {UNTRIED}")  # noqa: T201
        return
    except Unusable as error:
        sys.exit(f"{error} {UNTRIED}")
    with TemporaryDirectory() as folder:
        stack = Stack(compose, Path(folder) / "override.json", official)
        try:
            try_out(stack)
        except AssertionError as error:
            sys.exit(f"{error}\n{stack.do('logs', '--tail', '30').decode(errors='replace')}")
        finally:
            stack.do("down", "--volumes", "--remove-orphans")


if __name__ == "__main__":
    main()
