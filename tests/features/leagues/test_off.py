"""While leagues are off, nothing of them is on other pages, told or mailed; what they know of results is kept."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from flask.testing import FlaskClient
from sqlalchemy import text
from sqlmodel import col, select

from pbem.discovery import packages_of_features
from pbem.errors import NotOffered
from pbem.features.leagues import founding
from pbem.features.leagues.tables import League
from pbem.features.webhooks import registry
from pbem.models.tables import OutboxRow
from pbem.services.privacy import erasure
from pbem.services.results import sharing, tallying
from tests.features.leagues.cups import (
    finish_match,
    open_cup,
    page_of_results,
    pair_matches,
    running_cup,
    tally_and_publish,
)
from tests.features.leagues.stage import id_of_player
from tests.features.leagues.web.shown import section_of_page
from tests.features.webhooks.hook_receiver import run_receiver
from tests.features.webhooks.hooked import all_deliveries, make_due_calls
from tests.table import House, MovedClock, Outgoing
from tests.web.cast import Web, path_of_account_link, secret_of


def switch(house: House, *, on: bool) -> None:
    """Switches leagues on or off, as with a restart."""
    names = tuple(name for name in packages_of_features() if on or name != "leagues")
    object.__setattr__(house.site.config, "features", names)


def site_without_leagues(web: Web) -> Web:
    """Returns the same site without leagues."""
    names = tuple(name for name in packages_of_features() if name != "leagues")
    return Web(replace(web.site, config=replace(web.site.config, features=names)))


def browser_of_alice(web: Web) -> FlaskClient:
    """Alice's browser with a session."""
    client = web.client("en")
    assert client.post(path_of_account_link(web)).status_code == 303
    return client


def test_with_leagues_off_the_home_and_account_pages_do_not_mention_them(
    web: Web, hogen: str, clock: MovedClock
) -> None:
    open_cup(House(web.site, clock, Outgoing(), []))
    foot, weekly = '<a href="/leagues">Leagues</a>', 'type="checkbox" name="weekly"'
    for here, on in ((web, True), (site_without_leagues(web), False)):
        client = browser_of_alice(here)
        home = client.get("/").text
        assert ("Autumn league, season 1" in section_of_page(home, "seasons")) == on
        assert (foot in home) == on
        assert (weekly in client.get("/me").text) == on
        assert "features" not in client.get("/help").text


@pytest.mark.parametrize("wanted", [True, False])
def test_with_leagues_off_the_weekly_mail_setting_is_kept(web: Web, hogen: str, wanted: bool) -> None:
    here, number = site_without_leagues(web), 1
    sharing.choose_what_to_share(web.site, number, weekly=wanted)
    client = browser_of_alice(here)
    shown = client.get("/me").text
    hidden = {"weekly": "1"} if 'type="hidden" name="weekly"' in shown else {}
    client.post("/me/shown", data={"csrf_token": secret_of(shown), "rated": "1", **hidden})
    choices = sharing.read_shared(web.site, number).choices
    assert (choices.rated, choices.weekly) == (True, wanted)


def test_a_result_tallied_while_leagues_are_off_is_published_later(house: House) -> None:
    made, (first, second, *_) = running_cup(house)
    (match_id,) = pair_matches(house, made.season_id, (first, second))
    switch(house, on=False)
    finish_match(house, match_id)
    assert tallying.tally_matches(house.site) == 1
    assert page_of_results(house, made.season_id).results == ()
    switch(house, on=True)
    assert tally_and_publish(house) == 1
    assert [one.match for one in page_of_results(house, made.season_id).results] == [match_id]


def test_with_leagues_off_no_season_mail_is_sent(house: House) -> None:
    made, _ = open_cup(house)
    switch(house, on=False)
    founding.end_league(house.site, id_of_player(house, "Alice"), made.league_id)
    house.drain()
    with house.site.reading() as session:
        told = session.exec(select(OutboxRow.result).where(col(OutboxRow.kind) == "calledoff")).all()
    assert told == ["stale"] * 4


def test_with_leagues_off_no_league_webhook_is_called_or_added(make_house: Callable[..., House]) -> None:
    house = make_house(webhooks_private=True)
    made, (first, second, *_) = running_cup(house)
    alice = id_of_player(house, "Alice")
    about: dict[str, Any] = {"kinds": ("over", "season"), "about": made.league_id}
    with run_receiver() as there:
        registry.add_webhook(house.site, alice, there.url(), **about)
        matches = pair_matches(house, made.season_id, (first, second), (second, first))
        finish_match(house, matches[0])
        tally_and_publish(house)
        switch(house, on=False)
        finish_match(house, matches[1])
        assert make_due_calls(house) == 0
        assert all_deliveries(house) == []
        with pytest.raises(NotOffered):
            registry.add_webhook(house.site, alice, there.url(), **about)
        switch(house, on=True)
        tally_and_publish(house)
        assert make_due_calls(house) == 2
        registry.remove_webhook(house.site, alice, registry.list_webhooks(house.site, alice)[0].id)
    with house.site.engine.connect() as connection:
        assert connection.execute(text("SELECT count(*) FROM webhook_season_marks")).scalar_one() == 0


def test_with_leagues_off_erasing_an_organiser_still_ends_the_league(house: House) -> None:
    made, _ = open_cup(house)
    switch(house, on=False)
    erasure.erase_player(house.site, id_of_player(house, "Alice"))
    with house.site.reading() as session:
        league = session.get_one(League, made.league_id)
        assert league.owner_id is None
        assert league.ended_at is not None
