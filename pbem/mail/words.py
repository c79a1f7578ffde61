"""What a letter says: its subject, its text and its HTML, out of `templates/email/<kind>/`."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape
from markupsafe import Markup

from pbem.faces import i18n, phrases
from pbem.faces.i18n import Lang, translator
from pbem.mail.letters import (
    AnyLetter,
    Cancelled,
    Confirm,
    Declined,
    Invitation,
    MatchOver,
    MyLinks,
    PlayLetter,
    YourTurn,
)
from pbem.rules.contract import Phrase

TEMPLATES = Path(__file__).resolve().parents[2] / "templates" / "email"
HTML_LIMIT = 90_000
"""Bytes of HTML; Gmail cuts a mail off at 102 KB, and the last line must be seen."""


class TooLarge(ValueError):
    """The HTML of a letter has more bytes than a mail program shows."""


@dataclass(frozen=True)
class Words:
    """A letter in words. `html` refers to the picture of the board, if there is one, by the `cid` given."""

    subject: str
    text: str
    html: str


def one_line(name: str) -> str:
    """The name without line ends, controls, direction marks or lone surrogates: it cannot pose as more."""
    spaced = "".join(" " if c.isspace() else c for c in name)
    return " ".join("".join(c for c in spaced if unicodedata.category(c) not in _UNPRINTED).split())


_UNPRINTED = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}


def harmless(letter: AnyLetter) -> AnyLetter:
    """The same letter with every name on one line."""
    changed: dict[str, Any] = {}
    for field in ("organiser", "who"):
        if hasattr(letter, field):
            changed[field] = one_line(getattr(letter, field))
    for field in ("names", "waiting", "asked"):
        if hasattr(letter, field):
            changed[field] = tuple(map(one_line, getattr(letter, field)))
    if isinstance(letter, MyLinks):
        changed["matches"] = tuple(replace(match, names=tuple(map(one_line, match.names))) for match in letter.matches)
    return replace(letter, **changed)


def words(letter: AnyLetter, cid: str) -> Words:
    """What the letter says; its names must be harmless already. Raises TooLarge."""
    environment = _environment(letter.lang)
    about: dict[str, Any] = {"letter": letter, "cid": cid, "name": addressee(letter), **_speech(letter)}
    if isinstance(letter, MatchOver):
        about["verdict"] = _verdict(letter)
    subject = environment.get_template(f"{letter.kind}/subject.txt").render(about).strip()
    about |= {"subject": subject, "overline": _overline(letter, subject), "last_line": _last_line(letter)}
    text = environment.get_template(f"{letter.kind}/body.txt").render(about)
    html = environment.get_template(f"{letter.kind}/body.html").render(about)
    size = len(html.encode())
    if size > HTML_LIMIT:
        raise TooLarge(f"the HTML of a {letter.kind} mail has {size} bytes, {HTML_LIMIT} is the most")
    return Words(subject, re.sub(r"\n{3,}", "\n\n", text).strip() + "\n", html)


def addressee(letter: AnyLetter) -> str:
    """The reader's name in this match; "" where a letter is about no match."""
    match letter:
        case MyLinks():
            return ""
        case Confirm():
            return letter.organiser
    return letter.names[letter.seat]


@cache
def _environment(lang: Lang) -> Environment:
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=select_autoescape(["html"], default_for_string=True),
        undefined=StrictUndefined,
        extensions=["jinja2.ext.i18n"],
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.install_gettext_translations(translator(lang), newstyle=True)  # type: ignore[attr-defined]  # by the extension
    return environment


def _speech(letter: AnyLetter) -> Mapping[str, Any]:
    """The functions by which a template speaks the reader's language, in his zone, of this match's seats."""
    lang, zone = letter.lang, letter.zone
    names = () if isinstance(letter, MyLinks) else letter.names

    def said(phrase: Phrase) -> str:
        return phrases.text(phrase, names)

    def marked(phrase: Phrase) -> Markup:
        assert not isinstance(letter, MyLinks), "there are no phrases outside a match"
        return phrases.html(phrase, names, letter.game.meta, drawn=False)

    return {
        "lang": lang,
        "said": said,
        "marked": marked,
        "bold": lambda words: Markup("<b>{}</b>").format(words),
        "moment": lambda at: i18n.moment(at, zone, lang),
        "zone": lambda at: i18n.zone_name(zone, lang, at),
        "listed": lambda several: i18n.listed(several, lang),
        "length": lambda time: i18n.length(time, lang),
        "title": lambda game: game.meta.title[lang],
    }


def _overline(letter: AnyLetter, subject: str) -> str:
    """What stands above the heading: what the mail is about, as far as the heading does not say it."""
    match letter:
        case MyLinks():
            return letter.sender.name
        case PlayLetter() | Cancelled():
            return subject
    return letter.game.meta.title[letter.lang]


def _verdict(letter: MatchOver) -> str:
    """Who has won and why, or just why nobody has."""
    _ = translator(letter.lang).gettext
    reason = phrases.text(letter.outcome, letter.names)
    winners = [letter.names[standing.seat] for standing in letter.standings if standing.won]
    if not winners:
        return _("%(reason)s.") % {"reason": reason[:1].upper() + reason[1:]}
    if len(winners) == 1:
        return _("%(name)s wins: %(reason)s.") % {"name": winners[0], "reason": reason}
    return _("%(names)s win: %(reason)s.") % {"names": i18n.listed(winners, letter.lang), "reason": reason}


def _last_line(letter: AnyLetter) -> str:
    """A line that no other mail of the thread ends with: Gmail folds away what it has seen before."""
    _ = translator(letter.lang).gettext
    when = i18n.day_and_time(letter.at, letter.zone, letter.lang)
    if isinstance(letter, MyLinks):
        return _("%(site)s, links asked for, %(moment)s.") % {"site": letter.sender.name, "moment": when}
    match letter:
        case YourTurn():
            what = _("question %(key)s") % {"key": letter.key}
        case MatchOver():
            what = _("end of the match")
        case Confirm():
            what = _("confirmation")
        case Invitation():
            what = _("invitation")
        case Declined():
            what = _("%(name)s has declined") % {"name": letter.who}
        case Cancelled():
            what = _("cancelled")
    game = letter.game.meta.title[letter.lang]
    facts = {"game": game, "what": what, "moment": when, "name": addressee(letter)}
    return _("%(game)s, %(what)s, %(moment)s, for %(name)s.") % facts
