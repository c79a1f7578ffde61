"""The secrecy law, end to end: on two worlds that differ only in what a viewer may not see, everything he can
receive is byte-equal: pages, API answers with their headers, refusals, previews, mails with their pictures.

A world is a copy of the database in which the log says other hidden cards; ids, secret, clock and outbox are the
same. What a move brings may differ where the rules themselves let it (who passes after a call), so only the moves
that a game's `worlds` module names in `BLIND_MOVES` are played in both worlds and compared.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient
from sqlalchemy import text

from pbem import create_app
from pbem.games import all_games
from pbem.rules.chance import SeedChance
from pbem.rules.choices import draw
from pbem.rules.codec import encode
from pbem.rules.contract import Viewer
from pbem.rules.replay import AnyEntry
from pbem.services import menus, moves, store
from tests.table import CAST, House, Outgoing, address_of, open_house

Received = dict[str, Any]


@pytest.fixture
def house(sqlite_url: str, tmp_path: Path) -> Iterator[House]:
    """The true world."""
    yield from open_house(sqlite_url, tmp_path)


@pytest.mark.parametrize("seats", [3, 4])
@pytest.mark.parametrize("slug", sorted(all_games()))
@pytest.mark.parametrize("length", [0, 2, 6, 14])
def test_two_worlds_that_look_alike_are_alike_in_every_byte(
    slug: str, seats: int, length: int, house: House, tmp_path: Path
) -> None:
    game = all_games()[slug]
    if seats not in game.meta.seats:
        pytest.skip(f"{slug} is not played by {seats}")
    worlds = worlds_of(slug)
    match_id = house.begin(seats, slug)
    play_randomly(house, match_id, length)
    entries = full_log(house, match_id)
    compared = 0
    for viewer in (None, *range(seats)):
        for number, other in enumerate(worlds.worlds(entries, viewer, 1)):
            there = copy_with(house, match_id, other, tmp_path / f"{viewer}-{number}")
            for here in (house, there):
                reopen_mail(here, viewer)
            compare(received(house, match_id, viewer), received(there, match_id, viewer))
            here_after = after_a_move(house, tmp_path, match_id, viewer, worlds.BLIND_MOVES)
            compare(here_after, after_a_move(there, tmp_path, match_id, viewer, worlds.BLIND_MOVES))
            there.site.engine.dispose()
            compared += 1
    assert compared or length > 6, "early in a match there are always other worlds"


def worlds_of(slug: str) -> Any:
    """The game's module of worlds: `worlds(entries, viewer, limit)`, `BLIND_MOVES` and `TRIES`."""
    return importlib.import_module(f"tests.games.{slug.replace('-', '_')}.worlds")


def play_randomly(house: House, match_id: str, length: int) -> None:
    """Plays so many random moves, or until the match is over."""
    for at in range(length):
        asks = house.asked(match_id)
        if not asks:
            return
        luck = SeedChance(bytes(31) + bytes([length]), at, "bot")
        ask = luck.pick(asks)
        view = house.view(match_id, ask.seat)
        weights = {**view.game.meta.weights, "Declare": 3}
        moves.submit(house.site, match_id, ask.seat, ask.key, draw(view.legal(), weights, luck), "api")


def full_log(house: House, match_id: str) -> list[AnyEntry]:
    """The log with nothing hidden."""
    with house.site.reading() as session:
        match = store.get_match(session, match_id)
        return store.load_entries(session, match_id, store.game_of(match))


def copy_with(house: House, match_id: str, entries: Sequence[AnyEntry], folder: Path) -> House:
    """A copy of the house in which the match has this log."""
    folder.mkdir(exist_ok=True)
    path = folder / "pbem.db"
    with house.site.engine.connect() as connection:
        path.unlink(missing_ok=True)
        connection.exec_driver_sql("COMMIT")
        connection.exec_driver_sql(f"VACUUM INTO '{path}'")
        connection.exec_driver_sql("BEGIN")
    other = next(open_house(f"sqlite:///{path}", folder))
    other.clock.at = house.clock.at
    with other.site.engine.begin() as connection:
        connection.execute(text("DELETE FROM snapshots"))
        for entry in entries:
            connection.execute(
                text("UPDATE entries SET event = :event WHERE match_id = :match AND n = :n"),
                {"event": encode(entry.event).decode(), "match": match_id, "n": entry.n},
            )
    return other


def reopen_mail(house: House, viewer: Viewer) -> None:
    """Makes the viewer's newest turn or end mail due again, and nothing else."""
    with house.site.engine.begin() as connection:
        connection.execute(text("UPDATE outbox SET done_at = created_at, result = 'sent'"))
        newest = "SELECT max(id) FROM outbox WHERE seat = :seat AND kind IN ('turn', 'over')"
        again = f"UPDATE outbox SET done_at = NULL, result = NULL, claimed_until = NULL WHERE id = ({newest})"
        connection.execute(text(again), {"seat": -1 if viewer is None else viewer})


def client_of(house: House) -> FlaskClient:
    """A client of the house without cookies; its application is made once."""
    if house.app is None:
        house.app = create_app(site=house.site)
    return house.app.test_client(use_cookies=False)


