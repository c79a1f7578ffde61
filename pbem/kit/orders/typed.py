"""Orders as they are typed, and in a sentence for their owner. `,` separates the entries of a list and nothing else.

    always answer: pass for match       a fixed answer to a kind of question
    pick: take N40, take N50, pass      a ranked list
    lowest                              a rule of the game, by its word
    contest cards F1, M2 door 3         one with parameters, by their names; - stands for nothing
    when {...} {...} then card: play F  a line; its facts are written as in the log

What follows may be `for question`, `for turn`, `for round` or `for match`, then `ask if` with guards.
"""

import json
import re
from collections.abc import Sequence
from functools import cache
from typing import Any

import msgspec
from msgspec import inspect

from pbem.kit.codec import codec_for, encode, plain
from pbem.kit.contract import AnyGame, Event, Move, Order, OrderKind, Phrase, Scope, Unreadable
from pbem.kit.orders.shapes import Always, Line, Prefer
from pbem.kit.texts import Lang, Text
from pbem.kit.words import T, joined, say, typeset

LONGEST = 4000
"""Longer than any order, but for lines of many facts, which are not typed but planned."""
NOTHING = "-"

_FIELDS_OF_ALL = frozenset(("scope", "ask_if"))
_SCOPES = {"question": "question", "turn": "turn", "tour": "turn", "round": "round", "manche": "round",
           "match": "match", "partie": "match"}  # fmt: skip
_TAIL = re.compile(
    rf"^(?P<body>.*?)(?:\s+(?:for|pour)\s+(?P<scope>{'|'.join(_SCOPES)}))?"
    r"(?:\s+(?:ask if|demander si)\s+(?P<guards>[a-z]+(?:\s*,\s*[a-z]+)*))?$",
    re.DOTALL | re.IGNORECASE,
)
_ANSWER = re.compile(r"^(?:(?P<always>always|toujours)\s+)?(?P<kind>[a-z_]+)\s*:\s*(?P<moves>.+)$", re.DOTALL | re.I)


def format_order(order: Order, game: AnyGame) -> str:
    """Returns the order in its typed form: `parse_order(format_order(order, game), game) == order`."""
    match order:
        case Always(kind=kind, move=move):
            body = f"always {kind}: {game.format(move)}"
        case Prefer(kind=kind, moves=moves):
            body = f"{kind}: {', '.join(map(game.format, moves))}"
        case Line(after=after, kind=kind, move=move):
            facts = " ".join(encode(event).decode() for event in after)
            body = f"when {facts} then {kind}: {game.format(move)}"
        case _:
            body = next(kind.word for kind in game.meta.orders if type(order) is kind.order)
            for field in fields_of(type(order)):
                value = getattr(order, field.name)
                if value != field.default:
                    items = value if isinstance(value, tuple) else (value,)
                    body += f" {field.name} {', '.join(format_value(item, game) for item in items)}"
    scope = "" if order.scope == "round" else f" for {order.scope}"
    guards = f" ask if {', '.join(order.ask_if)}" if order.ask_if else ""
    return f"{body}{scope}{guards}"


def format_value(value: Any, game: AnyGame) -> str:
    """Returns a value of an order, or an item of a list, as it is typed."""
    if isinstance(value, Move):
        return game.format(value)
    return NOTHING if value is None else str(value).lower() if isinstance(value, bool) else str(value)


@cache
def fields_of(order: type[Order]) -> tuple[inspect.Field, ...]:
    """Returns the fields of a type of order, but for those that all have."""
    found = inspect.type_info(order)
    assert isinstance(found, inspect.StructType), "an order is a struct"
    return tuple(field for field in found.fields if field.name not in _FIELDS_OF_ALL)


# --- reading -----------------------------------------------------------------------------------------------


def parse_order(text: str, game: AnyGame, seat: int | None = None) -> Order:
    """Returns the typed order of the seat. Raises Unreadable with a hint."""
    found = _TAIL.fullmatch(text.strip()) if len(text) <= LONGEST else None
    hint = _typing_hint(game)
    if found is None:
        raise Unreadable(text, hint)
    more = {"scope": _SCOPES[(found["scope"] or "round").lower()]}
    guards = {"ask_if": tuple(word.strip() for word in (found["guards"] or "").lower().split(",") if word.strip())}
    try:
        return codec_for(game).order_of(
            {**_order_json_of_typed_body(found["body"].strip(), game, seat), **more, **guards}
        )
    except (msgspec.ValidationError, ValueError) as error:
        raise error if isinstance(error, Unreadable) else Unreadable(text, hint) from error


