"""A site with data behind every address: matches in every phase, and tokens of each kind, valid and invalid.

It is played once (`play_stage`) and stored; fuzz tests take a copy of its database for each operation.
"""

from __future__ import annotations

import hashlib
import json
import random
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any

from sqlalchemy import select
from sqlmodel import col

from pbem.config import Config
from pbem.features.checkpoints.making import make_checkpoint_of_today
from pbem.features.circles.occasions import run_standing_tables
from pbem.features.leagues import claims, founding, lookups
from pbem.features.leagues.tables import Entrant
from pbem.games import all_games
from pbem.kit.logs.logfile import log_to_bytes
from pbem.models.tables import Player, SubstituteRow, table
from pbem.services.mail import sender
from pbem.services.play import timeouts
from pbem.services.site import Site, open_site
from pbem.services.tokens import ChangeClaim, OfferClaim
from tests.api.cast import NOON, READER, Api, Table, body_of_match, json_of
from tests.api.play.moves import play_to_the_end
from tests.api.play.takeback import niigata, table_with_reply
from tests.kit.logs.logs import LOG
from tests.table import MovedClock

LONG_AGO = 20
"""The number of days before noon on which the first match began."""

RUBBISH = ("x", "0", "-1", "f" * 32, "é\u0000", "10000000000000000000000", "null", "2026-02-30")
"""What no address leads to. A slash or two dots would make another address of it."""

CUP: dict[str, Any] = {
    "name": "Spring cup", "game": "allegeance", "terms": {"pairing": "organiser", "rest_days": None},
}  # fmt: skip

BODIES: dict[str, tuple[dict[str, Any], ...]] = {
    "createMatch": (
        body_of_match(),
        body_of_match(options={"variant": "x"}),
        body_of_match(game="niigata", clock={"turn_s": 3600}),
    ),
    "confirmMatch": (READER, {}),
    "acceptSeat": (READER, {}),
    "joinMatch": ({"name": "Zoe", "email": "zoe@example.org", **READER},),
    "askForSeat": ({"name": "Zoe", "email": "zoe@example.org"},),
    "takeSeatOver": (READER, {}),
    "vote": ({"seat": 1},),
    "makeToken": ({"name": "Phone", "scopes": ["read", "play"], "days": 30},),
    "putSeat": ({"bot": "random"}, {"open": True}, {"name": "Dave", "email": "dave@example.org"}),
    "remindSeat": ({},),
    "withdraw": ({},),
    "sendLog": (json.loads(log_to_bytes(LOG)),),
    "pingWebhook": ({},),
    "makeWebhook": ({"url": "https://hooks.example.org/pbem", "kinds": ["your_turn", "moved"]},),
    "changeWebhook": ({"kinds": ["over"]}, {"active": True}, {"rotate": True}),
    "askAddressChange": ({"email": "alice@example.net"}, {"email": "bob@example.org"}),
    "confirmAddressChange": ({},),
    "eraseMe": ({"confirm": "erase"}, {"confirm": "erase", "never": True}),
    "playAgain": ({},),
    "say": ({"text": "Good evening\n♥"},),
    "markSeen": ({"version": 1}, {"version": 0}, {"version": 10**6}),
    "putNote": ({"text": "Bob has the nine."}, {"text": ""}),
    "putStandIn": ({"bot": "random"}, {"bot": None}),
    "putCalendar": ({"zone": "Europe/Paris", "weekends_off": True, "quiet": {"from": 22, "to": 7}},),
    "foundLeague": (CUP, CUP | {"terms": {"seats": 9}}, CUP | {"game": "hogen", "listed": True}),
    "changeLeague": ({"listed": True}, {"terms": {"days": 10}}, {"terms": {"matches": 99}}),
    "endLeague": ({},),
    "openSeason": ({"starts_at": "2026-05-01T18:00:00Z"},),
    "changeSeason": ({"starts_at": "2026-05-01T18:00:00Z"}, {"starts_at": "2028-05-01T18:00:00Z"}),
    "startSeason": ({},),
    "closeSeason": ({},),
    "addEntrants": (
        {"name": "Newcomer"},
        {"people": [{"name": "Zoe", "email": "zoe@example.org"}]},
        {"bot": "random", "number": 2},
    ),
    "enterSeason": ({"name": "Bobby"}, {}),
    "declineSeason": ({},),
    "foundCircle": ({"title": "Les Lacs", "name": "Alice"},),
    "changeCircle": ({"title": "Les Étangs"}, {"open": True}, {"open": False}),
    "inviteToCircle": ({"email": "zoe@example.org"}, {"name": "Zoe", "email": "zoe@example.org"}),
    "joinCircle": ({"name": "Bob"},),
    "acceptCircle": ({"name": "Alice"},),
    "changeMembership": ({"muted": True}, {"listed": True}),
    "startCircleMatch": ({"game": "hogen", "members": [2], "bots": ["random"]},),
    "setUpTable": ({"game": "hogen", "weekday": 6, "hour": 18, "zone": "Europe/Paris"},),
    "answerTable": ({"yes": True}, {"yes": False}),
    "announceHoliday": ({"first": "2026-08-01", "last": "2026-08-03"}, {"first": "2025-01-01", "last": "2024-01-01"}),
}
"""Bodies that a program would send, by the operation; a schema alone hardly ever leads to one."""


