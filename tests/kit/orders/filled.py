"""Fills in the forms of orders, as somebody does who takes the first of everything."""

from __future__ import annotations

from collections.abc import Sequence

from pbem.kit.orders.forms import Input


def fill_in_form(inputs: Sequence[Input]) -> dict[str, list[str]]:
    """Returns the first choice of every field, by its name; of a list two, of rows one."""
    filled: dict[str, list[str]] = {}
    for field in inputs:
        values = [choice.value for choice in field.choices]
        match field.kind:
            case "number":
                filled[field.name] = [str(min(field.bounds[0] + 2, field.bounds[1]))]
            case "list" if field.each:
                filled[field.name] = [values[0]] * field.count
            case "list":
                filled[field.name] = values[:2]
            case "rows":
                filled |= fill_in_form(field.parts)
            case "typed":
                filled[field.name] = []
            case _:
                filled[field.name] = values[:1]
    return filled
