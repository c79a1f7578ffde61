"""Each kind of mail is complete: it has its letter, flags, templates, builder and a sample for other tests."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from dataclasses import MISSING, fields, is_dataclass
from pathlib import Path
from typing import Any, get_args, get_type_hints

from pbem.discovery import TEMPLATES, modules_in_feature_folders
from pbem.mail import letters
from pbem.mail.compose import Form, find_template, mail_environment
from pbem.mail.harmless import Name, Typed
from pbem.mail.letters import Kind, Letter, MatchLetter, PlayLetter
from pbem.services.kinds import all_kinds_of_mail
from pbem.services.mail import kinds as ours
from pbem.services.mail.kinds import digest, turn
from tests.harness.cases import cases
from tests.mail import samples

KINDS = sorted(all_kinds_of_mail())
BROUGHT = modules_in_feature_folders("letters")
MOST = 32
OURS = {
    "to", "zone", "match", "commitment", "head", "key", "title", "place", "unsubscribe", "unsubscribe_to", "reply_to",
    "reply_token", "reply_question", "return_path", "typed", "bot", "fault",
}  # fmt: skip
"""Fields of letters and their parts that hold a text which no player has typed, beside URLs."""
GAMES = {
    "recap", "told", "short", "label", "chosen_label", "note", "outcome", "words", "svg", "answered", "left", "going",
}  # fmt: skip
"""Fields with phrases of the games, which hold the names of players as numbers of their seats."""

MUTED, BOARD, CAPPED, REQUEST, PROVES = "can_be_muted", "with_board", "capped", "on_request", "proves_address"
TREATED: dict[str, tuple[set[str], str | None, tuple[str, ...]]] = {
    "absent": ({MUTED}, None, ()),
    "cancelled": ({MUTED}, None, ()),
    "confirm": ({CAPPED, REQUEST, PROVES}, None, ()),
    "declined": ({MUTED, CAPPED}, None, ()),
    "digest": (set(), "digest", ()),
    "displaced": ({CAPPED, "to_newcomer"}, None, ()),
    "invitation": ({CAPPED}, None, ()),
    "links": ({CAPPED, REQUEST, PROVES}, None, ("matches",)),
    "over": ({MUTED}, None, ()),
    "paused": ({MUTED}, None, ()),
    "readdress": ({REQUEST, "to_any_mailbox"}, None, ()),
    "readdressed": ({PROVES}, None, ("matches",)),
    "reminder": ({MUTED, BOARD}, None, ()),
    "renewal": (set(), None, ("matches",)),
    "started": ({MUTED, BOARD}, None, ()),
    "substitute": ({CAPPED, REQUEST, PROVES, "to_newcomer"}, None, ()),
    "takeback": ({MUTED}, None, ()),
    "turn": ({MUTED, BOARD}, None, ()),
    "undone": ({MUTED}, None, ()),
    "vote": ({MUTED}, None, ()),
}
"""How each kind is treated on its way: its flags, its List-Id beside a match's, what is cut off if it is too long."""


def test_each_module_of_the_mail_kinds_defines_a_kind() -> None:
    modules = [path.stem for path in Path(str(ours.__file__)).parent.glob("[!_]*.py")]
    assert sorted(modules) == sorted({*KINDS} - BROUGHT.keys())
    assert len(modules) <= MOST


@cases("kind", KINDS)
def test_every_kind_of_mail_has_a_builder_returning_its_letter(kind: str) -> None:
    build = all_kinds_of_mail()[kind].build
    given = get_type_hints(build)["return"]
    classes = [one for one in (get_args(given) or (given,)) if one is not str]
    assert classes, "a letter, or the word that the result of the row will be"
    assert all(issubclass(all_kinds_of_mail()[kind].letter, one) and issubclass(one, Letter) for one in classes)
    assert [*inspect.signature(build).parameters] == ["context"]


