"""Fills in the players' names, each in an isolate, and the game's marks in a game's phrases.

Names come from people: a phrase is read once, from left to right, and what was filled in is never read again. A game
writes "de {0}" in French whatever the name is; it becomes "d’Alice" here (`pbem.render.phrases`).
"""

import gettext
import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from html import unescape
from io import StringIO
from typing import Any, NamedTuple, TypeVar

import regex
from jinja2 import Environment, nodes
from jinja2.compiler import CodeGenerator, Frame
from jinja2.ext import Extension
from markupsafe import Markup, escape

from pbem.kit.contract import Mark, Meta, Phrase

_PLACE = re.compile(r"\{([^{}]*)\}|[{}]")
_NOTATION = re.compile(r"[A-Za-z][A-Za-z0-9-]*")
_CLOSE = re.compile(r"(?:\u00a0?[.,;:!?…»)\]])*")
"""The punctuation that closes what stands before it."""
_OPEN = re.compile(r"(?:[«“(\[]\u00a0?)*\Z")
"""The punctuation that opens what stands after it, at the end of a text."""


class Punctuation(NamedTuple):
    """What stands right before and after a notation, and must not part from it at the end of a line."""

    opens: str = ""
    closes: str = ""


def phrase_text(phrase: Phrase, names: Sequence[str]) -> str:
    """Returns the phrase as plain text: names and notation as they are.

    Raises ValueError for a placeholder that is neither a seat at this table nor notation.

    >>> phrase_text("{0} takes {F1}.", ["Alice"])
    'Alice takes F1.'
    """
    return _fill_phrase(
        phrase, names, str, isolate_direction, lambda notation, beside: beside.opens + notation + beside.closes
    )


@lru_cache(1024)
def _notation_with_symbol_html(notation: str, mark: Mark, beside: Punctuation) -> Markup:
    # A browser may break a line before and after a drawing, even at a no-break space; not in a `whole`.
    return Markup(
        '<span class="whole">{}<b>{}</b>&nbsp;'
        '<svg class="mini {}" viewBox="0 0 64 64" aria-hidden="true"><use href="#{}"/></svg>{}</span>'
    ).format(beside.opens, notation, mark.colour, mark.symbol, beside.closes)


@lru_cache(1024)
def bold_notation(notation: str, mark: Mark, beside: Punctuation) -> Markup:
    """Returns the notation without its mark, for mails."""
    return Markup("{}<b>{}</b>{}").format(beside.opens, notation, beside.closes)


def phrase_html(
    phrase: Phrase,
    names: Sequence[str],
    meta: Meta,
    show: Callable[[str, Mark, Punctuation], Markup] = _notation_with_symbol_html,
) -> Markup:
    """Returns the phrase as HTML: names bold and escaped, notation as `show` writes it, with its mark beside it.

    `show` also gets the punctuation beside the notation, so that it can keep all of it on one line.

    Raises ValueError for a placeholder that is neither a seat at this table nor among the game's marks.
    """

    def notation_html(notation: str, beside: Punctuation) -> str:
        mark = meta.marks.get(notation)
        if mark is None:
            raise ValueError(f"{meta.slug} has no mark for {notation!r}")
        return show(notation, mark, beside)

    def name_html(name: str) -> str:
        return isolate_direction(Markup(f"<b>{escape(name)}</b>"))  # noqa: S704

    filled = _fill_phrase(phrase, names, escape, name_html, notation_html)
    return Markup(filled)  # noqa: S704  # each part was escaped on its own


def notations_in(phrase: Phrase) -> Iterator[str]:
    """Yields the notation of each thing that the phrase names.

    >>> list(notations_in("{0} takes {F1} for {M2}."))
    ['F1', 'M2']
    """
    return (inside for inside in _PLACE.findall(phrase) if _NOTATION.fullmatch(inside))


