"""What `pbem doctor` says about lessons."""

from collections.abc import Iterator

from pbem.config import Config
from pbem.features.lessons.faults import fault_of_lesson
from pbem.games import found_games
from pbem.services.findings import Finding


def check(_config: Config) -> Iterator[Finding]:
    """Names the lessons that cannot be shown."""
    for slug, found in found_games().items():
        if (fault := fault_of_lesson(found.game)) is not None:
            todo = f"Install a version of {found.origin} that works, then restart all processes."
            yield Finding("lessons", "WARN", f"that of {slug} cannot be shown, and is not offered: {fault}", todo)
