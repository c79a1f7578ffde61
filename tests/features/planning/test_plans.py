"""Planning boards: lines are thought out on the seat's own fold, kept from turn to turn, and become orders."""

from __future__ import annotations

import pytest

from pbem.errors import Gone, Illegal, Invalid, NotFound, Stale, Unauthorized
from pbem.features.planning import plans
from pbem.features.planning.tables import PlanRow
from pbem.kit.codec import plain
from pbem.kit.contract import Move
from pbem.kit.orders.shapes import Line
from pbem.kit.orders.typed import format_order
from pbem.kit.plans import MOST_PLIES, Walk
from pbem.services.log import store
from pbem.services.play import ordering, presence, takeback
from pbem.services.privacy import erasure, retention
from pbem.services.privacy.export import export_player
from tests.features.planning.thinking import begin_niigata, board_of_seat, think_line, think_until, version_of
from tests.services.letterbox import id_of
from tests.services.play.stage.substitutes import match_with_absent_bob, take_over
from tests.table import House, claim_of


def ways_of_answers(house: House, match_id: str, seat: int) -> list[str | None]:
    """The way by which each answer of the seat has come, oldest first."""
    return [*{one.key: one.by.via for one in house.view(match_id, seat).entries if one.by.seat == seat}.values()]


def keep_plan(house: House, match_id: str, seat: int, line: Walk, at: int | None = None) -> None:
    version = version_of(house, match_id) if at is None else at
    plans.keep_line(house.site, claim_of(house.site, match_id, seat), version, line.in_short)


def order_plan(house: House, match_id: str, seat: int, line: Walk, at: int | None = None) -> ordering.Ordered:
    version = version_of(house, match_id) if at is None else at
    return plans.save_line_as_orders(house.site, claim_of(house.site, match_id, seat), version, line.in_short, "web")


def lines_kept(house: House, match_id: str, seat: int) -> list[tuple[str, ...]]:
    return [line.in_short for line in board_of_seat(house, match_id, seat).lines]


def plan_row(house: House, match_id: str, seat: int) -> PlanRow | None:
    with house.site.reading() as session:
        return session.get(PlanRow, (match_id, seat))


def play_move(house: House, match_id: str, said: str) -> None:
    """The player who is asked plays this move."""
    ask = house.asks(match_id)[0]
    view = house.view(match_id, ask.seat)
    house.play(match_id, ask.seat, [view.game.format(move) for move in view.legal()].index(said))


# --- thinking ----------------------------------------------------------------------------------------------


def test_trying_moves_in_a_plan_changes_nothing_in_the_database(house: House) -> None:
    match_id, _, second = begin_niigata(house)
    before = version_of(house, match_id)
    think_line(house, match_id, second, 4)
    assert version_of(house, match_id) == before
    assert plan_row(house, match_id, second) is None


def test_a_plan_with_an_impossible_event_is_refused(house: House) -> None:
    match_id, _, second = begin_niigata(house)
    for said in (("lay N40",), ("~0",), ("pass",) * (MOST_PLIES + 1)):
        with pytest.raises(Invalid):
            board_of_seat(house, match_id, second, *said)
    for at in (0, -1, 10**9):
        with pytest.raises(Invalid):
            board_of_seat(house, match_id, second, at=at)


@pytest.mark.long
def test_only_a_seats_own_player_can_plan_for_it(house: House) -> None:
    match_id, _, second = begin_niigata(house)
    line = think_line(house, match_id, second, 2)
    stranger = house.claim("play", match_id, second, epoch=7)
    for use in (
        lambda: plans.read_board(house.site, stranger, None, ()),
        lambda: plans.keep_line(house.site, stranger, 2, line.in_short),
        lambda: plans.forget_line(house.site, stranger, 2, line.in_short),
        lambda: plans.save_line_as_orders(house.site, stranger, 2, line.in_short, "web"),
    ):
        with pytest.raises(Unauthorized):
            use()


