"""How moves of Allégeance are typed: `announce F1` or just `F1`, `give B`, `challenge`, `pass`.

The clans are F Fujiwara, M Minamoto, T Taira, B Tachibana; seats are A, B, C, D by their place at the table.
"""

import re

from pbem.games.allegeance.cards import CARDS, Announce, Challenge, Give, LetPass
from pbem.rules.contract import Move, Text, Unreadable
from pbem.rules.notation import french, plain_text, seat_letter, spelled, words

LONGEST = 200
SEATS = "abcd"

HINT = Text(
    fr=french(
        "Écrivez par exemple : F1 ou annonce F1 (la carte derrière la Porte) · donne B (la carte au joueur de la "
        "place B) · conteste · passe. Clans : F, M, T, B ; rangs : 1 à 4."
    ),
    en="Write for example: F1 or announce F1 (the card behind the Door) · give B (the card to the player on seat B) · "
    "challenge · pass. Clans: F, M, T, B; ranks: 1 to 4.",
)

CLAN_NAMES = spelled({"f": "fujiwara", "m": "minamoto", "t": "taira", "b": "tachibana"})
MEANINGS = spelled(
    {
        "announce": "announce announces annonce annonces annoncer say says dis dit dire",
        "give": "give gives donne donnes donner remets remettre offre offrir",
        "challenge": "challenge challenges challenging conteste contestes contester contestation objection",
        "pass": "pass passe passer passes decline declines decliner skip laisse laisser let accept accepte accepter",
        "not": "not pas ne don dont won without sans aucune jamais never",
        "no": "no non nope",
        "yes": "yes oui yep ouais si",
    }
)
CHALLENGES = ({"challenge"}, {"yes"}, {"yes", "challenge"})
PASSES = ({"pass"}, {"no"}, {"no", "pass"}, {"not", "challenge"}, {"no", "challenge"}, {"no", "not", "challenge"})
FILLERS = frozenset(
    words(
        "an announcement and at au behind by card carte ce cest cette clan comes da de des do door du elle en "
        "enter enters entre est et his her i il in is it its j je joueur l la le les lui of palace palais par place "
        "player porte pour rang rank s samourai samurai se seat sa son stands t that the there this to un une vais "
        "will z"
    )
)
"""Words that may stand between. "a" is one, too, but where a seat is named it is a seat first."""

_TOKEN = re.compile(r"[a-z]+|[0-9]+")


def parse(text: str) -> Move:
    """The move that the text means. Raises Unreadable with a hint."""
    move = _read(_TOKEN.findall(plain_text(text))) if len(text) <= LONGEST else None
    if move is None:
        raise Unreadable(text[:LONGEST], HINT)
    return move


def format(move: Move) -> str:
    """The move in short notation.

    >>> format(Announce("F1")), format(Give(1)), format(Challenge()), format(LetPass())
    ('announce F1', 'give B', 'challenge', 'pass')
    """
    match move:
        case Announce(card):
            return f"announce {card}"
        case Give(seat):
            return f"give {seat_letter(seat)}"
        case Challenge():
            return "challenge"
        case LetPass():
            return "pass"
    raise TypeError(f"{move} is no move of Allégeance")


def _read(tokens: list[str]) -> Move | None:
    meant = [MEANINGS.get(token, token) for token in tokens]
    if "give" in meant:
        return _gift(meant)
    bare = [word for word in meant if word not in ("announce", "a")]
    said = {word for word in bare if word not in FILLERS}
    if said in CHALLENGES:
        return Challenge()
    if said in PASSES:
        return LetPass()
    card = _card(bare)
    return Announce(card) if card else None


def _gift(meant: list[str]) -> Give | None:
    """The seat stands last; before it may be "à" or "to", a word for the card, and the verb."""
    *before, seat = meant
    known = all(token in FILLERS or token in ("give", "a", "z") for token in before)
    return Give(SEATS.index(seat)) if known and len(seat) == 1 and seat in SEATS else None


def _card(tokens: list[str]) -> str | None:
    """The card of exactly these tokens: a clan and a rank in either order, with or without words between.

    >>> _card(["le", "samourai", "taira", "de", "rang", "1"]), _card(["2", "m"]), _card(["m"])
    ('T1', 'M2', None)
    """
    bare = [CLAN_NAMES.get(token, token) for token in tokens]
    bare = [token for token in bare if token not in FILLERS - {"t"}]
    if bare and bare[0].isdigit():
        bare.reverse()
    card = "".join(bare).upper()
    return card if len(bare) == 2 and card in CARDS else None
