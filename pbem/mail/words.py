"""Renders a letter: its subject, its text and its HTML, from `templates/mail/<kind>.jinja`, or that of a feature."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any, Final, Literal
from urllib.parse import quote

import structlog
from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template
from markupsafe import Markup

from pbem.discovery import TEMPLATES, features, folder
from pbem.kit.contract import Mark, Phrase
from pbem.kit.texts import Lang
from pbem.mail import mime
from pbem.mail.letters import Letter
from pbem.render import i18n, phrases, pictures
from pbem.render.i18n import translator
from pbem.render.phrases import install_messages, isolate
from pbem.render.verdicts import verdict

HTML_LIMIT = 90_000
"""The most bytes of HTML: Gmail clips a mail at 102 KB, and its last line must be seen."""


_SOURCE_BREAK: Final = "\r"
"""A line break of a template in a text, where it means nothing: the pieces of texts break the lines."""

log = structlog.get_logger()
Form = Literal["txt", "html"]


class TooLarge(ValueError):
    """The HTML of a letter has more bytes than a mail program shows."""


@dataclass(frozen=True)
class Words:
    """A rendered letter. `html` refers to its pictures by the given ids. `sender` is the name in From, without names
    that players chose: it tells what the mail is.
    """

    sender: str
    subject: str
    text: str
    html: str


def words(letter: Letter, cid: str, marks: Mapping[Mark, str]) -> Words:
    """Returns the rendered letter; its names must be harmless already. Raises TooLarge.

    `cid` is the id of the picture of the board, `marks` has those of the symbols that the letter shows; a mark without
    one is shown by its letters and its colour alone.
    """
    about: dict[str, Any] = {"letter": letter, "lang": letter.lang, "name": letter.addressee, **_times(letter)}
    about |= _speech_of_text(letter)
    subject = _subject(letter, about)
    about |= {"subject": subject, "overline": letter.overline(subject)}
    about["mailto"] = lambda typed: _mailto(letter, subject, typed)
    about["what"] = _block(letter, "what", about)
    about["last_line"] = _block(letter, "last_line", about)
    text = _body(letter, "txt", about)
    html = _body(letter, "html", {**about, "cid": cid, **_speech_of_html(letter, marks)})
    size = len(html.encode())
    if size > HTML_LIMIT:
        raise TooLarge(f"the HTML of a {letter.kind} mail has {size} bytes, {HTML_LIMIT} is the most")
    text = re.sub(r"\n{3,}", "\n\n", text.replace(_SOURCE_BREAK, "")).strip() + "\n"
    return Words(_block(letter, "sender", about), subject, text, html)


def _subject(letter: Letter, about: Mapping[str, Any]) -> str:
    """Returns the subject; if it cannot be built, one without any name, so that the mail is sent all the same."""
    try:
        subject = _block(letter, "subject", about)
        mime.phrase("Subject", subject)
    except Exception:
        # Whatever the reason, the reader must get the mail; the log has the error.
        log.exception("mail.subject_without_names", row=letter.row, kind=letter.kind)
        return letter.game.meta.title[letter.lang] if hasattr(letter, "game") else letter.sender.name
    return subject


def _block(letter: Letter, name: str, about: Mapping[str, Any]) -> str:
    """Returns what a block of the kind's template says in plain text, or that of the defaults if it has none."""
    for template in (find_template(letter.lang, "txt", letter.kind), find_template(letter.lang, "txt", "_defaults")):
        if name in template.blocks:
            said = "".join(template.blocks[name](template.new_context(dict(about))))
            return said.replace(_SOURCE_BREAK, "").strip()
    raise LookupError(name)


def _body(letter: Letter, form: Form, about: Mapping[str, Any]) -> str:
    """Returns the letter in this form: its template, with the pieces of the form and the parts made of them."""
    known = {**about, "layout": f"layout.{form}", "html": form == "html"}
    for pieces in (f"pieces.{form}", "_parts.jinja"):
        made = environment(letter.lang, form).get_template(pieces).make_module(known)
        known |= {name: macro for name, macro in vars(made).items() if not name.startswith("_")}
    return find_template(letter.lang, form, letter.kind).render(known)


def _mailto(letter: Letter, subject: str, typed: str) -> str:
    """Returns the URL (RFC 6068) with which a mail program begins the reply that says this."""
    about = quote(letter.subject_of_reply(subject), safe="")
    return f"mailto:{letter.reply_to}?subject={about}&body={quote(typed, safe='')}"


