"""Elision: one rule for all French texts, wherever a name stands behind "de", "que" or "le"."""

import ast
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from babel.messages.pofile import read_po
from flask import Flask, render_template_string
from jinja2 import Environment
from markupsafe import Markup

from pbem.games.hogen import GAME
from pbem.kit.contract import AnyGame
from pbem.render import phrases, pictures
from pbem.render.i18n import CATALOGUES, message_catalogue, zone_name
from pbem.render.phrases import elide_before_name, install_messages, uses_french_elision
from pbem.web.protocol import language
from tests.games.discovered import GAMES, sample_tables
from tests.games.stage.words import texts_in_french
from tests.harness.cases import cases

ROOT = Path(__file__).resolve().parents[2]

ELIDED = re.split(
    " ",
    "Alice Élise Émile Ève Ana Åsa Ämma Óscar Ügo İpek Œdipe Ægir Øystein Ondine Ulysse Yves Ysée Yvonne Yseult "
    "Hélène Hector Hugo Henri Hortense Hermione Héloïse Hubert Honoré Hippolyte Horace Hadrien Hyacinthe Hestia "
    "Ouest Oiseau Ousmane Igor Iris Ian Eugène Euan Uma alice ÉLISE Ａlice «Alice» \u2068Alice\u2069 “Alice” _Alice_ "
    "(Alice) A. É. A Y Un Harpagon Halogène Homère Habitant Hallucination Haleine Hameçon",
)
APART = re.split(
    " ",
    "Bob Yann Yasmine Yohan Yumi Yoann Hans Harald Heidi Hassan Hiroshi Haruki Hakim Huang Hibou Hérisson Héros "
    "Onze Onzième Oui Ouistiti Ouarda Ouattara Uhlan Iouri 1 8 11 80 007 ★Alice 🙂 Ольга Αλίκη أليس 愛子 R. H. H L. "
    "William Wanda Ximena Čeněk Ñandú \u2068Bob\u2069 Harry Houda Hamster Hollande",
)


@cases("name", ELIDED)
def test_in_front_of_a_vowel_or_a_mute_h_the_word_elides(name: str) -> None:
    assert [elide_before_name(f"x {word} ", name) for word in ("de", "que", "le", "la", "jusque", "lorsque", "puisque",
    "De")] == [
        "x d’", "x qu’", "x l’", "x l’", "x jusqu’", "x lorsqu’", "x puisqu’", "x D’",
    ]  # fmt: skip


@cases("name", APART)
def test_a_word_stays_whole_in_front_of_any_other_sound(name: str) -> None:
    assert [elide_before_name(f"x {word} ", name) for word in ("de", "que", "la", "jusque")] == [
        "x de ", "x que ", "x la ", "x jusque ",
    ]  # fmt: skip


def test_an_empty_list_of_names_is_not_elided() -> None:
    assert [elide_before_name(words, "") for words in ("de ", "la main", "")] == ["de ", "la main", ""]
    assert not uses_french_elision("")


@cases("before", ["vue ", "par ", "ide ", "celle-la ", "modele ", "à ", "pour ", "aide-", "de"])
def test_other_words_and_parts_of_words_are_not_elided(before: str) -> None:
    assert elide_before_name(before, "Alice") == before


@cases("name, said", [("il", "s’"), ("ils", "s’"), ("Ilse", "si "), ("elle", "si ")])
def test_si_elides_only_before_il_and_ils(name: str, said: str) -> None:
    assert elide_before_name("si ", name) == said


@cases("opens", ["<b>", "«\u00a0", "\u2068", "<bdi><b>", "“", "\u2068<b>"])
def test_elision_looks_past_tags_isolates_and_quotes_before_the_name(opens: str) -> None:
    assert elide_before_name(f"la main de {opens}", "Élise") == f"la main d’{opens}"
    assert elide_before_name(f"la main de\u00a0{opens}", "Bob") == f"la main de\u00a0{opens}"