def _fill_phrase(
    phrase: Phrase,
    names: Sequence[str],
    words: Callable[[str], str],
    person: Callable[[str], str],
    thing: Callable[[str, Punctuation], str],
) -> str:
    """Returns the phrase, with one function applied to its words and others to the contents of its braces.

    `thing` gets the notation and the punctuation beside it.
    """
    if "{" not in phrase and "}" not in phrase:
        return words(phrase)
    parts: list[str] = []
    end = 0
    for place in _PLACE.finditer(phrase):
        before = phrase[end : place.start()]
        end = place.end()
        inside = place[1] or ""
        if inside.isascii() and inside.isdigit() and len(inside) < 3 and int(inside) < len(names):
            name = names[int(inside)]
            parts += words(elide_before_name(before, name)), person(name)
        elif _NOTATION.fullmatch(inside):
            opening, closing = _OPEN.search(before), _CLOSE.match(phrase, end)
            assert opening is not None, "it matches the empty text, too"
            assert closing is not None, "it matches the empty text, too"
            beside = Punctuation(opening[0], closing[0])
            parts += words(before[: opening.start()]), thing(inside, beside)
            end = closing.end()
        else:
            raise ValueError(f"{place[0]!r} is no seat of {len(names)} and no notation, in {phrase!r}")
    return "".join([*parts, words(phrase[end:])])


FIRST_STRONG, POP = "\u2068", "\u2069"
"""An isolate that is read as its own first letter is, and its end."""
_MARK = "\u200e"
ORDERING = frozenset((FIRST_STRONG, POP, _MARK))
"""All that `isolate` adds; it has no shape."""

