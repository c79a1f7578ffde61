"""The discovered games, and what each game's test folder provides for the laws in tests/games."""

import functools
import importlib
import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from importlib.resources import files
from importlib.resources.abc import Traversable
from types import ModuleType
from typing import Any, Protocol, cast

import msgspec
import pytest
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from pbem.games import all_games
from pbem.kit.contract import AnyGame, Move, Viewer
from pbem.kit.play import Table, random_decisions
from pbem.kit.replay import AnyEntry, first_entry_still_fresh, full_fold, redact_entries
from pbem.kit.texts import LANGS, Lang
from tests.transcripts import seed_of

GAMES = pytest.mark.parametrize("game", all_games().values(), ids=list(all_games()))
SEATED = pytest.mark.parametrize(
    ("game", "seats"),
    [
        pytest.param(game, seats, id=f"{slug}-{seats}")
        for slug, game in all_games().items()
        for seats in game.meta.seats
    ],
)
LANGUAGES = pytest.mark.parametrize("lang", LANGS)

AMOUNTS = pytest.mark.parametrize("amount", [40, pytest.param(600, marks=pytest.mark.long)], ids=["", "many"])
"""How many examples are tried: some in every run of the tests, many in the long one."""

UNSET_IN_FRENCH = re.compile(r"(?<!\u00a0)[:;?!»]|'|\u202f")
"""What a French text never has: a high mark after a plain space, a straight apostrophe, a narrow space."""


class Worlds(Protocol):
    """What `worlds.py` provides: the logs that a viewer cannot distinguish from the true one."""

    BLIND_MOVES: Sequence[str]
    """The kinds of moves whose own consequences do not rest on what is hidden from the mover."""

    TRIES: Sequence[Move]
    """Moves that somebody might try, legal or not."""

    def worlds(self, entries: Sequence[AnyEntry], viewer: Viewer, limit: int) -> Iterator[list[AnyEntry]]:
        """Up to `limit` other logs with the same redacted form for this viewer."""


class Examples(Protocol):
    """What `examples.py` provides: texts that people type, and the things that a text may name."""

    MOVES: SearchStrategy[Move]
    """Any move of the game, legal or not."""

    HINT: Mapping[Lang, str]
    """A move that the hint for an unreadable text shows, in each language."""

    SPELLINGS: Mapping[str, str]
    """What people type, and the notation of the move it means."""

    UNCLEAR: Sequence[str]
    """What people type and no move is made of."""

    FRAGMENTS: Iterable[str]
    """What the notation section of the rules shows that is only part of a move, or no move."""

    UNSEEN: tuple[str, ...]
    """How the lines of `describe` begin that name things which the reader has not seen."""

    def marks_known(self, fold: Any) -> set[str]:
        """The marks of the things whose place the fold knows."""

    def marks_spoken(self, fold: Any) -> set[str]:
        """The marks of the things that were named at the table and may be anywhere."""


def worlds_of(game: AnyGame) -> Worlds:
    """The game's `worlds.py`."""
    return cast(Worlds, _module(game, "worlds"))


def examples_of(game: AnyGame) -> Examples:
    """The game's `examples.py`."""
    return cast(Examples, _module(game, "examples"))


def missing_parts(game: AnyGame) -> list[str]:
    """What the laws need and the game's test folder lacks, each with what it must be."""
    found = []
    for name, protocol in (("worlds", Worlds), ("examples", Examples)):
        wanted = [n for n in {**protocol.__annotations__, **vars(protocol)} if not n.startswith("_")]
        try:
            module = _module(game, name)
        except ModuleNotFoundError as error:
            found.append(f"{error.name}, which offers {', '.join(wanted)}")
            continue
        found += [f"{module.__name__}.{n}" for n in wanted if not hasattr(module, n)]
    return found


def _module(game: AnyGame, name: str) -> ModuleType:
    return importlib.import_module(f"tests.games.{game.meta.slug.replace('-', '_')}.{name}")


def folder_of_game(game: AnyGame) -> Traversable:
    """The folder of the game's code and pages."""
    return files("pbem.games") / game.meta.slug.replace("-", "_")


def rules_page(game: AnyGame, lang: Lang) -> str:
    """The rules page."""
    return (folder_of_game(game) / f"RULES.{lang}.md").read_text(encoding="utf-8")


def texts_to_parse(game: AnyGame) -> SearchStrategy[str]:
    """Any text, and texts made of the letters or words that people type in this game."""
    examples = examples_of(game)
    typed = " ".join([*examples.SPELLINGS, *examples.UNCLEAR])
    words = st.lists(st.sampled_from(sorted(set(typed.split()))), max_size=12).map(" ".join)
    return st.text() | st.text(sorted(set(typed))) | words


def options_of(game: AnyGame, number: int) -> Any:
    """The default options and the game's samples in turn."""
    varied = (game.meta.options(), *game.meta.samples)
    return varied[number % len(varied)]


def stop_match(game: AnyGame, seats: int, number: int, after: int) -> Table:
    """A match of random moves, stopped after this many of them or at its end."""
    table = Table(game, seats, options_of(game, number), seed_of(f"laws of {game.meta.slug}", seats, number))
    for at, _ in enumerate(random_decisions(table)):
        if at == after:
            break
    return table


@functools.cache
def sample_tables(game: AnyGame) -> list[Table]:
    """Matches of random moves with any number of seats, stopped in every phase, the last one at its end."""
    stops = (0, 1, 4, 9, 16, 30, game.meta.bound)
    return [stop_match(game, game.meta.seats[n % len(game.meta.seats)], n, stop) for n, stop in enumerate(stops)]


def log_as_seen(game: AnyGame, entries: Sequence[AnyEntry], viewer: Viewer) -> list[AnyEntry]:
    """The log as the viewer may see it now, without what has faded."""
    return redact_entries(
        entries, viewer, first_entry_still_fresh(game, entries, viewer, game.pending(full_fold(game, entries)))
    )


def things_in(value: Any, things: Container[str]) -> set[str]:
    """Those of these things that occur anywhere in an event, a move or a state."""
    if isinstance(value, msgspec.Struct):
        return {thing for name in value.__struct_fields__ for thing in things_in(getattr(value, name), things)}
    if isinstance(value, dict):
        return {thing for item in value.values() for thing in things_in(item, things)}
    if isinstance(value, (tuple, list)):
        return {thing for item in value for thing in things_in(item, things)}
    return {value} if isinstance(value, str) and value in things else set()