def test_planning_before_or_after_a_match_is_refused(house: House) -> None:
    early = house.create(3)
    with pytest.raises(Gone):
        plans.read_board(house.site, house.claim("play", early, 0), None, ())
    over = house.begin(3)
    house.play_out(over)
    with pytest.raises(Gone):
        board_of_seat(house, over, 0)


# --- keeping -----------------------------------------------------------------------------------------------


@pytest.mark.long
def test_a_kept_plan_can_be_read_again_and_forgotten(house: House) -> None:
    match_id, _, second = begin_niigata(house)
    one, other = think_line(house, match_id, second, 3), think_line(house, match_id, second, 2, at=1)
    for line in (one, other, one):
        keep_plan(house, match_id, second, line)
    assert lines_kept(house, match_id, second) == [one.in_short, other.in_short]
    claim = claim_of(house.site, match_id, second)
    plans.forget_line(house.site, claim, version_of(house, match_id), one.in_short)
    plans.forget_line(house.site, claim, version_of(house, match_id), one.in_short)
    assert lines_kept(house, match_id, second) == [other.in_short]
    plans.forget_line(house.site, claim, version_of(house, match_id), other.in_short)
    assert plan_row(house, match_id, second) is None


@pytest.mark.long
def test_a_kept_plan_drops_moves_made_and_is_deleted_by_other_moves(house: House) -> None:
    match_id, _, second = begin_niigata(house)
    true, untrue = think_line(house, match_id, second, 4), think_line(house, match_id, second, 4, at=1)
    keep_plan(house, match_id, second, true)
    keep_plan(house, match_id, second, untrue)
    play_move(house, match_id, true.in_short[0])
    assert lines_kept(house, match_id, second) == [true.in_short[1:]]
    play_move(house, match_id, true.in_short[1])
    assert lines_kept(house, match_id, second) == [true.in_short[2:]]
    for said in true.in_short[2:]:
        play_move(house, match_id, said)
    assert lines_kept(house, match_id, second) == []
    assert plan_row(house, match_id, second) is not None, "reading writes nothing"


@pytest.mark.long
def test_a_plan_begun_before_new_moves_is_kept_as_far_as_it_fits(house: House) -> None:
    match_id, _, second = begin_niigata(house)
    true, untrue, at = (
        think_line(house, match_id, second, 4),
        think_line(house, match_id, second, 4, at=1),
        version_of(house, match_id),
    )
    play_move(house, match_id, true.in_short[0])
    seen = board_of_seat(house, match_id, second, *true.in_short, at=at)
    assert (seen.at, seen.version, seen.line.in_short) == (at, at + 1, true.in_short), "nothing moves under the finger"
    assert seen.left is not None
    assert seen.left.in_short == true.in_short[1:]
    assert board_of_seat(house, match_id, second, *untrue.in_short, at=at).left is None
    keep_plan(house, match_id, second, true, at=at)
    assert lines_kept(house, match_id, second) == [true.in_short[1:]]
    with pytest.raises(Invalid):
        keep_plan(house, match_id, second, untrue, at=at)


def test_a_resignation_leaves_kept_plans_as_they_are(house: House) -> None:
    match_id, first, second = begin_niigata(house)
    line = think_line(house, match_id, second, 3)
    keep_plan(house, match_id, second, line)
    before = version_of(house, match_id)
    presence.resign(house.site, claim_of(house.site, match_id, ({0, 1, 2} - {first, second}).pop()))
    assert version_of(house, match_id) > before
    assert lines_kept(house, match_id, second) == [line.in_short]


def test_a_plan_cannot_begin_at_an_entry_that_was_taken_back(house: House) -> None:
    match_id, first, second = begin_niigata(house)
    before = version_of(house, match_id)
    house.play(match_id, first)
    assert board_of_seat(house, match_id, second, at=before + 1).at == before + 1
    takeback.take_back(house.site, claim_of(house.site, match_id, first), before)
    assert board_of_seat(house, match_id, second, at=before).at == before
    with pytest.raises(Invalid):
        board_of_seat(house, match_id, second, at=before + 1)


