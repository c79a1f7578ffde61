"""What a letter says: its subject, its text and its HTML, out of `templates/email/<kind>/`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import structlog
from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape
from markupsafe import Markup

from pbem import names
from pbem.kit.commitments import short_form
from pbem.kit.contract import Phrase
from pbem.mail import mime
from pbem.mail.letters import (
    Absent,
    AnyLetter,
    Cancelled,
    Confirm,
    Declined,
    Digest,
    Invitation,
    MatchOver,
    MyLinks,
    Paused,
    PlayLetter,
    Readdress,
    Readdressed,
    Reminder,
    Started,
    Substitute,
    Vote,
    WebhookOff,
    YourTurn,
)
from pbem.mail.parts import EndLine, Said
from pbem.package_data import TEMPLATES
from pbem.render import i18n, phrases
from pbem.render.i18n import Lang, translator

HTML_LIMIT = 90_000
"""Bytes of HTML; Gmail cuts a mail off at 102 KB, and the last line must be seen."""


log = structlog.get_logger()


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
    return " ".join("".join(c for c in spaced if not names.is_control(c)).split())


def visible(name: str) -> str:
    """The name on one line; "?" for one that shows nothing, which older versions may have stored."""
    line = one_line(name)
    return "?" if names.is_blank(line) else line


def unlinked(text: str) -> str:
    """What somebody said, on one line, and so that no mail program makes a link of an address in it.

    Programs do that by themselves, with text as with HTML; a space without width in the address prevents it.
    """
    return _ADDRESS.sub(lambda found: f"{found[0]}\u200b", one_line(text))


_ADDRESS = re.compile(r"://|@|(?<=\w)\.(?=[^\W\d])")


def harmless(letter: AnyLetter) -> AnyLetter:
    """The same letter with every name on one line, and nothing that players wrote able to pose as more."""
    changed = _harmless(letter)
    if isinstance(letter, MyLinks):
        changed["matches"] = tuple(replace(match, **_harmless(match)) for match in letter.matches)
    if isinstance(letter, Digest):
        changed["turns"] = tuple(replace(turn, **_harmless(turn)) for turn in letter.turns)
        changed["further"] = tuple(replace(match, **_harmless(match)) for match in letter.further)
        changed["ended"] = tuple(replace(end, **_harmless(end)) for end in letter.ended)
    return replace(letter, **changed)


def _harmless(part: object) -> dict[str, Any]:
    """The fields of a letter, or of a part of one, that people have a hand in, made harmless."""
    changed: dict[str, Any] = {}
    for field in ("organiser", "who", "former"):
        if hasattr(part, field):
            changed[field] = visible(getattr(part, field))
    for field in ("names", "waiting", "asked"):
        if isinstance(several := getattr(part, field, None), tuple):
            changed[field] = tuple(map(visible, several))
    if hasattr(part, "wanted"):
        changed["wanted"] = unlinked(part.wanted)
    if hasattr(part, "said"):
        changed["said"] = tuple(Said(line.seat, unlinked(line.text)) for line in part.said)
    return changed


def words(letter: AnyLetter, cid: str) -> Words:
    """What the letter says; its names must be harmless already. Raises TooLarge."""
    environment = _environment(letter.lang)
    about: dict[str, Any] = {"letter": letter, "cid": cid, "name": addressee(letter), **_speech(letter)}
    subject = _subject(letter, environment, about)
    about |= {"subject": subject, "overline": _overline(letter, subject), "last_line": _last_line(letter)}
    text = environment.get_template(f"{letter.kind}/body.txt").render(about)
    html = environment.get_template(f"{letter.kind}/body.html").render(about)
    size = len(html.encode())
    if size > HTML_LIMIT:
        raise TooLarge(f"the HTML of a {letter.kind} mail has {size} bytes, {HTML_LIMIT} is the most")
    return Words(subject, re.sub(r"\n{3,}", "\n\n", text).strip() + "\n", html)


def _subject(letter: AnyLetter, environment: Environment, about: Mapping[str, Any]) -> str:
    """The subject; if it cannot be built, one without anybody's name, so that the mail leaves all the same."""
    try:
        subject = environment.get_template(f"{letter.kind}/subject.txt").render(about).strip()
        mime.phrase("Subject", subject)
    except Exception:
        # Whatever the reason is, it is no reason to tell the reader nothing; the log has it.
        log.exception("mail.subject_without_names", row=letter.row, kind=letter.kind)
        return letter.game.meta.title[letter.lang] if hasattr(letter, "game") else letter.sender.name
    return subject


