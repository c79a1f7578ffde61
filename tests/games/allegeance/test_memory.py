"""Closed memory in the service: no page, mail, API answer or replay names a covered card again."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pbem.games.allegeance import GAME
from pbem.games.allegeance.facts import Announced, TurnBegan
from pbem.games.allegeance.facts_state import Table
from pbem.games.samurai import CARDS
from pbem.kit.chance import SeedChance
from pbem.kit.choices import draw_random_move
from pbem.kit.contract import Viewer
from pbem.kit.logs import logfile
from pbem.kit.replay import AnyEntry, full_fold, turn_of_key
from pbem.services.log import store
from pbem.services.views import match_views, replays
from tests.games.allegeance.worlds import cards_in
from tests.harness.applications import lend_application
from tests.table import CAST, House, Outgoing, address_of, deadline_of, open_house, submit_answer


@pytest.fixture
def house(sqlite_url: str, tmp_path: Path) -> Iterator[House]:
    yield from open_house(sqlite_url, tmp_path)


def entries_of(house: House, match_id: str) -> list[AnyEntry]:
    """The log with nothing hidden."""
    with house.site.reading() as session:
        return store.load_entries(session, match_id, GAME)


def play_random_moves(house: House, match_id: str, decisions: int, luck: str = "play") -> None:
    """Plays this many random moves."""
    for at in range(decisions):
        chance = SeedChance(luck.encode().ljust(32, b"."), at + 1, "bot")
        asks = house.asks(match_id)
        if not asks:
            return
        ask = chance.pick(asks)
        move = draw_random_move(house.view(match_id, ask.seat).legal(), GAME.meta.weights, chance)
        submit_answer(house.site, match_id, ask.seat, ask.key, move, "api")


def cards_allowed(entries: list[AnyEntry], viewer: Viewer) -> set[str]:
    """The viewer's permitted cards: open, banned, their own, or revealed since their last turn began."""
    state = full_fold(GAME, entries)
    own = [turn_of_key(e.key) for e in entries if e.key and e.by.seat == viewer and viewer is not None]
    turns = [turn_of_key(e.key) for e in entries if e.key]
    since = turns.index(own[-1]) if own else 0
    now = f"r{state.round}.t{state.turn}"
    if viewer is None:
        since = turns.index(now) if now in turns else len(turns)
    fresh = [e for e in entries if e.key][since:] if viewer is not None or now in turns else []
    known = {card for e in fresh if not isinstance(e.event, TurnBegan) for card in cards_in(e.event)}
    if viewer is not None and not own:
        known = set(CARDS)
    held = set() if viewer is None else cards_in(state.hands[viewer])
    return known | held | cards_in(state.palace[-1:]) | cards_in(state.banned)


def cards_in_text(text: str) -> set[str]:
    """The cards named in a text, except in addresses of links and paths of drawings."""
    bare = re.sub(r'\b(d|href|src|action|value|content)="[^"]*"|\bd=\\"[^"]*"|https?://\S+|"key":\s*"[^"]*"', "", text)
    return set(re.findall(r"(?<![\w-])[FMTB][1-4](?![\w-])", bare))


def pages_shown(house: House, match_id: str, viewer: Viewer) -> dict[str, str]:
    """Everything the viewer may open, except the list of all cards that may be announced."""
    if house.app is None:
        house.app = lend_application(house.site)
    client = house.app.test_client(use_cookies=False)
    api, headers = f"/api/v1/matches/{match_id}", {}
    pages = [f"/match/{match_id}", f"/replay/{match_id}", f"/replay/{match_id}/frames.json"]
    if viewer is not None:
        token = house.token("play", match_id, viewer)
        headers = {"Authorization": f"Bearer {token}"}
        pages = [f"/play/{token}/replay", f"/play/{token}/replay/frames.json"]
        pages += [f"/play/{token}/replay?step={n}" for n in (2, 5, 9, 14)]
        view = house.view(match_id, viewer)
        if view.ask is None or view.ask.kind != "announce":
            pages += [f"/play/{token}", f"/play/{token}?lang=fr"]
    out = {}
    for path in [api, *(f"{api}/{part}" for part in ("state", "events", "log")), *pages]:
        response = client.get(path, headers=headers if path.startswith("/api") else {})
        assert response.status_code == 200, path
        out[re.sub(r"/play/[^/?]+", "/play/-", path)] = response.get_data(as_text=True)
    return out


EARLY_AND_LATE = ("2-6", "4-34")
"""In the short run an early and a late match."""


@pytest.mark.long
@pytest.mark.parametrize(
    ("seats", "decisions"),
    [
        pytest.param(seats, decisions, marks=() if f"{seats}-{decisions}" in EARLY_AND_LATE else pytest.mark.long)
        for seats in (2, 3, 4)
        for decisions in (6, 13, 21, 34)
    ],
)
def test_no_page_mail_or_api_answer_names_a_covered_card_during_the_match(
    house: House, seats: int, decisions: int
) -> None:
    match_id = house.begin(seats, "allegeance")
    play_random_moves(house, match_id, decisions)
    entries = entries_of(house, match_id)
    for viewer in (None, *range(seats)):
        may = cards_allowed(entries, viewer)
        for place, text in pages_shown(house, match_id, viewer).items():
            assert cards_in_text(text) <= may, f"{place} shows {cards_in_text(text) - may} to {viewer}"


