"""`pbem.client`, called directly against the application: the only network is one that a test breaks."""

from __future__ import annotations

import json
from importlib.machinery import ModuleSpec
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from urllib.error import URLError

import pytest

from pbem.client import Match, Pbem, Refused
from pbem.features.leagues.running import seasons
from pbem.features.leagues.scores import feed
from pbem.services.play.bots import play_quick_bots
from pbem.services.results import tallying
from tests.api.access_tokens import make_program
from tests.api.cast import Api, Table, body_of_match, json_of
from tests.api.client import HERE, Answer, Wire, problem_answer
from tests.api.play.bots import against_bots


@pytest.fixture
def slept() -> list[float]:
    """How long a client has slept."""
    return []


@pytest.fixture
def table(rest: Api) -> Table:
    """Alice against two bots."""
    return against_bots(rest)


@pytest.fixture
def wire(rest: Api) -> Wire:
    return Wire(rest)


@pytest.fixture
def alice(table: Table, wire: Wire, slept: list[float]) -> Match:
    """The match as Alice's program sees it."""
    token = table.api.token("play", table.id, 0)
    return Pbem(HERE, token, opener=wire, sleep=slept.append).match(table.id)


def test_the_client_lists_the_games_and_reads_each(wire: Wire) -> None:
    site = Pbem(HERE + "/", opener=wire)
    slugs = [game["slug"] for game in site.games()]
    assert "hogen" in slugs
    assert site.game("hogen")["bots"][0] == "random"
    with pytest.raises(Refused) as refused:
        site.game("../games")
    assert (refused.value.status, refused.value.code) == (404, "not_found")


@pytest.mark.long
def test_the_client_starts_a_match_under_its_own_idempotency_key(wire: Wire) -> None:
    seats = body_of_match()["seats"]
    match = Pbem(HERE, opener=wire).create("hogen", seats, language="en")
    assert match.sheet()["status"] == "unconfirmed"
    first = wire.seen[0].get_header("Idempotency-key")
    Pbem(HERE, opener=wire).create("hogen", seats, language="en")
    second = wire.seen[-1].get_header("Idempotency-key")
    assert first
    assert second
    assert first != second
    mine = [Pbem(HERE, opener=wire).create("hogen", seats, key="mine").id for _ in range(2)]
    assert mine[0] == mine[1] != match.id


def test_the_client_retries_starting_a_match_under_the_same_key(wire: Wire, slept: list[float]) -> None:
    wire.first = [problem_answer(503, "busy", **{"Retry-After": "3"}), URLError("gone")]
    Pbem(HERE, opener=wire, sleep=slept.append).create("hogen", body_of_match()["seats"])
    keys = [request.get_header("Idempotency-key") for request in wire.seen]
    assert len(keys) == 3
    assert len(set(keys)) == 1
    assert slept[0] == 3


def test_the_client_sends_its_etags_and_reuses_unchanged_answers(alice: Match, wire: Wire) -> None:
    first = alice.state()
    assert alice.state() == first
    assert [status for status, _ in wire.answers] == [200, 304]
    assert wire.answers[1][1] == 0


def test_a_move_whose_answer_is_lost_is_sent_again_and_played_once(alice: Match, wire: Wire, table: Table) -> None:
    question = alice.ask()
    wire.lost_answers = 1
    receipt = alice.play(question, question["legal"][0])
    chosen = [e for e in alice.events()["events"] if e["event"]["type"] == "AllyChosen"]
    assert len(chosen) == 1
    assert receipt["events"] == chosen
    assert [request.get_method() for request in wire.seen] == ["GET", "POST", "POST", "GET"]


def test_the_client_sends_a_move_as_it_was_listed_as_json_or_as_text(alice: Match, table: Table) -> None:
    question = alice.ask()
    listed = question["legal"][0]
    for move in (listed, listed["move"], listed["text"]):
        assert alice.play(question["ask"]["key"], move)["version"] == question["version"] + 1


