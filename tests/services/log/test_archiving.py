"""A match that ended a week ago is archived: nobody who looks at it can tell."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from flask import Flask
from sqlalchemy import func, select, text
from sqlmodel import SQLModel, col
from structlog.testing import capture_logs

from pbem.errors import Answered, Gone
from pbem.features.checkpoints import making
from pbem.games import all_games
from pbem.kit.codec import plain
from pbem.kit.contract import AnyGame
from pbem.kit.logs import logfile
from pbem.models.results import ArchiveRow
from pbem.models.tables import AskRow, EntryRow, FoldRow, Match, OrderRow, Player, table
from pbem.services.log import archive, archiving, cancellation, proofs, store
from pbem.services.play import moves
from pbem.services.play.moves import Receipt
from pbem.services.privacy import erasure
from pbem.services.site import Site
from pbem.services.views import match_views
from tests.harness.applications import lend_application
from tests.harness.forms import same_each_time
from tests.services.letterbox import player_of
from tests.table import House, address_of, claim_of, submit_answer

ROWS = (EntryRow, AskRow, FoldRow)


def count_rows(house: House, model: type[SQLModel], match_id: str) -> int:
    with house.site.reading() as session:
        t = table(model)
        return int(session.execute(select(func.count()).where(t.c.match_id == match_id)).scalar_one())


def fresh_process(house: House) -> Site:
    """The same site in a process that has seen nothing yet."""
    return Site(house.site.config, house.site.engine, now=house.clock)


def what_is_shown(house: House, match_id: str, seats: int) -> dict[str, Any]:
    """Everything that is shown of the match, from the first seats and to spectators, by a process that knew nothing."""
    site = fresh_process(house)
    app, out = lend_application(site), dict[str, Any]()
    with site.reading() as session:
        game, last = (
            store.game_by_slug(store.get_match(session, match_id).game),
            store.get_match(session, match_id).version,
        )
        answered = [
            (ask.key, ask.seat) for ask in [*session.exec(_asks(match_id)), *archive.asks_in_archive(session, match_id)]
        ]
    asked = sorted({*answered})
    match, client = f"/api/v1/matches/{match_id}", app.test_client(use_cookies=False)
    api = ["", "/state", "/events", f"/events?after={last - 3}", "/events?after=2", "/ask", "/story", "/log", "/orders"]
    api.append("/checkpoint")
    paths = [f"/match/{match_id}", f"/replay/{match_id}", f"/replay/{match_id}/frames.json", f"/match/{match_id}/luck"]
    for viewer in (None, *range(seats)):
        token = None if viewer is None else house.token("play", match_id, viewer)
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        out |= {f"{viewer} {one}": _get(client, match + one, headers) for one in api}
        if token is not None:
            play, own = f"/play/{token}", [key for key, seat in asked if seat == viewer]
            paths += [play, f"{play}?lang=en", f"{play}/replay", f"{play}/luck", f"{play}/talk"]
            paths += [f"{play}/plan", f"{play}/orders", f"{play}/replay/log", f"{play}/replay/frames.json"]
            paths += [f"{play}?ask={key}" for key in (own[0], own[-1], "t0.old")]
            out[f"{viewer} account"] = _account(app, site, viewer)
    out |= {path: _get(client, path, {}) for path in paths}
    out["log"] = logfile.log_to_bytes(match_views.read_log(site, match_id, None))
    assert game.meta.slug.encode() in out["log"]
    return out


def _asks(match_id: str) -> Any:
    return select(col(AskRow.key), col(AskRow.seat)).where(col(AskRow.match_id) == match_id)


def _get(client: Any, path: str, headers: dict[str, str]) -> tuple[int, list[tuple[str, str]], bytes]:
    response = client.get(path, headers=headers)
    assert response.status_code < 500, path
    kept = [(name, re.sub(r"Expires=[^;]+;", "", value)) for name, value in response.headers]
    told = [(name, value) for name, value in kept if name not in ("X-Request-ID", "Date", "Content-Length")]
    return response.status_code, told, same_each_time(response.data)


def _account(app: Flask, site: Site, seat: int) -> list[bytes]:
    """The player's list of matches, and the record with how fast they answer."""
    client = app.test_client()
    name = ("Alice", "Bob", "Carol", "Dave")[seat]
    with site.reading() as session:
        player = session.execute(
            select(col(Player.id), col(Player.epoch)).where(col(Player.canonical) == address_of(name))
        ).one()
    client.post(f"/account/{site.tokens.for_account(player[0], player[1], site.now())}")
    return [same_each_time(client.get(path).data) for path in ("/", "/me/results")]


