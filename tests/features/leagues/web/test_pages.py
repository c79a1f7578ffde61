"""The pages of leagues: founding one, entering it signed in and by a mail, the standings, no weekly mail."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from flask.testing import FlaskClient
from sqlmodel import select

from pbem.features.leagues import claims, reading
from pbem.features.leagues.entry import entering
from pbem.features.leagues.running import seasons
from pbem.features.leagues.tables import Entrant
from pbem.services.players.players import find_or_add
from pbem.services.privacy import erasure
from pbem.services.site import Site
from pbem.services.who import STRANGER
from tests.features.leagues.web.shown import FORM, found_league_by_form, section_of_page
from tests.table import MovedClock, address_of
from tests.web.cast import Page, Web, path_of, path_of_account_link, secret_of
from tests.web.lobby.guests import play_now

DAY = timedelta(days=1)


@pytest.fixture
def alice(web: Web, hogen: str) -> FlaskClient:
    """Alice's browser with a session."""
    client = web.client()
    assert path_of(client.post(path_of_account_link(web))) == "/"
    return client


def test_a_league_is_founded_by_its_form_and_stands_in_the_list(web: Web, alice: FlaskClient) -> None:
    path = found_league_by_form(alice)
    Page(alice.get(path).text)
    for lang in ("en", "fr"):
        listed = web.client(lang).get("/leagues").text
        Page(listed)
        assert "Autumn league" in listed
    league = re.search(r"/league/[0-9a-f]+", listed)
    assert league is not None
    assert "As its organiser" in alice.get(league[0]).text
    assert "As its organiser" not in web.client().get(league[0]).text


def test_the_list_of_leagues_links_to_the_form_only_for_those_allowed(web: Web, alice: FlaskClient) -> None:
    assert "/leagues/new" in Page(alice.get("/leagues").text).hrefs()
    stranger = web.client()
    links = Page(stranger.get("/leagues").text).hrefs()
    assert "/leagues/new" not in links
    assert all(stranger.get(link).status_code == 200 for link in links if link.startswith("/"))


def test_the_list_of_leagues_tells_a_guest_what_founding_one_needs(web: Web) -> None:
    guest = web.client()
    play_now(guest)
    for client, leads, says in ((guest, "/me/address", "add your email address"), (web.client(), "/signup", "sign in")):
        text = client.get("/leagues").text
        assert f'To create a league, <a href="{leads}">{says}</a>.' in text


def test_an_invalid_league_form_names_errors_and_keeps_the_input(alice: FlaskClient) -> None:
    secret = secret_of(alice.get("/leagues/new").text)
    answer = alice.post("/leagues/new", data={"csrf_token": secret, **FORM, "matches_each": "99"})
    assert answer.status_code == 422
    assert 'value="Autumn league"' in answer.text
    Page(answer.text)


def test_alice_enters_and_withdraws_with_one_press_each(alice: FlaskClient) -> None:
    path = found_league_by_form(alice)
    secret = secret_of(alice.get(path).text)
    alice.post(f"{path}/enter", data={"csrf_token": secret, "name": "Alice"})
    assert "You have entered." in alice.get(path).text
    alice.post(f"{path}/withdraw", data={"csrf_token": secret})
    assert "You have entered." not in alice.get(path).text
    assert alice.post(f"{path}/enter", data={"name": "Alice"}).status_code == 400, "without the session's token"


