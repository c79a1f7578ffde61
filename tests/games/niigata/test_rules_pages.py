"""The rules pages say what the code cites, in both languages."""

import re

from pbem.games.niigata import GAME
from pbem.games.niigata.facts_tiles import NAMES, REMOVED
from pbem.kit.texts import LANGS, Lang
from tests.games.discovered import rules_page
from tests.harness.cases import cases


@cases("lang", LANGS)
def test_the_rules_say_why_the_number_of_tiles_is_the_plausible_one(lang: Lang) -> None:
    fits = [
        n for n in range(max(REMOVED.values()), 220) if all((n - out) % seats == 0 for seats, out in REMOVED.items())
    ]
    assert fits == [19, len(NAMES), 139, 199]
    (ruling,) = re.findall(r"^\* \*\*R1\..*$", rules_page(GAME, lang), re.MULTILINE)
    assert "plausible" in ruling
    assert all(re.search(rf"\b{n}\b", ruling) for n in fits)
    rounds = {n: (n - REMOVED[2]) / 4 for n in (19, 139)}
    assert rounds == {19: 2, 139: 32}
    assert {"fr": "deux tours, et 139 en font trente-deux", "en": "two rounds, and 139 make thirty-two"}[lang] in ruling
