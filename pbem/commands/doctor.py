"""`pbem doctor`: looks at everything the service needs, and says what to do about what is wrong.

Its own checks are of rendering: pictures, one page and one mail, since files may be missing.
"""

import json
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from dataclasses import asdict, replace
from datetime import UTC, datetime, timedelta

import click

from pbem import create_app
from pbem.cli import describe_version, load_config
from pbem.commands import checks, reach
from pbem.commands.terminal import print_finding
from pbem.config import Config, ConfigError
from pbem.discovery import attributes_of_features
from pbem.games import all_games
from pbem.kit.contract import Scene
from pbem.kit.logs.chain import commitment_to_seed
from pbem.kit.play import Table
from pbem.kit.texts import LANGS
from pbem.mail.compose import compose_mail
from pbem.mail.letters import Sender, Start, board_of
from pbem.run.listening import address_of_running_site
from pbem.services.findings import Finding
from pbem.services.mail.alarms import why_first_board_cannot_be_drawn
from pbem.services.mail.kinds.started import Started
from pbem.services.site import open_site
from pbem.web.lobby import start
from pbem.web.protocol import assets

SEED = bytes(32)
_FASTER = "For the faster way install libEGL.so.1 and libGL.so.1; on Debian and Ubuntu: apt install libegl1 libgl1"
_INSTALL_AGAIN = (
    "Files of this program are missing or damaged. Install it again from its wheel "
    "(`pipx install --force`, `uv pip install --reinstall`); in a checkout see `git status`."
)
NAMES = ("Alice", "Bob", "Carol", "Dave", "Eve", "Frank")


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
    for finding in _all_findings(to):
        findings.append(finding)
        if not as_json:
            print_finding(finding.level, finding.check, finding.said, finding.todo)
    ok = all(finding.level != "FAIL" for finding in findings)
    if as_json:
        click.echo(json.dumps({"ok": ok, "checks": [asdict(finding) for finding in findings]}, indent=2))
    if not ok:
        raise SystemExit(1)


def _all_findings(to: str | None) -> Iterator[Finding]:
    yield Finding("version", "OK", describe_version())
    try:
        config = load_config()
    except ConfigError as error:
        for problem in error.problems:
            yield Finding("settings", "FAIL", f"{problem.variable}: {problem.what}", problem.hint)
        return
    running = address_of_running_site(config.data) if config.mode == "embedded" else None
    if running is not None and running != config.url:
        # This terminal need not have the PORT of the one where `pbem run` was started.
        yield Finding("settings", "OK", f"{config.mode}, {running} (where `pbem run` says it listens)")
        config = replace(config, url=running)
    else:
        yield Finding("settings", "OK", f"{config.mode}, {config.url}")
    for problem in config.unknown:
        yield Finding("settings", "WARN", f"{problem.variable}: {problem.what}", problem.hint)
    yield from _findings_once_config_is_read(config)
    if to is not None:
        yield reach.send_test_mail(config, to)


def _findings_once_config_is_read(config: Config) -> Iterator[Finding]:
    yield from checks.check_signing_secret(config)
    yield from check_rendering(config)
    yield from checks.check_games()
    yield from checks.check_disk(config)
    yield from checks.check_database(config)
    yield from checks.check_broker_beat_and_workers(config)
    yield from reach.check_smtp(config)
    for check in attributes_of_features("doctor", "check", config.features):
        yield from check(config)
    yield reach.check_url_leads_here(config)


def check_rendering(config: Config) -> Iterator[Finding]:
    """Checks that boards can be drawn, a page and a mail rendered. Needs no database, broker or mail server."""
    yield check_picture_renderer()
    yield _finding_of_trial_rendering("page", config, _render_page)
    yield _finding_of_trial_rendering("mail", config, _render_mail)


def check_picture_renderer() -> Finding:
    """Says which renderer draws, and whether it draws a board of each game."""
    from pbem.render.raster.encode import skia_or_resvg_renderer  # 45 MB, which other commands do without

    with redirect_stdout(sys.stderr):
        try:
            draws = skia_or_resvg_renderer()
        except ImportError as error:
            return Finding("pictures", "FAIL", f"mails have the board in words: {error}", f"{_INSTALL_AGAIN} {_FASTER}")
        failing = {
            slug: why
            for slug, game in all_games().items()
            if (why := why_first_board_cannot_be_drawn(game, datetime.now(UTC)))
        }
    if failing:
        which = ", ".join(f"{slug} ({why})" for slug, why in failing.items())
        said = f"mails have the board in words: {draws.name} cannot draw {which}"
        return Finding(
            "pictures", "FAIL", said, f"If it is one game of several, its package is at fault. {_INSTALL_AGAIN}"
        )
    if not draws.without_skia:
        return Finding("pictures", "OK", draws.name)
    said = f"{draws.name}, about eleven times slower than Skia, which cannot be imported ({draws.without_skia[:200]})"
    return Finding("pictures", "OK", said, _FASTER)


def _finding_of_trial_rendering(check: str, config: Config, render: Callable[[Config], None]) -> Finding:
    try:
        # Log lines must not get between the findings, which may be JSON.
        with redirect_stdout(sys.stderr):
            render(config)
    except ConfigError as error:
        wrong = error.problems[0]
        return Finding(check, "FAIL", f"it cannot be rendered: {wrong.what}", wrong.hint)
    except Exception as error:  # noqa: BLE001 - whatever it is, it keeps players from theirs, too, and is reported
        problem = f"it cannot be rendered ({type(error).__name__}: {' '.join(str(error).split())[:200]})"
        return Finding(check, "FAIL", problem, _INSTALL_AGAIN)
    return Finding(check, "OK", "it can be rendered")


def _render_page(config: Config) -> None:
    site = open_site(config)
    try:
        app = create_app(site=site)
        with app.test_request_context(f"/?lang={LANGS[0]}"):
            page = start.show_home().get_data(as_text=True)
            app.extensions["pbem.openapi"]()  # what the pages about the API are made of, when one is first asked for
    finally:
        site.engine.dispose()
    for name in set(re.findall(r"/static/[0-9a-f]+/([\w./-]+)", page)):
        if not (assets.FOLDER / name).is_file():
            raise FileNotFoundError(assets.FOLDER / name)


def _render_mail(config: Config) -> None:
    game = next(iter(all_games().values()))
    names = NAMES[: game.meta.seats[0]]
    table = Table(game, len(names), game.meta.options(), SEED)
    letter = Started(
        row=0, to="alice@pbem.invalid", lang=LANGS[0], zone="Europe/Paris", at=datetime.now(UTC),
        sender=Sender(name="pbem", address="pbem@pbem.invalid", url=config.url), never_url=f"{config.url}/never/x",
        game=game, match="doctor", seat=0, names=names, commitment=commitment_to_seed(SEED), recap=(), moved=False,
        board=board_of(game, table.folds[0], 0, LANGS[0], Scene()), mute_url=f"{config.url}/mute/x",
        start=Start(timedelta(days=3), None, f"{config.url}/rules/{game.meta.slug}"),
        play_url=f"{config.url}/play/x", asked=names[1:],
    )  # fmt: skip
    compose_mail(letter, config.secret)
