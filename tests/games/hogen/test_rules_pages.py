"""The rules pages say what the code cites, in both languages."""

import re
from pathlib import Path

import pytest

from pbem.games import hogen
from pbem.games.hogen import GAME
from pbem.games.hogen.cards import Call
from pbem.kit.contract import LANGS, Lang
from tests.games.hogen.tables import ALICE, Played

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


def example_of(lang: Lang) -> tuple[set[str], set[str]]:
    """The calls that rule 4.6 says the holder of F2 may make, and those that they may not."""
    (said,) = re.findall(r"^4\.6\. .*$", page(lang), re.MULTILINE)
    may, may_not = re.split(r"Vous ne pouvez|You may not", said)
    assert "F2" in may
    return set(re.findall(r"`([^`]+)`", may)), set(re.findall(r"`([^`]+)`", may_not))


@pytest.mark.parametrize("lang", LANGS)
def test_the_worked_example_of_calls_is_what_the_rules_allow(lang: Lang) -> None:
    played = Played(4)
    assert played.state.allies[ALICE] == "F2"
    legal = [move for move in GAME.legal(played.state, ALICE) if isinstance(move, Call)]
    may, may_not = example_of(lang)
    assert {GAME.parse(f"call {call}") for call in may} == set(legal)
    assert len(may) == len(legal) == 12
    assert len(may_not) == 5
    assert all(GAME.parse(f"call {call}") not in legal for call in may_not)


def test_whose_turn_it_is_has_a_word_of_its_own() -> None:
    """A hand is cards, and nothing else."""
    assert re.findall(r"\b[Ll]a main\b.{0,7}", page("fr")) == ["la main\u00a0: troi"]
    assert not re.search(r"\blead\b", page("en"))
    assert page("fr").count("joueur actif") > 5
    assert page("en").count("active player") > 5


@pytest.mark.parametrize("lang", LANGS)
def test_the_silence_that_the_printed_rules_ask_for_is_a_rule_here(lang: Lang) -> None:
    assert re.search(r"^8\.5\. \*\*Silence\.\*\*", page(lang), re.MULTILINE)
    silence = GAME.meta.silence(GAME.meta.options())
    assert silence is not None
    assert silence[lang]
