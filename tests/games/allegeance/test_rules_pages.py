"""The rules pages say what the code cites, in both languages."""

import re
from pathlib import Path

import pytest

from pbem.games import allegeance
from pbem.games.allegeance import GAME
from pbem.kit.contract import LANGS, Lang

FOLDER = Path(allegeance.__file__).parent
RULINGS = range(1, 18)


def page(lang: Lang) -> str:
    return (FOLDER / f"RULES.{lang}.md").read_text()


@pytest.mark.parametrize("lang", LANGS)
def test_every_refusal_cites_a_rule_that_is_there(lang: Lang) -> None:
    for refusal in GAME.meta.refusals.values():
        assert f"\n{refusal.rule}. " in page(lang)


@pytest.mark.parametrize("lang", LANGS)
def test_every_ruling_is_there_with_its_reason_and_is_cited(lang: Lang) -> None:
    assert [int(n) for n in re.findall(r"^\* \*\*R(\d+)\.", page(lang), re.MULTILINE)] == list(RULINGS)
    cited = {int(n) for group in re.findall(r"\((R[\dR, ]+)\)", page(lang)) for n in re.findall(r"R(\d+)", group)}
    assert cited == set(RULINGS)


def test_what_the_code_cites_is_there() -> None:
    code = "".join(path.read_text() for path in FOLDER.glob("*.py"))
    for number in {int(n) for n in re.findall(r"\bR(\d+)\b", code)}:
        assert number in RULINGS
    for rule in re.findall(r"(?:\(|# )(\d\.\d)(?=[):])", code):
        assert f"\n{rule}. " in page("en")


def test_both_pages_have_the_same_numbers() -> None:
    numbers = [re.findall(r"^(?:## )?(\d+\.\d*)", page(lang), re.MULTILINE) for lang in LANGS]
    assert numbers[0] == numbers[1]


@pytest.mark.parametrize("lang", LANGS)
def test_every_notation_shown_is_understood(lang: Lang) -> None:
    section = page(lang).split("## 9.")[1].split("## 10.")[0]
    examples = re.findall(r"`([^`]+)`", section)
    assert len(examples) > 8
    for example in examples:
        assert isinstance(GAME.parse(example), GAME.meta.moves)


def test_french_is_set_as_french_is() -> None:
    prose = re.sub(r"`[^`]*`", "", page("fr"))
    assert not re.search(r"(?<!\u00a0)[:;?!»](?!-)|'|\u202f", prose.replace("|---", ""))


@pytest.mark.parametrize("lang", LANGS)
def test_the_silence_that_the_printed_rules_ask_for_is_a_rule_here(lang: Lang) -> None:
    assert re.search(r"^8\.6\. \*\*Silence\.\*\*", page(lang), re.MULTILINE)
    silence = GAME.meta.silence(GAME.meta.options())
    assert silence is not None
    assert silence[lang]


def test_nothing_is_to_be_kept_silent_that_everybody_can_read() -> None:
    assert GAME.meta.silence(GAME.meta.options(memory="open")) is None
