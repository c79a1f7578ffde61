"""What a duplicate season's page says of its deals: sealed or open, and once open, how they went on each seat."""

from __future__ import annotations

from pbem.services.results import tallying
from tests.features.leagues.cups import finish_match
from tests.features.leagues.stage import begin_season, matches_of_season
from tests.features.leagues.web.links import house as house
from tests.features.leagues.web.links import link_of, season_of_alice
from tests.features.leagues.web.shown import section_of_page
from tests.table import House
from tests.web.cast import Page, Web


def test_a_deal_stays_sealed_until_its_last_table_ends_then_compares_seats(web: Web, house: House) -> None:
    made = season_of_alice(house, of_circle=False, duplicate=True, matches=2)
    begin_season(house, made.season_id)
    path = f"/season/{made.season_id}"
    views = [(web.client(), path), (web.client("fr"), path), (web.client(), link_of(house, made.season_id, "Bob"))]

    def what_is_said() -> list[str]:
        answers = [client.get(link) for client, link in views]
        assert [Page(answer.text).tags != [] for answer in answers] == [True] * 3
        return [section_of_page(answer.text, "deals") for answer in answers]

    sealed = what_is_said()
    assert [text.count("sealed until") + text.count("scellée jusqu’à") for text in sealed] == [2, 2, 2]
    first, last = (one.match_id for one in matches_of_season(house, made.season_id) if one.round == 1)
    finish_match(house, first)
    tallying.tally_matches(house.site)
    assert what_is_said() == sealed, "nobody can tell that one table is over, also not whoever played at it"
    finish_match(house, last)
    tallying.tally_matches(house.site)
    english, french, bob = what_is_said()
    assert "Round 1: open." in english
    assert "Round 2: sealed until" in english
    assert "Ronde 1 : ouverte." in french
    assert "Ronde 2 : scellée" in french
    compared = english.split("Compare the tables of round 1")[1].split("Round 2")[0]
    assert all(compared.count(name) == 2 for name in ("Alice", "Bob", "Carol", "Dave")), "on a seat, and by its replay"
    assert compared.count("has resigned") == 2, "which counts as less than any score: one at each table"
    assert compared.count("Replay: ") == 2
    assert "Bob (you)" in bob
    assert "(you)" not in english
