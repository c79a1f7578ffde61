"""The measures of the laboratory, on numbers that can be worked out by hand."""

import json
from collections.abc import Sequence
from math import comb, log

import msgspec
import pytest

from pbem.features.lab.course import Played
from pbem.features.lab.deciding import ERROR, Decision, NotTwo, Sequential
from pbem.features.lab.measures.estimates import Mean, Share, estimate_mean, estimate_slope_through_origin, t_value
from pbem.features.lab.measures.fairness import measure_fairness, measure_waits_and_mails
from pbem.features.lab.measures.parts import PartsListener, PartsTally, measure_part
from pbem.features.lab.measures.skill import measure_skill
from pbem.features.lab.measures.tension import TensionListener, TensionTally, measure_tension
from pbem.features.lab.plans import Chunk, Plan, Study, Variant
from pbem.features.lab.report import Look, findings_in_looks
from pbem.features.lab.simulations import play_chunk, play_match, simulate
from pbem.features.lab.tallies import Tally
from pbem.games import all_games
from pbem.kit.contract import Outcome
from tests.features.lab.toys import MENDED, Caravans, Load
from tests.harness.cases import cases

SEED = "5e" * 32


def test_wilsons_interval_covers_the_true_share_as_often_as_stated() -> None:
    n, p = 40, 0.3
    held = 0.0
    for count in range(n + 1):
        low, high = Share(count, n).interval(0.95)
        held += comb(n, count) * p**count * (1 - p) ** (n - count) * (low <= p <= high)
    assert held == pytest.approx(0.95, abs=0.02)


@cases(
    "confidence, freedom, reach",
    [(0.95, 1, 12.7062047), (0.95, 2, 4.30265273), (0.95, 3, 3.18244631), (0.95, 4, 2.77644511), (0.95, 5, 2.57058184),
     (0.95, 10, 2.22813885), (0.95, 29, 2.04522964), (0.95, 120, 1.97993041), (0.5, 5, 0.72668684),
     (0.999, 3, 12.9239786), (0.999, 4, 8.61030158), (0.999, 10, 4.58689386), (0.999, 29, 3.65940502),
     (0.998, 10_000, 3.0910)],
)  # fmt: skip
def test_students_t_equals_the_tables(confidence: float, freedom: int, reach: float) -> None:
    assert t_value(confidence, freedom) == pytest.approx(reach, rel=1e-5 if freedom < 10_000 else 1e-4)


def test_the_interval_of_a_mean_is_wider_the_fewer_numbers_there_are() -> None:
    pair = estimate_mean([0.0, 1.0])
    assert pair is not None
    assert pair.interval(0.95) == pytest.approx((0.5 - 12.706 / 2, 0.5 + 12.706 / 2), abs=1e-3)


def test_the_error_of_a_slope_treats_the_seats_of_a_match_as_one() -> None:
    groups = [[(1.0, 2.0)], [(2.0, 3.0)], [(-1.0, -1.0)]]
    once, twice = estimate_slope_through_origin(groups), estimate_slope_through_origin([group * 2 for group in groups])
    assert once is not None
    assert twice is not None
    assert (once.value, once.error) == pytest.approx((twice.value, twice.error))


def test_shares_of_victories_leave_out_matches_nobody_won() -> None:
    tally = Tally(2)
    for winners in ((0,), (0, 1), (), (1,)):
        tally.add(Played(4, 2, Outcome("end", winners), {}))
    fairness = measure_fairness(tally)
    assert fairness.seats == (Share(1.5, 3), Share(1.5, 3))
    assert (fairness.unwon, fairness.shared) == (Share(1, 4), Share(1, 3))


def test_tallies_of_parts_add_up_to_the_tally_of_the_whole() -> None:
    whole, first, rest = Tally(2), Tally(2), Tally(2)
    for number in range(5):
        outcome = Outcome(("end", "out")[number % 2], (number % 2,), (number, 7 - number))
        played = Played(4 + number, 2, outcome, {"Shown": number + 1}, 1, 9, 3, 5, barred={"look": 1 + number})
        for tally in (whole, first if number < 2 else rest):
            tally.add(played)
    first.join(rest)
    assert first == whole
    assert (whole.endings, whole.events, whole.barred) == ({"end": 3, "out": 2}, {"Shown": 15}, {"look": 15})
    assert (whole.winning, whole.scores[:2], whole.matches) == ([0, 6, 2, 4, 4], [(0, 7), (1, 6)], 5)


def tell_lead_lines(tally: TensionTally, *matches: Sequence[tuple[int, int]]) -> None:
    """Tells a listener of matches by the coins of both seats after each decision."""
    listener = TensionListener(MENDED, 2, tally)
    for match in matches:
        listener.on_beginning(Caravans(0, (0, 0)))
        for turn, coins in enumerate(match):
            state = Caravans(0, coins, turn)
            listener.on_decision(state, MENDED.pending(state)[0], Load("G1"), (), state)
        best = max(match[-1])
        listener.on_end(Outcome("arrived", tuple(s for s in (0, 1) if match[-1][s] == best), match[-1]))


