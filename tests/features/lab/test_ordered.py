"""Matches of people who leave orders: where they stop, how long they take, and that orders cost no strength."""

from collections.abc import Sequence
from statistics import median_low

import pytest
from msgspec.structs import replace

from pbem.features.lab.course import DAY_S, Pace, Played
from pbem.features.lab.ordered import Window, play_with_orders
from pbem.features.lab.plans import NONE, TYPICAL, Chunk, Plan, seed_of_match
from pbem.features.lab.simulations import play_chunk
from pbem.features.lab.tallies import Tally
from pbem.games import all_games
from pbem.kit.bots import bots_of
from pbem.kit.chance import Chance
from pbem.kit.contract import AnyGame, Order, PlayerView
from pbem.kit.orders.shapes import Always
from pbem.kit.play import LawBroken
from pbem.kit.windows import FLOOR_MAX_S, FLOOR_MIN_S
from tests.features.lab.toys import play_out
from tests.kit.toys import GLIMPSE, ORDERING, WINDOWED, GiveUp, Glimpse, Ordering, Show, State, Windowed

SEED = "5e" * 32
GOALS = {"allegeance": (75, 0.60), "hagakure": (40, 0.33), "hexen-rennen": (45, 0.50), "niigata": (38, 0.61)}
"""The most stops with the orders of typical people, at four seats, and the most of those without: medians."""


LOUD = [bots_of(GLIMPSE)["loud"]] * 2


def match_of_loud_bots(game: AnyGame, seed: bytes, *ordering: bool) -> Played:
    """A match of the toy's bot, which never gives up: every seat shows its number twice, in turn."""
    return play_with_orders(game, 2, None, seed, LOUD, ordering or (True, True))


def seed_where(first: int, then: int) -> bytes:
    """A seed by which one seat looks before the other, later than the longest floor, and the other hours later."""
    for n in range(1000):
        looks = Pace(seed_of_match(bytes(32), 2, n), 2).looks
        if looks[first] > FLOOR_MAX_S and looks[first] + 4 * FLOOR_MAX_S < looks[then] < DAY_S - 4 * FLOOR_MAX_S:
            return seed_of_match(bytes(32), 2, n)
    raise AssertionError("there is no such seed")


def test_without_orders_each_decision_by_another_seat_is_a_stop() -> None:
    seed = seed_where(0, 1)
    by_hand = play_out(GLIMPSE, 2, None, seed, ("loud",))
    people = match_of_loud_bots(GLIMPSE, seed)
    assert (by_hand.decisions, by_hand.waits, by_hand.by_order) == (4, 4, 0)
    assert replace(people, seconds=0) == replace(by_hand, seconds=0)
    looks = Pace(seed, 2).looks
    assert people.seconds == by_hand.seconds == DAY_S + looks[1]  # seat 0 and 1 on the first day and on the second


def test_an_order_answers_without_delay_and_a_present_seat_moves_at_once() -> None:
    """The order leaves the last question to its owner."""
    seed = seed_where(0, 1)
    found = match_of_loud_bots(ORDERING, seed)
    # Seat 0 answers by hand and goes; seat 1 looks, answers, and once the order of seat 0 has, answers again.
    assert (found.decisions, found.by_order, found.waits, found.seconds) == (4, 1, 2, Pace(seed, 2).looks[1])
    seed = seed_where(1, 0)
    found = match_of_loud_bots(ORDERING, seed)
    # Seat 1 looks before it is asked, and leaves an order; the last question waits for its next day.
    assert (found.by_order, found.waits, found.seconds) == (1, 2, DAY_S + Pace(seed, 2).looks[1])


@pytest.mark.long
def test_several_seats_asked_at_once_count_as_one_stop() -> None:
    """In Hexen Rennen four divide their tiles first. Here the order of answers follows the clock, elsewhere a lot."""
    hexen = all_games()["hexen-rennen"]
    greedy = [hexen.bots["greedy"]] * 4
    for n in range(2):
        seed = seed_of_match(bytes(32), 4, n)
        by_hand = play_out(hexen, 4, hexen.meta.options(), seed, ("greedy",))
        windows: list[Window] = []
        found = play_with_orders(hexen, 4, hexen.meta.options(), seed, greedy, [False] * 4, watch=windows.append)
        assert found.events == by_hand.events
        # A player who answers a window and is asked next has gone meanwhile.
        assert by_hand.waits - 1 <= found.waits <= by_hand.waits + 1 + len(windows)


