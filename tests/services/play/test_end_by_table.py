"""A match ends when one seat is left that has not resigned, or no person; everyone who has not resigned has won."""

from functools import partial

import pytest
from sqlmodel import col, select

from pbem.errors import Answered, Gone, Problem
from pbem.features.records import records
from pbem.kit.contract import Outcome
from pbem.kit.endings import outcome_of
from pbem.kit.logs.verdict import verify
from pbem.kit.replay import Absent, Entry, MatchEnded, Paused, Replaced, Resigned, fold_for_viewer, full_fold
from pbem.kit.texts import Lang
from pbem.models.tables import AskRow, Match
from pbem.render.phrases import phrase_text
from pbem.services.lobby.match_request import BotSeat, Invitee, NewMatch, Wish
from pbem.services.lobby.matches import accept_invitation, confirm_match, create_match
from pbem.services.log import store
from pbem.services.mail import reminders
from pbem.services.play import bots, presence, substitutes, timeouts
from pbem.services.privacy import erasure
from pbem.services.tokens import OfferClaim, VacancyClaim
from pbem.services.views import match_views, replays
from pbem.services.who import STRANGER
from tests.harness.cases import cases
from tests.services.letterbox import id_of, kinds_of_mails, newest_mail, once_a_day, text_of
from tests.services.play.stage.presence import entries_of_table, miss_turns, seat_of
from tests.services.play.stage.races import ROUNDS, at_once
from tests.table import THREE, House, address_of, claim_of, submit_answer


def resign_seats(house: House, match_id: str, *seats: int) -> None:
    for seat in seats:
        presence.resign(house.site, claim_of(house.site, match_id, seat))


def play_moves(house: House, match_id: str, moves: int) -> None:
    for _ in range(moves):
        house.play(match_id, house.asks(match_id)[0].seat)


def outcome_of_match(house: House, match_id: str) -> Outcome | None:
    return house.view(match_id, None).sheet.outcome


def with_bots(house: House, people: int, programs: int) -> str:
    """A running match of these first of the cast and of this many bots."""
    game = "hagakure" if people + programs > 2 else "niigata"
    seats: list[Wish] = [*(Invitee(name, address_of(name)) for name in THREE[:people]), *[BotSeat("random")] * programs]
    match_id = create_match(house.site, STRANGER, NewMatch(game, seats))
    confirm_match(house.site, house.claim("confirm", match_id, 0), "en", "Europe/London")
    for seat in range(1, people):
        accept_invitation(house.site, house.claim("invitation", match_id, seat), "en", "Europe/London")
    return match_id


def left_by_two(house: House, moves: int = 20) -> str:
    """A match of Hagakure in which Alice and Carol have resigned after some moves, so that it is over."""
    match_id = house.begin(3, "hagakure")
    play_moves(house, match_id, moves)
    resign_seats(house, match_id, 0, 2)
    return match_id


# --- when it ends --------------------------------------------------------------------------------------------


@pytest.mark.on_postgresql
def test_a_match_ends_by_resignations_when_one_seat_is_left(house: House) -> None:
    match_id = house.begin(3, "hagakure")
    play_moves(house, match_id, 60)
    resign_seats(house, match_id, 0)
    assert house.view(match_id, None).sheet.status == "running"
    assert outcome_of_match(house, match_id) is None
    resign_seats(house, match_id, 2)
    view = house.view(match_id, None)
    assert entries_of_table(house, match_id) == [Resigned(0), Resigned(2), MatchEnded("last_seat", (1,))]
    scores = view.game.scores(view.fold)
    assert scores is not None
    assert view.sheet.outcome == Outcome("last_seat", (1,), scores)
    assert (view.sheet.status, view.sheet.ended_at, view.sheet.asks) == ("over", house.clock.at, ())


