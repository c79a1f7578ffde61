"""What each layer of a move over HTTP costs: the same requests to applications that do more and more of a move.

    python -m benchmarks.ladder

The Procfile's web with two processes serves each rung to 16 connections, in turn with the others.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from contextlib import ExitStack
from datetime import timedelta
from itertools import count
from statistics import median
from typing import Any

import msgspec
from flask import Flask, Response

import pbem
from benchmarks.service.clients import answer, at_once
from benchmarks.service.effort import Effort
from benchmarks.service.machine import Machine, machine
from benchmarks.service.matches import create_match
from pbem.games import all_games
from pbem.models.prepared import Unmet
from pbem.models.schema.revisions import NEWEST_SCHEMA
from pbem.models.tables import Match, table
from pbem.services import statements
from pbem.services.log.proofs import Stretch
from pbem.services.play import moves
from pbem.services.play.moves import Receipt
from pbem.services.site import Site
from pbem.services.tokens import SeatClaim

AT_ONCE, WARM_S, SECONDS, ROUNDS, ROUND_MOVES = 16, 0.5, 2.5, 4, 350
VIEW = "api-playing.move"
HEAD, SEALED = "a" * 64, f'{{"call":"{"5" * 43}"}}'
EVENT = '{"type":"Called","seat":1,"call":"three","cards":[1,2,3]}'
NOTHING = Receipt("hogen", 1, Stretch(HEAD, HEAD, []), repeated=False, sealed=True)


class Chain:
    """Questions of one match that no game has asked: each answer writes what a move does, and no rules are asked."""

    def __init__(self, site: Site, match_id: str) -> None:
        with site.reading() as session:
            names = [column.name for column in table(Match).c]
            row = statements.MATCH.flush_and_send(session, {"match": match_id}).rows()[0]
        self.match = dict(zip(names, row, strict=True))
        self.version = self.match["version"]

    def send_move_batch(self, site: Site, key: str | None) -> str:
        """Sends the batch of a move that answers the question with this key; returns the next one's."""
        at, n, match_id, after = (
            site.now(),
            self.version,
            self.match["id"],
            f"{key is None}.{self.version}.{os.getpid()}",
        )
        self.version += 2
        guard = {"match": match_id, "from_n": n, "to_n": n + 2, "to_head": HEAD, "touched": self.match["touched"]}
        common = {"match_id": match_id, "at": at, "by": '{"seat":0,"via":"api"}', "key": key, "event": EVENT}
        entries = [{**common, "n": n + one, "sealed": SEALED, "head": HEAD} for one in (1, 2)]
        asked = dict.fromkeys(statements.OPENED) | {
            "match_id": match_id, "key": after, "seat": 0, "turn": "1", "kind": "call", "origin": after,
            "opened_at": at, "opened_n": n + 2, "deadline": at + timedelta(days=3), "allowed_s": 259_200,
            "remind_at": at + timedelta(days=1), "follow_at": at,
        }  # fmt: skip
        mail = dict.fromkeys(statements.MAILED) | {
            "dedupe": f"{match_id}:{after}", "kind": "turn", "match_id": match_id, "seat": 0, "key": after,
            "created_at": at, "due_at": at, "attempts": 0,
        }  # fmt: skip
        move = {
            "closed_at": at, "closed_by": "seat", "answer": EVENT, "first_n": n + 1, "last_n": n + 2, "drew": False,
            "told": 0, "at_match": match_id, "at_key": key, "at_seat": 0, "at_epoch": 0, "upto": n, "former": None,
            "entries": _rows_as_json(entries), "asks": _rows_as_json([asked]), "mails": _rows_as_json([mail]),
        }  # fmt: skip
        with site.one_statement() as connection:
            if key is None:
                statements.OPEN_ASK.send(connection, asked)
                self.version = n
            else:
                statements.FROM_KEPT.send(connection, guard | {"schema": NEWEST_SCHEMA}, move)
        return after


def _rows_as_json(rows: list[dict[str, Any]]) -> str:
    return msgspec.json.encode(rows).decode()


