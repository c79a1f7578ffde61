"""The commitment to a match's seed as people see it, and as they type it back.

A commitment is the SHA-256 of the seed in 64 hexadecimal digits. The organiser and invited players get all of them
before the deal; players who join by a link, or start a match while signed in, get them when it starts. Where there is
little room, the first 16 are shown as a reminder.
"""

import re

WHOLE, SHORT = 64, 16
"""The number of digits of a commitment, and of its short form."""

_BETWEEN = re.compile(r"[\s\u200b\u2060\u00ad\u2010-\u2015\u2212-]+")
"""What may separate the digits: any whitespace, and the hyphens and dashes that programs insert."""


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
