"""What a table may choose besides reaching the goal by a tile: its clans (2.5)."""

import msgspec
import pytest
from msgspec.structs import replace

from pbem.games.hexen_rennen import GAME, bots
from pbem.games.hexen_rennen.facts import Choose, Chosen, Divided, HexenOptions, Laid, Opened, division_at_index
from pbem.games.hexen_rennen.facts_race import CLANS, DECK, State, owner_of_tile
from pbem.kit.chance import SeedChance
from pbem.kit.codec import codec_for, encode
from pbem.kit.contract import (
    AnyGame,
    IllegalMove,
    Outcome,
    PlayerView,
    Scene,
    Unreadable,
    ask_of,
    game_with_marks,
)
from pbem.kit.play import Table, random_decisions
from pbem.kit.replay import By
from pbem.kit.texts import LANGS
from pbem.render import badges
from tests.harness.cases import cases

CHOSEN = HexenOptions(clans="chosen")
ALICE, BOB, CAROL, DAVE = 0, 1, 2, 3
CHARLIE = None


def table(seats: int, *said: tuple[int, str]) -> Table:
    """A match with chosen clans in which these seats have answered so."""
    made = Table(GAME, seats, CHOSEN, bytes(32))
    for seat, text in said:
        answer(made, seat, text)
    return made


def answer(made: Table, seat: int, text: str) -> None:
    ask = ask_of(GAME, made.state, seat)
    assert ask is not None
    made.play(ask, GAME.parse(text), By(seat=seat))


def questions(made: Table) -> dict[int, str]:
    return {ask.seat: ask.kind for ask in GAME.pending(made.state)}


def start_race(*clans: str) -> Table:
    """A match in which the seats have chosen these clans, and divided their tiles."""
    made = table(len(clans), *((seat, f"choose {clan}") for seat, clan in enumerate(clans)))
    for seat in range(len(clans)):
        answer(made, seat, "234 567 8910")
    return made


def test_default_options_are_stored_as_before_clans_could_be_chosen() -> None:
    assert encode(HexenOptions()) == b'{"goal_by_tile":false}'
    assert codec_for(GAME).options({"clans": "seats"}) == HexenOptions()
    opened = Table(GAME, 2, HexenOptions(), bytes(32)).entries[0].event
    assert set(msgspec.to_builtins(opened)) == {"type", "seats", "goal_by_tile", "piles"}
    assert Table(GAME, 3, HexenOptions(), bytes(32)).state.clans == (0, 1, 2)


# --- the choice --------------------------------------------------------------------------------------------


def test_all_choose_a_clan_at_once_and_divide_as_soon_as_they_have_one() -> None:
    made = table(3)
    assert questions(made) == {ALICE: "clan", BOB: "clan", CAROL: "clan"}
    assert GAME.meta.asks["clan"].race
    answer(made, CAROL, "choose the cat")
    assert questions(made) == {ALICE: "clan", BOB: "clan", CAROL: "divide"}
    assert [GAME.format(move) for move in GAME.legal(made.state, ALICE)] == ["choose A", "choose B", "choose D"]
    answer(made, CAROL, "234 567 8910")
    assert questions(made) == {ALICE: "clan", BOB: "clan"}


def test_a_clan_that_somebody_has_is_refused() -> None:
    made = table(2, (BOB, "choose C"))
    for fold in (made.state, made.folds[ALICE]):
        with pytest.raises(IllegalMove) as refused:
            GAME.decide(fold, ALICE, Choose("C"), SeedChance(bytes(32), 1, "decide"))
        assert GAME.meta.refusals[refused.value.code].rule == "2.5"


def test_the_last_of_four_gets_the_clan_that_is_left() -> None:
    made = table(4, (ALICE, "choose B"), (DAVE, "choose C"), (BOB, "choose D"))
    assert made.entries[-1].event == Chosen(CAROL, "A")
    assert set(questions(made).values()) == {"divide"}


