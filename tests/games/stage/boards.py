"""Positions of all games, and what their boards tell."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pbem.kit.contract import AnyGame
from pbem.kit.play import Table, random_decisions
from tests.games.discovered import options_of, sample_tables
from tests.transcripts import seed_of


def positions(game: AnyGame, every: int) -> Iterator[Table]:
    """Some matches stopped in every phase, and every this many decisions of one with each number of seats."""
    yield from sample_tables(game)
    for seats in game.meta.seats:
        table = Table(game, seats, options_of(game, seats), seed_of(f"boards of {game.meta.slug}", seats, 0))
        for at, _ in enumerate(random_decisions(table)):
            if at % every == 0:
                yield table


TELLS = re.compile(r"<text[^>]*>([^<]+)</text>")