def match_over(house: House, game: str, seats: int) -> str:
    """A match that is over, whose players took their time."""
    match_id = house.begin(seats, game)
    house.drain()
    for at in range(5000):
        asks = house.asks(match_id)
        if not asks:
            break
        house.clock.forward(seconds=37 + 61 * (at % 9))
        house.bot_plays(match_id, asks[0].seat, at)
    house.clock.forward(days=7)
    return match_id


SHORT_RUN = ("hogen",)
"""The games of the short run: the archive knows no game, so one of few moves stands for all."""


def games() -> list[Any]:
    """All games as each of their seats sees them, for the long run; in the short run one game as one seat sees it."""
    short = [pytest.param(all_games()[slug], 1, id=f"{slug}-one-seat") for slug in SHORT_RUN]
    each = sorted(all_games().items())
    return short + [pytest.param(game, min(game.meta.seats), id=slug, marks=pytest.mark.long) for slug, game in each]


@pytest.mark.long
@pytest.mark.parametrize(("game", "looking"), games())
def test_an_archived_match_is_shown_exactly_as_before(game: AnyGame, looking: int, house: House) -> None:
    match_id = match_over(house, game.meta.slug, min(game.meta.seats))
    making.make_checkpoint_of_today(house.site)
    before = what_is_shown(house, match_id, looking)
    assert before["None /checkpoint"][0] == 200
    assert archiving.archive_matches(house.site) == 1
    assert [count_rows(house, model, match_id) for model in (*ROWS, ArchiveRow)] == [0, 0, 0, 1]
    after = what_is_shown(house, match_id, looking)
    assert before.keys() == after.keys()
    assert [path for path in before if before[path] != after[path]] == []


def end_match(house: House) -> str:
    """A short match that has just ended."""
    match_id = house.begin(3)
    house.play_out(match_id)
    return match_id


def count_archived(house: House) -> set[str]:
    with house.site.reading() as session:
        kept = set(session.execute(select(col(ArchiveRow.match_id))).scalars())
        marked = select(col(Match.id)).where(col(Match.archived_at).is_not(None))
        assert kept == set(session.execute(marked).scalars())
    return kept


@pytest.mark.long
def test_only_matches_that_ended_a_week_ago_are_archived(house: House) -> None:
    old, off, running = end_match(house), house.begin(3), house.begin(3)
    cancellation.cancel_match_for_host(house.site, off)
    house.clock.forward(days=1)
    young = end_match(house)
    house.clock.forward(days=6)
    assert archiving.archive_matches(house.site) == 1
    assert count_archived(house) == {old}
    assert archiving.archive_matches(house.site) == 0
    assert all(count_rows(house, EntryRow, match_id) for match_id in (off, running, young))


@pytest.mark.on_postgresql
def test_a_match_that_fails_to_archive_keeps_its_rows_and_delays_no_other(house: House) -> None:
    first, second, third = (end_match(house) for _ in range(3))
    with house.site.engine.begin() as connection:
        connection.execute(text("UPDATE matches SET version = version + 1 WHERE id = :id"), {"id": first})
        connection.execute(text("DELETE FROM entries WHERE match_id = :id AND n = 2"), {"id": second})
    house.clock.forward(days=8)
    assert archiving.archive_matches(house.site) == 1
    assert count_archived(house) == {third}
    assert count_rows(house, EntryRow, first)
    assert count_rows(house, AskRow, second)


def test_archiving_that_fails_logs_its_traceback_once_and_then_a_line(house: House) -> None:
    match_id = end_match(house)
    with house.site.engine.begin() as connection:
        connection.execute(text("UPDATE matches SET version = version + 1 WHERE id = :id"), {"id": match_id})
    house.clock.forward(days=8)
    with capture_logs() as lines:
        assert [archiving.archive_matches(house.site) for _ in range(3)] == [0, 0, 0]
    failed = [line for line in lines if line["event"] == "archive.failed"]
    assert {line["match"] for line in failed} == {match_id}
    assert [bool(line.get("exc_info")) for line in failed] == [True, False, False]