def test_the_number_of_kept_plans_is_limited(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plans, "MOST_LINES", 4)
    match_id, first, _ = begin_niigata(house, 6)
    game = house.view(match_id, first).game
    short = [think_line(house, match_id, first, n) for n in range(2)]
    lines = [
        board_of_seat(house, match_id, first, *line.in_short, game.format(move)).line
        for line in short
        for move in line.coming.moves[:40]
    ]
    lines = list({line.in_short: line for line in lines}.values())
    assert len(lines) > plans.MOST_LINES
    for line in lines[: plans.MOST_LINES]:
        keep_plan(house, match_id, first, line)
    with pytest.raises(Invalid):
        keep_plan(house, match_id, first, lines[plans.MOST_LINES])
    keep_plan(house, match_id, first, lines[0])
    assert len(lines_kept(house, match_id, first)) == plans.MOST_LINES


# --- what becomes of them ----------------------------------------------------------------------------------


def store_plans(house: House, match_id: str) -> None:
    """Each of the three seats keeps something."""
    with house.site.writing() as work:
        for seat in range(3):
            work.add(PlanRow(match_id=match_id, seat=seat, body="[]"))


def seats_with_plans(house: House, match_id: str) -> list[int]:
    return [seat for seat in range(3) if plan_row(house, match_id, seat) is not None]


def test_a_substitute_cannot_read_the_former_players_plans(house: House) -> None:
    match_id = match_with_absent_bob(house)
    store_plans(house, match_id)
    take_over(house, match_id)
    assert seats_with_plans(house, match_id) == [0, 2]


def test_plans_are_in_a_players_data_export_and_erased_with_them(house: House) -> None:
    match_id, bob = house.begin(), id_of(house, "Bob")
    store_plans(house, match_id)
    assert export_player(house.site, bob)["plans"] == [{"match_id": match_id, "body": "[]"}]
    erasure.erase_player(house.site, bob)
    assert seats_with_plans(house, match_id) == [0, 2]


def test_plans_are_deleted_a_year_after_the_end_of_their_match(house: House) -> None:
    over, running = house.begin(), house.begin()
    for match_id in (over, running):
        store_plans(house, match_id)
    house.play_out(over)
    house.clock.forward(days=364)
    retention.delete_old_rows(house.site)
    assert (seats_with_plans(house, over), seats_with_plans(house, running)) == ([0, 1, 2], [0, 1, 2])
    house.clock.forward(days=1)
    retention.delete_old_rows(house.site)
    assert (seats_with_plans(house, over), seats_with_plans(house, running)) == ([], [0, 1, 2])


# --- lines as orders ---------------------------------------------------------------------------------------


@pytest.mark.long
def test_a_planned_answer_is_played_once_everything_before_it_happened(house: House) -> None:
    """Not only the first one."""
    match_id, _, second = begin_niigata(house)
    line = think_until(house, match_id, second, 2)
    assert len(order_plan(house, match_id, second, line).orders) == 2
    for ply in line.plies:
        assert ply.ask is not None
        if ply.ask.seat != second:
            play_move(house, match_id, ply.said)
    assert ways_of_answers(house, match_id, second) == ["web", "web"]
    assert ordering.read_orders(house.site, claim_of(house.site, match_id, second)).orders == ()


def test_an_ordered_plan_is_read_and_saved_without_the_moves_made(house: House) -> None:
    match_id, _, second = begin_niigata(house)
    line = think_until(house, match_id, second, 2)
    order_plan(house, match_id, second, line)
    play_move(house, match_id, line.in_short[0])
    claim = claim_of(house.site, match_id, second)
    (left,) = ordering.read_orders(house.site, claim).orders
    full = ordering.read_orders(house.site, claim)
    ordering.save_orders(house.site, claim, full.version, [plain(one) for one in full.orders], "api")
    assert ordering.read_orders(house.site, claim).orders == (left,)
    for ply in line.plies[2:]:
        if ply.ask is not None and ply.ask.seat != second:
            play_move(house, match_id, ply.said)
    assert ways_of_answers(house, match_id, second) == ["web", "api"]


