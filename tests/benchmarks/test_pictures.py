"""`python -m benchmarks.pictures` measures every game; this test does not check how fast."""

import pytest

from benchmarks import pictures
from pbem.games import all_games


@pytest.mark.long
def test_the_table_of_pictures_has_a_row_for_every_game_and_the_mean(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(pictures, "BEFORE", 0)
    monkeypatch.setattr(pictures, "POSITIONS", 1)
    pictures.main(resvg=True)
    printed = capsys.readouterr().out.splitlines()
    _, *rows = [line.split() for line in printed[: 2 + len(all_games())]]
    assert [row[0] for row in rows] == [*sorted(all_games()), "mean"]
    assert all(float(row[7]) > 0 and float(row[8]) > 0 for row in rows)
    assert "times as long as Skia" in printed[2 + len(all_games())]
