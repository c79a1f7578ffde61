"""Every text of the service has a French translation."""

from __future__ import annotations

import io
import re
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog, Message
from babel.messages.extract import DEFAULT_KEYWORDS, check_and_call_extract_file
from babel.messages.frontend import parse_mapping_cfg
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

from pbem.render.i18n import CATALOGUES, message_catalogue

ROOT = Path(__file__).resolve().parents[1]
FRENCH = CATALOGUES / "fr" / "LC_MESSAGES" / "messages.po"
PLACE = re.compile(r"%\([a-z_]+\)[a-z]")
HINT = "; run `make messages` and translate what it adds to messages.po"


@pytest.fixture(scope="module")
def french() -> Catalog:
    with FRENCH.open("rb") as file:
        return read_po(file, locale="fr")


def pairs_of_texts(message: Message) -> list[tuple[str, str]]:
    """Returns the pairs of English and French forms, singular with singular and plural with plural."""
    if isinstance(message.id, str):
        return [(message.id, str(message.string))]
    assert isinstance(message.string, list | tuple)
    return list(zip(message.id, message.string, strict=True))


@pytest.fixture(scope="module")
def messages_in_use() -> set[str | tuple[str, ...]]:
    with (ROOT / "babel.cfg").open(encoding="utf-8") as file:
        methods, options = parse_mapping_cfg(file)  # type: ignore[no-untyped-call]  # untyped in Babel
    keywords = {**DEFAULT_KEYWORDS, "N_": None}
    # What marks no text is not read: that is most modules, and to read them takes seconds.
    marked = re.compile(rf"\b(?:{'|'.join(keywords)})\(")
    files = [path for path in (ROOT / "pbem").rglob("*.py") if marked.search(path.read_text(encoding="utf-8"))]
    files += [path for path in (ROOT / "templates").rglob("*") if path.is_file()]
    return {
        message
        for path in files
        for _, _, message, _, _ in check_and_call_extract_file(path, methods, options, None, keywords, (), False, ROOT)
    }


def test_every_text_that_is_used_is_in_the_catalogue(
    french: Catalog, messages_in_use: set[str | tuple[str, ...]]
) -> None:
    missing = sorted(str(text) for text in messages_in_use if text not in french)
    assert not missing, f"{missing}{HINT}"


def test_message_extraction_finds_texts_of_code_and_templates(messages_in_use: set[str | tuple[str, ...]]) -> None:
    assert "Email address" in messages_in_use, "of a page"
    assert "%(name)s (bot)" in messages_in_use, "of the code of mails"
    assert "There is no such match." in messages_in_use, "marked with N_"
    assert ("%(names)s waits for you.", "%(names)s wait for you.") in messages_in_use, "of a mail's template"


def test_the_catalogue_holds_no_text_that_is_used_no_more(
    french: Catalog, messages_in_use: set[str | tuple[str, ...]]
) -> None:
    known = {message.id for message in french if message.id}
    assert {i if isinstance(i, str) else tuple(i) for i in known} <= messages_in_use, HINT


def test_every_text_has_a_french_translation(french: Catalog) -> None:
    bare = [message.id for message in french if message.id and not all(fr.strip() for _, fr in pairs_of_texts(message))]
    assert not bare, f"{bare}{HINT}"
    assert not [message.id for message in french if message.fuzzy and message.id]


def test_both_languages_have_the_same_placeholders(french: Catalog) -> None:
    for message in french:
        for english, translated in pairs_of_texts(message) if message.id else []:
            if not translated:
                continue  # covered by another test
            assert sorted(PLACE.findall(english)) == sorted(PLACE.findall(translated)), english


def test_french_punctuation_has_non_breaking_spaces(french: Catalog) -> None:
    for message in french:
        for _, translated in pairs_of_texts(message) if message.id else []:
            assert "\u202f" not in translated, "the fonts lack the narrow no-break space"
            assert not re.search(r" [»:;?!]|« |\w[;?!](\s|$)|'", translated), translated


def test_the_compiled_catalogue_is_what_the_source_compiles_to(french: Catalog) -> None:
    compiled = io.BytesIO()
    write_mo(compiled, french)
    assert FRENCH.with_suffix(".mo").read_bytes() == compiled.getvalue(), HINT


def test_texts_are_translated_without_a_flask_application() -> None:
    assert message_catalogue("fr").gettext("Open the board") == "Ouvrir le plateau"
    assert message_catalogue("en").gettext("Open the board") == "Open the board"
    one, many = "%(names)s waits for you.", "%(names)s wait for you."
    assert message_catalogue("fr").ngettext(one, many, 1) == "%(names)s vous attend."
    assert message_catalogue("fr").ngettext(one, many, 3) == "%(names)s vous attendent."
