"""The rules pages say what the code cites, in both languages."""

import re
from pathlib import Path

import pytest

from pbem.games import hexen_rennen
from pbem.games.hexen_rennen import GAME
from pbem.kit.contract import LANGS, Lang

FOLDER = Path(hexen_rennen.__file__).parent


def page(lang: Lang) -> str:
    return (FOLDER / f"RULES.{lang}.md").read_text()


@pytest.mark.parametrize("lang", LANGS)
def test_every_refusal_cites_a_rule_that_is_there(lang: Lang) -> None:
    for refusal in GAME.meta.refusals.values():
        assert f"\n{refusal.rule}. " in page(lang)


@pytest.mark.parametrize("lang", LANGS)
def test_every_ruling_is_there_and_is_cited(lang: Lang) -> None:
    assert [int(n) for n in re.findall(r"^\* \*\*R(\d+)\.", page(lang), re.MULTILINE)] == list(range(1, 18))
    rules = page(lang).split("## 10.")[0]
    assert {int(n) for n in re.findall(r"\bR(\d+)\b", rules)} == set(range(1, 18))


def test_what_the_code_cites_is_there() -> None:
    for file in (FOLDER / name for name in ("meta.py", "rules.py", "rules_course.py", "rules_turn.py")):
        cited = re.findall(r"# .*?\b(R\d+|\d\.\d)\b|\((R\d+|\d\.\d)[,)]", file.read_text())
        for number in (a or b for a, b in cited):
            assert f"{number}. " in page("en"), (file.name, number)


def test_both_pages_have_the_same_numbers() -> None:
    numbers = [re.findall(r"^(?:## )?(\d+\.\d*)", page(lang), re.MULTILINE) for lang in LANGS]
    assert numbers[0] == numbers[1]


@pytest.mark.parametrize("lang", LANGS)
def test_every_notation_shown_is_understood(lang: Lang) -> None:
    section = page(lang).split("## 9.")[1].split("## 10.")[0]
    examples = re.findall(r"`([^`]+)`", section)
    assert len(examples) == 10
    for example in examples:
        assert isinstance(GAME.parse(example), GAME.meta.moves)


def test_the_option_is_named() -> None:
    for lang in LANGS:
        assert all(f"`{name}`" in page(lang) for name in GAME.meta.options.__struct_fields__)


def test_french_is_set_as_french_is() -> None:
    prose = re.sub(r"`[^`]*`", "", page("fr"))
    assert not re.search(r"(?<!\u00a0)[:;?!»](?!-)|'|\u202f", prose.replace("|---", ""))