_RIGHT_TO_LEFT = regex.compile(r"[\p{Bidi_Class=R}\p{Bidi_Class=AL}\p{Bidi_Class=AN}]")
_CONTROLS = regex.compile(r"[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_CHANGES = regex.compile(rf"(?:{_RIGHT_TO_LEFT.pattern}|{_CONTROLS.pattern})")
_OTHER = re.compile(r"[^\x00-\u036f\u2010-\u2027\u202f-\u205e]")
"""Anything but Latin letters and punctuation, found four times as fast: most texts need no further look."""
_ISOLATE = regex.compile(r"\u2068[^\u2066-\u2069\u202a-\u202e\n]*\u2069")
"""As `isolate` makes them; none stands in another."""
_SIGN = r"(?<![\w\u200e])[-+\u2212](?=\p{Nd})"
_SIGNED = regex.compile(_SIGN)
_SIGNED_IN_MARKUP = regex.compile(rf"<[^<>]*>(*SKIP)(*FAIL)|{_SIGN}")
_LINE = regex.compile(r"[^\n]*[^\s]")

Said = TypeVar("Said")


def isolate_direction(text: Said) -> Said:
    """Returns the text so that it can stand in a sentence that is read from left to right; any other value as it is.

    What can be read from right to left, and stands in no isolate yet, is put into one, line by line; a sign in it stays
    in front of its number, and characters that would change the direction of what follows are left out.

    >>> [isolate_direction(one) for one in ("Alice", "\u05d0", "\u202eA", 3)]
    ['Alice', '\u2068\u05d0\u2069', 'A', 3]
    >>> isolate_direction(isolate_direction("\u05d0"))
    '\u2068\u05d0\u2069'
    """
    if not isinstance(text, str) or text.isascii() or not _OTHER.search(text):
        return text
    if not _CHANGES.search(_ISOLATE.sub("", text)):
        return text
    plain = str(_CONTROLS.sub("", text))
    if _RIGHT_TO_LEFT.search(plain):
        signed = _SIGNED_IN_MARKUP if isinstance(text, Markup) else _SIGNED
        plain = _LINE.sub(_isolate_line, signed.sub(lambda sign: _MARK + sign[0], plain))
    return type(text)(plain)  # Markup stays Markup: nothing was put in that has to be escaped


def isolate_facts(facts: Any) -> Any:
    """Returns facts that are about to be put into a message, each isolated: those of a mapping, or a single one."""
    if isinstance(facts, Mapping):
        return {name: isolate_direction(fact) for name, fact in facts.items()}
    return tuple(map(isolate_direction, facts)) if isinstance(facts, tuple) else isolate_direction(facts)


def _isolate_line(line: regex.Match[str]) -> str:
    said: str = line[0]
    return f"{FIRST_STRONG}{said}{POP}" if _RIGHT_TO_LEFT.search(said) else said


_BEFORE = re.compile(
    r"(?<![\w’'-])(?:((?:(?:jus|lors|puis|quoi)?qu|d|l)e|la)|(si))"
    r"(?:\s|&nbsp;)+((?:<[^<>]*>|[«“\"‘(\[\u2066-\u2069\s]|&nbsp;)*)\Z",
    re.IGNORECASE,
)
"""A word that elides at the end of a text, and what may stand between it and the name: tags and opening signs."""
_REACH = 300
"""How many letters before a name are looked at; a drawn board is much longer."""
_FACT = re.compile(r"%(?:%|\((\w+)\))")
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


def elide_before_name(before: str, name: object) -> str:
    """Returns the French text that stands before a name, its last word without its vowel if the name requires that.

    Tags, isolates and opening signs may stand between the word and the name, and at the beginning of the name.

    >>> elide_before_name("l’annonce de ", "Élise"), elide_before_name("parce que ", "Bob")
    ('l’annonce d’', 'parce que ')
    >>> elide_before_name("la main de <b>", "Yves")
    'la main d’<b>'
    """
    found = _BEFORE.search(before, max(0, len(before) - _REACH))
    if found is None:
        return before
    word = found[1] or found[2]
    if not (_HE.match(_letters_as_spoken(name)) if found[2] else uses_french_elision(name)):
        return before
    return f"{before[: found.start()]}{word[:-1]}’{found[3]}"


def uses_french_elision(name: object) -> bool:
    """True if French elides in front of the name. Markup is read as the text that it shows.

    >>> [uses_french_elision(name) for name in ("Alice", "Hélène", "Œdipe", "Yves", "A.")]
    [True, True, True, True, True]
    >>> [uses_french_elision(name) for name in ("Bob", "Hans", "Onze", "Yann", "11", "Ольга", "R.")]
    [False, False, False, False, False, False, False]
    """
    spoken = _letters_as_spoken(name)
    found = _WORD.match(spoken)
    if found is None or found[0][0] not in "aeiouyhœæøıəɛɔ":
        return False
    word = found[0]
    if word[0] == "h":
        return len(word) > 1 and word not in _ASPIRATED and not word.startswith(_ASPIRATED_STEMS)
    return _APART.match(spoken) is None


def elide_message_before_facts(message: str, facts: Mapping[str, Any]) -> str:
    """Returns the French message, elided where these facts will stand, which are not put in yet.

    >>> elide_message_before_facts("la place de %(name)s", {"name": "Alice"}) % {"name": "Alice"}
    'la place d’Alice'
    """
    parts: list[str] = []
    end = 0
    for place in _FACT.finditer(message):
        before = message[end : place.start()]
        parts += elide_before_name(before, facts[place[1]]) if place[1] in facts else before, place[0]
        end = place.end()
    return "".join((*parts, message[end:]))


def _letters_as_spoken(name: object) -> str:
    """Returns the name in small letters without accents, from its first sign on that is spoken."""
    text = unescape(_TAG.sub("", name)) if isinstance(name, Markup) else str(name)
    plain = "".join(c for c in unicodedata.normalize("NFKD", text.casefold()) if not unicodedata.combining(c))
    start = next((at for at, c in enumerate(plain) if unicodedata.category(c) not in _UNSPOKEN and c not in "\"'."), 0)
    return plain[start:]


_MAY_ELIDE = re.compile(r"(?<!\w)(?:\w*que|de|le|la|si)\s(?:<[^<>]*>|[^\w%<])*%\(", re.IGNORECASE)


_FIELD = re.compile(r"""(?<=\bvalue=")\{\{([^{}]*)\}\}(?=")|\{\{([^{}]*)\}\}(?=\s*</textarea>)""")


class _Message(str):
    """A message with room for facts, each of which is isolated."""

    __slots__ = ()

    def __mod__(self, facts: Any) -> str:
        filled: str = str(self) % isolate_facts(facts)
        return filled


class _Eliding(_Message):
    """A French message with a word in front of a fact that may have to be elided."""

    __slots__ = ()

    def __mod__(self, facts: Any) -> str:
        filled: str = _Message(elide_message_before_facts(str(self), facts)) % facts
        return filled


MESSAGES = 8192
"""The most messages kept, of both languages: more than there are."""


class EnglishCatalogue(gettext.NullTranslations):
    """The messages as they are in the code. They isolate the facts that are put in with `%`."""

    # There is one catalogue a language for the life of a process, so what its methods cache may live as long.
    @lru_cache(MESSAGES)  # noqa: B019
    def gettext(self, message: str) -> str:
        """Returns the message in the catalogue's language."""
        return _message_that_isolates_facts(super().gettext(message))

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        """Returns the message for a number of things."""
        return _message_that_isolates_facts(super().ngettext(msgid1, msgid2, n))


class FrenchCatalogue(EnglishCatalogue, gettext.GNUTranslations):
    """The compiled French catalogue. Its messages also elide before the facts that are put in."""


def _message_that_isolates_facts(message: str) -> str:
    """Returns the message so that it isolates its facts; no English one has a word that elides."""
    if "%" not in message:
        return message
    return _Eliding(message) if _MAY_ELIDE.search(message) else _Message(message)


class _Fields(Extension):
    """Leaves what a field of a form holds as it is: it comes back."""

    def preprocess(self, source: str, name: str | None, filename: str | None = None) -> str:  # Jinja's
        """Returns the template, in which what fields hold is escaped already, and so passes `finalize` unchanged."""
        return _FIELD.sub(lambda found: f"{{{{ ({found[1] or found[2]})|e }}}}", source)


class _Writer(CodeGenerator):
    """Writes templates so that a call is made as it stands there, and a value is only looked at if it may need that.

    Jinja would ask at each call what of the template is wanted, which nothing does that ours call.
    """

    def visit_Call(self, node: nodes.Call, frame: Frame, forward_caller: bool = False) -> None:  # noqa: N802  # Jinja's
        """Writes a call."""
        self.visit(node.node, frame)
        written, self.stream = self.stream, StringIO()
        self.signature(node, frame, {"caller": "caller"} if forward_caller else None)
        said, self.stream = self.stream.getvalue(), written
        self.write(f"({said.removeprefix(', ')})")

    def _output_child_pre(self, node: nodes.Expr, frame: Frame, finalize: CodeGenerator._FinalizeInfo) -> None:
        self.write("(it if type(it := ")

    def _output_child_post(self, node: nodes.Expr, frame: Frame, finalize: CodeGenerator._FinalizeInfo) -> None:
        # Most of what is shown is ASCII, in which there is nothing to isolate, or Markup, in which all is isolated.
        isolated = "environment.finalize(it) if isinstance(it, str) and not it.isascii() else it"
        if frame.eval_ctx.autoescape:
            self.write(f") is Markup else escape({isolated}))")
        else:
            self.write(f") is str and it.isascii() else str({isolated}))")


def message_functions(catalogue: Callable[[], gettext.NullTranslations], kind: type[str]) -> dict[str, Any]:
    """Returns what templates call to show messages as this kind of text; the catalogue is asked for with each message.

    Jinja's own functions turn a message into Markup before they put facts in, so nothing could be elided there.
    """

    def translate(message: str, **facts: Any) -> str:
        return fill(catalogue().gettext(message), facts)

    def translate_number(one: str, many: str, n: int, **facts: Any) -> str:
        return fill(catalogue().ngettext(one, many, n), {"num": n, **facts})

    def fill(message: str, facts: dict[str, Any]) -> str:
        if not isinstance(message, _Message):
            return kind(message)
        text = kind(elide_message_before_facts(message, facts) if isinstance(message, _Eliding) else message)
        filled: str = text % isolate_facts(facts)
        return filled

    return {"_": translate, "gettext": translate, "ngettext": translate_number}


def install_messages(environment: Environment, catalogue: Callable[[], gettext.NullTranslations]) -> None:
    """Gives templates the messages of a catalogue, which is asked for with each, and isolates all that they show."""
    environment.code_generator_class = _Writer
    environment.finalize = lambda shown: shown if isinstance(shown, Markup) else isolate_direction(shown)
    environment.add_extension(_Fields)
    environment.add_extension("jinja2.ext.i18n")
    environment.newstyle_gettext = True  # type: ignore[attr-defined]  # by the extension
    environment.globals.update(message_functions(catalogue, Markup if environment.autoescape else str))
