"""Cuts a reply down to what was typed: what stands above the delimiter line, quotes, signatures and device lines.

Programs write the line above a quote in many ways, in the language of their user, and break it over two or three
lines. It counts only as a whole: a paragraph that begins with "Le" and a line further down that ends with "a écrit :"
are not one.
"""

import re
from collections.abc import Mapping, Sequence

from pbem.kit.notation import plain_text
from pbem.kit.texts import Lang
from pbem.mail.incoming.characters import normal

DELIMITERS: Mapping[Lang, str] = {
    "en": "Reply above this line",
    "fr": "Répondez au-dessus de cette ligne",
}
"""What mails print at their top, between dashes."""

LONGEST = 400
"""In characters. No program writes a longer line above a quote; of longer lines only the beginning is looked at."""
_WRAPPED_OVER = 3
"""How many lines a program breaks such a line into."""


def _letters(text: str) -> str:
    """Returns the letters alone, so that neither wrapping nor quoting nor bold type matters."""
    return re.sub(r"[^a-z]+", "", plain_text(text))


_DELIMITERS = tuple(_letters(text) for text in DELIMITERS.values())

_RULE = re.compile(r"\s*(?:--|[-_=*~—–‐]{3,}|[—–―]+)\s*")
_SIGNATURE = re.compile(r"--(?:\s|$)")
_HEAD = re.compile(
    r"(?:(?:original|forwarded) (?:message|mail)|message (?:d'origine|original|initial|transfere|transmis)"
    r"|(?:mail|courriel|e-mail) (?:original|transfere|d'origine)|(?:ursprungliche|original"
    r"|weitergeleitete) ?-?nachricht"
    r"|mensaje (?:original|reenviado)|messaggio (?:originale|inoltrato)|(?:oorspronkelijk|doorgestuurd) bericht"
    r"|begin forwarded message|debut du message (?:transfere|reexpedie|transmis)"
    r"|anfang der weitergeleiteten (?:nachricht|e-mail)"
    r"|inicio del mensaje (?:reenviado|transmitido)|inizio messaggio inoltrato|begin doorgestuurd bericht"
    r"|message du \d{1,2}/\d{1,2}/\d{2,4}.*)"
)
_DASHES = " -_=*~—–‐―>"

_FROM = r"(?:from|de|von|da|van|expediteur|absender|remitente|mittente|afzender|exp)"
_ABOUT = (
    r"(?:sent|date|to|cc|subject|envoye|envoye le|a|objet|sujet|destinataire|gesendet|datum|an|betreff|enviado"
    r"|enviado el|fecha|para|asunto|inviato|data|oggetto|verzonden|aan|onderwerp|reply-to|repondre a|importance)"
)
_FROM_LINE = re.compile(rf"[*_ ]*{_FROM}[*_ ]*:")
_SENT = (
    r"(?:sent|date|envoye|envoye le|gesendet|datum|enviado|enviado el|fecha|inviato|data|verzonden|subject|objet"
    r"|betreff|asunto|oggetto|onderwerp)"
)
_SENT_LINE = re.compile(rf"[*_ ]*{_SENT}[*_ ]*:")
_ABOUT_LINE = re.compile(rf"[*_ ]*{_ABOUT}[*_ ]*:")

_MONTHS = (
    r"jan|fev|feb|mar|avr|apr|mai|may|jui|jun|jul|aou|aug|sep|oct|okt|nov|dec|dez|ene|abr|ago|dic|gen|mag|giu"
    r"|lug|set"
    r"|ott|mrt|mei"
)
_DATED = rf"(?=.*\d)(?=.*(?:\d{{4}}|\d{{1,2}}[/.-]\d{{1,2}}|\d{{1,2}} ?[:h] ?\d{{2}}|\b(?:{_MONTHS})))"
_BEGINS = re.compile(rf"(?:\W*)(?:on|le|am|el|il|op|em|den|a)\b{_DATED}")
_WROTE = r"(?:wrote|a ecrit|schrieb|geschrieben|escribio|ha scritto|schreef|escreveu|skrev)"
_ENDS = re.compile(rf".*\b{_WROTE}\b(?:(?!\b{_WROTE}\b).)*:\W*|.*\S+@\S+\W*:\s*")
_BARE = re.compile(
    rf"[^\W\d][^:]{{0,100}}<[^<>\s]+@[^<>\s]+>\s*\(?{_WROTE}\b.{{0,80}}:\W*"
    r"|[^\W\d][^:.]{0,60}\b(?:schrieb|wrote|escribio) (?:am|on|el)\b.{6,80}:\W*"
)
_STAMPED = re.compile(r"\d{4}-\d{2}-\d{2} \d{1,2}:\d{2}.{0,120}<\S+@\S+>\s*:\s*")

