"""`make bench` measures the service; these tests do not check how fast."""

import smtplib
import subprocess
import sys
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path

import pytest

from benchmarks.service import __main__ as bench
from benchmarks.service import clockwork, endless, following
from benchmarks.service.effort import cpu_ms_of_family, process_and_descendants
from benchmarks.service.endless import Endless
from benchmarks.service.followers import Crowd, Follower
from benchmarks.service.machine import SECRET, Machine, free_port, machine
from benchmarks.service.matches import OpenMatch, create_match, random_script
from benchmarks.service.report import Row, percentile, table_of_rows
from benchmarks.service.sink import run_sink
from benchmarks.service.turns import Turns
from pbem.config import Config
from pbem.games import find_game
from pbem.services.site import Site, open_site
from pbem.services.views import match_views
from tests.harness.cases import cases
from tests.harness.waiting import SECONDS


def test_a_bar_is_an_upper_or_a_lower_bound() -> None:
    assert Row("rate", 500, 500, "/s", ">=").is_met
    assert not Row("rate", 499, 500, "/s", ">=").is_met
    assert Row("time", 8, 8, "ms", "<=").is_met
    assert not Row("time", 8.1, 8, "ms", "<=").is_met


def test_the_table_compares_each_measurement_with_its_bar() -> None:
    lines = table_of_rows(
        [Row("moves", 612.4, 500, "/s", ">=", "p50 9 ms"), Row("time", 31, 25, "ms", "<=")]
    ).splitlines()
    assert lines[1].split() == ["moves", "612", "/s", ">=", "500", "yes", "p50", "9", "ms"]
    assert lines[2].split() == ["time", "31", "ms", "<=", "25", "NO"]


def test_an_ended_process_has_no_children_and_uses_no_more_cpu() -> None:
    child = subprocess.Popen([sys.executable, "-c", ""])
    child.wait()
    assert (list(process_and_descendants(child.pid)), cpu_ms_of_family(child.pid)) == ([child.pid], 0)


def test_rows_already_measured_are_printed_though_a_later_one_fails(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:  # fmt: skip
    def broken(machine: Machine, seconds: float) -> Iterator[Row]:
        yield Row("speed of light", 300, 1, "m/s", ">=")
        raise OSError("no more")

    monkeypatch.setattr(bench, "machine", nullcontext)
    monkeypatch.setattr(bench, "ROWS", {"light": broken})
    with pytest.raises(OSError, match="no more"):
        bench.main(["light"])
    assert "speed of light" in capsys.readouterr().out
    assert find_game("endless") is None


def test_a_percentile_is_the_value_below_which_that_share_lies() -> None:
    values = [float(n) for n in range(100)]
    assert (percentile(0.5, values), percentile(0.99, values)) == (50, 99)


def test_the_endless_game_asks_its_seats_in_turn_without_end() -> None:
    answers = random_script(Endless(), 2, bytes(32), 5)
    assert [(said.seat, said.key) for said in answers] == [(n % 2, f"t{n}.tick") for n in range(5)]


def test_only_the_benchmark_knows_the_endless_game() -> None:
    known = "from pbem.games import find_game; print(find_game('endless'))"
    told = subprocess.run([sys.executable, "-c", known], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "None"
    assert find_game("hogen") is not None


class Sent(list[bytes]):
    """A connection that keeps what is written."""

    def write(self, data: bytes) -> None:
        """Keeps it."""
        self.append(data)

    def close(self) -> None:
        """Hangs up."""


def _answer(version: int) -> bytes:
    body = b'{"version": %d}' % version
    return b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body)


ANSWERS = [_answer(1), _answer(2), _answer(3)[:40], _answer(3)[40:]]
PIECES = [b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n", *[b"id: 2\nevent: entry\n\n"] * 2]


@cases(
    "path, pieces, asked",
    [("matches/{}/events?after={}", ANSWERS, [1, 1, 2, 3]), ("matches/{}/events/stream?after={}", PIECES, [1])],
)
def test_the_waiting_client_records_when_news_came_and_waits_again(
    path: str, pieces: list[bytes], asked: list[int]
) -> None:
    crowd = Crowd(0, [OpenMatch("ab", "hogen", ["token"])], path)
    client, sent, heard = Follower(crowd, "ab", "token"), Sent(), crowd.await_news_of_match("ab")
    client.connection_made(sent)  # type: ignore[arg-type]  # as far as it is used
    for piece in pieces:
        client.data_received(piece)
    assert (len(heard(2)), client.version, crowd.failed) == (2, 3, 0)
    assert [f"after={n} ".encode() in one for n, one in zip(asked, sent, strict=True)] == [True] * len(asked)


def test_the_same_picture_in_two_mails_is_counted_once() -> None:
    turns = Turns()
    for row, picture in enumerate((b"first", b"second", b"first")):
        turns.count_mail(b"ab.0", b"Hi\r\nContent-ID: <board-%d>\r\n\r\n%s\r\n--=_%d--\r\n" % (row, picture, row))
    assert (turns.mails, len(turns.pictures)) == (3, 2)


def test_an_unknown_row_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        bench.main(["chess"])
    assert "there is no row chess" in capsys.readouterr().err


def test_the_benchmarks_mail_server_takes_one_mail_after_another() -> None:
    with run_sink(free_port()) as port, smtplib.SMTP("127.0.0.1", port, timeout=SECONDS) as relay:
        for body in (b"Alice\r\n", b"x" * 300_000 + b"\r\n.\r\n", b""):
            assert relay.sendmail("a@example.org", ["b@example.org"], body) == {}
        assert relay.noop()[0] == 250


@pytest.mark.long
def test_the_sweep_row_finds_the_clocks_due_in_either_database_in_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"DUE": 2, "FEW": 100, "MANY": 300, "ROUNDS": 1}.items():
        monkeypatch.setattr(clockwork, name, value)
    measured, time_sweep = list[str](), clockwork.time_sweep

    def note(site: Site, of: Machine, name: str, ids: list[str], **given: int) -> float:
        measured.append(name)
        return time_sweep(site, of, name, ids, **given)

    monkeypatch.setattr(clockwork, "time_sweep", note)
    with endless.register_endless_game(), machine() as ready:
        (row,) = clockwork.measure_sweeps(ready, 0)
    assert row.value > 0
    few, many = measured[:2]
    assert few != many
    assert measured == [few, many] * 2


@pytest.mark.long
def test_the_benchmark_row_on_orders_has_its_orders_followed() -> None:
    with machine() as ready:
        (row,) = following.measure_cost_of_orders(ready, 1)
    assert row.value > 0
    assert "at once" in row.note


def test_the_players_of_a_prepared_match_have_read_up_to_their_answer(sqlite_url: str, tmp_path: Path) -> None:
    site = open_site(Config(mode="embedded", data=tmp_path, database_url=sqlite_url, secret=SECRET))
    match = create_match(site, "hogen", 1, most=1, ahead=12)
    view = match_views.read_view(site, match.id, 0)
    last = view.last_own
    site.engine.dispose()
    assert last is not None
    assert view.newest_seen == min(entry.n for entry in view.entries if entry.key == last.key) - 1 > 0
