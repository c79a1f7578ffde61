"""A match against bots, by the API."""

from __future__ import annotations

from tests.api.cast import READER, Api, Table, body_of_match, json_of

BOTS = [{"bot": "random"}, {"bot": "random"}]


def against_bots(rest: Api) -> Table:
    """A match of Alice against two bots, begun by her confirming it."""
    seats = [*body_of_match()["seats"][:1], *BOTS]
    match_id = json_of(rest.caller().post("/matches", body_of_match() | {"seats": seats}), 201)["id"]
    confirmed = json_of(rest.caller().post(f"/confirm/{rest.token('confirm', match_id, 0)}", READER))
    assert confirmed == {"id": match_id, "seat": 0, "status": "running", "warnings": []}
    return Table(rest, match_id)
