"""Schemathesis sends valid and invalid requests to every operation: none fails, and every answer is documented.

Half of the requests match the document and half do not. What the document cannot know is filled in by hand:
the ids and tokens of a `Stage`, and the key of the open question for a move. The draws are always the same.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from tests.api import stage
from tests.api.cast import NOON, Api, json_of
from tests.api.stage import Stage
from tests.api.surface import stable_addresses
from tests.harness.servers import copy_sqlite

EXAMPLES = 25
SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much, HealthCheck.large_base_example]
OPERATIONS = [(method, path) for path, methods in stable_addresses().items() for method in sorted(methods)]


@dataclass
class Played:
    """A database template with the stage in it, the stage, and the document as Schemathesis reads it."""

    path: Path
    stage: Stage
    rest: Api
    document: Any


@pytest.fixture(scope="module")
def document(tmp_path_factory: pytest.TempPathFactory, sqlite_migrated: Path) -> Played:
    """Loads the document once: for each load Schemathesis searches the whole application for constants."""
    import schemathesis  # which takes half a second, in each process that collects tests

    directory = tmp_path_factory.mktemp("stage")
    copy_sqlite(sqlite_migrated, directory / "pbem.db")
    rest = Api(stage.site_at(directory, NOON - timedelta(days=stage.LONG_AGO)))
    found = stage.play_stage(rest)
    document = schemathesis.openapi.from_wsgi("/api/v1/openapi.json", rest.app)
    rest.site.engine.dispose()
    return Played(directory / "pbem.db", found, rest, document)


@pytest.fixture
def own_stage(document: Played, tmp_path: Path) -> Iterator[Played]:
    """The API of a stage of this test's own."""
    copy_sqlite(document.path, tmp_path / "pbem.db")
    # What the stage did last may be done again after a while.
    site = stage.site_at(tmp_path, NOON + timedelta(minutes=1))
    document.rest.move_to(site)
    yield document
    site.engine.dispose()


@pytest.mark.long
@pytest.mark.timeout(600)
@pytest.mark.parametrize(("method", "path"), OPERATIONS)
def test_schemathesis_finds_no_server_error_and_no_undocumented_response(
    own_stage: Played, method: str, path: str
) -> None:
    from schemathesis import GenerationMode, checks
    from schemathesis.core.failures import FailureGroup
    from schemathesis.specs.openapi import checks as openapi

    documented = [
        openapi.status_code_conformance, openapi.content_type_conformance, openapi.response_schema_conformance,
    ]  # fmt: skip
    rest, on_stage, operation = own_stage.rest, own_stage.stage, own_stage.document[path][method]
    modes = [operation.as_strategy(generation_mode=mode) for mode in GenerationMode]
    failures: list[str] = []
    statuses: Counter[int] = Counter()

    @seed(6)
    @settings(max_examples=EXAMPLES, deadline=None, database=None, phases=[Phase.generate], suppress_health_check=SLOW)
    @given(case=st.one_of(modes), luck=st.integers(0, 2**32).map(Random))
    def ask(case: Any, luck: Random) -> None:
        turn = sum(statuses.values()) % 6  # with few requests chance alone may have none accepted, or none refused
        _aim(case, rest, on_stage, luck, sure=turn == 1)
        if turn == 5:
            case.headers["Authorization"] = f"Bearer {luck.choice(on_stage.worthless)}"
            if "token" in case.path_parameters:  # here the token in the address counts, no matter who calls
                case.path_parameters["token"] = luck.choice(stage.RUBBISH)
        answer = case.call()
        statuses[answer.status_code] += 1
        try:
            case.validate_response(
                answer, checks=documented if _is_full(case, answer) else [checks.not_a_server_error, *documented]
            )
        except FailureGroup as group:
            failures.append(str(group))

    ask()
    assert not failures, "\n\n".join(dict.fromkeys(failures))
    assert min(statuses) < 300, f"nothing was reached: {statuses}"
    assert max(statuses) >= 400, f"nothing was refused: {statuses}"


def _is_full(case: Any, answer: Any) -> bool:
    """Whether this is the one documented 503: no place for another stream. The stage has none."""
    full: bool = case.path.endswith("/stream") and answer.status_code == 503
    return full and answer.json()["code"] == "busy" and int(answer.headers["retry-after"][0]) > 0


def _aim(case: Any, rest: Api, on_stage: Stage, luck: Random, *, sure: bool) -> None:
    """Fills in what the document cannot know: all of it in some requests, a part of it in others.

    If `sure`, nothing that the stage knows better is left to chance.
    """
    name = case.operation.definition.raw["operationId"]
    share = 1.0 if sure or luck.random() < 0.4 else 0.7
    if sure:
        case.headers.clear()
    match_id, token = luck.choice(on_stage.best.get(name, on_stage.seats))
    _call(case, on_stage, token, luck, share)
    if sure:
        case.headers["Authorization"] = f"Bearer {token if '{match_id}' in case.path else on_stage.players[0]}"
    for segment, parameter in re.findall(r"/([^/{]+)/\{(\w+)\}", case.path):
        there = on_stage.known | on_stage.own.get(name, {})
        if luck.random() < share and segment in there:
            known = there[segment]
            fitting = match_id if segment == "matches" else known[0] if sure else luck.choice(known)
            case.path_parameters[parameter] = fitting
        elif luck.random() < 0.3:
            case.path_parameters[parameter] = luck.choice(stage.RUBBISH)
    if share == 1:
        case.query = {}
        if case.method in ("PUT", "PATCH", "DELETE"):
            case.headers["If-Match"] = "*"
        if case.path.endswith("/stream"):
            case.headers["Last-Event-ID"] = "999999"
    bodies = on_stage.bodies
    if name in bodies and luck.random() < share:
        case.body = deepcopy(bodies[name][0] if sure else luck.choice(bodies[name]))
    if name in ("answerQuestion", "previewMove") and luck.random() < share:
        case.body = _answer(rest, match_id, token, {} if sure else case.body, luck, legal=1 if sure else 0.7)


def _call(case: Any, on_stage: Stage, token: str, luck: Random, share: float) -> None:
    """Gives the request a caller: one whose token is valid for the address, or any other."""
    case.headers.pop("Authorization", None)
    account, *_, personal = on_stage.players
    mine = luck.choice((token, token, personal) if "{match_id}" in case.path else (account, account, personal))
    others = (None, luck.choice(on_stage.seats)[1], luck.choice(on_stage.players), luck.choice(on_stage.worthless))
    caller = mine if luck.random() < share else luck.choice(others)
    if caller is not None:
        case.headers["Authorization"] = f"Bearer {caller}"


def _answer(rest: Api, match_id: str, token: str, drawn: Any, luck: Random, legal: float) -> Any:
    """An answer to the open question: a legal move with this probability, otherwise the drawn one."""
    question = json_of(rest.caller(token).get(f"/matches/{match_id}/ask"))
    if not question["ask"] or not isinstance(drawn, dict):
        return drawn
    key = {"key": question["ask"]["key"]}
    return key | {"move": luck.choice(question["legal"])["move"]} if luck.random() < legal else {**drawn, **key}
