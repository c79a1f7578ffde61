"""The secrecy law: what a viewer can receive is the same in every world that he cannot tell from the true one."""

import hashlib
from collections.abc import Sequence
from itertools import islice
from typing import Any

import pytest

from pbem.games.hogen import GAME
from pbem.games.hogen.cards import AllyChosen, Exchanged, Refuted
from pbem.games.hogen.notation import parse
from pbem.kit.chance import SeedChance
from pbem.kit.codec import encode
from pbem.kit.contract import LANGS, IllegalMove, Scene, Viewer, ask_of
from pbem.kit.play import Table, random_decisions
from pbem.kit.replay import AnyEntry, fold, full_fold, redacted
from tests.games.hogen.tables import ALICE, Played
from tests.games.hogen.worlds import truth_of, worlds

TRIED = [
    parse(text)
    for text in (
        *(f"ally {card}" for card in ("F1", "M2", "T3", "B4")),
        *(f"call {what}" for what in ("F", "M", "1", "2", "F1", "F2", "M1", "M3", "T4", "B2")),
        *("give F1 take M2", "give M3 take T4", "give B1 take B1", "give T2 take F3"),
        *("declare B=F1 C=B1 D=B3", "declare A=F1 C=B1 D=B3", "declare A=M4 B=T1 C=F2", "declare B=F1 C=F1"),
    )
]


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
    legal = list(GAME.legal(state, seat))
    some = legal[:30] + legal[30::97]
    ask = ask_of(GAME, state, seat)
    out: dict[str, Any] = {
        "legal": legal,
        "previews": [GAME.preview(own, seat, move) for move in some],
        "labels": [GAME.label(move, own, lang) for move in some for lang in LANGS],
        "prompts": [GAME.prompt(ask, own, lang) for lang in LANGS] if ask else [],
        "fallback": GAME.fallback(own, seat, SeedChance(bytes(32), at, "fallback", seat)) if ask else None,
    }
    refusals = []
    for move in TRIED:
        if move in legal:
            continue
        try:
            GAME.decide(state, seat, move, SeedChance(bytes(32), at, "decide", seat))
        except IllegalMove as refusal:
            refusals.append((refusal.code, refusal.facts))
        else:
            raise AssertionError(f"{move} is accepted")
    out["refusals"] = refusals
    return out


@pytest.mark.parametrize("seats", [3, 4])
@pytest.mark.parametrize("number", range(5))
def test_nobody_can_tell_the_world_from_another(seats: int, number: int) -> None:
    seed = hashlib.sha256(f"worlds {seats} {number}".encode()).digest()
    table = Table(GAME, seats, GAME.meta.options(), seed)
    pairs = 0
    for at, _ in enumerate(random_decisions(table)):
        if at not in (0, 2, seats, seats + 1, seats + 3, seats + 8, seats + 15, seats + 30):
            continue
        for viewer in table.viewers:
            true = received(table.entries, viewer)
            for other in worlds(table.entries, viewer, 3):
                assert received(other, viewer) == true
                pairs += 1
            if at <= seats + 1:
                assert any(worlds(table.entries, viewer, 1)), f"{viewer} knows everything at {at}"
    assert pairs > 40


def test_worlds_differ_in_hands_and_allies() -> None:
    table = Table(GAME, 3, GAME.meta.options(), bytes(32))
    for _ in islice(random_decisions(table), 8):
        pass
    allies, hands = set(), set()
    for other in worlds(table.entries, ALICE, 200):
        allies.add(tuple(e.event.card for e in other if isinstance(e.event, AllyChosen)))
        hands.add(other[0].event.hands[1])
    assert len(allies) > 5
    assert len(hands) > 5


def test_the_declarer_has_no_doubt_about_allies_and_the_others_have() -> None:
    table = Table(GAME, 4, GAME.meta.options(), hashlib.sha256(b"refuted").digest())
    for _ in random_decisions(table):
        if table.entries and isinstance(table.entries[-1].event, Refuted):
            break
    declarer = table.entries[-1].event.seat
    truth = truth_of(table.state, declarer)
    for other in worlds(table.entries, declarer, 20):
        assert truth_of(full_fold(GAME, other), declarer) == truth
    guesses = {truth_of(full_fold(GAME, other), declarer) for other in worlds(table.entries, None, 40)}
    assert len(guesses) > 5
    assert table.entries[-2].event.allies not in guesses


def test_the_rest_of_the_table_does_not_learn_why_a_call_was_refused() -> None:
    played = Played()
    before = [played.seen(viewer) for viewer in range(4)]
    with pytest.raises(IllegalMove):
        played.play("call F")
    assert [played.seen(viewer) for viewer in range(4)] == before
    assert not any(isinstance(e, Exchanged) for e in played.events)
