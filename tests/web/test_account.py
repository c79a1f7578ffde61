"""Links by mail, the session that one of them opens, and unsubscribing."""

from __future__ import annotations

from datetime import timedelta

import pytest
from flask.testing import FlaskClient
from sqlalchemy import update
from sqlmodel import col, select

from pbem.models.tables import Match, OutboxRow, Player, SeatRow, Suppression, table
from pbem.services.players import players
from pbem.services.tokens import NeverClaim, StopClaim
from tests.table import MovedClock
from tests.web.cast import Page, Web, path_of, path_of_account_link, secret_of


@pytest.fixture
def browser_of_alice(web: Web, hogen: str) -> FlaskClient:
    """Alice's browser with a session."""
    client = web.client()
    assert path_of(client.post(path_of_account_link(web))) == "/"
    return client


def links_due(web: Web) -> int:
    """How many mails with links there are, once a worker has looked up the addresses."""
    players.queue_requested_links(web.site)
    with web.site.reading() as session:
        return len(session.exec(select(OutboxRow).where(OutboxRow.kind == "links")).all())


@pytest.mark.long
def test_asking_for_links_answers_known_and_unknown_addresses_alike(web: Web, hogen: str) -> None:
    answers = []
    for name in ("alice", "charlie"):
        answer = web.client().post("/links", data={"address": f"{name}@example.org"})
        headers = {name: value for name, value in answer.headers if name != "X-Request-ID"}
        answers.append((answer.status_code, headers, answer.data))
    assert answers[0] == answers[1]
    assert links_due(web) == 1
    bad = web.client().post("/links", data={"address": "no address"})
    assert bad.status_code == 422
    assert 'value="no address"' in bad.text


def test_signing_up_mails_a_link_even_to_newcomers_and_answers_all_alike(
    web: Web, hogen: str
) -> None:  # fmt: skip
    page = Page(web.client().get("/leagues").text)
    assert "/signup" in page.hrefs()
    assert "/signup" in Page(web.client().get("/links").text).hrefs()
    answers = []
    for name in ("alice", "charlie"):
        typed = {"address": f"{name}@example.org", "zone": "Europe/London"}
        answer = web.client("en").post("/signup", data=typed)
        answers.append((answer.status_code, answer.location, answer.data))
    assert answers[0] == answers[1]
    assert links_due(web) == 2
    assert "is on its way" in Page(web.client("en").get(answers[0][1]).text).words
    client = web.client()
    client.post(path_of_account_link(web, "charlie"))
    assert "Create a league" in Page(client.get("/leagues?lang=en").text).words
    with web.site.reading() as session:
        charlie = session.exec(select(Player).where(Player.canonical == "charlie@example.org")).one()
        alice = session.exec(select(Player).where(Player.canonical == "alice@example.org")).one()
    assert (charlie.language, charlie.zone) == ("en", "Europe/London")
    assert charlie.verified_at is not None
    assert alice.zone == "Europe/Paris", "nobody else sets the zone of whoever has proved the address"


def test_a_wrong_address_or_zone_of_a_sign_up_is_named_and_mails_nobody(web: Web, hogen: str) -> None:
    for address, zone, wrong in (("nobody", "Europe/Paris", "address"), ("dave@example.org", "Nowhere", "zone")):
        answer = web.client().post("/signup", data={"address": address, "zone": zone})
        assert answer.status_code == 422
        fields = {tag["name"]: tag for _, tag in Page(answer.text).tags if "name" in tag and "value" in tag}
        assert fields["address"]["value"] == address
        assert [name for name, tag in fields.items() if tag.get("aria-invalid")] == [wrong]
    assert links_due(web) == 0


