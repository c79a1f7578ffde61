"""What people write around a move: greetings, thanks and closings, which do not matter, and words that take it back.

Texts are plain: in lower case, without accents (`pbem.kit.notation.plain_text`).
"""

import re
from collections.abc import Sequence

from pbem.kit.notation import plain_text

_GREETING = re.compile(
    r"\W*(?:re-?)?(?:hi|hello|hey|hiya|dear|greetings|good (?:morning|afternoon|evening|day)|bonjour|bonsoir|salut"
    r"|coucou|cher|chere|chers|hallo|guten (?:tag|morgen|abend)|moin|servus|gruezi|liebe[rs]?|hola|buenos dias|buen dia"
    r"|buenas(?: tardes| noches)?|ciao|buongiorno|buonasera|hoi|goedendag|goedemorgen|goedenavond)"
    r"(?P<to>(?: [^\W\d]+(?:['-][^\W\d]+)*){0,3})\W*"
)
_CLOSING = re.compile(
    r"\W*(?:thanks?|thank you|many thanks|thx|ty|cheers|merci|mille mercis|grand merci|best|best regards|best wishes"
    r"|kind regards|warm regards|regards|sincerely|yours|yours truly|yours sincerely|bye|bye bye|goodbye|see you|see ya"
    r"|cya|ttyl|good luck|have fun|gl|gl hf|glhf|gg|good game|nice game|have a (?:nice|good|great) (?:day|evening"
    r"|weekend|one)|enjoy|take care|love|xoxo|xx|cordialement|bien cordialement|tres cordialement|cdlt|sincerement"
    r"|amities|amicalement|bien a (?:toi|vous)|a (?:bientot|plus|plus tard|demain|tout a l'heure|toi|vous|la prochaine)"
    r"|a \+|a\+|bises|bise|bisous|gros bisous|la bise|bonne (?:journee|soiree|nuit|chance|continuation|partie"
    r"|fin de journee)|bon (?:week-?end|jeu|courage|match|apres-midi|dimanche)|au revoir|salutations|mfg|vg|lg"
    r"|viele grusse|liebe grusse|schone grusse|beste grusse|(?:mit )?(?:freundlichen?|besten?|herzlichen?"
    r"|lieben?) gru(?:ss|sse|ssen)|gruss|grusse|tschuss|bis (?:bald|dann|spater|morgen)|danke|danke schon|vielen dank"
    r"|viel (?:gluck|spass|erfolg)|(?:einen )?schonen (?:tag|abend)(?: noch)?|saludos|un saludo"
    r"|un abrazo|abrazos|gracias|muchas gracias|atentamente|suerte|buena suerte|hasta (?:luego|pronto|manana)|adios"
    r"|saluti|cordiali saluti|un saluto|grazie|buona fortuna|a presto|groet|groeten|groetjes"
    r"|met vriendelijke groet(?:en)?|mvg|bedankt|dank je|succes|\U0001f642|\U0001f44d|:-?\)|;-?\))"
    r"(?P<to>(?:[ ,!.:-]+(?!(?:no|non|not|nein|pas|mais|but|for|pour|aber)\b)[^\W\d]+(?:'[^\W\d]+)?){0,4})[\W_]*"
)
_COURTESY = re.compile(
    r"(?:please|thanks?(?: you)?|thank you|many thanks|thx|cheers|merci(?: beaucoup| bien| d'avance)?|svp|stp"
    r"|s'il (?:te|vous) plait|danke|bitte|gracias|por favor|grazie|good luck|bonne (?:chance|journee|soiree|partie)"
    r"|viel gluck|suerte|a toi|a vous|your turn|gl|gg|hf|:-?\)|;-?\))"
)
_TAKES_BACK = re.compile(
    r"\b(?:no|nope|non|not|dont|don't|doesn't|won't|can't|cannot|cant|didn't|never|nein|nicht|kein|keine|doch|n'\w+|ne"
    r"|pas|plutot|attends?|attendez|attendre|wait|hold on|instead|rather|actually|finalement|en fait|oops|oups|sorry"
    r"|pardon|desolee?|mistake|erreur|error|annule[rzs]?|annulation|cancel|undo|take back|takeback|forget|ignore"
    r"|disregard|oublie[rzs]?|je voulais|i meant|i mean|on second thought|change(?:d|s)? (?:my mind|d'avis)|correction"
    r"|au lieu|a la place|stop|stopp|warte|moment|lieber|statt|stattdessen|ou alors|or maybe|maybe|peut-etre|vielleicht"
    r"|quiza|espera|mejor|aspetta|anzi|invece|wacht|niet|liever|hmm+|edit|scratch that|my bad)\b"
)
_HEDGES = re.compile(
    r"\b(?:wait|hold on|attends|attendez|instead|plutot|maybe|perhaps|peut-etre|oops|oups|or|ou|if|unless|sauf si"
    r"|on second thought|warte|vielleicht|oder|espera|aspetta|i meant|je voulais)\b"
)
_TO_SOMEBODY = re.compile(
    r"(?:say|dire|dis)\s*,|note[rz]?\s*,|(?:dire|dis)[\s-]+(?:moi|donc|lui|leur)\b|note[rz]?\s+(?:that|que|qu'|bien)\b"
    r"|note[rz]?\s+qu'|(?:say|dire|dis)\s+(?P<name>[^\W\d]+)\s*,"
)
"""Words to a person, not to the table or oneself: "say, …", "dis Bob, …", "note that …". A colon makes them so."""
_ADDRESS = re.compile(r"(?:https?://|www\.)\S{1,500}|\S{1,100}@\S{1,100}")
_THANKS = re.compile(
    r"\W*(?:(?:many |thx )?thanks?|thank you|thx|cheers|merci|mille mercis|danke|vielen dank|(?:muchas )?gracias|grazie"
    r"|obrigad[oa]|bedankt|dank je|tack|takk|tak|kiitos|dzieki|dziekuje|diky|dekuji|koszonom|tesekkurler|ευχαριστω"
    r"|спасибо|дякую|شكرا|תודה|ありかとう|谢谢|謝謝|감사합니다|good game|well played|nice (?:move|game)|bien joue"
    r"|(?:good|nice) to hear from you|i hope|hope you|j'espere)(?![^\W\d_]).{0,100}"
)
_SALUTATION = re.compile(
    r"\W*[^\W\d_]+(?:[ '’-][^\W\d_]+){0,2} ?[,،，、!！]\W*|\W*(?:こんにちは|こんはんは|안녕하세요|你好|您好)\W*"
)
"""A few words before a comma at the end of their line, in any language."""
_LONGEST_CLOSING = 60
"""In characters."""
_LONGEST_NAME = 4
"""In words."""
_WORD = re.compile(r"[^\W\d_]+")