def test_elision_reads_markup_as_the_text_it_shows() -> None:
    assert uses_french_elision(Markup("<bdi><b>&Eacute;lise</b></bdi>"))
    assert not uses_french_elision(Markup("<abbr>Bob</abbr>"))
    assert not uses_french_elision("<abbr>"), "a name that is no markup begins with its own sign"


def test_the_phrases_of_games_elide_as_text_and_as_html() -> None:
    phrase = "L’annonce de {0}, la main de {1} : parce que {0} joue {F1} de {M1}."
    assert (
        phrases.phrase_text(phrase, ["Élise", "Bob"])
        == "L’annonce d’Élise, la main de Bob : parce qu’Élise joue F1 de M1."
    )
    assert (
        phrases.phrase_html("La main de {0} : {1}", ["Élise", "Bob"], GAME.meta)
        == "La main d’<b>Élise</b> : <b>Bob</b>"
    )


def test_words_elide_before_names_on_drawn_boards() -> None:
    assert pictures.svg_with_names(
        "<title>vu de {0}</title><text>un éleveur de {1:4}</text>", ["Bob", "Élisabeth"]
    ) == ("<title>vu de Bob</title><text>un éleveur d’Él…</text>")


def test_elision_leaves_a_word_in_another_svg_text_unchanged() -> None:
    drawn = "<text>au tour de </text><text>{0}</text>"
    assert pictures.svg_with_names(drawn, ["Élisabeth"]) == drawn.format("Élisabeth")


def test_zone_names_elide_in_front_of_places() -> None:
    at = datetime(2026, 11, 28, tzinfo=UTC)
    said = [zone_name(at, zone, "fr") for zone in ("Europe/Athens", "Europe/Paris", "Africa/Cairo", "Asia/Hong_Kong")]
    assert said == ["heure d’Athènes", "heure de Paris", "heure du Caire", "heure de Hong Kong"]


# --- the catalogue ---------------------------------------------------------------------------------------------

NAMES = "(?:Élise|<b>Élise|«\u00a0Élise)"
UNELIDED = re.compile(rf"(?<![\w’'-])(?:de|que|le|la|jusque|lorsque|puisque)\s{NAMES}", re.IGNORECASE)
PLACE = re.compile(r"%\((\w+)\)([a-z])")


def messages_in_french() -> Iterator[tuple[tuple[str, ...], str]]:
    """Every message with facts, and each of its French forms."""
    with (CATALOGUES / "fr" / "LC_MESSAGES" / "messages.po").open("rb") as file:
        for message in read_po(file, locale="fr"):
            forms = message.string if isinstance(message.string, list | tuple) else [message.string]
            ids = message.id if isinstance(message.id, list | tuple) else [message.id]
            for form in forms:
                if message.id and PLACE.search(str(form)):
                    yield tuple(ids), str(form)


def facts_of(text: str) -> dict[str, object]:
    return {name: "Élise" if kind == "s" else 7 for name, kind in PLACE.findall(text)}


@pytest.mark.long
def test_no_message_of_the_catalogue_leaves_a_word_whole_before_a_vowel() -> None:
    fr, elided = message_catalogue("fr"), 0
    for ids, form in messages_in_french():
        for n in (1, 2):
            said = fr.gettext(ids[0]) if len(ids) == 1 else fr.ngettext(ids[0], ids[1], n)
            filled = said % facts_of(f"{said}{form}")
            assert not UNELIDED.search(filled), filled
            elided += "d’Élise" in filled
    assert elided > 5


def test_messages_in_templates_elide_with_and_without_markup() -> None:
    for autoescape, name in ((True, "<b>Élise</b>"), (False, "Élise")):
        environment = Environment(autoescape=autoescape)
        install_messages(environment, lambda: message_catalogue("fr"))
        template = environment.from_string(
            "{{ _('Automatic move by %(seat)s.', seat=seat) }} {% trans %}Automatic move by {{ seat }}.{% endtrans %}"
        )
        said = template.render(seat=Markup(name) if autoescape else name)
        assert said == f"Coup automatique d’{name}. Coup automatique d’{name}."
    assert "&lt;i&gt;" in Environment(autoescape=True).from_string("{{ x }}").render(x="<i>")