def _order_json_of_typed_body(body: str, game: AnyGame, seat: int | None) -> dict[str, Any]:
    """Returns the order as parsed JSON, without scope and guards. Raises ValueError."""
    word, _, rest = body.partition(" ")
    for rule in game.meta.orders:
        if rule.word == word.lower():
            return {"type": rule.order.__name__, **_read_parameters(rest.strip(), rule, game, seat)}
    if word.lower() in ("when", "quand"):
        return _read_line_order(rest, game, seat)
    found = _ANSWER.fullmatch(body)
    if found is None:
        raise ValueError("neither a rule of the game nor an answer to a kind of question")
    moves = [plain(game.parse(move.strip(), seat)) for move in found["moves"].split(",")]
    kind = found["kind"].lower()
    if found["always"]:
        (move,) = moves
        return {"type": "Always", "kind": kind, "move": move}
    return {"type": "Prefer", "kind": kind, "moves": moves}


def _read_line_order(text: str, game: AnyGame, seat: int | None) -> dict[str, Any]:
    facts, decoder = [], json.JSONDecoder()
    while text.lstrip().startswith("{"):
        fact, end = decoder.raw_decode(text.lstrip())
        facts.append(fact)
        text = text.lstrip()[end:]
    found = _ANSWER.fullmatch(re.sub(r"^\s*(?:then|alors)\s+", "", text))
    if found is None or found["always"]:
        raise ValueError("no answer after the facts")
    return {"type": "Line", "after": facts, "kind": found["kind"], "move": plain(game.parse(found["moves"], seat))}


def _read_parameters(text: str, rule: OrderKind, game: AnyGame, seat: int | None) -> dict[str, Any]:
    types = {field.name: field.type for field in fields_of(rule.order)}
    names = "|".join(types)
    parts = re.split(rf"(?:^|\s+)({names})\s+", text) if names else [text]
    if parts[0].strip():
        raise ValueError(f"{parts[0]!r} is no parameter")
    return {
        name: read_value(value, types[name], game, seat) for name, value in zip(parts[1::2], parts[2::2], strict=True)
    }


def read_value(text: str, kind: inspect.Type, game: AnyGame, seat: int | None) -> Any:
    """Returns the typed value of this type as parsed JSON. Raises ValueError, of which Unreadable is one."""
    if isinstance(kind, inspect.Metadata):
        return read_value(text, kind.type, game, seat)
    if isinstance(kind, inspect.VarTupleType):
        return [read_value(item.strip(), kind.item_type, game, seat) for item in text.split(",")]
    if isinstance(kind, inspect.TupleType):
        items = text.split(",")
        return [read_value(item.strip(), one, game, seat) for item, one in zip(items, kind.item_types, strict=True)]
    if isinstance(kind, inspect.StructType):
        return plain(game.parse(text, seat))
    if isinstance(kind, inspect.UnionType):
        if text == NOTHING:
            return None
        (kind,) = (one for one in kind.types if not isinstance(one, inspect.NoneType))
        return read_value(text, kind, game, seat)
    if isinstance(kind, inspect.IntType):
        return int(text)
    return ("false", "true").index(text.lower()) == 1 if isinstance(kind, inspect.BoolType) else text


def _typing_hint(game: AnyGame) -> Text:
    kinds = ", ".join(game.meta.asks)
    words = ", ".join(rule.word for rule in game.meta.orders) or NOTHING
    return T(
        "Écrivez par exemple : toujours {kind}: un coup · {kind}: un coup, un autre, un autre. Questions : {kinds}. "
        "Règles de ce jeu : {words}. Puis, au besoin : pour partie · demander si …",
        "Write for example: always {kind}: a move · {kind}: a move, another, another. Questions: {kinds}. "
        "Rules of this game: {words}. Then, if needed: for match · ask if …",
    ).fill(kind=next(iter(game.meta.asks)), kinds=kinds, words=words)


# --- in a sentence -------------------------------------------------------------------------------------------