def is_greeting(plain: str) -> bool:
    """Returns whether the line greets somebody and says nothing else.

    >>> is_greeting("hi bob,"), is_greeting("bonjour a tous !"), is_greeting("hi, f3")
    (True, True, False)
    """
    return _GREETING.fullmatch(plain) is not None


def is_closing(plain: str) -> bool:
    """Returns whether the line thanks somebody or takes leave, and says nothing else.

    >>> is_closing("merci, bob !"), is_closing("bonne journee"), is_closing("thanks, but no")
    (True, True, False)
    """
    return len(plain) <= _LONGEST_CLOSING and _CLOSING.fullmatch(plain) is not None


def is_courtesy_behind_move(plain: str) -> bool:
    """Returns whether the words, written behind a move, are mere courtesy."""
    return _COURTESY.fullmatch(plain.strip(" .,!;")) is not None or is_closing(plain)


def addressee_of_courtesy(plain: str) -> str | None:
    """Returns to whom a line that is nothing but greeting, thanks or leave is said, "" if to nobody; None for others.

    >>> addressee_of_courtesy("thanks, bob!"), addressee_of_courtesy("merci !"), addressee_of_courtesy("f3, thanks")
    ('bob', '', None)
    """
    if _COURTESY.fullmatch(plain.strip(" .,!;")):
        return ""
    found = _GREETING.fullmatch(plain) or (_CLOSING.fullmatch(plain) if len(plain) <= _LONGEST_CLOSING else None)
    return found["to"].strip(" ,!.:-") if found else None


def is_courtesy_above_move(plain: str) -> bool:
    """Returns whether a line above a move is mere courtesy: a greeting, or a word of thanks, however long.

    >>> [is_courtesy_above_move(one) for one in ("hej,", "hi bob, thanks for the reminder!", "thanks, but no")]
    [True, True, False]
    """
    if may_take_back(plain) or is_question(plain) or is_hedged(plain) or re.search(r"\d", plain):
        return False
    greeting, _, rest = plain.partition(",")
    if rest.strip() and is_greeting(greeting):
        return is_courtesy_above_move(rest)
    return any(words.fullmatch(plain) for words in (_GREETING, _SALUTATION, _THANKS))


def is_signature(line: str, names: Sequence[str]) -> bool:
    """Returns whether the line, as typed, is a signature with one of the names, perhaps with a family name behind it.

    >>> is_signature("- Alice M.", ["Alice"]), is_signature("Alice plays", ["Alice"])
    (True, False)
    >>> is_signature("alice", ["Alice Martin"])
    True
    """
    words = _WORD.findall(line)
    if not words or len(words) > _LONGEST_NAME or re.search(r"[\d?:]", line):
        return False
    said = [plain_text(word) for word in words]
    for name in names:
        own = _WORD.findall(plain_text(name))
        if own and all(word in own for word in said):
            return True
        if own and said[0] == own[0] and all(word[0].isupper() for word in words):
            return True
    return False


def may_say_be_meant_for_person(plain: str) -> bool:
    """Returns whether the line begins with "say" or "note" but may be meant for a person.

    >>> [may_say_be_meant_for_person(one) for one in ("dis bob, tu viens ?", "say: bob, hi", "say thanks, bob")]
    [True, False, False]
    """
    found = _TO_SOMEBODY.match(plain)
    return found is not None and (found["name"] is None or addressee_of_courtesy(found["name"]) is None)


def may_take_back(plain: str) -> bool:
    """Returns whether a later line holds a word that may take a move back.

    >>> may_take_back("no, wait"), may_take_back("je n'en suis pas sur"), may_take_back("nice weather")
    (True, True, False)
    """
    return _TAKES_BACK.search(_ADDRESS.sub(" ", plain)) is not None


def is_hedged(plain: str) -> bool:
    """Returns whether a line that can be read as a move says that it may be another."""
    return _HEDGES.search(plain) is not None


def without_addresses(text: str) -> str:
    """Returns the text without web and mail addresses."""
    return _ADDRESS.sub(" ", text)


def is_question(plain: str) -> bool:
    """Returns whether the line asks something; a question mark in an address asks nothing."""
    return any(mark in _ADDRESS.sub(" ", plain) for mark in "?¿？")
