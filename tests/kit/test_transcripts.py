"""Golden transcripts: every way to end of every game is recorded, and always replays and verifies."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from pbem.games import all_games, find_game
from pbem.kit.contract import AnyGame, Event
from pbem.kit.logs.logfile import entries_with_states, log_to_bytes, read
from pbem.kit.logs.verdict import verify
from tests.kit.folds import current_pins, pin_of, read_pins, trouble_with_pin
from tests.kit.toys import GLIMPSE, Glimpse, State
from tests.transcripts import fields_shown, folder_of_transcripts, log_as_text, log_of, play_match

GAMES = [pytest.param(game, id=slug) for slug, game in all_games().items()]
RECORDED = [
    pytest.param(game, path, id=f"{slug}-{path.stem}")
    for slug, game in all_games().items()
    for path in sorted(folder_of_transcripts(game).glob("*.json"))
]


@pytest.mark.parametrize("game", GAMES)
def test_every_way_to_end_has_a_transcript(game: AnyGame) -> None:
    assert {path.stem for path in folder_of_transcripts(game).glob("*.json")} >= set(game.meta.endings)
    assert {path.stem for path in folder_of_transcripts(game).glob("*.txt")} == {
        p.stem for p in folder_of_transcripts(game).glob("*.json")
    }


@pytest.mark.long
@pytest.mark.parametrize(("game", "path"), RECORDED)
def test_a_transcript_replays_verifies_and_has_its_stored_story(game: AnyGame, path: Path) -> None:
    log = read(path.read_bytes(), find_game)
    assert log.game is game
    assert log_to_bytes(log) + b"\n" == path.read_bytes()
    outcome = game.outcome([state for _, state in entries_with_states(log)][-1])
    assert outcome is not None
    assert outcome.reason == path.stem.partition("-")[0]
    assert verify(log).problems == ()
    text = path.with_suffix(".txt").read_text()
    assert log_as_text(log, fields_shown(text, game.meta.state)) == text


@pytest.mark.long
@pytest.mark.parametrize("game", GAMES)
def test_a_transcript_ends_in_the_state_pinned_for_its_games_fold_number(game: AnyGame) -> None:
    pinned = read_pins(game)
    found = current_pins(game)
    assert found
    assert [text for name, pin in found.items() if (text := trouble_with_pin(name, pinned.get(name), pin))] == []
    assert pinned.keys() == found.keys(), "a pin whose transcript is gone"


class CountingOtherwise(Glimpse):
    def evolve(self, state: State | None, event: Event) -> State:
        after = super().evolve(state, event)
        return after if state is None else replace(after, at=after.at + 100)


class CountingOtherwiseAndSayingSo(CountingOtherwise):
    meta = replace(Glimpse.meta, fold=Glimpse.meta.fold + 1)


def test_a_fold_that_changes_under_the_same_number_is_noticed() -> None:
    log = log_of(play_match(GLIMPSE, 2, bytes(32)))
    pinned = pin_of(log)
    assert trouble_with_pin("x", pinned, pin_of(log)) is None
    changed = pin_of(replace(log, game=CountingOtherwise()))
    assert "Raise Meta.fold to 2, then pin anew" in (trouble_with_pin("x", pinned, changed) or "")
    raised = pin_of(replace(log, game=CountingOtherwiseAndSayingSo()))
    assert "not pinned under fold=2. Pin it" in (trouble_with_pin("x", pinned, raised) or "")
    assert "not pinned under fold=1" in (trouble_with_pin("x", None, pinned) or "")
