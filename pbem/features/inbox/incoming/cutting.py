"""Cuts a reply down to what was typed, by what stands where, in any language.

1. What begins with our delimiter line, a quoted line, a rule, "--", a company's notice, or a copy of a mail's headers
   is not the player's, nor is what follows.
2. Nor is what stands directly above a quote and tells whose it is: a few lines with an address of mail, with a day, or
   ending in a colon; two of the three. With all three they need no quote below. A day and the name that our mails come
   from will do as well, and so will words between dashes.
3. A line with the name of a device or a mail program is that program's, and a bracketed paragraph above all others is
   a mail server's, unless it may take something back.

What may be the player's stays: it leaves a doubt at worst, and is asked back.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pbem.features.inbox.incoming import phrases
from pbem.features.inbox.incoming.characters import normalize_blanks_and_invisibles
from pbem.kit.notation import plain_text
from pbem.kit.texts import Lang

DELIMITERS: Mapping[Lang, str] = {
    "en": "Reply above this line",
    "fr": "Répondez au-dessus de cette ligne",
}
"""What mails print at their top, between dashes."""

LONGEST = 400
"""In characters. No program writes a longer line above a quote; of longer lines only the beginning is looked at."""
_WRAPPED_OVER = 5
"""How many lines a program breaks such a line into."""


def _letters_alone(text: str) -> str:
    """Returns the letters alone, so that neither wrapping nor quoting nor bold type matters."""
    return re.sub(r"[^a-z]+", "", plain_text(text))


_DELIMITERS = tuple(_letters_alone(text) for text in DELIMITERS.values())

_RULE = re.compile(r"\s*(?:--|[-_=*~—–‐]{3,}|[—–―]+)\s*")
_SIGNATURE = re.compile(r"--(?:\s|$)")
_BETWEEN_DASHES = re.compile(r"\W*[-_=*~—–]{3,}\s*[^\W\d_].{0,200}?[-_=*~—–]{3,}")
_ADDRESS = re.compile(r"[^\s@<>]{1,64}@[^\s@<>]+")
_DAY = re.compile(r"(?<!\d)[12٢۲]\d{3}(?!\d)|(?<!\d)\d{1,2}([./-]) ?\d{1,2}\1 ?\d{2,4}(?!\d)")
_TIME = re.compile(r"(?<!\d)\d{1,2} ?[:.h時时点시] ?\d{2}(?!\d)")
_COLON = re.compile(r"[:：]\W*\Z")
_LABEL = re.compile(
    r"\W{0,3}(?!(?:say|dire|dis|note[rz]?|orders?|ordre|consignes?)\b)[^\W\d_][^\d:：<>@]{0,30}[:：](?!//)"
)
"""What stands before the value of a header, in any language; our own commands do not."""
_PRODUCT = re.compile(
    r"(?<![a-z0-9])(?:i ?phone|i ?pad|ios|android|galaxy|samsung|huawei|xiaomi|redmi|oneplus|pixel|nokia|blackberry"
    r"|outlook|windows|yahoo|gmail|gmx|web\.de|proton ?mail|tuta(?:nota)?|thunderbird|k-9|fairemail|bluemail|spark"
    r"|airmail|mailspring|aol|orange|sfr|avast|avg|mailbird|zoho|roundcube|edison)",
)
_MODEL = re.compile(rf"{_PRODUCT.pattern}\w*(?:[ -](?:\w*\d\w*|pro|plus|max|ultra|mini|note)){{0,3}}")
"""A product with its number, such as "iphone 15 pro"; other numbers in the line may be a move."""
_COMMAND = re.compile(r"\W*(?:say|dire|dis|note[rz]?|orders?|ordre|consignes?)\b")
_LONGEST_DEVICE_LINE = 160
_GLUED = re.compile(r"(?P<typed>.*?[^\W_A-Z])(?P<rest>[A-ZÀ-Ý][^\W\d_A-Z]{2,}\s.*)")
_BRACKETED = re.compile(r"\s*[\[【［{].{8,}[\]】］}]\s*", re.DOTALL)
_SHOUTED = re.compile(
    r"\W{0,9}[^\W\d_a-zß-ÿ]{4,40}(?:[ -][^\W\d_a-zß-ÿ]{4,40}){0,3}\W{0,3}[:!–-]\W{0,9}\w.{30,}", re.DOTALL
)
"""A warning, such as "CAUTION: This email originated from outside"; a player shouts less at length."""
_LABELLED = re.compile(r"\s*[\[【［{].{2,40}[\]】］}]")
_WARNING = re.compile(r"[^\W\d_a-zß-ÿ]{4}|[Ee]xtern|外部|社外|注意|외부|[Вв]нешн|[Зз]овнішн|خارج|חיצוני")
_LONGEST_BANNER = 2000
_FENCE = re.compile(r"\s*[-_=*~—–]{5,}\s*")
_BLANK = re.compile(r"\s*")
_NOTICE = re.compile(
    r"(?:\W*(?:this (?:e-?mail|message|communication|transmission)|the (?:information|contents?)"
    r"|ce (?:message|courriel|mail)|cet e-?mail|les informations|diese (?:e-?mail|nachricht)|este (?:mensaje|correo)"
    r"|questo messaggio|disclaimer|confidential|avis de confidentialite|confidentialite|if you are not the intended"
    r"|si vous n'etes pas le destinataire|wenn sie nicht der|si (?:usted )?no es el destinatario)\b.*"
    r"(?:confiden|privileg|intended|recipient|destinatai?r|vertraulich|empfanger|adressat|reserv)"
    r"|\W*(?:please (?:consider|think)|before printing|pensez a|avant d'imprimer|n'imprimez|bitte (?:denken|prufen)"
    r"|antes de imprimir)\b.*(?:environ|print|imprim|umwelt|planet|medio ambiente))"
)
"""What companies put below the mails of their people."""


@dataclass(frozen=True)
class Ours:
    """What tells our mails in a quote, and only the reply itself knows: our addresses, and our names and subjects."""

    addresses: tuple[str, ...] = ()
    names: tuple[str, ...] = ()


def cut_quote(text: str) -> str:
    """Returns what stands above the first line that somebody else has written, or a program; "" if nothing does.

    >>> cut_quote("F3\\n\\n> Reply above this line\\n> Bob has played.")
    'F3'
    >>> cut_quote("19\\n\\ntir. 3. mar. 2026 kl. 10:00 skrev pbem\\n<play@pbem.example>:\\n\\n> N20")
    '19'
    """
    lines = normalize_blanks_and_invisibles(text).split("\n")
    begin, end = _span_of_typed_lines(lines, Ours())
    return "\n".join(_without_device_lines(lines[begin:end])).strip("\n ")


def mark_quote_that_names_us(text: str, ours: Ours) -> str:
    """Returns the text with "> " before each line from the first one on that only `ours` tells to be quoted."""
    lines = text.split("\n")
    known = Ours(
        tuple(map(plain_text, ours.addresses)), tuple(plain for plain in map(plain_text, ours.names) if len(plain) > 2)
    )
    (_, end), (_, without) = _span_of_typed_lines(lines, known), _span_of_typed_lines(lines, Ours())
    if end >= without:
        return text
    return "\n".join([*lines[:end], *(line if line.startswith(">") else f"> {line}".rstrip() for line in lines[end:])])


def _span_of_typed_lines(lines: Sequence[str], ours: Ours) -> tuple[int, int]:
    """Returns the places of the first line that is the player's, and of the first below that is not."""
    plain = [plain_text(line[:LONGEST]) for line in lines]
    begin, end = _end_of_banner(lines), _find_delimiter(lines)
    end = next((at for at in range(begin, end) if _is_first_line_after_typed(lines, plain, at, ours)), end)
    for at in range(begin, end):
        start = _attribution_start_if_any(plain, at, ours, alone=True)
        if start is not None:
            end = start
            break
    if end < len(lines) and not _SIGNATURE.match(lines[end]):
        while (start := _start_of_attribution(plain, end, ours)) < end:
            end = start
    return begin, max(begin, end)