def test_names_on_pages_are_elided_and_escaped() -> None:
    app = Flask("elision")
    language.init_app(app)
    with app.test_request_context("/?lang=fr"):
        language.speak(None)
        assert language._("Automatic move by %(seat)s.", seat="Élise") == "Coup automatique d’Élise."
        assert render_template_string("{{ _('Automatic move by %(seat)s.', seat='A<i>') }}") == (
            "Coup automatique d’A&lt;i&gt;."
        )
        assert language._("Automatic move by %(seat)s.", seat="Bob") == "Coup automatique de Bob."
    with app.test_request_context("/?lang=en"):
        language.speak(None)
        assert language._("Automatic move by %(seat)s.", seat="Élise") == "Automatic move by Élise."


# --- games, and what lies outside ------------------------------------------------------------------------------


@pytest.mark.long
@GAMES
def test_french_texts_of_games_elide_before_names_with_vowels(game: AnyGame) -> None:
    for table in sample_tables(game):
        names = ["Élise"] * table.seats
        for viewer in table.viewers:
            for text in texts_in_french(game, table, viewer):
                if "{" in text:
                    said = phrases.phrase_text(text, names)
                    assert not UNELIDED.search(said), said


WORD = r"(?<![\w’'-])(?:de|que|jusque|lorsque|puisque) (?:<[^<>]*>|«\u00a0)*"
BARE = re.compile(rf"{WORD}\{{(?!{{)(\w*)", re.IGNORECASE)
IN_TEMPLATE = re.compile(rf"{WORD}\{{\{{", re.IGNORECASE)
SUSPECT = re.compile(rf"{WORD}\{{", re.IGNORECASE)
NUMBERS = {"low"}
"""Facts of `Text.fill` that are numbers: digits do not elide."""


def find_unelided(source: str) -> Iterator[str]:
    """Every value that Python puts directly behind a word that elides."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from BARE.findall(node.value)
        if isinstance(node, ast.JoinedStr):
            for before, value in zip(node.values, node.values[1:], strict=False):
                text = str(before.value) if isinstance(before, ast.Constant) else ""
                if isinstance(value, ast.FormattedValue) and re.search(rf"{WORD}\Z", text, re.IGNORECASE):
                    yield ast.unparse(value.value)


def test_no_text_inserts_a_name_unmarked_behind_a_word_that_elides() -> None:
    """A name gets into French texts through a phrase of a game or a message of the catalogue, where it is elided.

    Games know no names: what they put in themselves are words of their own, and seats as `{0}`.
    """
    modules = [path for path in (ROOT / "pbem").rglob("*.py") if ROOT / "pbem" / "games" not in path.parents]
    examples = {ROOT / "pbem" / "render" / "elision.py", ROOT / "pbem" / "render" / "phrases.py"}
    texts = {path: path.read_text("utf-8") for path in modules}
    found = [
        (str(path), value) for path, text in texts.items() if SUSPECT.search(text) for value in find_unelided(text)
    ]
    assert [one for one in found if one[1] not in NUMBERS and Path(one[0]) not in examples] == []
    templates = [path for path in (ROOT / "templates").rglob("*") if path.suffix in (".html", ".txt", ".svg", ".jinja")]
    assert len(templates) > 50
    assert [str(path) for path in templates if IN_TEMPLATE.search(path.read_text("utf-8"))] == []


def test_the_search_for_unmarked_elisions_finds_planted_ones() -> None:
    source = 'f"la main de {name}"; f"parce que <b>{who}"; "de {seat}".format(seat=1)'
    assert sorted(find_unelided(source)) == ["name", "seat", "who"]
    assert IN_TEMPLATE.search("la main de {{ name }}")
