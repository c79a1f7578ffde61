"""How moves of Hogen are typed: `ally F1`, `call M`, `call 4`, `call M1`, `give F4 take T1`, `declare B=F1 C=B1`.

The clans are F Fujiwara, M Minamoto, T Taira, B Tachibana; seats are A, B, C, D by their place at the table.
"""

import re

from pbem.games.hogen.facts import Call, ChooseAlly, Declare, Exchange, Guess
from pbem.games.samurai import CARDS, CLANS, LETTERS, RANKS
from pbem.kit.contract import Move
from pbem.kit.notation import plain_text, seat_letter, spelled, understand, words
from pbem.kit.words import T

SEATS = "abcd"

HINT = T(
    "Écrivez par exemple : ally F1 (votre alliée) · call M, call 4 ou call M1 (un clan, un rang, une carte) · "
    "give F4 take T1 (donner, prendre) · declare B=F1 C=B1 D=B3 (l’alliée de chaque autre place). "
    "Clans : F, M, T, B ; rangs : 1 à 4.",
    "Write for example: ally F1 (your ally) · call M, call 4 or call M1 (a clan, a rank, a card) · "
    "give F4 take T1 · declare B=F1 C=B1 D=B3 (the ally of every other seat). "
    "Clans: F, M, T, B; ranks: 1 to 4.",
)

VERBS = spelled(
    {
        "ally": "ally allie alliee cache cacher hide choisis choisir choose",
        "call": "call calls appel appelle appeler j'appelle",
        "give": "give gives donne donner pose poser lay",
        "take": "take takes prend prends prendre",
        "declare": "declare declares declarer declaration",
        "clan": "clan",
        "rank": "rank rang",
        "card": "card carte",
        "exchange": "exchange echange echanger swap",
    }
)
NOUNS = ("clan", "rank", "card")
EXCHANGE_WORDS: tuple[list[str], ...] = ([], ["give"], ["exchange"], ["give", "take"], ["take", "give"])
FILLERS = frozenset(
    words(
        "an and at avec cache contre de des du est et for from has hides i il is j je l la le les ma mon my of on "
        "par pour s samourai samurai seat the un une with"
    )
)
"""Filler words. "a" is one, too, but in a declaration it is a seat first."""

_TOKEN = re.compile(r"[a-z]+|[0-9]+")
_TWO_CARDS = re.compile(r"([fmtb])([1-4])([fmtb])([1-4])")
_GUESSES = re.compile(r"([abcd])a?([fmtb])([1-4])")


def parse(text: str, seat: int | None = None) -> Move:
    """Returns the move that the text means; the seat does not matter. Raises Unreadable with a hint."""
    return understand(text, lambda typed: _read(_tokens(typed)), HINT)


def format(move: Move) -> str:
    """Returns the move in short notation.

    >>> format(Declare((Guess(1, "F1"), Guess(2, "B1"))))
    'declare B=F1 C=B1'
    """
    match move:
        case ChooseAlly(card):
            return f"ally {card}"
        case Call():
            return f"call {move.typing}"
        case Exchange(give, take):
            return f"give {give} take {take}"
        case Declare(allies):
            return " ".join(("declare", *(f"{seat_letter(g.seat)}={g.card}" for g in allies)))
    raise TypeError(f"{move} is no move of Hogen")


def _tokens(text: str) -> list[str]:
    """Returns verbs by their English name, with letters and numbers separated.

    >>> _tokens("J’appelle un samouraï de rang 4"), _tokens("declare A=F1")
    (['call', 'rank', '4'], ['declare', 'a', 'f', '1'])
    """
    found = _TOKEN.findall(plain_text(text))
    meant = [VERBS.get(word) or LETTERS.get(word, word) for word in found if word not in FILLERS or word in VERBS]
    return meant if "declare" in meant else [word for word in meant if word != "a"]


def _read(tokens: list[str]) -> Move | None:
    match tokens:
        case ["ally", *rest]:
            card = _card([t for t in rest if t != "ally"])
            return ChooseAlly(card) if card else None
        case ["call", *rest]:
            return _call(rest)
        case ["clan" | "rank" | "card", *_]:
            return _call(tokens)
        case ["declare", *rest]:
            return _declaration(rest)
    return _exchange(tokens)


def _card(tokens: list[str]) -> str | None:
    """Returns the card of exactly these tokens: a clan and a rank in either order, with or without their words."""
    bare = [t for t in tokens if t not in NOUNS]
    if len(bare) == 2 and bare[0].isdigit():
        bare.reverse()
    card = "".join(bare).upper()
    return card if len(bare) == 2 and card in CARDS else None


def _call(tokens: list[str]) -> Call | None:
    match [t.upper() for t in tokens]:
        case ["CLAN", clan] | [clan] if clan in CLANS:
            return Call(clan=clan)
        case ["RANK", rank] | [rank] if rank in map(str, RANKS):
            return Call(rank=int(rank))
    card = _card(tokens)
    return next((Call(clan, rank) for clan in CLANS for rank in RANKS if f"{clan}{rank}" == card), None)


def _exchange(tokens: list[str]) -> Exchange | None:
    """Returns the exchange. With verbs its halves may be in either order; without, the given card comes first."""
    bare = [t for t in tokens if t not in NOUNS]
    taken_first = "give" in bare and "take" in bare and bare.index("take") < bare.index("give")
    cards = _TWO_CARDS.fullmatch("".join(t for t in bare if t not in ("give", "take", "exchange")))
    said = [t for t in bare if len(t) > 1]
    if cards is None or said not in EXCHANGE_WORDS or (said and bare[0] != said[0]) or bare[-1] in said:
        return None
    one, other = (cards[1] + cards[2]).upper(), (cards[3] + cards[4]).upper()
    return Exchange(other, one) if taken_first else Exchange(one, other)


def _declaration(tokens: list[str]) -> Declare | None:
    """Returns the declaration: alternating seats and cards, the seats in any order, each once."""
    joined = "".join(t for t in tokens if t not in (*NOUNS, "ally"))
    found = _GUESSES.findall(joined)
    guesses = {SEATS.index(seat): f"{clan}{rank}".upper() for seat, clan, rank in found}
    if not found or _GUESSES.sub("", joined) or len(guesses) != len(found):
        return None
    return Declare(tuple(Guess(seat, card) for seat, card in sorted(guesses.items())))