@pytest.mark.long
def test_an_ordered_plan_that_turns_out_wrong_asks_its_owner_and_says_why(house: House) -> None:
    match_id, first, second = begin_niigata(house)
    line = think_line(house, match_id, second, 2)
    order_plan(house, match_id, second, line)
    play_move(house, match_id, think_line(house, match_id, first, 1, at=1).in_short[0])
    assert house.asks(match_id)[0].seat == second
    now = ordering.read_orders(house.site, claim_of(house.site, match_id, second))
    assert now.orders == ()
    (told,) = now.news
    assert told.why is not None
    assert "Something else" in told.why.en


@pytest.mark.long
def test_an_ordered_plan_reports_no_news_before_its_question_comes(house: House) -> None:
    """A line through one's own move by hand: asked for that, its owner is not told that something else has come."""
    match_id, first = two_tiles_to_lay(house)
    line = think_until(house, match_id, first, 2)
    assert line.plies[0].ask is not None
    saved = order_plan(house, match_id, first, line)
    assert [one.kind for one in saved.orders if isinstance(one, Line)] == ["place"] == [line.plies[0].ask.kind]
    assert (saved.answered, saved.news) == (0, ())
    for said in line.in_short[:-1]:
        play_move(house, match_id, said)
    assert ways_of_answers(house, match_id, first)[-2:] == ["api", "web"]


def two_tiles_to_lay(house: House) -> tuple[str, int]:
    """A match of Niigata in which somebody is asked to lay the first of two tiles, and no pond can be closed yet."""
    match_id = house.begin(3, "niigata")
    for _ in range(200):
        asked = house.asks(match_id)[0]
        if asked.kind == "place" and len(house.view(match_id, asked.seat).fold.hands[asked.seat]) == 2:
            line = think_until(house, match_id, asked.seat, 2)
            if line.plies[-1].ask is not None and line.plies[-1].ask.kind == "place":
                return match_id, asked.seat
        house.play(match_id, asked.seat)
    raise AssertionError("nobody takes two tiles")


@pytest.mark.long
def test_an_ordered_plan_comes_before_other_orders_which_stay(house: House) -> None:
    match_id, _, second = begin_niigata(house)
    claim = claim_of(house.site, match_id, second)
    ordering.save_orders(house.site, claim, version_of(house, match_id), ["always pick: pass"], "api")
    line, other = think_line(house, match_id, second, 2), think_line(house, match_id, second, 2, at=1)
    order_plan(house, match_id, second, line)
    order_plan(house, match_id, second, other)
    order_plan(house, match_id, second, line)
    said = [type(one).__name__ for one in ordering.read_orders(house.site, claim).orders]
    assert said == ["Line", "Line", "Always"]
    play_move(house, match_id, line.in_short[0])
    assert house.view(match_id, second).entries[-1].by.via == "web"
    assert [type(one).__name__ for one in ordering.read_orders(house.site, claim).orders] == ["Always"]


@pytest.mark.on_postgresql
def test_an_order_added_later_comes_after_a_running_plan(house: House) -> None:
    match_id, _, second = begin_niigata(house)
    claim = claim_of(house.site, match_id, second)
    line = think_line(house, match_id, second, 2)
    order_plan(house, match_id, second, line)
    for said in ("always pick: pass", "always pick: pass for match"):
        ordering.add_order(house.site, claim, version_of(house, match_id), said, "api")
    found = ordering.read_orders(house.site, claim).orders
    assert [(type(one).__name__, one.scope) for one in found] == [
        ("Line", "round"), ("Always", "match"), ("Always", "round"),
    ]  # fmt: skip
    play_move(house, match_id, line.in_short[0])
    ask = line.plies[-1]
    assert house.view(match_id, second).game.format(answer_of(house, match_id, second)) == ask.said


def answer_of(house: House, match_id: str, seat: int) -> Move:
    """The newest answer of the seat's orders."""
    told = ordering.read_orders(house.site, claim_of(house.site, match_id, seat)).news[-1]
    assert told.move is not None
    return told.move