@pytest.mark.long
def test_archiving_goes_on_after_each_batch_and_stops_at_its_time_limit(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archiving, "AT_ONCE", 2)  # of those that ended at one moment, one is in the second batch
    same = [end_match(house) for _ in range(3)]
    house.clock.forward(hours=1)
    later = [end_match(house)]
    broken = min(same)
    with house.site.engine.begin() as connection:
        connection.execute(text("UPDATE matches SET version = version + 1 WHERE id = :id"), {"id": broken})
    house.clock.forward(days=8)
    monkeypatch.setattr(archiving, "RUN_S", -1.0)
    assert archiving.archive_matches(house.site) == 0
    monkeypatch.setattr(archiving, "RUN_S", 600.0)
    assert archiving.archive_matches(house.site) == 3
    assert count_archived(house) == {*same, *later} - {broken}


def test_two_runs_at_once_archive_each_match_once(house: House) -> None:
    ids = {end_match(house) for _ in range(3)}
    house.clock.forward(days=8)
    with ThreadPoolExecutor(2) as pool:
        done = [*pool.map(lambda _: archiving.archive_matches(house.site), range(2))]
    assert sum(done) == len(ids)
    assert count_archived(house) == ids


def test_a_repeated_move_in_an_archived_match_gets_its_first_receipt(house: House) -> None:
    match_id = house.begin(3)
    ask = house.asks(match_id)[0]
    move, other, *_ = reversed(house.view(match_id, ask.seat).legal())
    submit_answer(house.site, match_id, ask.seat, ask.key, move, "api")
    house.play_out(match_id)
    house.drain()
    house.clock.forward(days=8)
    with house.site.writing() as work:
        work.add(OrderRow(match_id=match_id, seat=ask.seat, version=50, via="api", body="[]"))  # saved after this move

    def again(ordered: list[str] | None) -> Receipt:
        return moves.play_answer(
            fresh_process(house), claim_of(house.site, match_id, ask.seat), ask.key, plain(move), "api", ordered=ordered
        )

    before = again(None)
    assert again(["orders"]) == before
    assert archiving.archive_matches(house.site) == 1
    assert again(None) == again(["orders"]) == before
    with pytest.raises(Answered):
        submit_answer(fresh_process(house), match_id, ask.seat, ask.key, other, "api")
    with pytest.raises(Gone):
        submit_answer(fresh_process(house), match_id, ask.seat, "t0.none", move, "api")


@pytest.mark.long
def test_erasing_a_player_changes_no_archive_and_leaves_no_name(house: House) -> None:
    match_id = end_match(house)
    house.clock.forward(days=8)
    assert archiving.archive_matches(house.site) == 1
    before = logfile.log_to_bytes(match_views.read_log(fresh_process(house), match_id, None))
    erasure.erase_player(house.site, player_of(house, "Alice").id or 0)
    sheet = match_views.read_sheet(fresh_process(house), match_id, None)
    assert [seat.name for seat in sheet.seats] == ["(A)", "Bob", "Carol"]
    assert logfile.log_to_bytes(match_views.read_log(fresh_process(house), match_id, None)) == before


def test_archiving_a_match_leaves_its_hash_chain_unchanged(house: House) -> None:
    match_id = end_match(house)
    with house.site.reading() as session:
        before = proofs.read_seals(session, match_id), proofs.read_seals(session, match_id, 2, 4)
    house.clock.forward(days=8)
    archiving.archive_matches(house.site)
    with house.site.reading() as session:
        after = proofs.read_seals(session, match_id), proofs.read_seals(session, match_id, 2, 4)
    assert before == after
    assert [n for n, _, _ in after[1]] == [3, 4]


@pytest.mark.long
def test_archiving_a_match_leaves_each_seats_questions_unchanged(house: House) -> None:
    match_id = end_match(house)
    before = [asks_of(house, match_id, seat) for seat in range(3)]
    house.clock.forward(days=8)
    archiving.archive_matches(house.site)
    assert all(before)
    assert [asks_of(house, match_id, seat) for seat in range(3)] == before


def asks_of(house: House, match_id: str, seat: int) -> list[tuple[Any, ...]]:
    """What is told of a seat's asks: key, origin, answer, and the entries that opened and closed them."""
    with house.site.reading() as session:
        asks = store.asks_of_seat(session, match_id, seat)
        return [(ask.key, ask.origin, ask.answer, ask.opened_n, ask.first_n, ask.last_n) for ask in asks]
