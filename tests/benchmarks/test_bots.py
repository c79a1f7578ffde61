"""`make bench-bots` asks every bot of every game; these tests do not check how long they think."""

import pytest

from benchmarks import bots
from pbem.games import all_games


@pytest.mark.long
def test_every_bot_is_timed_at_the_smallest_and_the_largest_table(capsys: pytest.CaptureFixture[str]) -> None:
    bots.main(["hexen-rennen", "--decisions", "1"])
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in capsys.readouterr().out.splitlines()[2:]]
    names = ("easy", "greedy", "fair", "strong")
    assert [row[:3] for row in rows] == [["hexen-rennen", seats, name] for seats in "24" for name in names]
    assert all(float(row[3]) <= float(row[4]) for row in rows)


def test_only_decisions_with_a_choice_are_measured() -> None:
    game = all_games()["hagakure"]
    for _, (view, seat, _) in zip(range(30), bots.sample_decisions(game, 3, 1), strict=False):
        assert len(game.legal(view.fold, seat)) > 1


def test_an_unknown_game_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        bots.main(["chess"])
    assert "there is no game chess" in capsys.readouterr().err
