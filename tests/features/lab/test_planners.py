"""People who plan: the lines that they leave, from what their seat sees, and what these save."""

from collections.abc import Sequence
from statistics import median_low
from typing import Any

import pytest

from pbem.features.lab.ordered import MOST_LINES, orders_in_likeliest_lines
from pbem.features.lab.plans import NONE, PLANNER, TYPICAL, Chunk, Plan
from pbem.features.lab.simulations import play_chunk
from pbem.features.lab.tallies import Tally
from pbem.games import all_games
from pbem.kit.contract import AnyGame, Ask, Event, PlayerView
from pbem.kit.orders.following import events_as_public
from pbem.kit.orders.shapes import refusal_of_order
from pbem.kit.play import Table, luck_from_seed, random_decisions
from tests.kit import toys
from tests.kit.toys import Glimpsed, State
from tests.transcripts import seed_of

SEED = "5e" * 32
LUCK = luck_from_seed(bytes(32), 4)


def play_with_orders(slug: str, matches: int, *orders: str) -> Tally:
    """Matches of four greedy seats that leave these orders."""
    return play_chunk(Chunk(Plan(slug, 4, SEED, ("greedy",), orders=orders), 0, matches))


def likely_lines_of(game: AnyGame, fold: Any, seat: int) -> Any:
    return orders_in_likeliest_lines(game, PlayerView(fold, fold.seats), seat, game.bots["greedy"], LUCK, 1)


class Forked(toys.Glimpse):
    """Glimpse in which one of two facts comes first, and one of six more after the first; then seat A is asked."""

    def supposable(self, fold: State, viewer: int, since: Sequence[Event]) -> Sequence[Event] | None:
        if fold.at == 0:
            return [Glimpsed(0, None), Glimpsed(1, None)]
        return [Glimpsed(0, number) for number in range(6)] if [*since] == [Glimpsed(0, None)] else ()

    def pending(self, state: State) -> tuple[Ask, ...]:
        return (Ask(0, f"t{state.at}.show", f"t{state.at}", "show"),)


def test_a_planning_bot_plans_likely_events_before_unlikely_ones() -> None:
    game, fold = Forked(), State((1, None))
    found = orders_in_likeliest_lines(game, PlayerView(fold, 2), 0, game.bots["loud"], LUCK, 1)
    assert [len(order.after) for order in found] == [*range(1, MOST_LINES + 1)]
    assert {order.after[0] for order in found} == {Glimpsed(1, None)}, "one in two, against one in twelve"


@pytest.mark.long
@pytest.mark.parametrize("slug", [*all_games()])
def test_planned_lines_are_valid_orders_and_depend_only_on_the_view(slug: str) -> None:
    game, left = all_games()[slug], 0
    table = Table(game, game.meta.seats[-1], game.meta.options(), seed_of(slug, 4, 0))
    for at, _ in enumerate(random_decisions(table)):
        seat = at % table.seats
        if at % 7:
            continue
        found = likely_lines_of(game, table.folds[seat], seat)
        assert len(found) <= MOST_LINES
        assert found == likely_lines_of(game, table.folds[seat], seat)
        for order in found:
            assert refusal_of_order(order, game, table.folds[seat], seat) is None
            assert order.after == events_as_public(order.after)
        left += len(found)
    assert bool(left) == (slug != "allegeance"), "there nobody can know what comes"


def test_planned_lines_stop_at_anothers_secret_choice() -> None:
    game, secret = all_games()["hogen"], 0
    table = Table(game, 3, game.meta.options(), seed_of("hogen", 3, 0))
    for at, _ in enumerate(random_decisions(table)):
        if at > 40:
            break
        for seat in range(3):
            fold = table.folds[seat]
            asked = [ask.seat for ask in game.pending(fold)]
            if game.supposable(fold, seat, ()) and asked and seat not in asked:
                assert likely_lines_of(game, fold, seat) == ()
                secret += 1
    assert secret > 5


def test_planned_lines_stop_where_an_unseen_hand_would_be_played() -> None:
    """Who is to lead the round exchanges their hand, and so may everybody after them."""
    game = all_games()["hagakure"]
    table = Table(game, 5, game.meta.options(), seed_of("hagakure", 5, 0))
    assert [len(likely_lines_of(game, table.folds[seat], seat)) for seat in range(5)] == [0, 1, 1, 1, 1]


@pytest.mark.long
@pytest.mark.parametrize("matches", [3, pytest.param(100, marks=[pytest.mark.long, pytest.mark.timeout(600)])])
def test_planned_lines_save_stops_in_a_game_without_hidden_cards(matches: int) -> None:
    """And they make no other match of it where nothing can be planned."""
    typical, planner = play_with_orders("niigata", matches, TYPICAL), play_with_orders("niigata", matches, PLANNER)
    assert median_low(planner.waits) < median_low(typical.waits)
    assert median_low(planner.by_order) > median_low(typical.by_order)
    assert play_with_orders("allegeance", 1, PLANNER) == play_with_orders("allegeance", 1, TYPICAL)


@pytest.mark.long
def test_planning_and_ordinary_bots_play_in_the_same_match() -> None:
    tally = play_with_orders("niigata", 2, PLANNER, NONE, TYPICAL, NONE)
    assert tally.matches == 2
    assert min(tally.by_order) > 0
