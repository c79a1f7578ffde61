"""Silent windows: answers are sealed until all have answered and the floor is past; then they become entries."""

from __future__ import annotations

from datetime import date, timedelta
from functools import partial
from typing import Any

import pytest
from sqlmodel import select

from pbem.errors import Answered, Gone, Illegal, Stale
from pbem.games import find_game
from pbem.kit.chance import KeyLuck
from pbem.kit.logs import logfile
from pbem.kit.logs.verdict import verify
from pbem.kit.replay import Absent, By, Returned
from pbem.kit.windows import FLOOR_MAX_S, FLOOR_MIN_S, STEP_S, floor_s
from pbem.models.tables import OutboxRow, Player, SeatRow
from pbem.services.clock import holidays, outages
from pbem.services.lobby.match_request import SILENT
from pbem.services.log import rebuilding, windows
from pbem.services.log.table import lock_table
from pbem.services.mail import reminders
from pbem.services.play import bots, moves, ordering, presence, timeouts
from pbem.services.views import match_list, match_views
from tests.harness.cases import cases
from tests.table import CAST, START, House, address_of, claim_of, deadline_of, submit_answer
from tests.windows import answer_window, answers_told, begin_silent, floor_of, pass_floor, play_to_window, rows_of

DAY = 86_400


def seats_in_window(house: House, match_id: str) -> list[int]:
    """Returns who is asked in the open window, clockwise from the left of the announcer."""
    state = house.view(match_id, None).fold
    return [(state.active + step) % state.seats for step in range(1, state.seats)]


def version_of_match(house: House, match_id: str) -> int:
    return house.view(match_id, None).sheet.version


# --- the floor -----------------------------------------------------------------------------------------------


