"""Standing tables: asking, saying yes, being seated, falling silent, and clocks that change."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import update
from sqlmodel import col, select
from structlog.testing import capture_logs

from pbem.errors import Forbidden, Gone, Invalid, NotFound
from pbem.features.circles import joining, sheets, standing
from pbem.features.circles.occasions import BACK_OFF, run_standing_tables, sizes_of_tables
from pbem.features.circles.standing import ASK_BEFORE, Weekly
from pbem.features.circles.tables import CircleMatch, StandingTable
from pbem.models.tables import Match, SeatRow, table
from pbem.services.lobby.match_request import NewMatch
from pbem.services.privacy.export import export_player
from tests.features.circles.people import circle_of, member_claim, rows_queued, weeks_of_tables
from tests.features.circles.tables import FIRST, SUNDAY, answer_occasion
from tests.harness.cases import cases
from tests.services.letterbox import id_of, kinds_of_mails, newest_mail, text_of
from tests.table import CAST, House


def table_of(house: House, *names: str, game: str = "hogen", weekly: Weekly = SUNDAY) -> tuple[str, int]:
    """Returns a circle of these people, and its standing table, which the first has set up."""
    circle_id = circle_of(house, *names)
    return circle_id, standing.set_up_table(
        house.site, member_claim(house, circle_id, names[0]), NewMatch(game, ()), weekly
    )


def names_at_matches(house: House) -> list[list[str]]:
    """Returns the names at the matches of circles, in seat order."""
    with house.site.reading() as session:
        ids = session.exec(select(CircleMatch.match_id).order_by(col(CircleMatch.match_id))).all()
        seats = select(SeatRow.name).order_by(col(SeatRow.seat))
        return [list(session.exec(seats.where(col(SeatRow.match_id) == one))) for one in ids]


def move_clock_to(house: House, at: datetime) -> None:
    house.clock.at = at


@cases(
    "people, sizes, tables",
    [
        (7, (2, 3, 4), [4, 3]), (9, (2, 3, 4), [3, 3, 3]), (5, (2,), [2, 2]), (1, (2, 3), []), (0, (2,), []),
        (8, (3, 5), [5, 3]), (6, (2, 4), [4, 2]), (10, (3, 4), [4, 3, 3]), (11, (4, 6), [6, 4]), (5, (3, 4), [4]),
    ],
)  # fmt: skip
def test_players_are_split_into_the_fewest_and_most_even_tables(
    people: int, sizes: tuple[int, ...], tables: list[int]
) -> None:
    assert sizes_of_tables(people, sizes) == tables


@pytest.mark.long
def test_members_are_asked_once_and_those_who_said_yes_get_a_match(house: House) -> None:
    circle_id, _ = table_of(house, "Alice", "Bob", "Carol", "Dave")
    assert [run_standing_tables(house.site) for _ in range(3)] == [1, 0, 0]
    assert weeks_of_tables(house) == [(FIRST, False)]
    assert len(rows_queued(house, "occasion")) == 4
    house.drain()
    assert "Yes, I play" in text_of(newest_mail(house, "Bob"))
    for name in ("Alice", "Bob", "Carol"):
        answer_occasion(house, circle_id, name)
    answer_occasion(house, circle_id, "Dave")
    answer_occasion(house, circle_id, "Dave", yes=False)
    move_clock_to(house, FIRST - timedelta(seconds=1))
    assert (run_standing_tables(house.site), names_at_matches(house)) == (0, [])
    move_clock_to(house, FIRST)
    assert [run_standing_tables(house.site) for _ in range(3)] == [1, 0, 0]
    (seated,) = names_at_matches(house)
    assert sorted(seated) == ["Alice", "Bob", "Carol"]
    with house.site.reading() as session:
        match = session.exec(select(Match)).one()
        assert (match.status, match.started_at) == ("running", FIRST)
    house.drain()
    assert {kinds_of_mails(house, name)[-1] for name in ("Alice", "Bob", "Carol")} <= {"turn", "started"}
    assert kinds_of_mails(house, "Dave") == ["occasion"]


@pytest.mark.long
def test_members_are_asked_four_days_ahead_at_the_same_local_hour(house: House) -> None:
    table_of(house, "Alice", "Bob")
    move_clock_to(house, datetime(2026, 3, 12, 13, tzinfo=UTC))
    run_standing_tables(house.site)
    move_clock_to(house, FIRST)
    run_standing_tables(house.site)
    second = FIRST + timedelta(days=7)
    move_clock_to(house, second - timedelta(days=4, seconds=1))
    assert run_standing_tables(house.site) == 0
    move_clock_to(house, second - timedelta(days=4))
    assert run_standing_tables(house.site) == 1
    move_clock_to(house, second)
    run_standing_tables(house.site)
    move_clock_to(house, second + timedelta(days=3, hours=2))
    run_standing_tables(house.site)
    # Clocks change in Paris on 29 March: 18 h is an hour earlier.
    assert [at for at, _ in weeks_of_tables(house)] == [FIRST, second, datetime(2026, 3, 29, 16, tzinfo=UTC)]


def test_a_table_at_an_hour_skipped_or_repeated_by_dst_meets_once() -> None:
    before = datetime(2026, 3, 24, tzinfo=UTC)
    assert Weekly(6, 2, "Europe/Paris").next_after(before) == datetime(2026, 3, 29, 1, tzinfo=UTC)
    autumn = Weekly(6, 2, "Europe/Paris")
    first = autumn.next_after(datetime(2026, 10, 20, tzinfo=UTC))
    assert first == datetime(2026, 10, 25, 0, tzinfo=UTC)
    assert autumn.next_after(first) == datetime(2026, 11, 1, 1, tzinfo=UTC)


@pytest.mark.long
def test_with_too_few_players_they_are_told_and_no_match_begins(house: House) -> None:
    circle_id, _ = table_of(house, "Alice", "Bob", "Carol")
    run_standing_tables(house.site)
    answer_occasion(house, circle_id, "Alice")
    answer_occasion(house, circle_id, "Bob", yes=False)
    house.drain()
    house.mail.clear()
    move_clock_to(house, FIRST)
    run_standing_tables(house.site)
    house.drain()
    assert names_at_matches(house) == []
    assert (kinds_of_mails(house, "Alice"), kinds_of_mails(house, "Bob"), kinds_of_mails(house, "Carol")) == (
        ["toofew"],
        [],
        [],
    )
    assert "too few others" in text_of(newest_mail(house, "Alice"))


@pytest.mark.on_postgresql
def test_a_table_asks_nobody_while_its_game_is_unavailable(house: House) -> None:
    circle_id, _ = table_of(house, "Alice", "Bob", "Carol")
    set_game(house, "forgotten")
    assert (run_standing_tables(house.site), weeks_of_tables(house)) == (0, [])
    set_game(house, "hogen")
    house.clock.forward(minutes=10)
    run_standing_tables(house.site)
    set_game(house, "forgotten")
    house.drain()
    house.mail.clear()
    set_game(house, "hogen")
    house.clock.forward(minutes=11)
    house.drain()
    assert kinds_of_mails(house, "Bob") == ["occasion"]
    for name in ("Alice", "Bob", "Carol"):
        answer_occasion(house, circle_id, name)
    set_game(house, "forgotten")
    move_clock_to(house, FIRST)
    with capture_logs() as logs:
        assert run_standing_tables(house.site) == 0
    assert (logs, weeks_of_tables(house), rows_queued(house, "toofew")) == ([], [(FIRST, False)], [])
    set_game(house, "hogen")
    assert run_standing_tables(house.site) == 0, "it was put off"
    house.clock.forward(minutes=10)
    assert run_standing_tables(house.site) == 1
    assert [sorted(names) for names in names_at_matches(house)] == [["Alice", "Bob", "Carol"]]


def set_game(house: House, slug: str) -> None:
    """Lets the standing tables be of this game, as if theirs was gone or had come back."""
    with house.site.writing() as session:
        session.execute(update(table(StandingTable)).values(game=slug))


def test_the_last_players_to_say_yes_are_left_out_of_the_tables(house: House) -> None:
    circle_id, _ = table_of(house, *CAST[:5], game="niigata")
    run_standing_tables(house.site)
    for name in reversed(CAST[:5]):
        house.clock.forward(minutes=1)
        answer_occasion(house, circle_id, name)
    move_clock_to(house, FIRST)
    run_standing_tables(house.site)
    seated = [name for names in names_at_matches(house) for name in names]
    assert sorted([*seated, *(["Alice"] if len(seated) < 5 else [])]) == sorted(CAST[:5])


@pytest.mark.long
def test_the_seats_are_drawn_by_the_sites_entropy(house: House) -> None:
    circle_id, _ = table_of(house, "Alice", "Bob", "Carol", "Dave")
    orders = set()
    for week in range(4):
        move_clock_to(house, FIRST + timedelta(days=7 * week - 3))
        run_standing_tables(house.site)
        for name in ("Alice", "Bob", "Carol", "Dave"):
            answer_occasion(house, circle_id, name)
        move_clock_to(house, FIRST + timedelta(days=7 * week))
        run_standing_tables(house.site)
    orders = {tuple(names) for names in names_at_matches(house)}
    assert len(orders) > 1


@pytest.mark.long
def test_a_member_who_has_left_is_not_seated(house: House) -> None:
    circle_id, _ = table_of(house, "Alice", "Bob", "Carol", "Dave")
    run_standing_tables(house.site)
    for name in ("Alice", "Bob", "Carol", "Dave"):
        answer_occasion(house, circle_id, name)
    joining.leave_circle(house.site, member_claim(house, circle_id, "Bob"))
    move_clock_to(house, FIRST)
    run_standing_tables(house.site)
    assert [sorted(names) for names in names_at_matches(house)] == [["Alice", "Carol", "Dave"]]


def test_an_answer_after_the_hour_is_refused_even_before_the_sweep(house: House) -> None:
    circle_id, _ = table_of(house, "Alice", "Bob")
    run_standing_tables(house.site)
    move_clock_to(house, FIRST)
    with pytest.raises(Gone):
        answer_occasion(house, circle_id, "Bob")


def test_a_member_silent_three_times_is_not_asked_until_they_answer(house: House) -> None:
    circle_id, _ = table_of(house, "Alice", "Bob")

    def week(number: int) -> list[str]:
        """The mails to Bob of a week in which Alice says no."""
        move_clock_to(house, FIRST + timedelta(days=7 * number - 3))
        run_standing_tables(house.site)
        answer_occasion(house, circle_id, "Alice", yes=False)
        if number == 4:
            answer_occasion(house, circle_id, "Bob")
        house.drain()
        sent = kinds_of_mails(house, "Bob")
        house.mail.clear()
        move_clock_to(house, FIRST + timedelta(days=7 * number))
        run_standing_tables(house.site)
        return sent

    assert [week(number) for number in range(3)] == [["occasion"]] * 3
    assert sheets.read_circle(house.site, member_claim(house, circle_id, "Bob")).tables[0].silent
    assert not sheets.read_circle(house.site, member_claim(house, circle_id, "Alice")).tables[0].silent
    assert [week(number) for number in (3, 4)] == [[], []]
    assert "occasion" in week(5)


@pytest.mark.long
def test_a_muted_member_is_not_mailed_but_can_say_yes_on_the_page(house: House) -> None:
    circle_id, _ = table_of(house, "Alice", "Bob", "Carol")
    joining.set_member_muted_or_listed(house.site, member_claim(house, circle_id, "Bob"), muted=True)
    run_standing_tables(house.site)
    assert len(rows_queued(house, "occasion")) == 2
    joining.set_member_muted_or_listed(house.site, member_claim(house, circle_id, "Carol"), muted=True)
    house.drain()
    assert (kinds_of_mails(house, "Bob"), kinds_of_mails(house, "Carol")) == ([], [])
    for name in ("Alice", "Bob", "Carol"):
        answer_occasion(house, circle_id, name)
    move_clock_to(house, FIRST)
    run_standing_tables(house.site)
    assert len(names_at_matches(house)) == 1


def test_the_export_has_what_its_member_answered_and_nobody_elses_answers(house: House) -> None:
    circle_id, _ = table_of(house, "Alice", "Bob")
    run_standing_tables(house.site)
    answer_occasion(house, circle_id, "Alice")
    answer_occasion(house, circle_id, "Bob", yes=False)
    (said,) = export_player(house.site, id_of(house, "Bob"))["occasion_answers.member_id"]
    assert (said.keys(), said["yes"]) == ({"occasion_id", "yes", "at"}, False)


def test_a_stopped_table_asks_and_starts_nothing_more(house: House) -> None:
    circle_id, table_id = table_of(house, "Alice", "Bob", "Carol")
    with pytest.raises(Forbidden):
        standing.stop_table(house.site, member_claim(house, circle_id, "Bob"), table_id)
    run_standing_tables(house.site)
    for name in ("Alice", "Bob", "Carol"):
        answer_occasion(house, circle_id, name)
    standing.stop_table(house.site, member_claim(house, circle_id, "Alice"), table_id)
    house.drain()
    assert kinds_of_mails(house, "Carol") == []
    move_clock_to(house, FIRST + timedelta(days=7))
    assert (run_standing_tables(house.site), names_at_matches(house)) == (0, [])
    other = circle_of(house, "Dave", title="Others")
    with pytest.raises(NotFound):
        standing.stop_table(house.site, member_claim(house, other, "Dave"), table_id)


def test_weekly_tables_are_limited_and_first_meet_with_time_to_answer(house: House) -> None:
    circle_id = circle_of(house, "Alice")
    alice = member_claim(house, circle_id, "Alice")
    # In two hours: too soon for the first time.
    soon = Weekly(3, 15, "Europe/Paris")
    standing.set_up_table(house.site, alice, NewMatch("hogen", ()), soon)
    (sheet,) = sheets.read_circle(house.site, alice).tables
    assert sheet.starts_at == datetime(2026, 3, 19, 14, tzinfo=UTC)
    for _ in range(standing.TABLES_MOST - 1):
        standing.set_up_table(house.site, alice, NewMatch("hogen", ()), SUNDAY)
    with pytest.raises(Invalid, match="as many standing tables"):
        standing.set_up_table(house.site, alice, NewMatch("hogen", ()), SUNDAY)


@cases("wrong", [(7, 18, "Europe/Paris"), (0, 24, "Europe/Paris"), (0, 18, "Paris")])
def test_an_invalid_weekday_hour_or_zone_of_a_table_is_refused(wrong: tuple[int, int, str]) -> None:
    with pytest.raises(Invalid):
        standing.parse_weekly(*wrong)


def test_one_table_that_fails_does_not_hold_up_the_others(house: House) -> None:
    circles = [circle_of(house, *("Alice", "Bob", "Carol"), title=title) for title in ("First", "Second")]
    for circle_id in circles:
        standing.set_up_table(house.site, member_claim(house, circle_id, "Alice"), NewMatch("hogen", ()), SUNDAY)
    run_standing_tables(house.site)
    for circle_id in circles:
        for name in ("Alice", "Bob", "Carol"):
            answer_occasion(house, circle_id, name)
    with house.site.writing() as work:
        row = standing.running_tables(work, circles[0])[0]
        row.terms = "{}"
        work.add(row)
    move_clock_to(house, FIRST)
    assert run_standing_tables(house.site) == 1
    with house.site.reading() as session:
        assert session.exec(select(CircleMatch.circle_id)).all() == [circles[1]]
        (broken,) = standing.running_tables(session, circles[0])
    assert broken.next_at == house.clock() + BACK_OFF, "nor in the sweeps of the next hour"


@pytest.mark.on_postgresql
def test_a_weekly_table_put_forward_by_a_wrong_clock_asks_nobody_early(house: House) -> None:
    _, table_id = table_of(house, "Alice", "Bob", "Carol")
    asks_at = FIRST + timedelta(days=7) - ASK_BEFORE
    move_clock_to(house, asks_at - timedelta(days=2))
    with house.site.writing() as work:
        work.connection().execute(update(table(StandingTable)).values(next_at=house.clock()))
    assert run_standing_tables(house.site) == 0
    assert weeks_of_tables(house) == []
    with house.site.reading() as session:
        assert session.get_one(StandingTable, table_id).next_at == asks_at
    move_clock_to(house, asks_at)
    assert run_standing_tables(house.site) == 1
    assert weeks_of_tables(house) == [(FIRST + timedelta(days=7), False)]


def test_an_id_beyond_the_databases_integers_is_no_table(house: House) -> None:
    circle_id = circle_of(house, "Alice")
    for number in (2**31, 2**63):
        for use in (standing.answer_occasion, standing.answer_next_occasion):
            with pytest.raises(NotFound):
                use(house.site, member_claim(house, circle_id, "Alice"), number, True)
