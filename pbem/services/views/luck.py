"""The luck of a match: what its log proves once it is over, and whether a mail of its agrees with it.

The whole log is checked, and its luck made again, once in a process; afterwards the result comes from the cache.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from pbem.kit.contract import Viewer
from pbem.kit.logs.fortunes import Drawn, fortunes_of
from pbem.kit.logs.verdict import Verdict, verify
from pbem.kit.proof.commitments import WHOLE, read_digits
from pbem.kit.proof.marks import find_mark, read_head_or_mark
from pbem.services.site import Site
from pbem.services.views import match_views
from pbem.services.views.match_views import Sheet


@dataclass(frozen=True)
class Luck:
    """The luck of a match that is over: what was checked, what was drawn, and the heads of its chain from 0 on.

    `drawn` is () if the log does not hold.
    """

    verdict: Verdict
    drawn: tuple[Drawn, ...]
    heads: tuple[str, ...]


@dataclass(frozen=True)
class Agreement:
    """What became of a mark, or of a commitment, that somebody copied from a mail.

    `what` it is: the mark or the head after entry `entry`, the commitment, or the first digits of that. "other" if it
    belongs to another log, "unreadable" if it is neither.
    """

    what: Literal["mark", "commitment", "digits", "other", "unreadable"]
    entry: int = 0


def read_luck(site: Site, sheet: Sheet, viewer: Viewer) -> Luck:
    """Returns the luck of a match that is over, as this viewer may see it.

    Raises NotFound, Forbidden.
    """
    assert sheet.over, "before the end the seed is secret"
    key = ("luck", sheet.id, sheet.version)
    found: Luck | None = site.results.find(key)
    if found is None:
        log = match_views.read_log(site, sheet.id, viewer)
        verdict = verify(log)
        found = Luck(verdict, tuple(fortunes_of(log, verdict.draws)) if verdict.ok else (), log.heads())
        site.results.keep(key, found)
    return found


def compare(typed: str, commitment: str, heads: Sequence[str]) -> Agreement:
    """Returns what the text from a mail is in the log with this commitment and these heads."""
    digits = _digits(typed)
    if digits is not None and commitment.startswith(digits):
        return Agreement("commitment" if len(digits) == WHOLE else "digits")
    try:
        entry = find_mark(heads, read_head_or_mark(typed))
    except ValueError:
        return Agreement("unreadable" if digits is None else "other")
    return Agreement("other") if entry is None else Agreement("mark", entry)


def _digits(typed: str) -> str | None:
    try:
        return read_digits(typed)
    except ValueError:
        return None
