"""The rules pages say what the code cites, in both languages."""

import re

import msgspec
import pytest

from pbem.games.hagakure import GAME
from pbem.games.hagakure.facts_state import MOST_EXTRA, MOST_ROUNDS
from pbem.kit.contract import Unreadable
from pbem.kit.texts import LANGS, Lang
from tests.games.discovered import rules_page
from tests.harness.cases import cases


@cases("lang", LANGS)
def test_every_option_has_its_rule_with_its_bounds_and_says_what_it_does(lang: Lang) -> None:
    (schema,) = msgspec.json.schema(GAME.meta.options)["$defs"].values()
    described = [option["description"] for option in schema["properties"].values()]
    rules = re.findall(r"^6\.\d\. .*$", rules_page(GAME, lang), re.MULTILINE)
    assert len(rules) == len(described)
    for rule, bounds in zip(rules, ((1, MOST_ROUNDS), (0, MOST_EXTRA)), strict=False):
        assert [int(n) for n in re.findall(r"\d+", rule.split(" ", 1)[1])][:2] == list(bounds)


@cases("lang", LANGS)
def test_the_rules_example_of_a_nonexistent_card_is_unreadable(lang: Lang) -> None:
    assert "`S7`" in rules_page(GAME, lang)
    with pytest.raises(Unreadable):
        GAME.parse("S7")
