"""What code of a game gets hold of."""

from __future__ import annotations

from typing import Any

from pbem.kit.chance import KeyLuck, MatchLuck, SeedLuck
from pbem.kit.contract import Event, PlayerView
from pbem.kit.play import Table
from pbem.kit.replay import TableEvent, player_view
from pbem.kit.secrecy import redact
from tests.games.reach import reachable_objects

ALL_LUCK = (KeyLuck, SeedLuck, Table, type(KeyLuck(bytes(32)).rules(1)))
"""What draws anything in a match, whether or not it holds the key."""


def spellings_of_secret(secret: bytes) -> set[Any]:
    """The secret in each form in which an object might hold it."""
    return {secret, bytearray(secret).hex(), secret.hex().upper(), int.from_bytes(secret, "big"), secret[::-1]}


def secrets_found(secrets: list[bytes], seat: int, state: Any, *handed: object) -> list[str]:
    """What can be reached from these that the seat may not see: a secret, the whole state, an event not redacted."""
    wanted = set().union(*map(spellings_of_secret, secrets))
    bad = []
    for one in reachable_objects(*handed):
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
        elif isinstance(one, ALL_LUCK):
            bad.append(f"all luck: {one!r}")
    return bad


def hand_over(table: Table, luck: MatchLuck, key: str, seat: int) -> tuple[PlayerView, Any]:
    view = player_view(table.game, table.entries, table.seats, seat, luck.memory(seat))
    return view, luck.bot(table.next_entry_number, key, seat)
