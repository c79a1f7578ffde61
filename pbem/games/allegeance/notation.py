"""How moves of Allégeance are typed: `announce F1` or just `F1`, `give B`, `challenge`, `pass`.

The clans are F Fujiwara, M Minamoto, T Taira, B Tachibana; seats are A, B, C, D by their place at the table.
"""

import re

from pbem.games.allegeance.facts import Announce, Challenge, Give, LetPass
from pbem.games.samurai import CARDS, LETTERS
from pbem.kit.game.moves import Move
from pbem.kit.notation import plain_text, spelled, understand, words
from pbem.kit.words import T

SEATS = "abcd"

HINT = T(
    "Écrivez par exemple : F1 ou annonce F1 (la carte derrière la Porte) · donne B (la carte au joueur de la "
    "place B) · conteste · passe. Clans : F, M, T, B ; rangs : 1 à 4.",
    "Write for example: F1 or announce F1 (the card behind the Door) · give B (the card to the player on seat B) · "
    "challenge · pass. Clans: F, M, T, B; ranks: 1 to 4.",
)

MEANINGS = spelled(
    {
        "announce": "announce announces announcing announced anounce annonce annonces annoncez annoncer annonc name "
        "nomme nommes nommez nommer say says dis dit dire",
        "give": "give gives giving donne donnes donnez donner remets remettez remettre offer offre offrir",
        "challenge": "challenge challenges challenging challange chalenge contest contests conteste contestes "
        "contestez contester contestation objection",
        "pass": "pass passe passer passes decline declines decliner skip laisse laisser let accept accepte accepter",
        "not": "not pas ne don dont won without sans aucune jamais never",
        "no": "no non nope",
        "yes": "yes oui yep ouais si",
    }
)
FILLERS = frozenset(
    words(
        "an announcement and at au behind by card carte ce cest cette clan comes da de des do door du elle en "
        "enter enters entre est et his her i il in is it its j je joueur l la le les lui merci of palace palais par "
        "place plait player please porte pour rang rank s samourai samurai se seat sa son souhaite stands stp svp t "
        "te thanks that the there this to un une vais veux vous want will wish z"
    )
)
"""Filler words. "a" is one, too, but where a seat is expected it is a seat first."""

NUMBERS = spelled({"1": "one", "2": "two deux", "3": "three trois", "4": "four quatre"})

_TOKEN = re.compile(r"[a-z]+|[0-9]+")
_GLUED = re.compile(r"\b(?:(?:announce|annonce)(?=[fmtb][1-4]?\b)|(?:give|donne)(?=[abcd]\b))")
"""A verb written together with what follows it."""
_VERBS = "|".join(word for word, meaning in MEANINGS.items() if meaning == "challenge")
_DENIED = re.compile(
    rf"\b(?:(?:not|dont|don t|won t|wont|never|no|without|sans|aucune|pas|pas de|pas d|ne|ne l|ne la)"
    rf"(?: a| (?:want|wish) to)? (?:{_VERBS})|(?:{_VERBS}) pas(?=[ .!]*$))\b"
)
"""A challenge negated by the word right before it. A "not" elsewhere may be about what the Door holds."""


def parse(text: str, seat: int | None = None) -> Move:
    """Returns the move that the text means; the seat does not matter. Raises Unreadable with the hint."""
    return understand(text, lambda typed: _parse_plain_text(plain_text(typed).replace("'", " ")), HINT)


def _parse_plain_text(plain: str) -> Move | None:
    meant = _meaning_of_each_word(plain)
    if "give" in meant:
        return _gift_meant_by_words(meant)
    bare = [word for word in meant if word not in ("announce", "a")]
    typed = {word for word in bare if word not in FILLERS}
    if typed - {"yes"} == {"challenge"} or set(meant) == {"yes"}:
        return Challenge()
    if typed - {"no"} == {"pass"} or set(meant) == {"no"} or _negates_challenge(plain):
        return LetPass()
    card = _card_meant_by_tokens(bare)
    return Announce(card) if card else None


def _meaning_of_each_word(plain: str) -> list[str]:
    """Returns the meaning of each word."""
    return [MEANINGS.get(token, token) for token in _TOKEN.findall(_GLUED.sub(r"\g<0> ", plain))]


def _negates_challenge(plain: str) -> bool:
    """Returns whether the text only negates a challenge: "no" before it or "not" after it, and filler words.

    >>> _negates_challenge("non, je ne conteste pas l annonce")
    True
    >>> _negates_challenge("i challenge: it is not there"), _negates_challenge("no, challenge")
    (False, False)
    """
    rest = _meaning_of_each_word(_DENIED.sub("", plain, count=1))
    known = all(word in FILLERS or word in ("announce", "a", "no", "not") for word in rest)
    return known and _DENIED.search(plain) is not None


def _gift_meant_by_words(meant: list[str]) -> Give | None:
    """Returns the gift. The seat comes last; before it may be "à" or "to", the card or a word for it, and the verb.

    The card need not be named, since there is only one to give.

    >>> _gift_meant_by_words(["give", "f", "1", "a", "b"]), _gift_meant_by_words(["give", "f", "1", "b"])
    (Give(seat=1), None)
    """
    *before, seat = meant
    named = [word for word in before if word not in ("give", "a", "z")]
    known = all(word in FILLERS for word in named)
    if not known and before[-1] in ("a", "to", "seat", "player", "place", "joueur"):
        known = _card_meant_by_tokens(named) is not None
    return Give(SEATS.index(seat)) if known and len(seat) == 1 and seat in SEATS else None


def _card_meant_by_tokens(tokens: list[str]) -> str | None:
    """Returns the card of exactly these tokens: a clan and a rank in either order, with or without filler words.

    >>> _card_meant_by_tokens(["le", "samourai", "taira", "de", "rang", "1"])
    'T1'
    >>> _card_meant_by_tokens(["2", "m"]), _card_meant_by_tokens(["m"])
    ('M2', None)
    """
    if tokens[-1:] == ["un"]:
        tokens = [*tokens[:-1], "1"]
    bare = [NUMBERS.get(token) or LETTERS.get(token, token) for token in tokens]
    bare = [token for token in bare if token not in FILLERS - {"t"}]
    if bare and bare[0].isdigit():
        bare.reverse()
    card = "".join(bare).upper()
    return card if len(bare) == 2 and card in CARDS else None
