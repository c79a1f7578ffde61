"""Logs of matches that were played by an older version of a game: this one must replay them, for ever."""

from collections.abc import Iterator
from importlib.resources.abc import Traversable

from pbem.kit.contract import AnyGame
from pbem.kit.logs import logfile
from pbem.kit.logs.verdict import verify
from pbem.testing.faults import Fault

OLDER, LOGS = "logs", "logs"
"""The check, and the folder beside the code of a game in which its author keeps such logs, as players download them."""


def logs_in(folder: Traversable) -> list[Traversable]:
    """Returns the files in the folder of logs beside the code, if there is one."""
    found = folder / LOGS
    return (
        sorted((one for one in found.iterdir() if one.is_file()), key=lambda file: file.name) if found.is_dir() else []
    )


def find_broken_logs(game: AnyGame, folder: Traversable) -> Iterator[Fault]:
    """Yields the logs that cannot be read any more, or that the rules of today do not repeat."""
    for file in logs_in(folder):
        try:
            verdict = verify(logfile.read(file.read_bytes(), lambda slug: game if slug == game.meta.slug else None))
        except Exception as error:  # noqa: BLE001 - whatever it is, it is what the author is told
            todo = "Give what was added a default, and leave names and types of what there was as they are."
            yield Fault(OLDER, f"{file.name} cannot be read any more: {' '.join(str(error).split())}", todo)
            continue
        if not verdict.ok:
            todo = "Matches that run were begun by those rules: make a change an option of the table, or a new game."
            yield Fault(OLDER, f"{file.name} is played otherwise by now: {verdict.problems[0]}", todo)
