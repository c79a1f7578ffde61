"""A letter as the mail that leaves: text, HTML and picture, and the headers that mail programs act on.

The same letter always makes the same bytes, unless its picture cannot be drawn once: identifiers and boundaries are
derived from the site's secret and the letter's own ids, so mail programs recognise a mail that is sent twice.
"""

from __future__ import annotations

import hmac
import re
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.utils import format_datetime
from functools import cache, lru_cache, partial
from typing import Any, Final, Literal
from urllib.parse import quote

import structlog
from billiard.exceptions import SoftTimeLimitExceeded
from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template
from markupsafe import Markup, escape

from pbem.discovery import TEMPLATES, folder_of_package, packages_of_features
from pbem.kit.contract import AnyGame, Mark, Phrase
from pbem.kit.texts import Lang
from pbem.mail import mime
from pbem.mail.harmless import make_harmless
from pbem.mail.letters import Letter, MatchLetter, OfBoard
from pbem.mail.mime import Mail
from pbem.render import i18n, phrases, pictures
from pbem.render.i18n import message_catalogue
from pbem.render.phrases import install_messages, isolate_direction
from pbem.render.table_story import who_won_and_why_in_words

PICTURE_WIDTH = 585
"""In pixels: half again the width of a portrait board, and more than the width at which a mail shows it."""
TIGHTER = ((400, 40), (100, 12))
"""If a letter is too large all the same: how many bytes a text that somebody typed may take in it, and how many lines
each of its lists has."""
MARK_WIDTH = 48
"""In pixels: twice the width at which a mail shows the symbol of an answer."""
HTML_LIMIT = 90_000
"""The most bytes of HTML: Gmail clips a mail at 102 KB, and its last line must be seen."""
_SOURCE_BREAK: Final = "\r"
"""A line break of a template in a text, where it means nothing: the pieces of texts break the lines."""

Form = Literal["txt", "html"]
log = structlog.get_logger()


def compose_mail(letter: Letter, secret: str) -> Mail:
    """Returns the mail of a letter, ready to send to `letter.to`.

    A board that cannot be drawn is in words, a cover is left out, and `faults` says why. Raises ValueError for an
    invalid address; TooLarge, also a ValueError, if the HTML is too large even with the fewest boards and after what
    others wrote has been cut.
    """
    letter, drawn, rendered = _render_within_limit(make_harmless(letter), secret)
    message = {"Subject": mime.encode_header("Subject", letter.subject_line(rendered.subject))}
    _add_addresses(message, letter, rendered.sender, secret)
    html = mime.text_part("html", rendered.html)
    if drawn.parts:
        boundary = f"=_{_opaque_token(secret, 'boundary', letter.row, 1)}"
        kind, body = mime.multipart_of("related", boundary, html, *drawn.parts)
        html = mime.headers_block({"Content-Type": kind}) + body
    boundary = f"=_{_opaque_token(secret, 'boundary', letter.row, 0)}"
    kind, body = mime.multipart_of("alternative", boundary, mime.text_part("plain", rendered.text), html)
    message |= {"MIME-Version": "1.0", "Content-Type": kind, "Content-Language": letter.lang}
    return Mail(
        message["Message-ID"], mime.headers_block(message) + body, letter.return_path,
        faults=drawn.faults, orders_told=letter.orders_told,
    )  # fmt: skip


def _render_within_limit(letter: Letter, secret: str) -> tuple[Letter, Pictures, Words]:
    """Returns the letter as far as there is room for it, its pictures, and what it says. Raises TooLarge."""
    for shorter in _shorter_versions(letter):
        drawn = _draw_pictures(shorter, secret)
        try:
            return shorter, drawn, render_letter(shorter, drawn)
        except TooLarge as error:
            too_large = error
    raise too_large


def _shorter_versions(letter: Letter) -> Iterator[Letter]:
    """Returns the letter, then with ever fewer boards, then with ever less of what others wrote."""
    yield letter
    while (fewer := letter.with_fewer_boards()) is not None:
        letter = fewer
        yield letter
    for typed, lines in TIGHTER:
        yield make_harmless(letter.with_fewer(lines), typed)


