"""The words of Hagakure: on the board, and as parts of sentences."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from pbem.games.hagakure.facts_cards import (
    FOOL,
    Hand,
    Nobori,
    card_in_notation,
    hand_size,
    villagers_wanted,
    visible_cards,
)
from pbem.kit.contract import Phrase
from pbem.kit.texts import Lang, Text
from pbem.kit.words import T, counted, joined, put_in, say

if TYPE_CHECKING:
    from pbem.games.hagakure.facts_state import State

# --- on the board ------------------------------------------------------------------------------------------

SEEN_BY = T("Plateau de Hagakure vu par *", "Hagakure board as * sees it")
SEEN_BY_ALL = T("Plateau de Hagakure, toutes les cartes ouvertes", "Hagakure board, all cards open")
SEEN_BY_PUBLIC = T("Plateau de Hagakure vu par un spectateur", "Hagakure board as a spectator sees it")
CHOOSING = T("Bannières de la manche", "Banners of the round")
TO_LOOK_AT = T("que regarder ?", "look at what?")
NEXT = T("ensuite", "next")
NONE = T("aucune", "none")
"""No banner."""
NO_BANNER = T("Aucune bannière", "No banner")
TAKEN_BY = T(", à", ", to")
MUST_FOLLOW = T("samouraï demandé", "samurai asked for")
FREE = T("choix libre", "free choice")
AHEAD = T("en tête", "ahead")
IS_PLAYED = T("joué", "played")
NOT_ALLOWED = T("pas permis", "not allowed")
OLD_FOOL = T("Fou", "Fool")
POINTS = T("Points", "Points")
TOTAL = T("total", "total")
COUNTED = T("manche comptée", "round counted")
SHARED = T("victoire partagée", "shared victory")
SITS_OUT = T("ne joue pas", "sits out")
"""Of a seat that a tie-break is not about."""
YOU_SIT_OUT = T("Vous ne jouez pas cette manche", "You sit out this round")
BREAK_TIE = T("se départagent", "break the tie")

# What is said to the viewer, and what is said about somebody else, whose name replaces the *.
CHOOSES = (T("à vous de choisir", "you choose"), T("* choisit", "* chooses"))
LEADS = (T("à vous d’entamer", "you lead"), T("* entame", "* leads"))

# --- Nobori ------------------------------------------------------------------------------------------------

NOBORI_NAMES: dict[Nobori, Text] = {
    "double": T("Double", "Double"),
    "zero": T("Zéro", "Zero"),
    "villagers": T("Villageois", "Villagers"),
    "swap": T("Échange", "Swap"),
    "look": T("Regard", "Look"),
}

_EFFECTS = {
    "double": T("les points doublent", "points count twice"),
    "zero": T("0 pour la manche", "0 for the round"),
    "villagers": T("+2 avec {} d’entre eux", "+2 with {} of them"),
    "exact": T("+2 avec {} d’entre eux, pas plus", "+2 with exactly {} of them"),
    "swap": T("main contre Yomi", "hand for Yomi"),
    "look": T("Yomi ou une main", "Yomi or a hand"),
}
YOUR_EFFECTS = {
    "double": T("vos points de la manche comptent double", "your points this round count twice"),
    "zero": T("quoi qu’il arrive, 0 point dans cette manche", "whatever happens, you score 0 this round"),
    "villagers": T("+2 si vos plis ont au moins {} villageois", "+2 if your tricks hold at least {} villagers"),
    "exact": T("+2 si vos plis ont exactement {} villageois", "+2 if your tricks hold exactly {} villagers"),
}
"""The same in full, said to who plays one that changes the score."""


def effect_of_nobori(nobori: Nobori, fold: State, lang: Lang, effects: Mapping[str, Text] = _EFFECTS) -> str:
    """Returns the effect of a Nobori at this table, in few words."""
    text = effects["exact" if fold.exact and nobori == "villagers" else nobori]
    return text[lang].format(villagers_wanted(fold.seats))


# --- cards -------------------------------------------------------------------------------------------------


def card_placeholder(number: int) -> Phrase:
    """Returns the card with its mark.

    >>> card_placeholder(7), card_placeholder(0)
    ('{V7}', '{F}')
    """
    return put_in(card_in_notation(number))


def cards_in_words(numbers: Iterable[int]) -> Phrase:
    """Returns the cards one after the other."""
    return ", ".join(map(card_placeholder, numbers))


def card_in_words(number: int, lang: Lang) -> Phrase:
    """Returns the card as it is played: an Old Fool is called so.

    >>> card_in_words(7, "en"), card_in_words(0, "en")
    ('{V7}', 'an Old Fool, {F}')
    """
    return (say(lang, "un Vieux Fou, ", "an Old Fool, ") if number == FOOL else "") + card_placeholder(number)


def pile_in_words(hand: Hand, lang: Lang) -> Phrase:
    """Returns a hand or the Yomi as far as it is known: the cards, or their number."""
    seen, hidden = cards_in_words(visible_cards(hand)), hand.count(None)
    if not hidden:
        return seen or say(lang, "aucune carte", "no card")
    unknown = counted(hidden, _UNKNOWN, lang)
    return f"{seen}, {unknown}" if seen else unknown


def look_target_in_words(target: int | None, lang: Lang) -> Phrase:
    """Returns what a look shows: the Yomi, or somebody's hand."""
    if target is None:
        return say(lang, "le Yomi", "the Yomi")
    return say(lang, f"la main de {{{target}}}", f"{{{target}}}’s hand")


def names_in_tie_break(seats: Sequence[int], lang: Lang, letters: int = 0) -> Phrase:
    """Returns who plays a tie-break: two by their names, cut to `letters` if there are any; of more, the number."""
    if len(seats) == 2:
        return joined((put_in(f"{seat}:{letters}" if letters else seat) for seat in seats), lang)
    return say(lang, f"{len(seats)} joueurs", f"{len(seats)} players")


# --- numbers -----------------------------------------------------------------------------------------------

TRICK = (T("pli", "trick"), T("plis", "tricks"))
_POINT = (T("point", "point"), T("points", "points"))
_UNKNOWN = (T("carte inconnue", "unknown card"), T("cartes inconnues", "unknown cards"))


def points_in_words(count: int, lang: Lang) -> str:
    """Returns a number of points.

    >>> points_in_words(-2, "fr"), points_in_words(1, "en")
    ('−2 points', '1 point')
    """
    return counted(count, _POINT, lang).replace("-", "−")


def round_name(fold: State, lang: Lang) -> str:
    """Returns which round this is."""
    if fold.number > fold.rounds:
        extra = fold.number - fold.rounds
        if fold.among_leaders:
            return say(lang, f"Départage {extra}", f"Tie-break {extra}")
        return say(lang, f"Manche de plus {extra}", f"Extra round {extra}")
    return say(lang, f"Manche {fold.number} sur {fold.rounds}", f"Round {fold.number} of {fold.rounds}")


def trick_name(fold: State, lang: Lang, *, last: bool = False) -> str:
    """Returns which trick of the round is being played or is led next; or which one was the last."""
    number, size = sum(fold.tricks) + (not last), hand_size(fold.seats)
    return say(lang, f"pli {number} sur {size}", f"trick {number} of {size}")