def test_each_kind_of_mail_has_the_expected_delivery_flags() -> None:
    found = {}
    for name, kind in all_kinds_of_mail().items():
        flags = {flag.name for flag in fields(kind) if getattr(kind, flag.name) is True}
        found[name] = (flags, kind.letter.list_name, kind.letter.lists)
    theirs = [one for module in samples.of_features() for one in module.TREATED.items()]
    assert found == TREATED | dict(theirs)
    assert len(found) == len(TREATED) + len(theirs)


def test_fields_of_letters_have_only_empty_defaults() -> None:
    known = [(module.__name__, one) for module in (letters, turn, digest) for one in vars(module).values()]
    told = [one for where, one in known if isinstance(one, type) and is_dataclass(one) and one.__module__ == where]
    for one in {*told, *(kind.letter for kind in all_kinds_of_mail().values())} - {Kind}:
        for field in fields(one):
            said = field.default
            assert said is MISSING or not said or (field.name, said) == ("nth", 1), f"{one.__name__}.{field.name}"


@cases("kind", KINDS)
def test_every_letter_class_has_a_template_named_like_its_module(kind: str) -> None:
    letter = all_kinds_of_mail()[kind].letter
    brought = BROUGHT.get(letter.kind)
    assert letter.__module__ == (brought.module if brought is not None else f"{ours.__name__}.{letter.kind}")
    folder = TEMPLATES / (f"features/{brought.feature}/mail" if brought is not None else "mail")
    assert (folder / f"{letter.kind}.jinja").is_file()
    of_its_own = "last_line" if letter.__name__ != "Confirm" and not issubclass(letter, MatchLetter) else "what"
    assert of_its_own in find_template("en", "txt", letter.kind).blocks


def test_every_mail_template_belongs_to_a_kind() -> None:
    found = [*TEMPLATES.glob("mail/[!_]*.jinja"), *TEMPLATES.glob("features/*/mail/[!_]*.jinja")]
    assert sorted(path.stem for path in found) == sorted({kind.letter.kind for kind in all_kinds_of_mail().values()})


def test_the_text_and_html_templates_of_a_mail_have_the_same_pieces() -> None:
    txt, html = (vars(mail_environment("en", form).get_template(f"pieces.{form}").module) for form in get_args(Form))
    only = {"quiet", "image"}
    """What stands in HTML alone."""
    assert {*html} - {*txt} == only
    assert {*txt} - {*html} == {"replies"}


def test_every_kind_of_mail_has_a_sample() -> None:
    assert {type(letter) for letter in samples.all_samples("en")} == {
        kind.letter for kind in all_kinds_of_mail().values()
    }


@cases("kind", KINDS)
def test_only_match_mails_can_be_muted_and_every_mail_with_a_board_can(kind: str) -> None:
    of = all_kinds_of_mail()[kind]
    assert of.can_be_muted or not issubclass(of.letter, PlayLetter)
    assert issubclass(of.letter, MatchLetter) or not (of.can_be_muted or of.to_newcomer)


@cases("kind", KINDS)
def test_every_text_of_a_letter_says_whether_a_player_typed_it(kind: str) -> None:
    for field, hint in text_fields(all_kinds_of_mail()[kind].letter):
        known = field in OURS | GAMES or field.endswith(("url", "href"))
        assert hint in (Name, Typed) or known, f"{field}: Name, Typed, or a text of ours?"


def text_fields(part: Any) -> Iterator[tuple[str, Any]]:
    """The text fields of a letter and of its parts; no player controls the sender's name."""
    hints = get_type_hints(part, include_extras=True)
    for field in fields(part):
        if field.name != "sender":
            yield from texts_inside_field(field.name, hints[field.name])


def texts_inside_field(field: str, hint: Any) -> Iterator[tuple[str, Any]]:
    """The texts in a field of this type, or in the fields of a nested part."""
    if hint in (str, Name, Typed):
        yield field, hint
    elif isinstance(hint, type) and is_dataclass(hint):
        yield from text_fields(hint)
    else:
        for one in get_args(hint):
            yield from texts_inside_field(field, one)
