"""Classifies a mail server's refusal: is it about the address, or about us, and does it pass?

The enhanced status code after the reply says it (RFC 3463): 5.1.1 is an unknown mailbox, 5.7.1 a policy. A server
that sends none, or an ambiguous one, is judged by its reply to the recipient, unless its words are about relaying,
login or spam.

    address  nobody reads mail there: unknown, closed, moved, no such domain; or its server defers all mail at first
    ours     the mail, its sender, this host's settings or reputation, or the server itself

A full mailbox, a rate limit or a server that asks to wait says nothing about next week. Answers during delivery and
reports that come later are judged by the same rules.
"""

import re
from typing import Literal

Stage = Literal["recipient", "data"]
Fault = Literal["address", "ours"]

PERMANENT = 500
UNTRUSTED = frozenset({530, 534, 535, 538})
"""The server wants a login, or another one."""
_STATUS = re.compile(r"(?:^\s*|#)([245])\.(\d{1,3})\.(\d{1,3})(?![\d.])")
_US = (
    r"relay|rcpthosts|authenticat|authoriz|\blog ?in\b|\bsender\b|sending|spam|policy|prohibit|reputation|block ?list"
    r"|black ?list|banned|\bSPF\b|\bDKIM\b|\bDMARC\b|too many|client host|host ?name|\bhelo\b|local (?:problem|error)"
)
_OURS_ALL_THE_SAME = re.compile(_US, re.IGNORECASE)
"""Words that take precedence over an ambiguous code. A mailbox, too, may be blocked or have a rate limit."""
_OURS = re.compile(rf"{_US}|blocked|\brate\b", re.IGNORECASE)
_VAGUE = frozenset({(1, 0), (2, 1), (7, 1)})
"""Codes that are used for the address as well as for us, like all about routing (4)."""
_ADDRESS_CODES = frozenset({450, 451, 501, 521, 550, 551, 553, 556})
_PUT_OFF = frozenset({450, 451})
_FULL = 552
_PASSING = frozenset({(2, 2), (3, 1), (4, 5), (4, 7)})
"""Mailbox full, server full, congestion, tried for too long (RFC 3463): whatever the class says, these pass."""
_SAYS_LITTLE = frozenset({(0, 0), (2, 0), (2, 1), (5, 0), (7, 0), (7, 1)})
"""Codes beside which the words count: a mailbox that is closed, and one that gets too much mail, may both be 2.1."""
_PASSES = re.compile(
    r"quota|(?:mail ?box|inbox|mail ?folder|account|storage|disk)(?: \S+){0,4} full\b|full (?:mail ?box|inbox)"
    r"|out of (?:storage|space)|(?:not enough|insufficient|no more|no) (?:\w+ )?(?:storage|space)"
    r"|storage allocation|(?:mail ?box|storage|account) (?:\w+ ){0,2}limit|over (?:\w+ ){0,2}limit"
    r"|\brate\b|too (?:much|fast|quickly|often)"
    r"|too many (?:connections|messages|recipients|e?-?mails|requests|sessions)"
    r"|throttl|gr[ae]y-? ?list|temporar(?:y|ily)|deferred"
    r"|(?:try|retry|come back|again|resend)(?: \w+){0,3} (?:later|in \d+|after \d+)|please (?:retry|wait)\b"
    r"|exceed(?:ed|s)? (?:\w+ ){0,3}(?:storage|space|mail ?box)"
    r"|bo[iî]te(?: \S+){0,4} pleine|postfach(?: \S+){0,4} voll|buz[oó]n(?: \S+){0,4} lleno|casella(?: \S+){0,4} piena",
    re.IGNORECASE,
)
_STAYS = re.compile(
    r"\bunknown\b|\bspam\b|\bdisabled\b|no such|(?:does not|doesn.t|not) exist|not found|invalid|no mail ?box"
    r"|message size|size of (?:the|this)|(?:fixed|maximum) (?:\w+ )?(?:size|limit)|too (?:big|large)",
    re.IGNORECASE,
)
"""Words that go with an address that is gone, and with a mail that is too large, however the sentence goes on."""


def status_code_in(text: str) -> tuple[int, int] | None:
    """Returns subject and detail of the enhanced status code in the server's words; None without one.

    >>> status_code_in("5.1.1 <bob@example.org> unknown"), status_code_in("sorry, no mailbox here (#5.1.1)")
    ((1, 1), (1, 1))
    >>> status_code_in("mail from 5.9.12.3 refused"), status_code_in("5.9.12.3 is not allowed")
    (None, None)
    """
    found = _STATUS.search(text)
    return (int(found[2]), int(found[3])) if found is not None else None


def fault_of_refusal(code: int, text: str, stage: Stage) -> Fault:
    """Returns what a refusal with 4xx or 5xx is about: the address, or us.

    >>> fault_of_refusal(550, "5.1.1 no such user", "recipient")
    'address'
    >>> fault_of_refusal(550, "5.7.1 relaying denied", "recipient")
    'ours'
    >>> fault_of_refusal(550, "no such user", "recipient"), fault_of_refusal(554, "looks like spam", "data")
    ('address', 'ours')
    """
    found = status_code_in(text)
    if found is not None and found[0] in (1, 2, 3, 4, 6, 7):
        subject, detail = found
        if (found in _VAGUE or subject == 4) and _OURS_ALL_THE_SAME.search(text):
            return "ours"
        of_address = {
            1: detail not in (7, 8),  # these two are about the sender's address
            2: detail != 3,  # the mail is longer than the mailbox allows
            4: stage == "recipient",
            7: detail == 1 and code in _PUT_OFF and stage == "recipient",
        }
        return "address" if of_address.get(subject) else "ours"
    if stage == "data" or code not in {*_ADDRESS_CODES, _FULL} or _OURS.search(text):
        return "ours"
    return "address"


def is_temporary(code: int, text: str, stage: Stage) -> bool:
    """Returns whether the same mail may be taken later, whatever the code: any 4xx, a full mailbox, a limit on rates.

    >>> is_temporary(451, "greylisted", "recipient"), is_temporary(552, "5.2.2 over quota", "data")
    (True, True)
    >>> is_temporary(550, "5.2.1 gets mail at a rate that prevents delivery", "recipient")
    True
    >>> is_temporary(550, "4.2.2 full", "data"), is_temporary(550, "no", "recipient")
    (True, False)
    """
    found, said = _STATUS.search(text), status_code_in(text)
    if code < PERMANENT or (found is not None and found[1] == "4") or said in _PASSING:
        return True
    if said is not None and said not in _SAYS_LITTLE:
        return False
    if _STAYS.search(text):
        return False
    return (code == _FULL and stage == "recipient") or _PASSES.search(text) is not None


def answer_codes(code: int, text: str) -> str:
    """Returns the codes of the answer, without its words, which may contain an address.

    >>> answer_codes(550, "5.1.1 <bob@example.org>: unknown"), answer_codes(451, "later")
    ('550 5.1.1', '451')
    """
    found = status_code_in(text)
    return f"{code} {code // 100}.{found[0]}.{found[1]}" if found else str(code)
