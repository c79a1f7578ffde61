"""Games, matches and their links, and the calendar of a player: what the API has offered since its first version."""

from __future__ import annotations

from datetime import date
from typing import Any

from pbem.models.clocks import Vacation
from pbem.models.tables import AskRow, Match, SubstituteRow, table
from pbem.services.players import players
from pbem.services.tokens import OfferClaim
from tests.api.cast import NOON, READER, body_of_match
from tests.api.surface import (
    Row,
    Scene,
    match_rows,
    same_for_all_callers,
    statuses_for_players,
    statuses_to_view_match,
    statuses_with_seat,
)

STABLE: dict[str, set[str]] = {
    "/api/v1/games": {"get"},
    "/api/v1/games/{slug}": {"get"},
    "/api/v1/matches": {"post"},
    "/api/v1/matches/{match_id}": {"get"},
    "/api/v1/matches/{match_id}/state": {"get"},
    "/api/v1/matches/{match_id}/events": {"get"},
    "/api/v1/matches/{match_id}/ask": {"get"},
    "/api/v1/matches/{match_id}/back": {"post"},
    "/api/v1/matches/{match_id}/resign": {"post"},
    "/api/v1/matches/{match_id}/votes": {"post"},
    "/api/v1/matches/{match_id}/moves": {"post"},
    "/api/v1/matches/{match_id}/story": {"get"},
    "/api/v1/matches/{match_id}/log": {"get"},
    "/api/v1/matches/{match_id}/messages": {"get", "post"},
    "/api/v1/matches/{match_id}/note": {"get", "put"},
    "/api/v1/matches/{match_id}/seen": {"put"},
    "/api/v1/confirm/{token}": {"post"},
    "/api/v1/invitation/{token}/accept": {"post"},
    "/api/v1/invitation/{token}/decline": {"post"},
    "/api/v1/join/{token}": {"post"},
    "/api/v1/substitute/{token}": {"post"},
    "/api/v1/takeover/{token}/accept": {"post"},
    "/api/v1/me/calendar": {"get", "put"},
    "/api/v1/me/calendar/holidays": {"post"},
    "/api/v1/me/calendar/holidays/{first}": {"delete"},
}


CHARLIE = {"name": "Charlie", "email": "charlie@example.org", **READER}


def alices_answer(scene: Scene) -> dict[str, Any]:
    """A legal answer to what Alice is asked."""
    question = scene.table.ask(0)
    return {"key": question["ask"]["key"], "move": question["legal"][0]["move"]}


def carol_is_late(scene: Scene) -> dict[str, Any]:
    """A vote on Carol, which is open."""
    with scene.api.site.writing() as session:
        session.get_one(Match, scene.table.id).late = "vote"
        mine = table(AskRow).c.match_id == scene.table.id, table(AskRow).c.seat == 2
        session.execute(table(AskRow).update().where(*mine).values(vote_since=NOON))
    return {"seat": 2}


def of_new_match(purpose: Any) -> Any:
    """The token of a link of a match that waits for its players."""

    def token(scene: Scene) -> str:
        names = ("Alice", "Bob", "Carol")
        match_id = scene.api.create(names)
        if purpose == "confirm":
            return scene.api.token("confirm", match_id, 0)
        confirm = scene.api.token("confirm", match_id, 0)
        assert scene.api.caller().post(f"/confirm/{confirm}", READER).status_code == 200
        return scene.api.token("invitation", match_id, 1)

    return token


def open_seat(scene: Scene) -> str:
    """The token of a seat that is open to anybody with its link."""
    seats = {"seats": [*body_of_match()["seats"][:2], {"open": True}]}
    created = scene.api.caller().post("/matches", {**body_of_match(), **seats})
    match_id = created.json["id"]  # type: ignore[index]  # the body is JSON
    confirm = scene.api.token("confirm", match_id, 0)
    assert scene.api.caller().post(f"/confirm/{confirm}", READER).status_code == 200
    alice = scene.api.caller(scene.api.token("play", match_id, 0))
    link = alice.get(f"/matches/{match_id}").json["seats"][2]["join"]  # type: ignore[index]
    return str(link).rpartition("/")[2]


