"""Characters that look like nothing or like a blank, made one; and what of bytes can be read."""

import codecs
import re

import regex
import webencodings

UNSURE = "\ufffd"
"""Stands for what cannot be read for sure; no game reads it."""
_ENDS = re.compile(r"\r*\n")
_OVERRIDES = re.compile("[\u202d\u202e]")
"""They show what follows in another order than it is read in."""
_BLANKS = regex.compile(r"[\t\v\f\r\x1c-\x1e\x85\p{Zs}\p{Zl}\p{Zp}\u115f\u1160\u2800\u3164\uffa0]")
"""Also what programs of some countries take for the end of a line: what only some show as one is none."""
_NOTHING = regex.compile(r"[\p{Default_Ignorable_Code_Point}\ufff9-\ufffc[\p{Cc}--[\n]]\p{Cs}]", regex.V1)
_NO_CHARSETS = frozenset({"punycode", "idna", "unicode-escape", "unicode_escape", "raw-unicode-escape", "undefined"})
"""Codecs of Python that no mail is written in."""
_WINDOWS, _JAPANESE = "cp1252", "iso-2022-jp"
_SUPERSETS = {"gbk": "gb18030"}
_MARKS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
_ESCAPE = re.compile(rb"\x1b(?:\$[@B]|\([IJ])")
_SHIFT = re.compile(rb"\$[@B]|\$\([A-Z]|\([A-Z]")


def normalize_blanks_and_invisibles(text: str) -> str:
    """Returns the text with plain blanks, "\\n" at the ends of lines, and nothing that cannot be seen.

    >>> normalize_blanks_and_invisibles("F3\\u200b\\u00a0!\\r\\n")
    'F3 !\\n'
    >>> normalize_blanks_and_invisibles("say hello\\u2028F3"), normalize_blanks_and_invisibles("\\u202e91")
    ('say hello F3', '\ufffd91')
    """
    text = _OVERRIDES.sub(UNSURE, _ENDS.sub("\n", text))
    return str(_NOTHING.sub("", _BLANKS.sub(" ", text)))


def decode_text(octets: bytes, charset: str | None, most: int = 1_000_000) -> str:
    """Returns the bytes, or the first this many, as text: by the name of their charset as browsers take it, or UTF-8.

    A name stands for its superset of Windows (WHATWG). What is no character there is replaced. Text that claims to be
    ASCII, Latin or nothing is UTF-8, or ISO-2022-JP by its escapes, if it can be, else as Windows has it.

    >>> decode_text("é".encode(), "x-unknown"), decode_text(b"\\xe9\\x80", "iso-8859-1")
    ('é', 'é€')
    >>> decode_text(b"\\x1b$B-!", None)
    '①'
    """
    whole, octets = len(octets) <= most, octets[:most]
    marked = next((name for mark, name in _MARKS if octets.startswith(mark)), None)
    name = marked or _codec_name(charset)
    if name in (None, _WINDOWS) and octets.isascii() and _ESCAPE.search(octets):
        name = _JAPANESE
    if name == _JAPANESE:
        return _decode_japanese(octets)
    for candidate in (name, "utf-8"):
        if candidate not in (None, _WINDOWS):
            try:
                return _decode_by_codec(octets, candidate, "strict", whole)
            except UnicodeError:
                continue
    if name in (None, "utf-8"):
        text = _decode_by_codec(octets, "utf-8", "replace", whole)
        bad, known = text.count(UNSURE), sum(not one.isascii() for one in text)
        name = "utf-8" if known >= 2 * bad else _WINDOWS
    return _decode_by_codec(octets, name, "replace", whole)


def _decode_by_codec(octets: bytes, name: str, errors: str, whole: bool) -> str:
    return codecs.getincrementaldecoder(name)(errors).decode(octets, final=whole)


def _codec_name(charset: str | None) -> str | None:
    """Returns Python's name of the charset; None if there is none that mails are written in."""
    found = webencodings.lookup(charset or "")
    if found is not None and found.name not in ("replacement", "x-user-defined"):
        return _JAPANESE if found.name == _JAPANESE else _SUPERSETS.get(found.name, str(found.codec_info.name))
    try:
        " ".encode(charset or "")  # refuses what is no charset; an empty text would pass even as zlib
        name = codecs.lookup(charset or "").name
    except (LookupError, ValueError):
        return None
    return None if name in _NO_CHARSETS else name


def _decode_japanese(octets: bytes) -> str:
    """Returns ISO-2022-JP as Windows writes it (CP50220 to 50222), with characters that the standard has not.

    >>> _decode_japanese("say ありがとう".encode("iso2022_jp"))
    'say ありがとう'
    """
    text, shift = "", b"(B"
    for part in re.split(rb"\x1b(\$[@B]|\$\([A-Z]|\([A-Z])|(?=\n)", octets):
        if part is None:
            shift = b"(B"  # each line begins in ASCII
        elif _SHIFT.fullmatch(part):
            shift = part
        elif shift in (b"$@", b"$B"):
            text += _decode_jis_pairs(part)
        elif shift == b"(I":
            text += bytes(byte | 0x80 for byte in part).decode("cp932", "replace")
        else:
            text += part.decode("ascii" if shift in (b"(B", b"(J") else "cp932", "replace")
    return text


def _decode_jis_pairs(part: bytes) -> str:
    """Returns characters of JIS X 0208 and of Windows, by their places in Shift_JIS."""
    shifted = b""
    for row, cell in zip(part[::2], part[1::2], strict=False):
        lead = (row + 1) // 2 + (0x70 if row < 0x5F else 0xB0)
        trail = cell + (0x7E if row % 2 == 0 else 0x1F if cell < 0x60 else 0x20)
        shifted += bytes((min(lead, 0xFF), min(trail, 0xFF)))
    return shifted.decode("cp932", "replace")