_DEVICE = re.compile(
    r"\W*(?:"
    r"(?:sent|envoye|expedie|gesendet|enviado|inviato|verzonden|enviada|ecrit|written|posted) (?:\w+ )?"
    r"(?:from|with|via|using|by|de|du|depuis|a partir|avec|par|von|vom|mit|aus|uber|desde|con|da|dal|vanaf|met"
    r"|do)\b"
    r"|von (?:meinem|meiner|unterwegs|outlook|mail)\b.*gesendet|von (?:\w+ ){1,5}gesendet"
    r"|von (?:meinem|mein) (?:iphone|ipad|handy"
    r"|smartphone)"
    r"|diese nachricht wurde (?:von|mit)\b|diese e-?mail wurde von\b|this (?:e-?mail|message) was sent (?:from"
    r"|with)"
    r"|(?:get|obtenir|obtenez|telecharge[rz]?|download|holen sie sich|laden sie|obtener|obten|scarica|descargar?) "
    r"(?:\w+ )?(?:outlook|yahoo mail|gmail|bluemail|proton)"
    r"|provenance ?: ?courrier|yahoo mail ?:|garanti sans virus|sans virus|virus-?free|virenfrei|libre de virus"
    r"|(?:please )?excuse my brevity|(?:veuillez )?excuse[rz]? ma brievete|bitte entschuldigen sie .{0,20}kurze"
    r"|cet? (?:e-?mail|message|courriel) a ete (?:envoye|verifie)|powered by\b"
    r")"
)
_LONGEST_DEVICE_LINE = 160
_NOTICE = re.compile(
    r"(?:\W*(?:this (?:e-?mail|message|communication|transmission)|the (?:information|contents?)|ce (?:message"
    r"|courriel|mail)"
    r"|cet e-?mail|les informations|diese (?:e-?mail|nachricht)|este (?:mensaje|correo)|questo messaggio|disclaimer"
    r"|confidential|avis de confidentialite|confidentialite|if you are not the intended"
    r"|si vous n'etes pas le destinataire"
    r"|wenn sie nicht der|si (?:usted )?no es el destinatario)\b.*"
    r"(?:confiden|privileg|intended|recipient|destinatai?r|vertraulich|empfanger|adressat|reserv)"
    r"|\W*(?:please (?:consider|think)|before printing|pensez a|avant d'imprimer|n'imprimez|bitte (?:denken"
    r"|prufen)|antes de imprimir)\b.*"
    r"(?:environ|print|imprim|umwelt|planet|medio ambiente))"
)
"""What companies put below the mails of their people."""


def cut(text: str) -> str:
    """Returns what stands above the first line that somebody else has written, or a program; "" if nothing does.

    >>> cut("F3\\n\\n> Reply above this line\\n> Bob has played.")
    'F3'
    """
    lines = normal(text).split("\n")
    lines = lines[: _delimited(lines)]
    plain = [plain_text(line[:LONGEST]) for line in lines]
    end = next((at for at in range(len(lines)) if _ends_at(lines, plain, at)), len(lines))
    return "\n".join(lines[: _attributed(plain, end)]).strip("\n ")


def _delimited(lines: Sequence[str]) -> int:
    """Returns the place of the delimiter line, which may be wrapped; the number of lines without one."""
    letters = [_letters(line[:LONGEST]) for line in lines]
    whole = next((at for at, said in enumerate(letters) if any(mark in said for mark in _DELIMITERS)), len(lines))
    for at in range(max(0, whole - _WRAPPED_OVER), len(lines) if whole == len(lines) else whole):
        joined = "".join(letters[at : at + _WRAPPED_OVER])
        if letters[at] and any(joined.startswith(mark) for mark in _DELIMITERS):
            return at
    return whole


def _ends_at(lines: Sequence[str], plain: Sequence[str], at: int) -> bool:
    """Returns whether this line is the first of what is not the writer's; lines above a quote are looked for apart."""
    line, said = lines[at], plain[at]
    if line.lstrip().startswith((">", "|")) or _RULE.fullmatch(line) or _SIGNATURE.match(line):
        return True
    if _HEAD.fullmatch(said.strip(_DASHES + ":")) or _is_header_block(plain, at):
        return True
    if len(said) <= _LONGEST_DEVICE_LINE and _DEVICE.match(said):
        return True
    return len(said) >= 30 and _NOTICE.match(said) is not None


def _is_header_block(plain: Sequence[str], at: int) -> bool:
    """Returns whether a copy of a mail's headers begins here, as Outlook and others put it above what they quote."""
    after = [line for line in plain[at + 1 : at + 6] if line][:3]
    if _FROM_LINE.match(plain[at]):
        return sum(1 for line in after if _ABOUT_LINE.match(line)) >= min(2, len(after)) > 0
    if _SENT_LINE.match(plain[at]):
        return any(_FROM_LINE.match(line) for line in after)
    return False


def _attributed(plain: Sequence[str], end: int) -> int:
    """Returns where the line above a quote begins, if one ends before `end`; else `end`."""
    for last in range(end):
        start = _start_of_attribution(plain, last)
        if start is not None:
            return start
    return end


def _start_of_attribution(plain: Sequence[str], last: int) -> int | None:
    """Returns the first line of the attribution that ends with this one; None if none does.

    It begins as near as it can, and in its first line is a date.
    """
    for first in range(last, max(-1, last - _WRAPPED_OVER), -1):
        if not plain[first]:
            break
        joined = " ".join(plain[first : last + 1])
        if _BEGINS.match(plain[first]) and _ENDS.fullmatch(joined):
            return first
    if not _BARE.fullmatch(plain[last]) and not _STAMPED.fullmatch(plain[last]):
        return None
    return last
