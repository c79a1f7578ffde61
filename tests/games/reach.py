"""What can be reached from an object: through attributes, slots, containers, closures, bound methods, frames and so on.

Modules, types and the globals of functions are left aside: all code of the process reaches these.
"""

import functools
import gc
import types
import weakref
from collections.abc import Iterable, Iterator
from typing import Any

LEFT_OUT = (types.ModuleType, type, types.CodeType, types.BuiltinFunctionType)


def reachable_objects(*roots: object) -> Iterator[Any]:
    """Yields all objects that can be reached from these, each once, themselves first."""
    seen: dict[int, object] = {}  # holds them, so that no number is used again
    todo = [*roots]
    while todo:
        one = todo.pop()
        if isinstance(one, LEFT_OUT) or id(one) in seen:
            continue
        seen[id(one)] = one
        yield one
        todo += _objects_referenced(one)


def _objects_referenced(one: Any) -> Iterable[object]:
    if isinstance(one, str | bytes | int | float | None):
        return
    if isinstance(one, types.FunctionType):
        yield from (one.__closure__, one.__defaults__, one.__kwdefaults__, one.__dict__)
        return
    if isinstance(one, types.FrameType):
        yield one.f_locals
        return
    yield from _attributes(one)
    if isinstance(one, property):
        yield from (one.fget, one.fset, one.fdel)
    if isinstance(one, functools.partial):
        yield from (one.func, one.args, one.keywords)
    if isinstance(one, types.GeneratorType):
        yield one.gi_frame
    if isinstance(one, weakref.ReferenceType):
        yield one()
    yield from gc.get_referents(one)


def _attributes(one: Any) -> Iterator[object]:
    """Yields what its slots, its fields and the properties of its class hold."""
    for kind in type(one).__mro__:
        slots = kind.__dict__.get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            mangled = (
                f"_{kind.__name__.lstrip('_')}{name}" if name.startswith("__") and not name.endswith("__") else name
            )
            yield getattr(one, mangled, None)
        for value in kind.__dict__.values():
            if isinstance(value, property) and kind.__module__.startswith(("pbem", "tests")):
                yield value
    for name in getattr(type(one), "__struct_fields__", ()):
        yield getattr(one, name)
    yield getattr(one, "__self__", None)
    yield getattr(one, "__wrapped__", None)