def site_at(directory: Path, at: datetime) -> Site:
    """The site of the database in this directory. What is drawn at one time is not drawn again at another."""
    url, drawn = f"sqlite:///{directory / 'pbem.db'}", count()
    # No request may wait for something that will not happen: the clock stands still.
    config = Config(mode="embedded", data=directory, database_url=url, secret="s" * 48, lock_wait_s=0.1, waiting=0)

    def entropy(size: int) -> bytes:
        return hashlib.shake_256(f"{at} {next(drawn)}".encode()).digest(size)

    return open_site(config, now=MovedClock(at), entropy=entropy)


@dataclass
class Stage:
    """The stage's values for the parameters of addresses, and the tokens of callers."""

    known: dict[str, list[str]] = field(default_factory=dict)
    """What may stand in an address, by the segment before it."""
    own: dict[str, dict[str, list[str]]] = field(default_factory=dict)
    """What may stand in the address of an operation in place of what is `known`, by the segment before it."""
    seats: list[tuple[str, str]] = field(default_factory=list)
    """Matches, each with the token of a seat there."""
    best: dict[str, list[tuple[str, str]]] = field(default_factory=dict)
    """The seats from which an operation leads furthest."""
    players: list[str] = field(default_factory=list)
    """Tokens of players: Alice's account, and so on."""
    worthless: list[str] = field(default_factory=list)
    """Tokens that open nothing."""
    bodies: dict[str, tuple[dict[str, Any], ...]] = field(default_factory=lambda: dict(BODIES))
    """Bodies that a program would send, by the operation."""


def play_stage(rest: Api) -> Stage:
    """Fills the site; returns the stage that describes it."""
    stage = Stage(known={"games": list(all_games()), "schemas": ["moves", "state"], "matches": []})
    _invite_long_ago(rest, stage)
    _wait_for_bob(rest, stage)
    for slug in all_games():
        _begin(rest, stage, game=slug)
    _take_back(rest, stage)
    _begin(rest, stage, spectators=False)
    stage.best["comeBack"] = stage.best["resign"] = stage.seats[-3:]
    over = Table(rest, _begin(rest, stage))
    play_to_the_end(over, random.Random(3))
    assert over.seat(0).post(f"{over.path}/analysis").status_code == 202
    for name in ("playAgain", "followEvents", "askAnalysis", "getAnalysis"):
        stage.best[name] = stage.seats[-3:]
    _create_waiting_matches(rest, stage)
    _leave_seat(rest, stage)
    _sign_in(rest, stage)
    _write_logs_and_webhooks(rest, stage)
    _create_leagues(rest, stage)
    _gather_circles(rest, stage)
    make_checkpoint_of_today(rest.site)
    stage.best["getMatchCheckpoint"] = stage.best["getLog"] = [stage.best["playAgain"][-1]]
    stage.best["answerQuestion"] = stage.best["previewMove"] = [
        (match_id, token) for match_id, token in stage.seats
        if json_of(rest.caller(token).get(f"/matches/{match_id}/ask"))["ask"]
    ]  # fmt: skip
    return stage


def _invite_long_ago(rest: Api, stage: Stage) -> None:
    """A match whose players have not answered: it is time to remind them."""
    match_id = rest.create()
    json_of(rest.caller().post(f"/confirm/{rest.token('confirm', match_id, 0)}", READER))
    stage.known["matches"].append(match_id)
    stage.seats.append((match_id, rest.token("play", match_id, 0)))
    stage.best["remindSeat"] = list(stage.seats)


