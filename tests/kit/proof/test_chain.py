"""The chain over a log: the same for every viewer, and what it rests on."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from pbem.features.lab.sealing import redact_log
from pbem.games import all_games
from pbem.kit.contract import AnyGame, Event
from pbem.kit.logs import chain
from pbem.kit.logs.logfile import Log
from pbem.kit.replay import TABLE_EVENTS, By, first_entry_still_fresh
from tests.harness.cases import cases
from tests.transcripts import log_of, play_match, seed_of

GAMES = [pytest.param(game, id=slug) for slug, game in all_games().items()]


def log_from(game: AnyGame) -> Log:
    return log_of(play_match(game, game.meta.seats[-1], seed_of(game.meta.slug, game.meta.seats[-1], 3)))


@pytest.mark.long
@pytest.mark.parametrize("game", GAMES)
def test_every_viewers_log_gives_the_same_heads_also_after_fading(game: AnyGame) -> None:
    log = log_from(game)
    for viewer in (None, *range(log.seats)):
        for fresh in (1, len(log.entries), first_entry_still_fresh(game, log.entries, viewer, ())):
            assert redact_log(log, viewer, fresh).heads() == log.heads()


@pytest.mark.long
@pytest.mark.parametrize("game", GAMES)
def test_a_viewer_gets_salts_for_what_they_see_and_for_nothing_else(game: AnyGame) -> None:
    log = log_from(game)
    assert log.proof is not None
    for viewer in (None, *range(log.seats)):
        seen = redact_log(log, viewer)
        assert seen.proof is not None
        for full, entry, sealed, salts in zip(
            log.entries, seen.entries, seen.proof.sealed, seen.proof.salts, strict=True
        ):
            shown = {path for path in sealed if chain.value_at(entry, path) == chain.value_at(full, path)}
            assert shown == set(salts)
            assert chain.first_broken_seal(entry, sealed, salts) is None


def test_in_a_window_the_seat_and_time_of_an_answer_are_sealed() -> None:
    log = log_from(all_games()["allegeance"])
    assert log.proof is not None
    state: Any = None
    windows = 0
    for entry, sealed in zip(log.entries, log.proof.sealed, strict=True):
        asked = (
            next((ask for ask in log.game.pending(state) if ask.seat == entry.seat_answered_for), None)
            if state
            else None
        )
        if asked is not None and entry.key == asked.key:
            assert (chain.BY in sealed) is (chain.AT in sealed) is log.game.meta.asks[asked.kind].window
            windows += chain.BY in sealed
        state = log.game.evolve(state, entry.event)
    assert windows > 10


@pytest.mark.long
def test_hiding_who_answered_a_window_does_not_change_the_head() -> None:
    log = log_from(all_games()["allegeance"])
    assert log.proof is not None
    at = next(n for n, sealed in enumerate(log.proof.sealed) if chain.BY in sealed)
    entries = list(log.entries)
    entries[at] = msgspec.structs.replace(entries[at], by=By())
    assert msgspec.structs.replace(log, entries=tuple(entries)).heads() == log.heads()
    other = msgspec.structs.replace(log.entries[0], by=By())
    assert msgspec.structs.replace(log, entries=(other, *log.entries[1:])).heads() != log.heads()


@cases("kind", sorted({*TABLE_EVENTS, *(e for g in all_games().values() for e in g.meta.events)}, key=repr))
def test_rewriting_an_old_log_adds_no_later_fields(kind: type[Event]) -> None:
    """The chain holds the bytes of old facts: a field that events got later must not appear in them."""
    later = [field for field in msgspec.structs.fields(kind) if not field.required]
    assert not later or kind.__struct_config__.omit_defaults
