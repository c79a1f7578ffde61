"""The rules pages say what the code cites, in both languages."""

import re
from pathlib import Path

import pytest

from pbem.games import hogen
from pbem.games.hogen import GAME
from pbem.rules.contract import LANGS, Lang

FOLDER = Path(hogen.__file__).parent


def page(lang: Lang) -> str:
    return (FOLDER / f"RULES.{lang}.md").read_text()


@pytest.mark.parametrize("lang", LANGS)
def test_every_refusal_cites_a_rule_that_is_there(lang: Lang) -> None:
    for refusal in GAME.meta.refusals.values():
        assert f"\n{refusal.rule}. " in page(lang)


@pytest.mark.parametrize("lang", LANGS)
def test_every_ruling_is_there_with_its_reason_and_is_cited(lang: Lang) -> None:
    assert [int(n) for n in re.findall(r"^\* \*\*R(\d+)\.", page(lang), re.MULTILINE)] == list(range(1, 14))
    assert {int(n) for n in re.findall(r"\(R(\d+)\)", page(lang))} == set(range(1, 14))


def test_both_pages_have_the_same_numbers() -> None:
    numbers = [re.findall(r"^(?:## )?(\d+\.\d*)", page(lang), re.MULTILINE) for lang in LANGS]
    assert numbers[0] == numbers[1]


@pytest.mark.parametrize("lang", LANGS)
def test_every_notation_shown_is_understood(lang: Lang) -> None:
    section = page(lang).split("## 9.")[1].split("## 10.")[0]
    for example in re.findall(r"`([^`]+)`", section):
        if example not in ("call", "give", "take"):
            assert isinstance(GAME.parse(example), GAME.meta.moves)


def test_french_is_set_as_french_is() -> None:
    prose = re.sub(r"`[^`]*`", "", page("fr"))
    assert not re.search(r"(?<!\u00a0)[:;?!»](?!-)|'|\u202f", prose.replace("|---", ""))