def addressee(letter: AnyLetter) -> str:
    """The reader's name in this match; "" where a letter is about no match."""
    match letter:
        case MyLinks() | Readdress() | Digest() | WebhookOff():
            return ""
        case Confirm():
            return letter.organiser
    return letter.names[letter.seat]


@cache
def _environment(lang: Lang) -> Environment:
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES / "email"),
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


def _speech(letter: AnyLetter) -> Mapping[str, Any]:
    """The functions by which a template speaks the reader's language, in his zone, of the seats of a match.

    The match is the letter's own, or where a letter is about several the one that is named: `of`.
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
        "called": lambda title: _called(title, addressee(letter)),
        "full": lambda title: title if title[-1:] in "?!" else f"{title}.",
        "bold": lambda words: Markup("<b>{}</b>").format(words),
        "moment": lambda at: i18n.moment(at, zone, lang),
        "day": lambda at: i18n.day(at, zone, lang),
        "date": lambda day: i18n.date_of(day, lang),
        "zone": lambda at: i18n.zone_name(zone, lang, at),
        "left": lambda at: i18n.remaining(at - letter.at, lang),
        "listed": lambda several: i18n.listed(several, lang),
        "length": lambda time: i18n.length(time, lang),
        "title": lambda game: game.meta.title[lang],
        "verdict": lambda end: _verdict(end, lang),
        "short_form": short_form,
    }


def _called(title: str, name: str) -> str:
    """The title of a question with the name of who is asked: "Your answer, Bob", "Bob, do you challenge?"."""
    return f"{name}, {title[:1].lower()}{title[1:]}" if title[-1:] in "?!" else f"{title}, {name}"


def _overline(letter: AnyLetter, subject: str) -> str:
    """What stands above the heading: what the mail is about, as far as the heading does not say it."""
    match letter:
        case MyLinks() | Readdress() | WebhookOff():
            return letter.sender.name
        case Digest():
            day = i18n.day(letter.at, letter.zone, letter.lang)
            return day[:1].upper() + day[1:]
        case PlayLetter() | Cancelled() | Absent() | Paused() | Vote():
            return subject
    return letter.game.meta.title[letter.lang]


def _verdict(end: MatchOver | EndLine, lang: Lang) -> str:
    """Who has won and why, or just why nobody has."""
    _ = translator(lang).gettext
    reason = phrases.text(end.outcome, end.names)
    winners = [end.names[standing.seat] for standing in end.standings if standing.won]
    if not winners:
        return _("%(reason)s.") % {"reason": reason[:1].upper() + reason[1:]}
    if len(winners) == 1:
        return _("%(name)s wins: %(reason)s.") % {"name": winners[0], "reason": reason}
    return _("%(names)s win: %(reason)s.") % {"names": i18n.listed(winners, lang), "reason": reason}


def _last_line(letter: AnyLetter) -> str:
    """A line that no other mail of the thread ends with: Gmail folds away what it has seen before."""
    _ = translator(letter.lang).gettext
    when = i18n.day_and_time(letter.at, letter.zone, letter.lang)
    if isinstance(letter, Readdress | Readdressed):
        new = isinstance(letter, Readdressed)
        what = _("%(site)s, new address, %(moment)s.") if new else _("%(site)s, change of address, %(moment)s.")
        return what % {"site": letter.sender.name, "moment": when}
    if isinstance(letter, MyLinks):
        return _("%(site)s, links asked for, %(moment)s.") % {"site": letter.sender.name, "moment": when}
    if isinstance(letter, WebhookOff):
        return _("%(site)s, your webhook, %(moment)s.") % {"site": letter.sender.name, "moment": when}
    if isinstance(letter, Digest):
        return _("%(site)s, your day’s mail, %(moment)s.") % {"site": letter.sender.name, "moment": when}
    match letter:
        case Started():
            what = _("beginning of the match")
        case Reminder():
            what = _("question %(key)s, still open") % {"key": letter.key}
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
        case Absent():
            what = _("the clock plays for you")
        case Paused():
            what = _("the match is paused")
        case Vote():
            what = _("vote on %(name)s") % {"name": letter.names[letter.late]}
        case Substitute():
            what = _("the seat of %(name)s") % {"name": letter.former}
    game = letter.game.meta.title[letter.lang]
    facts = {"game": game, "what": what, "moment": when, "name": addressee(letter)}
    return _("%(game)s, %(what)s, %(moment)s, for %(name)s.") % facts
