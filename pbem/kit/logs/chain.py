"""What binds a match to what its players hold, so that nobody can choose its luck or rewrite its log unnoticed.

docs/chance.md specifies each value to the byte.

The commitment to a match's luck is made with the match, before anybody but the organiser has chosen a lucky word: 64
hexadecimal digits that fix the seed and the organiser's word. Players get all of them before the deal where they can.
Where there is little room, the first 16 are shown as a reminder.

Lucky words: each player adds one to the luck of a match. A seat for which nobody types a word has one that follows from
the seed, which the commitment covers. The log holds the words' hashes only, since a word may be a name.

Marks are the head of the chain in eight signs, short enough for the foot of a mail and for the eye. A mark of 40 bits
shows an honest host's mistake, or a log that is another one. Anyone who writes the log can find two with the same mark;
only all 64 digits of the head, which each mail has in a header, show those.

The chain of hashes over a log is the same for every viewer. Each entry changes the head of the chain. What not
everybody may see stands in it as a seal, a hash of the value and a salt, so that all viewers come to the same head from
what each of them knows. Salts follow from the key of the match's luck, and where tables share that, also from the
table: they stay secret with the value, and everybody can compute them once the seed is known.

    {"at": "…", "by": {"seat": 2}, "event": {"type": "AllyChosen", "seat": 2, "card": null}, "key": "t3.ally", "n": 7,
     "sealed": {"event.card": "9f2c…"}}

Which values have a seal follows from the secrecy marks of the event's fields, never from who may see them by now. In
the answers to questions of a window, `by` and `at` have one, too.
"""

import hashlib
import hmac
import re
import unicodedata
from base64 import b32encode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

import msgspec

from pbem.kit.codec import encode
from pbem.kit.contract import Event
from pbem.kit.replay import AnyEntry, By
from pbem.kit.secrecy import hide, marks_of

WHOLE, SHORT = 64, 16
"""The number of digits of a commitment, and of its short form."""

_BETWEEN = re.compile(r"[\s\u200b\u2060\u00ad\u2010-\u2015\u2212-]+")
"""What may separate the digits: any whitespace, and the hyphens and dashes that programs insert."""


def commit(deal: str, seed: bytes, word: str) -> str:
    """Returns the commitment to this seed and the hash of the organiser's word, for the match with this deal id."""
    return hashlib.sha256(f"pbem/2|commitment|{deal}|{seed.hex()}|{word}".encode()).hexdigest()


def commitment_to_seed(seed: bytes) -> str:
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


def commitment_in_groups(commitment: str) -> str:
    """Returns the first 16 digits in groups of four.

    >>> commitment_in_groups("66687aadf862bd776c8fc18b8e9f8e20089714856ee233b3902a591d0d5f2925")
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


# --- lucky words ---------------------------------------------------------------------------------------------

ORGANISER = 0
"""The seat whose word the commitment covers."""
MOST = 40
"""The most characters of a lucky word."""

_CONSONANTS, _VOWELS = "bdfghjklmnprstvz", "aiou"


def normalize_word(word: str) -> str:
    """Returns the word as it counts: NFKC, in lower case, without blanks at its ends, single blanks inside.

    Blanks are what `str.split` takes for them, which docs/chance.md lists for other languages.

    >>> normalize_word("  Abricot\\u00a0 ROUGE ")
    'abricot rouge'
    """
    return " ".join(unicodedata.normalize("NFKC", word).lower().split())


def hash_word(word: str) -> str:
    """Returns the SHA-256 of the word as it counts, in 64 hexadecimal digits."""
    return hashlib.sha256(normalize_word(word).encode()).hexdigest()


def word_from_seed(seed: bytes, seat: int) -> str:
    """Returns the word of a seat for which nobody types one: a proquint, two pronounceable groups of five letters.

    >>> word_from_seed(bytes(32), 0)
    'kihov-mukum'
    """
    digest = hmac.digest(seed, f"pbem/2|word|{seat}".encode(), "sha256")
    return "-".join(_proquint(int.from_bytes(digest[at : at + 2], "big")) for at in (0, 2))


def seats_with_own_words(hashes: Sequence[str], seed: bytes) -> tuple[int, ...]:
    """Returns the seats whose word somebody typed, from the hashes of all words in seat order."""
    return tuple(seat for seat, word in enumerate(hashes) if word != hash_word(word_from_seed(seed, seat)))


def seats_with_word(hashes: Sequence[str], word: str) -> tuple[int, ...]:
    """Returns the seats whose word this is, from the hashes of all words in seat order."""
    digest = hash_word(word)
    return tuple(seat for seat, one in enumerate(hashes) if one == digest)


def _proquint(number: int) -> str:
    """Returns 16 bits as five letters, consonants of four bits and vowels of two (arXiv:0901.4016)."""
    first, one, second, two, third = number >> 12, number >> 10 & 3, number >> 6 & 15, number >> 4 & 3, number & 15
    return _CONSONANTS[first] + _VOWELS[one] + _CONSONANTS[second] + _VOWELS[two] + _CONSONANTS[third]


# --- marks ---------------------------------------------------------------------------------------------------

SIGNS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
"""Crockford's base 32: no I, L, O and U."""
LENGTH = 8

