"""What a table may choose: an exact number of villagers for their banner (6.3); a tie-break among the leaders (6.4)."""

import msgspec
import pytest
from msgspec.structs import replace

from pbem.games.hagakure import GAME, bots, words
from pbem.games.hagakure.facts import Dealt, Ended, Keep, Look, Raise, Scored, end_after_round
from pbem.games.hagakure.facts_cards import NOBORI
from pbem.games.hagakure.facts_state import (
    State,
    Terms,
    players_in_order_from,
    players_of_round,
    points_for_tricks_under_nobori,
    seat_taking_trick,
)
from pbem.kit.chance import SeedChance
from pbem.kit.codec import codec_for, encode
from pbem.kit.contract import Card, IllegalMove, PlayerView, Scene
from pbem.kit.play import Table, random_decisions
from pbem.kit.texts import LANGS
from tests.games.hagakure.tables import ALICE, BOB, CAROL, CHARLIE, THREE, F, Played, luck
from tests.harness.cases import cases

EXACT = Terms(villagers="exact")


def test_default_options_are_stored_as_before_the_options_existed() -> None:
    assert encode(Terms()) == b'{"extra_rounds":10,"rounds":null}'
    assert codec_for(GAME).options({"villagers": "least"}) == Terms()
    assert set(msgspec.to_builtins(Played(*THREE).events[0])) == {
        *("type", "number", "rounds", "last", "dealer", "hands", "yomi")
    }


# --- 6.3, R7 -----------------------------------------------------------------------------------------------


@cases("seats, wanted", [(3, 4), (4, 4), (5, 5)])
@cases("more, points", [(-1, 2), (0, 4), (1, 2), (3, 2)])
def test_the_exact_option_rewards_neither_more_nor_fewer_villagers(
    seats: int, wanted: int, more: int, points: int
) -> None:
    won = (*range(6, 6 + wanted + more), 19, F)
    assert points_for_tricks_under_nobori(2, won, "villagers", seats, exact=True) == points


@cases("terms, points", [(Terms(rounds=1), 8), (Terms(rounds=1, villagers="exact"), 6)])
def test_more_villagers_than_wanted_score_only_without_the_exact_option(terms: Terms, points: int) -> None:
    played = Played((18, 19, 20, 21, 22), THREE[0], THREE[1], dealer=CAROL, terms=terms)
    played.play("villagers", "none", "none", "22", "6", "11", "21", "7", "12", "20", "8", "13", "19", "9")
    events = played.play("14")
    assert next(event.points for event in events if isinstance(event, Scored))[ALICE] == points


def test_every_deal_event_records_a_non_default_villagers_option() -> None:
    played = Played(*THREE, terms=EXACT)
    dealt = played.events[0]
    assert isinstance(dealt, Dealt)
    assert dealt.exact
    assert b'"exact":true' in encode(dealt)
    assert all(played.fold_of(viewer).exact for viewer in (CHARLIE, ALICE))


@cases("lang", LANGS)
def test_the_label_of_the_villagers_banner_states_the_number_wanted(lang: str) -> None:
    usual, exact = (Played(*THREE, terms=terms) for terms in (Terms(), EXACT))
    for played, said in (
        (usual, {"fr": "au moins 4", "en": "at least 4"}),
        (exact, {"fr": "exactement 4", "en": "exactly 4"}),
    ):
        assert said[lang] in GAME.label(Raise("villagers"), played.state, lang)  # type: ignore[arg-type]
    assert words.effect_of_nobori("villagers", usual.state, lang) != words.effect_of_nobori(  # type: ignore[arg-type]
        "villagers",
        exact.state,
        lang,  # type: ignore[arg-type]
    )
    assert words.effect_of_nobori("double", usual.state, lang) == words.effect_of_nobori("double", exact.state, lang)  # type: ignore[arg-type]


