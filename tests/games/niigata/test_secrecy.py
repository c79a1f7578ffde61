"""The secrecy law: the tiles that nobody has seen change nothing that anybody can receive."""

from collections.abc import Sequence
from itertools import islice
from typing import Any

import pytest

from pbem.games.niigata import GAME
from pbem.games.niigata.facts import LaidOut, NiigataOptions, Picking
from pbem.kit.chance import SeedChance
from pbem.kit.codec import encode
from pbem.kit.contract import LANGS, IllegalMove, Scene, Viewer, ask_of
from pbem.kit.play import Table, random_decisions
from pbem.kit.replay import AnyEntry, evolve_all, fold, full_fold, redacted
from pbem.kit.secrecy import redact
from tests.games.niigata.tables import CHARLIE
from tests.games.niigata.worlds import TRIES, worlds
from tests.transcripts import seed_of


def received(entries: Sequence[AnyEntry], viewer: Viewer) -> dict[str, Any]:
    """Everything that the viewer can get to see at this point, under names that say which part differs."""
    state, own = full_fold(GAME, entries), fold(GAME, entries, viewer)
    seen = redacted(entries, viewer)
    out: dict[str, Any] = {"entries": seen, "fold": own, "pending": GAME.pending(state), "outcome": GAME.outcome(state)}
    for lang in LANGS:
        before, story = None, []
        for entry in seen:
            story.append(GAME.tell(entry.event, before, lang))
            before = GAME.evolve(before, entry.event)
        out[f"story {lang}"] = story
        out[f"board in words {lang}"] = GAME.describe(own, viewer, lang)
        recent = tuple((i, e.event) for i, e in enumerate(seen[-3:], 1))
        out[f"board {lang}"] = GAME.draw(own, viewer, lang, Scene(recent=recent))
    if viewer is not None:
        out |= asked(state, own, viewer, len(entries))
    return {name: encode(value) for name, value in out.items()}


def asked(state: Any, own: Any, seat: int, at: int) -> dict[str, Any]:
    """What the seat may do, and what it is told when it tries."""
    legal = GAME.legal(state, seat)
    some = list(legal)[::9]
    ask = ask_of(GAME, state, seat)
    refusals = []
    for move in TRIES:
        if move in legal:
            continue
        with pytest.raises(IllegalMove) as caught:
            GAME.decide(state, seat, move, SeedChance(bytes(32), at, "decide", seat))
        refusals.append((caught.value.code, caught.value.facts))
    return {
        "legal": list(legal),
        "previews": [GAME.preview(own, seat, move) for move in some],
        "labels": [GAME.label(move, own, lang) for move in some for lang in LANGS],
        "prompts": [GAME.prompt(ask, own, lang) for lang in LANGS] if ask else [],
        "fallback": GAME.fallback(own, seat, SeedChance(bytes(32), at, "fallback", seat)) if ask else None,
        "greedy": GAME.bots["greedy"](own, seat, SeedChance(bytes(32), at, "bot", seat)) if ask else None,
        "refusals": refusals,
    }


@pytest.mark.parametrize("picking", ["turns", "grab"])
@pytest.mark.parametrize("seats", GAME.meta.seats)
def test_nobody_can_tell_the_world_from_another(seats: int, picking: Picking) -> None:
    table = Table(GAME, seats, NiigataOptions(picking), seed_of("worlds", seats, 0))
    pairs = 0
    for at, _ in enumerate(random_decisions(table)):
        if at not in (0, 3, 9, 20, 40):
            continue
        for viewer in table.viewers:
            true = received(table.entries, viewer)
            for other in worlds(table.entries, viewer, 2):
                assert received(other, viewer) == true
                pairs += 1
    assert pairs > 4 * table.seats


def test_worlds_differ_in_what_nobody_has_seen() -> None:
    table = Table(GAME, 3, GAME.meta.options(), bytes(32))
    for _ in islice(random_decisions(table), 8):
        pass
    stocks = {other[0].event.stock for other in worlds(table.entries, CHARLIE, 50)}
    assert len(stocks) == 50
    shown = len(table.entries[0].event.stock) - len(table.state.stock)
    assert {stock[:shown] for stock in stocks} == {table.entries[0].event.stock[:shown]}


def test_no_viewer_sees_a_tile_before_it_is_turned_up() -> None:
    table = Table(GAME, 4, GAME.meta.options(), bytes(32))
    laid_out = table.entries[0].event
    assert isinstance(laid_out, LaidOut)
    for viewer in table.viewers:
        seen = redact(laid_out, viewer)
        assert set(seen.stock) == set(seen.removed) == {None}
        assert (len(seen.stock), len(seen.removed)) == (72, 7)
        assert set(table.folds[viewer].stock) == {None}


def test_whoever_takes_what_is_refused_changes_nothing_for_the_others() -> None:
    table = Table(GAME, 2, NiigataOptions("grab"), bytes(32))
    before = [encode(table.folds[viewer]) for viewer in table.viewers]
    for move in TRIES:
        if move not in GAME.legal(table.state, 0):
            with pytest.raises(IllegalMove):
                GAME.decide(table.state, 0, move, SeedChance(bytes(32), 9, "decide", 0))
    assert [
        encode(evolve_all(GAME, None, (redact(e.event, v) for e in table.entries))) for v in table.viewers
    ] == before
