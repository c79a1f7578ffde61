"""Sessions: text files of expressions, each with the answer below it, all of which are stored and compared.

    python -m tests.kit.sessions [NAME]

writes the answers of all sessions, or of this one, again; read what has changed. A session is written
like one at Python's prompt. An answer shows every field of what is returned, or what was raised.
"""

from __future__ import annotations

import doctest
import sys
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import fields, is_dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import msgspec

KIT = Path(__file__).parent
FOLDERS = (KIT, *sorted(Path(__file__).parents[2].glob("features/*/sessions")))
WIDTH, MODULE = 118, "session"
PYTHONS_OWN = (AttributeError, IndexError, KeyError, TypeError)
"""What these say changes from one version of Python to the next."""


def answer_again(text: str) -> str:
    """Returns the text of a session with the answers that its expressions give now."""
    module = sys.modules[MODULE] = ModuleType(MODULE)  # where annotations of classes look for names
    found = []
    try:
        for part in doctest.DocTestParser().parse(text):
            if isinstance(part, str):
                found.append(part)
            else:
                first, *more = part.source.removesuffix("\n").split("\n")
                found += [f">>> {first}\n", *(f"... {line}".rstrip() + "\n" for line in more)]
                found += [f"{line}\n" for line in _answer(part.source, vars(module))]
    finally:
        del sys.modules[MODULE]
    return "".join(found)


def _answer(source: str, names: dict[str, Any]) -> list[str]:
    try:
        code = compile(source, "<session>", "eval")
    except SyntaxError:
        exec(compile(source, "<session>", "exec"), names)
        return []
    try:
        return [*lines_of(eval(code, names))]
    except PYTHONS_OWN as error:
        return [f"!! {type(error).__name__}"]
    except Exception as error:  # noqa: BLE001 - whatever it is, it is the answer
        return [line.rstrip(": ") for line in f"!! {type(error).__name__}: {error}".split("\n")]


def lines_of(value: Any, indent: str = "", label: str = "") -> Iterator[str]:
    """Yields the value in one line, or its parts in one each where that is too long."""
    whole, (before, parts, after) = in_a_line(value), _parts(value)
    if not parts or len(indent) + len(label) + len(whole) <= WIDTH:
        yield f"{indent}{label}{whole}"
        return
    yield f"{indent}{label}{before}"
    for name, part in parts:
        yield from lines_of(part, f"{indent}  ", name)
    yield f"{indent}{after}"


def in_a_line(value: Any) -> str:
    """Returns the value in one line, the same in every process and on every machine."""
    before, parts, after = _parts(value)
    if after:
        return f"{before}{', '.join(f'{name}{in_a_line(part)}' for name, part in parts)}{after}"
    if isinstance(value, float):
        return f"{value:.12g}"
    if isinstance(value, bytes):
        return f"b'{value.hex()}'" if any(one > 126 for one in value) else repr(value)
    if hasattr(value, "meta"):
        return f"<{value.meta.slug}>"
    if callable(value):
        return f"<{getattr(value, '__qualname__', type(value).__name__)}>"
    return f"<{type(value).__name__}>" if " object at 0x" in repr(value) else repr(value)


def _parts(value: Any) -> tuple[str, Sequence[tuple[str, Any]], str]:
    """Returns what stands before, in and after a value that has parts; "" after any other."""
    name = type(value).__name__
    match value:
        case msgspec.Struct():
            return f"{name}(", [(f"{one}=", getattr(value, one)) for one in value.__struct_fields__], ")"
        case str() | bytes() | range():
            return "", (), ""
        case Mapping():
            return "{", [(f"{in_a_line(key)}: ", one) for key, one in value.items()], "}"
        case AbstractSet():
            return "{", [("", one) for one in sorted(value, key=in_a_line)], "}"
        case tuple() if hasattr(value, "__match_args__"):
            return f"{name}(", [(f"{one}=", getattr(value, one)) for one in value.__match_args__], ")"
        case tuple():
            return "(", [("", one) for one in value], ",)" if len(value) == 1 else ")"
        case Sequence():
            return "[", [("", one) for one in value], "]"
        case Iterator():
            raise TypeError("an iterator is used up when it is shown: make a list of it")
    if is_dataclass(value) and not isinstance(value, type) and not hasattr(value, "meta"):
        return f"{name}(", [(f"{one.name}=", getattr(value, one.name)) for one in fields(value)], ")"
    return "", (), ""


def files_of_sessions() -> dict[str, Path]:
    """Returns the file of each session by its name."""
    return {path.stem: path for folder in FOLDERS for path in sorted(folder.glob("*.txt"))}
