"""The forms of orders: what they ask for, from a seat's own fold, and the order that they make.

A form is for a rule of the game, named by its word, or for a kind of question: that one makes a list of answers, or a
fixed one if there is just one. Lines are not made by forms.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import msgspec
from msgspec import inspect

from pbem.kit.codec import codec_for, plain
from pbem.kit.contract import AnyGame, Meta, Order, OrderKind, Parameter, Phrase, Scope, Unreadable
from pbem.kit.orders.shapes import Always, refusal_of_order
from pbem.kit.orders.typed import fields_of, format_value, read_value
from pbem.kit.texts import Lang, Text
from pbem.kit.words import T

ROWS = 3
"""How many moves are chosen part by part at most: each takes a line of its own."""
LONGEST_LIST = 6
"""How many answers a list has at most; those that are typed may have more."""
SCOPES: tuple[Scope, ...] = ("question", "turn", "round", "match")

_CHOOSE = T("Choisissez au moins une réponse.", "Choose at least one.")
_IMPOSSIBLE = T("Cela ne se peut pas ici.", "That is not possible here.")
_NUMBER = T("Un nombre de {low} à {high}.", "A number from {low} to {high}.")
_LIST = T("Répondre par la première qui est permise", "Answer with the first of these that is allowed")
_TYPED = T("Les coups, du meilleur au moins bon, séparés par des virgules", "The moves, the best first, with commas")
_YES_NO = ((False, T("non", "no")), (True, T("oui", "yes")))

Values = Mapping[str, Sequence[str]]
"""What was entered: the values of each field by its name."""


class Choice(msgspec.Struct, frozen=True):
    """A value as it is sent, and what it is called."""

    value: str
    name: Phrase


class Input(msgspec.Struct, frozen=True):
    """A field of a form.

    number  a number within `bounds`
    one     one of the choices
    many    any of them, in no order
    list    `count` times one of them, in this order; what is left empty does not count, unless `each` names every item
    rows    `count` times one of each of the `parts`
    typed   text
    """

    name: str
    title: str
    kind: Literal["number", "one", "many", "list", "rows", "typed"]
    choices: tuple[Choice, ...] = ()
    bounds: tuple[int, int] = (0, 0)
    count: int = 1
    each: tuple[str, ...] = ()
    parts: tuple["Input", ...] = ()
    default: str = ""


class Unfit(ValueError):
    """Values that make no order: why, and at which field."""

    def __init__(self, field: str, why: Text) -> None:
        super().__init__(f"{field}: {why.en}")
        self.field = field
        self.why = why


def ask_kinds_allowing_list_orders(meta: Meta) -> list[str]:
    """Returns the kinds of questions for which a list may be ordered.

    In a race an order would be no slower than a hand; in a window a list must end with what is always allowed.
    """
    return [kind for kind, ask in meta.asks.items() if not ask.race and (ask.always or not ask.window)]


def rule_with_word(meta: Meta, form: str) -> OrderKind | None:
    """Returns the rule of the game that has this word, or None."""
    return next((rule for rule in meta.orders if rule.word == form), None)


def scopes_of_game(meta: Meta) -> tuple[Scope, ...]:
    """Returns the scopes that differ: without rounds, one for the round is one for the match."""
    return tuple(scope for scope in SCOPES if meta.has_rounds or scope != "round")


def scope_proposal(form: str, game: AnyGame, fold: Any, seat: int) -> Scope:
    """Returns the scope that a form proposes: for a list the round, or the longest below it that the game allows."""
    rule = rule_with_word(game.meta, form)
    if rule is not None:
        return rule.scope
    wanted: list[Scope] = ["round" if game.meta.has_rounds else "match", "turn"]
    moves = game.answers(form, fold, seat)[:1]
    for scope in wanted:
        orders = (Always[Any](kind=form, move=move, scope=scope) for move in moves)
        if all(refusal_of_order(order, game, fold, seat) is None for order in orders):
            return scope
    return "question"


# --- what is asked for -------------------------------------------------------------------------------------


def inputs_of(form: str, game: AnyGame, fold: Any, seat: int, lang: Lang) -> tuple[Input, ...]:
    """Returns the fields of the form, but for scope and guards. `fold` is the seat's own."""
    rule = rule_with_word(game.meta, form)
    if rule is None:
        moves = game.answers(form, fold, seat)
        if not moves:
            return (Input("moves", _TYPED[lang], "typed"),)
        choices = tuple(Choice(game.format(move), game.name(move, lang) or game.format(move)) for move in moves)
        return (Input("moves", _LIST[lang], "list", choices, count=min(LONGEST_LIST, len(choices))),)
    asked = [(field, rule.parameters[field.name]) for field in fields_of(rule.order)]
    return tuple(
        _form_field(
            field.name, field.type, parameter, None if field.required else field.default, (game, fold, seat, lang)
        )
        for field, parameter in asked
        if parameter.filled is None
    )


_Reader = tuple[AnyGame, Any, int, Lang]


def _form_field(name: str, kind: inspect.Type, parameter: Parameter, default: Any, reader: _Reader) -> Input:
    kind, lang = _without_metadata(kind), reader[3]
    title, choices = parameter.title[lang], _field_choices(parameter, kind, reader)
    if isinstance(kind, inspect.VarTupleType):
        return _list_field(name, title, kind, parameter, choices, reader)
    if choices:
        return Input(name, title, "one", choices)
    if isinstance(kind, inspect.IntType):
        low, high = kind.ge or 0, kind.le or 0
        return Input(name, title, "number", bounds=(low, high), default=str(low if default is None else default))
    return Input(name, title, "typed")


