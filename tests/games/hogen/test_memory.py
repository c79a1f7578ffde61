"""Closed memory (8.7): a card that is hidden again is shown to nobody any more, while its match runs."""

import hashlib
from collections.abc import Iterator

import pytest
from msgspec.structs import replace

from pbem.games.hogen import GAME, bots, news
from pbem.games.hogen.bots_belief import fold_as_with_open_memory
from pbem.games.hogen.facts import Covered, Dealt, Declare, Exchanged, Guess, HogenOptions, Refuted
from pbem.games.samurai import CARDS
from pbem.kit.chance import SeedChance
from pbem.kit.codec import encode
from pbem.kit.contract import Scene, Viewer
from pbem.kit.play import Table, random_decisions
from pbem.kit.replay import By, first_entry_still_fresh, player_view
from pbem.kit.secrecy import redact
from pbem.kit.texts import LANGS
from tests.games.discovered import log_as_seen, things_in
from tests.games.hogen.tables import ALICE, BOB, CAROL, CHARLIE, DAVE, Played
from tests.harness.cases import cases

CLOSED = HogenOptions(memory="closed")
SHOWN = (Dealt, Covered, Exchanged, Refuted)
"""The facts that show cards."""


def random_match(seats: int, number: int) -> Table:
    seed = hashlib.sha256(f"closed {seats} {number}".encode()).digest()
    return Table(GAME, seats, CLOSED, seed)


def every_position(seats: int, matches: int = 4) -> Iterator[tuple[Table, Viewer]]:
    for number in range(matches):
        table = random_match(seats, number)
        for _ in random_decisions(table):
            if GAME.outcome(table.state) is None:
                for viewer in table.viewers:
                    yield table, viewer


def play_exchange(played: Played) -> None:
    """Alice calls for rank 4; Bob answers."""
    played.play("call 4")
    played.play("give B4 take M1")


def test_open_memory_is_logged_as_before_there_was_closed_memory() -> None:
    played = Played()
    play_exchange(played)
    assert not any(isinstance(event, Covered) for event in played.events)
    assert encode(played.events[-1]) == b'{"given":"B4","seat":1,"taken":"M1","type":"Exchanged"}'
    assert encode(HogenOptions()) == b"{}"


def test_with_closed_memory_cards_taken_in_an_exchange_are_covered() -> None:
    played = Played(memory="closed")
    play_exchange(played)
    assert isinstance(played.events[-1], Covered)
    for viewer in (ALICE, CAROL, DAVE, CHARLIE):
        assert played.fold_of(viewer).hands[BOB] == (None, None)
    assert played.fold_of(BOB).hands[BOB] == ("M2", "M1")
    assert set(played.fold_of(CHARLIE).palace) == {"F4", "T3", "B2", "B4"}
    with pytest.raises(ValueError, match="as many cards lie"):
        GAME.evolve(Played().state, played.events[-1])


@cases("seats", [3, 4])
def test_a_fold_knows_the_palace_and_the_cards_of_its_own_seat(seats: int) -> None:
    for table, viewer in every_position(seats):
        fold, state = table.folds[viewer], table.state
        assert fold.palace == state.palace
        others = [hand for seat, hand in enumerate(fold.hands) if seat != viewer]
        assert {card for hand in others for card in hand} == {None}
        assert {ally for seat, ally in enumerate(fold.allies) if seat != viewer} == {None}
        if viewer is not None:
            assert (fold.hands[viewer], fold.allies[viewer]) == (state.hands[viewer], state.allies[viewer])


@cases("seats", [3, 4])
def test_only_the_newest_summary_shows_cards_older_than_ones_last_turn(seats: int) -> None:
    hidden = 0
    for table, viewer in every_position(seats):
        first = first_entry_still_fresh(GAME, table.entries, viewer, GAME.pending(table.state))
        newest = max(entry.n for entry in table.entries if isinstance(entry.event, Covered))
        for seen, true in zip(log_as_seen(GAME, table.entries, viewer), table.entries, strict=True):
            if seen.n < first and seen.n != newest and isinstance(seen.event, SHOWN):
                assert not things_in(seen.event, CARDS), (viewer, seen)
                hidden += bool(things_in(redact(true.event, viewer), CARDS))
            elif isinstance(seen.event, Exchanged):
                assert seen == true, "everybody is shown what happened since their own last answer"
    assert hidden > 100


