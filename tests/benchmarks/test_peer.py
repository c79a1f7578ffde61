"""`make bench-peer` measures boardgame.io, too; these tests do not check how fast either is."""

import json
import shutil
import socket
from pathlib import Path

import pytest

from benchmarks.peer import __main__ as bench
from benchmarks.peer import peer
from benchmarks.service.machine import machine


def test_where_node_or_npm_is_missing_the_command_says_so_and_ends(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SystemExit) as ended:
        bench.main([])
    assert ended.value.code == 2
    assert "needs node and npm" in capsys.readouterr().err


def test_every_package_of_the_peer_is_pinned_to_a_version_and_a_hash() -> None:
    wanted, locked = (json.loads((peer.HERE / pin).read_text()) for pin in peer.PINS)
    packages = {name: one for name, one in locked["packages"].items() if name}
    for name, version in wanted["dependencies"].items():
        assert packages[f"node_modules/{name}"]["version"] == version
    assert all(one["integrity"] for one in packages.values())
    assert packages["node_modules/koa-compose"]["version"] == wanted["overrides"]["koa-compose"]


@pytest.fixture
def node() -> str:
    """Returns the program that runs JavaScript, where the packages have been fetched."""
    if not (peer.PLACE / ".installed").exists() or not shutil.which("node"):
        pytest.skip("the packages come with `make bench-peer`")
    return peer.install_peer()


@pytest.mark.long
def test_the_peer_benchmark_plays_a_few_moves_on_loopback_only(node: str) -> None:
    with machine() as ready, peer.run_peer(node, ready) as port:
        with socket.socket() as outside:  # on Linux, all of 127.0.0.0/8 is this machine
            assert outside.connect_ex(("127.0.0.2", port)) != 0
        rush = peer.time_moves_of_peer(node, port, at_once=2, each=2, moves=6, warm=0, seconds=20)
    assert 6 <= len(rush.took) <= 24
