"""Webhooks of a league: its organiser's programs are told results once they are public, and what becomes of seasons."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import msgspec
import pytest
from sqlmodel import select

from pbem.errors import Forbidden, Invalid, NotFound
from pbem.features import safe_http
from pbem.features.leagues import founding, webhooks
from pbem.features.leagues.running import bulk, seasons
from pbem.features.leagues.tables import League, SeasonCursor
from pbem.features.safe_http import Answer
from pbem.features.webhooks import deliveries, registry
from tests.api.protocol.document import checker
from tests.api.protocol.typescript import document
from tests.features.leagues.cups import finish_match, open_cup, pair_matches, running_cup, tally_and_publish
from tests.features.leagues.stage import DAY, id_of_player
from tests.features.webhooks.hook_receiver import Receiver, run_receiver
from tests.features.webhooks.hooked import all_deliveries, make_due_calls
from tests.table import House

pytestmark = pytest.mark.usefixtures("no_lookups")

BOTH = ("over", "season")


@pytest.fixture
def home(make_house: Callable[..., House]) -> House:
    """A house that calls this machine."""
    return make_house(webhooks_private=True)


@pytest.fixture
def there() -> Iterator[Receiver]:
    """A server that receives webhook calls."""
    with run_receiver() as here:
        yield here


def league_hook(house: House, league_id: str, url: str, kinds: tuple[str, ...] = BOTH, **more: Any) -> int:
    """The number of a webhook of Alice's about her league."""
    made, _ = registry.add_webhook(house.site, id_of_player(house, "Alice"), url, kinds, about=league_id, **more)
    assert (made.about, made.match) == (league_id, None)
    return made.id


def close_season(house: House, season_id: str) -> None:
    """Has Alice close the season, and the sweep do it."""
    seasons.end_season_early(house.site, id_of_player(house, "Alice"), season_id)
    assert seasons.sweep_seasons(house.site) == 1


@pytest.mark.on_postgresql
def test_a_league_webhook_gets_results_and_the_end_once_in_order(home: House, there: Receiver) -> None:
    made, (alice, bob, carol, dave) = running_cup(home)
    league_hook(home, made.league_id, there.url())
    first, second = pair_matches(home, made.season_id, (alice, dave), (carol, bob))
    assert make_due_calls(home) == 0
    finish_match(home, second)
    tally_and_publish(home)
    finish_match(home, first)
    tally_and_publish(home)
    close_season(home, made.season_id)
    assert make_due_calls(home) == 3
    assert make_due_calls(home) == 0
    told = there.bodies()
    assert [one["type"] for one in told] == ["season.result", "season.result", "season.closed"]
    result = told[0]["data"]
    assert (result["league"], result["season"], result["name"]) == (made.league_id, made.season_id, "Autumn league")
    assert (result["result"]["number"], result["result"]["match"]) == (1, second)
    assert result["result"]["seats"] == [
        {"entrant": carol, "place": 1, "score": 0, "resigned": False, "name": "Carol"},
        {"entrant": bob, "place": 2, "score": 0, "resigned": True, "name": "Bob"},
    ]
    assert told[1]["data"]["result"]["match"] == first
    standings = told[2]["data"]["standings"]
    assert {one["name"]: one["points"] for one in standings} == {"Alice": 1.0, "Bob": 0.0, "Carol": 1.0, "Dave": 0.0}
    described = document()
    for one, name in zip(told, ("ResultCall", "ResultCall", "SeasonCall"), strict=True):
        checker(described, name).validate(one)
    assert {"resultCall", "seasonCall"} <= described["webhooks"].keys()
    assert all(got.headers["webhook-signature"].startswith("v1,") for got in there.got)


@pytest.mark.on_postgresql
def test_a_league_webhook_gets_a_seasons_start_but_no_earlier_events(home: House, there: Receiver) -> None:
    made, (alice, bob, *_) = running_cup(home)
    (before,) = pair_matches(home, made.season_id, (alice, bob))
    finish_match(home, before)
    tally_and_publish(home)
    league_hook(home, made.league_id, there.url())
    assert make_due_calls(home) == 0
    other, _ = open_cup(home)
    league_hook(home, other.league_id, there.url("/other"))
    assert make_due_calls(home) == 0
    bulk.begin_season_early(home.site, id_of_player(home, "Alice"), other.season_id)
    assert make_due_calls(home) == 1
    assert [(got.path, got.json["type"]) for got in there.got] == [("/other", "season.running")]


@pytest.mark.on_postgresql
def test_a_season_opened_after_the_webhook_was_added_is_sent_once(home: House, there: Receiver) -> None:
    made, _ = running_cup(home)
    league_hook(home, made.league_id, there.url())
    close_season(home, made.season_id)
    alice = id_of_player(home, "Alice")
    following = founding.open_season(home.site, alice, made.league_id, home.clock() + DAY)
    assert make_due_calls(home) == 2
    assert make_due_calls(home) == 0
    told = [(one["type"], one["data"]["season"]) for one in there.bodies()]
    assert told == [("season.closed", made.season_id), ("season.open", following)]


@pytest.mark.long
def test_no_result_of_a_shared_deal_is_sent_before_its_last_table_ends(home: House, there: Receiver) -> None:
    made, (alice, bob, carol, dave) = running_cup(home)
    league_hook(home, made.league_id, there.url())
    first, second = pair_matches(home, made.season_id, (alice, dave), (carol, bob), same_deal=True)
    finish_match(home, first)
    tally_and_publish(home)
    assert make_due_calls(home) == 0
    assert all_deliveries(home) == []
    finish_match(home, second)
    tally_and_publish(home)
    assert make_due_calls(home) == 2


