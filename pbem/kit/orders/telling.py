"""What an order will do, in a sentence for its owner."""

from pbem.kit.contract import AnyGame, Move, Order, Phrase, Scope
from pbem.kit.orders.shapes import Always, Line, Prefer
from pbem.kit.texts import Lang, Text
from pbem.kit.words import T, joined, say, typeset

SCOPES: dict[Scope, Text] = {
    "question": T("Pour une seule question.", "For one question."),
    "turn": T("Pour un seul tour.", "For one turn."),
    "round": T("Pour cette manche.", "For this round."),
    "match": T("Jusqu’à ce que vous l’arrêtiez.", "Until you stop it."),
}


def tell_order(order: Order, game: AnyGame, lang: Lang) -> Phrase:
    """Returns what the order will do, for how long, and when its owner is asked instead."""
    guards = [game.meta.guards[word].text[lang] for word in order.ask_if]
    asks = say(lang, f" On vous consulte si {joined(guards, lang)}.", f" Asks you if {joined(guards, lang)}.")
    scope = order.scope if game.meta.has_rounds or order.scope != "round" else "match"
    return typeset(f"{_does(order, game, lang)} {SCOPES[scope][lang]}{asks if guards else ''}", lang)


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
        case Line(after=after, kind=kind, move=move):
            answer, count = name_of(move, game, lang), len(after)
            return say(
                lang,
                f"Si les {count} faits prévus se suivent exactement, répond à {_question(game, kind, lang)} : {answer}."
                if count > 1
                else f"Si c’est le fait prévu qui suit, répond à {_question(game, kind, lang)} : {answer}.",
                f"If exactly the {count} facts foreseen follow, answers {_question(game, kind, lang)} with: {answer}."
                if count > 1
                else f"If the fact foreseen follows, answers {_question(game, kind, lang)} with: {answer}.",
            )
    return next(kind for kind in game.meta.orders if type(order) is kind.order).says(order, lang)


def _otherwise(moves: tuple[Move, ...], game: AnyGame, kind: str, lang: Lang) -> str:
    """Returns the words that the owner is asked where none of the moves is allowed, if that can be."""
    if not set(moves).isdisjoint(game.meta.asks[kind].always):
        return ""
    return say(lang, " ; sinon, c’est à vous de choisir", "; else you choose")


def _question(game: AnyGame, kind: str, lang: Lang) -> str:
    title = game.meta.asks[kind].title[lang]
    return say(lang, f"« {title} »", f"“{title}”")
