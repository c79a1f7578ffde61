"""Links by mail, the session that one of them opens, and wanting no mail."""

from __future__ import annotations

import re

import pytest
from flask.testing import FlaskClient
from sqlmodel import select

from pbem.models.tables import OutboxRow, Player, SeatRow, Suppression
from tests.api.cast import Hands
from tests.web.cast import Page, Web, path_of


def account(web: Web, name: str = "alice") -> str:
    with web.site.reading() as session:
        player = session.exec(select(Player).where(Player.canonical == f"{name}@example.org")).one()
        assert player.id is not None
        return f"/account/{web.site.tokens.for_account(player.id, player.epoch, web.site.now())}"


@pytest.fixture
def signed_in(web: Web, hogen: str) -> FlaskClient:
    """Alice's browser with a session."""
    client = web.client()
    assert path_of(client.post(account(web))) == "/me"
    return client


def secret_of(page: str) -> str:
    found = re.search(r'name="csrf_token" value="([^"]+)"', page)
    assert found is not None
    return found[1]


def links_due(web: Web) -> int:
    with web.site.reading() as session:
        return len(session.exec(select(OutboxRow).where(OutboxRow.kind == "links")).all())


def test_asking_for_links_is_answered_alike_for_known_and_unknown_addresses(web: Web, hogen: str) -> None:
    answers = []
    for name in ("alice", "charlie"):
        answer = web.client().post("/links", data={"address": f"{name}@example.org"})
        answers.append((answer.status_code, dict(answer.headers), answer.data))
    assert answers[0] == answers[1]
    assert links_due(web) == 1
    bad = web.client().post("/links", data={"address": "no address"})
    assert bad.status_code == 422
    assert 'value="no address"' in bad.text


def test_a_session_is_opened_by_the_button_and_not_by_the_link(web: Web, hogen: str) -> None:
    client = web.client()
    assert "Set-Cookie" not in client.get(account(web)).headers
    assert client.get("/me").status_code == 401
    cookie = client.post(account(web)).headers["Set-Cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Lax" in cookie
    page = Page(client.get("/me").text)
    assert web.link("play", hogen, 0) in page.hrefs("main")


def test_an_account_link_is_good_for_half_an_hour(web: Web, hogen: str, hands: Hands) -> None:
    path = account(web)
    hands.wait(minutes=31)
    assert web.client().get(path).status_code == 401
    assert web.client().post(path).status_code == 401


def test_preferences_are_kept_and_answered_in_the_new_language(web: Web, signed_in: FlaskClient) -> None:
    form = {"csrf_token": secret_of(signed_in.get("/me").text), "language": "fr", "zone": "Asia/Tokyo"}
    assert signed_in.post("/me", data=form).status_code == 303
    assert "Mes parties" in signed_in.get("/me").text
    bad = signed_in.post("/me", data={**form, "zone": "Mars/Base"})
    assert bad.status_code == 422
    assert "Mars/Base" in bad.text


def test_a_form_from_elsewhere_changes_nothing(web: Web, signed_in: FlaskClient) -> None:
    signed_in.get("/me")
    before = web.everything()
    for secret in ({}, {"csrf_token": "forged"}):
        answer = signed_in.post("/me", data={"language": "fr", "zone": "Asia/Tokyo", **secret})
        assert answer.status_code == 400
        Page(answer.text)
        assert signed_in.post("/me/leave", data=secret).status_code == 400
    assert web.everything() == before
    assert signed_in.get("/me").status_code == 200


def test_signing_out_ends_the_session(signed_in: FlaskClient) -> None:
    page = signed_in.get("/me")
    assert page.headers["Cache-Control"] == "no-store"
    assert signed_in.post("/me/leave", data={"csrf_token": secret_of(page.text)}).status_code == 303
    assert signed_in.get("/me").status_code == 401


def test_a_session_ends_when_the_players_epoch_is_raised(web: Web, signed_in: FlaskClient) -> None:
    with web.site.writing() as session:
        player = session.exec(select(Player).where(Player.canonical == "alice@example.org")).one()
        player.epoch += 1
        session.add(player)
    assert signed_in.get("/me").status_code == 401


def muted(web: Web, match_id: str) -> bool:
    with web.site.reading() as session:
        return session.get_one(SeatRow, (match_id, 1)).muted


def test_a_match_is_muted_by_its_button_and_the_other_way_round(web: Web, hogen: str) -> None:
    client, path = web.client(), web.link("mute", hogen, 1)
    assert "its clock goes on" in client.get(path).text
    assert path_of(client.post(path, data={"muted": "1"})) == path
    assert muted(web, hogen)
    client.post(path, data={"muted": "0"})
    assert not muted(web, hogen)


def test_one_click_of_a_mail_program_mutes_without_redirect_or_cookie(web: Web, hogen: str) -> None:
    answer = web.client().post(web.link("mute", hogen, 1), data={"List-Unsubscribe": "One-Click"})
    assert answer.status_code == 200
    assert "Set-Cookie" not in answer.headers
    assert muted(web, hogen)


def test_a_link_that_mutes_does_not_lead_to_the_seat(web: Web, hogen: str) -> None:
    assert web.link("play", hogen, 1) not in web.client().get(web.link("mute", hogen, 1)).text


def test_never_again_takes_a_button(web: Web, hogen: str) -> None:
    client, path = web.client(), f"/never/{web.site.tokens.for_never(2, 0)}"
    client.get(path)
    with web.site.reading() as session:
        assert session.exec(select(Suppression)).all() == []
    assert path_of(client.post(path)) == path
    assert "do not write to this address any more" in client.get(path).text
    with web.site.reading() as session:
        assert len(session.exec(select(Suppression)).all()) == 1
