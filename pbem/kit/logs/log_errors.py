"""What can be wrong with a log from elsewhere, or with JSON that is decoded; who finds it fills in the facts."""

import re
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from pbem.kit.notation import french
from pbem.kit.texts import Text

BYTES = Text(
    "un journal a au plus {most} octets, celui-ci en a {has}", "a log has at most {most} bytes, this has {has}"
)
DOCUMENT = Text("ce n’est pas un journal : {error}", "not a log document: {error}")
CHARSET = Text("ce n’est pas un journal : ni de l’UTF-8 ni de l’UTF-16", "not a log document: neither UTF-8 nor UTF-16")
DEEP = Text("ce n’est pas un journal : trop de niveaux imbriqués", "not a log document: nested too deeply")
TWICE = Text("« {name} » y figure deux fois dans un même objet", "it gives “{name}” twice in one object")
FORMAT = Text("le format est {has}, on lit ici {reads}", "the format is {has}, this reads {reads}")
ENTRIES = Text(
    "un journal a au plus {most} entrées, celui-ci en a {has}", "a log has at most {most} entries, this has {has}"
)
TABLE = Text(
    "un journal a au plus {most} entrées sur la tablée, celui-ci en a {has}",
    "a log has at most {most} entries about the table, this has {has}",
)
GAME = Text("aucun jeu d’ici ne s’appelle {slug}", "no game here is called {slug}")
EMPTY = Text("il n’a aucune entrée", "it has no entries")
DECISIONS = Text(
    "une partie de ce jeu se termine en {most} décisions au plus, celle-ci continue",
    "a match of this game ends within {most} decisions, this one goes on",
)
STATE = Text("la position où elle mène dépasse {most} octets", "the position it leads to takes more than {most} bytes")
BEGINNING = Text("un journal commence par les événements du jeu", "a log begins with the game's own events")
SEATS = Text("{game} ne se joue pas à {seats}", "{game} is not played by {seats}")
SEAT = Text("il n’y a pas de place {seat}", "there is no seat {seat}")
HEADER = Text("l’en-tête ne convient pas : {error}", "the header does not fit: {error}")
HEADER_FIELD = Text("« {field} » n’y est pas ce qu’un en-tête écrit", "its “{field}” is not what a header writes there")
DIGITS = Text("« {field} » n’a pas 64 chiffres hexadécimaux", "“{field}” has not 64 hexadecimal digits")
WORDS = Text(
    "un journal à {seats} places a autant d’empreintes de mots porte-bonheur, celui-ci en a {has}",
    "a log of {seats} seats has as many hashes of lucky words, this has {has}",
)
SEALED = Text("{path} y porte un sceau, et n’en a pas le droit", "{path} has a seal there, and may not have one")
BARE = Text("{path} n’y porte pas de sceau, et doit en avoir un", "{path} has no seal there, and must have one")
UNSEALED = Text("elle donne du sel pour {path}, qui n’a pas de sceau", "it gives salt for {path}, which has no seal")
TAKEBACKS = Text(
    "un journal reprend au plus {most} coups, celui-ci en reprend {has}",
    "a log takes back at most {most} moves, this takes back {has}",
)
BACK = Text(
    "elle revient à l’entrée {to}, où aucune décision qui compte encore ne s’arrête avant elle",
    "it goes back to entry {to}, at which no decision that still counts ends before it",
)
OTHERWISE = Text("un journal ne l’écrit pas ainsi", "a log does not write it like this")
SEED_HERE = Text(
    "un journal qui cache quelque chose ne montre pas la graine", "a log that hides something does not show the seed"
)
NO_SALTS = Text("elle donne du sel, qui découle déjà de la graine", "it gives salts, which follow from the seed")
ENVELOPE = Text("« {field} » n’y est pas ce qu’un journal écrit", "its “{field}” is not what a log writes there")
SEED = Text("la graine n’a pas 32 octets", "the seed has not 32 bytes")
UNREADABLE = Text("elle ne se lit pas : {error}", "it cannot be read: {error}")
NUMBER = Text("elle porte le numéro {has}", "it is numbered {has}")
SHARED_OUT = Text("{field} n’est pas pour {seats} places", "{field} is not for {seats} seats")
HIDDEN = Text(
    "elle cache quelque chose, dans un journal où rien n’est caché", "something is hidden, in a log with nothing hidden"
)
SHOWN = Text("elle montre ce que la place {seat} n’a pas le droit de voir", "it shows what seat {seat} may not see")
SHOWN_SPECTATOR = Text(
    "elle montre ce qu’un spectateur n’a pas le droit de voir", "it shows what a spectator may not see"
)
IMPOSSIBLE = Text("elle ne découle pas de ce qui précède", "it does not follow from what came before")
OTHER_SEATS = Text("elle n’est pas pour {seats} places", "it is not for {seats} seats")
SILENT = Text("il ne raconte rien", "it tells no story")
UNTELLABLE = Text("elle ne peut pas être racontée", "it cannot be told")
INDESCRIBABLE = Text(
    "la position où elle mène ne peut pas être décrite", "the position it leads to cannot be described"
)


