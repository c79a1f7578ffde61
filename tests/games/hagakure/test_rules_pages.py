"""The rules pages say what the code cites, in both languages."""

import re
from pathlib import Path

import msgspec
import pytest

from pbem.games import hagakure
from pbem.games.hagakure import GAME
from pbem.games.hagakure.cards import MOST_EXTRA, MOST_ROUNDS
from pbem.kit.contract import LANGS, Lang, Unreadable

FOLDER = Path(hagakure.__file__).parent
RULINGS = range(1, 21)


def page(lang: Lang) -> str:
    return (FOLDER / f"RULES.{lang}.md").read_text()


@pytest.mark.parametrize("lang", LANGS)
def test_every_refusal_cites_a_rule_that_is_there(lang: Lang) -> None:
    for refusal in GAME.meta.refusals.values():
        assert f"\n{refusal.rule}. " in page(lang)


@pytest.mark.parametrize("lang", LANGS)
def test_every_ruling_is_there_with_its_reason_and_is_cited(lang: Lang) -> None:
    assert [int(n) for n in re.findall(r"^\* \*\*R(\d+)\.", page(lang), re.MULTILINE)] == list(RULINGS)
    assert {int(n) for n in re.findall(r"\(R(\d+)\)", page(lang))} == set(RULINGS)


@pytest.mark.parametrize("lang", LANGS)
def test_every_option_has_its_rule_with_its_bounds_and_says_what_it_does(lang: Lang) -> None:
    (schema,) = msgspec.json.schema(GAME.meta.options)["$defs"].values()
    described = [option["description"] for option in schema["properties"].values()]
    rules = re.findall(r"^6\.\d\. .*$", page(lang), re.MULTILINE)
    assert len(rules) == len(described) == 2
    for rule, bounds in zip(rules, ((1, MOST_ROUNDS), (0, MOST_EXTRA)), strict=True):
        assert [int(n) for n in re.findall(r"\d+", rule.split(" ", 1)[1])][:2] == list(bounds)


def test_both_pages_have_the_same_numbers() -> None:
    numbers = [re.findall(r"^(?:## )?(\d+\.\d*)", page(lang), re.MULTILINE) for lang in LANGS]
    assert numbers[0] == numbers[1]


@pytest.mark.parametrize("lang", LANGS)
def test_every_notation_shown_is_understood(lang: Lang) -> None:
    table = page(lang).split("\n| ")[1:]
    examples = [example for row in table for example in re.findall(r"`([^`]+)`", row.split("\n\n")[0])]
    assert len(examples) > 12
    for example in examples:
        if example not in ("look", "regarde"):
            assert isinstance(GAME.parse(example), GAME.meta.moves)


@pytest.mark.parametrize("lang", LANGS)
def test_the_card_that_is_said_not_to_exist_is_not_read(lang: Lang) -> None:
    assert "`S7`" in page(lang)
    with pytest.raises(Unreadable):
        GAME.parse("S7")


def test_french_is_set_as_french_is() -> None:
    prose = re.sub(r"`[^`]*`", "", page("fr"))
    assert not re.search(r"(?<!\u00a0)[:;?!»](?!-)|'|\u202f", prose.replace("|---", ""))
