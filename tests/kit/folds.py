"""The results of `evolve` for the recorded matches: a pin for each transcript, beside the game's transcripts.

    python -m tests.kit.folds hogen

writes tests/games/hogen/folds.json: for each transcript the game's `Meta.fold` and a digest of the final state.
Folds of matches are kept under that number. A developer who makes `evolve` return another state raises it first;
then this writes the pins again. It refuses to write another digest under the same number.
"""

import argparse
import hashlib
import json
from pathlib import Path

from pbem.games import find_game
from pbem.kit.codec import encode
from pbem.kit.contract import AnyGame
from pbem.kit.logs.logfile import Log, read
from pbem.kit.replay import full_fold
from tests.transcripts import folder_of_transcripts

Pin = tuple[int, str]


def pins_file(game: AnyGame) -> Path:
    """Where the game's pins are."""
    return folder_of_transcripts(game).parent / "folds.json"


def read_pins(game: AnyGame) -> dict[str, Pin]:
    """Returns the pins by the name of the transcript; none if there is no file."""
    file = pins_file(game)
    stored = json.loads(file.read_text()) if file.exists() else {}
    return {name: (fold, digest) for name, (fold, digest) in stored.items()}


def pin_of(log: Log) -> Pin:
    """Returns the current pin of this log."""
    return log.game.meta.fold, hashlib.sha256(encode(full_fold(log.game, log.entries))).hexdigest()


def trouble_with_pin(name: str, pinned: Pin | None, now: Pin) -> str | None:
    """Returns what to do if the transcript does not end in the pinned state."""
    if pinned == now:
        return None
    if pinned is not None and pinned[0] == now[0]:
        return (
            f"{name}: evolve makes another state than it did under fold={now[0]}, and folds of that are kept. "
            f"Raise Meta.fold to {now[0] + 1}, then pin anew: python -m tests.kit.folds <game>"
        )
    return f"{name}: not pinned under fold={now[0]}. Pin it: python -m tests.kit.folds <game>"


def current_pins(game: AnyGame) -> dict[str, Pin]:
    """Returns the current pins of all the game's transcripts."""
    files = sorted(folder_of_transcripts(game).glob("*.json"))
    return {file.stem: pin_of(read(file.read_bytes(), lambda slug: game)) for file in files}


def main() -> None:
    """Pins the transcripts of one game."""
    parser = argparse.ArgumentParser()
    parser.add_argument("game")
    game = find_game(parser.parse_args().game)
    if game is None:
        parser.error("there is no such game")
    before, after = read_pins(game), current_pins(game)
    for name, pin in after.items():
        if name in before and before[name][0] == pin[0] and (problem := trouble_with_pin(name, before[name], pin)):
            parser.error(problem)
    pins_file(game).write_text(json.dumps(after, indent=1) + "\n")


if __name__ == "__main__":
    main()