def test_a_simulated_seat_without_orders_looks_only_when_asked() -> None:
    found = match_of_loud_bots(ORDERING, seed_where(1, 0), True, False)
    assert (found.by_order, found.waits) == (1, 2)
    assert match_of_loud_bots(ORDERING, seed_where(1, 0), False, False).by_order == 0


class OrderingOnce(Ordering):
    """Everybody orders the answer to their next question alone."""

    def typical(self, view: PlayerView, seat: int, chance: Chance) -> Sequence[Order]:
        return (Always(kind="show", move=Show(1), scope="question"),)

    def round_of(self, fold: State) -> int:
        return 0


def test_an_order_for_one_question_answers_no_other() -> None:
    found = match_of_loud_bots(OrderingOnce(), seed_where(1, 0))
    # Seat 1 has left its order; seat 0 answers by hand, before and after it; the last question is a stop again.
    assert (found.by_order, found.waits) == (1, 2)


class SealedByOrder(Windowed):
    """Everybody orders the same answer to every window."""

    def typical(self, view: PlayerView, seat: int, chance: Chance) -> Sequence[Order]:
        return (Always(kind="show", move=Show(1), scope="match"),)


def test_a_window_answered_by_orders_stays_open_for_its_time() -> None:
    seed = seed_where(1, 0)
    closed: list[Window] = []
    found = play_with_orders(SealedByOrder(), 2, None, seed, LOUD, (True, True), watch=closed.append)
    # Seat 1 has left its order, seat 0 answers by hand; then every window lasts as long as its floor says.
    assert (found.by_order, found.waits) == (3, 1)
    assert [one.opened for one in closed[1:]] == [one.closed for one in closed[:-1]]
    assert all(FLOOR_MIN_S <= one.closed - one.opened <= FLOOR_MAX_S for one in closed[1:])
    assert found.seconds == closed[-1].closed


def test_a_player_who_answered_a_window_is_away_when_it_closes() -> None:
    """Without orders nobody waits for a floor."""
    assert match_of_loud_bots(WINDOWED, seed_where(0, 1)).waits == 4


class OrderingTheRefused(Ordering):
    def typical(self, view: PlayerView, seat: int, chance: Chance) -> Sequence[Order]:
        return (Always(kind="show", move=GiveUp()),)


def test_a_bots_script_with_a_refused_order_is_an_error() -> None:
    with pytest.raises(LawBroken, match=r"which is refused: .*lasting"):
        match_of_loud_bots(OrderingTheRefused(), bytes(32))


class Endless(Glimpse):
    meta = replace(GLIMPSE.meta, bound=1)


def test_a_simulated_match_that_does_not_end_is_an_error() -> None:
    with pytest.raises(LawBroken, match="does not end within 1"):
        match_of_loud_bots(Endless(), bytes(32))


# --- what orders save --------------------------------------------------------------------------------------


def play_greedy_matches(slug: str, matches: int, *orders: str) -> Tally:
    """Matches of four greedy seats that leave these orders."""
    return play_chunk(Chunk(Plan(slug, 4, SEED, ("greedy",), orders=orders), 0, matches))


@pytest.mark.long
@pytest.mark.timeout(600)
@pytest.mark.parametrize("slug", GOALS)
def test_typical_orders_save_stops_and_days(slug: str) -> None:
    none, typical = play_greedy_matches(slug, 100, NONE), play_greedy_matches(slug, 100, TYPICAL)
    most, share = GOALS[slug]
    assert median_low(typical.waits) <= most
    assert median_low(typical.waits) <= share * median_low(none.waits)
    assert median_low(typical.seconds) <= median_low(none.seconds) * 2 / 3


@pytest.mark.long
@pytest.mark.apart
@pytest.mark.parametrize(
    ("slug", "matches"),
    [
        ("allegeance", 200),  # whose orders must know what their person remembers
        *(pytest.param(slug, 400, marks=pytest.mark.timeout(1200)) for slug in GOALS if slug != "allegeance"),
    ],
)
def test_simulated_players_win_as_often_by_orders_as_by_hand(slug: str, matches: int) -> None:
    tally = play_greedy_matches(slug, matches, TYPICAL, NONE, NONE, NONE)
    assert tally.victory_shares_by_seat[0] / tally.matches >= 0.25 - 0.06


@pytest.mark.long
def test_every_game_can_be_played_by_people_with_orders() -> None:
    for slug, game in all_games().items():
        for seats in (game.meta.seats[0], game.meta.seats[-1]):
            found = play_chunk(Chunk(Plan(slug, seats, SEED, ("greedy",), orders=(TYPICAL,)), 0, 1))
            assert (found.by_order[0] > 0) == bool(game.meta.orders)
