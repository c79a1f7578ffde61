"""What tests of schemas share."""

from __future__ import annotations

from typing import Any

from pbem.games import all_games
from tests.api.cast import Api, Table


def begun(rest: Api, slug: str, **more: Any) -> Table:
    """A match of this game with as few people as it takes."""
    seats = min(all_games()[slug].meta.seats)
    return Table(rest, rest.start(("Alice", "Bob", "Carol", "Dave")[:seats], game=slug, **more))