def test_when_one_of_two_players_resigns_the_other_has_won(house: House) -> None:
    match_id = house.begin(2, "niigata")
    resign_seats(house, match_id, 0)
    found = outcome_of_match(house, match_id)
    assert found is not None
    assert (found.reason, found.winners) == ("last_seat", (1,))


@pytest.mark.long
@pytest.mark.parametrize(
    ("programs", "reason", "winners"), [(1, "last_seat", (1,)), (2, "no_people", (1, 2)), (3, "no_people", (1, 2, 3))]
)
def test_a_player_who_resigns_among_bots_alone_ends_the_match(
    house: House, programs: int, reason: str, winners: tuple[int, ...]
) -> None:
    match_id = with_bots(house, 1, programs)
    resign_seats(house, match_id, 0)
    found = outcome_of_match(house, match_id)
    assert found is not None
    assert (found.reason, found.winners) == (reason, winners)
    assert bots.play_quick_bots(house.site) == 0


@pytest.mark.long
def test_all_bots_win_when_the_second_of_two_people_resigns(house: House) -> None:
    match_id = with_bots(house, 2, 2)
    resign_seats(house, match_id, 1)
    assert outcome_of_match(house, match_id) is None
    resign_seats(house, match_id, 0)
    assert entries_of_table(house, match_id)[-1] == MatchEnded("no_people", (2, 3))


@pytest.mark.long
def test_an_absent_player_wins_when_all_others_resign(house: House) -> None:
    match_id = house.begin()
    miss_turns(house, match_id, 1)
    resign_seats(house, match_id, 0, 2)
    assert entries_of_table(house, match_id) == [Absent(1), Resigned(0), Resigned(2), MatchEnded("last_seat", (1,))]
    assert outcome_of_match(house, match_id) == Outcome("last_seat", (1,))


@pytest.mark.long
def test_a_substitute_counts_as_a_remaining_player_until_they_resign(house: House) -> None:
    match_id = house.begin(3, "hagakure")
    resign_seats(house, match_id, 2)
    link = substitutes.substitute_links_by_seat(house.site, match_views.read_sheet(house.site, match_id, 0), 0)[2]
    vacancy = house.site.tokens.read(VacancyClaim, link.rpartition("/")[2])
    substitutes.ask_for_seat(house.site, vacancy, Invitee("Dave", address_of("Dave")), "en", "Europe/Paris")
    offer = house.site.tokens.read(OfferClaim, house.site.tokens.sign(OfferClaim(1)))
    substitutes.accept_offer(house.site, offer, "en", "Europe/Paris")
    resign_seats(house, match_id, 0)
    assert house.view(match_id, None).sheet.status == "running", "Bob and Dave are left"
    presence.resign(house.site, house.claim("play", match_id, 2, seat_of(house, match_id, 2).epoch))
    assert entries_of_table(house, match_id) == [
        Resigned(2), Replaced(2), Resigned(0), Resigned(2), MatchEnded("last_seat", (1,)),
    ]  # fmt: skip


def test_a_seat_of_a_match_that_is_over_can_no_longer_be_taken_over(house: House) -> None:
    match_id = house.begin(3, "hagakure")
    resign_seats(house, match_id, 0)
    link = substitutes.substitute_links_by_seat(house.site, match_views.read_sheet(house.site, match_id, 1), 1)[0]
    vacancy = house.site.tokens.read(VacancyClaim, link.rpartition("/")[2])
    substitutes.ask_for_seat(house.site, vacancy, Invitee("Dave", address_of("Dave")), "en", "Europe/Paris")
    offer = house.site.tokens.read(OfferClaim, house.site.tokens.sign(OfferClaim(1)))
    resign_seats(house, match_id, 2)
    assert substitutes.read_vacancy(house.site, vacancy).how == "over"
    assert substitutes.substitute_links_by_seat(house.site, match_views.read_sheet(house.site, match_id, 1), 1) == {}
    with pytest.raises(Gone):
        substitutes.accept_offer(house.site, offer, "en", "Europe/Paris")
    assert entries_of_table(house, match_id)[-1] == MatchEnded("last_seat", (1,))