@dataclass(frozen=True)
class Pictures:
    """The pictures that come along with a mail, by their ids: `boards` has those of matches and seats.

    `cover` is that of a game's cover, None without one.
    `parts` are the pictures themselves; `faults` says of which games a board or the cover could not be drawn, and why.
    """

    boards: Mapping[tuple[str, int], str] = field(default_factory=dict)
    marks: Mapping[Mark, str] = field(default_factory=dict)
    cover: str | None = None
    parts: tuple[bytes, ...] = ()
    faults: tuple[tuple[AnyGame, str], ...] = ()

    def cid_of_board(self, shown: OfBoard) -> str | None:
        """Returns the id of this board's picture; None if it is in words."""
        return self.boards.get((shown.match, shown.seat))


def _draw_pictures(letter: Letter, secret: str) -> Pictures:
    """Returns the boards of the letter and its answers' symbols.

    None is drawn for a reader who wants no pictures. If a board or one of its symbols cannot be drawn, none of them is.
    """
    host, token = letter.sender.address.rpartition("@")[2], _opaque_token(secret, "picture", letter.row)
    boards, marks = dict[tuple[str, int], str](), dict[Mark, str]()
    parts, faults = list[bytes](), dict[AnyGame, str]()

    def add_picture(data: bytes, name: str, cid: str) -> str:
        parts.append(mime.picture_part(data, f"{name}.png", cid := f"{cid}-{token}@{host}"))
        return cid

    for number, shown in enumerate(letter.boards):
        if shown.board.fault is not None:
            faults[shown.game] = shown.board.fault
        elif shown.board.svg is not None:
            with _note_drawing_faults(faults, shown.game):
                board = draw_board(shown.game, shown.board.svg, shown.names)
                drawn = {mark: draw_symbol_of_mark(shown.game, mark) for mark in shown.marks}
                boards[shown.match, shown.seat] = add_picture(board, "board", f"board{number or ''}")
                for mark, data in drawn.items():
                    marks[mark] = add_picture(data, mark.symbol, f"{mark.symbol}-{mark.colour}")
    cover = None
    if letter.cover is not None:
        with _note_drawing_faults(faults, letter.cover):
            if (drawn_cover := draw_cover(letter.cover)) is not None:
                cover = add_picture(drawn_cover, "cover", "cover")
    return Pictures(boards, marks, cover, tuple(parts), tuple(faults.items()))


@contextmanager
def _note_drawing_faults(faults: dict[AnyGame, str], game: AnyGame) -> Iterator[None]:
    """Notes why the game's picture in the block cannot be drawn: the mail leaves, and its sender tells the fault."""
    try:
        yield
    except SoftTimeLimitExceeded:  # no fault of the picture: the mail comes again
        raise
    except Exception as error:  # noqa: BLE001 - whatever it is
        faults[game] = pictures.error_kind_and_place(error)


def message_id(kind: str, row: int, host: str, secret: str) -> str:
    """Returns the Message-ID of an outbox row's mail: the same each time, opaque but for `row_of_message_id`.

    The number of the row is covered: it would tell how many mails have left to others, and so who has answered.
    """
    token = _opaque_token(secret, "message", kind, row)
    return f"<{kind}-{token}{row ^ _mask_of_row(secret, token):012x}@{host}>"


def row_of_message_id(said: str, secret: str) -> int | None:
    """Returns the outbox row of this site's mail with this Message-ID, whatever its case; None if there is none.

    >>> row_of_message_id(message_id("turn", 41, "pbem.example", "a secret"), "a secret")
    41
    """
    found = _OURS.fullmatch(said.strip().casefold())
    if found is None:
        return None
    row = int(found["row"], 16) ^ _mask_of_row(secret, found["token"])
    right = hmac.compare_digest(found["token"], _opaque_token(secret, "message", found["kind"], row))
    return row if right else None


