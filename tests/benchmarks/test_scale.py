"""`make bench-scale` measures the service with many open matches; these tests do not check how fast."""

import psycopg
import pytest

from benchmarks.scale import __main__ as bench
from benchmarks.scale import archives, filled, paths
from benchmarks.service import endless
from benchmarks.service.machine import machine


def test_sizes_that_do_not_grow_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        bench.main(["--sizes", "1000", "100"])
    assert "the first is what the others are compared with" in capsys.readouterr().err


@pytest.mark.long
def test_every_figure_is_measured_in_a_database_of_copies(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ROUNDS", "MATCHES", "AMONG", "DUE", "VISITS", "REPLIES"):
        monkeypatch.setattr(paths, name, 1)
    monkeypatch.setattr(filled, "SHAPES", 1)
    monkeypatch.setattr(archives, "EACH_GAME", 1)
    with endless.make_known(), machine() as ready:
        small = filled.fill(ready, filled.shapes(ready), 12)
        with psycopg.connect(ready.libpq(small.name)) as connection:
            asked = connection.execute("SELECT count(DISTINCT match_id) FROM asks WHERE closed_at IS NULL")
            assert asked.fetchone()[0] >= small.size  # type: ignore[index]
        measured = [*paths.rows(ready, [small]), *archives.rows(ready, small)]
    assert all(row.value > 0 for row in measured)
    assert {row.value for row in measured[:8]} == {1}
