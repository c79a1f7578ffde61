"""What a checkpoint says: a line for its day, and the text of its note, which covers all days until then.

Each day has a tree over the matches whose logs grew, and the site has a tree over its days, which only grows. The text
is a C2SP tlog-checkpoint of that second tree, with two further lines: the last day, and the hash of the text before.

The trees are those of RFC 6962. A tree may also be built over the roots of subtrees, if each but the last holds the
same power of two of leaves: its root is that of the tree over all leaves.
"""

import base64
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from hashlib import sha256
from itertools import pairwise

from pbem.features.checkpoints.notes import BadNote, Note, VerifierKey, check_signatures_of_one_key

MOST_DAYS = 100_000
_NUMBER = "(0|[1-9][0-9]{0,14})"
_DAY = re.compile(rf"([0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}) {_NUMBER} ([0-9a-f]{{64}})")
_TEXT = re.compile(rf"([^\n]+)\n{_NUMBER}\n([A-Za-z0-9+/]{{43}}=)\nday ([^\n]+)\n(?:previous ([0-9a-f]{{64}})\n)?")


CHUNK = 1024
"""Leaves of a subtree that is stored as one: a power of two, so that its root is a node of the whole tree."""
EMPTY = sha256().digest()
"""The root of a tree without leaves."""


class BadProof(ValueError):
    """A proof that cannot be one for this index and this size."""


def leaf_hash(data: bytes) -> bytes:
    """Returns the hash of a leaf."""
    return sha256(b"\0" + data).digest()


def _hash_of_node(left: bytes, right: bytes) -> bytes:
    return sha256(b"\1" + left + right).digest()


def root_of_leaves(hashes: Iterable[bytes]) -> bytes:
    """Returns the root over these hashes of leaves. Keeps as many of them as the tree is high."""
    peaks: list[tuple[int, bytes]] = []  # complete subtrees, the largest first, as exponent and root
    for hashed in hashes:
        exponent = 0
        while peaks and peaks[-1][0] == exponent:
            hashed = _hash_of_node(peaks.pop()[1], hashed)
            exponent += 1
        peaks.append((exponent, hashed))
    if not peaks:
        return EMPTY
    root = peaks.pop()[1]
    while peaks:
        root = _hash_of_node(peaks.pop()[1], root)
    return root


def proof_of_leaf(hashes: Sequence[bytes], index: int) -> list[bytes]:
    """Returns the hashes that lead from the leaf at this index to the root, those nearest to the leaf first."""
    if len(hashes) == 1:
        return []
    left = 1 << ((len(hashes) - 1).bit_length() - 1)
    if index < left:
        return [*proof_of_leaf(hashes[:left], index), root_of_leaves(hashes[left:])]
    return [*proof_of_leaf(hashes[left:], index - left), root_of_leaves(hashes[:left])]


def root_from_proof(proof: Sequence[bytes], hashed: bytes, index: int, size: int) -> bytes:
    """Returns the root to which the proof leads from the leaf with this hash, at this index of a tree of this size.

    Raises BadProof if such a tree has other proofs there.
    """
    if not 0 <= index < size:
        raise BadProof(f"a tree of {size} leaves has none at {index}")
    last = size - 1
    for step in proof:
        if last == 0:
            raise BadProof("the proof is too long")
        if index % 2 or index == last:
            hashed = _hash_of_node(step, hashed)
            while index % 2 == 0 and index:
                index, last = index // 2, last // 2
        else:
            hashed = _hash_of_node(hashed, step)
        index, last = index // 2, last // 2
    if last:
        raise BadProof("the proof is too short")
    return hashed


def leaf_hash_of_match(commitment: str, n: int, head: str) -> bytes:
    """Returns the hash of a match's leaf. It tells nobody which match it is who does not know all three."""
    return leaf_hash(f"pbem/2|checkpoint|{commitment}|{n}|{head}".encode())