def test_the_scores_of_a_match_show_lead_changes_and_when_it_was_settled() -> None:
    tally = TensionTally()
    tell_lead_lines(tally, [(1, 0), (1, 4), (3, 4), (5, 4), (6, 4), (7, 4), (8, 4), (9, 4)])
    assert tally.changes == [2]
    assert tally.settled == [3 / 8]
    assert tally.drama == [pytest.approx(((3 / 5) ** 0.5 + (1 / 5) ** 0.5) / 2, abs=1e-4)]


def test_a_lead_that_grows_as_much_in_the_second_half_is_a_snowball_of_one() -> None:
    tally = TensionTally()
    ahead = [(1, 0), (2, 0), (3, 0), (4, 0), (5, 0), (6, 0), (7, 0), (8, 0)]
    behind = [(b, a) for a, b in ahead]
    tell_lead_lines(tally, *[ahead, behind] * 5)
    few = measure_tension(tally)
    assert few is not None
    assert few.snowball is None
    tell_lead_lines(tally, *[ahead, behind] * 10)
    tension = measure_tension(tally)
    assert tension is not None
    assert tension.snowball == Mean(1.0, 0.0, 28)
    assert [lead.value for lead in tension.leads] == [1.0, 1.0, 1.0]


def test_a_moves_worth_compares_the_seats_of_one_match() -> None:
    tally = PartsTally()
    listener = PartsListener(MENDED, 2, tally)
    start = Caravans(0, (0, 0))
    for match in range(40):
        listener.on_beginning(start)
        for turn, good in enumerate(("G1", "G2") if match % 2 else ("G2", "G1")):
            state = Caravans(0, (0, 0), turn)
            listener.on_decision(state, MENDED.pending(state)[0], Load(good), (), state)
        listener.on_end(Outcome("arrived", (1,) if match % 2 else (0,)))  # the seat that loads G2 wins
    useful, useless = measure_part("Load G2", tally, 2, 40), measure_part("Load G1", tally, 2, 40)
    assert (useful.worth, useless.worth) == (Mean(1.0, 0.0, 39), Mean(-1.0, 0.0, 39))
    assert (useful.won_with, useful.won_without) == (Share(40.0, 40), Share(0.0, 40))


def test_the_better_bot_of_a_ladder_is_the_one_that_wins_on_whatever_seat() -> None:
    plan, tally = Plan("hogen", 2, SEED, ("fair", "easy"), rotated=True), Tally(2)
    for number in range(40):
        names = plan.bots_of_match(number)
        winner = names.index("easy" if number < 10 else "fair")
        tally.add(Played(4, 2, Outcome("end", (winner,)), {}))
    skill = measure_skill(plan, tally)
    assert (skill.duels[0].better, skill.duels[0].ahead) == ("fair", Share(30.0, 40))
    assert skill.duels[0].share_won_by_weaker_bot == 0.25
    assert [(rung.bot, rung.strength) for rung in skill.ladder] == [("fair", 0.0), ("easy", -191.0)]


def test_a_sequential_comparison_stops_only_when_decided() -> None:
    test = Sequential()
    test.add_results([1.0] * 20)
    assert test.settled == "open"
    test.add_results([1.0] * 100)
    assert (test.settled, test.results) == ("first", 31)
    level, close = Sequential(), Sequential(margin=0.02)
    level.add_results([1.0, 0.0] * 600)
    close.add_results([1.0, 0.0] * 600)
    assert (level.settled, close.settled) == ("neither", "open")


def test_a_result_has_the_weight_of_walds_sequential_test() -> None:
    """A victory weighs ln 1.1 = 0.0953 for the first and ln 0.9 = -0.1054 for the second; an even one half of each."""
    test = Sequential()
    test.add_results([1.0, 1.0, 0.5])
    assert (test.ahead, test.behind) == pytest.approx((0.1856, -0.2158), abs=1e-4)
    test.add_results([0.0])
    assert (test.ahead, test.behind) == pytest.approx((0.0802, -0.1205), abs=1e-4)
    assert (test.settled, test.results) == ("open", 4)


@cases(
    "won, settled, results",
    [
        ((1.0,), "first", 31),  # 31 times 0.0953 is more than ln 19 = 2.9444
        ((0.0,), "second", 31),
        ((0.5,), "neither", 586),  # 586 times -0.00503 is less than -2.9444
        ((1.0, 0.0), "neither", 586),
    ],
)
def test_a_sequential_comparison_ends_at_the_result_that_decides_it(
    won: tuple[float, ...], settled: str, results: int
) -> None:
    test = Sequential()
    test.add_results(won * 600)
    assert (test.settled, test.results) == (settled, results)


