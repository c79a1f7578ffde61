#!/usr/bin/env python3
"""A program that plays: it answers what it is asked with a random move.

    python examples/bot.py http://127.0.0.1:8000 MATCH      one match, until it is over
    python examples/bot.py http://127.0.0.1:8000            every match that waits for the player, one answer in each
    python examples/bot.py http://127.0.0.1:8000 all        wherever the player is asked, until it is stopped

The token is read from PBEM_TOKEN: a personal one with the scopes `read` and `play`, or, for one match, that of its
seat. Nothing needs to be installed: besides Python it needs only `pbem/client.py` of this repository.
"""

from __future__ import annotations

import os
import random
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

try:
    from pbem.client import Match, Pbem, Refused
except ModuleNotFoundError:  # pbem is not installed here; its client is one file that needs nothing else
    sys.path.append(str(Path(__file__).resolve().parents[1] / "pbem"))
    from client import Match, Pbem, Refused  # type: ignore[import-not-found,no-redef]


def choose(question: Mapping[str, Any]) -> Mapping[str, Any]:
    """Returns the move to play. Replace this by something cleverer: `question["legal"]` has moves, texts and labels.

    If there are very many legal moves, these are the first ones; `match.ask(offset=…, limit=…)` has the others.
    """
    legal: list[Mapping[str, Any]] = question["legal"]
    return random.choice(legal)


def answer(match: Match, question: Mapping[str, Any]) -> bool:
    """Answers the question; returns False if the clock, or the player, was faster."""
    try:
        match.play(question, choose(question))
    except Refused as refused:
        if refused.code not in ("stale", "answered", "gone"):
            raise
        return False
    return True


def play(match: Match) -> int:
    """Plays until the match is over; returns the number of answers."""
    return sum(answer(match, question) for question in match.questions())


def turns(site: Pbem) -> Iterable[Match]:
    """Returns the matches that wait for the player."""
    return [site.match(brief["id"]) for brief in site.matches(status="running", turn="true")]


def answer_once(match: Match) -> bool:
    """Answers the open question; returns False if there is none any more."""
    question = match.ask()
    return bool(question["ask"]) and answer(match, question)


def stay(site: Pbem) -> Iterator[str]:
    """Answers wherever the player is asked, as soon as they are, without end; yields the id of each match."""
    for match in site.follow():
        if match.get("ask") and answer_once(site.match(match["id"])):
            yield match["id"]


def main(arguments: list[str]) -> int:
    """Plays, and tells what it has done."""
    if not 1 <= len(arguments) <= 2 or "PBEM_TOKEN" not in os.environ:
        print(__doc__, file=sys.stderr)
        return 2
    site = Pbem(arguments[0], os.environ["PBEM_TOKEN"])
    if arguments[1:] == ["all"]:
        for match_id in stay(site):
            print(match_id, flush=True)
    if len(arguments) == 2:
        match = site.match(arguments[1])
        print(f"{play(match)} moves; {match.sheet()['outcome']}")
        return 0
    answered = sum(answer_once(match) for match in turns(site))
    print(f"answered in {answered} {'match' if answered == 1 else 'matches'}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
