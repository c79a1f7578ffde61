"""How moves of Hagakure are typed: `none`, `double`, `zero`, `villagers`, `swap`, `look yomi`, `look B`, `play S19`.

A card is written V7 (villager), S19 (samurai) or F (Old Fool); its number alone will do. Seats are A to E.
"""

import re

from pbem.games.hagakure.facts import CARDS, FOOL, Keep, Look, Play, Raise, Swap, name_of
from pbem.kit.contract import Move
from pbem.kit.notation import plain_text, seat_letter, spelled, understand, words
from pbem.kit.words import T

SEATS = "abcde"

HINT = T(
    "Écrivez par exemple : none (aucune bannière) · double · zero · villageois · échange · regarde yomi ou regarde B "
    "(une place) · joue 19, joue V7 ou joue F (Vieux Fou). V : villageois, 1 à 17 ; S : samouraï, 18 à 27.",
    "Write for example: none (no banner) · double · zero · villagers · swap · look yomi or look B (a seat) · "
    "play 19, play V7 or play F (Old Fool). V: villager, 1 to 17; S: samurai, 18 to 27.",
)

VOCABULARY = spelled(
    {
        "none": "none no non rien aucun aucune sans pas keep garde garder pass passe passer skip nothing without",
        "double": "double doubler doubles doubled twice",
        "zero": "zero null nul cancel annule annuler",
        "villager": "villager villagers villageois villageoise",
        "samurai": "samurai samourai samurais samourais",
        "fool": "fool fools fou fous f oldfool vieuxfou",
        "swap": "swap swaps echange echanger echanges exchange troque troquer troc change changer",
        "look": "look looks regarde regarder regard see sees peek spy vois voir espionne espionner observe observer",
        "yomi": "yomi",
        "play": "play plays joue jouer pose poser mets mettre entame entamer lay lays put lead leads",
        "times": "x",
    }
)
FILLERS = frozenset(
    words(
        "against all an and at avec banner banniere card cards carte cartes ce cette chez contre de des du et fois "
        "for from hand her his i il in into je jeton jetons joueur la le les let leur like m ma main manche me mes "
        "mon my n ne nobori number numero of old on place player please point points pour round sa seat ses son svp "
        "the their this to token tokens tour tout toute toutes turn un une use utilise vais veux vieille vieux "
        "voudrais want will with would your"
    )
)
"""Filler words. "a" is one, too, but after "look" it is a seat."""

_TOKEN = re.compile(r"[a-z]+|[0-9]+")
_ELIDED = re.compile(r"\b(?:d|j|l|m|n|qu)'(?!s\b)")
_OWNER = re.compile(r"'(?:s|d|ll)\b")
_TO_SEAT = re.compile(r"[àÀ] +(?=[a-eA-E]\b)")
"""The French preposition before a seat; alone it is the letter, with an accent added by a phone."""
_SOME = re.compile(r"\ba (?=(?:card|hand|player)s?\b)")
"""The English article, which is no seat."""
_LETTERS = {"villager": "V", "v": "V", "samurai": "S", "s": "S"}


def parse(text: str, seat: int | None = None) -> Move:
    """Returns the move that the text means; the seat does not matter. Raises Unreadable with a hint."""
    return understand(text, lambda typed: _read(_tokens(typed)), HINT)


def format(move: Move) -> str:
    """Returns the move in short notation.

    >>> format(Look(1)), format(Play(19)), format(Play(0))
    ('look B', 'play S19', 'play F')
    """
    match move:
        case Raise(nobori):
            return nobori
        case Swap():
            return "swap"
        case Look(target):
            return f"look {'yomi' if target is None else seat_letter(target)}"
        case Play(card):
            return f"play {name_of(card)}"
    return "none"


def _tokens(text: str) -> list[str]:
    """Returns the words that matter, each under one name, with letters and numbers separated.

    >>> _tokens("Je regarde la main de B"), _tokens("J’échange !"), _tokens("×2"), _tokens("le 19")
    (['look', 'b'], ['swap'], ['times', '2'], ['19'])
    """
    plain = plain_text(_TO_SEAT.sub(" ", text).replace("×", "x").replace("+", " plus "))
    found = _TOKEN.findall(_OWNER.sub(" ", _ELIDED.sub(" ", _SOME.sub(" ", plain))))
    meant = [VOCABULARY.get(word, word) for word in found if word not in FILLERS]
    return meant if "look" in meant else [word for word in meant if word != "a"]


def _read(tokens: list[str]) -> Move | None:
    match tokens:
        case ["none"] | ["play", "none"] | ["none", "play"]:
            return Keep()
        case ["look", *target]:
            return _look(target)
        case ["play", *rest] if "play" not in rest:
            return _nobori(rest) or _card(rest)
    return _nobori(tokens) or _card(tokens)


def _look(target: list[str]) -> Look | None:
    match target:
        case ["yomi"]:
            return Look(None)
        case [seat] if len(seat) == 1 and seat in SEATS:
            return Look(SEATS.index(seat))
    return None


def _nobori(tokens: list[str]) -> Move | None:
    match tokens:
        case ["double"] | ["times", "2"] | ["2", "times"]:
            return Raise("double")
        case ["zero"]:
            return Raise("zero")
        case ["villager"] | ["plus", "2"] | ["plus", "2", "villager"] | ["villager", "plus", "2"]:
            return Raise("villagers")
        case ["swap"] | ["swap", "yomi"]:
            return Swap()
        case ["look", *target]:
            return _look(target)
    return None


def _card(tokens: list[str]) -> Play | None:
    """Returns the card of exactly these tokens: its number, with or without the right word, or a fool."""
    match tokens:
        case ["fool"]:
            return Play(FOOL)
        case [digits] if digits.isdigit():
            return _number(digits, "")
        case [kind, digits] if kind in _LETTERS and digits.isdigit():
            return _number(digits, _LETTERS[kind])
        case [digits, ("v" | "s" | "samurai") as kind] if digits.isdigit():  # "4 villagers" may be a Nobori
            return _number(digits, _LETTERS[kind])
    return None


def _number(digits: str, letter: str) -> Play | None:
    """Returns the card of this number, unless there is none or the letter names another kind."""
    number = int(digits) if len(digits) < 3 else FOOL
    return Play(number) if number and f"{letter or name_of(number)[0]}{number}" in CARDS else None
