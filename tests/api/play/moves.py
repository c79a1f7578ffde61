"""Whole matches by the API, with random answers."""

from __future__ import annotations

import json
import random
from typing import Any

from sqlalchemy import text

from pbem.games.samurai import CARDS
from tests.api.cast import Table, json_of

SOON, LATE = 0.3, 0.05
"""How often a declaration is chosen: a match of three takes about 16 moves with the first, 90 with the second."""


def choose_legal_move(
    question: dict[str, Any], luck: random.Random, table: Table, seat: int, often: float
) -> dict[str, Any]:
    """A legal move: a declaration as often as said, otherwise any."""
    kinds = [kind for kind in question["kinds"] if kind != "Declare"]
    kind = "Declare" if not kinds or ("Declare" in question["kinds"] and luck.random() < often) else luck.choice(kinds)
    offset = luck.randrange(question["kinds"][kind])
    chosen: dict[str, Any] = table.ask(seat, f"?kind={kind}&offset={offset}&limit=1")["legal"][0]
    return chosen


def play_to_the_end(table: Table, luck: random.Random, often: float = SOON) -> None:
    """Plays until nobody is asked, as JSON and as text by turns, looking at everything on the way."""
    secrets = 0
    for turn in range(600):
        asked = table.seats_asked()
        if not asked:
            assert secrets, "something was secret on the way"
            return
        seat = luck.choice(asked)
        question = table.ask(seat)
        chosen = choose_legal_move(question, luck, table, seat, often)
        how = {"move": chosen["move"]} if turn % 2 else {"text": chosen["text"]}
        receipt = json_of(table.seat(seat).post(f"{table.path}/moves", {"key": question["ask"]["key"], **how}), 201)
        last = len(receipt["events"])
        assert json_of(table.seat(seat).get(f"{table.path}/events"))["events"][-last:] == receipt["events"]
        if turn % 5 == 0:
            secrets += secrets_kept(table)
    raise AssertionError("the match does not end")


def secrets_kept(table: Table) -> int:
    """Returns the number of cards never shown, summed over viewers; checks that no viewer's answers name theirs."""
    kept = 0
    with table.api.site.reading() as session:
        rows = session.execute(text("SELECT event FROM entries WHERE match_id = :id ORDER BY n"), {"id": table.id})
        log = [json.loads(event) for (event,) in rows]
    for viewer in (None, 0, 1, 2):
        caller = table.charlie if viewer is None else table.seat(viewer)
        secret = set(CARDS) - cards_shown(log, viewer)
        kept += len(secret)
        entries = json_of(caller.get(f"{table.path}/events"))["events"]
        position = json_of(caller.get(f"{table.path}/state"))
        # Guesses may name any card, in the log and in the state, which keeps those of the log and no others.
        guesses = {e["event"]["seat"]: e["event"]["allies"] for e in entries if e["event"]["type"] == "Declared"}
        named = position["state"].pop("named")
        assert {seat: allies for seat, allies in enumerate(named) if allies} == guesses
        for got in (position, [entry for entry in entries if entry["event"]["type"] != "Declared"]):
            assert not {card for card in secret if f'"{card}"' in json.dumps(got)}
    return kept


def cards_shown(log: list[dict[str, Any]], viewer: int | None) -> set[str]:
    """The cards that lay open to the viewer at some time, by the rules of the game."""
    cards: set[str] = set()
    for event in log:
        match event["type"]:
            case "Dealt":
                cards.update(event["palace"], event["hands"][viewer] if viewer is not None else ())
            case "Exchanged":
                cards.update((event["given"], event["taken"]))
            case "Refuted" if event["seat"] == viewer:
                cards.update(event["truth"])
            case "Unmasked":
                cards.update(guess["card"] for guess in event["allies"])
    return cards
