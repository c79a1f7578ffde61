"""Every fault that a decoder finds has a message, whatever it is and wherever it occurs."""

import json
from typing import Annotated, Any

import msgspec
import pytest

from pbem.kit.logs.log_errors import log_error_in_words
from pbem.kit.texts import LANGS
from tests.harness.cases import cases
from tests.kit.plain import DEVELOPERS


class Sample(msgspec.Struct, forbid_unknown_fields=True, tag=True):
    whole: Annotated[int, msgspec.Meta(ge=1, le=5)]
    many: Annotated[tuple[int, ...], msgspec.Meta(min_length=1, max_length=3)] = (1,)
    two: tuple[int, int] = (1, 2)
    word: Annotated[str, msgspec.Meta(pattern="^[a-z]*$", max_length=5)] = ""
    yes: bool | None = None
    named: dict[str, float] = {}
    inner: "list[Sample]" = []


@cases(
    "more, en, fr",
    [
        ({"other": 1}, "it has “other”, which has no place there", "« other » n’y a pas sa place"),
        ({"whole": 9}, "in whole: at most 5 is allowed", "dans whole : 5 est le plus grand nombre permis"),
        ({"whole": 0}, "in whole: at least 1 is allowed", "dans whole : 1 est le plus petit nombre permis"),
        (
            {"whole": "1"},
            "in whole: a whole number is expected, not a word in quotes",
            "dans whole : il y faut un nombre entier, pas un mot entre guillemets",
        ),
        ({"many": []}, "in many: at least 1 item is expected", "dans many : il y faut au moins 1 élément"),
        ({"many": [1] * 4}, "in many: at most 3 items are expected", "dans many : il y faut au plus 3 éléments"),
        ({"two": [1]}, "in two: exactly 2 items are expected", "dans two : il y faut exactement 2 éléments"),
        ({"word": "abcdef"}, "in word: at most 5 letters are expected", "dans word : il y faut au plus 5 lettres"),
        ({"word": "A"}, "in word: it is not written as it must be", "dans word : ce n’est pas écrit comme il faut"),
        (
            {"yes": 1},
            "in yes: true or false or null is expected, not a whole number",
            "dans yes : il y faut true ou false ou null, pas un nombre entier",
        ),
        (
            {"named": []},
            "in named: a set of names and values in { } is expected, not a list in [ ]",
            "dans named : il y faut des noms et des valeurs entre { }, pas une liste entre [ ]",
        ),
        ({"type": "Other"}, "in type: 'Other' is nothing that can stand there", None),
        ({"inner": [{"type": "Sample"}]}, "in inner[0]: “whole” is missing", "dans inner[0] : il manque « whole »"),
        ({"inner": [{"type": "Sample", "whole": 9}]}, "in inner[...].whole: at most 5 is allowed", None),
    ],
)
def test_every_decoding_error_becomes_a_sentence_in_both_languages(
    more: dict[str, Any], en: str, fr: str | None
) -> None:
    data = json.dumps({"type": "Sample", "whole": 1, **more})
    with pytest.raises(msgspec.ValidationError) as caught:
        msgspec.json.decode(data, type=Sample)
    said = log_error_in_words(caught.value)
    assert said.en.replace("[0]", "[...]") == en.replace("[0]", "[...]")
    if fr is not None:
        assert said.fr.replace("\u00a0", " ").replace("[0]", "[...]") == fr.replace("[0]", "[...]")
    assert not any(DEVELOPERS.search(said[lang]) for lang in LANGS)


@cases("data", [b"", b"{", b"{a: 1}", b"nul", b'{"a": 1} x', b"[1,]", b"\xff", b'"\\ud800"', b"\x00"])
def test_invalid_json_becomes_a_sentence_without_technical_terms(data: bytes) -> None:
    with pytest.raises((msgspec.MsgspecError, UnicodeError)) as caught:
        msgspec.json.decode(data)
    said = log_error_in_words(caught.value)
    assert said.en.startswith(("it is not JSON", "it breaks off"))
    assert not any(DEVELOPERS.search(said[lang]) for lang in LANGS)


def test_an_unknown_decoder_message_is_not_passed_on() -> None:
    said = log_error_in_words(msgspec.ValidationError("Expected `frobnicator` of a new kind - at `$.x`"))
    assert said.en == "in x: it does not have the form that is expected"


def test_an_error_in_json_is_located_in_characters_not_bytes() -> None:
    data = '{"à": "é€", x}'.encode()
    with pytest.raises(msgspec.DecodeError) as caught:
        msgspec.json.decode(data)
    assert log_error_in_words(caught.value, data).en == "it is not JSON, from character 13 on"
    assert log_error_in_words(caught.value, data).fr == "ce n’est pas du JSON, à partir du caractère 13"
    assert log_error_in_words(caught.value).en == "it is not JSON"