@pytest.mark.long
def test_a_league_hook_gets_only_the_kinds_it_wants_of_its_own_matches(home: House, there: Receiver) -> None:
    made, (alice, bob, *_) = running_cup(home)
    league_hook(home, made.league_id, there.url("/over"), ("over",))
    league_hook(home, made.league_id, there.url("/season"), ("season",))
    home.begin(3)  # Alice plays there: a webhook of hers about her matches would be told
    (match_id,) = pair_matches(home, made.season_id, (alice, bob))
    finish_match(home, match_id)
    tally_and_publish(home)
    close_season(home, made.season_id)
    assert make_due_calls(home) == 2
    assert sorted((got.path, got.json["type"]) for got in there.got) == [
        ("/over", "season.result"), ("/season", "season.closed"),
    ]  # fmt: skip


@pytest.mark.on_postgresql
def test_only_the_current_organiser_of_a_league_has_webhooks_for_it(home: House, there: Receiver) -> None:
    made, (alice, bob, *_) = running_cup(home)
    bob_id, url = id_of_player(home, "Bob"), there.url()
    with pytest.raises(Forbidden):
        registry.add_webhook(home.site, bob_id, url, BOTH, about=made.league_id)
    with pytest.raises(NotFound):
        registry.add_webhook(home.site, bob_id, url, BOTH, about="f" * 24)
    with pytest.raises(NotFound):
        registry.add_webhook(home.site, bob_id, url, BOTH, about="x\x00")
    organiser = id_of_player(home, "Alice")
    with pytest.raises(Invalid):
        registry.add_webhook(home.site, organiser, url, ("moved",), about=made.league_id)
    with pytest.raises(Invalid):
        registry.add_webhook(home.site, organiser, url, ("season",))
    hook_id = league_hook(home, made.league_id, url)
    with pytest.raises(Invalid):
        registry.change_webhook(home.site, organiser, hook_id, kinds=("your_turn",))
    (match_id,) = pair_matches(home, made.season_id, (alice, bob))
    with home.site.writing() as work:
        league = work.get_one(League, made.league_id)
        league.owner_id = bob_id
        work.add(league)
    finish_match(home, match_id)
    tally_and_publish(home)
    assert make_due_calls(home) == 0


@pytest.mark.long
def test_a_queued_call_is_dropped_once_another_organises_the_league(home: House, there: Receiver) -> None:
    made, (alice, bob, *_) = running_cup(home)
    league_hook(home, made.league_id, there.url())
    (match_id,) = pair_matches(home, made.season_id, (alice, bob))
    finish_match(home, match_id)
    tally_and_publish(home)
    assert webhooks.queue_calls_for_season_news(home.site) == 1
    with home.site.writing() as work:
        league = work.get_one(League, made.league_id)
        league.owner_id = None
        work.add(league)
    make_due_calls(home)
    assert there.got == []
    assert [row.result for row in all_deliveries(home)] == ["stale"]


@pytest.mark.sample(2)
@pytest.mark.parametrize(("preset", "url"), [
    ("discord", "https://discord.com/api/webhooks/1/secret"), ("slack", "https://hooks.slack.com/services/T/B/secret"),
])  # fmt: skip
@pytest.mark.parametrize("language", ["en", "fr"])
def test_a_league_webhook_for_a_chat_sends_sentences(
    home: House, monkeypatch: pytest.MonkeyPatch, preset: str, url: str, language: str
) -> None:
    posted: list[str] = []

    def call(_: str, body: bytes, headers: dict[str, str], **__: object) -> Answer:
        said = msgspec.json.decode(body)
        posted.append((said.get("content") or said["text"]).replace("\\", ""))
        assert "webhook-signature" not in headers
        return Answer(status=200)

    monkeypatch.setattr(safe_http, "post_safely", call)
    made, (alice, bob, *_) = running_cup(home)
    league_hook(home, made.league_id, url, preset=preset, language=language)
    (match_id,) = pair_matches(home, made.season_id, (alice, bob))
    finish_match(home, match_id)
    tally_and_publish(home)
    close_season(home, made.season_id)
    assert make_due_calls(home) == 2
    over, closed = posted
    page = f"\n{home.site.url(f'/league/{made.league_id}')}"
    heads = {
        "en": ("Autumn league, season 1: a match is over.", "Autumn league, season 1 is closed."),
        "fr": ("Autumn league, saison 1\u00a0: une partie est terminée.", "Autumn league, la saison 1 est close."),
    }[language]
    assert over == f"{heads[0]}\n1. Alice (0)\n2. Bob (0){page}"
    assert closed.startswith(f"{heads[1]}\n1. Alice (1)\n")
    assert closed.endswith(page)


def test_deleting_a_league_webhook_deletes_its_cursor(home: House, there: Receiver) -> None:
    made, _ = running_cup(home)
    hook_id = league_hook(home, made.league_id, there.url())
    with home.site.reading() as session:
        assert len(session.exec(select(SeasonCursor)).all()) == 1
    registry.remove_webhook(home.site, id_of_player(home, "Alice"), hook_id)
    with home.site.reading() as session:
        assert session.exec(select(SeasonCursor)).all() == []
    assert deliveries.deliver_due_calls(home.site) == 0


def test_the_document_describes_moments_of_league_calls_as_date_times() -> None:
    told = msgspec.json.schema_components([webhooks.SeasonResultTold, webhooks.SeasonStatusTold])[1].values()
    moments = [field for one in told for name, field in one["properties"].items() if name.endswith("_at")]
    assert [one.get("format") for one in moments] == ["date-time"] * 3
