"""Nobody receives anything of another's plans: not the lines that they keep, nor those that they have made orders."""

from __future__ import annotations

import pytest

from pbem.features.planning import plans
from pbem.kit.contract import Viewer
from pbem.services.play import ordering
from tests.secrecy.received import (
    Received,
    api_paths,
    authorization_header,
    client_of,
    comparable_answer,
    compare_received,
    page_paths,
)
from tests.table import House, claim_of


@pytest.mark.long
@pytest.mark.parametrize("game", ["niigata", "hogen"])
def test_plans_of_one_seat_change_no_byte_that_the_others_receive(house: House, game: str) -> None:
    match_id = house.begin(3, game)
    while house.asks(match_id)[0].kind == "ally":
        house.play(match_id, house.asks(match_id)[0].seat)
    planner = (house.asks(match_id)[0].seat + 1) % 3
    house.drain()
    others = (None, *(seat for seat in range(3) if seat != planner))
    before = {viewer: what_is_shown(house, match_id, viewer) for viewer in others}
    plan_and_order(house, match_id, planner)
    for viewer in others:
        compare_received(before[viewer], what_is_shown(house, match_id, viewer))
    assert house.drain() == 0, "and no mail tells of it"


def what_is_shown(house: House, match_id: str, viewer: Viewer) -> Received:
    """What all pages and all of the API show the viewer, with the headers."""
    client = client_of(house)
    paths = [*page_paths(house, match_id, viewer), *api_paths(match_id), *own_paths(match_id, viewer)]
    return {
        path: comparable_answer(client, path, authorization_header(house, match_id, viewer) if "/api/" in path else {})
        for path in paths
    }


def own_paths(match_id: str, viewer: Viewer) -> list[str]:
    return [] if viewer is None else [f"/api/v1/matches/{match_id}/orders"]


def plan_and_order(house: House, match_id: str, seat: int) -> None:
    """Keeps the first line that has two answers of the seat, and saves it as orders."""
    claim, version = claim_of(house.site, match_id, seat), house.view(match_id, seat).sheet.version
    said: tuple[str, ...] = ()
    for _ in range(8):
        coming = plans.read_board(house.site, claim, version, said).line.coming
        if coming.kind == "unknown":
            break
        said += ("~0",) if coming.facts else (house.view(match_id, seat).game.format(coming.moves[0]),)
    plans.keep_line(house.site, claim, version, said)
    orders = plans.save_line_as_orders(house.site, claim, version, said, "web").orders
    assert orders
    assert ordering.read_orders(house.site, claim).orders == orders