def _list_field(
    name: str, title: str, kind: inspect.VarTupleType, parameter: Parameter, choices: tuple[Choice, ...],
    reader: _Reader,
) -> Input:  # fmt: skip
    most = kind.max_length or LONGEST_LIST
    if parameter.each:
        return Input(name, title, "list", choices, count=most, each=tuple(each[reader[3]] for each in parameter.each))
    if parameter.parts:
        fields = {field.name: field.type for field in _struct_type(kind.item_type).fields}
        parts = tuple(
            _form_field(f"{name}.{part}", fields[part], each, None, reader) for part, each in parameter.parts.items()
        )
        return Input(name, title, "rows", count=min(most, ROWS), parts=parts)
    if parameter.ranked:
        return Input(name, title, "list", choices, count=min(most, len(choices)))
    return Input(name, title, "many" if choices else "typed", choices)


def _struct_type(kind: inspect.Type) -> inspect.StructType:
    kind = _without_metadata(kind)
    assert isinstance(kind, inspect.StructType), "parts are those of a move"
    return kind


def _field_choices(parameter: Parameter, kind: inspect.Type, reader: _Reader) -> tuple[Choice, ...]:
    game, fold, seat, lang = reader
    if isinstance(kind, inspect.BoolType):
        return tuple(Choice(format_value(value, game), text[lang]) for value, text in _YES_NO)
    values = parameter.choices(fold, seat) if parameter.choices else ()
    told = ((format_value(value, game), value) for value in values)
    return tuple(Choice(typed, parameter.names(value, lang) if parameter.names else typed) for typed, value in told)


def _without_metadata(kind: inspect.Type) -> inspect.Type:
    """Returns the type without its annotations, which say its bounds."""
    return _without_metadata(kind.type) if isinstance(kind, inspect.Metadata) else kind


# --- what was entered --------------------------------------------------------------------------------------


def make_order(form: str, values: Values, game: AnyGame, fold: Any, seat: int) -> Order:
    """Returns the order that the values make, which `refusal` has still to look at. Raises Unfit."""
    rule = rule_with_word(game.meta, form)
    more = {"scope": next(iter(values.get("scope", ())), "round"), "ask_if": [*values.get("ask_if", ())]}
    body: dict[str, Any] = {"kind": form}
    if rule is None:
        entered = _split_at_commas(values.get("moves", ()))
        if not entered:
            raise Unfit("moves", _CHOOSE)
        try:
            moves = [plain(game.parse(text, seat)) for text in dict.fromkeys(entered)]
        except Unreadable as error:
            raise Unfit("moves", error.hint) from error
        body |= {"type": "Prefer", "moves": moves} if len(moves) > 1 else {"type": "Always", "move": moves[0]}
    else:
        body = _read_rule(rule, values, game, fold, seat)
    try:
        return codec_for(game).order_of({**body, **more})
    except msgspec.ValidationError as error:
        found = re.search(r"`\$\.(\w+)", str(error))
        raise Unfit(found[1] if found else "", _IMPOSSIBLE) from error


def _read_rule(rule: OrderKind, values: Values, game: AnyGame, fold: Any, seat: int) -> dict[str, Any]:
    body: dict[str, Any] = {"type": rule.order.__name__}
    fields = fields_of(rule.order)
    for field in fields:
        if rule.parameters[field.name].filled is None:
            read = _read_field(field, rule.parameters[field.name], values, game, seat)
            body |= {field.name: read} if read is not None else {}
    for field in fields:
        filled = rule.parameters[field.name].filled
        body |= {field.name: filled(body, fold, seat)} if filled else {}
    return body


def _read_field(field: inspect.Field, parameter: Parameter, values: Values, game: AnyGame, seat: int) -> Any:
    """Returns the value as parsed JSON; None if nothing was entered and nothing has to be."""
    name, kind = field.name, _without_metadata(field.type)
    try:
        if isinstance(kind, inspect.VarTupleType) and parameter.parts:
            items: list[Any] = _read_rows(name, kind, parameter, values, game, seat)
        elif isinstance(kind, inspect.VarTupleType):
            entered = _split_at_commas(values.get(name, ()))
            texts = entered if parameter.each else dict.fromkeys(entered)
            items = [read_value(text, kind.item_type, game, seat) for text in texts]
        else:
            items = [read_value(text.strip(), kind, game, seat) for text in values.get(name, ()) if text.strip()][:1]
    except Unreadable as error:
        raise Unfit(name, error.hint) from error
    except ValueError as error:
        raise Unfit(name, _say_bounds(kind)) from error
    if not items and field.required:
        raise Unfit(name, _say_bounds(kind) if isinstance(kind, inspect.IntType) else _CHOOSE)
    return (items if isinstance(kind, inspect.VarTupleType) else items[0]) if items else None


def _read_rows(
    name: str, kind: inspect.VarTupleType, parameter: Parameter, values: Values, game: AnyGame, seat: int
) -> list[Any]:
    item = _struct_type(kind.item_type)
    types = {field.name: field.type for field in item.fields}
    columns = [values.get(f"{name}.{part}", ()) for part in parameter.parts]
    return [
        {"type": item.tag, **{
            part: read_value(text.strip(), types[part], game, seat)
            for part, text in zip(parameter.parts, row, strict=True)
        }}
        for row in zip(*columns, strict=False)
        if row[0].strip()
    ]  # fmt: skip


def _split_at_commas(values: Sequence[str]) -> list[str]:
    """Returns what is entered: where something is typed, commas separate it."""
    return [text.strip() for value in values for text in value.split(",") if text.strip()]


def _say_bounds(kind: inspect.Type) -> Text:
    kind = _without_metadata(kind)
    return _NUMBER.fill(low=kind.ge or 0, high=kind.le or 0) if isinstance(kind, inspect.IntType) else _IMPOSSIBLE
