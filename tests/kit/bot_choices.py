"""What bots choose in the recorded matches: a pin for each bot and transcript, beside the game's transcripts.

    python -m tests.kit.bot_choices hogen

writes tests/games/hogen/bots.json: for each bot and transcript the version that logs name, and a digest of what the bot
would play at every question. Anyone who checks a log repeats the choices of bots with the same number. A developer who
makes a bot choose differently raises it first; then this writes the pins again. It refuses to write another digest
under the same number. Of bots that think, `easy` and `fair` are asked at some of the questions; `strong` is `fair` with
a larger budget.
"""

import argparse
import hashlib
import json
from collections.abc import Mapping
from pathlib import Path

from pbem.games import find_game
from pbem.kit.bots import bots_of, is_thinking_bot, version_of
from pbem.kit.chance import KeyLuck
from pbem.kit.contract import AnyGame, Bot, PlayerView
from pbem.kit.logs.logfile import Log, read
from pbem.kit.replay import view_after
from tests.transcripts import entries_by_decision, folder_of_transcripts

Pin = tuple[int, str]
EVERY = {"easy": 10, "fair": 60}
"""Bots that think are asked one in this many questions."""
LUCK = KeyLuck(bytes(32))


def pins_file(game: AnyGame) -> Path:
    """Where the game's pins are."""
    return folder_of_transcripts(game).parent / "bots.json"


def read_pins(game: AnyGame) -> dict[str, Pin]:
    """Returns the pins by the name of the bot and the transcript; none if there is no file."""
    file = pins_file(game)
    stored = json.loads(file.read_text()) if file.exists() else {}
    return {name: (version, digest) for name, (version, digest) in stored.items()}


def choices_of_bots(log: Log, bots: Mapping[str, Bot]) -> dict[str, list[str]]:
    """Returns what each bot would play at each question of the match, or at some of them, in notation."""
    game, chosen = log.game, {name: list[str]() for name in bots}
    views = [PlayerView(None, log.seats, (), LUCK.memory(seat)) for seat in range(log.seats)]
    asked: set[str] = set()
    for group in entries_by_decision(log.entries):
        for seat in range(log.seats):
            views[seat] = view_after(game, views[seat], (entry.event for entry in group), seat)
        for ask in game.pending(views[0].fold):
            if ask.key not in asked:
                asked.add(ask.key)
                for name, choose in bots.items():
                    if len(asked) % EVERY.get(name, 1):
                        continue
                    luck = LUCK.bot(0, ask.key, ask.seat)
                    chosen[name].append(game.format(choose(views[ask.seat], ask.seat, luck)))
    return chosen


def pins_of(log: Log) -> dict[str, Pin]:
    """Returns the current pin of each bot for this log."""
    game = log.game
    chosen = choices_of_bots(
        log, {name: bot for name, bot in bots_of(game).items() if name in EVERY or not is_thinking_bot(name)}
    )
    return {
        name: (version_of(game, name), hashlib.sha256("\n".join(moves).encode()).hexdigest())
        for name, moves in chosen.items()
    }


def trouble_with_pin(name: str, pinned: Pin | None, now: Pin) -> str | None:
    """Returns what to do if the bot does not choose as it was pinned."""
    if pinned == now:
        return None
    if pinned is not None and pinned[0] == now[0]:
        return (
            f"{name}: the bot chooses otherwise than it did under version {now[0]}, which logs name. Raise "
            "Meta.bot_version, or VERSION in pbem/kit/bots.py for bots that think; then pin anew: "
            "python -m tests.kit.bot_choices <game>"
        )
    return f"{name}: not pinned under version {now[0]}. Pin it: python -m tests.kit.bot_choices <game>"


def current_pins(game: AnyGame) -> dict[str, Pin]:
    """Returns the current pins of all the game's bots in all its transcripts."""
    files = sorted(folder_of_transcripts(game).glob("*.json"))
    found = {file.stem: pins_of(read(file.read_bytes(), lambda slug: game)) for file in files}
    return {f"{bot} {stem}": pin for stem, of_bots in found.items() for bot, pin in of_bots.items()}


def main() -> None:
    """Pins the choices of one game's bots."""
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
