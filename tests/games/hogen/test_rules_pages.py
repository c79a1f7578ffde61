"""The rules pages say what the code cites, in both languages."""

import re

from pbem.games.hogen import GAME
from pbem.games.hogen.facts import Call
from pbem.kit.texts import LANGS, Lang
from tests.games.discovered import rules_page
from tests.games.hogen.tables import ALICE, Played
from tests.harness.cases import cases


def example_of(lang: Lang) -> tuple[set[str], set[str]]:
    """The calls that rule 4.6 says the holder of F2 may make, and those that they may not."""
    (said,) = re.findall(r"^4\.6\. .*$", rules_page(GAME, lang), re.MULTILINE)
    may, may_not = re.split(r"Vous ne pouvez|You may not", said)
    assert "F2" in may
    return set(re.findall(r"`([^`]+)`", may)), set(re.findall(r"`([^`]+)`", may_not))


@cases("lang", LANGS)
def test_the_worked_example_of_calls_is_what_the_rules_allow(lang: Lang) -> None:
    played = Played(4)
    assert played.state.allies[ALICE] == "F2"
    legal = [move for move in GAME.legal(played.state, ALICE) if isinstance(move, Call)]
    may, may_not = example_of(lang)
    assert {GAME.parse(f"call {call}") for call in may} == set(legal)
    assert len(may) == len(legal) == 12
    assert len(may_not) == 5
    assert all(GAME.parse(f"call {call}") not in legal for call in may_not)


def test_the_rules_call_the_seat_in_turn_active_player_and_never_lead() -> None:
    """A hand is cards, and nothing else."""
    assert re.findall(r"\b[Ll]a main\b.{0,7}", rules_page(GAME, "fr")) == ["la main\u00a0: troi"]
    assert not re.search(r"\blead\b", rules_page(GAME, "en"))
    assert rules_page(GAME, "fr").count("joueur actif") > 5
    assert rules_page(GAME, "en").count("active player") > 5
