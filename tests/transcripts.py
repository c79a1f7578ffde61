"""Golden transcripts: recorded matches, rendered so that a leak is a visible line in a diff.

    python -m tests.transcripts hogen found --seats 3 --seed 1 --tries 500

plays random matches with the seeds 1, 2, …, keeps the shortest with this ending, and writes two files into
tests/games/<game>/transcripts/: the portable log with its seed, and the log as text with what every seat and
a spectator know after each decision. `--options '{"picking": "grab"}' --name grab` records another version of a
game beside it, as <ending>-grab. An existing transcript is never overwritten: it is history.
"""

import argparse
import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from pbem.features.lab.sealing import seal_log
from pbem.games import find_game
from pbem.kit.codec import codec_for
from pbem.kit.contract import AnyGame, Viewer
from pbem.kit.logs.logfile import Log, log_to_bytes
from pbem.kit.play import Table, random_decisions
from pbem.kit.replay import AnyEntry
from pbem.kit.secrecy import redact

GAMES = Path(__file__).parent / "games"


def folder_of_transcripts(game: AnyGame) -> Path:
    """Returns the folder of the game's transcripts."""
    return GAMES / game.meta.slug.replace("-", "_") / "transcripts"


def seed_of(slug: str, seats: int, number: int) -> bytes:
    """Returns the seed of a numbered match."""
    return hashlib.sha256(f"{slug} {seats} {number}".encode()).digest()


def play_match(game: AnyGame, seats: int, seed: bytes, options: Any = None) -> Table:
    """Returns a table after a whole match of random moves; with the game's default options if none are given."""
    table = Table(game, seats, game.meta.options() if options is None else options, seed)
    for _ in random_decisions(table):
        pass
    return table


def log_of(table: Table) -> Log:
    """Returns the full log of a finished table, with its seed."""
    return seal_log(table.game, table.options, table.seats, table.deal, table.seed, table.words, table.entries)


def log_with_untellable_story() -> bytes:
    """Returns a forged log of Hexen Rennen that replays but whose story breaks off: its course was never laid.

    The forged entry turns up a tile in its place, and is well formed.
    """
    game = find_game("hexen-rennen")
    assert game is not None
    document = json.loads(log_to_bytes(log_of(play_match(game, 4, seed_of("hexen-rennen", 4, 1)))))
    laid = next(entry for entry in document["events"] if entry["event"]["type"] == "Laid")
    laid["event"] = {"type": "Turned", "place": 5, "tile": "A5"}
    del laid["sealed"]
    return json.dumps(document).encode()


def fields_shown(text: str, state: type[msgspec.Struct]) -> tuple[str, ...]:
    """Returns the fields of the state that a rendered log shows: those that the state had when it was recorded."""
    first = next(line for line in text.splitlines() if line.startswith("     spectator:"))
    return tuple(name for name in state.__struct_fields__ if f" {name}=" in first)


def log_as_text(log: Log, fields: tuple[str, ...] | None = None) -> str:
    """Returns the log as text: each decision's events, then the changes of all fields, or these, in each fold."""
    fields = log.game.meta.state.__struct_fields__ if fields is None else fields
    viewers: tuple[Viewer, ...] = (None, *range(log.seats))
    shown: dict[Viewer, Any] = dict.fromkeys(viewers)
    folds: dict[Viewer, Any] = dict.fromkeys(viewers)
    lines = [f"{log.game.meta.slug}, {log.seats} seats, options {short_value(log.options)}"]
    for group in entries_by_decision(log.entries):
        lines.append("")
        for entry in group:
            lines.append(f"{entry.n:>4} {entry.key or '-'} {short_value(entry.event)}")
            for viewer in viewers:
                folds[viewer] = log.game.evolve(folds[viewer], redact(entry.event, viewer))
        for viewer in viewers:
            changed = " ".join(lines_of_changes(shown[viewer], folds[viewer], fields))
            lines.append(f"     {'spectator' if viewer is None else f'seat {viewer}'}: {changed}".rstrip())
            shown[viewer] = folds[viewer]
    return "\n".join((*lines, "", short_value(log.game.outcome(folds[None])), ""))


def lines_of_changes(before: Any, now: Any, fields: tuple[str, ...]) -> Iterator[str]:
    """Returns the changed fields; of a dict only the entries that are new or changed, and the keys that are gone."""
    for field in fields:
        value, old = getattr(now, field), getattr(before, field, None)
        if isinstance(value, dict) and value != old:
            was = old or {}
            new = [f"{key}:{short_value(value[key])}" for key in sorted(value) if was.get(key) != value[key]]
            gone = [f"{key}:gone" for key in sorted(was) if key not in value]
            yield f"{field}={{{' '.join(new + gone)}}}"
        elif before is None or (not isinstance(value, dict) and short_value(value) != short_value(old)):
            yield f"{field}={short_value(value)}"


def entries_by_decision(entries: tuple[AnyEntry, ...]) -> Iterator[list[AnyEntry]]:
    """Returns the entries by the decision they belong to."""
    group: list[AnyEntry] = []
    for entry in entries:
        if group and entry.key != group[-1].key:
            yield group
            group = []
        group.append(entry)
    yield group


def short_value(value: Any) -> str:
    """Returns a value in few letters: ? for Hidden and for None, + and - for true and false."""
    if value is None:
        return "?"
    if isinstance(value, bool):
        return "+" if value else "-"
    if isinstance(value, tuple):
        return f"({' '.join(short_value(v) for v in value)})"
    if isinstance(value, msgspec.Struct):
        names = value.__struct_fields__
        if value.__struct_config__.omit_defaults:  # what came later, and is as usual, is not written
            names = tuple(name for name in names if name in msgspec.to_builtins(value))
        return f"{type(value).__name__}({' '.join(f'{name}={short_value(getattr(value, name))}' for name in names)})"
    return str(value)


def shortest_match(game: AnyGame, ending: str, seats: int, first: int, tries: int, options: Any = None) -> Table | None:
    """Returns the shortest of these matches with this ending."""
    tables = (play_match(game, seats, seed_of(game.meta.slug, seats, first + i), options) for i in range(tries))
    ended = [t for t in tables if game.outcome(t.state).reason == ending]  # type: ignore[union-attr]  # it is over
    return min(ended, key=lambda t: len(t.entries), default=None)


def main() -> None:
    """Writes one transcript."""
    parser = argparse.ArgumentParser()
    parser.add_argument("game")
    parser.add_argument("ending")
    parser.add_argument("--seats", type=int)
    parser.add_argument("--seed", type=int, default=1, help="the number of the first match")
    parser.add_argument("--tries", type=int, default=1, help="how many matches to look at")
    parser.add_argument("--options", default="{}", help="the game's options, as a JSON object")
    parser.add_argument("--name", help="what follows the ending in the files' names")
    args = parser.parse_args()
    game = find_game(args.game)
    if game is None or args.ending not in game.meta.endings:
        parser.error("no such game, or it never ends so")
    options = codec_for(game).options(msgspec.json.decode(args.options))
    table = shortest_match(game, args.ending, args.seats or game.meta.seats[0], args.seed, args.tries, options)
    if table is None:
        parser.error("none of these matches ends so: raise --tries")
    log = log_of(table)
    folder_of_transcripts(game).mkdir(parents=True, exist_ok=True)
    for suffix, content in ((".json", log_to_bytes(log) + b"\n"), (".txt", log_as_text(log).encode())):
        name = f"{args.ending}-{args.name}" if args.name else args.ending
        with (folder_of_transcripts(game) / f"{name}{suffix}").open("xb") as file:
            file.write(content)


if __name__ == "__main__":
    main()