_CROCKFORD = bytes.maketrans(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", SIGNS.encode())
_ALIKE = str.maketrans("ILO", "110")


def mark_of(head: str) -> str:
    """Returns the mark of a head: its first 40 bits.

    >>> mark_of("66687aadf862bd776c8fc18b8e9f8e20089714856ee233b3902a591d0d5f2925")
    'CSM7-NBFR'
    """
    signs = b32encode(bytes.fromhex(head[:10])).translate(_CROCKFORD).decode()
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


def find_entry_with_mark(heads: Sequence[str], mark: str) -> int | None:
    """Returns the number of the entry after which a log has this mark, or this head of 64 digits; None if none has.

    `heads` are those of its chain, from the one before the first entry on: 0 is the mark there. Of several entries with
    the same mark, it is the last.
    """
    whole = len(mark) > LENGTH + 1
    return max((n for n, head in enumerate(heads) if mark == (head if whole else mark_of(head))), default=None)


# --- the chain -----------------------------------------------------------------------------------------------

Seals = Mapping[str, str]
"""Path -> seal, in 64 hexadecimal digits."""
Salts = Mapping[str, str]
"""Path -> salt, in 64 hexadecimal digits."""

AT, BY, EVENT = "at", "by", "event"
ENVELOPE = (AT, BY)
"""What has a seal in the envelope of an answer to a question of a window."""


def first_head(
    *, commitment: str, deal: str, game: str, options: Mapping[str, Any], seats: int, words: Sequence[str],
    table: str | None = None,
) -> str:  # fmt: skip
    """Returns the head before the first entry: it binds what the header of the log says.

    `options` is the JSON object as the match was set up with it. `table` is None unless other tables share the deal.
    """
    header = {
        "commitment": commitment, "deal": deal, "game": game, "options": options, "seats": seats, "words": words,
    }  # fmt: skip
    if table is not None:
        header["table"] = table
    return hashlib.sha256(b"pbem/2|chain|" + encode(header)).hexdigest()


def next_head(head: str, entry: AnyEntry, sealed: Seals) -> str:
    """Returns the head after this entry, which may be redacted for any viewer.

    A hidden value is None, and in a tuple None for each element.
    """
    changes: dict[str, Any] = {}
    for path in sealed:
        if path not in ENVELOPE:
            name, place = _field_and_place(path)
            value = changes[name] if name in changes else getattr(entry.event, name)
            changes[name] = hide(value) if place is None else (*value[:place], hide(value[place]), *value[place + 1 :])
    shown = {
        "at": None if AT in sealed else entry.at, "by": None if BY in sealed else entry.by,
        "event": msgspec.structs.replace(entry.event, **changes) if changes else entry.event,
        "key": entry.key, "n": entry.n, "sealed": sealed,
    }  # fmt: skip
    return head_after_shown_entry(head, shown)


def head_after_shown_entry(head: str, shown: Mapping[str, Any]) -> str:
    """Returns the head after an entry of which everybody sees this JSON object, with its seals."""
    return hashlib.sha256(f"pbem/2|entry|{head}|".encode() + encode(shown)).hexdigest()


def heads(first: str, entries: Iterable[AnyEntry], sealed: Iterable[Seals]) -> Iterator[str]:
    """Yields the head after each entry. `first` is the head before them."""
    for entry, seals in zip(entries, sealed, strict=True):
        first = next_head(first, entry, seals)
        yield first


def seals_and_salts_of_entry(key: bytes, entry: AnyEntry, *, window: bool) -> tuple[dict[str, str], dict[str, str]]:
    """Returns the seals of an entry in which nothing is hidden, and their salts. `key` is that of the table's seals.

    `window`: it answers a question of a window.
    """
    salts = {path: salt_of_value(key, entry.n, path) for path in paths_with_seal(entry.event, window=window)}
    return {path: seal_of_value(one, _found_at(entry, path)) for path, one in salts.items()}, salts


def paths_with_seal(event: Event, *, window: bool) -> list[str]:
    """Returns the paths of the values that have a seal: what not everybody may see, of a tuple each seat's element.

    `window`: the entry answers a question of a window.
    """
    paths = [*ENVELOPE] if window else []
    for name, marks in marks_of(type(event)).items():
        kinds = [mark.kind for mark in marks if not (mark.unless and getattr(event, mark.unless))]
        if "each" in kinds:
            paths += [f"{EVENT}.{name}.{i}" for i in range(len(getattr(event, name)))]
        elif kinds:
            paths.append(f"{EVENT}.{name}")
    return paths


def salt_of_value(key: bytes, n: int, path: str) -> str:
    """Returns the salt of the value at this path in entry `n`. `key` is that of the table's seals."""
    keyed = _new_hmac_of_key(key).copy()
    keyed.update(b"pbem/2|salt|%d|%b" % (n, path.encode()))
    return keyed.hexdigest()


@lru_cache(maxsize=64)
def _new_hmac_of_key(key: bytes) -> hmac.HMAC:
    """Returns an HMAC under this key, to be copied: that takes less time than to begin a new one for each salt."""
    return hmac.new(key, digestmod="sha256")


def seal_of_value(salt: str, value: Any) -> str:
    """Returns the seal of a JSON value."""
    return hashlib.sha256(f"pbem/2|seal|{salt}|".encode() + encode(value)).hexdigest()


def salts_shown(entry: AnyEntry, salts: Salts) -> dict[str, str]:
    """Returns those of its salts whose values the entry, as its viewer sees it, shows."""
    return {path: one for path, one in salts.items() if not _is_hidden(_found_at(entry, path))}


def salts_shown_from_key(key: bytes, entry: AnyEntry, sealed: Seals) -> dict[str, str]:
    """Returns the salts of those sealed values that the entry, as its viewer sees it, shows."""
    return {path: salt_of_value(key, entry.n, path) for path in sealed if not _is_hidden(_found_at(entry, path))}


def value_at(entry: AnyEntry, path: str) -> Any:
    """Returns the value at this path of the entry, as JSON has it: dicts, tuples and scalars. Raises if it has none."""
    return msgspec.to_builtins(_found_at(entry, path), builtin_types=(tuple,))


def first_broken_seal(entry: AnyEntry, sealed: Seals, salts: Salts) -> str | None:
    """Returns the first path whose value, as the entry shows it, does not fit its seal and salt; None if all fit.

    A value that is shown needs a salt: without one it is bound to nothing. Neither does a salt without a seal fit.
    """
    for path in sealed:
        if path not in salts and not _is_hidden(_found_at(entry, path)):
            return path
    for path, one in salts.items():
        if path not in sealed or sealed[path] != seal_of_value(one, _found_at(entry, path)):
            return path
    return None


def _found_at(entry: AnyEntry, path: str) -> Any:
    """Returns the value at this path of the entry.

    Raises KeyError, IndexError, TypeError or ValueError if there is none.
    """
    if path in ENVELOPE:
        return getattr(entry, path)
    name, place = _field_and_place(path)
    if name not in entry.event.__struct_fields__:
        raise KeyError(name)
    value = getattr(entry.event, name)
    return value if place is None else value[place]


@lru_cache(maxsize=1024)
def _field_and_place(path: str) -> tuple[str, int | None]:
    """Returns the field of the event that a path names, and the place in it if it names one. Raises ValueError."""
    _, name, *place = path.split(".")
    return name, int(place[0]) if place else None


def _is_hidden(value: Any) -> bool:
    """True if the value is hidden; an empty tuple is not, for its length is public."""
    if isinstance(value, tuple):
        return bool(value) and all(map(_is_hidden, value))
    return value is None or value == By()
