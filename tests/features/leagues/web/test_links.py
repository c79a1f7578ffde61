"""What the link in a season's mail shows its reader, who is not signed in, once the season has begun."""

from __future__ import annotations

import html
import re
from datetime import timedelta

import pytest
from sqlmodel import select

from pbem.features.leagues import founding, weekly
from pbem.features.leagues.entry import entering
from pbem.features.leagues.tables import League, Season
from pbem.services.lobby.match_request import Invitee
from pbem.services.mail import digests
from pbem.services.privacy import erasure
from tests.features.leagues.admission import leave_circle
from tests.features.leagues.stage import begin_season, end_season, entrants_by_name, id_of_player
from tests.features.leagues.web.links import house as house
from tests.features.leagues.web.links import link_of, season_of_alice
from tests.features.leagues.web.shown import section_of_page
from tests.services.letterbox import newest_mail, text_of
from tests.table import FOUR, House, address_of
from tests.web.cast import Page, Web


def path_in_mail(house: House, name: str, kind: str) -> str:
    """Returns the path of the first link to the season in the newest mail of this kind to one of the cast."""
    house.drain()
    found = [one for one in house.mail.to(address_of(name)) if str(one["Message-ID"]).startswith(f"<{kind}-")]
    link = re.search(r"https?://[^/\s]+(/(?:entry|season)/\S+)", text_of(found[-1]))
    assert link is not None
    return link[1]


def queue_weekly_mails_on_monday(house: House) -> None:
    """Moves the clock to the next Monday morning, and queues the weekly mails."""
    at = house.clock.at
    house.clock.at = (at + timedelta(days=7 - at.weekday())).replace(hour=9)
    assert weekly.queue_weekly_mails(house.site)


@pytest.mark.long
@pytest.mark.parametrize("of_circle", [True, False], ids=["circle", "public"])
@pytest.mark.parametrize(
    ("lang", "standings", "over"), [("en", "Standings", "The season is over."), ("fr", "Classement", "est terminée")]
)
def test_the_link_of_each_mail_shows_the_standings_without_signing_in(
    web: Web, house: House, of_circle: bool, lang: str, standings: str, over: str
) -> None:
    made = season_of_alice(house, of_circle=of_circle)
    digests.set_preferences(house.site, id_of_player(house, "Bob"), lang, "Europe/Paris", None)
    begin_season(house, made.season_id)
    links = {"kickoff": path_in_mail(house, "Bob", "kickoff")}
    queue_weekly_mails_on_monday(house)
    links["week"] = path_in_mail(house, "Bob", "week")
    end_season(house, made.season_id)
    links["finish"] = path_in_mail(house, "Bob", "finish")
    for kind, path in links.items():
        answer = web.client("de").get(path)
        assert answer.status_code == 200, kind
        Page(answer.text)
        assert all(name in section_of_page(answer.text, "standings") for name in FOUR), kind
        assert f'aria-label="{standings}"' in answer.text
        assert over in section_of_page(answer.text, "dates"), "as it is now, whenever the mail was sent"
    stranger = web.client().get(f"/season/{made.season_id}")
    assert stranger.status_code == (404 if of_circle else 200)


@pytest.mark.long
@pytest.mark.parametrize("of_circle", [True, False], ids=["circle", "public"])
def test_a_mailed_season_link_lists_the_readers_matches_without_play_links(
    web: Web, house: House, of_circle: bool
) -> None:
    made = season_of_alice(house, of_circle=of_circle, rest_days=7)
    begin_season(house, made.season_id)
    for name in ("Alice", "Bob"):
        page = web.client().get(link_of(house, made.season_id, name)).text
        assert "Round 1" in section_of_page(page, "mine")
        assert "The link is in your newest email about this match." in section_of_page(page, "mine")
        assert "(you)" in section_of_page(page, "standings")
        assert "As its organiser" not in page, "the link acts for an entrant alone"
        assert "@" not in html.unescape(page)
        assert (f"/season/{made.season_id}" in page) != of_circle, "one of a circle does not exist for a stranger"
    end_season(house, made.season_id)
    link = link_of(house, made.season_id, "Bob")
    page = web.client().get(link).text
    assert "The next season begins on" in section_of_page(page, "next")
    hrefs = [href for href in Page(page).hrefs() if not href.startswith(link)]
    assert not [href for href in hrefs if href.startswith(("/play/", "/entry/"))]