def test_the_clients_error_has_the_code_the_text_and_the_whole_body(alice: Match) -> None:
    with pytest.raises(Refused, match="409 stale: ") as refused:
        alice.play("t9.act9", {"type": "Call"})
    assert refused.value.body["ask"]["key"] == alice.ask()["ask"]["key"]
    assert refused.value.detail.endswith(".")


def test_the_client_waits_for_retry_after_up_to_its_patience(rest: Api, wire: Wire, slept: list[float]) -> None:
    site = Pbem(HERE, opener=wire, sleep=slept.append, patience=10)
    wire.first = [problem_answer(429, "too_many", **{"Retry-After": "7"})]
    assert site.games()
    assert slept == [7]
    wire.first = [problem_answer(429, "too_many", **{"Retry-After": "3600"})]
    with pytest.raises(Refused, match="429"):
        site.games()
    wire.first = [problem_answer(503, "busy", **{"Retry-After": "4"}) for _ in range(3)]
    with pytest.raises(Refused, match="503"):
        site.games()
    assert slept == [7, 4, 4]


def test_the_client_does_not_retry_an_unavailable_game(wire: Wire, slept: list[float]) -> None:
    wire.first = [problem_answer(503, "game_unavailable", **{"Retry-After": "600"})]
    with pytest.raises(Refused, match="503 game_unavailable"):
        Pbem(HERE, opener=wire, sleep=slept.append, patience=3600).match("m1").sheet()
    assert slept == []


def test_the_client_gives_up_on_a_server_that_never_answers(wire: Wire, slept: list[float]) -> None:
    wire.first = [URLError("refused") for _ in range(99)]
    with pytest.raises(URLError):
        Pbem(HERE, opener=wire, sleep=slept.append, patience=5).games()
    assert sum(slept) <= 5
    assert len(slept) > 1


def test_a_proxys_error_page_is_raised_as_an_error_without_a_code(wire: Wire) -> None:
    wire.first = [Answer(502, {}, b"<h1>Bad Gateway</h1>")]
    with pytest.raises(Refused) as refused:
        Pbem(HERE, opener=wire).games()
    assert (refused.value.status, refused.value.code) == (502, "")
    assert "Bad Gateway" in refused.value.detail


def test_the_client_follows_no_redirect_and_refuses_other_url_schemes(wire: Wire) -> None:
    wire.first = [Answer(302, {"Location": "http://elsewhere.example/"}, b"")]
    with pytest.raises(Refused, match="302"):
        Pbem(HERE, "secret", opener=wire).games()
    assert len(wire.seen) == 1
    with pytest.raises(ValueError, match="http"):
        Pbem("file:///etc", "secret")


def test_the_client_previews_a_move_without_playing_it(alice: Match) -> None:
    question = alice.ask()
    foreseen = alice.preview(question, question["legal"][0])
    assert foreseen["move"] == question["legal"][0]["move"]
    assert [event["type"] for event in foreseen["events"]] == ["AllyChosen"]
    assert alice.ask() == question


def test_the_client_reads_the_list_of_matches_page_by_page(wire: Wire) -> None:
    pages = [{"matches": [{"id": "b"}, {"id": "a"}], "next": "x y"}, {"matches": [{"id": "9"}], "next": None}]
    wire.first = [Answer(200, {}, json.dumps(page).encode()) for page in pages]
    assert [brief["id"] for brief in Pbem(HERE, "t", opener=wire).matches(turn="true")] == ["b", "a", "9"]
    assert [request.selector for request in wire.seen] == [
        "/api/v1/me/matches?turn=true", "/api/v1/me/matches?turn=true&after=x+y",
    ]  # fmt: skip


