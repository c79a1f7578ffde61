"""What moves and facts must say of themselves: where that is missing or wrong, a game is not imported."""

import re
from collections.abc import Collection, Iterator, Sequence
from importlib import import_module
from typing import Any, get_args

from msgspec.structs import fields

from pbem.kit.game.facts import Event, seat_fields, types_of_fields
from pbem.kit.game.moves import RESERVED, Move, Reason, item_type_of_field, patterns_of

_BRACES = re.compile(r"\{(\w*)\}")


def check_move(move: type[Move], given: Collection[str]) -> None:
    """Raises TypeError where a move lacks what it must say. `given`: the methods that the game has overridden."""
    for name in RESERVED.intersection(move.__struct_fields__):
        raise TypeError(f"{move.__name__}.{name}: moves say something else by this name; choose another")
    steps = move.steps is not None or move.path is not Move.path or "path" in given
    named = move.name is not None or move.short is not Move.short or "name" in given
    needed = {
        "typed": ('typed = "lay {card}"', True),
        "makes": ("makes = Laid, the fact that it makes", move.fact is Move.fact),
        "does": ('does = T("Poser", "Lay")', not (steps and named)),
        "label": ('label = T("Vous posez.", "You lay it.")', move.tell is Move.tell and "label" not in given),
    }
    for name, (example, needs) in needed.items():
        if needs and not hasattr(move, name):
            raise TypeError(f"{move.__name__} has no {name}: say, for example, {example}")


def check_patterns_fit_fields(kind: Any, kinds: Collection[str], *, free: bool = False) -> None:
    """Raises TypeError where the patterns of a move, or of an item of its list, do not fit its fields.

    `kinds`: the fields of which the game says how they are typed. `free`: what is typed need not be what is held.
    """
    own = {field.name: field.required for field in fields(kind)}
    for at, pattern in enumerate(patterns_of(kind)):
        where, named = f"{kind.__name__}.typed says {pattern!r}", _BRACES.findall(pattern)
        for name in named:
            if named.count(name) > 1:
                raise TypeError(f"{where}: name {{{name}}} only once")
            if name not in own and not free:
                raise TypeError(f"{where}, but {kind.__name__} has no field {name!r}")
            if name in own and name not in kinds and not _is_readable_by_its_type(kind, name):
                raise TypeError(
                    f"{kind.__name__}.{name} is neither a number nor a seat: say in `kinds` of the game how it is "
                    f"typed, for example kinds = {{{name!r}: (' (red|blue)', str.strip)}}"
                )
        for name, required in own.items():
            if name not in named and not free and (required or at == 0):
                raise TypeError(f"{where}: name the field {{{name}}}, too")
        for word in re.findall(r"\w+", _BRACES.sub(" ", pattern)):
            if not re.fullmatch("[a-z]+", word):
                raise TypeError(f"{where}: write {word!r} in small letters without accents; it is read with them, too")
    for name in own:
        if (item := item_type_of_field(kind, name)) is not None:
            check_patterns_fit_fields(item, kinds)


def _is_readable_by_its_type(kind: Any, field: str) -> bool:
    return (
        item_type_of_field(kind, field) is not None
        or field in seat_fields(kind)
        or _is_number_type(types_of_fields(kind)[field])
    )


def _is_number_type(hint: Any) -> bool:
    """Returns whether a type is that of numbers, or of None besides."""
    return hint is int or (not isinstance(hint, type) and any(map(_is_number_type, get_args(hint))))


def check_told(event: Any) -> None:
    """Raises TypeError where a fact does not tell itself."""
    if getattr(event, "tell", None) is Event.tell and not hasattr(event, "told"):
        raise TypeError(f'{event.__name__} has no told: say told = T("{{seat}} …", "{{seat}} …"), or a method tell')


def reasons_of(moves: Sequence[type[Move]]) -> dict[str, Reason]:
    """Returns the reasons against the moves by their codes: those in the classes, and at the top of their modules.

    Raises TypeError if two have the same name.
    """
    found: dict[str, Reason] = {}
    for where, name, reason in _find_reasons(moves):
        reason.code = reason.code or name.lower()
        if found.setdefault(reason.code, reason) is not reason:
            raise TypeError(f"{where}.{name}: another reason has this name; choose another, or use the same one")
    return found


def _find_reasons(moves: Sequence[type[Move]]) -> Iterator[tuple[str, str, Reason]]:
    homes: list[Any] = [*(one for move in moves for one in move.__mro__)]
    for home in (*homes, *(import_module(move.__module__) for move in moves)):
        for name, value in vars(home).items():
            if isinstance(value, Reason):
                yield home.__name__, name, value
