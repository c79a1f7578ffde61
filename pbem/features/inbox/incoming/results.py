"""Reads the Authentication-Results (RFC 8601) that our own mail server has written, and no others.

A sender can write such a block, too, and where our server adds none, the first one is theirs. So a block vouches for a
mail only in the one place that no sender reaches: above the topmost Received field, which one of our servers must have
written, with no other Authentication-Results beside it. Whatever a sender has written stands below that Received.

What a block with our server's name says *against* a mail also counts further down, up to the first Received of another
server: nobody forges that their own mail has failed.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import reduce
from ipaddress import ip_address
from itertools import pairwise, takewhile

import regex

from pbem.environment import is_loopback

# --- fields of the head --------------------------------------------------------------------------------------


_LINE_END = re.compile(rb"\r?\n")
_FIELD_LINE = re.compile(rb"([\x21-\x39\x3b-\x7e]+):")
_CONTROL = re.compile(rb"[\0-\x08\x0b\x0c\x0e-\x1f\x7f]|\r(?!\n)")
"""The standard library ends lines at some of these."""
_MOST_BYTES = 512 * 1024
_DEPTH = 20
"""How deep comments may stand in each other. Without a bound, half a megabyte of brackets would take 240 MB to read."""
_COMMENT = reduce(lambda inner, _: rf"\((?:[^()\\]++|\\.|{inner})*+\)", range(_DEPTH), "(?!)")
_TOKEN = regex.compile(
    rf"(?P<gap>\s+|{_COMMENT})"
    r'|"(?P<quoted>(?:[^"\\]++|\\.)*+)"|(?P<text>[;=,:<>]|[^\s()"\\;=,:<>]+)',
    regex.DOTALL,
)
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


def fields_of_head(raw: bytes) -> list[tuple[str, str]]:
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
        elif match := _FIELD_LINE.match(line):
            found.append((match[1].decode("ascii").lower(), text[match.end() :]))
        elif line or found:
            raise Malformed("line")
    return found


def tokens_of_field(value: str) -> list[Word]:
    """Returns the tokens of a structured field. Comments, also nested ones, are left out. Raises Malformed."""
    words: list[Word] = []
    at, spaced = 0, False
    while at < len(value):
        found = _TOKEN.match(value, at)
        if found is None:
            raise Malformed("token")
        at, quoted = found.end(), found["quoted"]
        if quoted is not None:
            words.append(Word(regex.sub(r"\\(.)", r"\1", quoted, flags=regex.DOTALL), quoted=True, spaced=spaced))
        elif found["text"] is not None:
            words.append(Word(found["text"], spaced=spaced))
        spaced = found["gap"] is not None
    return words


def address_of_only_author(fields: list[tuple[str, str]]) -> str:
    """Returns the address of the one author in the one From field. Raises Malformed."""
    values = [value for name, value in fields if name == "from"]
    if len(values) != 1:
        raise Malformed("from")
    words = tokens_of_field(values[0])
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


# --- results -------------------------------------------------------------------------------------------------


_FIELD = "authentication-results"


@dataclass(frozen=True)
class Result:
    """What a server found by one method, in lower case: ``dkim``, ``pass``, ``{"header.d": "example.org"}``."""

    method: str
    result: str
    properties: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Block:
    """One Authentication-Results field."""

    server: str
    results: tuple[Result, ...]


def results_of_our_servers(fields: Sequence[tuple[str, str]], trusted: Sequence[str]) -> tuple[Result, ...]:
    """Returns what our servers, whose authserv-ids are `trusted`, say about the mail; nothing if they do not.

    `fields` are those of its head, from the top.
    """
    own = {server.casefold() for server in trusted}
    above = _blocks_of_our_server(fields, own)
    block = _block_of_our_server(above[0], own) if len(above) == 1 else None
    if block is not None:
        return block.results
    ours = takewhile(lambda field: field[0] != "received" or _is_received_by(field[1], own), fields)
    blocks = [_block_of_our_server(value, own) for name, value in ours if name == _FIELD]
    return tuple(result for block in blocks if block for result in block.results if result.result == "fail")


def has_several_blocks(fields: Sequence[tuple[str, str]], trusted: Sequence[str]) -> bool:
    """True if one of our servers has written several blocks, of which none is believed. No sender can have."""
    own = {server.casefold() for server in trusted}
    above = _blocks_of_our_server(fields, own)
    return len(above) > 1 and any(_block_of_our_server(value, own) is not None for value in above)


def _blocks_of_our_server(fields: Sequence[tuple[str, str]], own: set[str]) -> list[str]:
    """Returns the blocks above the topmost Received; none if that is not one of our servers'."""
    received = next((number for number, (name, _value) in enumerate(fields) if name == "received"), None)
    if received is None or not _is_received_by(fields[received][1], own):
        return []
    return [value for name, value in fields[:received] if name == _FIELD]


