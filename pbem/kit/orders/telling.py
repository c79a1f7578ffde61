"""What an order will do, in a sentence for its owner."""

from collections.abc import Sequence
from typing import Any

from pbem.kit.contract import AnyGame, Event, Move, Order, Phrase, Scope
from pbem.kit.orders.shapes import Always, Line, Prefer
from pbem.kit.texts import Lang, Text
from pbem.kit.words import T, joined, say, typeset

AnyLine = Line[Any, Any]

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
    does = _does_line(order, game, lang, seen) if isinstance(order, Line) else _does(order, game, lang)
    return typeset(f"{does} {SCOPES[scope][lang]}{asks if guards else ''}", lang)


def name_of(move: Move, game: AnyGame, lang: Lang) -> Phrase:
    """Returns what the move is called, or else its notation."""
    return game.name(move, lang) or game.format(move)


def _does(order: Order, game: AnyGame, lang: Lang) -> Phrase:
    match order:
        case Always(kind=kind, move=move):
            answer, otherwise = name_of(move, game, lang), _otherwise((move,), game, kind, lang)
            return say(lang, f"À {_question(game, kind, lang)}, répond : {answer}{otherwise}.",
                       f"Answers {_question(game, kind, lang)} with: {answer}{otherwise}.")  # fmt: skip
        case Prefer(kind=kind, moves=moves):
            list_ = ", ".join(name_of(move, game, lang) for move in moves) + _otherwise(moves, game, kind, lang)
            return say(
                lang,
                f"À {_question(game, kind, lang)}, répond par le premier coup permis : {list_}.",
                f"Answers {_question(game, kind, lang)} with the first of these that is allowed: {list_}.",
            )
    return next(kind for kind in game.meta.orders if type(order) is kind.order).says(order, lang)


def _does_line(line: AnyLine, game: AnyGame, lang: Lang, seen: Any) -> Phrase:
    answer, question = name_of(line.move, game, lang), _question(game, line.kind, lang)
    after = (tell_facts(line.after, game, lang, seen) if seen is not None else "") or _count(line.after, lang)
    return say(
        lang,
        f"Si tout se passe exactement ainsi : {after} Répond alors à {question} : {answer}.",
        f"If exactly this comes: {after} Then answers {question} with: {answer}.",
    )


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


def _count(facts: Sequence[Event], lang: Lang) -> str:
    count = len(facts)
    if count == 1:
        return say(lang, "le fait prévu.", "the fact foreseen.")
    return say(lang, f"les {count} faits prévus.", f"the {count} facts foreseen.")


def _otherwise(moves: tuple[Move, ...], game: AnyGame, kind: str, lang: Lang) -> str:
    """Returns the words that the owner is asked where none of the moves is allowed, if that can be."""
    if not set(moves).isdisjoint(game.meta.asks[kind].always):
        return ""
    return say(lang, " ; sinon, c’est à vous de choisir", "; else you choose")


def _question(game: AnyGame, kind: str, lang: Lang) -> str:
    title = game.meta.asks[kind].title[lang]
    return say(lang, f"« {title} »", f"“{title}”")
