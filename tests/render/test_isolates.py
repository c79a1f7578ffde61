"""Names that are read from right to left leave the order of the sentence around them alone, in every text we write."""

from __future__ import annotations

import re
import sys
import unicodedata
from dataclasses import fields, is_dataclass, replace
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from pathlib import Path
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import pytest
from jinja2 import Environment
from markupsafe import Markup

from pbem.kit.texts import LANGS, Lang
from pbem.mail.compose import compose_mail
from pbem.mail.letters import Letter
from pbem.render import phrases, pictures
from pbem.render.i18n import join_and, join_or, message_catalogue
from pbem.render.phrases import install_messages, isolate_direction
from tests.harness.cases import cases
from tests.mail import samples
from tests.render.right_to_left import lines_with_strays, strays_of_page

ALEF, BEH = "אליס", "بوب -2"


@cases("name", ["Alice", "Élise", "Ольга", "\u9ec4", "−2", "", "🎲", Markup("<b>é</b>")])
def test_a_left_to_right_text_is_not_changed(name: str) -> None:
    assert isolate_direction(name) == name


@cases("name", [ALEF, BEH, "Alice א", "٣", "\u202eAlice\u202d א", "א\u2067", "א\nב", "\u2069א\u2068"])
def test_a_right_to_left_text_is_wrapped_in_one_closed_isolate(name: str) -> None:
    assert lines_with_strays(name)
    assert lines_with_strays(isolate_direction(name)) == []
    assert isolate_direction(isolate_direction(name)) == isolate_direction(name)
    assert isolate_direction(f"{isolate_direction(name)} −2") == f"{isolate_direction(name)} −2"


def test_no_letter_that_is_read_from_right_to_left_is_overlooked() -> None:
    controls = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
    assert [control for control in controls if isolate_direction(f"é{control}") != "é"] == []
    letters = [chr(code) for code in range(sys.maxunicode + 1) if chr(code) not in controls]
    leftward = [letter for letter in letters if unicodedata.bidirectional(letter) in ("R", "AL", "AN")]
    assert [letter for letter in leftward if isolate_direction(letter) != f"\u2068{letter}\u2069"] == []


def test_bidirectional_control_characters_are_removed() -> None:
    assert isolate_direction("Bob\u202e") == "Bob"
    assert isolate_direction(f"\u2067{ALEF}") == f"\u2068{ALEF}\u2069"


@cases("text, held", [("א −2", "א \u200e−2"), ("א 3-2", "א 3-2"), ("א +5 -7", "א \u200e+5 \u200e-7")])
def test_a_sign_stays_in_front_of_its_number_and_a_dash_between_numbers(text: str, held: str) -> None:
    assert isolate_direction(text) == f"\u2068{held}\u2069"


@cases("lang", LANGS)
def test_every_way_to_put_a_name_into_a_sentence_isolates_it(lang: Lang) -> None:
    catalogue = message_catalogue(lang)
    told = [
        catalogue.gettext("%(name)s wins: %(reason)s.") % {"name": BEH, "reason": "−2"},
        catalogue.gettext("Automatic move by %(seat)s.") % {"seat": BEH},
        catalogue.ngettext("%(names)s typed a word of their own.", "%(names)s typed a word of their own.", 2)
        % {"names": join_and([ALEF, BEH], lang)},
        join_or([ALEF, BEH], lang),
        phrases.phrase_text("{0} −2, {1} 3", [ALEF, BEH]),
        str(pictures.svg_with_names("<text>{0} −2</text><text>{1:9}</text>", [ALEF, BEH])),
    ]
    for line in told:
        assert "\u2068" in line
        assert lines_with_strays(line) == []


def test_templates_isolate_direction_of_inserted_names_but_not_of_markup() -> None:
    environment = Environment(autoescape=True)
    install_messages(environment, lambda: message_catalogue("en"))
    shown = environment.from_string("{{ name }} {{ plain }} {{ page }} {{ number }}")
    name, page = "\u05d0 3", Markup("<b>\u05d0</b>")
    assert shown.render(name=name, plain="Alice", page=page, number=3) == f"\u2068{name}\u2069 Alice {page} 3"