def _find_delimiter(lines: Sequence[str]) -> int:
    """Returns the place of the delimiter line, which may be wrapped; the number of lines without one."""
    letters = [_letters_alone(line[:LONGEST]) for line in lines]
    whole = next((at for at, said in enumerate(letters) if any(mark in said for mark in _DELIMITERS)), len(lines))
    for at in range(max(0, whole - _WRAPPED_OVER) if whole < len(lines) else 0, whole):
        joined = "".join(letters[at : at + _WRAPPED_OVER])
        if letters[at] and any(joined.startswith(mark) for mark in _DELIMITERS):
            return at
    return whole


def _is_first_line_after_typed(lines: Sequence[str], plain: Sequence[str], at: int, ours: Ours) -> bool:
    """Returns whether this line is the first of what is not the writer's; lines above a quote are looked for apart."""
    line, said = lines[at], plain[at]
    if line.lstrip().startswith((">", "|")) or _SIGNATURE.match(line):
        return True
    if _RULE.fullmatch(line) or _is_start_of_header_block(plain, at, ours):
        return True
    if _BETWEEN_DASHES.match(said):
        after = next((line for line in plain[at + 1 :] if line), "")
        if (
            _ADDRESS.search(said)
            or _DAY.search(said)
            or (_LABEL.match(after) and _has_address_or_our_name(after, ours))
        ):
            return True
    return len(said) >= 30 and _NOTICE.match(said) is not None