def _wait_for_bob(rest: Api, stage: Stage) -> None:
    """A match in which the table votes on a late player, Bob."""
    late = Table(rest, _begin(rest, stage, clock={"late": "vote"}))
    for seat in (0, 2):
        assert late.play(seat, late.ask(seat)["legal"][0]).status_code == 201
    stage.best["vote"] = stage.seats[-3:]
    sender.drain(rest.site)
    clock = rest.site.now
    assert isinstance(clock, MovedClock)
    clock.forward(days=LONG_AGO)
    timeouts.sweep_deadlines(rest.site)


def _take_back(rest: Api, stage: Stage) -> None:
    """A move that can be taken back, one that somebody asks to take back, and a match that takes orders."""
    table, mover, to = niigata(rest)
    stage.best["takeBack"], stage.bodies["takeBack"] = [(table.id, table.seat(mover).token or "")], ({"to": to},)
    version = json_of(table.charlie.get(table.path))["version"]
    stage.best["putOrders"] = [(table.id, table.seat(seat).token or "") for seat in range(3)]
    stage.bodies["putOrders"] = ({"version": version, "orders": []},)
    table, mover, to = table_with_reply(rest)
    json_of(table.seat(mover).post(f"{table.path}/takeback", {"to": to}))
    others = sorted({0, 1, 2} - {mover})
    stage.best["agreeToTakeback"] = [(table.id, table.seat(seat).token or "") for seat in others]
    stage.bodies["agreeToTakeback"] = ({"to": to, "agree": True}, {"to": to, "agree": False})


def _begin(rest: Api, stage: Stage, **more: Any) -> str:
    match_id = rest.start(**more)
    stage.known["matches"].append(match_id)
    stage.seats += [(match_id, rest.token("play", match_id, seat)) for seat in range(3)]
    return match_id


def _create_waiting_matches(rest: Api, stage: Stage) -> None:
    """Matches that wait for their organiser, for their players, and for the holder of a link."""
    waiting = [rest.create() for _ in range(2)]
    inviting = rest.create()
    seats = [*body_of_match()["seats"][:2], {"open": True}]
    opened = json_of(rest.caller().post("/matches", body_of_match() | {"seats": seats}), 201)["id"]
    for match_id in (inviting, opened):
        json_of(rest.caller().post(f"/confirm/{rest.token('confirm', match_id, 0)}", READER))
    organiser = rest.caller(rest.token("play", opened, 0))
    link = json_of(organiser.get(f"/matches/{opened}"))["seats"][2]["join"]
    stage.known["matches"] += [*waiting, inviting, opened]
    stage.seats += [(match_id, rest.token("play", match_id, 0)) for match_id in (inviting, opened)]
    stage.best["putSeat"] = stage.best["withdraw"] = stage.seats[-2:]
    stage.known["seats"] = ["1", "2", "0"]
    stage.known["confirm"] = [rest.token("confirm", match_id, 0) for match_id in (*waiting, inviting)]
    stage.known["invitation"] = [rest.token("invitation", inviting, seat) for seat in (1, 2)]
    stage.known["join"] = [link.rpartition("/")[2]]


def _leave_seat(rest: Api, stage: Stage) -> None:
    """An abandoned seat, and a person who asks for it."""
    left = Table(rest, _begin(rest, stage))
    json_of(left.bob.post(f"{left.path}/resign", {}))
    link = json_of(left.alice.get(left.path))["seats"][1]["substitute"].rpartition("/")[2]
    json_of(rest.caller().post(f"/substitute/{link}", {"name": "Erin", "email": "erin@example.org", **READER}))
    with rest.site.reading() as session:
        offers = session.execute(select(table(SubstituteRow).c.id)).scalars().all()
    stage.known["substitute"] = [link]
    stage.known["takeover"] = [rest.site.tokens.sign(OfferClaim(offer)) for offer in offers]


def _sign_in(rest: Api, stage: Stage) -> None:
    """Alice and Bob with their account tokens, an expired one, and holidays of Alice's."""
    with rest.site.reading() as session:
        found = session.execute(select(table(Player).c.id, table(Player).c.epoch).order_by(table(Player).c.id)).all()
    tokens = [rest.site.tokens.for_account(who, epoch, NOON) for who, epoch in found[:2]]
    (alice, epoch), *_ = found
    stale = rest.site.tokens.for_account(alice, epoch, NOON - timedelta(days=1))
    days = {"first": "2026-07-14", "last": "2026-07-20"}
    json_of(rest.caller(tokens[0]).post("/me/calendar/holidays", days), 201)
    stage.known["holidays"] = [days["first"]]
    alike = {"scopes": ["read", "play", "create"], "days": 30}
    made = [json_of(rest.caller(tokens[0]).post("/me/tokens", alike | {"name": name}), 201) for name in "ABC"]
    stage.known["tokens"] = [str(token["id"]) for token in made[1:]]
    stage.players += [*tokens, made[0]["token"]]
    stage.worthless += [stale, "garbage", tokens[0] + "x"]


