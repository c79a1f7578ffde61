"""Merkle trees as in RFC 6962: roots, and proofs that a leaf is among those of a root.

A tree may also be built over the roots of subtrees, if each but the last holds the same power of two of leaves: its
root is that of the tree over all leaves.
"""

from collections.abc import Iterable, Sequence
from hashlib import sha256

CHUNK = 1024
"""Leaves of a subtree that is stored as one: a power of two, so that its root is a node of the whole tree."""
EMPTY = sha256().digest()
"""The root of a tree without leaves."""


class BadProof(ValueError):
    """A proof that cannot be one for this index and this size."""


def leaf_hash(data: bytes) -> bytes:
    """Returns the hash of a leaf."""
    return sha256(b"\0" + data).digest()


def _join(left: bytes, right: bytes) -> bytes:
    return sha256(b"\1" + left + right).digest()


def root_of(hashes: Iterable[bytes]) -> bytes:
    """Returns the root over these hashes of leaves. Keeps as many of them as the tree is high."""
    peaks: list[tuple[int, bytes]] = []  # complete subtrees, the largest first, as exponent and root
    for hashed in hashes:
        exponent = 0
        while peaks and peaks[-1][0] == exponent:
            hashed = _join(peaks.pop()[1], hashed)
            exponent += 1
        peaks.append((exponent, hashed))
    if not peaks:
        return EMPTY
    root = peaks.pop()[1]
    while peaks:
        root = _join(peaks.pop()[1], root)
    return root


def proof_of(hashes: Sequence[bytes], index: int) -> list[bytes]:
    """Returns the hashes that lead from the leaf at this index to the root, those nearest to the leaf first."""
    if len(hashes) == 1:
        return []
    left = 1 << ((len(hashes) - 1).bit_length() - 1)
    if index < left:
        return [*proof_of(hashes[:left], index), root_of(hashes[left:])]
    return [*proof_of(hashes[left:], index - left), root_of(hashes[:left])]


def root_by(proof: Sequence[bytes], hashed: bytes, index: int, size: int) -> bytes:
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
            hashed = _join(step, hashed)
            while index % 2 == 0 and index:
                index, last = index // 2, last // 2
        else:
            hashed = _join(hashed, step)
        index, last = index // 2, last // 2
    if last:
        raise BadProof("the proof is too short")
    return hashed
