"""The page of one's own results, and the public one."""

from __future__ import annotations

import re

import pytest
from flask.testing import FlaskClient
from sqlalchemy import delete, update

from pbem.models.results import Result
from pbem.models.tables import Match, table
from pbem.services.players import players
from pbem.services.results import sharing, tallying
from tests.table import MovedClock, play_out
from tests.web.cast import Page, Web, secret_of, sign_in

PAGE = "/me/results"


@pytest.fixture
def alice(web: Web, hogen: str, clock: MovedClock) -> FlaskClient:
    """Alice, signed in, with a match that is over."""
    clock.forward(minutes=1)
    play_out(web.site, hogen)
    return sign_in(web, "alice")


def let_be_rated(web: Web, *names: str, pace: bool = False) -> None:
    """Has these people choose to be rated."""
    for name in names:
        with web.site.reading() as session:
            player = players.player_by_address(session, f"{name}@example.org")
        assert player is not None
        assert player.id is not None
        sharing.choose_what_to_share(web.site, player.id, rated=True, pace_shown=pace)


@pytest.mark.long
def test_a_rating_and_its_range_are_on_a_players_own_and_public_page(web: Web, alice: FlaskClient) -> None:
    let_be_rated(web, "bob")
    tallying.tally_matches(web.site)
    assert "Rating" not in Page(alice.get(PAGE).text).words, "Alice has not asked for ratings"
    with web.site.writing() as work:
        work.connection().execute(update(table(Match)).values(tallied_at=None))
        work.connection().execute(delete(table(Result)))
    let_be_rated(web, "alice")
    tallying.tally_matches(web.site)
    said = Page(alice.get(PAGE).text).words
    assert re.search(r"Hogen 1,\d\d\d\s±\s\d{3} 1", said), said
    alice.post(f"{PAGE}/publish", data={"csrf_token": secret_of(alice.get(PAGE).text)})
    public = Page(web.client().get(link_of(alice) + "?lang=fr").text).words
    assert "Cote" in public
    assert "±" in public


def test_rating_and_pace_stand_beside_a_name_only_if_its_player_shows_them(
    web: Web, hogen: str, alice: FlaskClient
) -> None:
    let_be_rated(web, "alice", "bob")
    tallying.tally_matches(web.site)
    running = web.start()
    said = Page(web.client().get(f"/match/{running}?lang=en").text).words
    assert len(re.findall(r"rating 1,\d\d\d\s±\s\d{3}", said)) == 2, said
    assert "usually answers" not in said
    alice.post("/me/shown", data={"csrf_token": secret_of(alice.get("/me").text)})
    said = Page(web.client().get(f"/match/{running}?lang=en").text).words
    assert said.count("±") == 1, "Alice has ended hers"
    assert sharing.read_shared(web.site, 1).choices == sharing.Choices(rated=False, pace_shown=False, weekly=False)


def link_of(client: FlaskClient) -> str:
    """Returns the path of the public page."""
    (href,) = (href for href in Page(client.get(PAGE).text).hrefs() if "/record/" in href)
    return "/record/" + href.rpartition("/")[2]


@pytest.mark.long
def test_only_the_signed_in_player_sees_their_page_of_games_and_friends(web: Web, alice: FlaskClient) -> None:
    answer = alice.get(PAGE)
    said = Page(answer.text).words
    assert "Only you see this page." in said
    assert "Hogen 1" in said
    assert "Bob 1" in said
    assert "usual time to answer" in said
    assert answer.headers["Cache-Control"] == "no-store"
    assert web.client().get(PAGE).status_code == 401
    assert PAGE in Page(alice.get("/me").text).hrefs()


def test_the_page_of_a_player_without_a_finished_match_says_so(web: Web, hogen: str) -> None:
    assert "None of your matches is over yet." in Page(sign_in(web, "bob").get(PAGE).text).words


def test_the_public_page_names_no_opponents_and_its_owner_can_end_it(web: Web, alice: FlaskClient) -> None:
    secret = {"csrf_token": secret_of(alice.get(PAGE).text)}
    assert alice.post(f"{PAGE}/publish", data=secret).status_code == 303
    path = link_of(alice)
    public = web.client().get(path)
    assert public.status_code == 200
    assert public.headers["X-Robots-Tag"] == "noindex"
    said = Page(public.text).words
    assert "Hogen 1" in said
    for private in ("Alice", "Bob", "Carol", "alice@", "answer"):
        assert private not in said
    assert alice.post(f"{PAGE}/withdraw", data=secret).status_code == 303
    assert web.client().get(path).status_code == 401
    assert not [href for href in Page(alice.get(PAGE).text).hrefs() if "/record/" in href]


def test_publishing_results_needs_a_same_site_request_with_a_csrf_token(web: Web, alice: FlaskClient) -> None:
    before = web.everything()
    assert alice.post(f"{PAGE}/publish", data={}).status_code == 400
    assert alice.post(f"{PAGE}/publish", headers={"Sec-Fetch-Site": "cross-site"}).status_code == 403
    assert web.everything() == before