class BadLog(ValueError):
    """A document that is not a log of a known game. `entry` is the number of the one at fault, None for the header.

    `said` is the reason in both languages.
    """

    def __init__(self, why: Text, entry: int | None = None, **facts: Any) -> None:
        self.said = why.fill(**facts)
        self.why = self.said.en
        self.entry = entry
        super().__init__(f"entry {entry}: {self.why}" if entry is not None else self.why)


# --- decoding errors -----------------------------------------------------------------------------------------

_KINDS: Mapping[str, Text] = {
    "int": Text("un nombre entier", "a whole number"),
    "float": Text("un nombre", "a number"),
    "str": Text("un mot entre guillemets", "a word in quotes"),
    "bool": Text("true ou false", "true or false"),
    "null": Text("null", "null"),
    "object": Text("des noms et des valeurs entre { }", "a set of names and values in { }"),
    "array": Text("une liste entre [ ]", "a list in [ ]"),
}
_OTHER = Text("autre chose", "something else")
_NOT_JSON = Text("ce n’est pas du JSON", "it is not JSON")
_BROKEN_OFF = Text("cela s’arrête avant la fin", "it breaks off before its end")
_UNFIT = Text("cela n’a pas la forme attendue", "it does not have the form that is expected")
_WHERE = re.compile(r"^(?P<what>.*?)(?: - at `(?P<path>[^`]*)`)?$", re.DOTALL)
_BYTE = re.compile(r" \(byte (\d+)\)$")
_STEP = re.compile(r"\.([A-Za-z_][A-Za-z0-9_]*)|\[(\d+|\.\.\.)\]")


def log_error_in_words(error: Exception, data: bytes = b"") -> Text:
    """Returns what is wrong and where in the document, in plain words.

    Given the document, it names the character where it stops being JSON: a decoder counts bytes.

    >>> log_error_in_words(msgspec.ValidationError("Object contains unknown field `a`")).en
    'it has “a”, which has no place there'
    >>> log_error_in_words(msgspec.ValidationError("Expected `int` <= 5 - at `$.event.seat`")).en
    'in event.seat: at most 5 is allowed'
    >>> log_error_in_words(msgspec.DecodeError("JSON is malformed: trailing characters (byte 2)"), "é x".encode()).en
    'it is not JSON, from character 2 on'
    """

    def name_character(at: re.Match[str]) -> str:
        return f" (character {len(data[: int(at[1])].decode(errors='ignore')) + 1})" if data else ""

    found = _WHERE.match(_BYTE.sub(name_character, str(error)))
    assert found is not None, "every text matches"
    reason = _reason_in_words(found["what"]) if isinstance(error, msgspec.MsgspecError) else _NOT_JSON
    where = "".join(f".{name}" if name else f"[{number}]" for name, number in _STEP.findall(found["path"] or ""))
    where = where.removeprefix(".")
    if not where:
        return Text(french(reason.fr), reason.en)
    return Text(french(f"dans {where} : {reason.fr}"), f"in {where}: {reason.en}")


