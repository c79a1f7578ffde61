"""Marks: the head of a log's chain in eight signs, short enough for the foot of a mail and for the eye.

A mark of 40 bits shows an honest host's mistake, or a log that is another one. Whoever writes the log can find two
with the same mark; only all 64 digits of the head, which each mail has in a header, show those.
"""

import re
from collections.abc import Sequence

SIGNS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
"""Crockford's base 32: no I, L, O and U."""
LENGTH = 8

_ALIKE = str.maketrans("ILO", "110")


def mark_of(head: str) -> str:
    """Returns the mark of a head: its first 40 bits.

    >>> mark_of("66687aadf862bd776c8fc18b8e9f8e20089714856ee233b3902a591d0d5f2925")
    'CSM7-NBFR'
    """
    bits = int(head[:10], 16)
    signs = "".join(SIGNS[bits >> 5 * at & 31] for at in reversed(range(LENGTH)))
    return f"{signs[:4]}-{signs[4:]}"


def read_mark(text: str) -> str:
    """Returns the mark that somebody copied or typed, as `mark_of` writes it. I and L are read as 1, O as 0.

    >>> read_mark(" csm7 nbfr ")
    'CSM7-NBFR'

    Raises ValueError.
    """
    signs = re.sub(r"[\W_]+", "", text).upper().translate(_ALIKE)
    if len(signs) != LENGTH or any(sign not in SIGNS for sign in signs):
        raise ValueError("a mark is eight letters and digits, such as CSM7-NBFR")
    return f"{signs[:4]}-{signs[4:]}"


def read_head_or_mark(text: str) -> str:
    """Returns the mark, or the head of 64 hexadecimal digits, that somebody copied or typed.

    Raises ValueError.
    """
    digits = re.sub(r"\s", "", text).lower()
    return digits if re.fullmatch("[0-9a-f]{64}", digits) else read_mark(text)


def find_mark(heads: Sequence[str], mark: str) -> int | None:
    """Returns the number of the entry after which a log has this mark, or this head of 64 digits; None if none has.

    `heads` are those of its chain, from the one before the first entry on: 0 is the mark there. Of several entries with
    the same mark, the last.
    """
    whole = len(mark) > LENGTH + 1
    return max((n for n, head in enumerate(heads) if mark == (head if whole else mark_of(head))), default=None)
