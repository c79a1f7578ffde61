"""The luck of a match: what its log proves once it is over, and whether it has what a player kept of it.

The whole log is checked, and its luck made again, once in a process; afterwards the result comes from the cache.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Literal

from pbem.kit.contract import Viewer
from pbem.kit.logs.chain import WHOLE, find_entry_with_mark, read_digits, read_head_or_mark, seats_with_word
from pbem.kit.logs.fortunes import Drawn, draws_by_kind_with_fortunes
from pbem.kit.logs.verdict import Verdict, verify
from pbem.services.log import proofs, store
from pbem.services.site import Site
from pbem.services.views import match_views
from pbem.services.views.match_views import Sheet


@dataclass(frozen=True)
class Luck:
    """The luck of a match that is over: what was checked, what was drawn, and the heads of its chain from 0 on.

    `drawn` is () if the log does not match its chain.
    """

    verdict: Verdict
    drawn: tuple[Drawn, ...]
    heads: tuple[str, ...]


@dataclass(frozen=True)
class Evidence:
    """What can be compared of a log: its commitment, the hashes of its words, and the heads of its chain from 0 on.

    A log of the first format has neither words nor heads.
    """

    commitment: str
    words: Sequence[str]
    heads: Callable[[], Sequence[str]]


@dataclass(frozen=True)
class Agreement:
    """What became of a word that somebody typed, or of a mark or a commitment that they copied from a mail.

    `what` it is: the lucky word of `seats`, the mark or the whole head after entry `entry`, the commitment, or the
    first digits of that. "other" if it is a mark or a commitment in form but not of this log, else "unreadable".
    """

    what: Literal["word", "mark", "head", "commitment", "digits", "other", "unreadable"]
    entry: int = 0
    seats: tuple[int, ...] = ()


def read_verdict_and_fortunes(site: Site, sheet: Sheet, viewer: Viewer) -> Luck:
    """Returns what the log of an open match proves, and the fortunes of its draws, for this viewer. Raises NoMatch."""
    assert sheet.open, "until then the seed is secret"
    key = ("luck", sheet.id, sheet.version)
    found: Luck | None = site.results.find(key)
    if found is None:
        log = match_views.read_log(site, sheet.id, viewer)
        verdict = verify(log)
        found = Luck(verdict, tuple(draws_by_kind_with_fortunes(log, verdict.draws)) if verdict.ok else (), log.heads())
        site.results.keep(key, found)
    return found


def read_heads_of_chain(site: Site, match_id: str) -> tuple[str, ...]:
    """Returns the heads of the chain of a match that has begun, from 0 on. Raises NotFound."""
    with site.reading() as session:
        match = store.get_match(session, match_id)
        return (proofs.head_before_first_entry(match), *(head for _, _, head in proofs.read_seals(session, match_id)))


def find_typed_proof_in_log(typed: str, evidence: Evidence) -> Agreement:
    """Returns what the text is in the log; a word first of all, for one of eight letters looks like a mark."""
    seats = seats_with_word(evidence.words, typed)
    if seats:
        return Agreement("word", seats=seats)
    digits = None
    with suppress(ValueError):
        digits = read_digits(typed)
    if digits is not None and evidence.commitment.startswith(digits):
        return Agreement("commitment" if len(digits) == WHOLE else "digits")
    try:
        mark = read_head_or_mark(typed)
    except ValueError:
        return Agreement("unreadable" if digits is None else "other")
    entry = find_entry_with_mark(evidence.heads(), mark)
    return Agreement("other") if entry is None else Agreement("head" if len(mark) == WHOLE else "mark", entry)