def left_seat(scene: Scene) -> str:
    """The token for requesting the seat that Bob has left."""
    assert scene.table.bob.post(f"{scene.table.path}/resign", {}).status_code == 200
    link = scene.table.alice.get(scene.table.path).json["seats"][1]["substitute"]  # type: ignore[index]
    return str(link).rpartition("/")[2]


def substitutes_offer(scene: Scene) -> str:
    """The token by which Charlie takes that seat over."""
    asked = scene.api.caller().post(f"/substitute/{left_seat(scene)}", CHARLIE)
    assert asked.status_code == 200, asked.text
    with scene.api.site.reading() as session:
        (offer,) = session.execute(table(SubstituteRow).select()).all()
    return scene.api.site.tokens.sign(OfferClaim(offer.id))


def day_of_holiday(scene: Scene) -> str:
    """The first day of a holiday of the player who is going to cancel it."""
    with scene.api.site.writing() as session:
        player = players.player_by_address(session, f"{scene.name}@example.org")
        assert player is not None
        assert player.id is not None
        session.add(Vacation(player_id=player.id, first=date(2026, 4, 1), last=date(2026, 4, 2)))
    return "2026-04-01"


HOURS = {"zone": "Europe/Paris", "weekends_off": True, "quiet": None}
HOLIDAY = {"first": "2026-05-01", "last": "2026-05-03"}


def _of_match(method: str, path: str, expect: dict[str, int], **more: Any) -> list[Row]:
    """The rows of an endpoint that needs a seat, the same at every table."""
    return match_rows(method, f"/matches/{{match_id}}{path}", expect, expect, **more)


def _by_link(path: str, token: Any, body: Any = READER) -> Row:
    """The row of a mail link's action: its token is in the address, and no other token is read."""
    return Row("POST", path, same_for_all_callers(), body=body, values={"token": token})


ROWS: list[Row] = [
    Row("GET", "/openapi.json", same_for_all_callers()),
    Row("GET", "/games", same_for_all_callers()),
    Row("GET", "/games/{slug}", same_for_all_callers(), values={"slug": "hogen"}),
    Row("POST", "/matches", statuses_for_players(201, nobody=201), body=body_of_match(), scope="create"),
    *(
        row
        for path in ("", "/state", "/events", "/story", "/log")
        for row in match_rows(
            "GET", f"/matches/{{match_id}}{path}", statuses_to_view_match(), statuses_to_view_match(private=True)
        )
    ),
    *(row for path in ("/ask", "/messages", "/note") for row in _of_match("GET", path, statuses_with_seat())),
    *_of_match("POST", "/messages", statuses_with_seat(201), body={"text": "Good luck to all."}),
    *_of_match("PUT", "/note", statuses_with_seat(), body={"text": "Bob bluffs."}),
    *_of_match("PUT", "/seen", statuses_with_seat(), body={"version": 1}),
    *_of_match("POST", "/moves", statuses_with_seat(201, 409), body=alices_answer),
    *_of_match("POST", "/back", statuses_with_seat(), body={}),
    *_of_match("POST", "/resign", statuses_with_seat(), body={}),
    *_of_match("POST", "/votes", statuses_with_seat(), body=carol_is_late),
    _by_link("/confirm/{token}", of_new_match("confirm")),
    _by_link("/invitation/{token}/accept", of_new_match("invitation")),
    _by_link("/invitation/{token}/decline", of_new_match("invitation"), {}),
    _by_link("/join/{token}", open_seat, CHARLIE),
    _by_link("/substitute/{token}", left_seat, CHARLIE),
    _by_link("/takeover/{token}/accept", substitutes_offer),
    Row("GET", "/me/calendar", statuses_for_players()),
    Row("PUT", "/me/calendar", statuses_for_players(), body=HOURS),
    Row("POST", "/me/calendar/holidays", statuses_for_players(201), body=HOLIDAY),
    Row("DELETE", "/me/calendar/holidays/{first}", statuses_for_players(), values={"first": day_of_holiday}),
]
