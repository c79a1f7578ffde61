"""A play link that is revoked while its form waits for the match does nothing, and shows nothing of the seat."""

from __future__ import annotations

from typing import Any

import pytest

from pbem.models.tables import SeatRow
from pbem.services.play import presence, voting
from pbem.services.views import talk
from tests.api.protocol.if_match import run_before_service_call
from tests.table import claim_of
from tests.web.cast import Web

WAYS: dict[str, tuple[Any, str, str, dict[str, str]]] = {
    "back": (presence, "end_own_absence", "back", {}),
    "resign": (presence, "resign", "resign", {}),
    "vote": (voting, "vote_to_let_clock_move", "vote", {"late": "0"}),
    "say": (talk, "post_message", "say", {"say": "in your name"}),
    "note": (talk, "write_note", "note", {"note": "in your place"}),
}


@pytest.mark.parametrize("way", WAYS)
def test_a_form_sent_by_a_link_that_ends_meanwhile_changes_nothing(
    web: Web, hogen: str, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    service, name, path, sent = WAYS[way]
    talk.write_note(web.site, claim_of(web.site, hogen, 1), "hers alone")
    before = list[Any]()

    def end() -> None:
        with web.site.writing() as session:
            session.get_one(SeatRow, (hogen, 1)).epoch = 1
        before.append(web.everything())

    run_before_service_call(monkeypatch, service, name, end)
    answer = web.client().post(f"{web.link('play', hogen, 1)}/{path}", data=sent)
    assert answer.status_code == 401
    assert "hers alone" not in answer.text
    assert before == [web.everything()]