@pytest.mark.long
@pytest.mark.parametrize("of_circle", [True, False], ids=["circle", "public"])
def test_the_mailed_link_of_a_cancelled_season_says_so_and_what_is_next(
    web: Web, house: House, of_circle: bool
) -> None:
    made = season_of_alice(house, of_circle=of_circle)
    founding.end_league(house.site, id_of_player(house, "Alice"), made.league_id)
    page = web.client().get(path_in_mail(house, "Bob", "calledoff")).text
    assert "The season did not take place." in section_of_page(page, "dates")
    assert "You have entered" not in page
    assert section_of_page(page, "next") == "", "the league has ended"


@pytest.mark.long
def test_the_end_of_a_season_announces_the_next_except_to_those_who_left(web: Web, house: House) -> None:
    made = season_of_alice(house, of_circle=True, rest_days=7)
    begin_season(house, made.season_id)
    end_season(house, made.season_id)
    with house.site.reading() as session:
        following = session.exec(select(Season.id).where(Season.number == 2)).one()
    ahead, link = link_of(house, following, "Bob"), link_of(house, made.season_id, "Bob")
    with house.site.reading() as session:
        circle_id = session.exec(select(League.circle_id)).one()
    assert circle_id is not None
    leave_circle(house, circle_id, "Dave")
    house.drain()
    assert ahead in text_of(newest_mail(house, "Bob")), "the mail about the end asks"
    assert link_of(house, following, "Dave") not in text_of(newest_mail(house, "Dave"))
    web.client().post(ahead, data={"name": "Bob"})
    assert entrants_by_name(house, following)["Bob"].status == "entered"
    assert "You have entered." in section_of_page(web.client().get(link).text, "next")
    assert section_of_page(web.client().get(link_of(house, made.season_id, "Dave")).text, "next") == ""


@pytest.mark.long
def test_an_unknown_division_number_shows_the_readers_own(web: Web, house: House) -> None:
    made = season_of_alice(house, of_circle=False)
    begin_season(house, made.season_id)
    for number in ("0", "-1", "2", "99999999999999999999", "x"):
        for path in (f"/season/{made.season_id}", link_of(house, made.season_id, "Bob")):
            answer = web.client().get(f"{path}?division={number}")
            assert answer.status_code == 200
            assert "Division 1" in section_of_page(answer.text, "standings")


@pytest.mark.long
def test_an_invitee_sees_that_the_season_did_not_take_place(web: Web, house: House) -> None:
    made = season_of_alice(house, of_circle=False)
    entering.invite_to_season(
        house.site, id_of_player(house, "Alice"), made.season_id, [Invitee("Fanny", address_of("Fanny"))], "en"
    )
    link = link_of(house, made.season_id, "Fanny")
    founding.end_league(house.site, id_of_player(house, "Alice"), made.league_id)
    page = web.client().get(link).text
    assert "The season did not take place." in page
    assert "has begun" not in page


@pytest.mark.long
def test_opening_a_seasons_link_writes_nothing_and_leaks_no_referrer(web: Web, house: House) -> None:
    made = season_of_alice(house, of_circle=True)
    begin_season(house, made.season_id)
    link, before = link_of(house, made.season_id, "Bob"), web.everything()
    for path in (link, f"{link}?division=1", f"{link}/decline"):
        for answer in (web.client().get(path), web.client().head(path)):
            assert answer.status_code == 200
            assert answer.headers["Cache-Control"] == "no-store"
            assert answer.headers["Referrer-Policy"] == "no-referrer"
            assert answer.headers["X-Robots-Tag"] == "noindex"
            assert "Set-Cookie" not in answer.headers
    assert web.everything() == before


@pytest.mark.long
def test_an_invitee_who_did_not_accept_sees_the_start_but_no_standings(web: Web, house: House) -> None:
    made = season_of_alice(house, of_circle=False)
    people = [Invitee(name, address_of(name)) for name in ("Fanny", "Charlie")]
    entering.invite_to_season(house.site, id_of_player(house, "Alice"), made.season_id, people, "en")
    links = [link_of(house, made.season_id, name) for name in ("Fanny", "Charlie")]
    web.client().post(f"{links[0]}/decline")
    begin_season(house, made.season_id)
    for link in links:
        page = web.client().get(link).text
        assert "nobody can enter it any more" in page
        assert (section_of_page(page, "standings"), section_of_page(page, "mine")) == ("", "")


@pytest.mark.long
def test_the_link_of_somebody_who_was_erased_has_ended(web: Web, house: House) -> None:
    made = season_of_alice(house, of_circle=True)
    begin_season(house, made.season_id)
    link = link_of(house, made.season_id, "Bob")
    erasure.erase_player(house.site, id_of_player(house, "Bob"))
    answer = web.client().get(link)
    assert answer.status_code == 401
    assert "Carol" not in answer.text
    assert "This link is invalid or expired." in html.unescape(answer.text)
