"""French elision: before a vowel's sound "de", "que" and "le" lose their vowel, as in "l’annonce d’Élise".

Texts are written with the full word in front of a placeholder, "l’annonce de {0}" or "de %(name)s". The code that puts
a name there calls `elide` with the text before it, so authors need not think of it. A name that begins with an h
elides, as most do ("d’Hélène"), unless it is known to begin with an aspirated one ("de Hans"). A name in another script
than the Latin one never elides, because not everybody can read how it sounds.
"""

import re
import unicodedata
from collections.abc import Mapping
from html import unescape
from typing import Any

from markupsafe import Markup

_BEFORE = re.compile(
    r"(?<![\w’'-])(?:((?:(?:jus|lors|puis|quoi)?qu|d|l)e|la)|(si))"
    r"(?:\s|&nbsp;)+((?:<[^<>]*>|[«“\"‘(\[\u2066-\u2069\s]|&nbsp;)*)\Z",
    re.IGNORECASE,
)
"""A word that elides at the end of a text, and what may stand between it and the name: tags and opening signs."""
_REACH = 300
"""How many letters before a name are looked at; a drawn board is much longer."""
_PLACE = re.compile(r"%(?:%|\((\w+)\))")
_TAG = re.compile(r"<[^<>]*>")

_UNSPOKEN = frozenset(("Ps", "Pi", "Pf", "Pc", "Pd", "Zs", "Cf", "Cc"))
"""Categories of signs in front of a name that are not spoken: brackets, quotes, dashes, spaces, isolates."""
_WORD = re.compile(r"[a-zœæøıəɛɔ]+")
_HE = re.compile(r"ils?\b")

_APART = re.compile(
    r"(?:onz|oui(?:s|stitis?)?\b|uhlan|iou"
    r"|ou(?!est\b|ies?\b|ailles?\b)[aeiy]"  # Ouarda; but l’ouest
    r"|y(?!eux\b|onne\b)[aeiouœ])"  # Yann; but Yves, and l’Yonne
)
"""Beginnings with a vowel that do not elide."""

_ASPIRATED = frozenset(
    re.findall(
        r"\w+",
        """
    ha hadar hadas hadassa hadi hadia hadja hadley hai haidar haie haies hailey haim haine hair hajar hajer hal hala
    halal hale haley halim halima halil halle halles hall halls hallebarde halo halos halte haltes haluk hamad hamadi
    hamed hamid hamida hamish hamlet hampe hamza han hana hanae hanan hanane hande haneul hang hani hania hanifa hank
    hannes hans hansel hansi hao harald harish harley harold haroun harper harpreet harrison harry harsh hartmut harun
    harvey hasan hasna hasnaa hasso hate hatem hatice hatif hatim hayao hayat hayden haydn hayley haytham hazel hazem
    heath heather heba hedwig heidi heike heiko heiner heinrich heinz hela helga helge hellmut helmut helmuth hema
    hendrik hendrix henk hennes henning hennir heros herse herta hetre hiba hic hichem hicham hien hieu hila hilal
    hilary
    hilda hilde hillary hilton himanshu hina hind hinde hip hit hitchcock hitomi ho hoa hoai hoang hocine hogan hokusai
    holden holger holly homa honoka hood hooper hope hopper horst hossein hot hotte hou hove howard hrithik hu hua huan
    huang hub huche huck huda hudson hue hugh hui hulya humphrey hun huns hung hunter huong hure huseyin husni hussam
    hussein huxley huy hyde hyeon hyun
    """,
    )
)
"""First words, without accents, that begin with an aspirated h: names that are not French, and words used as names."""
_ASPIRATED_STEMS = tuple(
    re.findall(
        r"\w+",
        """
    habib hach hack haddock hafe hafi hafs hagard haillon hain hakim hakan halet hamac hambourg hambur hameau hammam
    hamster hanche handi handb hangar hanneton hant happ haquen harangu haras harcel hard harem hareng hargn haricot
    harnach harnais harpe harpi harpon haru hasard haschi hass haubert hauss haut havan havre hayon heaum heraut heriss
    hernie heron heurt hibou hide hierarch hika hippie hippy hiro hisa hissa hobb hoche hockey hold holland homard hong
    honni hont hooligan hoquet hors houa houbl houc houd houill houl houm hour hous houx hublot huee huer huguenot huit
    hulk hulot hulul hupp hurl huron husk hussard hutt
    """,
    )
)
"""Beginnings that are always aspirated."""


def elide(before: str, name: object) -> str:
    """Returns the French text that stands before a name, its last word without its vowel if the name requires that.

    Tags, isolates and opening signs may stand between the word and the name, and at the beginning of the name.

    >>> elide("l’annonce de ", "Élise"), elide("parce que ", "Bob"), elide("la main de <b>", "Yves")
    ('l’annonce d’', 'parce que ', 'la main d’<b>')
    """
    found = _BEFORE.search(before, max(0, len(before) - _REACH))
    if found is None:
        return before
    word = found[1] or found[2]
    if not (_begins_with_he(name) if found[2] else begins_with_vowel(name)):
        return before
    return f"{before[: found.start()]}{word[:-1]}’{found[3]}"


def begins_with_vowel(name: object) -> bool:
    """True if French elides in front of the name. Markup is read as the text that it shows.

    >>> [begins_with_vowel(name) for name in ("Alice", "Hélène", "Œdipe", "Yves", "A.")]
    [True, True, True, True, True]
    >>> [begins_with_vowel(name) for name in ("Bob", "Hans", "Onze", "Yann", "11", "Ольга", "R.")]
    [False, False, False, False, False, False, False]
    """
    spoken = _spoken(name)
    found = _WORD.match(spoken)
    if found is None or found[0][0] not in "aeiouyhœæøıəɛɔ":
        return False
    word = found[0]
    if word[0] == "h":
        return len(word) > 1 and word not in _ASPIRATED and not word.startswith(_ASPIRATED_STEMS)
    return _APART.match(spoken) is None


def elide_message(message: str, facts: Mapping[str, Any]) -> str:
    """Returns the French message, elided where these facts will stand, which are not put in yet.

    >>> elide_message("la place de %(name)s", {"name": "Alice"}) % {"name": "Alice"}
    'la place d’Alice'
    """
    parts: list[str] = []
    end = 0
    for place in _PLACE.finditer(message):
        before = message[end : place.start()]
        parts += elide(before, facts[place[1]]) if place[1] in facts else before, place[0]
        end = place.end()
    return "".join((*parts, message[end:]))


def _begins_with_he(name: object) -> bool:
    return _HE.match(_spoken(name)) is not None


def _spoken(name: object) -> str:
    """Returns the name in small letters without accents, from its first sign on that is spoken."""
    text = unescape(_TAG.sub("", name)) if isinstance(name, Markup) else str(name)
    plain = "".join(c for c in unicodedata.normalize("NFKD", text.casefold()) if not unicodedata.combining(c))
    start = next((at for at, c in enumerate(plain) if unicodedata.category(c) not in _UNSPOKEN and c not in "\"'."), 0)
    return plain[start:]
