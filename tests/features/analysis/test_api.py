"""The analysis of a match by the API: asked for, waited for, and read in both languages."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from pbem.features.analysis import analyses
from pbem.features.analysis.course import Advice, Answer, Course, Moment
from pbem.features.chances import Chances
from pbem.kit.texts import Text
from tests.api.cast import Api, Begun, Table, json_of
from tests.table import play_out
from tests.web.cast import Web


def moment_known(course: Course, at: int) -> Moment:
    """A moment whose numbers are known."""
    position, seats = course.positions[at], course.log.seats
    chances = Chances((round(1 / seats, 4),) * seats, (0.01,) * seats, 280)
    found = Moment(position.entry, chances)
    if position.played is None:
        return found
    made, better = Answer("made", Text("ce coup-ci", "this move")), Answer("better", Text("mieux que {0}", "above {0}"))
    seat, first = position.played.ask.seat, position.played.first
    return replace(found, seat=seat, decision=first, eyes=chances, advice=Advice(made, better, 0.25, 0.03, 140))


@pytest.fixture
def over(web: Web, new_match: Begun, monkeypatch: pytest.MonkeyPatch) -> Table:
    """A match that is over, whose analysis has known numbers."""
    monkeypatch.setattr(analyses, "analyse_position", moment_known)
    table = Table(Api(web.site), new_match.lay(web.site))
    play_out(web.site, table.id)
    return table


def test_an_analysis_is_404_until_requested_then_served_in_both_languages(over: Table) -> None:
    path = f"{over.path}/analysis"
    assert over.charlie.get(path).status_code == 404
    assert over.alice.post(path).status_code == 202
    assert over.charlie.get(path).headers["Retry-After"] == "5"
    while analyses.continue_longest_waiting_analysis(over.api.site):
        pass
    found = json_of(over.charlie.get(path))
    assert found["state"] == "made"
    assert found["done"] == found["total"] == len(found["positions"])
    assert found["turning_points"] == []
    decided = next(one for one in found["positions"] if one["advice"])
    assert decided["chances"]["playouts"] == 280
    assert decided["eyes"]["worth"] == pytest.approx([1 / 3] * 3, abs=1e-3)
    assert decided["advice"] == {
        "made": {"typed": "made", "name": "this move"}, "better": {"typed": "better", "name": "above Alice"},
        "cost": 0.25, "error": 0.03, "playouts": 140,
    }  # fmt: skip
    french: dict[str, Any] = json_of(over.charlie.get(path, **{"Accept-Language": "fr"}))
    named = next(one["advice"] for one in french["positions"] if one["advice"])
    assert (named["made"]["name"], named["better"]["name"]) == ("ce coup-ci", "mieux qu’Alice")
    titles = [{one["kind"]: one["title"] for one in answer["luck"]} for answer in (found, french)]
    assert titles[0]
    assert titles[0].keys() == titles[1].keys()
    assert titles[0] != titles[1]


@pytest.mark.long
def test_a_failed_analysis_is_404_again(over: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(course: Course, at: int) -> Moment:
        raise ZeroDivisionError

    monkeypatch.setattr(analyses, "analyse_position", broken)
    assert over.alice.post(f"{over.path}/analysis").status_code == 202
    analyses.continue_longest_waiting_analysis(over.api.site)
    assert over.alice.get(f"{over.path}/analysis").status_code == 404


def test_too_many_requests_for_analyses_are_refused(over: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(analyses, "OPEN_ALL", 0)
    refused = over.alice.post(f"{over.path}/analysis")
    assert refused.status_code == 429
    assert refused.headers["Retry-After"] == "60"
