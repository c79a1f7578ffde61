"""Playing at once: a stranger presses a button and has a board, in this browser and in no other."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from flask.testing import FlaskClient
from sqlalchemy import select
from werkzeug.test import TestResponse

from pbem.environment import Smtp
from pbem.games import all_games
from pbem.kit.texts import LANGS, Lang
from pbem.models.changes import AddressChange
from pbem.models.tables import OutboxRow, Player, table
from pbem.services.play import bots
from pbem.services.players import guests
from tests.table import MovedClock
from tests.web.cast import Page, Web, choose, path_of, press
from tests.web.lobby.test_start import inputs

NEW = "nina@example.net"


def play_now(client: FlaskClient, game: str = "") -> str:
    """Presses the button on the start page, or the game's among all games; returns the path of the board."""
    page = Page(client.get("/games" if game else "/").text)
    form = next(form for form in page.forms if form.action == "/now" and form.fields.get("game", "") == game)
    answer = client.post("/now", data=form.fields)
    assert answer.status_code == 303, answer.text
    return path_of(answer).partition("?")[0]


def players(web: Web) -> list[Any]:
    with web.site.reading() as session:
        return list(session.execute(select(table(Player)).order_by(table(Player).c.id)).all())


def change_link(web: Web) -> str:
    with web.site.reading() as session:
        number = session.execute(select(table(AddressChange).c.id)).scalars().all()[-1]
    return f"/address/{web.site.tokens.for_change(number, 'new')}"


def send(client: FlaskClient, path: str, action: str, **typed: str) -> TestResponse:
    form = next(form for form in Page(client.get(path).text).forms if form.action == action)
    return client.post(action, data={**form.fields, **typed})


def begin(web: Web, client: FlaskClient) -> str:
    path = play_now(client)
    bots.play_bots(web.site)
    return path


def test_a_stranger_plays_a_move_without_any_address(web: Web) -> None:
    client = web.client()
    path = begin(web, client)
    page = Page(client.get(f"{path}?done=now").text)
    assert "Nobody waits for you" in page.said
    assert "there is no deadline" in page.said
    chosen = choose(client, path, lambda links: links[0])
    assert "done=1" in path_of(press(client, chosen))
    with web.site.reading() as session:
        assert session.execute(select(table(OutboxRow))).all() == []
    (guest,) = players(web)
    assert guest.address is None


@pytest.mark.parametrize("lang", LANGS)
def test_the_start_page_shows_a_board_of_every_game_and_the_easiest_first(web: Web, lang: Lang) -> None:
    page = Page(web.client(lang).get("/").text)
    games = sorted(all_games().values(), key=lambda game: (game.meta.ease, game.meta.minutes))
    forms = [form.fields.get("game") for form in page.forms if form.action == "/now"]
    assert forms == [None, *[game.meta.slug for game in games]]
    at = [page.text.index(f"<h3>{game.meta.title[lang]}</h3>") for game in games]
    assert at == sorted(at)
    labels = [known.get("aria-label", "") for tag, known in page.tags if tag == "svg" and known.get("role") == "img"]
    assert len(labels) >= len(games), "a drawn board each, by the product itself"
    ids = [known["id"] for _, known in page.tags if "id" in known]
    assert len(ids) == len(set(ids)), "boards side by side share no id"


def test_the_cookie_is_the_only_key_to_the_seat(web: Web) -> None:
    client = web.client()
    path = begin(web, client)
    chosen = choose(client, path, lambda links: links[0]).form("confirm")
    assert chosen is not None
    other = web.client()
    assert other.get(path).status_code == 401
    assert other.post(path, data=chosen.fields).status_code == 401
    assert other.get(path.replace("/play/", "/replay/play/")).status_code in (401, 404)
    token = path.rpartition("/")[2]
    match_id = token.split(".")[0]
    asked = {"Authorization": f"Bearer {token}"}
    assert other.get(f"/api/v1/matches/{match_id}/ask", headers=asked).status_code == 401
    begin(web, other)
    assert other.get(path).status_code == 401, "another guest is not this one"
    assert client.get(path).status_code == 200


def test_a_guest_who_comes_back_finds_their_matches_and_starts_more_as_the_same_guest(web: Web) -> None:
    client = web.client()
    begin(web, client)
    second = play_now(client, "hogen")
    assert len(players(web)) == 1
    page = Page(client.get("/").text)
    assert second in page.hrefs("mcard") + [href for href in page.hrefs() if href.startswith("/play/")]
    assert "/me/address" in page.hrefs()
    assert "2 matches" in page.said or "One match" in page.said


def test_a_guests_other_pages_say_that_they_take_an_address(web: Web) -> None:
    client = web.client()
    begin(web, client)
    preferences = client.get("/me")
    assert preferences.status_code == 200
    assert "/me/tokens" not in Page(preferences.text).hrefs()
    for path in ("/me/tokens", "/me/webhooks"):
        refused = client.get(path)
        assert refused.status_code == 403
        assert "takes an email address" in Page(refused.text).said
    assert inputs(Page(client.get("/new?game=hogen").text))["address"] == "", (
        "to invite others they say who they are, as anybody does"
    )


def test_the_form_with_a_session_is_checked_as_every_form_of_a_session(web: Web) -> None:
    client = web.client()
    begin(web, client)
    assert client.post("/now", data={}).status_code == 400
    assert web.client().post("/now", data={"game": "chess"}).status_code == 404


