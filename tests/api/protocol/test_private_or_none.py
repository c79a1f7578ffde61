"""To a stranger, what is private and what does not exist are alike: every address with an id in it, pages included."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product
from typing import Any

import pytest
from flask.testing import FlaskClient
from werkzeug.routing import Rule
from werkzeug.test import TestResponse

from pbem.features.pictures import pictures
from pbem.services.access import access_tokens
from pbem.services.log import cancellation
from pbem.services.players import players
from tests.api.cast import NOON, READER, Api, json_of
from tests.api.stage import BODIES, CUP
from tests.api.surface import Row, all_rows
from tests.deals import begin_deal
from tests.table import play_out

UNGUESSED = ("token", "slug", "day", "stamp", "name", "first", "mail_id")
"""What is itself the right to see (a signed token), what everybody may know, and the mailbox of a host who tries things
out, which has no owner."""

PICTURE = {"kind": "png", "pace": "normal", "theme": "light", "first": "1", "last": "1"}

PUBLIC = ("log_id",)
"""Anyone who has the id of an uploaded log may see it, and only its owner may delete it."""

NUMBERS = {"member_id", "table_id", "entrant_id", "token_id", "hook_id", "delivery_id"}
SENT = {(row.method, row.rule): row.body for row in all_rows() if isinstance(row.body, dict)}


class Place:
    """What Alice has that Charlie does not see, by the name of the part of an address that leads to it."""

    def __init__(self, rest: Api) -> None:
        self.api = rest
        rest.start(("Alice", "Bob"), game="niigata")
        self.charlies = rest.start(("Charlie", "Bob"), game="niigata")
        self.tokens = {name: self._account(name) for name in ("alice", "charlie")}
        alice = rest.caller(self.tokens["alice"])
        circle = json_of(alice.post("/circles", BODIES["foundCircle"][0]), 201)["id"]
        league = json_of(alice.post("/leagues", CUP | {"circle": circle}), 201)
        season = league["seasons"][0]["id"]
        entrant = json_of(alice.post(f"/seasons/{season}/entrants", {"bot": "random", "number": 1}), 201)["entrants"][0]
        table = json_of(alice.post(f"/circles/{circle}/tables", BODIES["setUpTable"][0]), 201)["id"]
        hook = json_of(alice.post("/me/webhooks", BODIES["makeWebhook"][0]), 201)["id"]
        call = json_of(alice.post(f"/me/webhooks/{hook}/ping", {}), 202)["id"]
        token = json_of(alice.post("/me/tokens", {"name": "A", "scopes": ["read"], "days": 30}), 201)["id"]
        self.matches = self._matches()
        self.there: dict[str, Any] = {
            "circle_id": circle, "league_id": league["id"], "season_id": season, "entrant_id": entrant["id"],
            "table_id": table, "member_id": 1, "hook_id": hook, "delivery_id": call, "token_id": token,
            "match_id": self.matches["running"], "picture_id": self._picture(self.matches["running"]), "seat": 0,
        }  # fmt: skip

    def _matches(self) -> dict[str, str]:
        """Matches that only their players see, by how far they are; "sealed": others still play its deal."""
        names, private = ("Alice", "Bob"), {"game": "niigata", "spectators": False}
        found = {stage: self.api.start(names, **private) for stage in ("running", "over", "cancelled")}
        found |= {"inviting": self.api.create(names, **private)}
        play_out(self.api.site, found["over"])
        cancellation.cancel_match_for_host(self.api.site, found["cancelled"])
        _, (found["sealed"], _) = begin_deal(self.api)
        play_out(self.api.site, found["sealed"])
        return found

    def _picture(self, match_id: str) -> str:
        return pictures.request_picture(self.api.site, match_id, 0, "en", "", pictures.Wanted("png"))

    def _account(self, name: str) -> str:
        with self.api.site.reading() as session:
            player = players.player_by_address(session, f"{name}@example.org")
            assert player is not None
            assert player.id is not None
            return self.api.site.tokens.for_account(player.id, player.epoch, NOON)

    def strangers(self) -> Iterator[tuple[str, FlaskClient, dict[str, str]]]:
        """Nobody, and Charlie: their account, a personal token with all rights, their seat elsewhere, their session."""
        yield "nobody", self.api.app.test_client(), {}
        account = self.tokens["charlie"]
        yield "account", self.api.app.test_client(), {"Authorization": f"Bearer {account}"}
        who = self.api.site.tokens.read_account(account, NOON).player_id
        _, personal = access_tokens.create_token(self.api.site, who, "all", access_tokens.SCOPES, None)
        yield "personal token", self.api.app.test_client(), {"Authorization": f"Bearer {personal}"}
        elsewhere = self.api.token("play", self.charlies, 0)
        yield "seat elsewhere", self.api.app.test_client(), {"Authorization": f"Bearer {elsewhere}"}
        signed_in = self.api.app.test_client()
        assert signed_in.post(f"/account/{account}", data=READER).status_code == 303
        yield "session", signed_in, {}


def private_rules(rest: Api) -> list[Rule]:
    """All addresses of which some part is to be compared."""
    left_out = {*UNGUESSED, *PUBLIC}
    return [rule for rule in rest.app.url_map.iter_rules() if rule.arguments and not rule.arguments & left_out]


def fill_path(rule: Rule, values: dict[str, Any], action: str) -> str:
    known = {**values, "action": action, "what": "match"}
    return re.sub(r"<(?:[^<>:]+:)?(\w+)>", lambda found: str(known[found[1]]), rule.rule)


def send_request(client: FlaskClient, method: str, rule: Rule, path: str, headers: dict[str, str], secret: str) -> Any:
    sent: dict[str, Any] = {"data": {"csrf_token": secret} | PICTURE}
    if path.startswith("/api/"):
        sent = {"json": SENT.get((method, Row(method, rule.rule, {}).rule), {})}
    headers = headers | {"If-Match": "*", "Accept-Language": "en"}
    return answer_but_address(client.open(path, method=method, headers=headers, **sent) if method != "GET" else
                 client.get(path, headers=headers), path)  # fmt: skip


_DIFFERS = re.compile(r'"request_id": ?"[^"]*"|name="csrf_token" value="[^"]*"')
"""The token of a form says the second in which it was made."""


def answer_but_address(got: TestResponse, path: str) -> tuple[int, str, dict[str, str]]:
    """The status, body and headers, but for the address that was asked for, and what differs with every request."""
    headers = {name: value.replace(path, "") for name, value in got.headers.items() if name not in (
        "X-Request-ID", "Date", "Content-Length", "Set-Cookie")}  # fmt: skip
    return got.status_code, _DIFFERS.sub("", got.text.replace(path, "")), headers


def test_a_stranger_cannot_tell_a_private_match_from_a_missing_one(rest: Api) -> None:
    place = Place(rest)
    rules = private_rules(rest)
    unknown = {name for rule in rules for name in rule.arguments} - {*place.there, "action", "what"}
    assert unknown == set(), "say what of these is private, or why nothing is"
    none = {name: 999_999 if name in NUMBERS else "0f" * 16 for name in place.there} | {"seat": 0}
    found, refused = [], 0
    for who, client, headers in place.strangers():
        page = client.get("/me").text if who == "session" else ""
        secret = next(iter(re.findall(r'name="csrf_token" value="([^"]+)"', page)), "")
        for rule in rules:
            if who != "nobody" and rule.rule.startswith("/api/") == (who == "session"):
                continue  # a token opens no page, and a session no part of the API
            actions = ("invite", "rename", "leave") if "action" in rule.arguments else ("",)
            stages = place.matches if "match_id" in rule.arguments else {"": ""}
            for method, action in product(sorted((rule.methods or set()) - {"HEAD", "OPTIONS"}), actions):
                not_there = send_request(client, method, rule, fill_path(rule, none, action), headers, secret)
                for stage, match_id in stages.items():
                    values = place.there | {"match_id": match_id}
                    there = send_request(client, method, rule, fill_path(rule, values, action), headers, secret)
                    refused += there[0] in (401, 403, 404)
                    if without_ids(there, values) != without_ids(not_there, none):
                        found.append(f"{who}: {method} {rule.rule} {action} {stage} {there[0]} {not_there[0]}")
    assert "\n".join(found) == ""
    assert refused > 100


def without_ids(got: tuple[int, str, dict[str, str]], values: dict[str, Any]) -> Any:
    """The answer without the ids that were asked for, which it may repeat: numbers in paths, others anywhere."""
    status, text, headers = got
    ids = "|".join(str(value) if isinstance(value, str) else rf"(?<=/){value}(?=[/?\"])" for value in values.values())
    return status, re.sub(ids, "", text), {name: re.sub(ids, "", said) for name, said in headers.items()}


@pytest.mark.long
@pytest.mark.parametrize(("path", "part", "more"), [
    ("/me/webhooks", "match", BODIES["makeWebhook"][0]),
    ("/me/webhooks", "league", BODIES["makeWebhook"][0] | {"kinds": ["over"]}),
    ("/leagues", "circle", CUP),
])  # fmt: skip
def test_an_id_in_a_body_reveals_no_private_match_league_or_circle(
    rest: Api, path: str, part: str, more: dict[str, Any]
) -> None:
    place = Place(rest)
    charlie = rest.caller(place.tokens["charlie"])
    there, not_there = (
        answer_but_address(charlie.post(path, more | {part: found}), path)
        for found in (place.there[f"{part}_id"], "0f" * 16)
    )
    assert there == not_there
    assert there[0] == 404