@cases("ahead, behind, settled", [(1, 0, "first"), (0, 1, "second"), (-1, -1, "neither"), (-1, 0, "open")])
def test_a_sequential_comparison_at_its_exact_bound_is_decided(ahead: int, behind: int, settled: str) -> None:
    bounds = {1: log((1 - ERROR) / ERROR), 0: 0.0, -1: log(ERROR / (1 - ERROR))}
    test = Sequential(margin=0, ahead=bounds[ahead], behind=bounds[behind])
    test.add_results([0.5])  # without a margin it weighs nothing
    assert test.settled == settled


def test_a_comparison_needs_two_bots_or_variants_at_one_number_of_seats() -> None:
    with pytest.raises(NotTwo):
        Decision(Study("hogen", (3,), SEED, ("greedy",)))
    with pytest.raises(NotTwo):
        Decision(Study("hogen", (3, 4), SEED, ("greedy", "random")))
    variants = Decision(Study("hogen", (3,), SEED, ("greedy",), (Variant("a", {}), Variant("b", {}))))
    bots = Decision(Study("hogen", (3,), SEED, ("greedy", "random")))
    assert ([cell.variant for cell in variants.cells], [cell.purpose for cell in bots.cells]) == (
        ["a", "b"],
        ["ladder"],
    )


def test_closely_measured_tallies_are_the_same_in_parts_and_via_a_worker() -> None:
    plan = Plan("hagakure", 3, SEED, closely=True)
    whole, parts = play_chunk(Chunk(plan, 0, 3)), Tally(3)
    for first, beyond in ((0, 1), (1, 3)):
        carried = json.loads(json.dumps(simulate(msgspec.to_builtins(plan), first, beyond)))
        parts.join(msgspec.convert(carried, Tally, strict=False))
    assert parts == whole
    assert whole.closely is not None
    asks = whole.closely.choice.asks
    assert sum(ask.decisions for ask in asks.values()) == sum(whole.decisions)


def test_without_scores_the_lead_goes_by_playouts_of_some_matches() -> None:
    tally = play_chunk(Chunk(Plan("hogen", 3, SEED, closely=True), 0, 2))
    assert tally.closely is not None
    tension = tally.closely.tension
    assert (tension.scored, len(tension.curves)) == (False, 1)
    assert all(0 <= chance <= 1 for standing in tension.curves[0] for chance in standing)


def test_a_seat_denied_a_kind_of_move_avoids_it_while_it_has_another() -> None:
    game = all_games()["hagakure"]
    plan = Plan("hagakure", 3, SEED, ("greedy",), without=("Look", "swap"))
    played: list[tuple[int, str]] = []

    class Watching:
        def on_beginning(self, state: object) -> None: ...

        def on_decision(self, before: object, ask: object, move: object, events: object, after: object) -> None:
            played.append((ask.seat, type(move).__name__))  # type: ignore[attr-defined]

        def on_end(self, outcome: Outcome) -> None: ...

    play_match(game, plan, 1, game.meta.options(), bytes(32), [Watching()])
    assert {kind for seat, kind in played if seat == 1} & {"Look", "Swap"} == set()
    assert {kind for seat, kind in played if seat != 1} >= {"Look"}


def test_stops_saved_by_orders_are_the_difference_to_play_by_hand() -> None:
    with_orders, by_hand = Tally(2), Tally(2)
    for waits in (3, 5):
        with_orders.add(Played(10, waits, Outcome("end", (0,)), {}, by_order=5, mails=5, idle=86400))
        by_hand.add(Played(10, waits + 4, Outcome("end", (0,)), {}, mails=10))
    slow = measure_waits_and_mails(with_orders, by_hand)
    assert (slow.saved, slow.mails, slow.by_order, slow.idle) == (
        Mean(4, 0, 1), Mean(0.5, 0, 1), Mean(0.5, 0, 1), Mean(1, 0, 1)
    )  # fmt: skip


def test_a_finding_about_a_kind_of_move_is_not_repeated_for_its_members() -> None:
    def look(subject: str, won: int, where: str = "3 seats") -> Look:
        return Look("worth", subject, where, Share(won, 100), 0.2, 0.4, f"{subject} brings")

    looks = [
        look("Declare", 90), look("Declare T3", 92), look("Declare T4", 2), look("Declared", 91), look("Ask", 30),
        look("Declare T3", 95, "4 seats"),
    ]  # fmt: skip
    found = {(one.subject, one.where) for one in findings_in_looks(looks)}
    assert found == {
        ("Declare", "3 seats"), ("Declare T4", "3 seats"), ("Declared", "3 seats"), ("Declare T3", "4 seats")
    }  # fmt: skip
