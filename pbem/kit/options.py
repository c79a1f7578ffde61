"""What a table may choose before a match, as a list of questions with a few answers each.

Made from the game's own type of options, so that a form offers what the rules know and nothing else.
"""

from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import inspect

from pbem.kit.contract import Meta, Text
from pbem.kit.notation import french
from pbem.kit.texts import OptionText

MOST_CHOICES = 32


class Choice(msgspec.Struct, frozen=True):
    """One answer: the word that stands for it in a form, the value that the game reads, and what it is called."""

    word: str
    value: Any
    text: Text


class Option(msgspec.Struct, frozen=True):
    """One question before a match: its name among the options, its words, its answers, and the usual one."""

    name: str
    title: Text
    hint: Text
    choices: tuple[Choice, ...]
    usual: str

    def value_of(self, word: str) -> Any:
        """The value that this word stands for. Raises KeyError."""
        return {choice.word: choice.value for choice in self.choices}[word]


def options_of(meta: Meta) -> tuple[Option, ...]:
    """The questions of a game, in the order of its options.

    Raises ValueError where an option has no text, a choice has none, or the choices cannot be listed.
    """
    shape = inspect.type_info(meta.options)
    assert isinstance(shape, inspect.StructType), "options are a struct"
    usual = meta.options()
    names = [field.name for field in shape.fields]
    if set(names) != set(meta.option_texts):
        raise ValueError(f"{meta.slug}: the options are {names}, their texts are for {sorted(meta.option_texts)}")
    return tuple(
        _option(meta, field.name, _values(field.type), getattr(usual, field.name)) for field in shape.fields
    )  # fmt: skip


def word_of(value: Any) -> str:
    """How a form writes a value: as JSON, a word without its quotes.

    >>> word_of(None), word_of(True), word_of(3), word_of("open")
    ('null', 'true', '3', 'open')
    """
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def in_words(meta: Meta, options: Any) -> tuple[tuple[Text, Text], ...]:
    """The options of a table in words: what each is called, and what was chosen."""
    chosen = ((option, word_of(getattr(options, option.name))) for option in options_of(meta))
    return tuple(
        (option.title, next(choice.text for choice in option.choices if choice.word == word)) for option, word in chosen
    )


def wrong_with(meta: Meta, given: Mapping[str, Any]) -> Text | None:
    """What is wrong with these options of a game, in words, and what may be chosen; None where nothing is.

    >>> from pbem.games.niigata import GAME
    >>> wrong_with(GAME.meta, {"a": 1}).en
    'there is no option “a”, but: picking'
    >>> wrong_with(GAME.meta, {"picking": 3}).en
    'picking cannot be 3; it is one of: "grab", "turns"'
    """
    options = {option.name: option for option in options_of(meta)}
    for name, value in given.items():
        if name not in options:
            return _no_option(name[:40], ", ".join(options))
        allowed = [choice.value for choice in options[name].choices]
        if not any(type(value) is type(one) and value == one for one in allowed):
            said, choices = _as_json(value)[:60], ", ".join(map(_as_json, allowed))
            return Text(
                fr=french(f"{name} ne peut pas être {said} ; au choix : {choices}"),
                en=f"{name} cannot be {said}; it is one of: {choices}",
            )
    return None


def _no_option(name: str, names: str) -> Text:
    if not names:
        return Text(
            fr=french(f"il n’y a pas d’option « {name} », ni aucune autre"),
            en=f"there is no option “{name}”, nor any other",
        )
    return Text(
        fr=french(f"il n’y a pas d’option « {name} », mais : {names}"), en=f"there is no option “{name}”, but: {names}"
    )


def _as_json(value: Any) -> str:
    return msgspec.json.encode(value).decode()


def _option(meta: Meta, name: str, values: list[Any], usual: Any) -> Option:
    text = meta.option_texts[name]
    where = f"{meta.slug}.{name}"
    if len(values) > MOST_CHOICES or usual not in values:
        raise ValueError(f"{where}: {len(values)} choices, and {usual!r} is the usual one")
    strange = set(text.choices) - set(map(word_of, values))
    if strange:
        raise ValueError(f"{where}: no such choices: {sorted(strange)}")
    choices = tuple(Choice(word_of(value), value, _text(where, text, value)) for value in values)
    return Option(name, text.title, text.hint, choices, word_of(usual))


def _text(where: str, text: OptionText, value: Any) -> Text:
    word = word_of(value)
    known: Mapping[str, Text] = text.choices
    if word in known:
        return known[word]
    if isinstance(value, int) and not isinstance(value, bool):
        return Text(fr=word, en=word)
    raise ValueError(f"{where}: the choice {word!r} has no text")


def _values(kind: inspect.Type) -> list[Any]:
    """The values of a type that has few. Raises ValueError for any other."""
    match kind:
        case inspect.Metadata():
            return _values(kind.type)
        case inspect.NoneType():
            return [None]
        case inspect.BoolType():
            return [False, True]
        case inspect.LiteralType():
            return list(kind.values)
        case inspect.IntType(ge=int() as least, le=int() as most):
            return list(range(least, most + 1))
        case inspect.UnionType():
            return sorted((value for one in kind.types for value in _values(one)), key=lambda v: v is not None)
    raise ValueError(f"the choices of {kind!r} cannot be listed")