def _gather_circles(rest: Api, stage: Stage) -> None:
    """A circle of Alice's with a standing table that asks, and one of Bob's that invites her."""
    alice, bob = (rest.caller(token) for token in stage.players[:2])
    founded = json_of(alice.post("/circles", BODIES["foundCircle"][0]), 201)
    link = founded["join_url"].rpartition("/")[2]
    json_of(bob.post(f"/circle-links/{link}", {"name": "Bob"}))
    table = json_of(alice.post(f"/circles/{founded['id']}/tables", BODIES["setUpTable"][0]), 201)["id"]
    run_standing_tables(rest.site)
    others = json_of(bob.post("/circles", {"title": "Others", "name": "Bob"}), 201)["id"]
    assert bob.post(f"/circles/{others}/invitations", {"email": "alice@example.org"}).status_code == 204
    stage.known["circles"] = [founded["id"], others]
    stage.known["members"], stage.known["tables"] = ["2", "1", "3"], [str(table)]
    stage.known["circle-links"] = [link]


def _write_logs_and_webhooks(rest: Api, stage: Stage) -> None:
    """Logs and webhooks of Alice's programs, and an address change that Bob has requested."""
    alice, bob = (rest.caller(token) for token in stage.players[:2])
    stage.known["logs"] = [json_of(alice.post("/logs", BODIES["sendLog"][0]), 201)["id"]]
    hooks = [json_of(alice.post("/me/webhooks", BODIES["makeWebhook"][0]), 201)["id"] for _ in range(3)]
    stage.known["webhooks"] = [str(hook) for hook in hooks]
    call = json_of(alice.post(f"/me/webhooks/{hooks[0]}/ping", {}), 202)["id"]
    stage.known["deliveries"] = [str(call)]
    json_of(bob.post("/me/address", {"email": "bob@example.net"}), 202)
    stage.known["address"] = [
        rest.site.tokens.sign(ChangeClaim(1, "old")),
        rest.site.tokens.sign(ChangeClaim(1, "new")),
    ]


def _create_leagues(rest: Api, stage: Stage) -> None:
    """Leagues of Alice's: one whose season is open, with Bob invited; one whose season runs; one that has none."""
    alice = rest.caller(stage.players[0])
    opened, running, without = (json_of(alice.post("/leagues", CUP), 201) for _ in range(3))
    seasons = [league["seasons"][0]["id"] for league in (opened, running)]
    for season in seasons:
        json_of(alice.post(f"/seasons/{season}/entrants", {"name": "Alice"}), 201)
        entered = json_of(alice.post(f"/seasons/{season}/entrants", {"bot": "random", "number": 3}), 201)["entrants"]
    people = [{"name": "Bob", "email": "bob@example.org"}]
    assert json_of(alice.post(f"/seasons/{seasons[0]}/entrants", {"people": people}), 201)["invited"] == 1
    with rest.site.reading() as session:
        asked = session.execute(select(col(Entrant.id)).where(col(Entrant.name) == "Bob")).scalar_one()
    at_first = json_of(alice.get(f"/seasons/{seasons[0]}/entrants"))["entrants"][0]["id"]
    json_of(alice.post(f"/seasons/{seasons[1]}/start", {}))
    first, second, third = (one["id"] for one in entered)
    tables = {"matches": [{"seats": [first, second]}, {"seats": [second, third]}]}
    stage.bodies["makeSeasonMatches"] = (tables, {"matches": [{"seats": [first, first]}]}, {"matches": []})
    with rest.site.writing() as work:
        season = lookups.lock_season(work, without["seasons"][0]["id"])
        founding.cancel_season(rest.site, work, season)
    stage.known |= {
        "leagues": [opened["id"], running["id"]], "seasons": seasons, "entrants": [str(at_first)],
        "entry": [rest.site.tokens.sign_for(claims.EntrantClaim, asked, "bob@example.org")],
    }  # fmt: skip
    stage.own["openSeason"] = {"leagues": [without["id"]]}
    for name in ("closeSeason", "makeSeasonMatches", "listResults"):
        stage.own[name] = {"seasons": seasons[1:]}