@pytest.mark.long
def test_erasing_a_player_resigns_their_seat_and_may_end_the_match(house: House) -> None:
    match_id = house.begin(2, "niigata")
    erasure.erase_player(house.site, id_of(house, "Alice"))
    assert entries_of_table(house, match_id) == [Resigned(0), MatchEnded("last_seat", (1,))]
    house.mail.clear()
    house.drain()
    assert [(to, "over" in str(mail["Message-ID"])) for to, mail in house.mail.all_sent] == [(address_of("Bob"), True)]


# --- what stops then -----------------------------------------------------------------------------------------


@pytest.mark.long
def test_the_end_closes_open_questions_and_stops_clock_bots_and_reminders(house: House) -> None:
    match_id = with_bots(house, 2, 1)
    house.drain()
    resign_seats(house, match_id, 0)
    resign_seats(house, match_id, 1)
    with house.site.reading() as session:
        asks = session.exec(select(AskRow).where(AskRow.match_id == match_id, col(AskRow.answer).is_(None))).all()
        assert asks
        assert {(ask.closed_by, ask.closed_at) for ask in asks} == {("table", house.clock.at)}
    version = house.view(match_id, None).sheet.version
    house.clock.forward(days=60)
    timeouts.beat_and_sweep_deadlines_if_web_up(house.site)
    assert (
        timeouts.sweep_deadlines(house.site)
        + timeouts.cancel_lapsed_matches(house.site)
        + bots.play_quick_bots(house.site)
        == 0
    )
    house.mail.clear()
    reminders.sweep_reminders(house.site)
    house.drain()
    assert {kind for name in THREE[:2] for kind in kinds_of_mails(house, name)} == {"over"}
    assert house.view(match_id, None).sheet.version == version


@pytest.mark.long
def test_a_move_after_resignations_ended_the_match_is_refused(house: House) -> None:
    match_id = house.begin(2, "niigata")
    seat = house.asks(match_id)[0].seat
    view = house.view(match_id, seat)
    assert view.ask is not None
    resign_seats(house, match_id, 1 - seat)
    with pytest.raises((Gone, Answered)):
        submit_answer(house.site, match_id, seat, view.ask.key, view.legal()[0], "web")


@pytest.mark.long
def test_of_two_players_resigning_at_once_the_second_finds_the_match_over(house: House) -> None:
    for _ in range(ROUNDS):
        match_id = house.begin(2, "niigata")
        results = at_once(
            *(partial(presence.resign, house.site, claim_of(house.site, match_id, seat)) for seat in (0, 1))
        )
        refused = [seat for seat, result in enumerate(results) if isinstance(result, Problem)]
        (winner,) = refused
        assert isinstance(results[winner], Gone)
        assert entries_of_table(house, match_id) == [Resigned(1 - winner), MatchEnded("last_seat", (winner,))]
        assert not seat_of(house, match_id, winner).resigned


@pytest.mark.long
def test_resigning_again_once_resignations_ended_the_match_changes_nothing(house: House) -> None:
    match_id = left_by_two(house)
    before = house.view(match_id, None).sheet
    resign_seats(house, match_id, 2, 0)
    assert house.view(match_id, None).sheet == before
    with pytest.raises(Gone):
        resign_seats(house, match_id, 1)


# --- what is told of it --------------------------------------------------------------------------------------


@pytest.mark.long
def test_the_log_of_a_match_ended_by_resignations_verifies(house: House) -> None:
    match_id = left_by_two(house)
    log = match_views.read_log(house.site, match_id, None)
    assert log.viewer == "all"
    assert log.seed is not None
    assert verify(log).problems == ()
    stored = outcome_of_match(house, match_id)
    assert stored is not None
    assert outcome_of(log.game, log.entries) == stored
    for viewer in (0, 1, 2, None):
        seen = house.view(match_id, viewer)
        assert fold_for_viewer(log.game, log.entries, viewer) == seen.fold
        assert log.game.scores(seen.fold) == stored.scores


