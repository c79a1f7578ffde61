"""`make bench-scale` measures the service with many open matches; these tests do not check how fast."""

from pathlib import Path
from tempfile import TemporaryDirectory

import psycopg
import pytest

from benchmarks.scale import __main__ as bench
from benchmarks.scale import archives, filled, paths
from benchmarks.service import endless
from benchmarks.service.machine import machine


def test_scale_sizes_that_do_not_increase_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        bench.main(["--sizes", "1000", "100"])
    assert "the first is what the others are compared with" in capsys.readouterr().err


@pytest.mark.long
def test_every_scale_figure_is_measured_in_databases_of_copied_matches(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("MATCHES", "AMONG", "DUE", "VISITS", "REPLIES", "BEATS"):
        monkeypatch.setattr(paths, name, 1)
    for name in ("SHAPES", "WHOLE"):
        monkeypatch.setattr(filled, name, 1)
    monkeypatch.setattr(archives, "EACH_GAME", 1)
    with TemporaryDirectory(dir="/tmp") as folder, endless.register_endless_game(), machine(Path(folder)) as ready:
        small, large = filled.yield_databases(ready, [10, 20])
        with psycopg.connect(ready.libpq(small.name)) as connection:
            asked = connection.execute("SELECT count(DISTINCT match_id) FROM asks WHERE closed_at IS NULL")
            assert asked.fetchone()[0] >= small.size  # type: ignore[index]
            kinds = connection.execute("SELECT status, archived_at IS NULL, count(*) FROM matches GROUP BY 1, 2")
            assert {(*row[:2], row[2]) for row in kinds} == {
                ("running", True, 10), ("over", True, 2), ("over", False, 88)
            }  # fmt: skip
        measured = [*paths.measure_databases(ready, [small, large], 0), *archives.measure_archives(ready)]
        assert [one.size for one in filled.yield_databases(ready, [10, 20])] == [10, 20]
    assert len(measured) == 2 * 14 + 3
    assert all(row.value > 0 for row in measured)