def _block_of_our_server(value: str, own: set[str]) -> Block | None:
    """Returns the block if it can be read and one of our servers is named in it."""
    try:
        block = read_authentication_results(value)
    except Malformed:
        return None
    return block if block.server in own else None


def read_authentication_results(value: str) -> Block:
    """Returns the value of an Authentication-Results field, read. Raises Malformed.

    >>> read_authentication_results('mx.example.org; dkim=fail (not dkim=pass) header.d=example.org').results
    (Result(method='dkim', result='fail', properties={'header.d': 'example.org'}),)
    """
    parts: list[list[Word]] = [[]]
    for word in tokens_of_field(value):
        if word.is_mark(";"):
            parts.append([])
        else:
            parts[-1].append(word)
    head, *rest = parts
    if rest and not rest[-1]:
        rest.pop()  # some servers end with a semicolon
    if not head or len(head) > 2 or (len(head) == 2 and head[1].text != "1") or not rest:
        raise Malformed("authserv-id")
    if len(rest) == 1 and [word.text.lower() for word in rest[0]] == ["none"]:
        return Block(head[0].text.casefold(), ())
    return Block(head[0].text.casefold(), tuple(map(_read_result, rest)))


def _read_result(words: Sequence[Word]) -> Result:
    pairs = _names_and_values(words)
    if not pairs:
        raise Malformed("result")
    (method, result), *properties = pairs
    names = [name for name, _value in properties]
    if len(set(names)) != len(names):
        raise Malformed("property twice")
    return Result(method.partition("/")[0], result.lower(), {name: value.lower() for name, value in properties})


def _names_and_values(words: Sequence[Word]) -> list[tuple[str, str]]:
    """Returns the names, in lower case, and the values of ``name=value name="value" …``."""
    pairs: list[tuple[str, str]] = []
    at = 0
    while at < len(words):
        name, *after = words[at : at + 3]
        if name.quoted or len(after) < 2 or not after[0].is_mark("=") or after[1].is_mark("="):
            raise Malformed("name=value")
        value, at = after[1].text, at + 3
        while at < len(words) and not words[at].spaced:  # "local part"@example.org, or an IPv6 address
            if words[at].is_mark("="):
                raise Malformed("=")
            value, at = value + words[at].text, at + 1
        pairs.append((name.text.lower(), value))
    return pairs


def _is_received_by(value: str, own: set[str]) -> bool:
    """True if one of our servers, or a machine that it names by its number alone, has written this Received field."""
    try:
        words = tokens_of_field(value)
    except Malformed:
        return False
    hosts = [after.text for word, after in pairwise(words) if word.text.lower() == "by"]
    if len(hosts) != 1:
        return False
    host = hosts[0].casefold()
    return (
        is_loopback(host)
        or _is_ip_address(host)
        or any(host == server or host.endswith(f".{server}") for server in own)
    )


def _is_ip_address(host: str) -> bool:
    try:
        ip_address(host.strip("[]"))
    except ValueError:
        return False
    return True