@cases("autoescape", [True, False])
def test_templates_render_calls_and_values_as_plain_jinja_does(autoescape: bool) -> None:
    ours, theirs = Environment(autoescape=autoescape), Environment(autoescape=autoescape)
    install_messages(ours, lambda: message_catalogue("en"))
    known = {
        "told": lambda *said, **more: f"{said} {more} é<",
        "two": (1, 2),
        "named": {"a": 3},
        "page": Markup("<b>é"),
    }
    for source in (
        "{{ told() }} {{ told(1, *two, key='x', **named) }} {{ told(class='keyword') }} {{ named.items()|list }}",
        "{% for one in two %}{{ told(one, loop.index) }}{% endfor %} {{ told(told(two)) }} {{ page.upper() }}",
        "{% macro row(a, b=2) %}{{ a }}{{ b }}{% if caller %}{{ caller('x') }}{% endif %}{% endmacro %}"
        "{{ row('<', b=none) }}{% call(more) row(*two) %}{{ told(more) }}{% endcall %}"
        "{% set said %}{{ row(page) }}{% endset %}{{ said }}",
        "{{ page }} {{ '<é' }} {{ 1.5 }} {{ none }} {{ two }} {{ missing }} {{ 'a' if two else page }}",
    ):
        assert ours.from_string(source).render(known) == theirs.from_string(source).render(known)


def test_elision_works_before_a_name_in_a_direction_isolate() -> None:
    assert phrases.phrase_text("la main de {0}", ["Élise א"]) == "la main d’\u2068Élise א\u2069"


def from_elsewhere(part: Any) -> Any:
    """The same letter, but all that people wrote is in Hebrew, or contains a negative number."""
    hints = get_type_hints(type(part), include_extras=True)
    return replace(part, **{one.name: turn_round(hints[one.name], getattr(part, one.name)) for one in fields(part)})


def turn_round(hint: Any, value: Any) -> Any:
    if get_origin(hint) is Annotated and isinstance(value, str):
        return f"א{value} -2" if value else value
    if isinstance(value, tuple) and get_args(hint):
        return tuple(turn_round(get_args(hint)[0], one) for one in value)
    if get_origin(hint) is not None and value is not None and not isinstance(value, tuple):
        return turn_round(get_args(hint)[0], value) if get_args(hint) else value
    return from_elsewhere(value) if is_dataclass(value) and type(value).__module__.startswith("pbem.mail") else value


@pytest.mark.long
@cases("lang", LANGS)
def test_right_to_left_text_of_players_reorders_no_mail(lang: Lang) -> None:
    found: dict[str, list[str]] = {}
    named = 0
    for sample in samples.all_samples(lang):
        letter = from_elsewhere(sample)
        if hasattr(letter, "board"):
            letter = replace(letter, board=replace(letter.board, svg=None))  # drawn elsewhere, and slow
        for where, wrong in of_mail(letter).items():
            if wrong:
                found[f"{letter.kind} {letter.row} {where}"] = wrong[:3]
        named += letter != sample
    assert found == {}
    assert named > 30


def of_mail(letter: Letter) -> dict[str, list[str]]:
    message = message_from_bytes(bytes(compose_mail(letter, samples.SECRET)), policy=default)
    assert isinstance(message, EmailMessage)
    plain, html = message.get_body(("plain",)), message.get_body(("html",))
    assert plain is not None
    assert html is not None
    return {
        **{name: lines_with_strays(str(message[name])) for name in ("Subject", "From", "To")},
        "text": lines_with_strays(plain.get_content().replace("\r\n", "\n")),
        "html": strays_of_page(html.get_content()),
    }


def test_values_of_form_fields_in_templates_are_single_expressions() -> None:
    """The only shape that is kept free of isolates: what a form sends back is what it was given, letter by letter."""
    held = re.compile(r"""\bvalue=(["'])((?:\{\{.*?\}\}|(?!\1).)*)\1""", re.DOTALL)
    values = [
        (path.name, found[2])
        for path in sorted((Path(__file__).parents[2] / "templates").rglob("*.html"))
        for found in held.finditer(path.read_text(encoding="utf-8"))
        if "{" in found[2]
    ]
    assert [one for one in values if not re.fullmatch(r"\{\{[^{}]*\}\}", one[1])] == []
    assert len(values) > 100
