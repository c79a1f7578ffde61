"""Previews reveal nothing: in two worlds that look alike, the previews of the same moves are byte-equal, refused
ones included; and so is the player's list of matches by the API.
"""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient
from sqlmodel import select

from pbem.kit.choices import kinds_of
from pbem.kit.codec import plain
from pbem.kit.contract import AnyGame, Viewer
from pbem.models.tables import Player
from tests.secrecy.received import (
    Received,
    a_match_with_other_worlds,
    authorization_header,
    client_of,
    compare_received,
    copy_with,
    full_log,
    tables_to_compare,
    worlds_of,
)
from tests.table import CAST, House, address_of

EACH_KIND = 3
REFUSED = 12


@pytest.mark.long
@pytest.mark.parametrize(("game", "at", "everybody"), tables_to_compare(left=(0, 2)))
def test_previews_and_lists_are_alike_where_two_worlds_look_alike(
    game: AnyGame, at: int, everybody: bool, house: House, tmp_path: Path
) -> None:
    match_id, pairs = a_match_with_other_worlds(house, game, at, everybody)
    for number, (viewer, other) in enumerate(pairs):
        there = copy_with(house, match_id, other, tmp_path / f"{number}")
        compare_received(try_previews(house, match_id, viewer), try_previews(there, match_id, viewer))
        there.site.engine.dispose()


def try_previews(house: House, match_id: str, viewer: Viewer) -> Received:
    """Returns the previews of the viewer's moves, legal and not, and their list of matches."""
    client = client_of(house)
    if viewer is None:
        return {"spectator": send_preview(client, house, match_id, None, {"text": "?"})}
    view = house.view(match_id, viewer)
    legal = [move for group in kinds_of(view.legal()).values() for move in islice(group, EACH_KIND)]
    refused = [move for move in worlds_of(view.game.meta.slug).TRIES if move not in view.legal()][:REFUSED]
    out: Received = {}
    for move in [*legal, *refused]:
        for lang in ("fr", "en"):
            answer = send_preview(client, house, match_id, viewer, {"move": plain(move)}, lang)
            assert (answer[0] == 200) == (move in legal), (move, answer)
            out[f"{move} {lang}"] = answer
    out["my matches"] = list_matches(client, house, viewer)
    return out


def send_preview(
    client: FlaskClient, house: House, match_id: str, viewer: Viewer, body: dict[str, Any], lang: str = "en"
) -> tuple[int, bytes]:
    """Returns status and body of a preview."""
    path = f"/api/v1/matches/{match_id}/preview?lang={lang}"
    response = client.post(path, json=body, headers=authorization_header(house, match_id, viewer))
    assert response.status_code < 500, response.text
    return response.status_code, response.data


def list_matches(client: FlaskClient, house: House, viewer: int) -> tuple[int, str | None, bytes]:
    """Returns the player's matches, by the token of their account link."""
    with house.site.reading() as session:
        player = session.exec(select(Player).where(Player.canonical == address_of(CAST[viewer]))).one()
        assert player.id is not None
        token = house.site.tokens.for_account(player.id, player.epoch, house.site.now())
    response = client.get("/api/v1/me/matches", headers={"Authorization": f"Bearer {token}"})
    assert response.status_code == 200
    return response.status_code, response.headers.get("ETag"), response.data


@pytest.mark.long
def test_the_comparison_of_previews_notices_worlds_that_differ(house: House, tmp_path: Path) -> None:
    """The comparison can fail: Alice's own hand differs in a world that only Bob cannot tell from the true one."""
    match_id = house.begin(3)
    other = next(iter(worlds_of("hogen").worlds(full_log(house, match_id), 1, 1)))
    there = copy_with(house, match_id, other, tmp_path / "there")
    with pytest.raises(AssertionError, match="two worlds differ"):
        compare_received(try_previews(house, match_id, 0), try_previews(there, match_id, 0))
    there.site.engine.dispose()
