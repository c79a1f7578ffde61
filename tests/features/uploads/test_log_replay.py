"""The table's events are in the story of an uploaded log, too."""

from __future__ import annotations

from random import Random

import pytest

from pbem.features.uploads import uploaded_logs
from pbem.games import find_game
from pbem.kit.contract import AnyGame
from pbem.kit.logs import log_errors, logfile
from pbem.kit.replay import Absent, Extended, Undone
from pbem.services.views import match_views
from tests.kit.proof.forging import take_back
from tests.services.play.stage.presence import miss_turns
from tests.table import House
from tests.transcripts import log_of, play_match, seed_of


@pytest.mark.long
def test_an_uploaded_log_shows_absences_and_refuses_an_absurd_extension(house: House) -> None:
    match_id = house.begin()
    miss_turns(house, match_id, 1)
    log = match_views.read_log(house.site, match_id, None)
    read = uploaded_logs.open_log(logfile.log_to_bytes(log))
    letters = ("A", "B", "C")
    told = uploaded_logs.replay_log(read, "en", letters, "").steps
    assert any(isinstance(step.event, Absent) for step in told)
    first, *rest = log.entries
    forged = [(Extended(10**15), 1), (first.event, 2), *((entry.event, entry.n + 1) for entry in rest)]
    entries = tuple(
        type(first)(n, first.at, ([first, first, *rest])[n - 1].by, ([first, first, *rest])[n - 1].key, event)
        for event, n in forged
    )
    game = find_game("hogen")
    assert game is not None
    with pytest.raises(log_errors.BadLog):  # no deadline moves by millions of years
        uploaded_logs.replay_log(
            logfile.Log(game, log.options, 3, None, log.commitment, None, entries), "en", letters, ""
        )


def test_after_a_take_back_the_replay_goes_on_from_the_earlier_board() -> None:
    log = take_back(log_of(play_match(hogen(), 3, seed_of("hogen", 3, 1))), Random(2))
    states = dict(
        zip([entry.n for entry in log.entries], [state for _, state in logfile.entries_with_states(log)], strict=True)
    )
    steps = uploaded_logs.replay_log(log, "en", ("A", "B", "C"), "").steps
    at = next(i for i, step in enumerate(steps) if isinstance(step.event, Undone))
    assert steps[at].fold == states[log.entries[steps[at].entry - 1].event.to]
    assert steps[at].fold != steps[at - 1].fold
    assert all(step.fold == states[step.entry] for step in steps)


def hogen() -> AnyGame:
    game = find_game("hogen")
    assert game is not None
    return game
