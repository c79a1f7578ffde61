"""What the service hands to a bot leads nowhere near the key of its match."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable
from typing import Any

import pytest

from pbem.kit.bots import bots_of
from pbem.kit.contract import AnyGame, PlayerView
from pbem.services.log import proofs, store
from pbem.services.play import bots
from tests.games.discovered import GAMES
from tests.games.stage.reaching import secrets_found
from tests.table import House


@pytest.mark.long
@GAMES
def test_objects_passed_to_a_bot_never_reference_a_secret(
    house: House, game: AnyGame, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A bot of each name is watched where the service asks it; then it plays as it would, but for those that think."""
    looked: set[str] = set()
    names = itertools.cycle(bots_of(game))
    secrets: list[bytes] = []

    def watch(of: AnyGame) -> dict[str, Callable[..., Any]]:
        def choose(name: str, view: PlayerView, seat: int, chance: Any) -> Any:
            looked.add(name)
            assert secrets_found(secrets, seat, None, view, seat, chance) == []
            legal = of.legal(view.fold, seat)
            return legal[chance.below(len(legal))]

        return {name: functools.partial(choose, name) for name in bots_of(of)}

    monkeypatch.setattr(bots, "bots_of", watch)
    match_id = house.begin(max(game.meta.seats), game.meta.slug)
    with house.site.writing() as work:
        match = store.get_match(work, match_id)
        secrets += [match.seed, proofs.keys_of(match).luck]
        for row in store.seats_of(work, match_id):
            row.bot = next(names)
            work.add(row)
        for ask in store.open_asks(work, match_id):
            ask.bot = next(row.bot for row in store.seats_of(work, match_id) if row.seat == ask.seat)
            work.add(ask)
    monkeypatch.setattr(bots, "ROUNDS", 6)
    for _ in range(4):
        bots.play_quick_bots(house.site)
        bots.play_thinkers(house.site)
    assert looked