def test_every_log_with_faded_cards_can_be_told_and_drawn_step_by_step() -> None:
    for table, viewer in every_position(3, matches=2):
        before = None
        for entry in log_as_seen(GAME, table.entries, viewer):
            for lang in LANGS:
                assert "None" not in GAME.tell(entry.event, before, lang)
                if card := news.card(entry.event, before, viewer, lang):
                    assert "None" not in " ".join(card.lines)
            before = GAME.evolve(before, entry.event)
            assert "None" not in " ".join(GAME.describe(before, viewer, "en", over=False))
            assert "None" not in GAME.draw(before, viewer, "en", Scene())
        assert before == table.folds[viewer]


# --- who was shown the allies --------------------------------------------------------------------------------


def test_the_true_allies_shown_to_a_wrong_declarer_fade_from_their_view() -> None:
    played = Played(memory="closed")
    played.move(Declare((Guess(BOB, "F1"), Guess(CAROL, "B1"), Guess(DAVE, "B3"))))
    refuted = next(event for event in played.events if isinstance(event, Refuted))
    assert redact(refuted, ALICE).truth == ("F1", "B1", "M3")
    assert redact(refuted, ALICE, fresh=False).truth == redact(refuted, BOB).truth == (None, None, None)
    assert played.fold_of(ALICE).allies == ("F2", None, None, None)


# --- bots ----------------------------------------------------------------------------------------------------


def test_a_bot_remembers_some_cards_it_saw_taken_and_forgets_the_rest() -> None:
    known = forgotten = 0
    for number in range(6):
        table = random_match(4, number)
        gone = set[tuple[int, str]]()
        for _ in random_decisions(table):
            if GAME.outcome(table.state) is not None or table.state.active is None:
                continue
            view = player_view(GAME, table.entries, 4, ALICE, table.luck.memory(ALICE))
            everything, some = fold_as_with_open_memory(view, ALICE), fold_as_with_open_memory(view, ALICE, forgetful=3)
            for seat in (BOB, CAROL, DAVE):
                assert set(everything.hands[seat]) - {None} <= set(table.state.hands[seat])
                assert set(some.shown[seat]) <= set(everything.shown[seat])
                gone |= {(seat, card) for card in everything.shown[seat] if card not in some.shown[seat]}
                assert not {(seat, card) for card in some.shown[seat]} & (gone - second_takes(table))
                known += len(some.shown[seat])
        forgotten += len(gone)
    assert known > 50
    assert forgotten > 5


def second_takes(table: Table) -> set[tuple[int, str]]:
    """What a seat has taken more than once, which may be forgotten and then seen again."""
    exchanges = (e.event for e in table.entries if isinstance(e.event, Exchanged))
    taken = [(one.seat, one.taken or "") for one in exchanges]
    return {one for one in taken if taken.count(one) > 1}


@cases("seats", [3, 4])
def test_bots_play_whole_matches_without_being_told_what_was_covered(seats: int) -> None:
    found = 0
    for number in range(6):
        table = random_match(seats, number)
        while asks := GAME.pending(table.state):
            (ask, *_) = asks
            view = player_view(GAME, table.entries, seats, ask.seat, table.luck.memory(ask.seat))
            bot = (bots.greedy, bots.quick)[ask.seat % 2]
            move = bot(view, ask.seat, SeedChance(table.seed, len(table.entries), "bot", ask.seat))
            table.play(ask, move, By(seat=ask.seat))
        found += table.state.over == "found"
    assert found > 2


def test_a_bot_without_memory_does_not_know_which_card_a_seat_took() -> None:
    played = Played(memory="closed")
    play_exchange(played)
    view = played.view(ALICE)
    assert fold_as_with_open_memory(view, ALICE).hands[BOB] == ("M1", None)
    assert fold_as_with_open_memory(replace(view, seen=()), ALICE).hands[BOB] == (None, None)


def test_the_last_seat_not_out_gets_a_certain_estimate_with_closed_memory() -> None:
    """A state tells nothing of what was shown, so as long as there are exchanges to come, there is more to learn."""
    state = Played(memory="closed").state
    last = replace(state, out=tuple(seat != state.active for seat in range(state.seats)))
    assert (state.active, bots.sureness_to_declare(last, ALICE)) == (ALICE, 1.0)
    assert bots.estimate(last) == (1.0, 0.0, 0.0, 0.0)
