"""Bounced mail, as programs see it."""

from __future__ import annotations

import pytest

from pbem.models.tables import SeatRow
from pbem.services.players import bounces
from tests.api.cast import Api, Table, body_of_match, json_of


def test_the_sheet_says_whose_mail_bounces_without_address_or_server_reply(hogen: Table) -> None:
    told = json_of(hogen.alice.get(hogen.path))
    assert [seat["bounces"] for seat in told["seats"]] == [False, False, False]
    with hogen.api.site.writing() as session:
        bob = session.get_one(SeatRow, (hogen.id, 1)).player_id
        bounces.mark_bouncing(session, bob, "550 5.1.1", hogen.api.site.now())
    for caller in (hogen.alice, hogen.bob, hogen.charlie):
        answer = caller.get(hogen.path)
        assert [seat["bounces"] for seat in json_of(answer)["seats"]] == [False, True, False]
        assert "550" not in answer.text
        assert "example.org" not in answer.text


@pytest.mark.long
def test_typing_addresses_does_not_reveal_which_ones_bounce_or_are_known(rest: Api, hogen: Table) -> None:
    with rest.site.writing() as session:
        bob = session.get_one(SeatRow, (hogen.id, 1)).player_id
        bounces.mark_bouncing(session, bob, "550 5.1.1", rest.site.now())
    made = json_of(rest.caller().post("/matches", body_of_match(("Charlie", "Bob", "Nobody"))), 201)
    told = json_of(rest.caller().get(f"/matches/{made['id']}"))
    assert [seat["bounces"] for seat in told["seats"]] == [False, False, False]