@cache
def find_template(lang: Lang, form: Form, kind: str) -> Template:
    """Returns the template of a kind of mails, which renders itself in this form."""
    return environment(lang, form).get_template(f"{kind}.jinja")


@cache
def environment(lang: Lang, form: Form) -> Environment:
    """Returns what renders the templates of mails in this language and form."""
    made = Environment(
        loader=FileSystemLoader([TEMPLATES / "mail", *_brought()]),
        autoescape=form == "html",  # noqa: S701  # a text has nothing to escape
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        newline_sequence="\n" if form == "html" else _SOURCE_BREAK,
        auto_reload=False,
    )
    install_messages(made, partial(translator, lang))
    return made


def _brought() -> list[Path]:
    """Returns the folders with the mails of features, and with those of features from installed packages."""
    found = features().items()
    ours = [TEMPLATES / "features" / name / "mail" for name, _package in found]
    return [*ours, *(folder(package) / "templates" / "mail" for _name, package in found)]


def _speech_of_text(letter: Letter) -> Mapping[str, Any]:
    """Returns the functions with which a template says names and phrases, in plain text.

    The match is the letter's own; in a letter about several matches, a template passes one as `of`.
    """

    def said(phrase: Phrase, of: Any = letter) -> str:
        return phrases.text(phrase, of.names)

    return {"said": said, "marked": said, "bold": isolate}


def _speech_of_html(letter: Letter, marks: Mapping[Mark, str]) -> Mapping[str, Any]:
    """Returns those that say them in HTML; `answer` shows each mark that has a picture."""

    def marked(phrase: Phrase, of: Any = letter) -> Markup:
        return phrases.html(phrase, of.names, of.game.meta, phrases.bold)

    def in_colour(notation: str, mark: Mark, beside: phrases.Punctuation) -> Markup:
        symbol = Markup(
            '<img class="mon" src="cid:{}" width="20" height="20" alt="" style="vertical-align:-4px;border:0">&nbsp;'
        )
        return Markup(
            '<span style="white-space:nowrap">{}{}'
            '<b style="background:{};color:#fdf9f0;padding:1px 3px">{}</b>{}</span>'
        ).format(
            beside.opens, symbol.format(marks[mark]) if mark in marks else "", pictures.light_colour(mark.colour),
            notation, beside.closes,
        )  # fmt: skip

    def answer(phrase: Phrase) -> Markup:
        return phrases.html(phrase, letter.names, letter.game.meta, in_colour)  # type: ignore[attr-defined]  # a turn's

    return {"marked": marked, "answer": answer, "bold": lambda words: Markup("<b>{}</b>").format(isolate(words))}


def _times(letter: Letter) -> Mapping[str, Any]:
    """Returns the functions of a template that use the reader's language and zone."""
    lang, zone = letter.lang, letter.zone
    return {
        "full": lambda title: title if title[-1:] in "?!" else f"{title}.",
        "moment": lambda at: i18n.moment(at, zone, lang),
        "day_and_time": lambda at: i18n.day_and_time(at, zone, lang),
        "to_the_second": lambda at: i18n.to_the_second(at, zone, lang),
        "day": lambda at: i18n.day(at, zone, lang),
        "date": lambda day: i18n.date_of(day, lang),
        "zone": lambda at: i18n.zone_name(zone, lang, at),
        "left": lambda at: i18n.time_left(at - letter.at, lang),
        "points": lambda value: i18n.points(value, lang),
        "ordinal": lambda number: i18n.ordinal(number, lang),
        "join_and": lambda several: i18n.join_and(several, lang),
        "with_bots": lambda names, bots: _with_bots(names, bots, lang),
        "length": lambda time: i18n.length(time, lang),
        "title": lambda game: game.meta.title[lang],
        "verdict": lambda end: _verdict(end, lang),
    }


def _with_bots(names: Sequence[str], bots: Collection[int], lang: Lang) -> list[str]:
    """Returns the names with a word after those of bots, which are at these places."""
    _ = translator(lang).gettext
    return [_("%(name)s (bot)") % {"name": name} if place in bots else name for place, name in enumerate(names)]


def _verdict(end: Any, lang: Lang) -> str:
    """Returns who has won and why, or just why nobody has: `end` is a letter, or a line of one, with `standings`."""
    winners = [end.names[standing.seat] for standing in end.standings if standing.won]
    return verdict(phrases.text(end.outcome, end.names), winners, lang)