def test_how_many_start_from_one_network_is_capped_with_all_other_matches(make_web: Callable[..., Web]) -> None:
    relay = Smtp(host="127.0.0.1", port=25, user=None, password=None, tls="none", timeout=5)
    web = make_web(smtp=relay, matches_per_ip_hour=2)
    answers = [web.client().post("/now", data={"game": "hogen"}) for _ in range(3)]
    assert [answer.status_code for answer in answers] == [303, 303, 429]
    assert int(answers[-1].headers["Retry-After"]) > 0
    assert len(players(web)) == 2
    assert "privacy.ask_address" in web.app.extensions["pbem.capped"], "else each guest anew mails any address"


def test_the_cookie_lives_for_two_weeks_and_a_visit_on_another_day_renews_it(web: Web, clock: MovedClock) -> None:
    client = web.client()
    path = begin(web, client)
    cookie = client.get_cookie("session")
    assert cookie is not None
    assert cookie.expires is not None
    left = cookie.expires - datetime.now(cookie.expires.tzinfo)
    assert timedelta(days=13) < left <= guests.VISITS
    assert "Set-Cookie" not in client.get(path).headers, "once a day is enough"
    (before,) = players(web)
    clock.forward(days=1)
    assert "session=" in client.get(path).headers.get("Set-Cookie", "")
    (after,) = players(web)
    assert after.visited_at - before.visited_at == timedelta(days=1)


# --- an address ----------------------------------------------------------------------------------------------


def test_a_guest_adds_an_address_by_a_mail_and_is_signed_in_by_its_button(web: Web) -> None:
    client = web.client()
    path = begin(web, client)
    assert send(client, "/me/address", "/me/address", address=NEW).status_code == 303
    assert f"on its way to {NEW}" in Page(client.get("/me/address").text).said
    link, before = change_link(web), web.everything()
    elsewhere = web.client()
    assert "would like to keep their matches" in Page(elsewhere.get(link).text).said
    assert web.everything() == before, "a link alone, which a mail scanner may follow, does nothing"
    refused = elsewhere.post(link, data={"answer": "yes"}, headers={"Origin": "null"})
    assert refused.status_code == 403, "it opens a session, so the browser must say whose page this was"
    assert path_of(send(elsewhere, link, link, answer="yes")) == "/"
    assert NEW in Page(elsewhere.get("/me").text).said
    mine = [href for href in Page(elsewhere.get("/").text).hrefs() if href.startswith("/play/")]
    assert len(mine) == 1
    assert elsewhere.get(mine[0]).status_code == 200
    assert client.get(path).status_code == 401
    assert client.get("/me").status_code == 401
    assert "kept under this address" in Page(elsewhere.get(link).text).said
    again = web.client()
    again.post(link, data={"answer": "yes"})
    assert again.get("/me").status_code == 401, "the link signs in once"


def test_a_guest_who_has_played_here_before_takes_the_match_along_to_their_others(web: Web, hogen: str) -> None:
    client = web.client()
    begin(web, client)
    assert send(client, "/me/address", "/me/address", address="bob@example.org").status_code == 303
    link = change_link(web)
    assert path_of(send(client, link, link, answer="yes")) == "/"
    page = Page(client.get("/").text)
    assert "bob@example.org" in Page(client.get("/me").text).said
    assert len([href for href in page.hrefs() if href.startswith("/play/")]) == 2


def test_a_guest_erases_themselves_with_a_button(web: Web) -> None:
    client = web.client()
    path = begin(web, client)
    page = Page(client.get("/me/erase").text)
    assert "never" not in page.forms[0].fields, "there is no address to forget"
    assert path_of(send(client, "/me/erase", "/me/erase", sure="1")) == "/gone"
    assert client.get(path).status_code == 401
    assert "Play now against bots" in Page(client.get("/").text).said


# --- after a move --------------------------------------------------------------------------------------------


def test_after_a_move_the_next_match_that_waits_is_offered_to_who_is_signed_in_alone(web: Web, hogen: str) -> None:
    with web.site.reading() as session:
        t = table(Player)
        bob = session.execute(select(t).where(t.c.canonical == "bob@example.org")).one()
    signed = web.client()
    token = web.site.tokens.for_account(bob.id, bob.epoch, web.site.now())
    assert signed.post(f"/account/{token}").status_code == 303
    path = web.link("play", hogen, 1)
    answer = press(signed, choose(signed, path, lambda links: links[0]))
    done = path_of(answer)
    assert signed.get(done).text.count('class="nextup"') == 0, "nothing else waits"
    other = web.start()
    page = Page(signed.get(done).text)
    assert page.hrefs("nextup") == [web.link("play", other, 1)]
    tag = {"If-None-Match": signed.get(done).headers["ETag"]}
    assert signed.get(done, headers=tag).status_code == 304
    assert web.client().get(done, headers=tag).status_code == 200, "who has signed out keeps no card"
    assert "nextup" not in web.client().get(done).text, "the link of a seat opens no other"
    press(signed, choose(signed, web.link("play", other, 1), lambda links: links[0]))
    assert "nextup" not in signed.get(done, headers=tag).text, "it has been played"
    assert signed.get(done, headers=tag).status_code == 200
    carol = web.link("play", hogen, 2)
    press(signed, choose(signed, carol, lambda links: links[0]))
    assert "nextup" not in signed.get(f"{carol}?done=1").text, "another's seat shows nobody else's matches"
