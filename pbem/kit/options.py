"""What a table may choose before a match, as a list of questions with a few answers each.

Derived from the game's own options type, so that a form offers exactly what the rules know.
"""

from collections.abc import Mapping
from typing import Any, TypeVar

import msgspec
from msgspec import inspect

from pbem.kit.contract import Meta
from pbem.kit.notation import french
from pbem.kit.texts import OptionText, Text

MOST_CHOICES = 32
T = TypeVar("T")


def always_written(default: T) -> T:
    """Returns a field of options that is written even where it has its default, in a struct that says `omit_defaults`.

    A game that gets a new option says so, and this of those that it had before: a match without the new one is then
    written as it always was, and an older process reads it.
    """
    return msgspec.field(default_factory=lambda: default)


class Choice(msgspec.Struct, frozen=True):
    """One answer: its word in a form, the value that the game reads, and its name."""

    word: str
    value: Any
    text: Text


class Option(msgspec.Struct, frozen=True):
    """One question before a match: its field in the options, its texts, its answers, and the default."""

    name: str
    title: Text
    hint: Text
    choices: tuple[Choice, ...]
    usual: str

    def value_of_word(self, word: str) -> Any:
        """Returns the value that this word stands for. Raises KeyError."""
        return {choice.word: choice.value for choice in self.choices}[word]


def options_of(meta: Meta) -> tuple[Option, ...]:
    """Returns the questions of a game, in the order of its options.

    Raises ValueError if an option or a choice has no text, or if the choices cannot be listed.
    """
    shape = inspect.type_info(meta.options)
    assert isinstance(shape, inspect.StructType), "options are a struct"
    usual = meta.options()
    names = [field.name for field in shape.fields]
    if set(names) != set(meta.option_texts):
        raise ValueError(f"{meta.slug}: the options are {names}, their texts are for {sorted(meta.option_texts)}")
    return tuple(
        _make_option(meta, field.name, _values_of_type(field.type), getattr(usual, field.name))
        for field in shape.fields
    )  # fmt: skip


def word_of(value: Any) -> str:
    """Returns a value as a form writes it: as JSON, a string without its quotes.

    >>> word_of(None), word_of(True), word_of(3), word_of("open")
    ('null', 'true', '3', 'open')
    """
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def in_words(meta: Meta, options: Any) -> tuple[tuple[Text, Text], ...]:
    """Returns the options of a table in words: the name of each, and what was chosen."""
    chosen = ((option, word_of(getattr(options, option.name))) for option in options_of(meta))
    return tuple(
        (option.title, next(choice.text for choice in option.choices if choice.word == word)) for option, word in chosen
    )


def wrong_with(meta: Meta, given: Mapping[str, Any]) -> Text | None:
    """Returns what is wrong with these options, in words, and what may be chosen; None if nothing is wrong.

    >>> from pbem.games.niigata import GAME
    >>> wrong_with(GAME.meta, {"a": 1}).en
    'there is no option “a”, but: picking'
    >>> wrong_with(GAME.meta, {"picking": 3}).en
    'picking cannot be 3; it is one of: "compulsory", "grab", "turns"'
    """
    options = {option.name: option for option in options_of(meta)}
    for name, value in given.items():
        if name not in options:
            names = ", ".join(options)
            fr, en = (f", mais : {names}", f", but: {names}") if names else (", ni aucune autre", ", nor any other")
            missing = name[:40]
            return Text(french(f"il n’y a pas d’option « {missing} »{fr}"), f"there is no option “{missing}”{en}")
        allowed = [choice.value for choice in options[name].choices]
        if not any(type(value) is type(one) and value == one for one in allowed):
            shown, choices = _as_json(value)[:60], ", ".join(map(_as_json, allowed))
            return Text(
                french(f"{name} ne peut pas être {shown} ; au choix : {choices}"),
                f"{name} cannot be {shown}; it is one of: {choices}",
            )
    return None


def _as_json(value: Any) -> str:
    return msgspec.json.encode(value).decode()


def _make_option(meta: Meta, name: str, values: list[Any], usual: Any) -> Option:
    text = meta.option_texts[name]
    where = f"{meta.slug}.{name}"
    if len(values) > MOST_CHOICES or usual not in values:
        raise ValueError(f"{where}: {len(values)} choices, and {usual!r} is the usual one")
    strange = set(text.choices) - set(map(word_of, values))
    if strange:
        raise ValueError(f"{where}: no such choices: {sorted(strange)}")
    choices = tuple(Choice(word_of(value), value, _choice_text(where, text, value)) for value in values)
    return Option(name, text.title, text.hint, choices, word_of(usual))


def _choice_text(where: str, text: OptionText, value: Any) -> Text:
    word = word_of(value)
    known: Mapping[str, Text] = text.choices
    if word in known:
        return known[word]
    if isinstance(value, int) and not isinstance(value, bool):
        return Text(word, word)
    raise ValueError(f"{where}: the choice {word!r} has no text")


def _values_of_type(kind: inspect.Type) -> list[Any]:
    """Returns all values of a small type. Raises ValueError for any other."""
    match kind:
        case inspect.Metadata():
            return _values_of_type(kind.type)
        case inspect.NoneType():
            return [None]
        case inspect.BoolType():
            return [False, True]
        case inspect.LiteralType():
            return list(kind.values)
        case inspect.IntType(ge=int() as least, le=int() as most):
            return list(range(least, most + 1))
        case inspect.UnionType():
            return sorted((value for one in kind.types for value in _values_of_type(one)), key=lambda v: v is not None)
    raise ValueError(f"the choices of {kind!r} cannot be listed")
