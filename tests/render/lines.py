"""Golden files with a line for each case of a function: what it is called with, and what it returns or raises.

A module has its cases in parts; `whole_file` gives the file's text, `what_is_stored` what it holds, by the names of
the parts. What is long stands there shortened, with its length and a checksum.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

Part = Callable[[], Iterable[str]]
LONGEST = 600
_SHOWN = 100
"""What of a longer text is shown, in characters."""


def shorten_text(text: str) -> str:
    """Returns the text, or its beginning with its length and its checksum."""
    if len(text) <= LONGEST:
        return text
    return f"{text[:_SHOWN]}… ({len(text)}, {hashlib.sha256(text.encode(errors='surrogatepass')).hexdigest()[:12]})"


def text_of(value: Any) -> str:
    """Returns a value as it stands in a line: numbers rounded, of a dataclass only what differs from its defaults."""
    if is_dataclass(value) and not isinstance(value, type):
        told = ((field, getattr(value, field.name)) for field in fields(value))
        said = ", ".join(f"{field.name}={text_of(one)}" for field, one in told if one != field.default)
        return f"{type(value).__name__}({said})"
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{text_of(name)}: {text_of(one)}" for name, one in value.items()) + "}"
    if isinstance(value, frozenset | set):
        return "{" + ", ".join(sorted(map(text_of, value))) + "}"
    if isinstance(value, tuple | list):
        ends = "()" if isinstance(value, tuple) else "[]"
        return ends[0] + ", ".join(map(text_of, value)) + ends[1]
    return shorten_text(repr(str(value) if isinstance(value, str) else value))


def result_of(function: Callable[..., Any], *given: Any, **named: Any) -> str:
    """Returns what the function makes of this, or the error that it raises."""
    try:
        return text_of(function(*given, **named))
    except Exception as error:  # noqa: BLE001 - whatever it is, it stands in the line
        if type(error).__module__ == "builtins":  # in words, and sometimes by a kind, that each Python has of its own
            return f"raises {'UnicodeError' if isinstance(error, UnicodeError) else type(error).__name__}"
        return f"raises {type(error).__name__}: {shorten_text(str(error))}"


def call_as_line(function: Callable[..., Any], *given: Any, **named: Any) -> str:
    """Returns the call with what comes of it, as a line."""
    words = [*map(text_of, given), *(f"{name}={text_of(value)}" for name, value in named.items())]
    return f"{getattr(function, '__name__', function)}({', '.join(words)}): {result_of(function, *given, **named)}"


def lines_of_calls(function: Callable[..., Any], given: Iterable[Any], *more: Any, **named: Any) -> Iterator[str]:
    """Yields a line for each of these: what the function makes of it."""
    return (call_as_line(function, one, *more, **named) for one in given)


def lines_of(part: Part) -> list[str]:
    """Returns the lines of a part."""
    return [one.replace("\n", "\\n").rstrip() for one in part()]


def whole_file(module: str, parts: Sequence[Part]) -> str:
    """Returns the whole file."""
    return f"Written by python -m {module}\n" + "".join(
        f"\n== {part.__name__}\n" + "".join(f"{one}\n" for one in lines_of(part)) for part in parts
    )


def what_is_stored(file: Path) -> dict[str, list[str]]:
    """Returns what the file holds of each part, by its name."""
    parts = (one.removesuffix("\n").split("\n") for one in file.read_text("utf-8").split("\n== ")[1:])
    return {name: lines for name, *lines in parts}