@pytest.mark.long
def test_the_api_shows_recent_announcements_while_older_ones_are_hidden(house: House) -> None:
    """The test above could pass on empty pages; here the pages show what a seat may still see."""
    match_id = house.begin(3, "allegeance")
    play_random_moves(house, match_id, 21)
    entries = entries_of(house, match_id)
    covered = {card for e in entries for card in cards_in(e.event) if isinstance(e.event, Announced)}
    assert any(covered - cards_allowed(entries, viewer) for viewer in range(3))
    for viewer in range(3):
        places = pages_shown(house, match_id, viewer)
        recent = {e.event.card for e in entries[-6:] if isinstance(e.event, Announced)}
        assert cards_in_text(places[f"/api/v1/matches/{match_id}/events"]) >= recent


@pytest.mark.long
def test_mails_of_closed_memory_name_only_cards_shown_since_the_last_turn(house: House) -> None:
    match_id = house.begin(3, "allegeance")
    told = 0
    for at in range(30):
        house.clock.forward(minutes=10)
        post = house.mail = Outgoing()
        house.drain()
        entries = entries_of(house, match_id)
        for seat in range(3):
            for message in post.to(address_of(CAST[seat])):
                ask = house.view(match_id, seat).ask
                if ask is not None and ask.kind != "announce":
                    body = message.get_body(("plain",))
                    assert body is not None
                    cards = cards_in_text(body.get_content())
                    assert cards <= cards_allowed(entries, seat)
                    told += len(cards)
        play_random_moves(house, match_id, 1, luck=f"mail {at}")
    assert told > 10


@pytest.mark.long
def test_a_repeated_old_answer_gets_its_receipt_without_cards_hidden_since(house: House) -> None:
    match_id = house.begin(3, "allegeance")
    first = house.asks(match_id)[0]
    move = house.view(match_id, first.seat).legal()[3]
    receipt = submit_answer(house.site, match_id, first.seat, first.key, move, "api")
    assert any(cards_in(e.event) for e in receipt.told.entries)
    play_random_moves(house, match_id, 30)
    again = submit_answer(house.site, match_id, first.seat, first.key, move, "api")
    assert again.repeated
    assert [type(e.event) for e in again.told.entries] == [type(e.event) for e in receipt.told.entries]
    assert not any(cards_in(e.event) for e in again.told.entries)


@pytest.mark.long
def test_the_downloaded_log_of_a_running_match_ends_in_the_viewers_state(house: House) -> None:
    match_id = house.begin(4, "allegeance")
    play_random_moves(house, match_id, 40)
    for viewer in (None, *range(4)):
        log = match_views.read_log(house.site, match_id, viewer)
        again = logfile.read(logfile.log_to_bytes(log), lambda slug: GAME)
        *_, (_, state) = logfile.entries_with_states(again)
        assert state == house.view(match_id, viewer).fold


@pytest.mark.long
def test_after_the_end_spectators_see_the_full_log_and_every_announcement(house: House) -> None:
    match_id = house.begin(3, "allegeance", options={"target": 1})
    play_random_moves(house, match_id, 400)
    assert match_views.read_sheet(house.site, match_id, None).status == "over"
    log = match_views.read_log(house.site, match_id, None)
    assert log.viewer == "all"
    steps = replays.read_replay(house.site, match_id, None, "en").steps
    announced = sum(isinstance(e.event, Announced) for e in log.entries)
    assert sum("announces {" in step.text for step in steps) == announced


@pytest.mark.long
def test_with_open_memory_the_replay_of_a_running_match_names_every_card(house: House) -> None:
    match_id = house.begin(3, "allegeance", options={"memory": "open"})
    play_random_moves(house, match_id, 25)
    entries = entries_of(house, match_id)
    steps = replays.read_replay(house.site, match_id, None, "en").steps
    assert all("makes an announcement" not in step.text for step in steps)
    assert sum("announces {" in s.text for s in steps) == sum(isinstance(e.event, Announced) for e in entries)


@pytest.mark.long
def test_an_answer_window_has_its_own_time_and_a_challenge_closes_it(house: House) -> None:
    match_id = house.begin(4, "allegeance", turn_s=500_000, window_s=7200)
    while house.asks(match_id)[0].kind != "answer":
        play_random_moves(house, match_id, 1, luck="window")
    asks = house.asks(match_id)
    assert len(asks) == 3
    assert {(deadline_of(a) - house.clock()).total_seconds() for a in asks} == {7200}
    active = next(s for s in range(4) if s not in {a.seat for a in asks})
    nearest = next(a for a in asks if a.seat == (active + 1) % 4)
    view = house.view(match_id, nearest.seat)
    submit_answer(house.site, match_id, nearest.seat, nearest.key, GAME.parse("challenge"), "api")
    assert view.ask is not None
    assert [a.kind for a in house.asks(match_id)] == ["announce"]


@pytest.mark.long
def test_the_api_state_of_a_running_match_hides_covered_and_given_cards(house: House) -> None:
    match_id = house.begin(2, "allegeance")
    play_random_moves(house, match_id, 9)
    if house.app is None:
        house.app = lend_application(house.site)
    client = house.app.test_client(use_cookies=False)
    state: dict[str, Any] = json.loads(client.get(f"/api/v1/matches/{match_id}/state").data)["state"]
    true = full_fold(GAME, entries_of(house, match_id))
    assert [len(hand) for hand in state["hands"]] == [len(hand) for hand in true.hands]
    assert state["palace"][-1:] == list(true.palace[-1:])
    assert len(state["palace"]) == len(true.palace)
    assert not any(state["palace"][:-1])
    assert not any(card for hand in state["hands"] for card in hand)
    assert state["banned"] == list(true.banned)
    assert state["tokens"] == list(true.tokens)


def test_the_rule_of_silence_holds_only_with_closed_memory() -> None:
    assert GAME.meta.silence(Table(memory="closed")) is not None
    assert GAME.meta.silence(Table(memory="open")) is None
