"""Golden transcripts: every way to end of every game is recorded, replays and verifies, for ever."""

from pathlib import Path

import pytest

from pbem.games import all_games, find_game
from pbem.rules.contract import AnyGame
from pbem.rules.logfile import read, states, verify, write
from tests.transcripts import folder, render

GAMES = [pytest.param(game, id=slug) for slug, game in all_games().items()]
RECORDED = [
    pytest.param(game, path, id=f"{slug}-{path.stem}")
    for slug, game in all_games().items()
    for path in sorted(folder(game).glob("*.json"))
]


@pytest.mark.parametrize("game", GAMES)
def test_every_way_to_end_has_a_transcript(game: AnyGame) -> None:
    assert {path.stem for path in folder(game).glob("*.json")} >= set(game.meta.endings)
    assert {path.stem for path in folder(game).glob("*.txt")} == {p.stem for p in folder(game).glob("*.json")}


@pytest.mark.parametrize(("game", "path"), RECORDED)
def test_a_transcript_replays_verifies_and_reads_as_it_did(game: AnyGame, path: Path) -> None:
    log = read(path.read_bytes(), find_game)
    assert log.game is game
    assert write(log) + b"\n" == path.read_bytes()
    outcome = game.outcome([state for _, state in states(log)][-1])
    assert outcome is not None
    assert outcome.reason == path.stem.partition("-")[0]
    assert verify(log).problems == ()
    assert render(log) == path.with_suffix(".txt").read_text()