@pytest.mark.long
def test_a_partly_played_plan_is_shown_and_stopped_as_its_remainder(house: House) -> None:
    match_id, _, second = begin_niigata(house)
    claim, line = claim_of(house.site, match_id, second), think_until(house, match_id, second, 2)
    order_plan(house, match_id, second, line)
    before = ordering.read_orders(house.site, claim)
    play_move(house, match_id, line.in_short[0])
    now = ordering.read_orders(house.site, claim)
    assert before.says("en")[-1].count("places") + before.says("en")[-1].count("takes") > 1, before.says("en")
    assert len(now.says("en")[-1]) < len(before.says("en")[-1])
    ordering.stop_order(house.site, claim, format_order(now.orders[-1], now.game))
    assert ordering.read_orders(house.site, claim).orders == now.orders[:-1]


@pytest.mark.long
def test_a_plan_without_an_own_answer_after_an_event_is_no_order(house: House) -> None:
    match_id, first, second = begin_niigata(house)
    for seat in (first, second):
        with pytest.raises(Invalid):
            order_plan(house, match_id, seat, think_line(house, match_id, seat, 1))
    assert ordering.read_orders(house.site, claim_of(house.site, match_id, first)).orders == ()


def test_a_plan_made_before_news_came_is_not_saved_as_an_order(house: House) -> None:
    match_id, _, second = begin_niigata(house)
    line, at = think_line(house, match_id, second, 2), version_of(house, match_id)
    play_move(house, match_id, line.in_short[0])
    with pytest.raises(Stale):
        order_plan(house, match_id, second, line, at=at)
    assert house.asks(match_id)[0].seat == second
    assert version_of(house, match_id) == at + 1


@pytest.mark.long
def test_a_plan_that_answers_in_a_window_cannot_become_an_order(house: House) -> None:
    """In a window an order answers every case, which a line does not."""
    match_id = house.begin(4, "hexen-rennen")
    for seat in range(4):
        house.play(match_id, seat)
    for _ in range(200):
        asked = house.asks(match_id)[0]
        if (line := line_into_a_window(house, match_id, asked.seat)) is not None:
            with pytest.raises(Illegal):
                order_plan(house, match_id, line.viewer, line)
            return
        house.bot_plays(match_id, asked.seat)
    raise AssertionError("no witch could reach another's symbol")


def line_into_a_window(house: House, match_id: str, mover: int) -> Walk | None:
    """A line in which another seat answers the mover's witch on its symbol; None if none can reach one now."""
    for seat in range(4):
        if seat == mover:
            continue
        line = board_of_seat(house, match_id, seat).line
        for move in line.coming.moves:
            after = board_of_seat(house, match_id, seat, house.view(match_id, seat).game.format(move)).line
            for number, fact in enumerate(after.coming.facts):
                if getattr(fact, "tile", "") == f"{'ABCD'[seat]}S":
                    then = board_of_seat(house, match_id, seat, *after.in_short, f"~{number}").line
                    if then.coming.kind == "own" and then.coming.ask is not None and then.coming.ask.kind == "foreign":
                        said = house.view(match_id, seat).game.format(then.coming.moves[0])
                        return board_of_seat(house, match_id, seat, *then.in_short, said).line
    return None


@pytest.mark.long
def test_saving_a_plan_as_an_order_ends_an_absence(house: House) -> None:
    match_id, _, second = begin_niigata(house)
    with house.site.writing() as work:
        seat = store.seats_of(work, match_id)[second]
        seat.absent = True
        work.add(seat)
    order_plan(house, match_id, second, think_line(house, match_id, second, 2))
    assert not house.view(match_id, second).sheet.seats[second].absent


@pytest.mark.long
def test_plans_of_an_unknown_seat_are_refused(house: House) -> None:
    match_id = house.begin(3, "niigata")
    presence.resign(house.site, claim_of(house.site, match_id, 0))
    with pytest.raises((Gone, NotFound, Unauthorized)):
        plans.keep_line(house.site, house.claim("play", match_id, 9), 1, ("pass",))
