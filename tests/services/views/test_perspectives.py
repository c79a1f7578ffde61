"""From whose eyes a match can be replayed."""

from dataclasses import replace

from pbem.services.views import match_views, replays
from tests.table import House


def test_replays_offer_each_viewer_the_allowed_perspectives(house: House) -> None:
    shown = match_views.read_sheet(house.site, house.begin(), None)
    hidden = replace(shown, spectators=False)
    over, sealed = replace(shown, status="over"), replace(shown, status="over", sealed=True)
    told = {
        (name, seat): replays.perspectives_of_reader(sheet, seat)
        for name, sheet in (
            ("running", shown), ("hidden", hidden), ("over", over), ("sealed", sealed),
            ("over, hidden", replace(over, spectators=False)), ("called off", replace(shown, status="cancelled")),
        )
        for seat in (None, 1)
    }  # fmt: skip
    everybody = ("all", 0, 1, 2, None)
    assert told == {
        ("running", None): (None,), ("running", 1): (1, None),
        ("hidden", None): (), ("hidden", 1): (1,),
        ("over", None): everybody, ("over", 1): everybody,
        ("sealed", None): (None,), ("sealed", 1): (1, None),
        ("over, hidden", None): (), ("over, hidden", 1): everybody,
        ("called off", None): (None,), ("called off", 1): (1, None),
    }  # fmt: skip
