"""The rules pages say what the code cites, in both languages."""

from pbem.games.hexen_rennen import GAME
from pbem.kit.texts import LANGS
from tests.games.discovered import rules_page


def test_the_rules_name_the_option_of_the_game() -> None:
    for lang in LANGS:
        assert all(f"`{name}`" in rules_page(GAME, lang) for name in GAME.meta.options.__struct_fields__)
