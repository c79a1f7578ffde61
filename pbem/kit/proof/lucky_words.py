"""Lucky words: each player adds one to the luck of a match, so that nobody can have chosen it alone.

A seat for which nobody types a word has one that follows from the seed, which the commitment covers. The log holds the
words' hashes only, since a word may be a name.
"""

import hashlib
import hmac
import unicodedata
from collections.abc import Sequence

ORGANISER = 0
"""The seat whose word the commitment covers."""
MOST = 40
"""The most characters of a lucky word."""

_CONSONANTS, _VOWELS = "bdfghjklmnprstvz", "aiou"


def normalize(word: str) -> str:
    """Returns the word as it counts: NFKC, in lower case, without blanks at its ends, single blanks inside.

    Blanks are what `str.split` takes for them, which docs/chance.md lists for other languages.

    >>> normalize("  Abricot\\u00a0 ROUGE ")
    'abricot rouge'
    """
    return " ".join(unicodedata.normalize("NFKC", word).lower().split())


def hash_word(word: str) -> str:
    """Returns the SHA-256 of the word as it counts, in 64 hexadecimal digits."""
    return hashlib.sha256(normalize(word).encode()).hexdigest()


def word_from_seed(seed: bytes, seat: int) -> str:
    """Returns the word of a seat for which nobody types one: a proquint, two pronounceable groups of five letters.

    >>> word_from_seed(bytes(32), 0)
    'kihov-mukum'
    """
    digest = hmac.digest(seed, f"pbem/2|word|{seat}".encode(), "sha256")
    return "-".join(_quint(int.from_bytes(digest[at : at + 2], "big")) for at in (0, 2))


def seats_with_own_words(hashes: Sequence[str], seed: bytes) -> tuple[int, ...]:
    """Returns the seats whose word somebody typed, from the hashes of all words in seat order."""
    return tuple(seat for seat, word in enumerate(hashes) if word != hash_word(word_from_seed(seed, seat)))


def seats_with_word(hashes: Sequence[str], word: str) -> tuple[int, ...]:
    """Returns the seats whose word this is, from the hashes of all words in seat order."""
    digest = hash_word(word)
    return tuple(seat for seat, one in enumerate(hashes) if one == digest)


def _quint(number: int) -> str:
    """Returns 16 bits as five letters, consonants of four bits and vowels of two (arXiv:0901.4016)."""
    first, one, second, two, third = number >> 12, number >> 10 & 3, number >> 6 & 15, number >> 4 & 3, number & 15
    return _CONSONANTS[first] + _VOWELS[one] + _CONSONANTS[second] + _VOWELS[two] + _CONSONANTS[third]
