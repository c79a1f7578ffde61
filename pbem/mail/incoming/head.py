"""The header fields of a mail, read strictly: whatever two programs could read differently is not read at all."""

import re
from dataclasses import dataclass

_LINE_END = re.compile(rb"\r?\n")
_FIELD = re.compile(rb"([\x21-\x39\x3b-\x7e]+):")
_CONTROL = re.compile(rb"[\0-\x08\x0b\x0c\x0e-\x1f\x7f]|\r(?!\n)")
"""The standard library ends lines at some of these."""
_MOST_BYTES = 512 * 1024
_ATOM = re.compile(r'[^\s()"\\;=,:<>]+')
_PLAIN = re.compile(r'[^()"\\]+')
_DEPTH = 20
_ADDRESS = re.compile(r"[^\s@]+@[^\s@]+")


class Malformed(ValueError):
    """The head, or a field of it, does not follow its grammar."""


@dataclass(frozen=True)
class Word:
    """A token of a structured field: an atom, a quoted string (without its quotes), or one of ``; = , : < >``."""

    text: str
    quoted: bool = False
    spaced: bool = False
    """True if white space or a comment stands before it."""

    def is_mark(self, mark: str) -> bool:
        """True if this is the punctuation mark, not the same character in quotes."""
        return self.text == mark and not self.quoted


def read_fields(raw: bytes) -> list[tuple[str, str]]:
    """Returns the fields of the head, from the top: their names in lower case, and their unfolded values.

    Raises Malformed for a line that is no field, a control character, a bare CR, or a head of more than 512 KB.
    """
    end = re.search(rb"\r?\n\r?\n|\A\r?\n", raw)
    head = raw[: end.start()] if end else raw
    if len(head) > _MOST_BYTES or _CONTROL.search(head):
        raise Malformed("head")
    found: list[tuple[str, str]] = []
    for line in _LINE_END.split(head):
        text = line.decode("utf-8", "surrogateescape")
        if line[:1] in (b" ", b"\t") and found:
            found[-1] = (found[-1][0], found[-1][1] + text)
        elif match := _FIELD.match(line):
            found.append((match[1].decode("ascii").lower(), text[match.end() :]))
        elif line or found:
            raise Malformed("line")
    return found


def read_words(value: str) -> list[Word]:
    """Returns the tokens of a structured field. Comments, also nested ones, are left out. Raises Malformed."""
    words: list[Word] = []
    at, spaced = 0, False
    while at < len(value):
        character = value[at]
        if character.isspace():
            at, spaced = at + 1, True
        elif character == "(":
            at, spaced = _end_of_comment(value, at), True
        elif character == '"':
            text, at = _quoted(value, at)
            words.append(Word(text, quoted=True, spaced=spaced))
            spaced = False
        elif character in ";=,:<>":
            words.append(Word(character, spaced=spaced))
            at, spaced = at + 1, False
        elif match := _ATOM.match(value, at):
            words.append(Word(match[0], spaced=spaced))
            at, spaced = match.end(), False
        else:
            raise Malformed("character")
    return words


def read_author(fields: list[tuple[str, str]]) -> str:
    """Returns the address of the one author in the one From field. Raises Malformed."""
    values = [value for name, value in fields if name == "from"]
    if len(values) != 1:
        raise Malformed("from")
    words = read_words(values[0])
    opened = [number for number, word in enumerate(words) if word.is_mark("<")]
    if opened:
        if len(opened) != 1 or not words[-1].is_mark(">"):
            raise Malformed("from")
        before, words = words[: opened[0]], words[opened[0] + 1 : -1]
        if any(word.is_mark(mark) for word in before for mark in ",;<>"):
            raise Malformed("from")
    if len(words) != 1 or words[0].quoted or not _ADDRESS.fullmatch(words[0].text):
        raise Malformed("from")
    return words[0].text


def _quoted(value: str, at: int) -> tuple[str, int]:
    """Returns the text of the quoted string that begins at `at`, and where it ends."""
    said = ""
    at += 1
    while at < len(value) and value[at] != '"':
        if value[at] == "\\":
            said, at = said + value[at + 1 : at + 2], at + 2
        elif match := re.compile(r'[^"\\]+').match(value, at):
            said, at = said + match[0], match.end()
    if at >= len(value):
        raise Malformed("quoted string")
    return said, at + 1


def _end_of_comment(value: str, at: int) -> int:
    depth = 0
    while at < len(value):
        if value[at] == "\\":
            at += 2
            continue
        depth += {"(": 1, ")": -1}.get(value[at], 0)
        at += 1
        if depth == 0:
            return at
        if depth > _DEPTH:
            break
    raise Malformed("comment")
