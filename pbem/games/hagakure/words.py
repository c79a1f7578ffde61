"""The pieces that sentences about Hagakure are made of, in both languages."""

from collections.abc import Iterable

from pbem.games.hagakure.facts import Hand, Nobori, State, deck, is_warrior, known, name_of, villagers_wanted
from pbem.kit.contract import Lang, Phrase

AND = {"fr": " et ", "en": " and "}
OR = {"fr": " ou ", "en": " or "}

NOBORI_NAMES: dict[Lang, dict[Nobori, str]] = {
    "fr": {"double": "Double", "zero": "Zéro", "villagers": "Villageois", "swap": "Échange", "look": "Regard"},
    "en": {"double": "Double", "zero": "Zero", "villagers": "Villagers", "swap": "Swap", "look": "Look"},
}


def card(number: int) -> Phrase:
    """The card with its mark.

    >>> card(7), card(0)
    ('{V7}', '{F}')
    """
    return f"{{{name_of(number)}}}"


def cards(numbers: Iterable[int], last: str = ", ") -> Phrase:
    """The cards one after the other, `last` before the last one.

    >>> cards([7, 19, 0], " and ")
    '{V7}, {S19} and {F}'
    """
    return listed([card(number) for number in numbers], last)


def listed(items: list[str], last: str) -> str:
    """The items with commas, `last` before the last one."""
    return last.join((", ".join(items[:-1]), items[-1])) if len(items) > 1 else "".join(items)


def seats(those: Iterable[int], lang: Lang) -> Phrase:
    """The names of these seats."""
    return listed([f"{{{seat}}}" for seat in those], AND[lang])


def pile(hand: Hand, lang: Lang) -> Phrase:
    """A hand or the Yomi as it is known: the cards, or how many there are."""
    seen, hidden = known(hand), hand.count(None)
    if not hidden:
        return cards(seen) if seen else ("aucune carte" if lang == "fr" else "no card")
    unknown = counted(hidden, "carte inconnue", "cartes inconnues") if lang == "fr" else unknown_en(hidden)
    return f"{cards(seen)}, {unknown}" if seen else unknown


def unknown_en(count: int) -> str:
    """So many cards that nobody here knows."""
    return counted(count, "unknown card", "unknown cards")


def counted(count: int, one: str, many: str) -> str:
    """The number with its noun: the first form for one, the second for any other number.

    >>> counted(1, "pli", "plis"), counted(2, "pli", "plis")
    ('1 pli', '2 plis')
    """
    return f"{count} {one if abs(count) == 1 else many}"


def tricks(count: int, lang: Lang) -> str:
    """So many tricks.

    >>> tricks(0, "fr"), tricks(0, "en"), tricks(2, "fr")
    ('0 pli', '0 tricks', '2 plis')
    """
    if lang == "fr":
        return f"{count} {'plis' if count > 1 else 'pli'}"
    return counted(count, "trick", "tricks")


def points(count: int, lang: Lang) -> str:
    """So many points, with a true minus sign.

    >>> points(-2, "fr"), points(1, "en")
    ('−2 points', '1 point')
    """
    if lang == "fr":
        return f"{signed(count)} {'points' if abs(count) > 1 else 'point'}"
    return f"{signed(count)} {'point' if abs(count) == 1 else 'points'}"


def signed(count: int) -> str:
    """The number, with a true minus sign where it is negative."""
    return f"−{-count}" if count < 0 else str(count)


def round_name(state: State, lang: Lang) -> str:
    """Which round this is."""
    if state.number > state.rounds:
        extra = state.number - state.rounds
        return f"Manche de plus {extra}" if lang == "fr" else f"Extra round {extra}"
    if lang == "fr":
        return f"Manche {state.number} sur {state.rounds}"
    return f"Round {state.number} of {state.rounds}"


def trick_number(state: State) -> tuple[int, int]:
    """Which trick of the round this is, and of how many."""
    done = sum(state.tricks)
    return done + 1, done + len(state.hands[state.leader]) + (1 if state.trick else 0)


def effect(nobori: Nobori, table: int, lang: Lang) -> str:
    """What a Nobori does, in few words."""
    wanted = villagers_wanted(table)
    if lang == "fr":
        return {
            "double": "les points de la manche comptent double",
            "zero": "la manche compte 0 point",
            "villagers": f"2 points de plus avec {wanted} villageois ou davantage",
            "swap": "la main contre le Yomi",
            "look": "voir le Yomi ou une main",
        }[nobori]
    return {
        "double": "the points of the round count twice",
        "zero": "the round counts 0 points",
        "villagers": f"2 points more with {wanted} villagers or more",
        "swap": "the hand for the Yomi",
        "look": "see the Yomi or a hand",
    }[nobori]


def unseen(fold: State) -> list[int]:
    """The cards of this round of which the fold does not know where they are, in order, fools first."""
    left = list(deck(fold.seats))
    places = [*fold.hands, fold.yomi, *fold.won, fold.trick]
    for number in (number for place in places for number in known(place)):
        left.remove(number)
    return sorted(left)


def asked_for(fold: State, lang: Lang) -> str:
    """What the led card asks of the others; empty before it is led."""
    if not fold.trick:
        return ""
    if is_warrior(fold.trick[0]):
        return "samouraï demandé" if lang == "fr" else "samurai asked for"
    return "choix libre" if lang == "fr" else "free choice"
