"""`pbem capacity`: the model by hand for ten million matches, and what it is made of."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pbem.features.capacity import measuring
from pbem.features.capacity.commands import ASSUMED, USUAL, Figures, resources_needed
from pbem.games import all_games
from pbem.mail import compose
from tests.commands.conftest import Pbem
from tests.harness.cases import cases

MANY = 10_000_000
FIGURES = Figures(move_ms=2.0, page_ms=5.0, mail_ms=10.0)


def needs_of(matches: int) -> dict[str, tuple[float, float]]:
    """Returns each need of this many matches, for a quiet and for a busy site."""
    return {row.name: (row.quiet, row.busy) for row in resources_needed(matches, FIGURES, USUAL)}


def test_the_plan_for_ten_million_matches_equals_one_computed_by_hand() -> None:
    need = needs_of(MANY)
    assert need["moves, average"] == pytest.approx((81.0, 347.2), rel=0.001)
    assert need["moves, at the peak"] == pytest.approx((243.1, 1041.7), rel=0.001)
    assert need["mails"] == pytest.approx((4_200_000, 18_000_000))
    assert need["open questions"] == (12_000_000, 20_000_000)
    assert need["matches that end"] == pytest.approx((110_000, 170_000))
    assert need["rows of open matches"] == pytest.approx((300, 450))
    # A move and two pages, half as much again by HTTP: 18 ms; 60 % busy.
    assert need["web"] == pytest.approx((243.06 * 0.018 / 0.6, 1041.67 * 0.018 / 0.6), rel=0.001)
    # A mail for six moves in ten, 10 ms each.
    assert need["worker"] == pytest.approx((243.06 * 0.006 / 0.6, 1041.67 * 0.006 / 0.6), rel=0.001)
    # 0.3 of a move's 3 ms, 0.2 of two pages' 15 ms, and 1 ms for six mails in ten.
    assert need["PostgreSQL"] == pytest.approx((243.06 * 0.0045 / 0.6, 1041.67 * 0.0045 / 0.6), rel=0.001)
    assert need["archive, each year"] == pytest.approx((10**7 * 0.011 * 365 * 1e-6, 10**7 * 0.017 * 365 * 5e-6))
    assert need["web processes"] == (8, 32)
    assert need["shards"] == (3, 11)


def test_the_needed_capacity_grows_in_proportion_to_the_matches() -> None:
    one, ten = needs_of(MANY), needs_of(10 * MANY)
    rounded = {"web processes", "worker processes", "shards", "memory: web and worker"}
    for name in one.keys() - rounded:
        assert ten[name] == pytest.approx(tuple(10 * value for value in one[name])), name
    small = needs_of(100)
    assert [small[name] for name in sorted(rounded)] == [(0.16, 0.16), (1, 1), (1, 1), (1, 1)]


def test_the_capacity_command_prints_its_figures_and_assumptions(bare: Pbem) -> None:
    given = ("capacity", "10000000", "--move-ms", "2", "--page-ms", "5", "--mail-ms", "10")
    shown = bare(*given).stdout
    assert "10,000,000 open matches" in shown
    for name in ASSUMED:
        assert f"\n{name} " in shown, "each assumption is shown"
    assert "Moves of a match in a day" in shown, "and what it means"
    other = json.loads(bare(*given, "--set", "moves=1-2", "--set", "peak=2", "--json").stdout)
    assert other["figures"] == {"move_ms": 2, "page_ms": 5, "mail_ms": 10}
    assert other["assumptions"]["moves"] == [1, 2]
    rates = {row["name"]: (row["quiet"], row["busy"]) for row in other["needs"]}
    assert rates["moves, at the peak"] == pytest.approx((MANY * 2 / 86_400, MANY * 4 / 86_400))


@cases("wrong", ["luck=3", "moves", "moves=x", "moves=0", "peak=1-2-3", "peak=1.2.3"])
def test_the_capacity_command_refuses_an_unknown_assumption(bare: Pbem, wrong: str) -> None:
    refused = bare("capacity", "10", "--move-ms", "2", "--page-ms", "5", "--mail-ms", "10", "--set", wrong)
    assert refused.exit_code == 2
    assert "Invalid value for '--set'" in refused.stderr


def test_the_capacity_command_measures_a_move_a_page_and_a_mail(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measuring, "all_games", lambda: {"hogen": all_games()["hogen"]})
    monkeypatch.setattr(measuring, "MAILS", 1)
    boards: list[object] = []
    draw_board = compose.draw_board

    def draw(*board: Any) -> bytes:
        boards.append(board)
        return draw_board(*board)

    monkeypatch.setattr(compose, "draw_board", draw)
    found = measuring.measure_costs()
    assert min(found.move_ms, found.page_ms, found.mail_ms) > 0
    assert boards, "a mail has its picture"