SCOPES: dict[Scope, Text] = {
    "question": T("Pour une seule question.", "For one question."),
    "turn": T("Pour un seul tour.", "For one turn."),
    "round": T("Pour cette manche.", "For this round."),
    "match": T("Jusqu’à ce que vous l’arrêtiez.", "Until you stop it."),
}
MOST_FACTS = 6
"""The most facts of a line that are told one by one: the first, and the last, after which its move follows."""


def tell_order(order: Order, game: AnyGame, lang: Lang, seen: Any = None) -> Phrase:
    """Returns what the order will do, for how long, and when its owner is asked instead.

    `seen` is the position at which a line begins, as everybody sees it, for a line is a line of such facts. Without it
    they are counted.
    """
    guards = [game.meta.guards[word].text[lang] for word in order.ask_if]
    asks = say(lang, f" On vous consulte si {joined(guards, lang)}.", f" Asks you if {joined(guards, lang)}.")
    scope = order.scope if game.meta.has_rounds or order.scope != "round" else "match"
    does = _line_in_words(order, game, lang, seen) if isinstance(order, Line) else _order_in_words(order, game, lang)
    return typeset(f"{does} {SCOPES[scope][lang]}{asks if guards else ''}", lang)


def name_of(move: Move, game: AnyGame, lang: Lang) -> Phrase:
    """Returns what the move is called, or else its notation."""
    return game.name(move, lang) or game.format(move)


def _order_in_words(order: Order, game: AnyGame, lang: Lang) -> Phrase:
    match order:
        case Always(kind=kind, move=move):
            answer, otherwise = name_of(move, game, lang), _otherwise_in_words((move,), game, kind, lang)
            return say(lang, f"À {_question_title(game, kind, lang)}, répond : {answer}{otherwise}.",
                       f"Answers {_question_title(game, kind, lang)} with: {answer}{otherwise}.")  # fmt: skip
        case Prefer(kind=kind, moves=moves):
            list_ = ", ".join(name_of(move, game, lang) for move in moves) + _otherwise_in_words(
                moves, game, kind, lang
            )
            fr = f"À {_question_title(game, kind, lang)}, répond par le premier coup permis : {list_}."
            en = f"Answers {_question_title(game, kind, lang)} with the first of these that is allowed: {list_}."
            return say(lang, fr, en)
    return next(kind for kind in game.meta.orders if type(order) is kind.order).says(order, lang)


def _line_in_words(line: Line[Any, Any], game: AnyGame, lang: Lang, seen: Any) -> Phrase:
    answer, question = name_of(line.move, game, lang), _question_title(game, line.kind, lang)
    after, count = tell_facts(line.after, game, lang, seen) if seen is not None else "", len(line.after)
    if not after and count == 1:
        after = say(lang, "le fait prévu.", "the fact foreseen.")
    after = after or say(lang, f"les {count} faits prévus.", f"the {count} facts foreseen.")
    fr = f"Si tout se passe exactement ainsi : {after} Répond alors à {question} : {answer}."
    return say(lang, fr, f"If exactly this comes: {after} Then answers {question} with: {answer}.")


def tell_facts(facts: Sequence[Event], game: AnyGame, lang: Lang, seen: Any) -> Phrase:
    """Returns the facts in the game's words, from the position before the first one; of many, what begins and ends."""
    told: list[Phrase] = []
    for at, fact in enumerate(facts):
        told.append(game.foretell(fact, seen, lang) if at in (0, len(facts) - 1) else game.tell(fact, seen, lang))
        seen = game.evolve(seen, fact)
    told = [one for one in told if one]
    if len(told) > MOST_FACTS:
        told[MOST_FACTS // 2 : -MOST_FACTS // 2] = ["…"]
    return " ".join(told)


def _otherwise_in_words(moves: tuple[Move, ...], game: AnyGame, kind: str, lang: Lang) -> str:
    """Returns the words that the owner is asked where none of the moves is allowed, if that can be."""
    if not set(moves).isdisjoint(game.meta.asks[kind].always):
        return ""
    return say(lang, " ; sinon, c’est à vous de choisir", "; else you choose")


def _question_title(game: AnyGame, kind: str, lang: Lang) -> str:
    title = game.meta.asks[kind].title[lang]
    return say(lang, f"« {title} »", f"“{title}”")