def app_that_answers() -> Flask:
    """Returns an application that answers at once: what is left is the gateway, and the client."""
    app, said = pbem.create_app(), b"{}\n"

    def answer_at_once(_environ: Any, start: Any) -> list[bytes]:
        start("201 CREATED", [("Content-Type", "application/json"), ("Content-Length", str(len(said)))])
        return [said]

    app.wsgi_app = answer_at_once  # type: ignore[method-assign, assignment]
    return app


def app_with_route() -> Flask:
    """Returns one whose route does nothing: Flask and what is done with every request; the token's signature, too."""
    app = pbem.create_app()
    app.view_functions[VIEW] = lambda **_: Response(b"{}\n", 201, mimetype="application/json")
    return app


def app_that_reads_body() -> Flask:
    """Returns one that reads the body, and does not do what it says."""
    moves.play_answer = lambda *_, **__: NOTHING
    return pbem.create_app()


def app_that_writes() -> Flask:
    """Returns one that writes as much as a move does, with nothing of the game, the match or its people at hand."""
    app = pbem.create_app()
    chains, keys = dict[str, Chain](), dict[str, str | None]()

    def write(site: Site, claim: SeatClaim, *_: Any, **__: Any) -> Receipt:
        at = claim.match_id
        chain = chains[at] if at in chains else chains.setdefault(at, Chain(site, at))
        try:
            keys[at] = chain.send_move_batch(site, keys.get(at))
        except Unmet:  # the other process has gone on
            del chains[at], keys[at]
        return NOTHING

    moves.play_answer = write
    return app


RUNGS: Mapping[str, str] = {
    "HTTP alone": "benchmarks.ladder:app_that_answers",
    "a Flask route": "benchmarks.ladder:app_with_route",
    "… that reads the body": "benchmarks.ladder:app_that_reads_body",
    "… and writes the batch": "benchmarks.ladder:app_that_writes",
    "a move": "pbem:create_app",
}
"""The factories of the applications, from the bottom."""
LAST = "a move"


def measure_rungs(ready: Machine) -> dict[str, list[tuple[float, float, float]]]:
    """Returns of each rung, round by round, its answers a second, and the milliseconds of web and PostgreSQL."""
    name = ready.empty()
    site, slugs, numbers = ready.site(name), [slug for slug in all_games() if slug != "endless"], count(1)

    def queue() -> list[bytes]:
        found: list[bytes] = []
        while len(found) < ROUND_MOVES:
            number = next(numbers)
            match = create_match(site, slugs[number % len(slugs)], number, most=ROUND_MOVES - len(found))
            found += [answer(match, said) for said in match.script]
        return found

    rounds = [[queue() for _ in range(AT_ONCE)] for _ in range(ROUNDS)]  # each with matches of its own
    site.engine.dispose()
    ready.database.freeze(name)
    found: dict[str, list[tuple[float, float, float]]] = {rung: [] for rung in RUNGS}
    with ExitStack() as stack:
        webs = {
            rung: stack.enter_context(ready.web(ready.database.create(name), factory))
            for rung, factory in RUNGS.items()
        }
        for queues in rounds:
            for rung, web in webs.items():
                effort = Effort({"web": web.pid, "PostgreSQL": ready.postmaster})
                todo = queues if rung == LAST else [queue * 9 for queue in queues]
                rush = at_once(web.port, todo, 201, WARM_S, SECONDS)
                shares = effort.shares(rush.answered)
                found[rung].append((rush.rate, shares["web"], shares["PostgreSQL"]))
    return found


def main() -> None:
    """Prints the ladder."""
    with machine() as ready:
        found = measure_rungs(ready)
    sys.stdout.write("| | answers a second | ms of web | ms of PostgreSQL |\n| --- | --- | --- | --- |\n")
    for rung, rounds in found.items():
        rate, web, server = (median(column) for column in zip(*rounds[1:], strict=True))
        sys.stdout.write(f"| {rung} | {rate:.0f} | {web:.2f} | {server:.2f} |\n")


if __name__ == "__main__":
    main()
