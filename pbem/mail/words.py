"""Renders a letter: its subject, its text and its HTML, from `templates/mail/<kind>/`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import structlog
from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape
from markupsafe import Markup

from pbem.kit.commitments import short_form
from pbem.kit.contract import Lang, Phrase
from pbem.mail import mime
from pbem.mail.kinds.over import MatchOver
from pbem.mail.letters import Letter
from pbem.mail.parts import EndLine
from pbem.package_data import TEMPLATES
from pbem.render import i18n, phrases
from pbem.render.i18n import translator

HTML_LIMIT = 90_000
"""The most bytes of HTML: Gmail clips a mail at 102 KB, and its last line must be seen."""


log = structlog.get_logger()


class TooLarge(ValueError):
    """The HTML of a letter has more bytes than a mail program shows."""


@dataclass(frozen=True)
class Words:
    """A rendered letter. `html` refers to the picture of the board, if there is one, by the given `cid`."""

    subject: str
    text: str
    html: str


def words(letter: Letter, cid: str) -> Words:
    """Returns the rendered letter; its names must be harmless already. Raises TooLarge."""
    environment = _environment(letter.lang)
    about: dict[str, Any] = {"letter": letter, "cid": cid, "name": letter.addressee, **_speech(letter)}
    subject = _subject(letter, environment, about)
    about |= {"subject": subject, "overline": letter.overline(subject)}
    about["last_line"] = environment.get_template(f"{letter.kind}/last_line.txt").render(about).strip()
    text = environment.get_template(f"{letter.kind}/body.txt").render(about)
    html = environment.get_template(f"{letter.kind}/body.html").render(about)
    size = len(html.encode())
    if size > HTML_LIMIT:
        raise TooLarge(f"the HTML of a {letter.kind} mail has {size} bytes, {HTML_LIMIT} is the most")
    return Words(subject, re.sub(r"\n{3,}", "\n\n", text).strip() + "\n", html)


def _subject(letter: Letter, environment: Environment, about: Mapping[str, Any]) -> str:
    """Returns the subject; if it cannot be built, one without any name, so that the mail is sent all the same."""
    try:
        subject = environment.get_template(f"{letter.kind}/subject.txt").render(about).strip()
        mime.phrase("Subject", subject)
    except Exception:
        # Whatever the reason, the reader must get the mail; the log has the error.
        log.exception("mail.subject_without_names", row=letter.row, kind=letter.kind)
        return letter.game.meta.title[letter.lang] if hasattr(letter, "game") else letter.sender.name
    return subject


@cache
def _environment(lang: Lang) -> Environment:
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES / "mail"),
        autoescape=select_autoescape(["html"], default_for_string=True),
        undefined=StrictUndefined,
        extensions=["jinja2.ext.i18n"],
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        auto_reload=False,
    )
    environment.install_gettext_translations(translator(lang), newstyle=True)  # type: ignore[attr-defined]  # by the extension
    return environment


def _speech(letter: Letter) -> Mapping[str, Any]:
    """Returns the functions of a template: they use the reader's language and zone, and the names of a match.

    The match is the letter's own; in a letter about several matches, a template passes one as `of`.
    """
    lang, zone = letter.lang, letter.zone

    def said(phrase: Phrase, of: Any = letter) -> str:
        return phrases.text(phrase, of.names)

    def marked(phrase: Phrase, of: Any = letter) -> Markup:
        return phrases.html(phrase, of.names, of.game.meta, drawn=False)

    return {
        "lang": lang,
        "said": said,
        "marked": marked,
        "full": lambda title: title if title[-1:] in "?!" else f"{title}.",
        "bold": lambda words: Markup("<b>{}</b>").format(words),
        "moment": lambda at: i18n.moment(at, zone, lang),
        "day_and_time": lambda at: i18n.day_and_time(at, zone, lang),
        "to_the_second": lambda at: i18n.to_the_second(at, zone, lang),
        "day": lambda at: i18n.day(at, zone, lang),
        "date": lambda day: i18n.date_of(day, lang),
        "zone": lambda at: i18n.zone_name(zone, lang, at),
        "left": lambda at: i18n.time_left(at - letter.at, lang),
        "join_and": lambda several: i18n.join_and(several, lang),
        "length": lambda time: i18n.length(time, lang),
        "title": lambda game: game.meta.title[lang],
        "verdict": lambda end: _verdict(end, lang),
        "short_form": short_form,
    }


def _verdict(end: MatchOver | EndLine, lang: Lang) -> str:
    """Returns who has won and why, or just why nobody has."""
    _ = translator(lang).gettext
    reason = phrases.text(end.outcome, end.names)
    winners = [end.names[standing.seat] for standing in end.standings if standing.won]
    if not winners:
        return _("%(reason)s.") % {"reason": reason[:1].upper() + reason[1:]}
    if len(winners) == 1:
        return _("%(name)s wins: %(reason)s.") % {"name": winners[0], "reason": reason}
    return _("%(names)s win: %(reason)s.") % {"names": i18n.join_and(winners, lang), "reason": reason}
