"""What a bot is handed leads nowhere near the key of its match, nor to anything that its seat may not see."""

from __future__ import annotations

import functools
import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from pbem.kit.chance import KeyLuck, MatchLuck, SeedLuck
from pbem.kit.contract import AnyGame, Event, PlayerView
from pbem.kit.play import Table, random_decisions
from pbem.kit.replay import TableEvent, player_view
from pbem.kit.secrecy import redact
from tests.games.discovered import SEATED, options_of
from tests.games.reach import reachable
from tests.harness.cases import cases
from tests.transcripts import seed_of


def spellings(secret: bytes) -> set[Any]:
    """The secret in each form in which an object might hold it."""
    return {secret, bytearray(secret).hex(), secret.hex().upper(), int.from_bytes(secret, "big"), secret[::-1]}


def found(secrets: list[bytes], seat: int, state: Any, *handed: object) -> list[str]:
    """What can be reached from these that the seat may not see: a secret, the whole state, an event not redacted."""
    wanted = set().union(*map(spellings, secrets))
    bad = []
    for one in reachable(*handed):
        if isinstance(one, bytearray | memoryview):
            one = bytes(one)
        if isinstance(one, str | bytes | int) and one in wanted:
            bad.append(f"a secret: {one!r}")
        elif (isinstance(one, str) and any(isinstance(spelt, str) and spelt in one for spelt in wanted)) or (
            isinstance(one, bytes) and any(isinstance(spelt, bytes) and spelt in one for spelt in wanted)
        ):
            bad.append(f"a text with a secret: {one!r}")
        elif isinstance(one, Event) and not isinstance(one, TableEvent) and redact(one, seat) != one:
            bad.append(f"more than the seat sees: {one!r}")
        elif state is not None and one is state:
            bad.append("the whole state")
        elif isinstance(one, KeyLuck | SeedLuck | Table):
            bad.append(f"all luck: {one!r}")
    return bad


def handed(table: Table, luck: MatchLuck, key: str, seat: int) -> tuple[PlayerView, Any]:
    view = player_view(table.game, table.entries, table.seats, seat, luck.memory(seat))
    return view, luck.bot(table.position, key, seat)


@pytest.mark.long
@SEATED
@pytest.mark.parametrize("old", [False, True])
def test_nothing_given_to_a_bot_reaches_the_key_or_what_is_hidden_from_it(game: AnyGame, seats: int, old: bool) -> None:
    """Neither before it has drawn nor after; what it makes of these is handed to its own playouts."""
    table = Table(game, seats, options_of(game, seats), seed_of("reach", seats, 0))
    luck = SeedLuck(table.seed) if old else table.luck
    for count, (ask, _) in enumerate(random_decisions(table)):
        if count > 40:
            break
        if count % 4:
            continue
        for seat in range(seats):
            view, chance = handed(table, luck, ask.key, seat)
            drawn = view.memory.named("forgotten:r1:t1")
            for _ in range(2):
                secrets = [table.seed, table.key]
                assert found(secrets, seat, table.state, view, chance, drawn) == []
                chance.shuffled(range(20))
                drawn.below(60)


class Holder:
    """Holds a secret in a slot."""

    __slots__ = ("_kept",)

    def __init__(self, kept: object) -> None:
        self._kept = kept

    def method(self) -> object:
        return self._kept


def gone_on(kept: object) -> Iterator[object]:
    yield None
    yield kept


def begun(kept: object) -> Iterator[object]:
    generator = gone_on(kept)
    next(generator)
    return generator


@cases(
    "hide",
    [
        Holder, lambda key: Holder(key).method, lambda key: lambda: key, lambda key: functools.partial(print, key),
        lambda key: {"a": [(key,)]}, lambda key: {1: {frozenset([key])}}, begun, lambda key: property(lambda self: key),
        lambda key: iter([key]), KeyLuck, lambda key: KeyLuck(key).rules(1),
        lambda key: functools.lru_cache(lambda one, other=key: other), lambda key: key.hex(), bytearray,
        lambda key: f"key={key.hex()}",
    ],
)  # fmt: skip
def test_wherever_the_key_is_hidden_it_is_found(hide: Callable[[bytes], object]) -> None:
    key = random.Random(1).randbytes(32)
    assert found([key], 0, None, hide(key))