def _reason_in_words(what: str) -> Text:
    for pattern, words in _REASONS:
        if found := pattern.fullmatch(what):
            return words(found)
    return _UNFIT


def _type_in_words(named: str) -> Text:
    """Returns the kinds of a type that a decoder writes as "int | null"."""
    kinds = [_KINDS.get(name, _OTHER) for name in named.split(" | ")]
    return Text(" ou ".join(kind.fr for kind in kinds), " or ".join(kind.en for kind in kinds))


def _wrong_type_in_words(found: re.Match[str]) -> Text:
    wanted = _type_in_words(found[1])
    if found[2] is None:
        return Text(f"il y faut {wanted.fr}", f"{wanted.en} is expected")
    got = _type_in_words(found[2])
    return Text(f"il y faut {wanted.fr}, pas {got.fr}", f"{wanted.en} is expected, not {got.en}")


def _bound_in_words(found: re.Match[str]) -> Text:
    most = found[1] == "<="
    return Text(
        f"{found[2]} est le plus {'grand' if most else 'petit'} nombre permis",
        f"at {'most' if most else 'least'} {found[2]} is allowed",
    )


def _length_in_words(found: re.Match[str]) -> Text:
    one = found[3] == "1"
    fr, en = {"<=": ("au plus", "at most"), ">=": ("au moins", "at least"), None: ("exactement", "exactly")}[found[2]]
    of_fr, of_en = ("lettre", "letter") if found[1] == "str" else ("élément", "item")
    return Text(
        f"il y faut {fr} {found[3]} {of_fr if one else of_fr + 's'}",
        f"{en} {found[3]} {of_en + ' is' if one else of_en + 's are'} expected",
    )


_REASONS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], Text]], ...] = (
    (
        re.compile(r"Object contains unknown field `(.*)`", re.DOTALL),
        lambda m: Text(f"« {m[1][:40]} » n’y a pas sa place", f"it has “{m[1][:40]}”, which has no place there"),
    ),
    (
        re.compile(r"Object missing required field `(.*)`"),
        lambda m: Text(f"il manque « {m[1]} »", f"“{m[1]}” is missing"),
    ),
    (re.compile(r"Expected `([^`]*)`(?:, got `([^`]*)`)?"), _wrong_type_in_words),
    (re.compile(r"Expected `(?:int|float)` (<=|>=) (-?[0-9.]+)"), _bound_in_words),
    (re.compile(r"Expected `(str|array|object)` of length (?:(<=|>=) )?(\d+)"), _length_in_words),
    (
        re.compile(r"Expected `str` matching regex .*", re.DOTALL),
        lambda _: Text("ce n’est pas écrit comme il faut", "it is not written as it must be"),
    ),
    (
        re.compile(r"Invalid (?:enum )?value (.*)", re.DOTALL),
        lambda m: Text(
            f"{m[1][:60]} n’est rien de ce qui peut s’y trouver", f"{m[1][:60]} is nothing that can stand there"
        ),
    ),
    (re.compile(r"Input data was truncated"), lambda _: _BROKEN_OFF),
    (
        re.compile(r"JSON is malformed: .* \(character (\d+)\)", re.DOTALL),
        lambda m: Text(f"{_NOT_JSON.fr}, à partir du caractère {m[1]}", f"{_NOT_JSON.en}, from character {m[1]} on"),
    ),
    (re.compile(r"JSON is malformed.*|Invalid UTF.*", re.DOTALL), lambda _: _NOT_JSON),
)