@dataclass(frozen=True)
class Day:
    """A day of a site: how many matches' logs grew, and the root of the tree of their leaves."""

    day: date
    size: int
    root: bytes

    def __str__(self) -> str:
        return f"{self.day.isoformat()} {self.size} {self.root.hex()}"

    @property
    def leaf_hash(self) -> bytes:
        """Returns the hash of its leaf in the tree of the days."""
        return leaf_hash(str(self).encode())


def read_day(line: str) -> Day:
    """Returns the day that the line says. Raises BadNote."""
    found = _DAY.fullmatch(line)
    try:
        if found:
            return Day(date.fromisoformat(found[1]), int(found[2]), bytes.fromhex(found[3]))
    except ValueError:  # there is no such day
        pass
    raise BadNote("a day is written as 2026-11-25, the number of its matches, and 64 hex digits")


def read_days(text: str) -> list[Day]:
    """Returns the days of a list with a line for each. Raises BadNote, also if they are not in order."""
    lines = text.splitlines()
    if len(lines) > MOST_DAYS:
        raise BadNote(f"a list has at most {MOST_DAYS} days")
    days = [read_day(line) for line in lines]
    if any(former.day >= later.day for former, later in pairwise(days)):
        raise BadNote("the days of the list are not in order")
    return days


def root_of_days(days: Sequence[Day]) -> bytes:
    """Returns the root of the tree of the days."""
    return root_of_leaves(day.leaf_hash for day in days)


@dataclass(frozen=True)
class Checkpoint:
    """What a note says: whose it is, its number, the root over all days, the last day, and the hash of the text before.

    `previous` is None in a site's first one.
    """

    origin: str
    number: int
    root: bytes
    day: Day
    previous: str | None

    @property
    def text(self) -> str:
        """Returns the note's text."""
        chained = f"previous {self.previous}\n" if self.previous else ""
        root = base64.b64encode(self.root).decode()
        return f"{self.origin}\n{self.number}\n{root}\nday {self.day}\n{chained}"


def parse_checkpoint(text: str) -> Checkpoint:
    """Returns what the text of a note says. Raises BadNote."""
    found = _TEXT.fullmatch(text)
    if found is None:
        raise BadNote("the note is no checkpoint of a pbem site")
    origin, number, root, day, previous = found.groups()
    checkpoint = Checkpoint(origin, int(number), base64.b64decode(root), read_day(day), previous)
    if checkpoint.number == 0 or (checkpoint.number == 1) != (previous is None):
        raise BadNote("a checkpoint names the one before, and only the first has none")
    return checkpoint


def read_signed_checkpoint(note: Note, key: VerifierKey) -> Checkpoint:
    """Returns what the note says, if the site that it names has signed it. Raises BadNote."""
    check_signatures_of_one_key(note, key)
    said = parse_checkpoint(note.text)
    if said.origin != key.name:
        raise BadNote(f"the note is of {said.origin}, and the key of {key.name}")
    return said


def hash_of_checkpoint_text(text: str) -> str:
    """Returns the hash by which the next checkpoint names the one with this text."""
    return sha256(text.encode()).hexdigest()


def is_next_checkpoint(later: Checkpoint, former: Checkpoint) -> bool:
    """True if one is the next after the other, and names it. Raises BadNote if that cannot be, or is not said."""
    if later.origin != former.origin:
        raise BadNote(f"they are of two sites, {later.origin} and {former.origin}")
    if later.number != former.number + 1:
        return False
    if later.previous != hash_of_checkpoint_text(former.text) or later.day.day <= former.day.day:
        raise BadNote(f"number {later.number} does not name this text of number {former.number}: it was exchanged")
    return True


def check_days_lead_to_root(days: Sequence[Day], checkpoint: Checkpoint) -> None:
    """Checks that the site's list of days leads to the checkpoint's root. Raises BadNote."""
    if len(days) < checkpoint.number:
        raise BadNote(f"the list has only {len(days)} days, and the checkpoint has number {checkpoint.number}")
    until = days[: checkpoint.number]
    if until[-1] != checkpoint.day or root_of_days(until) != checkpoint.root:
        raise BadNote(f"the days of the list do not lead to the root of number {checkpoint.number}")