def bot() -> ModuleType:
    """The example's module."""
    path = Path(__file__).parents[2] / "examples" / "bot.py"
    spec = spec_from_file_location("example_bot", path)
    assert isinstance(spec, ModuleSpec)
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_example_bot_plays_a_match_to_its_end_and_the_log_is_followed(rest: Api, table: Table) -> None:
    wire = Wire(rest, between=lambda: play_quick_bots(rest.site))
    match = Pbem(HERE, rest.token("play", table.id, 0), opener=wire, sleep=lambda _: None).match(table.id)
    assert bot().play(match) > 0
    assert match.sheet()["status"] == "over"
    entries = list(match.follow())
    assert [entry["n"] for entry in entries] == list(range(1, match.sheet()["version"] + 1))
    assert match.log()["viewer"] == "all"


@pytest.mark.long
def test_the_example_bot_moves_in_every_match_that_waits_for_its_player(rest: Api, table: Table, wire: Wire) -> None:
    other = against_bots(rest)
    site = Pbem(HERE, make_program(rest, "Alice", ["read", "play"]).token, opener=wire)
    waiting = bot().turns(site)
    assert {match.id for match in waiting} == {table.id, other.id}
    for match in waiting:
        bot().answer_once(match)
    assert bot().turns(site) == []
    with pytest.raises(Refused, match="insufficient_scope"):
        site.create("hogen", body_of_match()["seats"])


def test_the_example_bot_moves_as_soon_as_any_match_waits_for_its_player(
    rest: Api, table: Table, slept: list[float]
) -> None:
    wire = Wire(rest, between=lambda: play_quick_bots(rest.site))
    site = Pbem(HERE, make_program(rest, "Alice", ["read", "play"]).token, opener=wire, sleep=slept.append)
    answered = bot().stay(site)
    assert [next(answered) for _ in range(2)] == [table.id] * 2
    wire.first = [URLError("the site is gone for a moment")]
    assert next(answered) == table.id
    streams = [request for request in wire.seen if request.full_url.endswith("/me/stream")]
    assert [bool(request.get_header("Last-event-id")) for request in streams[:2]] == [False, True]
    assert set(slept) == {1.0}


def test_a_reconnecting_follower_hears_of_gone_matches_and_each_end_once(wire: Wire) -> None:
    at_first = [message_of_match(name) for name in "abcd"]
    wire.first = [
        stream_of_messages(*at_first, message_of_matches("abcd"), message_of_match("d", "over")),
        stream_of_messages(
            message_of_match("a"), message_of_match("b", "over"), message_of_match("d", "over"), message_of_matches("a")
        ),
        stream_of_messages(
            message_of_match("a"), message_of_match("b", "over"), message_of_match("c"), message_of_matches("ac")
        ),
    ]
    told = Pbem(HERE, "t", opener=wire, sleep=lambda _: None).follow()
    c_again = [*(data for _, data in at_first), {"id": "d", "status": "over"}, {"id": "b", "status": "over"}]
    assert [next(told) for _ in range(8)] == [*c_again, {"id": "c", "gone": True}, {"id": "c", "status": "running"}]


def message_of_match(match_id: str, status: str = "running") -> tuple[str, dict[str, object]]:
    """The message of how a match stands."""
    return "match", {"id": match_id, "status": status}


def message_of_matches(ids: str) -> tuple[str, dict[str, object]]:
    """The message of the matches that go on."""
    return "current", {"matches": list(ids)}


def stream_of_messages(*messages: tuple[str, dict[str, object]]) -> Answer:
    """A stream of these messages, which then ends."""
    body = "".join(f"event: {event}\ndata: {json.dumps(data)}\n\n" for event, data in messages)
    return Answer(200, {}, body.encode())


def test_following_all_matches_without_the_read_scope_raises(rest: Api, table: Table, wire: Wire) -> None:
    with pytest.raises(Refused, match="insufficient_scope"):
        next(Pbem(HERE, make_program(rest, "Alice", ["play"]).token, opener=wire).follow())