@pytest.mark.long
def test_hidden_values_are_shown_only_after_resignations_ended_the_match(house: House) -> None:
    match_id = house.begin(3, "hagakure")
    play_moves(house, match_id, 20)
    resign_seats(house, match_id, 0)
    assert match_views.read_log(house.site, match_id, 0).viewer == 0
    assert replays.perspectives_of_reader(match_views.read_sheet(house.site, match_id, 0), 0) == (0, None)
    resign_seats(house, match_id, 1)
    log = match_views.read_log(house.site, match_id, 0)
    with house.site.reading() as session:
        entries = store.load_entries(session, match_id, log.game)
        state = store.Table(session, session.get_one(Match, match_id)).state
    assert list(log.entries) == entries
    assert full_fold(log.game, entries) == state
    assert "all" in replays.perspectives_of_reader(match_views.read_sheet(house.site, match_id, 0), 0)


@pytest.mark.long
@cases(
    "lang, said",
    [
        ("en", "Everybody else has resigned: Bob wins."),
        ("fr", "Tous les autres ont abandonné\u00a0: Bob gagne."),
    ],
)
def test_the_replays_last_step_after_resignations_tells_the_winner(house: House, lang: Lang, said: str) -> None:
    seen = replays.read_replay(house.site, left_by_two(house), None, lang)
    assert phrase_text(seen.steps[-1].text, seen.names) == said


@pytest.mark.long
def test_the_end_is_mailed_in_each_players_language_or_left_to_the_digest(
    house: House,
) -> None:
    match_id = house.begin(3, "hagakure")
    play_moves(house, match_id, 5)
    house.drain()
    once_a_day(house, "Carol", 18)
    house.mail.clear()
    resign_seats(house, match_id, 0, 2)
    house.drain()
    assert [kinds_of_mails(house, name) for name in THREE] == [["over"], ["over"], []]
    french, english = (newest_mail(house, name) for name in ("Alice", "Bob"))
    for mail, said in (
        (french, "Bob gagne\u00a0: tous les autres ont abandonné."),
        (english, "Bob wins: everybody else has resigned."),
    ):  # fmt: skip
        html = mail.get_body(("html",))
        assert html is not None
        assert said in text_of(mail)
        assert said in str(html.get_content()).replace("&nbsp;", "\u00a0")


@pytest.mark.long
def test_a_resigned_seat_counts_as_lost_in_the_record_whatever_the_scores(house: House) -> None:
    left_by_two(house, 60)
    won = {name: records.read_own_record(house.site, id_of(house, name)).games["hagakure"].won for name in THREE}
    assert won == {"Alice": 0, "Bob": 1, "Carol": 0}
    friends = {
        friend.name: friend.results_in_all_games
        for friend in records.read_own_record(house.site, id_of(house, "Bob")).friends
    }
    assert {name: versus.ahead for name, versus in friends.items()} == {"Alice": 1, "Carol": 1}


@pytest.mark.long
def test_a_paused_match_of_two_ends_by_resignation_without_resuming(house: House) -> None:
    match_id = house.begin(2, "niigata")
    while house.view(match_id, None).sheet.status == "running":
        house.time_is_up(match_id)
        timeouts.sweep_deadlines(house.site)
    resign_seats(house, match_id, 0)
    assert entries_of_table(house, match_id)[-3:] == [Paused(), Resigned(0), MatchEnded("last_seat", (1,))]


@pytest.mark.long
def test_the_end_by_resignations_is_the_last_entry_and_by_the_table(house: House) -> None:
    match_id = left_by_two(house)
    (*_, last) = house.view(match_id, None).entries
    assert isinstance(last, Entry)
    assert (last.event, last.by.table, last.key) == (MatchEnded("last_seat", (1,)), True, None)