def received(house: House, match_id: str, viewer: Viewer) -> Received:
    """Everything the viewer can get without changing the match."""
    client = client_of(house)
    out: Received = {}
    for path in [*api_paths(match_id), *page_paths(house, match_id, viewer)]:
        out[path] = answer(client, path, bearer(house, match_id, viewer) if "/api/" in path else {})
    for name, body in refused_bodies(house, match_id, viewer):
        response = client.post(f"/api/v1/matches/{match_id}/moves", json=body, headers=bearer(house, match_id, viewer))
        out[name] = (response.status_code, response.data)
        assert response.status_code >= 400, name
    out["mail"] = mail_to(house, viewer)
    return out


def api_paths(match_id: str) -> list[str]:
    """Every API address that shows something of a match."""
    match = f"/api/v1/matches/{match_id}"
    parts = ("state", "events", "events?after=2", "ask", "ask?limit=500", "log")
    return [match, *(f"{match}/{part}" for part in parts)]


def page_paths(house: House, match_id: str, viewer: Viewer) -> list[str]:
    """Every page that shows something of a match, with every first choice made."""
    if viewer is None:
        return [f"/match/{match_id}", f"/replay/{match_id}", f"/replay/{match_id}/frames.json"]
    play = f"/play/{house.token('play', match_id, viewer)}"
    view = house.view(match_id, viewer)
    key = view.ask.key if view.ask else ""
    paths = [play, f"{play}?lang=en", f"{play}/replay", f"{play}/replay/frames.json", f"{play}?ask=t0.old"]
    for lang in ("fr", "en"):
        for option in menus.menu(view, lang, ()).options[:6]:
            paths.append(f"{play}?lang={lang}&ask={key}&pick={','.join(option.picks)}")
    return [*paths, *(f"{play}/replay?step={n}" for n in (1, 3, 6))]


def refused_bodies(house: House, match_id: str, viewer: Viewer) -> Iterator[tuple[str, dict[str, Any]]]:
    """Moves that the viewer may not make: none of them may tell him anything."""
    view = house.view(match_id, viewer)
    key = view.ask.key if view.ask else "t0.none"
    tries = worlds_of(view.game.meta.slug).TRIES
    for move in tries:
        if move not in view.legal():
            yield f"illegal {move}", {"key": key, "text": view.game.format(move)}
    for move in tries[::12]:
        yield f"stale {move}", {"key": "t0.none", "text": view.game.format(move)}


def after_a_move(house: House, folder: Path, match_id: str, viewer: Viewer, blind: Sequence[str]) -> Received:
    """The receipt of the viewer's first move of a blind kind, played on a copy; {} where he has none."""
    view = house.view(match_id, viewer)
    move = next((m for m in view.legal() if type(m).__name__ in blind), None)
    if view.ask is None or move is None:
        return {}
    copy = copy_with(house, match_id, full_log(house, match_id), folder / "played")
    client = client_of(copy)
    body = {"key": view.ask.key, "text": view.game.format(move)}
    response = client.post(f"/api/v1/matches/{match_id}/moves", json=body, headers=bearer(copy, match_id, viewer))
    assert response.status_code == 201, response.data
    out = {"receipt": response.data, **received(copy, match_id, viewer)}
    copy.site.engine.dispose()
    return out


def bearer(house: House, match_id: str, viewer: Viewer) -> dict[str, str]:
    """The header that says who asks."""
    return {} if viewer is None else {"Authorization": f"Bearer {house.token('play', match_id, viewer)}"}


def answer(client: FlaskClient, path: str, headers: dict[str, str]) -> tuple[int, list[tuple[str, str]], bytes]:
    """Status, headers and body; the request id and the server's date are new each time and tell nothing."""
    response = client.get(path, headers=headers)
    assert response.status_code < 500, path
    headers_kept = [h for h in response.headers if h[0] not in ("X-Request-ID", "Date")]
    kept = [(name, re.sub(r"Expires=[^;]+;", "", value)) for name, value in headers_kept]
    return response.status_code, kept, response.data


def mail_to(house: House, viewer: Viewer) -> list[bytes]:
    """The mails that the viewer gets now, with their pictures."""
    post = Outgoing()
    house.mail = post
    house.drain()
    if viewer is None:
        assert not post.sent
        return []
    return [bytes(message) for message in post.to(address_of(CAST[viewer]))]


def compare(here: Received, there: Received) -> None:
    """Fails, naming the place, where the two worlds differ."""
    assert here.keys() == there.keys(), "two worlds differ in what there is to see"
    for place in here:
        assert here[place] == there[place], f"two worlds differ in {place}"


def test_worlds_that_do_differ_for_a_viewer_are_told_apart(house: House, tmp_path: Path) -> None:
    """The comparison itself can fail: what Bob may not see, Alice may."""
    worlds = worlds_of("hogen")
    match_id = house.begin(3)
    other = next(iter(worlds.worlds(full_log(house, match_id), 1, 1)))
    there = copy_with(house, match_id, other, tmp_path / "there")
    with pytest.raises(AssertionError, match="two worlds differ"):
        compare(received(house, match_id, 0), received(there, match_id, 0))
    there.site.engine.dispose()