def test_an_event_that_contradicts_the_chosen_clans_is_an_error() -> None:
    made = table(3, (ALICE, "choose B"))
    for event in (Chosen(BOB, "B"), Chosen(ALICE, "C"), Divided(BOB, division_at_index(0).stages)):
        with pytest.raises(ValueError, match="clan"):
            GAME.evolve(made.state, event)


@cases("seat, said", [(ALICE, "choose A"), (CAROL, "choose A"), (DAVE, "choose D")])
def test_the_clock_takes_the_clan_of_the_seat_or_the_first_that_is_left(seat: int, said: str) -> None:
    made = table(4, (BOB, "choose C"))
    assert GAME.format(GAME.fallback(made.folds[seat], seat, SeedChance(bytes(32), 1, "fallback"))) == said


def test_bots_take_any_clan_that_is_left() -> None:
    made = table(2, (BOB, "choose C"))
    for bot in (bots.greedy, bots.quick):
        view = PlayerView(made.folds[ALICE], 2)
        found = {GAME.format(bot(view, ALICE, SeedChance(bytes([n]) * 32, 1, "bot"))) for n in range(40)}
        assert found == {"choose A", "choose B", "choose D"}


# --- what belongs to whom ----------------------------------------------------------------------------------


def test_each_seats_division_lays_the_numbers_of_its_chosen_clan() -> None:
    made = start_race("D", "A")
    course = next(entry.event for entry in made.entries if isinstance(entry.event, Laid)).tiles
    assert sorted(tile or "" for tile in course) == sorted(f"{clan}{card}" for clan in CLANS for card in DECK)
    for stage, numbers in enumerate(((2, 3, 4), (5, 6, 7), (8, 9, 10))):
        here = {tile for tile in course[16 * stage : 16 * stage + 16] if tile}
        assert {f"{clan}{n}" for clan in "DA" for n in numbers} <= here
    state: State = made.state
    assert [owner_of_tile(state, f"{clan}5") for clan in "DABC"] == [0, 1, 2, 3]


def alone(clans: tuple[int, ...]) -> State:
    """A race of these clans in which Alice has rolled 2, with a witch on 10; Bob's stand at the start."""
    start = start_race(*(CLANS[clan] for clan in clans)).state
    shown = tuple({12: "D4", 16: "B2", 8: "CS"}.get(place) for place in range(1, 49))
    fresh = {"active": 0, "die": 2, "witch": None, "asked": None, "obliged": False, "turn": 9}
    state: State = replace(start, shown=shown, witches=((0, 0, 10), *((0, 0, 0),) * (len(clans) - 1)), **fresh)
    return state


def test_a_number_carries_the_witch_of_the_clan_that_was_chosen() -> None:
    luck = SeedChance(bytes(32), 1, "decide")
    for clans, end in (((3, 0), 16), ((0, 3), 12)):
        state = alone(clans)
        for event in GAME.decide(state, ALICE, GAME.parse("fly 10"), luck)[:2]:
            state = GAME.evolve(state, event)
        assert state.witches[ALICE][2] == end or state.active != ALICE
        assert (16 in state.witches[ALICE]) == (end == 16)


@cases("clans, seat", [((0, 2), BOB), ((2, 0), ALICE), ((0, 1), None)])
def test_a_symbol_is_of_the_seat_that_has_chosen_its_clan(clans: tuple[int, ...], seat: int | None) -> None:
    state = replace(alone(clans), witches=((0, 0, 6), (0, 0, 0)))
    events = GAME.preview(state, ALICE, GAME.parse("fly 6"))
    reached = [event.seat for event in events if type(event).__name__ == "Reached"]
    assert reached == ([] if seat is None else [seat])


# --- told and drawn ------------------------------------------------------------------------------------------


