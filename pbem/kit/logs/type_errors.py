"""A decoder's errors in both languages, for people who wrote the JSON or were given it."""

import re
from collections.abc import Callable, Mapping

import msgspec

from pbem.kit.notation import french
from pbem.kit.texts import Text

_KINDS: Mapping[str, Text] = {
    "int": Text(fr="un nombre entier", en="a whole number"),
    "float": Text(fr="un nombre", en="a number"),
    "str": Text(fr="un mot entre guillemets", en="a word in quotes"),
    "bool": Text(fr="true ou false", en="true or false"),
    "null": Text(fr="null", en="null"),
    "object": Text(fr="des noms et des valeurs entre { }", en="a set of names and values in { }"),
    "array": Text(fr="une liste entre [ ]", en="a list in [ ]"),
}
_OTHER = Text(fr="autre chose", en="something else")
_NOT_JSON = Text(fr="ce n’est pas du JSON", en="it is not JSON")
_BROKEN_OFF = Text(fr="cela s’arrête avant la fin", en="it breaks off before its end")
_UNFIT = Text(fr="cela n’a pas la forme attendue", en="it does not have the form that is expected")
_WHERE = re.compile(r"^(?P<what>.*?)(?: - at `(?P<path>[^`]*)`)?$", re.DOTALL)
_BYTE = re.compile(r" \(byte (\d+)\)$")
_STEP = re.compile(r"\.([A-Za-z_][A-Za-z0-9_]*)|\[(\d+|\.\.\.)\]")


def in_words(error: Exception, data: bytes = b"") -> Text:
    """Returns what is wrong and where in the document, in plain words.

    Given the document, it names the character where it stops being JSON: a decoder counts bytes.

    >>> in_words(msgspec.ValidationError("Object contains unknown field `a`")).en
    'it has “a”, which has no place there'
    >>> in_words(msgspec.ValidationError("Expected `int` <= 5 - at `$.event.seat`")).en
    'in event.seat: at most 5 is allowed'
    >>> in_words(msgspec.DecodeError("JSON is malformed: trailing characters (byte 2)"), "é x".encode()).en
    'it is not JSON, from character 2 on'
    """
    found = _WHERE.match(_BYTE.sub(lambda at: _character(data, int(at[1])), str(error)))
    assert found is not None, "every text matches"
    reason = _reason(found["what"]) if isinstance(error, msgspec.MsgspecError) else _NOT_JSON
    where = "".join(f".{name}" if name else f"[{number}]" for name, number in _STEP.findall(found["path"] or ""))
    where = where.removeprefix(".")
    if not where:
        return Text(fr=french(reason.fr), en=reason.en)
    return Text(fr=french(f"dans {where} : {reason.fr}"), en=f"in {where}: {reason.en}")


def _character(data: bytes, byte: int) -> str:
    return f" (character {len(data[:byte].decode(errors='ignore')) + 1})" if data else ""


def _reason(what: str) -> Text:
    for pattern, words in _REASONS:
        if found := pattern.fullmatch(what):
            return words(found)
    return _UNFIT


def _kinds(named: str) -> Text:
    """Returns the kinds of a type that a decoder writes as "int | null"."""
    kinds = [_KINDS.get(name, _OTHER) for name in named.split(" | ")]
    return Text(fr=" ou ".join(kind.fr for kind in kinds), en=" or ".join(kind.en for kind in kinds))


def _other_kind(found: re.Match[str]) -> Text:
    wanted = _kinds(found[1])
    if found[2] is None:
        return Text(fr=f"il y faut {wanted.fr}", en=f"{wanted.en} is expected")
    got = _kinds(found[2])
    return Text(fr=f"il y faut {wanted.fr}, pas {got.fr}", en=f"{wanted.en} is expected, not {got.en}")


def _bound(found: re.Match[str]) -> Text:
    most = found[1] == "<="
    return Text(
        fr=f"{found[2]} est le plus {'grand' if most else 'petit'} nombre permis",
        en=f"at {'most' if most else 'least'} {found[2]} is allowed",
    )


def _length(found: re.Match[str]) -> Text:
    one = found[3] == "1"
    fr, en = {"<=": ("au plus", "at most"), ">=": ("au moins", "at least"), None: ("exactement", "exactly")}[found[2]]
    of_fr, of_en = ("lettre", "letter") if found[1] == "str" else ("élément", "item")
    return Text(
        fr=f"il y faut {fr} {found[3]} {of_fr if one else of_fr + 's'}",
        en=f"{en} {found[3]} {of_en + ' is' if one else of_en + 's are'} expected",
    )


_REASONS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], Text]], ...] = (
    (
        re.compile(r"Object contains unknown field `(.*)`", re.DOTALL),
        lambda m: Text(fr=f"« {m[1][:40]} » n’y a pas sa place", en=f"it has “{m[1][:40]}”, which has no place there"),
    ),
    (
        re.compile(r"Object missing required field `(.*)`"),
        lambda m: Text(fr=f"il manque « {m[1]} »", en=f"“{m[1]}” is missing"),
    ),
    (re.compile(r"Expected `([^`]*)`(?:, got `([^`]*)`)?"), _other_kind),
    (re.compile(r"Expected `(?:int|float)` (<=|>=) (-?[0-9.]+)"), _bound),
    (re.compile(r"Expected `(str|array|object)` of length (?:(<=|>=) )?(\d+)"), _length),
    (
        re.compile(r"Expected `str` matching regex .*", re.DOTALL),
        lambda _: Text(fr="ce n’est pas écrit comme il faut", en="it is not written as it must be"),
    ),
    (
        re.compile(r"Invalid (?:enum )?value (.*)", re.DOTALL),
        lambda m: Text(
            fr=f"{m[1][:60]} n’est rien de ce qui peut s’y trouver", en=f"{m[1][:60]} is nothing that can stand there"
        ),
    ),
    (re.compile(r"Input data was truncated"), lambda _: _BROKEN_OFF),
    (
        re.compile(r"JSON is malformed: .* \(character (\d+)\)", re.DOTALL),
        lambda m: Text(
            fr=f"{_NOT_JSON.fr}, à partir du caractère {m[1]}",
            en=f"{_NOT_JSON.en}, from character {m[1]} on",
        ),
    ),
    (re.compile(r"JSON is malformed.*|Invalid UTF.*", re.DOTALL), lambda _: _NOT_JSON),
)