def test_entering_a_season_after_an_erasure_shows_the_form_for_strangers(
    web: Web, alice: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, bob, enter = found_league_by_form(alice), web.client(), entering.enter_player
    bob.post(path_of_account_link(web, "bob"))
    secret = secret_of(bob.get(path).text)

    def erase_first(site: Site, who: int, *said: Any, **more: Any) -> int:
        erasure.erase_player(site, who)
        return enter(site, who, *said, **more)

    monkeypatch.setattr(entering, "enter_player", erase_first)
    answer = bob.post(f"{path}/enter", data={"csrf_token": secret, "name": "Bob"})
    assert answer.status_code == 401
    assert "Autumn league" in answer.text
    assert 'name="address"' in answer.text, "they may enter as anybody else"


def test_a_stranger_enters_by_the_link_of_a_mail(web: Web, alice: FlaskClient) -> None:
    path, charlie = found_league_by_form(alice), web.client()
    typed = {"name": "Charlie", "address": "charlie@example.org", "zone": "Europe/London"}
    assert path_of(charlie.post(f"{path}/enter", data=typed)).startswith(path)
    with web.site.reading() as session:
        row = session.exec(select(Entrant).where(Entrant.name == "Charlie")).one()
    link = f"/entry/{web.site.tokens.sign_for(claims.EntrantClaim, row.id or 0, 'charlie@example.org')}"
    page = charlie.get(link).text
    assert "Do you enter season 1" in page
    charlie.post(link, data={"name": "Charlie"})
    assert "You have entered the season." in charlie.get(link).text
    charlie.post(f"{link}/decline")
    assert "You do not play in this season." in charlie.get(link).text


def test_one_click_unsubscribe_declines_a_season_but_never_withdraws(
    web: Web, alice: FlaskClient, clock: MovedClock
) -> None:
    path, charlie, one_click = (
        found_league_by_form(alice, starts="2026-03-14"),
        web.client(),
        {"List-Unsubscribe": "One-Click"},
    )
    typed = {"name": "Charlie", "address": "charlie@example.org", "zone": "Europe/London"}
    charlie.post(f"{path}/enter", data=typed)
    with web.site.reading() as session:
        row = session.exec(select(Entrant).where(Entrant.name == "Charlie")).one()
    link = f"/entry/{web.site.tokens.sign_for(claims.EntrantClaim, row.id or 0, 'charlie@example.org')}"
    assert charlie.post(f"{link}/decline", data=one_click).text == "ok"
    assert "You do not play in this season." in charlie.get(link).text
    charlie.post(link, data={"name": "Charlie"})
    assert charlie.post(f"{link}/decline", data=one_click).text == "ok"
    assert "You have entered the season." in charlie.get(link).text
    clock.at += 60 * DAY
    seasons.sweep_seasons(web.site)
    assert charlie.post(f"{link}/decline", data=one_click).status_code == 200, "an old mail's button is no error"


def test_a_running_season_shows_its_standings_and_to_alice_her_matches(
    web: Web, alice: FlaskClient, clock: MovedClock
) -> None:  # fmt: skip
    path = found_league_by_form(alice, starts="2026-03-14")
    season_id = path.rpartition("/")[2]
    secret = secret_of(alice.get(path).text)
    alice.post(f"{path}/enter", data={"csrf_token": secret, "name": "Alice"})
    alice.post(f"{path}/bots", data={"csrf_token": secret, "number": "5"})
    clock.at += 3 * DAY  # within the session's life
    seasons.sweep_seasons(web.site)
    page = alice.get(path).text
    Page(page)
    assert "My matches" in page
    assert page.count("/play/") == 2
    other = web.client("fr").get(path).text
    Page(other)
    assert "Classement" in other
    assert "/play/" not in other, season_id
    clock.at += 60 * DAY
    seasons.sweep_seasons(web.site)
    assert "The season is over." in web.client().get(path).text


def test_one_press_ends_the_weekly_mail(web: Web) -> None:
    with web.site.writing() as work:
        player = find_or_add(work, address_of("Bob"), "en", web.site.now())
        work.flush()
        number = player.id or 0
    link = f"/week/{web.site.tokens.sign_for(claims.WeeklyClaim, number, address_of('Bob'))}"
    client = web.client()
    assert "No weekly email" in client.get(link).text
    client.post(link, data={"weekly": "off"})
    assert "You get no weekly email." in client.get(link).text
    client.post(link, data={"weekly": "on"})
    assert client.post(link, data={"List-Unsubscribe": "One-Click"}).text == "ok"
    assert "You get no weekly email." in client.get(link).text


@pytest.mark.long
@pytest.mark.parametrize(
    ("rule", "said"),
    [("half", "counts as a draw"), ("standing", "by its scores at that moment"), ("none", "does not count")],
)
def test_a_seasons_page_explains_tie_breaks_and_unfinished_matches(alice: FlaskClient, rule: str, said: str) -> None:
    rules = section_of_page(alice.get(found_league_by_form(alice, unfinished=rule)).text, "rules")
    assert said in rules
    at = [rules.index(words) for words in ("same points", "against each other", "opponents", "share the place")]
    assert at == sorted(at)
    assert "sealed" not in rules
    assert "Each place is worth" in rules


@pytest.mark.long
def test_a_duplicate_seasons_page_shows_commitments_and_until_when_sealed(
    web: Web, alice: FlaskClient, clock: MovedClock
) -> None:
    path = found_league_by_form(alice, starts="2026-03-14", duplicate="on")
    for lang, sealed, talking in (
        ("en", "Until the last table of a deal is over", "Nothing keeps the people of a finished table from talking"),
        ("fr", "Jusqu’à la fin de la dernière table d’une donne", "Rien n’empêche les gens d’une table terminée"),
    ):
        rules = section_of_page(web.client(lang).get(path).text, "rules")
        assert sealed in rules
        assert talking in rules
        assert "Each place is worth" not in rules, "points of another kind of season"
    alice.post(f"{path}/bots", data={"csrf_token": secret_of(alice.get(path).text), "number": "6"})
    clock.at += 3 * DAY
    seasons.sweep_seasons(web.site)
    shared = reading.read_shared_deals(web.site, STRANGER, path.rpartition("/")[2])
    shown = re.findall(r"\b[0-9a-f]{64}\b", section_of_page(web.client().get(path).text, "deals"))
    assert shown == [one.commitment for one in shared]
    assert len({*shown}) == 2, "a deal for each round"


@pytest.mark.long
def test_the_home_page_names_a_season_only_to_those_who_play_in_it(
    web: Web, alice: FlaskClient, clock: MovedClock
) -> None:
    path = found_league_by_form(alice, starts="2026-03-14")
    assert section_of_page(alice.get("/").text, "seasons") == "", "she organises it, and has not entered"
    secret = secret_of(alice.get(path).text)
    alice.post(f"{path}/enter", data={"csrf_token": secret, "name": "Alice"})
    alice.post(f"{path}/bots", data={"csrf_token": secret, "number": "5"})
    home = alice.get("/").text
    assert f'href="{path}"' in home
    assert "Autumn league, season 1 begins on Saturday 14 March" in section_of_page(home, "seasons")
    clock.at += 3 * DAY
    seasons.sweep_seasons(web.site)
    said = section_of_page(alice.get("/").text, "seasons")
    assert "runs until Saturday 25 April" in said
    assert "2 matches of yours go on" in said
    bob = web.client()
    bob.post(path_of_account_link(web, "bob"))
    assert "Autumn league" not in bob.get("/").text
    clock.at += 60 * DAY
    seasons.sweep_seasons(web.site)
    alice.post(path_of_account_link(web))
    assert section_of_page(alice.get("/").text, "seasons") == "", "it is over"


@pytest.mark.long
def test_a_league_entered_with_anothers_address_is_not_on_their_home_page(web: Web, alice: FlaskClient) -> None:
    path, bob = found_league_by_form(alice), web.client()
    bob.post(path_of_account_link(web, "bob"))
    web.client().post(f"{path}/enter", data={"name": "Bob", "address": address_of("Bob"), "zone": "Europe/Paris"})
    with web.site.reading() as session:
        assert session.exec(select(Entrant.status).where(Entrant.name == "Bob")).all() == ["invited"]
    assert "Autumn league" not in bob.get("/").text
    bob_page = bob.get(path).text
    bob.post(f"{path}/enter", data={"csrf_token": secret_of(bob_page), "name": "Bob"})
    assert "Autumn league" in bob.get("/").text