def with_tricks(won: tuple[int, ...], terms: Terms = EXACT) -> State:
    """Three at the tricks: Alice has raised the villagers and won these cards."""
    state = Played(*THREE, dealer=CAROL, terms=terms).no_nobori().state
    return replace(state, raised=("villagers", None, None), won=(won, (), ()), tricks=(len(won) // 3, 0, 0))


@cases("won, said", [((6, 7, 8), "3≠4"), ((6, 7, 8, 9, 18, 19), "4=4"), ((6, 7, 8, 9, 10, 19), "5≠4")])
def test_the_board_shows_villagers_taken_of_the_number_wanted(won: tuple[int, ...], said: str) -> None:
    assert f">{said}<" in GAME.draw(with_tricks(won), BOB, "en", Scene())
    assert f">{len([c for c in won if c < 18])}/4<" in GAME.draw(with_tricks(won, Terms()), BOB, "en", Scene())


def test_under_the_exact_option_a_rounds_news_card_counts_the_villagers() -> None:
    assert GAME.card is not None
    cards = (
        GAME.card(Scored((2, -2, -2)), with_tricks((6, 7, 8, 9, 10, 19), terms), CHARLIE, "en")
        for terms in (EXACT, Terms())
    )
    assert [card.lines[1] for card in cards if isinstance(card, Card)] == [
        "Banners: {0} Villagers (5; 4 wanted).",
        "Banners: {0} Villagers.",
    ]


@cases("terms, card", [(EXACT, "play V7"), (Terms(), "play S20")])
def test_under_the_exact_option_a_bot_with_enough_villagers_takes_no_more(terms: Terms, card: str) -> None:
    played = Played((22, 21, 20, 6, 7), (8, 9, 10, 14, 16), (11, 12, 13, 15, 17), dealer=CAROL, terms=terms)
    played.play("villagers", "none", "none", "22", "8", "11", "21", "9", "13", "6", "14", "15", "12")
    assert played.to_move == ALICE
    move = bots.greedy(PlayerView(played.fold_of(ALICE), 3), ALICE, SeedChance(bytes(32), 1, "bot"))
    assert GAME.format(move) == card, "she has four"


# --- 6.4, R16, R21 -----------------------------------------------------------------------------------------


AMONG_LEADERS = Terms(1, 3, tie_break="leaders")


def at_a_tie(seats: int = 3, number: int = 0) -> Table:
    """A match at the first question of a round between two of its seats."""
    for n in range(number, 500):
        table = Table(GAME, seats, AMONG_LEADERS, n.to_bytes(32, "big"))
        for _ in random_decisions(table):
            if len(table.state.players) == 2:
                return table
    raise AssertionError("no tie")


@cases("seats", [3, 4, 5])
def test_in_a_tie_break_only_the_tied_leaders_get_cards_and_questions(seats: int) -> None:
    table = at_a_tie(seats)
    begun: State = table.state
    tied, best = begun.players, max(begun.totals)
    assert tied == tuple(seat for seat, total in enumerate(begun.totals) if total == best)
    assert [seat for seat, hand in enumerate(begun.hands) if hand] == [*tied]
    asked, state = set(), begun
    while not state.over and state.number == begun.number:
        (ask,) = GAME.pending(state)
        asked.add(ask.seat)
        for event in GAME.decide(state, ask.seat, GAME.legal(state, ask.seat)[0], luck()):
            state = GAME.evolve(state, event)
    assert asked == {*tied}
    assert [points for seat, points in enumerate(state.sheet[begun.number - 1]) if seat not in tied] == [0] * (
        seats - 2
    )


def test_points_of_a_tie_break_only_break_the_tie() -> None:
    state = at_a_tie().state
    first, second = state.players
    points = tuple({first: -2, second: -4}.get(seat, 0) for seat in range(3))
    after = GAME.evolve(replace(state, phase="play"), Scored(points))
    assert after.totals == state.totals
    assert after.sheet[-1] == points
    assert end_after_round(after) == Ended("points", (first,)), "though somebody else has more in that round"


def test_seats_still_tied_play_another_tie_break_and_finally_share() -> None:
    state: State = at_a_tie().state
    points = tuple(3 if seat in state.players else 0 for seat in range(3))
    again = GAME.evolve(replace(state, phase="play"), Scored(points))
    assert end_after_round(again) is None
    assert players_of_round(again, again.number + 1) == state.players
    last = GAME.evolve(replace(state, phase="play", number=4, sheet=(*state.sheet, points, points)), Scored(points))
    assert end_after_round(last) == Ended("shared", state.players)


def test_the_deal_rotates_over_seats_that_sit_out_too() -> None:
    for number in (0, 50, 100):
        state: State = at_a_tie(5, number).state
        dealers = [
            event.dealer for event in (entry.event for entry in at_a_tie(5, number).entries) if isinstance(event, Dealt)
        ]
        assert dealers[1] == (dealers[0] + 1) % 5
        first = next(seat % 5 for seat in range(state.dealer + 1, state.dealer + 6) if seat % 5 in state.players)
        assert state.leader == first


def test_a_seat_that_sits_out_cannot_be_looked_at() -> None:
    state: State = at_a_tie().state
    (out,) = {0, 1, 2} - {*state.players}
    seat = GAME.pending(state)[0].seat
    state = replace(state, nobori=(NOBORI,) * 3)
    assert Look(out) not in GAME.legal(state, seat)
    with pytest.raises(IllegalMove) as refused:
        GAME.decide(state, seat, Look(out), luck())
    assert refused.value.code == "no_hand"
    assert GAME.meta.refusals["no_hand"].rule == "6.4"


def test_in_a_tie_break_of_two_the_better_of_two_cards_takes_the_trick() -> None:
    state: State = at_a_tie().state
    while state.phase == "nobori":
        for event in GAME.decide(state, state.active, Keep(), luck()):
            state = GAME.evolve(state, event)
    first, second = state.leader, state.active
    assert first == second
    one, other = players_in_order_from(state, state.leader)
    state = replace(state, hands=tuple({one: (7, 22), other: (F, 18)}.get(seat, ()) for seat in range(3)))
    assert seat_taking_trick(state, (7, F)) == one, "an Old Fool alone loses"
    assert seat_taking_trick(state, (F, F)) == other
    assert seat_taking_trick(state, (18, 22)) == other


def test_the_board_says_who_sits_out_and_why() -> None:
    table = at_a_tie()
    state: State = table.state
    (out,), (one, other) = {0, 1, 2} - {*state.players}, state.players
    said = " ".join(GAME.describe(table.folds[out], out, "en"))
    assert f"A tie for the lead: {{{one}}} and {{{other}}} play alone" in said
    assert "not in the tie-break" in said
    drawn = GAME.draw(table.folds[out], out, "en", Scene())
    assert "You sit out this round" in drawn
    assert "sits out" in GAME.draw(table.folds[one], one, "en", Scene())
    assert "Tie-break 1" in drawn
    told = GAME.tell(table.entries[-1].event, None, "en")
    assert told.startswith(f"A tie, tie-break 1 between {{{one}}} and {{{other}}}: ")


def test_the_table_of_points_has_a_dash_for_a_seat_that_did_not_play() -> None:
    table = at_a_tie()
    state: State = table.state
    points = tuple(3 if seat in state.players else 0 for seat in range(3))
    after = GAME.evolve(replace(state, phase="play"), Scored(points))
    assert GAME.draw(after, None, "en", Scene()).count(">–<") == 1
    assert GAME.card is not None
    card = GAME.card(Scored(points), replace(state, phase="play"), None, "en")
    assert card is not None
    assert [row[1:3] for row in card.table[1:]].count(("–", "–")) == 1
    assert "are tied, and play a tie-break." in card.lines[0]


def test_seats_that_sit_out_a_tie_break_have_an_estimated_chance_of_zero() -> None:
    state: State = at_a_tie().state
    told = bots.estimate(state)
    assert told is not None
    assert [chance == 0 for chance in told] == [seat not in state.players for seat in range(3)]
    assert abs(sum(told) - 1) < 1e-9


def test_typical_orders_of_a_seat_that_sits_out_include_no_banner() -> None:
    table = at_a_tie()
    (out,) = {0, 1, 2} - {*table.state.players}
    orders = GAME.typical(PlayerView(replace(table.folds[out], nobori=(NOBORI,) * 3), 3), out, luck())
    assert [type(order).__name__ for order in orders] == ["Lowest"]
