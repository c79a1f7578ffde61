"""What a bot is handed leads nowhere near the key of its match, nor to anything that its seat may not see."""

from __future__ import annotations

import functools
import random
from collections.abc import Callable, Iterator

import pytest

from pbem.kit.chance import KeyLuck, SeedLuck
from pbem.kit.contract import AnyGame
from pbem.kit.play import Table, random_decisions
from tests.games.discovered import SEATED, options_of
from tests.games.stage.reaching import hand_over, secrets_found
from tests.harness.cases import cases
from tests.transcripts import seed_of


@pytest.mark.long
@SEATED
@pytest.mark.parametrize("old", [False, True])
def test_no_object_given_to_a_bot_references_the_key_or_hidden_values(game: AnyGame, seats: int, old: bool) -> None:
    """Neither before it has drawn nor after; what it makes of these is handed to its own playouts."""
    table = Table(game, seats, options_of(game, seats), seed_of("reach", seats, 0))
    luck = SeedLuck(table.seed) if old else table.luck
    for count, (ask, _) in enumerate(random_decisions(table)):
        if count > 40:
            break
        if count % 4:
            continue
        for seat in range(seats):
            view, chance = hand_over(table, luck, ask.key, seat)
            drawn = view.memory.named("forgotten:r1:t1")
            whole = None if table.state == table.folds[seat] else table.state  # nothing is hidden from it yet
            for _ in range(2):
                secrets = [table.seed, table.key]
                assert secrets_found(secrets, seat, whole, view, chance, drawn) == []
                chance.shuffled(range(20))
                drawn.below(60)


class Holder:
    """Holds a secret in a slot."""

    __slots__ = ("_kept",)

    def __init__(self, kept: object) -> None:
        self._kept = kept

    def method(self) -> object:
        return self._kept


def go_on(kept: object) -> Iterator[object]:
    yield None
    yield kept


def build_iterator(kept: object) -> Iterator[object]:
    generator = go_on(kept)
    next(generator)
    return generator


@cases(
    "hide",
    [
        Holder, lambda key: Holder(key).method, lambda key: lambda: key, lambda key: functools.partial(print, key),
        lambda key: {"a": [(key,)]}, lambda key: {1: {frozenset([key])}}, build_iterator,
        lambda key: property(lambda self: key),
        lambda key: iter([key]), KeyLuck, lambda key: KeyLuck(key).rules(1),
        lambda key: functools.lru_cache(lambda one, other=key: other), lambda key: key.hex(), bytearray,
        lambda key: f"key={key.hex()}",
    ],
)  # fmt: skip
def test_the_search_for_reachable_secrets_finds_a_planted_key(hide: Callable[[bytes], object]) -> None:
    key = random.Random(1).randbytes(32)
    assert secrets_found([key], 0, None, hide(key))
