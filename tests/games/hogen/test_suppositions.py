"""What a seat may suppose on its planning board beside calls and answers: what a declaration was worth."""

from __future__ import annotations

from collections.abc import Sequence

from pbem.games.hogen import GAME
from pbem.games.hogen.facts import Declared, Refuted, Stopped, Unmasked
from pbem.kit.contract import Event
from pbem.kit.secrecy import redact
from tests.games.hogen.tables import ALICE, BOB, CAROL, Played

WRONG, RIGHT = "declare A=T1 C=B1", "declare A=F2 C=B1"
"""What Bob declares of Alice and Carol."""


def suppose_after(played: Played, viewer: int, since: Sequence[Event]) -> Sequence[Event] | None:
    """Returns what the viewer may suppose after the facts of the last decision so far."""
    before = played.events[: len(played.events) - 2]
    fold = played.state_after([redact(event, viewer) for event in (*before, *since)])
    return GAME.supposable(fold, viewer, [redact(event, viewer) for event in since])


def after_alice_was_wrong(said: str) -> tuple[Played, list[Event]]:
    """Returns the match in which Alice, who is out, has seen all allies, and what followed when Bob said this."""
    played = Played(3)
    played.play("declare B=M2 C=B1")
    return played, played.play(said)


def test_a_seat_that_has_seen_all_allies_can_suppose_a_declarations_result() -> None:
    played, made = after_alice_was_wrong(WRONG)
    assert [type(event) for event in made] == [Declared, Refuted]
    assert suppose_after(played, ALICE, made[:1]) == (Refuted(BOB, (None, None)),)
    played, made = after_alice_was_wrong(RIGHT)
    assert suppose_after(played, ALICE, made[:1]) == tuple(made[1:])
    assert isinstance(made[1], Unmasked)


def test_other_seats_cannot_suppose_a_declarations_result() -> None:
    played, made = after_alice_was_wrong(WRONG)
    assert suppose_after(played, CAROL, made[:1]) is None
    assert suppose_after(played, BOB, made[:1]) is None


def test_the_last_wrong_declaration_is_supposed_to_end_the_match() -> None:
    played, _ = after_alice_was_wrong(WRONG)
    made = played.play("declare A=T4 B=M2")
    refuted = played.state_after([redact(event, BOB) for event in played.events[:-1]])
    assert made[-1:] == [Stopped("all_wrong")]
    assert GAME.supposable(refuted, BOB, ()) == (Stopped("all_wrong"),)