def _is_start_of_header_block(plain: Sequence[str], at: int, ours: Ours) -> bool:
    """Returns whether a copy of a mail's headers begins here, as Outlook and others put it above what they quote.

    Several lines with a label and a colon each hold an address, a day or what is ours, and not days alone.
    """
    if not _LABEL.match(plain[at]):
        return False
    after = [line for line in plain[at + 1 : at + 9] if line][:4]
    named = [line for line in (plain[at], *after) if _LABEL.match(line) and _has_address_or_our_name(line, ours)]
    dated = [line for line in (plain[at], *after) if _LABEL.match(line) and _DAY.search(line)]
    first = _has_address_or_our_name(plain[at], ours) or _DAY.search(plain[at]) is not None
    return first and bool(named) and len({*named, *dated}) > 1


def _has_address_or_our_name(line: str, ours: Ours) -> bool:
    return _ADDRESS.search(line) is not None or _has_our_name(line, ours)


def _has_our_name(line: str, ours: Ours) -> bool:
    return any(re.search(rf"(?<!\w){re.escape(one)}(?!\w)", line) for one in ours.names)


def _start_of_attribution(plain: Sequence[str], end: int, ours: Ours) -> int:
    """Returns the first line of what tells whose words stand below `end`; `end` if nothing does."""
    last = next((at for at in range(end - 1, -1, -1) if plain[at]), None)
    if last is None:
        return end
    if _BETWEEN_DASHES.fullmatch(plain[last]) and not phrases.may_take_back(plain[last]):
        return last
    start = _attribution_start_if_any(plain, last, ours, alone=False)
    return end if start is None else start


def _attribution_start_if_any(plain: Sequence[str], last: int, ours: Ours, *, alone: bool) -> int | None:
    """Returns the first of the lines that end with this one and tell whose words follow; None if they do not.

    They begin as near as they can, but with the day and the address, if those stand a few lines above. A line with an
    address of ours is always one.
    """
    ends = _COLON.search(plain[last]) is not None
    is_ours = any(address in plain[last] for address in ours.addresses)
    if alone and not ends and not is_ours:
        return None
    found: int | None = None
    told: tuple[bool, bool] | None = None
    for first in range(last, max(-1, last - _WRAPPED_OVER), -1):
        if not plain[first]:
            break
        here = " ".join(plain[first : last + 1])
        address, day = "@" in here and _ADDRESS.search(here) is not None, _DAY.search(here) is not None
        moment = day or (_TIME.search(here) is not None and here.count(" ") >= 3)
        weaker = (address and ends) or (moment and ends) or (day and _has_our_name(here, ours))
        weaker = weaker and not alone and not phrases.may_take_back(here)
        if (address, day) != told and (is_ours or (address and day) or weaker):
            found, told = first, (address, day)
    return found


def _without_device_lines(lines: Sequence[str]) -> list[str]:
    """Returns the lines without those that name a device or a mail program, in a paragraph of their own or at the end.

    One that is glued to what is typed is cut off from it.
    """
    plain = [plain_text(line) for line in lines]
    last = next((at for at in range(len(lines) - 1, -1, -1) if plain[at]), 0)
    found = list(lines)
    for at, line in enumerate(lines):
        if not _PRODUCT.search(plain[at]) or _COMMAND.match(plain[at]):
            continue
        glued = _GLUED.fullmatch(line)
        if glued and _names_mail_product(plain_text(glued["rest"])) and not _PRODUCT.search(plain_text(glued["typed"])):
            found[at] = glued["typed"]
        elif _names_mail_product(plain[at]) and (at == last or at == 0 or not plain[at - 1]):
            found[at] = ""
    return found


def _names_mail_product(plain: str) -> bool:
    said = re.sub(r"https?://\S+", "", plain)
    if len(said) > _LONGEST_DEVICE_LINE or phrases.is_question(said) or phrases.may_take_back(said):
        return False
    return _PRODUCT.search(said) is not None and not re.search(r"\d", _MODEL.sub("", said))


def _end_of_banner(lines: Sequence[str]) -> int:
    """Returns where what a mail server has put above the text ends; 0 if it has put nothing there.

    A paragraph in brackets, between lines or dashes, or one that begins in capitals.
    """
    first = next((at for at, line in enumerate(lines) if line.strip()), len(lines))
    fenced = first < len(lines) and _FENCE.fullmatch(lines[first]) is not None
    after = next((at for at in range(first + 1, len(lines)) if (_FENCE if fenced else _BLANK).fullmatch(lines[at])), 0)
    banner, below = " ".join(lines[first + fenced : after]), "".join(lines[after + fenced :]).strip()
    if len(banner) > _LONGEST_BANNER:
        return 0
    shouted = _SHOUTED.fullmatch(banner) is not None and not re.search(r"\d", banner)
    is_one = fenced or shouted or any(one.fullmatch(banner) for one in (_BRACKETED, _BETWEEN_DASHES))
    labelled = _LABELLED.match(banner)
    warns = shouted or _WARNING.search(labelled[0] if labelled else banner) is not None
    is_one = is_one or (labelled is not None and warns)
    if not is_one or not below or not 0 < after - first <= _WRAPPED_OVER + fenced:
        return 0
    return (
        0
        if phrases.is_question(banner) or (phrases.may_take_back(plain_text(banner)) and not warns)
        else after + fenced
    )
