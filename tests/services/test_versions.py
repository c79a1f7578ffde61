"""Versions of forms: only what somebody has changed is stored, and nothing that they have not seen is overwritten."""

from __future__ import annotations

from functools import partial
from itertools import product

import pytest

from pbem.errors import Changed
from pbem.services.play import stand_ins
from pbem.services.versions import digest_of_values, merge_and_list_clashes, merge_or_raise_changed
from pbem.services.views import talk
from tests.services.play.stage.races import ROUNDS, at_once
from tests.table import House, claim_of


def test_merging_two_edits_keeps_changes_of_both_and_reports_clashes() -> None:
    for shown, now, mine in product(product("ab", repeat=2), product("abc", repeat=2), product("abc", repeat=2)):
        both = [s != n and s != m and n != m for s, n, m in zip(shown, now, mine, strict=True)]
        wanted = tuple(n if m == s else m for s, n, m in zip(shown, now, mine, strict=True))
        merged = merge_and_list_clashes(digest_of_values(*shown), now, mine)
        assert merged.values == wanted
        assert merged.clashes == tuple(at for at, clashes in enumerate(both) if clashes)
        if any(both):
            with pytest.raises(Changed):
                merge_or_raise_changed(digest_of_values(*shown), now, mine)
        assert merge_or_raise_changed(merged.version, now, mine) == wanted, "their sender has seen what clashes"


def test_confirming_one_clash_does_not_confirm_a_later_one() -> None:
    seen = merge_and_list_clashes(digest_of_values("a"), ("b",), ("c",)).version
    with pytest.raises(Changed):
        merge_or_raise_changed(seen, ("d",), ("c",))


def test_version_of_differs_for_values_of_different_types() -> None:
    values = [None, "", "None", 0, "0", False, True, 1, (1, 2), "(1, 2)", ("", None)]
    assert len({digest_of_values(value) for value in values}) == len(values)


@pytest.mark.on_postgresql
@pytest.mark.races
def test_of_two_notes_saved_at_once_from_two_pages_one_is_asked_to_merge(house: House) -> None:
    site, match = house.site, house.begin()
    claim = claim_of(site, match, 0)
    for lap in range(ROUNDS):
        seen = digest_of_values(talk.read_talk(site, match, 0).note)
        texts = [f"{lap} one", f"{lap} two"]
        results = at_once(*(partial(talk.write_note, site, claim, text, version=seen) for text in texts))
        assert sorted(type(one).__name__ for one in results) == ["Changed", "str"]
        assert talk.read_talk(site, match, 0).note == next(one for one in results if isinstance(one, str))


@pytest.mark.long
@pytest.mark.races
def test_of_two_stand_ins_chosen_at_once_one_page_is_asked_to_confirm(house: House) -> None:
    site, match = house.site, house.begin()
    claim = claim_of(site, match, 0)
    seen = digest_of_values(stand_ins.read_stand_in(site, claim))
    choices = [partial(stand_ins.choose_stand_in, site, claim, bot, version=seen) for bot in ("greedy", "random")]
    results = at_once(*choices)
    assert sum(isinstance(one, Changed) for one in results) == 1
