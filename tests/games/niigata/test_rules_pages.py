"""The rules pages say what the code cites, in both languages."""

import re
from pathlib import Path

import pytest

from pbem.games import niigata
from pbem.games.niigata import GAME
from pbem.games.niigata.tiles import NAMES, REMOVED
from pbem.kit.contract import LANGS, Lang

FOLDER = Path(niigata.__file__).parent
RULINGS = 22


def page(lang: Lang) -> str:
    return (FOLDER / f"RULES.{lang}.md").read_text()


@pytest.mark.parametrize("lang", LANGS)
def test_every_refusal_cites_a_rule_that_is_there(lang: Lang) -> None:
    for refusal in GAME.meta.refusals.values():
        assert f"\n{refusal.rule}. " in page(lang)


@pytest.mark.parametrize("lang", LANGS)
def test_every_rule_that_the_code_cites_is_there(lang: Lang) -> None:
    cited = []
    for path in FOLDER.glob("*.py"):
        for number in re.findall(r"\s\((?:rules )?([1-9]\.\d)(?:\)|, R\d| and [1-9])", path.read_text()):
            assert f"\n{number}. " in page(lang), (path, number)
            cited.append(number)
    assert len(cited) > 5


@pytest.mark.parametrize("lang", LANGS)
def test_every_ruling_is_there_with_its_reason_and_is_cited(lang: Lang) -> None:
    rulings = list(range(1, RULINGS + 1))
    assert [int(n) for n in re.findall(r"^\* \*\*R(\d+)\.", page(lang), re.MULTILINE)] == rulings
    assert {int(n) for n in re.findall(r"\bR(\d+)\)", page(lang))} == set(rulings)


def test_both_pages_have_the_same_numbers() -> None:
    numbers = [re.findall(r"^(?:## )?(\d+\.\d*)", page(lang), re.MULTILINE) for lang in LANGS]
    assert numbers[0] == numbers[1]


@pytest.mark.parametrize("lang", LANGS)
def test_every_notation_shown_is_understood(lang: Lang) -> None:
    section = page(lang).split("## 8.")[1].split("## 9.")[0]
    examples = [e for e in re.findall(r"`([^`]+)`", section) if len(e) > 4 or e in ("pass", "N20")]
    whole = [
        e for e in examples if e.split()[0] not in ("turned", "half", "tournée", "demi-tour", "-3,1") and e[0] != "3"
    ]
    assert len(whole) > 6
    for example in whole:
        assert isinstance(GAME.parse(example), GAME.meta.moves), example
    for turn in {*examples} - {*whole}:
        assert isinstance(
            GAME.parse(f"place N20 {turn}" if turn[0] in "3-" else f"place N20 1N {turn}"), GAME.meta.moves
        )


def test_french_is_set_as_french_is() -> None:
    prose = re.sub(r"`[^`]*`", "", page("fr"))
    assert not re.search(r"(?<!\u00a0)[:;?!»](?!-)|'|\u202f", prose.replace("|---", ""))


@pytest.mark.parametrize("lang", LANGS)
def test_the_number_of_tiles_is_said_to_be_the_plausible_one_of_those_that_fit(lang: Lang) -> None:
    fits = [
        n for n in range(max(REMOVED.values()), 220) if all((n - out) % seats == 0 for seats, out in REMOVED.items())
    ]
    assert fits == [19, len(NAMES), 139, 199]
    (ruling,) = re.findall(r"^\* \*\*R1\..*$", page(lang), re.MULTILINE)
    assert "plausible" in ruling
    assert all(re.search(rf"\b{n}\b", ruling) for n in fits)
    rounds = {n: (n - REMOVED[2]) / 4 for n in (19, 139)}
    assert rounds == {19: 2, 139: 32}
    assert {"fr": "deux tours, et 139 en font trente-deux", "en": "two rounds, and 139 make thirty-two"}[lang] in ruling
