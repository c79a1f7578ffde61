"""No operation that takes an address tells, by its answer or by what it does, whether the service knows the address."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.api import stage
from tests.api.cast import NOON, READER, Api, body_of_match, json_of
from tests.api.stage import Stage
from tests.harness.sent import statements_to
from tests.harness.servers import copy_sqlite
from tests.harness.statements import shape_of_statement

KNOWN, UNKNOWN = "dave@example.org", "yann@example.org"
"""Dave sits at another table, and at none of those below."""


def request_with_address(operation: str, found: Stage, email: str) -> tuple[str, str, str, Any]:
    """Returns the caller's token, the method, the path and the body of a request with this address."""
    alice, known = found.players[0], found.known
    person = {"name": "Newcomer", "email": email}
    seats = [*body_of_match()["seats"][:2], person]
    match_id, organiser = found.best["putSeat"][-1]
    return {
        "createMatch": ("", "post", "/matches", body_of_match() | {"seats": seats}),
        "joinMatch": ("", "post", f"/join/{known['join'][0]}", person | READER),
        "askForSeat": ("", "post", f"/substitute/{known['substitute'][0]}", person | READER),
        "putSeat": (organiser, "put", f"/matches/{match_id}/seats/2", person),
        "inviteToCircle": (alice, "post", f"/circles/{known['circles'][0]}/invitations", person),
        "askAddressChange": (alice, "post", "/me/address", {"email": email}),
        "addEntrants": (alice, "post", f"/seasons/{known['seasons'][0]}/entrants", {"people": [person]}),
    }[operation]


OPERATIONS = (
    "createMatch", "joinMatch", "askForSeat", "putSeat", "inviteToCircle", "askAddressChange", "addEntrants",
)  # fmt: skip


@pytest.fixture(scope="module")
def stage_to_play(tmp_path_factory: pytest.TempPathFactory, sqlite_migrated: Path) -> tuple[Path, Stage]:
    directory = tmp_path_factory.mktemp("stage")
    copy_sqlite(sqlite_migrated, directory / "pbem.db")
    rest = Api(stage.site_at(directory, NOON - timedelta(days=stage.LONG_AGO)))
    found = stage.play_stage(rest)
    rest.start(seats=body_of_match(("Alice", "Bob", "Dave"))["seats"])
    rest.site.engine.dispose()
    return directory / "pbem.db", found


def on_a_copy(played: Path, folder: Path) -> Iterator[Api]:
    folder.mkdir()
    copy_sqlite(played, folder / "pbem.db")
    rest = Api(stage.site_at(folder, NOON + timedelta(minutes=1)))
    yield rest
    rest.site.engine.dispose()


@pytest.mark.long
@pytest.mark.parametrize("operation", OPERATIONS)
def test_known_and_unknown_mail_addresses_get_the_same_answer_and_cost(
    stage_to_play: tuple[Path, Stage], tmp_path: Path, operation: str
) -> None:
    seen = []
    for email in (UNKNOWN, KNOWN):
        for rest in on_a_copy(stage_to_play[0], tmp_path / email):
            token, method, path, sent = request_with_address(operation, stage_to_play[1], email)
            with statements_to(rest.site.engine) as statements:
                answer = getattr(rest.caller(token or None), method)(path, sent)
            seen.append(
                (answer.status_code, answer.text.replace(email, "…"), [shape_of_statement(one) for one in statements])
            )
    assert seen[0][0] < 300, seen[0][1]
    assert seen[0] == seen[1]


@pytest.mark.long
def test_the_address_comparison_covers_every_operation_that_takes_one(rest: Api) -> None:
    document = json_of(rest.caller().get("/openapi.json"))
    schemas = document["components"]["schemas"]

    def takes_address(schema: Any, above: tuple[str, ...] = ()) -> bool:
        if isinstance(schema, Mapping):
            name = str(schema.get("$ref", "")).rpartition("/")[2]
            if name and name not in above:
                return takes_address(schemas[name], (*above, name))
            return "email" in schema.get("properties", {}) or any(takes_address(one, above) for one in schema.values())
        return isinstance(schema, list) and any(takes_address(one, above) for one in schema)

    found = {
        said["operationId"]
        for methods in document["paths"].values()
        for said in methods.values()
        if isinstance(said, dict) and takes_address(said.get("requestBody", {}))
    }
    assert found == {*OPERATIONS}
