"""Watches what is handed to the functions of a game."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any

from pbem.kit.assemble import AssembledGame
from pbem.kit.chance import KeyLuck, SeedLuck
from pbem.kit.contract import AnyGame
from pbem.kit.play import Table
from tests.games.reach import reachable_objects

RULES = {"setup", "decide", "evolve"}
"""What is handed luck of the rules, which is the match's own: the rules draw from it."""
EVERY = 23
"""Every this many calls of a function are watched, and its first ones."""


class Watch:
    """Watches all that is handed to a game's functions, those of its rules aside."""

    def __init__(self, *secrets: bytes) -> None:
        self.wanted = {form for secret in secrets for form in (secret, secret.hex(), int.from_bytes(secret, "big"))}
        self.calls: dict[str, int] = {}
        self.found: set[str] = set()

    def over(self, game: AnyGame) -> AnyGame:
        """The same game, watched."""
        assert isinstance(game, AssembledGame)
        own = {one.name: getattr(game, one.name) for one in fields(game)}
        watched: dict[str, Any] = {
            name: self.around(name, made) for name, made in own.items() if callable(made) and name not in RULES
        }
        bots = {name: self.around(f"bot {name}", bot) for name, bot in game.bots.items()}
        return replace(game, **watched, bots=bots)

    def around(self, name: str, called: Callable[..., Any]) -> Callable[..., Any]:
        """The function, whose arguments are walked before it is called."""

        def watch(*handed: Any, **named: Any) -> Any:
            self.calls[name] = self.calls.get(name, 0) + 1
            if self.calls[name] < 4 or self.calls[name] % EVERY == 0:
                self.found |= {
                    f"{name}: {one!r:.80}" for one in reachable_objects(*handed, *named.values()) if self.tells(one)
                }
            return called(*handed, **named)

        return watch

    def tells(self, one: Any) -> bool:
        """True for a secret of the match, and for what all its luck can be drawn from."""
        if isinstance(one, KeyLuck | SeedLuck | Table):
            return True
        if isinstance(one, bytearray | memoryview):
            one = bytes(one)
        return isinstance(one, str | bytes | int) and one in self.wanted