_OURS = re.compile(r"<?(?P<kind>[a-z]+)-(?P<token>[0-9a-f]{24})(?P<row>[0-9a-f]{12})@[^@\s<>]+>?")


def _mask_of_row(secret: str, token: str) -> int:
    """Returns the number under which the row of the mail with this token is hidden."""
    return int(_opaque_token(secret, "row", token)[:12], 16)


def _opaque_token(secret: str, purpose: str, *ids: str | int) -> str:
    said = "\n".join(map(str, ("pbem.mail", purpose, *ids)))
    return hmac.digest(secret.encode(), said.encode(), "sha256").hex()[:24]


def _add_addresses(message: dict[str, str], letter: Letter, called: str, secret: str) -> None:
    sender = letter.sender
    host = sender.address.rpartition("@")[2]
    ascii_only = letter.to.isascii()
    message["From"] = mime.address_header("From", called, sender.address, ascii_only=ascii_only)
    message["To"] = mime.address_header("To", isolate_direction(letter.addressee), letter.to, ascii_only=ascii_only)
    if letter.reply_to is not None:
        message["Reply-To"] = mime.address_header("Reply-To", called, letter.reply_to, ascii_only=ascii_only)
    message["Date"] = format_datetime(letter.at)
    message["Message-ID"] = message_id(letter.kind, letter.row, host, secret)
    message["Auto-Submitted"] = "auto-generated"
    # Not All: that would suppress bounces, too.
    message["X-Auto-Response-Suppress"] = "OOF, AutoReply"
    for name, kept in (("X-PBEM-Commitment", letter.commitments), ("X-PBEM-Head", letter.heads)):
        if kept:
            message[name] = f",{mime.FOLD}".join(kept)
    if isinstance(letter, MatchLetter):
        root = f"<match-{_opaque_token(secret, 'thread', letter.match, letter.seat)}@{host}>"
        message["In-Reply-To"] = root
        message["References"] = root
        message["List-Id"] = f"<match-{_opaque_token(secret, 'list', letter.match)}.{host}>"
    elif letter.list_name:
        message["List-Id"] = f"<{letter.list_name}.{host}>"
    if stop := letter.one_click_url:
        by_mail = f",{mime.FOLD}<mailto:{letter.unsubscribe_to}>" if letter.unsubscribe_to is not None else ""
        message["List-Unsubscribe"] = f"<{stop}>{by_mail}"
        message["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"


@lru_cache(maxsize=64)
def draw_board(game: AnyGame, svg: str, names: tuple[str, ...]) -> bytes:
    """Returns the board as a PNG in base64. Cached: a retry, a reminder or another seat may show the same board.

    The cache holds at most 64 pictures, some 3 MB. All that may tell two of them apart is in the key.
    """
    return mime.base64_lines(pictures.board_png(game, svg, names, PICTURE_WIDTH))


@cache
def draw_cover(game: AnyGame) -> bytes | None:
    """Returns the cover of a game as a PNG in base64, drawn once by a process; None if the game has none of its own."""
    svg = pictures.middle_of_own_cover(game)
    return None if svg is None else mime.base64_lines(pictures.board_png(game, svg, (), PICTURE_WIDTH))


@lru_cache(maxsize=256)
def draw_symbol_of_mark(game: AnyGame, mark: Mark) -> bytes:
    """Returns the symbol of a mark as a PNG in base64. Cached: it is small, and most mails of a game show the same."""
    svg = f'<svg class="{mark.colour}" viewBox="0 0 64 64"><use href="#{mark.symbol}"/></svg>'
    return mime.base64_lines(pictures.board_png(game, svg, (), MARK_WIDTH, clear=True))


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


def render_letter(letter: Letter, drawn: Pictures) -> Words:
    """Returns the rendered letter; its names must be harmless already. Raises TooLarge.

    A board without a picture is in words, a mark without one is shown by its letters and its colour alone.
    """
    about: dict[str, Any] = {**mail_environment(letter.lang, "txt").globals, "letter": letter, "name": letter.addressee}
    about["lang"] = letter.lang
    about |= {**_reader_functions(letter.lang, letter.zone), **_plain_text_functions(letter)}
    about["left"] = lambda at: i18n.time_left(at - letter.at, letter.lang)
    subject = _subject_of(letter, about)
    about |= {"subject": subject, "overline": _render_text_block(letter, "overline", about)}
    answer = f"mailto:{letter.reply_to}?subject={quote(letter.subject_of_reply(subject), safe='')}"
    about["mailto"] = lambda typed: f"{answer}&body={quote(typed, safe='')}"  # RFC 6068
    about["what"] = _render_text_block(letter, "what", about)
    about["last_line"] = _render_text_block(letter, "last_line", about)
    text = _render_body(letter, "txt", about)
    of_html = {**mail_environment(letter.lang, "html").globals, **_html_functions(letter, drawn.marks)}
    html = _render_body(letter, "html", {**about, **of_html, "cid": drawn.cid_of_board, "cover": drawn.cover})
    size = len(html.encode())
    if size > HTML_LIMIT:
        raise TooLarge(f"the HTML of a {letter.kind} mail has {size} bytes, {HTML_LIMIT} is the most")
    text = re.sub(r"\n{3,}", "\n\n", text.replace(_SOURCE_BREAK, "")).strip() + "\n"
    return Words(_render_text_block(letter, "sender", about), subject, text, html)


def _subject_of(letter: Letter, about: dict[str, Any]) -> str:
    """Returns the subject; if it cannot be built, one without any name, so that the mail is sent all the same."""
    try:
        subject = _render_text_block(letter, "subject", about)
        mime.encode_header("Subject", subject)
    except Exception:
        # Whatever the reason, the reader must get the mail; the log has the error.
        log.exception("mail.subject_without_names", row=letter.row, kind=letter.kind)
        return letter.game.meta.title[letter.lang] if hasattr(letter, "game") else letter.sender.name
    return subject


def _render_text_block(letter: Letter, name: str, about: dict[str, Any]) -> str:
    """Returns what a block of the kind's template says in plain text, or that of the defaults if it has none."""
    for template in (find_template(letter.lang, "txt", letter.kind), find_template(letter.lang, "txt", "_defaults")):
        if name in template.blocks:
            said = "".join(template.blocks[name](template.new_context(about, shared=True)))
            return said.replace(_SOURCE_BREAK, "").strip()
    raise LookupError(name)


def _render_body(letter: Letter, form: Form, about: Mapping[str, Any]) -> str:
    """Returns the letter in this form: its template, in a context that has the pieces of the form already."""
    here, template = mail_environment(letter.lang, form), find_template(letter.lang, form, letter.kind)
    context = template.new_context({**about, "layout": "_layout.jinja", "html": form == "html"}, shared=True)
    try:
        deque(here.get_template(f"pieces.{form}").root_render_func(context), maxlen=0)
        return "".join(template.root_render_func(context))
    except Exception:  # noqa: BLE001 - Jinja raises it again, with the lines of the templates
        here.handle_exception()


@cache
def find_template(lang: Lang, form: Form, kind: str) -> Template:
    """Returns the template of a kind of mails, which renders itself in this form."""
    return mail_environment(lang, form).get_template(f"{kind}.jinja")


@cache
def mail_environment(lang: Lang, form: Form) -> Environment:
    """Returns what renders the templates of mails in this language and form."""
    found = packages_of_features().items()
    ours = [TEMPLATES / "features" / name / "mail" for name, _package in found]
    installed = [folder_of_package(package) / "templates" / "mail" for _name, package in found]
    made = Environment(
        loader=FileSystemLoader([TEMPLATES / "mail", *ours, *installed]),
        autoescape=form == "html",  # noqa: S701  # a text has nothing to escape
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        newline_sequence="\n" if form == "html" else _SOURCE_BREAK,
        auto_reload=False,
    )
    install_messages(made, partial(message_catalogue, lang))
    return made


def _plain_text_functions(letter: Letter) -> Mapping[str, Any]:
    """Returns the functions with which a template says names and phrases, in plain text.

    `br` ends a line, `gap` leaves one empty, `dot` stands before an entry of a list. The match is the letter's own; in
    a letter about several, the functions are told which.
    """

    def phrase_as_text(phrase: Phrase, of: Any = letter) -> str:
        return _text(phrase, getattr(of, "names", ()))

    return {
        "said": phrase_as_text,
        "marked": phrase_as_text,
        "bold": isolate_direction,
        "br": "\n",
        "gap": "\n",
        "dot": "*",
    }


_text = lru_cache(maxsize=1024)(
    phrases.phrase_text
)  # a letter says most of its phrases twice, and others say them again


def _html_functions(letter: Letter, marks: Mapping[Mark, str]) -> Mapping[str, Any]:
    """Returns those that say them in HTML; `answer` shows each mark that has a picture."""

    def in_bold(phrase: Phrase, of: Any = letter) -> Markup:
        return phrases.phrase_html(phrase, of.names, of.game.meta, phrases.bold_notation)

    def with_symbols(phrase: Phrase, of: Any = letter) -> Markup:
        return phrases.phrase_html(phrase, of.names, of.game.meta, in_colour)

    def in_colour(notation: str, mark: Mark, beside: phrases.Punctuation) -> Markup:
        symbol = mark in marks and (
            f'<img class="mon" src="cid:{escape(marks[mark])}" width="20" height="20" alt="" '
            'style="vertical-align:-4px;border:0">&nbsp;'
        )
        ground = escape(pictures.colour_in_light_theme(mark.colour))
        return Markup(  # noqa: S704  # all that was put in is escaped
            f'<span style="white-space:nowrap">{escape(beside.opens)}{symbol or ""}'
            f'<b style="background:{ground};color:#fdf9f0;padding:1px 3px">'
            f"{escape(notation)}</b>{escape(beside.closes)}</span>"
        )

    return {
        "marked": in_bold, "answer": with_symbols,
        "bold": lambda words: Markup(f"<b>{escape(isolate_direction(words))}</b>"),  # noqa: S704
        "br": Markup("<br>"), "gap": "", "dot": "•",
    }  # fmt: skip


@lru_cache(maxsize=64)
def _reader_functions(lang: Lang, zone: str) -> Mapping[str, Any]:
    """Returns the functions of a template that use the reader's language and zone."""
    here: dict[str, Any] = {"zone": zone, "lang": lang}
    _ = message_catalogue(lang).gettext
    bot = _("%(name)s (bot)")
    return {
        "full": lambda title: title if title[-1:] in "?!" else f"{title}.",
        "moment": lru_cache(maxsize=8)(partial(i18n.moment, **here)),  # a letter says a moment several times
        "day_and_time": partial(i18n.day_and_time, **here),
        "to_the_second": partial(i18n.moment_to_the_second, **here),
        "day": partial(i18n.day_with_weekday, **here),
        "date": partial(i18n.date_with_weekday, lang=lang),
        "zone": lru_cache(maxsize=8)(partial(i18n.zone_name, **here)),
        "points": partial(i18n.points_in_words, lang=lang),
        "ordinal": partial(i18n.ordinal, lang=lang),
        "join_and": partial(i18n.join_and, lang=lang),
        "with_bots": lambda names, bots: [bot % {"name": one} if n in bots else one for n, one in enumerate(names)],
        "length": partial(i18n.duration_in_words, lang=lang),
        "title": lambda game: game.meta.title[lang],
        "verdict": partial(_verdict_in_words, lang=lang),
    }


def _verdict_in_words(end: Any, lang: Lang) -> str:
    """Returns who has won and why, or just why nobody has: `end` is a letter, or a line of one, with `standings`."""
    winners = [end.names[standing.seat] for standing in end.standings if standing.won]
    return who_won_and_why_in_words(phrases.phrase_text(end.outcome, end.names), winners, lang)