def test_the_example_bot_without_a_token_prints_its_usage(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("PBEM_TOKEN", raising=False)
    assert bot().main([]) == 2
    assert "PBEM_TOKEN" in capsys.readouterr().err


def test_the_client_reads_saves_stops_orders_and_sends_them_with_a_move(alice: Match) -> None:
    version = alice.sheet()["version"]
    assert alice.order(version, ["act: call F for match"])["orders"][0]["text"] == "act: call F for match"
    assert [order["text"] for order in alice.orders()["orders"]] == ["act: call F for match"]
    alice.stop_orders()
    assert alice.orders()["orders"] == []
    question = next(alice.questions())
    ally = question["legal"][0]
    order = f"act: call {'F' if ally['move']['card'][0] == 'M' else 'M'} for match"
    told = alice.play(question, ally, orders=[order])
    assert [one["outcome"] for one in told["answers"]] == ["played"]
    assert [order["text"] for order in alice.orders()["orders"]] == [order]


def test_two_answers_in_one_move_raise_in_a_game_without_sittings(alice: Match) -> None:
    question = next(alice.questions())
    with pytest.raises(Refused) as refused:
        alice.play(question, question["legal"][0], "call F")
    assert refused.value.code == "invalid", "a match of Hogen has no sittings"


def test_an_organiser_pairs_a_season_and_reads_its_results(rest: Api, hogen: Table, wire: Wire) -> None:
    alice, bob = (Pbem(HERE, make_program(rest, name).token, opener=wire) for name in ("Alice", "Bob"))
    terms = {"pairing": "organiser", "seats": 2, "matches": 1, "rest_days": None}
    wire.lost_answers = 1
    league = alice.found_league("Spring cup", "allegeance", terms=terms)
    season = alice.season(league["seasons"][0]["id"])
    assert season.enter("Alice")["status"] == bob.season(season.id).enter("Bob")["status"] == "entered"
    assert season.invite([{"name": "Carol", "email": "carol@example.org"}]) == 1
    ids = {one["name"]: one["id"] for one in season.entrants()}
    assert list(ids) == ["Alice", "Bob"]
    assert season.start()["status"] == "running"
    (match,) = season.pair([[ids["Bob"], ids["Alice"]]])
    json_of(rest.caller(rest.token("play", match["id"], 1)).post(f"/matches/{match['id']}/resign", {}))
    tallying.tally_matches(rest.site)
    feed.publish_results(rest.site)
    (result,) = season.results()["results"]
    assert [(seat["entrant"], seat["place"]) for seat in result["seats"]] == [(ids["Bob"], 1), (ids["Alice"], 2)]
    assert season.results(result["number"])["results"] == []
    season.close()
    seasons.sweep_seasons(rest.site)
    sheet = season.sheet()
    assert (sheet["status"], [one["name"] for one in sheet["divisions"][0]["standings"]]) == (
        "closed",
        ["Bob", "Alice"],
    )


def test_a_deal_shared_by_two_rounds_is_listed_once_in_the_season(
    rest: Api, hogen: Table, wire: Wire
) -> None:  # fmt: skip
    alice = Pbem(HERE, make_program(rest, "Alice").token, opener=wire)
    league = alice.found_league("Spring cup", "allegeance", terms={"pairing": "organiser", "seats": 2})
    season = alice.season(league["seasons"][0]["id"])
    season.enter("Alice")
    alice.send("POST", f"/seasons/{season.id}/entrants", {"bot": "random", "number": 3})
    one, two, three, four = (entrant["id"] for entrant in season.entrants())
    season.start()
    season.pair([[one, two]])
    shared = season.pair([[one, two], [three, four]], same_deal=True)
    assert [match["round"] for match in shared] == [2, 1]
    (deal,) = season.sheet()["deals"]
    assert (deal["id"], deal["division"], deal["round"], deal["tables"]) == (shared[0]["deal"], 1, 1, 2)
