"""What proves a stored match: the key of its luck, and the chain over its log.

Its lucky words are fixed at its start, as hashes. From then on the key is, too; nothing is drawn before.
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import msgspec
from msgspec.structs import replace
from sqlmodel import Session

from pbem.kit.chance import KeyLuck
from pbem.kit.codec import encode
from pbem.kit.contract import Viewer
from pbem.kit.logs import chain
from pbem.kit.logs.chain import Seals
from pbem.kit.logs.entries import SealedEntry
from pbem.kit.replay import AnyEntry
from pbem.kit.secrecy import redact
from pbem.models.tables import Match, SeatRow
from pbem.services import statements
from pbem.services.log import archive
from pbem.services.log.archive import UNSEALED


class Link(NamedTuple):
    """An entry as it stands in the chain, and the head after it."""

    entry: SealedEntry[Any]
    """With the salts of all its seals: what is told to a viewer goes through `links_for_viewer`."""
    head: str


# --- the key of all luck -------------------------------------------------------------------------------------


def store_word_hashes(match: Match, seats: Iterable[SeatRow]) -> None:
    """Stores the hashes of the seats' lucky words, those that follow from the seed where nobody has typed one."""
    words = [chain.hash_word(seat.word or chain.word_from_seed(match.seed, seat.seat)) for seat in seats]
    match.words = encode(words).decode()


def word_hashes(match: Match) -> tuple[str, ...]:
    """Returns the hashes of the lucky words in seat order, for a match that has begun."""
    assert match.words is not None, "the words are fixed when the match begins"
    return msgspec.json.decode(match.words, type=tuple[str, ...])


def seats_with_word(match: Match) -> tuple[int, ...]:
    """Returns the seats whose lucky word somebody typed, for a match that has begun."""
    assert match.words is not None, "the words are fixed when the match begins"
    return _seats_with_word(match.words, match.seed)


@lru_cache(maxsize=256)
def _seats_with_word(words: str, seed: bytes) -> tuple[int, ...]:
    """Returns these seats. Cached: each page names them, and they stay as they were at the start."""
    return chain.seats_with_own_words(msgspec.json.decode(words, type=tuple[str, ...]), seed)


def deal_id_of(match: Match) -> str:
    """Returns the deal id of the match: that of the deal which other tables share, else its own."""
    return match.deal_id or match.id


def table_id_at_shared_deal(match: Match) -> str | None:
    """Returns the table's id in its log, which tells its seals from those of other tables with the same deal.

    None if no other table can have its deal.
    """
    return match.id if match.deal_id is not None else None


class Keys(NamedTuple):
    """The keys of all luck and of all seals of a match."""

    luck: bytes
    seals: bytes


def keys_of(match: Match) -> Keys:
    """Returns the keys of a match that has begun."""
    assert match.words is not None, "the words are fixed when the match begins"
    return _keys(match.id, match.deal_id, match.seed, match.words)


@lru_cache(maxsize=256)
def _keys(match_id: str, deal_id: str | None, seed: bytes, words: str) -> Keys:
    """Returns the keys. Cached: each move needs them several times, and the next one may come to this process, too."""
    luck = chain.key_of_luck(deal_id or match_id, seed, msgspec.json.decode(words, type=tuple[str, ...]))
    return Keys(luck, chain.key_of_seals(luck, match_id if deal_id is not None else None))


def luck_of(match: Match) -> KeyLuck:
    """Returns the luck of a match that has begun. A take-back changes none that other tables have, too."""
    return KeyLuck(keys_of(match).luck, match.undone if match.deal_id is None else 0)


def luck_of_window_durations(match: Match) -> KeyLuck:
    """Returns the luck of how long silent windows stay open, which differs from table to table of a deal.

    With the same luck at every table, seeing at one table how long a window stays open would show at another who
    answered late.
    """
    return KeyLuck(keys_of(match).seals, match.undone)


# --- the chain -----------------------------------------------------------------------------------------------


def options_dict_as_stored(match: Match) -> dict[str, Any]:
    """Returns the options as they are stored, which the chain begins with: a game may have more of them by now."""
    return msgspec.json.decode(match.options, type=dict[str, Any])


def head_before_first_entry(match: Match) -> str:
    """Returns the head of the chain before the first entry."""
    words = word_hashes(match)
    return chain.first_head(
        commitment=match.commitment, deal=deal_id_of(match), game=match.game, options=options_dict_as_stored(match),
        seats=len(words), words=words, table=table_id_at_shared_deal(match),
    )  # fmt: skip


