"""A link that ends while its request waits for the match does nothing more for the seat."""

from __future__ import annotations

from typing import Any

import pytest

from pbem.models.tables import SeatRow
from pbem.services import personal, presence, talk, voting
from tests.api.cast import Table, problem
from tests.api.test_if_match import meanwhile

WAYS: dict[str, tuple[Any, str, str, str, dict[str, Any]]] = {
    "back": (presence, "come_back", "POST", "back", {}),
    "resign": (presence, "resign", "POST", "resign", {}),
    "vote": (voting, "vote", "POST", "votes", {"seat": 0}),
    "say": (talk, "say", "POST", "messages", {"text": "in your name"}),
    "note": (talk, "write_note", "PUT", "note", {"text": "in your place"}),
}


def kept(table: Table) -> Any:
    """All that an ended link may not change: the match, and what its new owner finds."""
    bob = table.api.caller(table.api.token("play", table.id, 1, epoch=1))
    told = [bob.get(f"{table.path}{path}").json for path in ("", "/messages", "/note")]
    assert None not in told
    return table.api.trace(table.id), told


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("program", [False, True])
def test_a_link_that_ends_while_its_request_waits_does_nothing(
    hogen: Table, monkeypatch: pytest.MonkeyPatch, way: str, program: bool
) -> None:
    service, name, method, path, sent = WAYS[way]
    bob, before = hogen.bob, list[Any]()
    if program:
        with hogen.api.site.reading() as session:
            owner = session.get_one(SeatRow, (hogen.id, 1)).player_id
        assert owner is not None
        bob = hogen.api.caller(personal.make(hogen.api.site, owner, "My bot", ["play"], None)[1])

    def end() -> None:
        with hogen.api.site.writing() as session:
            session.get_one(SeatRow, (hogen.id, 1)).epoch = 1
        before.append(kept(hogen))

    meanwhile(monkeypatch, service, name, end)
    url = f"/api/v1{hogen.path}/{path}"
    answer = bob.client.open(url, method=method, json=sent, headers=bob.headers())
    problem(answer, *((503, "busy") if program else (401, "unauthorized")))
    assert before == [kept(hogen)]
