#!/usr/bin/env python3
"""A program that plays: it answers every question it is asked with a move drawn by lot, until there is no more.

    python examples/bot.py http://127.0.0.1:8000 MATCH      one match
    python examples/bot.py http://127.0.0.1:8000            all running matches of the player whose turn it is

The token is read from PBEM_TOKEN: that of a seat for its own match, or a personal one.
"""

from __future__ import annotations

import os
import random
import sys
from collections.abc import Iterable, Mapping
from typing import Any

from pbem.client import Match, Pbem, Refused


def choose(question: Mapping[str, Any]) -> Mapping[str, Any]:
    """The move to play. Replace this by something cleverer: `question["legal"]` has moves, texts and labels."""
    legal: list[Mapping[str, Any]] = question["legal"]
    return random.choice(legal)


def play(match: Match) -> int:
    """How many questions were answered until the match was over."""
    answered = 0
    for question in match.questions():
        try:
            match.play(question, choose(question))
        except Refused as refused:
            if refused.code not in ("stale", "answered"):  # the clock, or its owner, was faster
                raise
        else:
            answered += 1
    return answered


def turns(site: Pbem) -> Iterable[Match]:
    """The matches that wait for the player."""
    return [site.match(brief["id"]) for brief in site.matches(status="running", turn="true")]


def answer_once(match: Match) -> None:
    """Answers what is open now, and leaves."""
    question = match.ask()
    if question["ask"]:
        match.play(question, choose(question))


def main(arguments: list[str]) -> int:
    """Plays, and tells what it has done."""
    if not 1 <= len(arguments) <= 2 or "PBEM_TOKEN" not in os.environ:
        print(__doc__, file=sys.stderr)
        return 2
    site = Pbem(arguments[0], os.environ["PBEM_TOKEN"])
    if len(arguments) == 2:
        match = site.match(arguments[1])
        print(f"{play(match)} moves; {match.sheet()['outcome']}")
        return 0
    waiting = list(turns(site))
    for match in waiting:
        answer_once(match)
    print(f"answered in {len(waiting)} matches")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