def link_entries(match: Match, entries: Iterable[AnyEntry], *, window: bool) -> list[Link]:
    """Returns the match's next entries with their seals and heads.

    `window` is True if they answer a question of a window.
    """
    key, head = keys_of(match).seals, match.head or head_before_first_entry(match)
    links = []
    for entry in entries:
        sealed, salts = chain.seals_and_salts_of_entry(key, entry, window=window)
        head = chain.next_head(head, entry, sealed)
        links.append(Link(SealedEntry(entry.n, entry.at, entry.by, entry.key, entry.event, sealed, salts), head))
    return links


# --- reading it ----------------------------------------------------------------------------------------------


class Stretch(NamedTuple):
    """A stretch of the log as somebody gets it: with seals and salts, and the heads before and after it."""

    base: str | None
    """None if the log has no entry with the number after which the stretch begins."""
    head: str | None
    """None before the first entry."""
    entries: list[SealedEntry[Any]]

    @property
    def mark_of_head(self) -> str | None:
        """The mark of the head after them."""
        return chain.mark_of(self.head) if self.head is not None else None


def read_stretch(
    session: Session, match: Match, seen: Sequence[AnyEntry], after: int, last: int | None = None
) -> Stretch:
    """Returns the entries after number `after`, up to `last` or the end, with what proves them.

    `seen` are the entries of the log as its reader may see them, in its order, with at least these among them. Read
    `match` and `seen` in the session's transaction.
    """
    last = match.version if last is None else last
    if not match.version:
        return Stretch(None, None, [])
    if last == match.version <= after:  # the usual poll, which asks the database nothing more
        return Stretch(match.head if after == last else None, match.head, [])
    known = read_seals(session, match.id, after - 1, last)
    heads = {n: head for n, _, head in known} | {0: head_before_first_entry(match), match.version: match.head}
    sealed = {n: seals for n, seals, _ in known}
    shown = [entry for entry in seen if after < entry.n <= last]
    return Stretch(heads.get(after), heads.get(last), open_seals(match, shown, [sealed[entry.n] for entry in shown]))


def links_for_viewer(links: Sequence[Link], viewer: Viewer) -> list[SealedEntry[Any]]:
    """Returns new entries as this viewer sees them, with their seals, and the salts of those values that they see."""
    told = list[SealedEntry[Any]]()
    for entry, _ in links:
        seen = replace(entry, event=redact(entry.event, viewer))
        told.append(replace(seen, salts=chain.salts_shown(seen, entry.salts)))
    return told


def open_seals(match: Match, seen: Iterable[AnyEntry], sealed: Iterable[Seals]) -> list[SealedEntry[Any]]:
    """Returns the entries with their seals, and the salts of those values that their reader sees in them."""
    key = keys_of(match).seals
    return [
        SealedEntry(one.n, one.at, one.by, one.key, one.event, dict(seals), chain.salts_shown_from_key(key, one, seals))
        for one, seals in zip(seen, sealed, strict=True)
    ]


def read_seals(
    session: Session, match_id: str, after: int = 0, last: int | None = None
) -> list[tuple[int, Seals, str]]:
    """Returns number, seals and head of the entries after number `after`, up to `last` or the end."""
    last = last if last is not None else 2**31 - 1
    rows = statements.SEALS.flush_and_send(session, {"match": match_id, "after": after, "last": last}).rows()
    if not rows and (archived := archive.find_archive(session, match_id)) is not None:
        match = session.get_one(Match, match_id)
        chained = archived.chain(keys_of(match).seals, head_before_first_entry(match))
        return [one for one in chained if after < one[0] <= last]
    return [(n, seals_in_row(sealed), head) for n, sealed, head in rows]


def seals_in_row(sealed: str | None) -> Seals:
    """Returns the seals that the row of an entry holds."""
    return _seals(sealed) if sealed is not None else UNSEALED


_seals = msgspec.json.Decoder(dict[str, str]).decode


def first_broken_entry(session: Session, match: Match, entries: Sequence[AnyEntry]) -> int | None:
    """Returns the number of the first entry that the chain does not lead to; None if it leads to the match's head.

    `entries` is the whole log, with nothing hidden.
    """
    if not match.version:
        return None
    key, head = keys_of(match).seals, head_before_first_entry(match)
    written = read_seals(session, match.id, last=match.version)
    for entry, (n, sealed, stored) in zip(entries, written, strict=True):
        head = chain.next_head(head, entry, sealed)
        if (
            head != stored
            or chain.first_broken_seal(entry, sealed, chain.salts_shown_from_key(key, entry, sealed)) is not None
        ):
            return n
    return None if head == match.head else match.version