def test_the_story_says_which_clan_a_seat_has_taken() -> None:
    made = table(2)
    opened = made.entries[0].event
    assert isinstance(opened, Opened)
    assert GAME.tell(opened, None, "en") == "Everyone chooses a clan: first come, first served."
    assert GAME.tell(Chosen(BOB, "C"), made.state, "en") == "{1} takes clan C cat."
    assert GAME.tell(Chosen(BOB, "C"), made.state, "fr") == "{1} prend le clan C chat."


def test_words_say_the_clan_where_it_is_not_the_letter_of_the_seat() -> None:
    assert any("clan D cauldron" in line for line in GAME.describe(start_race("D", "A").folds[BOB], BOB, "en"))
    assert not any("clan A moon" in line for line in GAME.describe(start_race("A", "B").folds[BOB], BOB, "en"))
    told = GAME.describe(table(2, (BOB, "choose C")).folds[ALICE], ALICE, "en")
    assert "Still to choose a clan: {0}. Clans left: A moon, B mushroom, D cauldron." in told
    assert not any("neutral" in line for line in told)


@cases("lang", LANGS)
@cases("shape", GAME.meta.shapes[:3])
def test_the_board_shows_who_has_which_clan(shape: str, lang: str) -> None:
    made = table(3, (BOB, "choose C"))
    for viewer in (ALICE, CHARLIE):
        drawn = GAME.draw(made.folds[viewer], viewer, lang, Scene(shape=shape))  # type: ignore[arg-type]
        assert all(f"#hx-{letter}" in drawn for letter in "abcd")
        assert drawn.count("{1:") == 1 + (shape != "low"), "among the seats and on the cat"
    assert "#hx-back" not in GAME.draw(made.folds[BOB], BOB, lang, Scene(shape=shape))  # type: ignore[arg-type]
    assert "{1:" in drawn


def wear_clans(*clans: str) -> AnyGame:
    return game_with_marks(GAME, CHOSEN, start_race(*clans).state)


def test_seats_bear_the_marks_of_their_clans() -> None:
    game = wear_clans("D", "A", "B")
    assert [mark.letter for mark in game.meta.seat_marks[:3]] == ["D", "A", "B"]
    assert "#hx-d" in badges.badge_picture(ALICE, game.meta.seat_marks)
    assert ">D<" in badges.badge_picture(ALICE, game.meta.seat_marks)
    assert wear_clans("D", "A", "B") is game, "caches use it as a key"
    assert wear_clans("A", "B") is GAME


def test_a_seat_without_a_clan_has_no_mark_of_one() -> None:
    game = game_with_marks(GAME, CHOSEN, table(2, (BOB, "choose A")).state)
    assert [mark.letter for mark in game.meta.seat_marks] == ["?", "A"]
    assert "#hx-" not in badges.badge_picture(ALICE, game.meta.seat_marks)


def test_the_letter_of_the_chosen_clan_may_stand_before_a_card() -> None:
    game = wear_clans("D", "A")
    assert game.format(game.parse("play D5", ALICE)) == "play 5"
    with pytest.raises(Unreadable) as refused:
        game.parse("play A5", ALICE)
    assert refused.value.hint["en"] == "A5 is of clan A, and yours is D. Write play 5 or play D5."
    assert game.format(game.parse("play A5", BOB)) == "play 5"


def test_the_picture_of_the_end_shows_the_winner_in_their_clans_colour() -> None:
    outcome = Outcome("arrived", (ALICE,), (9, 4))
    ends = [game.end(outcome) for game in (GAME, wear_clans("D", "A")) if game.end is not None]
    assert ['class="c1"' in end.split("#witch")[1] for end in ends] == [True, False]
    assert 'class="c5"' in ends[1].split("#witch")[1]


@cases("seats", GAME.meta.seats)
def test_random_matches_with_chosen_clans_come_to_an_end(seats: int) -> None:
    made = Table(GAME, seats, CHOSEN, bytes([seats]) * 32)
    for _ in random_decisions(made):
        pass
    assert GAME.outcome(made.state) is not None
