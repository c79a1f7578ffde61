"""Checks a game for its author, and prints what is wrong in their words."""

import json
import sys
from collections.abc import Iterator
from typing import Any

import click

from pbem.commands.terminal import print_finding
from pbem.games import broken_games, find_game, folder_of_game, found_games, list_faults
from pbem.testing.check import Check, check_game
from pbem.testing.faults import Fault
from pbem.testing.visibility import visibility_in_words_by_field

LOADS = "loads"


def check_and_print(slug: str, matches: int, *, as_json: bool) -> bool:
    """Checks the game on this many matches, and prints what is found; returns whether all is well."""
    seen: dict[str, str] = {}
    done = list[Check]()
    for one in _run_checks(slug, matches, seen):
        _show_progress("")
        if not as_json:
            if not done and seen:
                _print_who_sees_each_field(seen)
            _print_check(one)
        done.append(one)
    ok = not any(one.faults for one in done)
    if as_json:
        click.echo(
            json.dumps({"game": slug, "ok": ok, "fields": seen, "checks": [*map(_check_as_json, done)]}, indent=2)
        )
    return ok


def _run_checks(slug: str, matches: int, seen: dict[str, str]) -> Iterator[Check]:
    """Yields the checks, beginning with whether the game can be loaded; fills in who sees each field."""
    game = find_game(slug)
    said = [Fault(LOADS, broken.said, _TODO[broken.why]) for broken in broken_games() if broken.slug == slug]
    if game is None:
        known = f"There are {', '.join(found_games())}. Is its package installed, with an entry point in pbem.games?"
        yield Check(LOADS, "", said or [Fault(LOADS, f"there is no game {slug!r}", known)])
        return
    said += [Fault(LOADS, wrong, _TODO["adorns"]) for name, _, wrong in list_faults() if name == slug and not said]
    try:
        seen |= visibility_in_words_by_field(game)
    except TypeError as error:
        said.append(Fault(LOADS, str(error), "Mend the marks of this field: see `pbem.kit.secrecy`."))
    yield Check(LOADS, found_games()[slug].origin, said)
    if seen:
        yield from check_game(game, folder_of_game(slug), matches, _show_progress)


def _show_progress(progress: str) -> None:
    """Shows in a terminal what is being looked at, in place of what it showed before."""
    if sys.stderr.isatty():
        click.echo(f"\r\x1b[K{progress}", nl=False, err=True)


_TODO = {
    "unloadable": "Import its package in Python to see the whole error, and mend it.",
    "incomplete": "Add what is missing; GAME is what `assemble` returns: docs/new-game.md shows all of a game.",
    "misnamed": "The entry point and `Meta.slug` must have the same name.",
    "ambiguous": "Give the game another slug, or uninstall the other package.",
    "unfit": "Offer the game for a version of the contract that this pbem knows: docs/packages.md.",
    "adorns": "Mend it, or leave it away.",
}
"""What to do about a game that is broken, by why it is."""


def _print_who_sees_each_field(seen: dict[str, str]) -> None:
    """Prints who sees each field: those that everybody sees in one line."""
    wide = max(map(len, seen))
    for field, words in seen.items():
        if words != "open":
            click.echo(f"      {field:{wide}}  {words or 'does not say'}")
    click.echo(f"      open: {', '.join(field for field, words in seen.items() if words == 'open')}")


def _print_check(one: Check) -> None:
    if not one.faults:
        print_finding("OK", one.name, one.said)
    for level, found in (("FAIL", one.faults), ("HINT", one.hints)):
        for fault in found:
            print_finding(level, one.name, fault.said, fault.todo)


def _check_as_json(one: Check) -> dict[str, Any]:
    return {
        "check": one.name,
        "ok": not one.faults,
        "said": one.said,
        "faults": [{"said": fault.said, "todo": fault.todo} for fault in one.faults],
        "hints": [{"said": hint.said, "todo": hint.todo} for hint in one.hints],
    }