@cases("turn_s, most", [(DAY, FLOOR_MAX_S), (7 * DAY, FLOOR_MAX_S), (DAY // 2, FLOOR_MAX_S // 2)])
def test_a_windows_floor_lies_within_bounds_that_shrink_with_turn_time(turn_s: int, most: int) -> None:
    floors = [floor_s(KeyLuck(bytes([n]) * 32).window("t1.a", 1), turn_s, DAY) for n in range(200)]
    least = most * FLOOR_MIN_S // FLOOR_MAX_S
    assert least <= min(floors) < least + most // 10
    assert most * 0.9 < max(floors) <= most


def test_a_windows_floor_is_never_later_than_its_questions_have_time() -> None:
    assert floor_s(KeyLuck(bytes(32)).window("t1.a", 1), DAY, 60) == 60


@pytest.mark.long
def test_all_seats_asked_in_a_window_have_the_same_floor_and_deadline(house: House) -> None:
    match_id = begin_silent(house)
    assert START + timedelta(minutes=20) <= floor_of(house, match_id) <= START + timedelta(minutes=90)
    assert len({(ask.deadline, ask.acts_at) for ask in house.asks(match_id)}) == 1


@pytest.mark.long
def test_each_window_has_a_floor_of_its_own(house: House) -> None:
    match_id = begin_silent(house)
    floors = []
    for _ in range(4):
        opened = rows_of(house, match_id)[-1].opened_at
        floors.append(floor_of(house, match_id) - opened)
        for seat in seats_in_window(house, match_id):
            answer_window(house, match_id, seat)
        pass_floor(house, match_id)
        play_to_window(house, match_id)
    assert len(set(floors)) == 4


@pytest.mark.long
@cases(
    "wanted, why",
    [
        ({"options": {"memory": "open"}}, "nothing is hidden"),
        ({"windows": "at_once"}, "the table chose so"),
    ],
)
def test_a_window_with_nothing_to_hide_closes_with_its_last_answer(
    house: House, wanted: dict[str, Any], why: str
) -> None:
    match_id = house.begin(3, "allegeance", **({"windows": SILENT} | wanted))
    play_to_window(house, match_id)
    assert all(row.floor_at is None for row in rows_of(house, match_id)), why
    before, (nearest, *_) = version_of_match(house, match_id), seats_in_window(house, match_id)
    receipt = answer_window(house, match_id, nearest, challenge=True)
    assert not receipt.sealed
    assert receipt.version > before
    assert house.asks(match_id)[0].kind != "answer"


@pytest.mark.long
def test_the_window_of_a_person_who_plays_only_bots_has_no_floor(house: House) -> None:
    match_id = house.begin(3, "allegeance", windows=SILENT)
    for seat in (1, 2):
        with house.site.writing() as work:
            row = work.get_one(SeatRow, (match_id, seat))
            row.bot = "greedy"
            work.add(row)
    play_to_window(house, match_id)
    assert all(row.floor_at is None for row in rows_of(house, match_id))


# --- sealing -------------------------------------------------------------------------------------------------


@pytest.mark.long
def test_an_answer_is_sealed_and_changes_nothing_that_others_see(house: House) -> None:
    match_id = begin_silent(house)
    first, *rest = seats_in_window(house, match_id)
    before = [house.view(match_id, viewer) for viewer in (None, *rest)]
    receipt = answer_window(house, match_id, first, challenge=True)
    assert (receipt.sealed, receipt.told.entries, receipt.version) == (True, [], before[0].sheet.version)
    assert [house.view(match_id, viewer) for viewer in (None, *rest)] == before
    assert {ask.seat for ask in house.asks(match_id)} == {first, *rest}


@pytest.mark.long
def test_only_the_owner_reads_their_sealed_answer(house: House) -> None:
    match_id = begin_silent(house)
    first, *rest = seats_in_window(house, match_id)
    answer_window(house, match_id, first, challenge=True)
    own = house.view(match_id, first).ask
    assert own is not None
    assert type(own.sealed).__name__ == "Challenge"
    for viewer in (None, *rest):
        assert all(ask.sealed is None for ask in house.view(match_id, viewer).sheet.asks)


@pytest.mark.long
def test_until_the_close_a_new_move_with_the_same_key_replaces_the_first(house: House) -> None:
    match_id = begin_silent(house)
    first, *rest = seats_in_window(house, match_id)
    answer_window(house, match_id, first, challenge=True)
    changed = answer_window(house, match_id, first)
    again = answer_window(house, match_id, first)
    assert (changed.repeated, again.repeated) == (False, True)
    for seat in rest:
        answer_window(house, match_id, seat)
    pass_floor(house, match_id)
    assert ("Unchallenged", None) in answers_told(house, match_id)


def test_a_delayed_request_does_not_replace_a_later_sealed_answer(house: House) -> None:
    match_id = begin_silent(house)
    seat = seats_in_window(house, match_id)[0]
    asked = house.view(match_id, seat).ask
    assert asked is not None
    say = partial(moves.play_answer, house.site, claim_of(house.site, match_id, seat), asked.key, via="api")

    def is_sealed() -> str | None:
        return next(row.sealed for row in rows_of(house, match_id) if row.seat == seat)

    assert say("pass", instead="").sealed
    kept = is_sealed()
    with pytest.raises(Answered, match="meanwhile") as late:
        say("challenge", instead="")
    assert (is_sealed(), late.value.extra["ask"]["key"]) == (kept, asked.key)
    assert say("pass", instead="").repeated, "the same answer sent again"
    with pytest.raises(Answered):
        say("challenge", instead="challenge")
    assert not say("challenge", instead="pass").repeated
    assert say("challenge", instead="pass").repeated
    with pytest.raises(Answered):
        say("pass", instead="")
    assert is_sealed() != kept
    assert say("pass").sealed, "without it whatever is sealed is replaced"
    assert is_sealed() == kept


@cases("instead, why", [(None, "any answer"), ("", "the page shows none"), ("pass", "the page showed it before")])
def test_a_sealed_answer_that_the_game_cannot_read_is_replaced(house: House, instead: str | None, why: str) -> None:
    match_id = begin_silent(house)
    seat = seats_in_window(house, match_id)[0]
    answer_window(house, match_id, seat)
    with house.site.writing() as work:
        row = next(one for one in windows.asks_of_window(lock_table(work, match_id)) if one.seat == seat)
        row.sealed = '{"type":"Shrug"}'
    asked = house.view(match_id, seat).ask
    assert asked is not None
    assert asked.sealed is None
    claim = claim_of(house.site, match_id, seat)
    assert moves.play_answer(house.site, claim, asked.key, "challenge", "web", instead=instead).sealed, why
    again = house.view(match_id, seat).ask
    assert again is not None
    assert type(again.sealed).__name__ == "Challenge"


def test_an_illegal_answer_in_a_window_is_refused_and_not_sealed(house: House) -> None:
    match_id = begin_silent(house)
    first = seats_in_window(house, match_id)[0]
    view = house.view(match_id, first)
    assert view.ask is not None
    announce = view.game.parse("F1")
    with pytest.raises(Illegal):
        submit_answer(house.site, match_id, first, view.ask.key, announce, "api")
    assert all(row.sealed is None for row in rows_of(house, match_id))


@pytest.mark.long
def test_a_sealed_answer_ends_mails_reminders_and_the_listing_as_asked(house: House) -> None:
    match_id = begin_silent(house, turn_s=7 * DAY, window_s=4 * DAY)
    first, *rest = seats_in_window(house, match_id)
    answer_window(house, match_id, first)
    house.drain()
    house.mail.clear()
    house.clock.forward(days=2)
    assert reminders.sweep_reminders(house.site) == len(rest)
    house.drain()
    assert sorted(to for to, _ in house.mail.all_sent) == sorted(address_of(CAST[seat]) for seat in rest)
    with house.site.reading() as session:
        player = session.get_one(Player, player_at(house, match_id, first))
        assert [mine.is_asked for mine in match_list.my_matches(house.site, session, player)] == [False]


# --- closing -------------------------------------------------------------------------------------------------


@pytest.mark.long
def test_a_window_closes_when_all_have_answered_and_its_floor_is_past(house: House) -> None:
    match_id = begin_silent(house)
    before, seats = version_of_match(house, match_id), seats_in_window(house, match_id)
    for seat in reversed(seats):
        answer_window(house, match_id, seat)
    assert version_of_match(house, match_id) == before
    house.clock.at = floor_of(house, match_id) - timedelta(seconds=1)
    assert timeouts.sweep_deadlines(house.site) == 0
    house.clock.forward(seconds=1)
    assert timeouts.sweep_deadlines(house.site) == 1
    told = answers_told(house, match_id, before)
    assert told[:4] == [("Answered", seat) for seat in seats] + [("Unchallenged", None)]
    assert {entry.at for entry in house.view(match_id, None).entries if entry.n > before} == {
        house.clock.at.isoformat().replace("+00:00", "Z")
    }
    assert timeouts.sweep_deadlines(house.site) == 0


def test_a_window_with_a_certain_result_waits_for_all_answers(house: House) -> None:
    match_id = begin_silent(house)
    before, (nearest, *rest) = version_of_match(house, match_id), seats_in_window(house, match_id)
    answer_window(house, match_id, nearest, challenge=True)
    house.clock.at = floor_of(house, match_id) + timedelta(hours=3)
    assert timeouts.sweep_deadlines(house.site) == 0
    assert version_of_match(house, match_id) == before
    answer_window(house, match_id, rest[0])
    assert version_of_match(house, match_id) == before


@pytest.mark.long
def test_an_answer_after_the_floor_is_sealed_until_the_next_time_step(house: House) -> None:
    match_id = begin_silent(house)
    before, (*first, last), floor = (
        version_of_match(house, match_id),
        seats_in_window(house, match_id),
        floor_of(house, match_id),
    )
    for seat in first:
        answer_window(house, match_id, seat)
    pass_floor(house, match_id)
    _make_absent(house, match_id, last)  # so that their return stands before the answers
    before = version_of_match(house, match_id)
    ask, move = house.view(match_id, last).ask, house.view(match_id, last).legal()[1]
    assert ask is not None
    house.clock.at = floor + timedelta(seconds=STEP_S + 1)
    receipt = answer_window(house, match_id, last)
    assert (receipt.sealed, receipt.told.entries, receipt.version) == (True, [], before)
    house.clock.at = floor + timedelta(seconds=2 * STEP_S - 1)
    assert timeouts.sweep_deadlines(house.site) == 0
    house.clock.forward(seconds=1)
    assert timeouts.sweep_deadlines(house.site) == 1
    again = submit_answer(house.site, match_id, last, ask.key, move, "api")
    assert again.repeated
    assert {entry.key for entry in again.told.entries} == {ask.key}
    assert house.asks(match_id)[0].kind == "announce"


@pytest.mark.long
def test_a_window_is_due_for_closing_only_after_its_last_answer(house: House) -> None:
    match_id = begin_silent(house)
    *first, last = seats_in_window(house, match_id)
    for seat in first:
        answer_window(house, match_id, seat)
    pass_floor(house, match_id)
    assert not any(row.closes_at for row in rows_of(house, match_id)), "it waits for somebody"
    answer_window(house, match_id, last)
    assert any(row.closes_at for row in rows_of(house, match_id))


def test_answers_behind_the_nearest_challenger_get_receipts_but_no_entries(house: House) -> None:
    match_id = begin_silent(house)
    before, (nearest, behind, last) = version_of_match(house, match_id), seats_in_window(house, match_id)
    keys = {seat: house.view(match_id, seat).ask for seat in (behind, last)}
    answer_window(house, match_id, nearest, challenge=True)
    answer_window(house, match_id, behind, challenge=True)
    answer_window(house, match_id, last)
    pass_floor(house, match_id)
    told = answers_told(house, match_id, before)
    assert told[0] == ("Answered", nearest)
    assert not {("Answered", behind), ("Answered", last)} & set(told)
    ask = keys[behind]
    assert ask is not None
    legal = house.view(match_id, behind).game.legal
    challenge, let_pass = (type(move)() for move in legal(_window_fold(house, match_id, before, behind), behind))
    again = submit_answer(house.site, match_id, behind, ask.key, challenge, "api")
    assert (again.repeated, again.sealed, again.told.entries) == (True, True, [])
    with pytest.raises(Answered):
        submit_answer(house.site, match_id, behind, ask.key, let_pass, "api")


def _window_fold(house: House, match_id: str, upto: int, seat: int) -> Any:
    view = house.view(match_id, seat)
    state = None
    for entry in view.entries[:upto]:
        if type(entry.event) in view.game.meta.events:
            state = view.game.evolve(state, entry.event)
    return state


@pytest.mark.long
def test_an_answer_that_entered_the_log_is_repeated_with_its_entries(house: House) -> None:
    match_id = begin_silent(house)
    seats = seats_in_window(house, match_id)
    ask = house.view(match_id, seats[0]).ask
    assert ask is not None
    move = house.view(match_id, seats[0]).legal()[1]
    for seat in seats:
        answer_window(house, match_id, seat)
    pass_floor(house, match_id)
    again = submit_answer(house.site, match_id, seats[0], ask.key, move, "api")
    assert again.repeated
    assert [type(one.event).__name__ for one in again.told.entries] == ["Answered"]


def test_a_window_of_one_seat_in_the_middle_of_a_turn_is_silent_too(house: House) -> None:
    """In Hexen Rennen the player whose symbol another's witch has reached."""
    match_id = house.begin(4, "hexen-rennen", windows=SILENT)
    for _ in range(200):
        asks = house.asks(match_id)
        if asks[0].kind == "foreign":
            break
        house.play(match_id, asks[0].seat)
    (ask,) = house.asks(match_id)
    assert ask.silent
    before = version_of_match(house, match_id)
    assert house.play(match_id, ask.seat).sealed
    assert (version_of_match(house, match_id), house.asks(match_id)) == (before, [ask])
    pass_floor(house, match_id)
    assert version_of_match(house, match_id) > before
    assert house.asks(match_id)[0].key != ask.key


@pytest.mark.long
def test_the_log_of_a_match_with_silent_windows_verifies_to_its_end(house: House) -> None:
    match_id = begin_silent(house, 2, options={"target": 1})
    while house.view(match_id, None).sheet.status == "running":
        for ask in house.asks(match_id):
            house.play(match_id, ask.seat, at=-1 if ask.kind == "answer" else 0)
        if any(ask.silent for ask in house.asks(match_id)):
            pass_floor(house, match_id)
    log = logfile.read(logfile.log_to_bytes(match_views.read_log(house.site, match_id, None)), find_game)
    assert verify(log).problems == ()
    hidden = [entry for entry in log.entries if entry.by == By()]
    assert hidden == [], "at the end it is told who has answered"


@pytest.mark.long
def test_while_a_match_runs_its_log_can_be_read_and_hides_who_answered(house: House) -> None:
    match_id = begin_silent(house)
    seats = seats_in_window(house, match_id)
    for seat in seats:
        answer_window(house, match_id, seat)
    pass_floor(house, match_id)
    for viewer in (None, *range(4)):
        log = logfile.read(logfile.log_to_bytes(match_views.read_log(house.site, match_id, viewer)), find_game)
        told = [entry.by.seat for entry in log.entries if type(entry.event).__name__ == "Answered"]
        assert told == [seat if seat == viewer else None for seat in seats]


# --- the clock and those who are away ------------------------------------------------------------------------


@pytest.mark.long
def test_at_the_deadline_the_clock_answers_for_the_rest_without_a_vote(house: House) -> None:
    match_id = begin_silent(house, late="vote")
    before, (nearest, *rest) = version_of_match(house, match_id), seats_in_window(house, match_id)
    answer_window(house, match_id, nearest)
    house.time_is_up(match_id)
    house.clock.forward(seconds=-1)
    assert timeouts.sweep_deadlines(house.site) == 0
    house.clock.forward(seconds=1)
    timeouts.sweep_deadlines(house.site)
    pass_floor(house, match_id)
    told = answers_told(house, match_id, before)
    assert told[:4] == [("Answered", seat) for seat in (nearest, *rest)] + [("Unchallenged", None)]
    assert [row.closed_by for row in rows_of(house, match_id)].count("clock") == 2


@pytest.mark.long
def test_the_clock_does_not_replace_a_sealed_answer(house: House) -> None:
    match_id = begin_silent(house)
    first = seats_in_window(house, match_id)[0]
    ask = house.view(match_id, first).ask
    assert ask is not None
    answer_window(house, match_id, first, challenge=True)
    house.time_is_up(match_id)
    assert not timeouts.answer_expired_ask(house.site, match_id, ask.key, first)
    assert ["Challenge" in (row.sealed or "") for row in rows_of(house, match_id) if row.seat == first] == [True]


@pytest.mark.long
def test_misses_count_at_the_close_and_absences_follow_in_seat_order(house: House) -> None:
    match_id = begin_silent(house)
    late = seats_in_window(house, match_id)[1:]
    answer_window(house, match_id, seats_in_window(house, match_id)[0])
    with house.site.writing() as work:
        for seat in late:
            row = work.get_one(SeatRow, (match_id, seat))
            row.misses = presence.MISSES - 1
            work.add(row)
    before = version_of_match(house, match_id)
    house.time_is_up(match_id)
    timeouts.sweep_deadlines(house.site)
    pass_floor(house, match_id)
    absent = [one.event.seat for one in house.view(match_id, None).entries if isinstance(one.event, Absent)]
    assert absent == sorted(late)
    assert answers_told(house, match_id, before)[0][0] == "Answered"


def test_a_player_who_is_absent_and_answers_is_back_when_the_window_closes(house: House) -> None:
    match_id = house.begin(4, "allegeance", windows=SILENT)
    announcer = house.asks(match_id)[0].seat
    away = (announcer + 1) % 4
    _make_absent(house, match_id, away)
    play_to_window(house, match_id)
    timeouts.sweep_deadlines(house.site)
    before = version_of_match(house, match_id)
    assert {ask.seat for ask in house.asks(match_id)} == {*range(4)} - {announcer}, "the clock has sealed its answer"
    assert answer_window(house, match_id, away, challenge=True).sealed
    assert version_of_match(house, match_id) == before
    for seat in seats_in_window(house, match_id)[1:]:
        answer_window(house, match_id, seat)
    pass_floor(house, match_id)
    told = answers_told(house, match_id, before)
    assert told[:2] == [("Returned", away), ("Answered", away)]


def test_an_answer_sealed_by_the_clock_is_replaced_by_the_players_own(house: House) -> None:
    match_id = house.begin(4, "allegeance", windows=SILENT)
    away = (house.asks(match_id)[0].seat + 1) % 4
    _make_absent(house, match_id, away)
    play_to_window(house, match_id)
    asked = house.view(match_id, away).ask
    assert asked is not None
    timeouts.sweep_deadlines(house.site)
    for seen in ("", "pass"):  # as the page was before the clock, and after
        say = partial(moves.play_answer, house.site, claim_of(house.site, match_id, away), asked.key, via="web")
        assert say("challenge", instead=seen).sealed
        with house.site.writing() as work:
            row = next(one for one in windows.asks_of_window(lock_table(work, match_id)) if one.seat == away)
            assert windows.giver_of_sealed_answer(row).seat == away
            windows.withdraw_sealed_answer(row)
        timeouts.sweep_deadlines(house.site)


def _make_absent(house: House, match_id: str, seat: int) -> None:
    with house.site.writing() as work:
        row = work.get_one(SeatRow, (match_id, seat))
        row.absent, row.away_n = True, 1
        work.add(row)


@pytest.mark.long
def test_returning_in_a_window_voids_the_clocks_answer_and_gives_new_time(house: House) -> None:
    match_id = house.begin(4, "allegeance", windows=SILENT)
    away = (house.asks(match_id)[0].seat + 1) % 4
    _make_absent(house, match_id, away)
    play_to_window(house, match_id)
    timeouts.sweep_deadlines(house.site)
    house.clock.forward(minutes=5)
    presence.end_own_absence(house.site, claim_of(house.site, match_id, away))
    assert any(isinstance(one.event, Returned) for one in house.view(match_id, None).entries)
    assert [row.seat for row in rows_of(house, match_id) if row.sealed is not None] == []
    assert len({(ask.deadline, ask.acts_at) for ask in house.asks(match_id)}) == 1
    assert house.asks(match_id)[0].deadline == house.clock.at + timedelta(days=1)


@pytest.mark.parametrize("played", [False, True], ids=["before the clock", "after the clock"])
def test_saving_orders_in_a_window_does_not_reveal_that_a_player_is_back(house: House, played: bool) -> None:
    match_id = house.begin(4, "allegeance", windows=SILENT)
    away = (house.asks(match_id)[0].seat + 1) % 4
    _make_absent(house, match_id, away)
    play_to_window(house, match_id)
    if played:
        timeouts.sweep_deadlines(house.site)
    before, asked = house.view(match_id, None), house.asks(match_id)
    told = ordering.save_orders(
        house.site,
        claim_of(house.site, match_id, away),
        version_of_match(house, match_id),
        ["always answer: pass for match"],
        "api",
    )
    assert len(told.orders) == 1
    assert house.view(match_id, None) == before
    assert house.asks(match_id) == asked
    for seat in seats_in_window(house, match_id)[1:]:
        answer_window(house, match_id, seat)
    pass_floor(house, match_id)
    returned = ("Returned", away) in answers_told(house, match_id, before.sheet.version)
    assert returned is not played, "their order has answered, unless the clock had"
    assert house.view(match_id, None).sheet.seats[away].absent is played


def test_saving_orders_in_a_window_of_a_paused_match_resumes_it(house: House) -> None:
    match_id = begin_silent(house)
    away, resigning, last = seats_in_window(house, match_id)
    for seat in (away, last, house.view(match_id, None).fold.active):
        _make_absent(house, match_id, seat)
    presence.resign(house.site, claim_of(house.site, match_id, resigning))
    assert house.view(match_id, None).sheet.status == "paused"
    claim = claim_of(house.site, match_id, away)
    ordering.save_orders(house.site, claim, version_of_match(house, match_id), ["always answer: pass for match"], "api")
    assert house.view(match_id, None).sheet.status == "running"


def test_saving_orders_in_a_window_resets_the_misses_of_a_player_in_play(house: House) -> None:
    match_id = begin_silent(house)
    present, resigned, _ = seats_in_window(house, match_id)
    with house.site.writing() as work:
        work.get_one(SeatRow, (match_id, present)).misses = 1
    save = partial(ordering.save_orders, house.site)
    save(claim_of(house.site, match_id, present), version_of_match(house, match_id), [], "api")
    with house.site.reading() as session:
        assert session.get_one(SeatRow, (match_id, present)).misses == 0
    presence.resign(house.site, claim_of(house.site, match_id, resigned))
    with pytest.raises(Gone, match="resigned"):
        save(claim_of(house.site, match_id, resigned), version_of_match(house, match_id), [], "api")


def test_a_takeover_discards_the_sealed_answer_and_asks_the_seat_again(house: House) -> None:
    match_id = house.begin(4, "allegeance", windows=SILENT)
    away = (house.asks(match_id)[0].seat + 1) % 4
    _make_absent(house, match_id, away)
    play_to_window(house, match_id)
    timeouts.sweep_deadlines(house.site)
    with house.site.writing() as work:
        locked = lock_table(work, match_id)
        seat = locked.seats[away]
        seat.absent, seat.epoch = False, seat.epoch + 1
        presence.record_takeover(locked, seat)
    assert not any(row.sealed for row in rows_of(house, match_id))
    assert len({(ask.deadline, ask.acts_at) for ask in house.asks(match_id)}) == 1


@pytest.mark.long
def test_a_sealed_answer_stands_when_its_owner_resigns(house: House) -> None:
    match_id = begin_silent(house)
    before, (nearest, *rest) = version_of_match(house, match_id), seats_in_window(house, match_id)
    answer_window(house, match_id, nearest, challenge=True)
    presence.resign(house.site, claim_of(house.site, match_id, nearest))
    with pytest.raises(Gone):
        answer_window(house, match_id, nearest)
    for seat in rest:
        answer_window(house, match_id, seat)
    pass_floor(house, match_id)
    assert ("Answered", nearest) in answers_told(house, match_id, before)
    assert ("Unchallenged", None) not in answers_told(house, match_id, before)


def player_at(house: House, match_id: str, seat: int) -> int:
    with house.site.reading() as session:
        player_id = session.get_one(SeatRow, (match_id, seat)).player_id
    assert player_id is not None
    return player_id


def test_after_an_outage_all_seats_in_a_window_still_have_one_deadline(house: House) -> None:
    """Also where it was a day off for one of them."""
    house.clock.forward(days=1, hours=20)
    match_id = begin_silent(house)
    answer_window(house, match_id, seats_in_window(house, match_id)[1])
    with house.site.writing() as work:
        player = work.get_one(Player, player_at(house, match_id, seats_in_window(house, match_id)[2]))
        player.weekends_off = True
        work.add(player)
    (before,) = {ask.deadline for ask in house.asks(match_id)}
    outages.beat_and_apply_outages(house.site)
    house.clock.forward(hours=5)
    outages.beat_and_apply_outages(house.site)
    (after,) = {ask.deadline for ask in house.asks(match_id)}
    assert before is not None
    assert after == before + timedelta(hours=5)


@pytest.mark.long
def test_a_holiday_announced_during_a_window_moves_only_later_deadlines(house: House) -> None:
    match_id = begin_silent(house)
    before = house.asks(match_id)
    first, last = date(2026, 3, 13), date(2026, 3, 20)
    holidays.add_holiday(house.site, player_at(house, match_id, seats_in_window(house, match_id)[1]), first, last)
    assert house.asks(match_id) == before
    for seat in seats_in_window(house, match_id):
        answer_window(house, match_id, seat)
    pass_floor(house, match_id)
    play_to_window(house, match_id)
    later = {ask.deadline for ask in house.asks(match_id)}
    assert len(later) == 1
    assert max(deadline_of(ask) for ask in house.asks(match_id)).date() > last


def test_a_window_stays_open_during_a_pause_and_closes_after_a_return(house: House) -> None:
    match_id = begin_silent(house, 3)
    announcer = house.view(match_id, None).fold.active
    hand, away = seats_in_window(house, match_id)
    answer_window(house, match_id, hand)
    answer_window(house, match_id, away)
    for seat in (announcer, away):
        _make_absent(house, match_id, seat)
    presence.resign(house.site, claim_of(house.site, match_id, hand))
    assert house.view(match_id, None).sheet.status == "paused"
    assert not any(row.closes_at for row in rows_of(house, match_id)), "no sweep looks at it"
    before = version_of_match(house, match_id)
    pass_floor(house, match_id)
    assert version_of_match(house, match_id) == before
    presence.end_own_absence(house.site, claim_of(house.site, match_id, announcer))
    timeouts.sweep_deadlines(house.site)
    assert ("Unchallenged", None) in answers_told(house, match_id, before)


@pytest.mark.long
def test_rebuilding_asks_finds_no_difference_in_an_open_window(house: House) -> None:
    match_id = begin_silent(house)
    answer_window(house, match_id, seats_in_window(house, match_id)[0])
    with house.site.reading() as session:
        assert [*rebuilding.differences_of_open_asks(session)] == []


# --- bots and orders -----------------------------------------------------------------------------------------


def test_bots_seal_their_answers_once_and_wait_like_everybody(house: House) -> None:
    match_id = house.begin(4, "allegeance", windows=SILENT)
    announcer = house.asks(match_id)[0].seat
    bot, *people = [(announcer + step) % 4 for step in (1, 2, 3)]
    with house.site.writing() as work:
        row = work.get_one(SeatRow, (match_id, bot))
        row.bot = "greedy"
        work.add(row)
    play_to_window(house, match_id)
    before = version_of_match(house, match_id)
    assert bots.play_quick_bots(house.site) == 1
    assert bots.play_quick_bots(house.site) == 0
    for seat in people:
        answer_window(house, match_id, seat)
    assert version_of_match(house, match_id) == before
    pass_floor(house, match_id)
    assert answers_told(house, match_id, before)[0] == ("Answered", bot)


@pytest.mark.long
def test_a_bot_that_answers_last_does_not_hold_the_window_open(house: House) -> None:
    """The claim under which it answered would otherwise last for a minute."""
    match_id = house.begin(4, "allegeance", windows=SILENT)
    bot, *people = sorted({*range(4)} - {house.asks(match_id)[0].seat})
    with house.site.writing() as work:
        row = work.get_one(SeatRow, (match_id, bot))
        row.bot = "greedy"
        work.add(row)
    play_to_window(house, match_id)
    for seat in people:
        answer_window(house, match_id, seat)
    before = version_of_match(house, match_id)
    house.clock.at = floor_of(house, match_id) - timedelta(seconds=5)
    assert bots.play_quick_bots(house.site) == 1
    pass_floor(house, match_id)
    assert version_of_match(house, match_id) > before


def let_all_pass(house: House, match_id: str, seat: int, **more: Any) -> ordering.Ordered:
    order = {"type": "Always", "kind": "answer", "move": {"type": "LetPass"}, "scope": "match"} | more
    here = house.view(match_id, seat).sheet.version
    return ordering.save_orders(house.site, claim_of(house.site, match_id, seat), here, [order], "api")


@pytest.mark.long
def test_an_order_seals_its_owners_answer_in_a_window_and_mails_nothing(house: House) -> None:
    match_id = house.begin(4, "allegeance", windows=SILENT)
    announcer = house.asks(match_id)[0].seat
    ordering_seat, *rest = [(announcer + step) % 4 for step in (1, 2, 3)]
    let_all_pass(house, match_id, ordering_seat)
    house.drain()
    house.mail.clear()
    play_to_window(house, match_id)
    assert [row.seat for row in rows_of(house, match_id) if row.sealed] == [ordering_seat]
    assert {ask.seat for ask in house.asks(match_id)} == {ordering_seat, *rest}
    house.drain()
    with house.site.reading() as session:
        turn = session.exec(select(OutboxRow).where(OutboxRow.kind == "turn", OutboxRow.match_id == match_id))
        results = {row.seat: row.result for row in turn if row.key in {ask.key for ask in house.asks(match_id)}}
    assert results == {ordering_seat: "stale"} | dict.fromkeys(rest, "sent")
    for seat in rest:
        answer_window(house, match_id, seat)
    pass_floor(house, match_id)
    assert house.asks(match_id)[0].kind == "announce"


@pytest.mark.long
def test_an_order_for_an_open_window_seals_at_once_and_may_be_changed(house: House) -> None:
    match_id = begin_silent(house)
    first, *rest = seats_in_window(house, match_id)
    before = version_of_match(house, match_id)
    assert let_all_pass(house, match_id, first).answered == 1
    assert version_of_match(house, match_id) == before
    answer_window(house, match_id, first, challenge=True)
    for seat in rest:
        answer_window(house, match_id, seat)
    pass_floor(house, match_id)
    assert ("Unchallenged", None) not in answers_told(house, match_id, before)


@pytest.mark.long
def test_a_window_of_orders_alone_stays_open_until_its_floor(house: House) -> None:
    match_id = house.begin(4, "allegeance", windows=SILENT)
    for seat in range(4):
        let_all_pass(house, match_id, seat)
    play_to_window(house, match_id)
    before = version_of_match(house, match_id)
    assert len(house.asks(match_id)) == 3
    pass_floor(house, match_id)
    assert version_of_match(house, match_id) > before


def test_where_windows_close_at_once_orders_answer_at_once(house: House) -> None:
    match_id = house.begin(4, "allegeance")
    for seat in range(4):
        let_all_pass(house, match_id, seat)
    while house.view(match_id, None).fold.turn < 2:
        house.play(match_id, house.asks(match_id)[0].seat)
    assert house.asks(match_id)[0].kind == "announce"


@pytest.mark.long
def test_an_answer_to_a_closed_window_is_stale(house: House) -> None:
    match_id = begin_silent(house)
    seats = seats_in_window(house, match_id)
    view = house.view(match_id, seats[2])
    assert view.ask is not None
    house.time_is_up(match_id)
    timeouts.sweep_deadlines(house.site)
    pass_floor(house, match_id)
    with pytest.raises(Stale):
        submit_answer(house.site, match_id, seats[2], view.ask.key, view.legal()[0], "api")
