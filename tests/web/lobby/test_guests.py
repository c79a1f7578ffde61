"""Playing at once: a stranger presses a button and has a board, in this browser and in no other."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from flask.testing import FlaskClient
from sqlalchemy import select
from werkzeug.test import TestResponse

from pbem.environment import Smtp
from pbem.games import all_games
from pbem.kit.texts import LANGS, Lang
from pbem.models.accounts import AddressChange
from pbem.models.tables import Match, OutboxRow, Player, table
from pbem.services.play import bots
from pbem.services.players import guests
from pbem.services.tokens import ChangeClaim
from tests.harness.cases import cases
from tests.table import MovedClock
from tests.web.cast import Page, Web, choose_move, path_of, press_only_button
from tests.web.lobby.guests import begin_as_guest, play_now
from tests.web.lobby.start import values_of_inputs

NEW = "nina@example.net"


def rows_of_players(web: Web) -> list[Any]:
    with web.site.reading() as session:
        return list(session.execute(select(table(Player)).order_by(table(Player).c.id)).all())


def change_link(web: Web) -> str:
    with web.site.reading() as session:
        number = session.execute(select(table(AddressChange).c.id)).scalars().all()[-1]
    return f"/address/{web.site.tokens.sign(ChangeClaim(number, 'new'))}"


def send_form(client: FlaskClient, path: str, action: str, **typed: str) -> TestResponse:
    form = next(form for form in Page(client.get(path).text).forms if form.action == action)
    return client.post(action, data={**form.fields, **typed})


@pytest.mark.long
def test_a_stranger_plays_a_move_without_any_address(web: Web) -> None:
    client = web.client()
    path = begin_as_guest(web, client)
    page = Page(client.get(f"{path}?done=now").text)
    assert "No deadline: take your time." in page.words
    assert "Nobody waits for you" not in page.words, "it is said once"
    chosen = choose_move(client, path, lambda links: links[0])
    assert "done=1" in path_of(press_only_button(client, chosen))
    with web.site.reading() as session:
        assert session.execute(select(table(OutboxRow))).all() == []
    (guest,) = rows_of_players(web)
    assert guest.address is None


def test_a_guest_who_has_resigned_is_offered_another_match_of_the_game(web: Web) -> None:
    client = web.client()
    path = begin_as_guest(web, client)
    assert "This ends the match" in client.get(f"{path}/resign").text
    assert client.post(f"{path}/resign").status_code == 303
    shown = Page(client.get(path).text)
    assert "You have resigned." in shown.words
    (form,) = [form for form in shown.forms if form.action.endswith("/rematch")]
    again = path_of(client.post(form.action, data=form.fields)).partition("?")[0]
    assert again != path
    with web.site.reading() as session:
        assert len(set(session.execute(select(table(Match).c.game)).scalars())) == 1


@pytest.mark.long
@cases("lang", LANGS)
def test_the_start_page_shows_every_game_and_the_easiest_first(web: Web, lang: Lang) -> None:
    page = Page(web.client(lang).get("/").text)
    games = sorted(all_games().values(), key=lambda game: (game.meta.ease, game.meta.minutes))
    forms = [form.fields.get("game") for form in page.forms if form.action == "/now"]
    assert forms == [None, *[game.meta.slug for game in games]]
    assert all(f"</h3><p>{game.meta.blurb[lang]}</p>" in page.text for game in games)
    at = [page.text.index(f"{game.meta.title[lang]}</a> <small>") for game in games]
    assert at == sorted(at)
    assert {f"/games/{game.meta.slug}" for game in games} <= {*page.hrefs()}
    assert page.text.count('<svg class="cover') == len(games)
    ids = [known["id"] for _, known in page.tags if "id" in known]
    assert len(ids) == len(set(ids)), "covers side by side share no id"


@pytest.mark.long
def test_a_guests_seat_opens_only_with_their_cookie(web: Web) -> None:
    client = web.client()
    path = begin_as_guest(web, client)
    chosen = choose_move(client, path, lambda links: links[0]).form("confirm")
    assert chosen is not None
    other = web.client()
    assert other.get(path).status_code == 401
    assert other.post(path, data=chosen.fields).status_code == 401
    for part in ("/replay", "/replay/frames.json", "/talk", "/resign"):
        assert [one.get(path + part).status_code for one in (other, client)] == [401, 200], part
    token = path.rpartition("/")[2]
    match_id = token.split(".")[0]
    asked = {"Authorization": f"Bearer {token}"}
    assert other.get(f"/api/v1/matches/{match_id}/ask", headers=asked).status_code == 401
    begin_as_guest(web, other)
    assert other.get(path).status_code == 401, "another guest is not this one"
    assert client.get(path).status_code == 200


@pytest.mark.long
def test_a_returning_guest_finds_their_matches_and_stays_the_same_guest(web: Web) -> None:
    client = web.client()
    first = begin_as_guest(web, client)
    second = play_now(client, "hogen")
    bots.play_quick_bots(web.site)
    assert len(rows_of_players(web)) == 1
    page = Page(client.get("/").text)
    assert sorted(href for href in page.hrefs() if href.startswith("/play/")) == sorted([first, second])
    assert "/me/address" in page.hrefs()
    assert "Your turn: 2" in page.words


@pytest.mark.long
def test_a_page_opened_before_the_first_match_can_start_a_second_one(web: Web) -> None:
    client = web.client()
    page = Page(client.get("/").text)
    one, other = (form for form in page.forms if form.fields.get("game") in ("hogen", "niigata"))
    answers = [client.post("/now", data=form.fields) for form in (one, other)]
    assert [answer.status_code for answer in answers] == [303, 303], "the reader has gone back to the page"
    assert len(rows_of_players(web)) == 1
    assert len({path_of(answer) for answer in answers}) == 2


@pytest.mark.parametrize("signed", [False, True])
def test_play_now_pressed_twice_starts_one_match_of_one_guest(web: Web, clock: MovedClock, signed: bool) -> None:
    client = web.client()
    if signed:
        play_now(client)
    form = next(form for form in Page(client.get("/").text).forms if form.action == "/now")
    before = web.client()
    if signed and (cookie := client.get_cookie("session")) is not None:
        before.set_cookie("session", cookie.value)
    first, second = (one.post("/now", data=form.fields) for one in (client, before))
    assert path_of(first) == path_of(second)
    assert len(rows_of_players(web)) == 1
    assert before.get(path_of(second)).status_code == 200, "whichever answer the browser keeps, it has the key"
    again = web.client().post("/now", data={**form.fields, "game": "niigata"})
    assert path_of(again) != path_of(first), "another game is another press"
    clock.forward(minutes=2)
    assert path_of(web.client().post("/now", data=form.fields)) != path_of(first), "later another match is wanted"


def test_play_now_without_our_origin_header_makes_a_new_guest_each_time(web: Web) -> None:
    form = next(form for form in Page(web.client().get("/").text).forms if form.action == "/now")
    for headers in ({}, {"Origin": "null"}):
        assert web.client().post("/now", data=form.fields, headers=headers).status_code == 303
    assert len(rows_of_players(web)) == 2


def test_pages_closed_to_guests_answer_403_and_ask_for_an_address(web: Web) -> None:
    client = web.client()
    begin_as_guest(web, client)
    preferences = client.get("/me")
    assert preferences.status_code == 200
    assert "/me/tokens" not in Page(preferences.text).hrefs()
    for path in ("/me/tokens", "/me/webhooks"):
        refused = client.get(path)
        assert refused.status_code == 403
        assert "takes an email address" in Page(refused.text).words
    assert values_of_inputs(Page(client.get("/new?game=hogen").text))["address"] == "", (
        "to invite others they say who they are, as anybody does"
    )


def test_play_now_for_an_unknown_game_starts_nothing(web: Web) -> None:
    assert web.client().post("/now", data={"game": "chess"}).status_code == 404
    assert rows_of_players(web) == []


@pytest.mark.long
def test_guest_matches_share_the_networks_rate_limit_of_matches(make_web: Callable[..., Web]) -> None:
    relay = Smtp(host="127.0.0.1", port=25, user=None, password=None, tls="none", timeout=5)
    web = make_web(smtp=relay, matches_per_ip_hour=2)
    answers = [web.client().post("/now", data={"game": "hogen"}) for _ in range(3)]
    assert [answer.status_code for answer in answers] == [303, 303, 429]
    assert int(answers[-1].headers["Retry-After"]) > 0
    assert len(rows_of_players(web)) == 2
    assert "privacy.ask_address_change" in web.app.extensions["pbem.capped"], "else each guest anew mails any address"


@pytest.mark.long
@pytest.mark.parametrize(
    ("lang", "refusal"),
    [("en", "Play one to its end or resign from one"), ("fr", "Jouez-en une jusqu’au bout ou abandonnez-en une")],
)
def test_one_match_more_than_may_be_open_is_refused(make_web: Callable[..., Web], lang: str, refusal: str) -> None:
    relay = Smtp(host="127.0.0.1", port=25, user=None, password=None, tls="none", timeout=5)
    client = make_web(smtp=relay, open_matches=2).client()
    answers = [client.post("/now", data={"game": "hogen"}, headers={"Accept-Language": lang}) for _ in range(3)]
    assert [answer.status_code for answer in answers] == [303, 303, 429]
    assert refusal in answers[-1].text


@pytest.mark.long
def test_the_guest_cookie_lasts_two_weeks_and_daily_visits_renew_it(web: Web, clock: MovedClock) -> None:
    client = web.client()
    path = begin_as_guest(web, client)
    cookie = client.get_cookie("session")
    assert cookie is not None
    assert cookie.max_age == guests.KEPT.total_seconds()
    assert (cookie.http_only, cookie.same_site) == (True, "Lax")
    assert "Set-Cookie" not in client.get(path).headers, "once a day is enough"
    (before,) = rows_of_players(web)
    clock.forward(days=1)
    assert "session=" in client.get(path).headers.get("Set-Cookie", "")
    (after,) = rows_of_players(web)
    assert after.visited_at - before.visited_at == timedelta(days=1)


def test_a_guests_cookie_ends_by_the_clock_of_the_site(web: Web, clock: MovedClock) -> None:
    client = web.client()
    path = begin_as_guest(web, client)
    clock.forward(days=14)
    assert client.get(path).status_code == 200
    clock.forward(days=15, seconds=1)
    assert client.get(path).status_code == 401


@pytest.mark.long
def test_a_guest_claimed_for_erasure_is_signed_out_at_once(web: Web, clock: MovedClock) -> None:
    client = web.client()
    path = begin_as_guest(web, client)
    chosen = choose_move(client, path, lambda links: links[0])
    clock.forward(days=15)
    assert guests.end_session_of_overdue_guest(web.site, rows_of_players(web)[0].id)
    assert "Board games, one email at a time" in Page(client.get("/").text).words
    assert client.get(path).status_code == 401
    assert press_only_button(client, chosen).status_code == 401


def test_no_link_leads_to_the_seat_of_a_guest_so_none_is_offered_or_sent(web: Web) -> None:
    client = web.client()
    path = begin_as_guest(web, client)
    for answer in (client.get(f"{path}/renew"), client.post(f"{path}/renew"), client.post(f"{path}/mail")):
        assert answer.status_code == 409
        assert "No link leads to this seat" in Page(answer.text).words
    with web.site.reading() as session:
        assert session.execute(select(table(OutboxRow))).all() == []


# --- an address ----------------------------------------------------------------------------------------------


def test_a_guest_adds_an_address_by_a_mail_and_is_signed_in_by_its_button(web: Web) -> None:
    client = web.client()
    path = begin_as_guest(web, client)
    assert send_form(client, "/me/address", "/me/address", address=NEW).status_code == 303
    assert f"on its way to {NEW}" in Page(client.get("/me/address").text).words
    link, before = change_link(web), web.everything()
    elsewhere = web.client()
    assert "would like to keep their matches" in Page(elsewhere.get(link).text).words
    assert web.everything() == before, "a link alone, which a mail scanner may follow, does nothing"
    refused = elsewhere.post(link, data={"answer": "yes"}, headers={"Origin": "null"})
    assert refused.status_code == 403, "it opens a session, so the browser must say whose page this was"
    assert path_of(send_form(elsewhere, link, link, answer="yes")) == "/"
    assert NEW in Page(elsewhere.get("/me").text).words
    mine = [href for href in Page(elsewhere.get("/").text).hrefs() if href.startswith("/play/")]
    assert len(mine) == 1
    assert elsewhere.get(mine[0]).status_code == 200
    assert client.get(path).status_code == 401
    assert client.get("/me").status_code == 401
    assert "kept under this address" in Page(elsewhere.get(link).text).words
    twice = elsewhere.post(link, data={"answer": "yes"})
    assert path_of(twice) == link, "pressed twice, it does not say that it failed"
    assert elsewhere.get("/me").status_code == 200
    again = web.client()
    again.post(link, data={"answer": "yes"})
    assert again.get("/me").status_code == 401, "the link signs in once"


def test_adding_a_known_address_moves_a_guests_match_to_that_account(web: Web, hogen: str) -> None:
    client = web.client()
    begin_as_guest(web, client)
    assert send_form(client, "/me/address", "/me/address", address="bob@example.org").status_code == 303
    link = change_link(web)
    assert path_of(send_form(client, link, link, answer="yes")) == "/"
    page = Page(client.get("/").text)
    assert "bob@example.org" in Page(client.get("/me").text).words
    assert len([href for href in page.hrefs() if href.startswith("/play/")]) == 2


def account_link(web: Web, address: str) -> str:
    (player,) = [one for one in rows_of_players(web) if one.canonical == address]
    return f"/account/{web.site.tokens.for_account(player.id, player.epoch, web.site.now())}"


def test_a_player_who_signs_in_beside_a_guest_takes_the_matches_along(web: Web, hogen: str) -> None:
    client = web.client()
    path = begin_as_guest(web, client)
    assert send_form(client, "/me/address", "/me/address", address=NEW).status_code == 303
    asked, link = change_link(web), account_link(web, "bob@example.org")
    assert "begun in this browser" not in Page(web.client().get(link).text).words
    assert (
        "The matches begun in this browser without an address join this account." in Page(client.get(link).text).words
    )
    assert client.post(link).status_code == 303
    mine = [href for href in Page(client.get("/").text).hrefs() if href.startswith("/play/")]
    assert len(mine) == 2
    assert [client.get(href).status_code for href in [*mine, path]] == [200, 200, 401]
    assert client.get("/me/address").status_code == 200
    assert send_form(client, asked, asked, answer="never").status_code == 303
    stranger = web.client()
    assert stranger.post(asked, data={"answer": "yes"}).status_code == 409, "the guest's request ended with the guest"
    assert "bob@example.org" in Page(client.get("/me").text).words


@pytest.mark.long
@pytest.mark.parametrize(
    ("lang", "whose", "warning"),
    [
        ("en", "The link opens the account of <b>b***@example.org</b>.", "Sign in only if the account is yours"),
        ("fr", "Le lien ouvre le compte de <b>b***@example.org</b>.", "N’ouvrez la session que si"),
    ],
)
def test_a_guest_reads_the_masked_address_whose_account_takes_the_matches(
    web: Web, hogen: str, lang: str, whose: str, warning: str
) -> None:
    client = web.client()
    begin_as_guest(web, client)
    link = f"{account_link(web, 'bob@example.org')}?lang={lang}"
    beside, alone = client.get(link), web.client().get(link)
    assert warning in beside.text
    assert warning not in alone.text, "there are no matches to lose"
    for answer in (beside, alone):
        Page(answer.text)
        assert whose in answer.text
        assert "bob" not in f"{answer.text} {answer.headers}".lower()


def test_signing_in_without_a_guest_session_moves_no_matches(web: Web, clock: MovedClock, hogen: str) -> None:
    client = web.client()
    begin_as_guest(web, client)
    clock.forward(days=15)
    assert guests.end_session_of_overdue_guest(web.site, rows_of_players(web)[-1].id)
    link = account_link(web, "bob@example.org")
    assert "begun in this browser" not in Page(client.get(link).text).words
    assert client.post(link).status_code == 303
    assert len([href for href in Page(client.get("/").text).hrefs() if href.startswith("/play/")]) == 1


@pytest.mark.long
def test_a_guest_erases_themselves_with_a_button(web: Web) -> None:
    client = web.client()
    path = begin_as_guest(web, client)
    page = Page(client.get("/me/erase").text)
    assert "never" not in page.forms[0].fields, "there is no address to forget"
    assert path_of(send_form(client, "/me/erase", "/me/erase", sure="1")) == "/gone"
    assert client.get(path).status_code == 401
    assert "Board games, one email at a time" in Page(client.get("/").text).words


# --- after a move --------------------------------------------------------------------------------------------


@pytest.mark.long
def test_after_a_move_only_a_signed_in_player_is_offered_their_next_match(web: Web, hogen: str) -> None:
    with web.site.reading() as session:
        t = table(Player)
        bob = session.execute(select(t).where(t.c.canonical == "bob@example.org")).one()
    signed = web.client()
    token = web.site.tokens.for_account(bob.id, bob.epoch, web.site.now())
    assert signed.post(f"/account/{token}").status_code == 303
    path = web.link("play", hogen, 1)
    answer = press_only_button(signed, choose_move(signed, path, lambda links: links[0]))
    done = path_of(answer)
    assert signed.get(done).text.count('class="next"') == 0, "nothing else waits"
    other = web.start()
    page = Page(signed.get(done).text)
    assert page.hrefs("next") == [web.link("play", other, 1)]
    tag = {"If-None-Match": signed.get(done).headers["ETag"]}
    assert signed.get(done, headers=tag).status_code == 304
    assert web.client().get(done, headers=tag).status_code == 200, "who has signed out keeps no card"
    assert 'class="next"' not in web.client().get(done).text, "the link of a seat opens no other"
    press_only_button(signed, choose_move(signed, web.link("play", other, 1), lambda links: links[0]))
    assert 'class="next"' not in signed.get(done, headers=tag).text, "it has been played"
    assert signed.get(done, headers=tag).status_code == 200
    carol = web.link("play", hogen, 2)
    press_only_button(signed, choose_move(signed, carol, lambda links: links[0]))
    assert 'class="next"' not in signed.get(f"{carol}?done=1").text, "another's seat shows nobody else's matches"
