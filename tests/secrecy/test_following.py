"""Waiting reveals nothing: in two worlds that look alike, a follower gets the same bytes at the same moments."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from pbem.api.protocol import waiting
from pbem.kit.contract import AnyGame, Viewer
from pbem.run import gateway
from tests.harness.followers import Followers
from tests.secrecy.received import (
    Received,
    a_match_with_other_worlds,
    authorization_header,
    client_of,
    compare_received,
    copy_with,
    full_log,
    personal_bearer,
    tables_to_compare,
    worlds_of,
)
from tests.table import House, submit_answer


@pytest.fixture(autouse=True)
def short_streams(monkeypatch: pytest.MonkeyPatch) -> None:
    """Streams end soon after their first comment that nothing has happened, and none by chance sooner."""
    monkeypatch.setattr(waiting, "LONGEST_S", gateway.ALIVE_S + 3)
    monkeypatch.setattr(waiting, "SPREAD", 0)


@pytest.mark.long
@pytest.mark.parametrize(("game", "at", "everybody"), tables_to_compare(left=(0, 2)))
def test_followers_get_the_same_at_the_same_time_in_worlds_they_see_alike(
    game: AnyGame, at: int, everybody: bool, house: House, tmp_path: Path
) -> None:
    match_id, pairs = a_match_with_other_worlds(house, game, at, everybody)
    for number, (viewer, other) in enumerate(pairs):
        true = full_log(house, match_id)
        told = [
            follow_viewer(copy_with(house, match_id, log, tmp_path / f"{number}{name}"), match_id, viewer)
            for name, log in (("here", true), ("there", other))
        ]
        compare_received(*told)


def follow_viewer(house: House, match_id: str, viewer: Viewer) -> Received:
    """Returns what the viewer receives, and when, while they wait and while they make a blind move."""
    client_of(house)
    assert house.app is not None
    version = house.view(match_id, viewer).sheet.version
    out: Received = {}
    waits = ("events?wait=3", f"events?after={version}&wait=3", "events/stream", f"events/stream?after={version - 1}")
    paths = [(f"/api/v1/matches/{match_id}/{path}", authorization_header(house, match_id, viewer)) for path in waits]
    if viewer is not None:
        paths.append(("/api/v1/me/stream", personal_bearer(house, viewer)))
    for happens in (lambda: None, *blind_move(house, match_id, viewer)):
        for path, token in paths:
            followers = Followers(house.app)
            got = followers.get(path, token, {1.75: happens})
            assert got.status_code in (200, 204)
            out[f"{path} {len(out)}"] = (got.status_code, followers.pieces, got.headers.get("ETag"), followers.at)
    house.site.engine.dispose()
    return out


def blind_move(house: House, match_id: str, viewer: Viewer) -> list[Callable[[], None]]:
    """Returns a function that plays the viewer's first blind move once; it does nothing if they have none."""
    view = house.view(match_id, viewer)
    blind = worlds_of(view.game.meta.slug).BLIND_MOVES
    found = [move for move in view.legal() if type(move).__name__ in blind][:1]
    ask = view.ask
    if ask is None or not found:
        return []

    def play() -> None:
        if found:
            submit_answer(house.site, match_id, ask.seat, ask.key, found.pop(), "api")

    return [play]


@pytest.mark.long
def test_the_comparison_of_followers_notices_worlds_that_differ(house: House, tmp_path: Path) -> None:
    """The comparison can fail: Alice's own hand differs in a world that only Bob cannot tell from the true one."""
    match_id = house.begin(3)
    other = next(iter(worlds_of("hogen").worlds(full_log(house, match_id), 1, 1)))
    logs = (("here", full_log(house, match_id)), ("there", other))
    told = [follow_viewer(copy_with(house, match_id, log, tmp_path / name), match_id, 0) for name, log in logs]
    with pytest.raises(AssertionError, match="two worlds differ"):
        compare_received(*told)
