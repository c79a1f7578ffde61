"""The commitment to a match's luck as it is made, as people see it, and as they type it back.

It is made with the match, before anybody but the organiser has chosen a lucky word: 64 hexadecimal digits that fix the
seed and the organiser's word. Players get all of them before the deal where they can. Where there is little room, the
first 16 are shown as a reminder.
"""

import hashlib
import hmac
import re
from collections.abc import Sequence

WHOLE, SHORT = 64, 16
"""The number of digits of a commitment, and of its short form."""

_BETWEEN = re.compile(r"[\s\u200b\u2060\u00ad\u2010-\u2015\u2212-]+")
"""What may separate the digits: any whitespace, and the hyphens and dashes that programs insert."""


def commit(deal: str, seed: bytes, word: str) -> str:
    """Returns the commitment to this seed and the hash of the organiser's word, for the match with this deal id."""
    return hashlib.sha256(f"pbem/2|commitment|{deal}|{seed.hex()}|{word}".encode()).hexdigest()


def commit_to_seed(seed: bytes) -> str:
    """Returns the SHA-256 of the seed: the commitment of a match in `pbem-log/1`."""
    return hashlib.sha256(seed).hexdigest()


def key_of_luck(deal: str, seed: bytes, words: Sequence[str]) -> bytes:
    """Returns the key of all luck and all seals of a match: 32 bytes. `words` are the hashes in seat order."""
    return hmac.digest(seed, "|".join(("pbem/2|key", deal, *words)).encode(), "sha256")


def key_of_seals(key: bytes, table: str | None) -> bytes:
    """Returns the key of all seals of a table, from the key of its luck. `table`: its id, if others share its luck.

    Tables of one deal draw from one key. If its salts came from that, too, somebody who has seen a salt at one table
    could try out what stands under the same seal at another.
    """
    return key if table is None else hmac.digest(key, f"pbem/2|table|{table}".encode(), "sha256")


def short_form(commitment: str) -> str:
    """Returns the first 16 digits in groups of four.

    >>> short_form("66687aadf862bd776c8fc18b8e9f8e20089714856ee233b3902a591d0d5f2925")
    '6668 7aad f862 bd77'
    """
    return " ".join(commitment[at : at + 4] for at in range(0, SHORT, 4))


def read_digits(text: str) -> str:
    """Returns the 64 or 16 digits of a commitment that somebody copied or typed, without separators.

    >>> read_digits(" 6668-7AAD f862\u00a0bd77 ")
    '66687aadf862bd77'

    Raises ValueError.
    """
    digits = _BETWEEN.sub("", text).lower()
    if len(digits) not in (WHOLE, SHORT) or not re.fullmatch("[0-9a-f]+", digits):
        raise ValueError("a commitment is 64 hexadecimal digits, or the first 16 of them")
    return digits