@pytest.mark.long
def test_a_session_is_opened_by_the_button_and_not_by_the_link(web: Web, hogen: str) -> None:
    client = web.client()
    assert "Set-Cookie" not in client.get(path_of_account_link(web)).headers
    assert client.get("/me").status_code == 401
    cookie = client.post(path_of_account_link(web)).headers["Set-Cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Lax" in cookie
    page = Page(client.get("/").text)
    assert web.link("play", hogen, 0) in page.hrefs()


@pytest.mark.long
def test_a_known_browser_gets_links_despite_limits_used_up_by_strangers(
    web: Web, hogen: str, browser_of_alice: FlaskClient
) -> None:
    address = {"address": "alice@example.org"}
    stranger = web.client()
    browser_of_alice.delete_cookie("session")  # as when the browser was closed
    for client, due in ((stranger, 1), (stranger, 1), (browser_of_alice, 2), (browser_of_alice, 2)):
        assert client.post("/links", data=address).status_code == 303
        assert links_due(web) == due
    for client in (browser_of_alice, stranger):
        client.post("/links", data={"address": "bob@example.org"})
        assert links_due(web) == 3, "the browser is known for Alice alone"


@pytest.mark.long
def test_the_known_browser_cookie_signs_no_one_in_and_ends_at_sign_out(web: Web, browser_of_alice: FlaskClient) -> None:
    known = browser_of_alice.get_cookie("known")
    assert known is not None
    assert known.http_only
    assert known.same_site == "Lax"
    other = web.client()
    other.set_cookie("known", known.value)
    assert other.get("/me").status_code == 401
    other.set_cookie("known", known.value + "x")
    assert other.post("/links", data={"address": "alice@example.org"}).status_code == 303
    secret = secret_of(browser_of_alice.get("/me").text)
    browser_of_alice.post("/me/leave", data={"csrf_token": secret})
    assert browser_of_alice.get_cookie("known") is None


def test_a_copied_cookie_knows_no_browser_once_its_player_has_signed_out(
    web: Web, hogen: str, browser_of_alice: FlaskClient
) -> None:
    address = {"address": "alice@example.org"}
    copied = web.client()
    copied.set_cookie("known", browser_of_alice.get_cookie("known").value)  # type: ignore[union-attr]  # it is there
    assert web.client().post("/links", data=address).status_code == 303
    assert links_due(web) == 1
    browser_of_alice.post("/me/leave", data={"csrf_token": secret_of(browser_of_alice.get("/me").text)})
    assert copied.post("/links", data=address).status_code == 303
    assert links_due(web) == 1, "it is a stranger's by now"
    again = web.client()
    assert again.post(path_of_account_link(web)).status_code == 303
    assert again.post("/links", data=address).status_code == 303
    assert links_due(web) == 2


def test_an_account_link_is_good_for_half_an_hour(web: Web, hogen: str, clock: MovedClock) -> None:
    path = path_of_account_link(web)
    clock.forward(minutes=31)
    assert web.client().get(path).status_code == 401
    assert web.client().post(path).status_code == 401


def test_preferences_are_kept_and_answered_in_the_new_language(web: Web, browser_of_alice: FlaskClient) -> None:
    form = {"csrf_token": secret_of(browser_of_alice.get("/me").text), "language": "fr", "zone": "Asia/Tokyo"}
    assert browser_of_alice.post("/me", data=form).status_code == 303
    assert "Mes parties" in browser_of_alice.get("/").text
    bad = browser_of_alice.post("/me", data={**form, "zone": "Mars/Base"})
    assert bad.status_code == 422
    assert "Mars/Base" in bad.text


def daily_hour(web: Web) -> int | None:
    with web.site.reading() as session:
        return session.exec(select(Player.digest_hour).where(Player.canonical == "alice@example.org")).one()


@pytest.mark.long
def test_the_daily_digest_is_a_preference_that_stays_until_another_choice(
    web: Web, browser_of_alice: FlaskClient
) -> None:
    form = {"csrf_token": secret_of(browser_of_alice.get("/me").text), "language": "en", "zone": "Europe/London"}
    assert browser_of_alice.post("/me", data={**form, "digest": "8"}).status_code == 303
    assert daily_hour(web) == 8
    page = browser_of_alice.get("/me").text
    Page(page)
    assert '<option value="8" selected>One email a day, at 8:00</option>' in page
    assert browser_of_alice.post("/me", data=form).status_code == 303
    assert daily_hour(web) == 8, "a client that does not know the field leaves it"
    bad = browser_of_alice.post("/me", data={**form, "digest": "24"})
    assert bad.status_code == 422
    assert "between 0 and 23" in Page(bad.text).words
    assert daily_hour(web) == 8
    assert browser_of_alice.post("/me", data={**form, "digest": ""}).status_code == 303
    assert daily_hour(web) is None


def test_the_form_for_shared_results_stores_its_choices(web: Web, browser_of_alice: FlaskClient) -> None:
    page = browser_of_alice.get("/me").text
    Page(page)
    ticked = [f'name="{name}" value="1" checked' in page for name in ("rated", "pace_shown", "weekly")]
    assert ticked == [False, False, True], "nobody is rated unless they ask for it"
    form = {"csrf_token": secret_of(page), "rated": "1", "pace_shown": "1"}
    assert browser_of_alice.post("/me/shown", data=form).headers["Location"].endswith("#shown")
    page = browser_of_alice.get("/me").text
    assert [f'name="{name}" value="1" checked' in page for name in ("rated", "pace_shown", "weekly")] == [
        True,
        True,
        False,
    ]
    assert web.client().post("/me/shown", data=form).status_code in (302, 400, 401)


@pytest.mark.long
def test_the_choice_of_pictures_in_mails_is_stored(web: Web, browser_of_alice: FlaskClient) -> None:
    form = {"csrf_token": secret_of(browser_of_alice.get("/me").text), "language": "en", "zone": "Europe/London"}
    box = 'name="pictures" value="1"'
    page = browser_of_alice.get("/me").text
    Page(page)
    assert f"{box} checked" in page
    assert "Show the board as a picture in my emails" in page
    for said, kept in ((["0"], False), (None, False), (["0", "1"], True), (None, True)):
        assert (
            browser_of_alice.post("/me", data=form if said is None else {**form, "pictures": said}).status_code == 303
        )
        assert (f"{box} checked" in browser_of_alice.get("/me").text) is kept, (
            "a client that does not know the field leaves it"
        )
    refused = browser_of_alice.post("/me", data={**form, "pictures": ["0"], "zone": "Mars/Base"})
    assert refused.status_code == 422
    assert f"{box} checked" not in refused.text, "the form keeps what was chosen"
    assert f"{box} checked" in browser_of_alice.get("/me").text


def test_the_daily_link_leads_to_the_mail_settings_or_to_signing_in(web: Web, browser_of_alice: FlaskClient) -> None:
    assert browser_of_alice.get("/daily").headers["Location"] == "/me#mails"
    assert 'id="mails"' in browser_of_alice.get("/me").text
    away = web.client().get("/daily", follow_redirects=True)
    assert away.status_code == 200
    assert "You choose in your account how often you get emails." in Page(away.text).words


def stop_link(web: Web) -> str:
    return f"/digest/{web.site.tokens.sign_for(StopClaim, 1, 'alice@example.org')}"


def test_a_digests_stop_link_mutes_only_by_its_button_and_can_be_undone(web: Web, hogen: str) -> None:
    client, path = web.client(), stop_link(web)
    before = web.everything()
    page = client.get(path)
    assert page.headers["Cache-Control"] == "no-store"
    assert page.headers["X-Robots-Tag"] == "noindex"
    assert web.everything() == before
    assert client.post(path, data={"muted": "1"}).status_code == 303
    assert all_muted(web) == [True, False, False]
    assert "Send me emails again" in Page(client.get(path).text).words
    client.post(path, data={"muted": "0"})
    assert all_muted(web) == [False, False, False]
    assert client.get("/digest/forged").status_code == 401
    assert client.post("/digest/forged").status_code == 401


def test_one_click_on_a_digest_mutes_at_once_without_cookie_or_redirect(web: Web, hogen: str) -> None:
    answer = web.client().post(stop_link(web), data={"List-Unsubscribe": "One-Click"})
    assert answer.status_code == 200
    assert "Set-Cookie" not in answer.headers
    assert all_muted(web) == [True, False, False]


def all_muted(web: Web) -> list[bool]:
    with web.site.reading() as session:
        return [seat.muted for seat in session.exec(select(SeatRow).order_by(col(SeatRow.seat))).all()]


def test_the_mute_page_links_to_the_choice_of_one_mail_a_day(web: Web, hogen: str) -> None:
    page = Page(web.client().get(web.link("mute", hogen, 0)).text)
    assert "/daily" in page.hrefs()


def test_a_preferences_form_posted_from_another_site_changes_nothing(web: Web, browser_of_alice: FlaskClient) -> None:
    browser_of_alice.get("/me")
    before = web.everything()
    for secret in ({}, {"csrf_token": "forged"}):
        answer = browser_of_alice.post("/me", data={"language": "fr", "zone": "Asia/Tokyo", **secret})
        assert answer.status_code == 400
        Page(answer.text)
        assert browser_of_alice.post("/me/leave", data=secret).status_code == 400
    assert web.everything() == before
    assert browser_of_alice.get("/me").status_code == 200


def test_signing_out_ends_the_session(browser_of_alice: FlaskClient) -> None:
    page = browser_of_alice.get("/me")
    assert page.headers["Cache-Control"] == "no-store"
    assert browser_of_alice.post("/me/leave", data={"csrf_token": secret_of(page.text)}).status_code == 303
    assert browser_of_alice.get("/me").status_code == 401


@pytest.mark.long
def test_signing_out_ends_cookies_and_account_links_but_no_other_links(
    web: Web, hogen: str, browser_of_alice: FlaskClient
) -> None:
    link = path_of_account_link(web)
    saved = web.client()
    saved.set_cookie("session", browser_of_alice.get_cookie("session").value)  # type: ignore[union-attr]  # it is there
    assert saved.get("/me").status_code == 200
    secret = secret_of(browser_of_alice.get("/me").text)
    assert browser_of_alice.post("/me/leave", data={"csrf_token": secret}).status_code == 303
    assert saved.get("/me").status_code == 401
    assert web.client().post(link).status_code == 401
    assert web.client().post(path_of_account_link(web)).status_code == 303
    assert web.client().get(web.link("play", hogen, 0)).status_code == 200
    assert web.client().get(f"/never/{web.site.tokens.sign_for(NeverClaim, 1, 'alice@example.org')}").status_code == 200


def test_a_session_lasts_a_week(web: Web) -> None:
    assert web.app.permanent_session_lifetime == timedelta(days=7)


def test_a_language_set_in_the_preferences_overrides_that_of_a_cookie(browser_of_alice: FlaskClient) -> None:
    assert "My matches" in browser_of_alice.get("/?lang=en").text
    form = {"csrf_token": secret_of(browser_of_alice.get("/me").text), "language": "fr", "zone": "Asia/Tokyo"}
    assert browser_of_alice.post("/me", data=form).status_code == 303
    assert "Mes parties" in browser_of_alice.get("/").text


@pytest.mark.long
def test_a_language_sent_with_a_seats_form_sets_no_language_cookie(web: Web) -> None:
    path = web.link("confirm", web.create(), 0)
    answer = web.client().post(path, data={"language": "fr", "zone": "Europe/Paris"})
    assert "lang=" not in answer.headers.get("Set-Cookie", "")


@pytest.mark.long
@pytest.mark.parametrize("purpose", ["confirm", "invitation"])
def test_the_language_chosen_for_a_seat_overrides_that_of_a_cookie(web: Web, purpose: str) -> None:
    match_id, seat, client = web.create(), int(purpose == "invitation"), web.client()
    if seat:
        web.confirm(match_id)
    path = f"{web.link('invitation' if seat else 'confirm', match_id, seat)}?lang=en"
    client.get(path)
    answer = client.post(path, data={"language": "fr", "zone": "Europe/Paris", "answer": "accept"})
    assert '<html lang="fr">' in client.get(path_of(answer)).text


def test_open_invitations_are_in_the_match_list_and_lead_to_their_page(web: Web) -> None:
    match_id = web.create()
    web.confirm(match_id)
    client = web.client()
    client.post(path_of_account_link(web, "bob"))
    page = Page(client.get("/").text)
    assert web.link("invitation", match_id, 1) in page.hrefs()
    assert "Alice invites you to play" in page.words
    assert "You are not in any match" not in page.words
    web.accept(match_id, 1)
    assert web.link("invitation", match_id, 1) not in Page(client.get("/").text).hrefs()


def test_a_session_ends_when_the_players_epoch_is_raised(web: Web, browser_of_alice: FlaskClient) -> None:
    with web.site.writing() as session:
        player = session.exec(select(Player).where(Player.canonical == "alice@example.org")).one()
        player.epoch += 1
        session.add(player)
    assert browser_of_alice.get("/me").status_code == 401


def is_muted(web: Web, match_id: str) -> bool:
    with web.site.reading() as session:
        return session.get_one(SeatRow, (match_id, 1)).muted


@pytest.mark.long
def test_the_mute_page_mutes_and_unmutes_a_match_by_its_button(web: Web, hogen: str) -> None:
    client, path = web.client(), web.link("mute", hogen, 1)
    assert "so does its clock" in client.get(path).text
    assert path_of(client.post(path, data={"muted": "1"})) == path
    assert is_muted(web, hogen)
    client.post(path, data={"muted": "0"})
    assert not is_muted(web, hogen)


def test_a_match_that_has_ended_has_no_emails_to_stop(web: Web, hogen: str) -> None:
    with web.site.writing() as work:
        work.connection().execute(update(table(Match)).values(status="over", ended_at=web.site.now()))
    page = Page(web.client().get(web.link("mute", hogen, 1)).text)
    assert "This match has ended" in page.words
    assert "clock" not in page.words
    assert not [form for form in page.forms if "muted" in form.fields]


def test_one_click_of_a_mail_program_mutes_without_redirect_or_cookie(web: Web, hogen: str) -> None:
    answer = web.client().post(web.link("mute", hogen, 1), data={"List-Unsubscribe": "One-Click"})
    assert answer.status_code == 200
    assert "Set-Cookie" not in answer.headers
    assert is_muted(web, hogen)


def test_a_link_that_mutes_does_not_lead_to_the_seat(web: Web, hogen: str) -> None:
    assert web.link("play", hogen, 1) not in web.client().get(web.link("mute", hogen, 1)).text


def test_unsubscribing_for_good_needs_a_button_press(web: Web, hogen: str) -> None:
    client, path = web.client(), f"/never/{web.site.tokens.sign_for(NeverClaim, 2, 'bob@example.org')}"
    client.get(path)
    with web.site.reading() as session:
        assert session.exec(select(Suppression)).all() == []
    assert path_of(client.post(path)) == path
    assert "no longer write to this address" in client.get(path).text
    with web.site.reading() as session:
        assert len(session.exec(select(Suppression)).all()) == 1
