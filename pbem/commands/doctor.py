"""`pbem doctor`: looks at everything the service needs, and says what to do about what is wrong."""

import json
from collections.abc import Iterator
from dataclasses import asdict, replace

import click

from pbem.cli import load_config
from pbem.commands import checks, reach, rendering
from pbem.commands.terminal import printable
from pbem.commands.version import describe
from pbem.config import Config, ConfigError
from pbem.run.listening import read_address
from pbem.services.findings import Finding


@click.command()
@click.option("--to", metavar="ADDRESS", help="Also send one test mail to this address.")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object: ok, and the list of checks.")
def doctor(to: str | None, as_json: bool) -> None:
    """Check everything the service needs, and change nothing.

    That is: settings, one page and one mail rendered, database, broker, beat, workers, mail server, the ways in for
    mail, address and clock.

    Exit status 1 if something FAILs; what is a WARN works, but not as it should.
    """
    findings: list[Finding] = []
    for finding in _findings(to):
        findings.append(finding)
        if not as_json:
            _say(finding)
    ok = all(finding.level != "FAIL" for finding in findings)
    if as_json:
        click.echo(json.dumps({"ok": ok, "checks": [asdict(finding) for finding in findings]}, indent=2))
    if not ok:
        raise SystemExit(1)


def _findings(to: str | None) -> Iterator[Finding]:
    yield Finding("version", "OK", describe())
    try:
        config = load_config()
    except ConfigError as error:
        for problem in error.problems:
            yield Finding("settings", "FAIL", f"{problem.variable}: {problem.what}", problem.hint)
        return
    running = read_address(config.data) if config.mode == "embedded" else None
    if running is not None and running != config.url:
        # This terminal need not have the PORT of the one where `pbem run` was started.
        yield Finding("settings", "OK", f"{config.mode}, {running} (where `pbem run` says it listens)")
        config = replace(config, url=running)
    else:
        yield Finding("settings", "OK", f"{config.mode}, {config.url}")
    for problem in config.unknown:
        yield Finding("settings", "WARN", f"{problem.variable}: {problem.what}", problem.hint)
    yield from _of(config)
    if to is not None:
        yield reach.send_one(config, to)


def _of(config: Config) -> Iterator[Finding]:
    yield from checks.of_secrets(config)
    yield from rendering.of_rendering(config)
    yield from checks.of_games()
    yield from checks.of_disk(config)
    yield from checks.of_database(config)
    yield from checks.of_broker(config)
    yield from reach.of_smtp(config)
    yield from reach.of_intakes(config)
    yield reach.of_url(config)


def _say(finding: Finding) -> None:
    colour = {"OK": "green", "WARN": "yellow", "FAIL": "red"}[finding.level]
    click.echo(f"{click.style(f'{finding.level:4}', fg=colour)}  {finding.check}: {printable(finding.said)}")
    if finding.todo:
        click.echo(f"      → {printable(finding.todo)}")
