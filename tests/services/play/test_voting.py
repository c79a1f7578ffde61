"""A table that waits for a late player, until more than half of the other people let the clock move."""

from datetime import timedelta
from functools import partial

import pytest

from pbem.errors import Gone, Invalid, Unauthorized
from pbem.kit.chance import SeedChance
from pbem.kit.replay import PutToVote, TableEvent, Voted, evolve_all
from pbem.models.tables import SeatRow
from pbem.services.lobby.match_request import BotSeat, Invitee, NewMatch
from pbem.services.lobby.matches import confirm_match, create_match
from pbem.services.log import cancellation, proofs, store
from pbem.services.play import presence, timeouts, voting
from pbem.services.tokens import PlayClaim
from pbem.services.views import seats
from pbem.services.views.match_views import OpenAsk
from pbem.services.who import STRANGER
from tests.services.letterbox import kinds_of_mails, newest_mail, once_a_day, text_of
from tests.services.play.stage.races import ROUNDS, at_once, job_that_answers
from tests.table import House, address_of, claim_of


def late_table(house: House, seats: int = 4) -> tuple[str, int]:
    """A match of four that votes, and the seat whose grace is over."""
    match_id = house.begin(seats, late="vote")
    for seat in range(1, seats):
        house.play(match_id, seat)
    house.time_is_up(match_id)
    assert timeouts.sweep_deadlines(house.site) == 0
    return match_id, 0


def open_to(house: House, match_id: str, seat: int) -> OpenAsk | None:
    """The seat's open question."""
    return next((ask for ask in house.asks(match_id) if ask.seat == seat), None)


@pytest.mark.long
def test_the_clock_waits_until_more_than_half_of_the_others_vote(house: House) -> None:
    match_id, late = late_table(house)
    house.clock.forward(days=9)
    assert timeouts.sweep_deadlines(house.site) == 0
    assert voting.vote_to_let_clock_move(house.site, claim_of(house.site, match_id, 1), late) is False
    assert voting.vote_to_let_clock_move(house.site, claim_of(house.site, match_id, 1), late) is False
    ask = open_to(house, match_id, late)
    assert ask is not None
    assert ask.vote is not None
    assert (ask.vote.voters, ask.vote.cast, ask.vote.needed) == ((1, 2, 3), (1,), 2)
    assert voting.vote_to_let_clock_move(house.site, claim_of(house.site, match_id, 3), late) is True
    clock = [e for e in house.view(match_id, None).entries if e.by.clock == late]
    assert {e.key for e in clock} == {ask.key}
    with house.site.reading() as session:
        assert session.get_one(SeatRow, (match_id, late)).misses == 1
    with pytest.raises(Gone):
        voting.vote_to_let_clock_move(house.site, claim_of(house.site, match_id, 2), late)


@pytest.mark.long
def test_a_player_who_is_late_may_still_answer_until_the_vote_is_over(house: House) -> None:
    match_id, late = late_table(house)
    voting.vote_to_let_clock_move(house.site, claim_of(house.site, match_id, 1), late)
    house.play(match_id, late)
    assert not [e for e in house.view(match_id, None).entries if e.by.clock == late]


@pytest.mark.long
def test_votes_on_oneself_or_before_the_deadline_are_refused(house: House) -> None:
    match_id = house.begin(4, late="vote")
    with pytest.raises(Gone):
        voting.vote_to_let_clock_move(house.site, claim_of(house.site, match_id, 1), 0)
    house.time_is_up(match_id)
    timeouts.sweep_deadlines(house.site)
    with pytest.raises(Gone):
        voting.vote_to_let_clock_move(house.site, claim_of(house.site, match_id, 0), 0)
    with pytest.raises(Unauthorized):
        voting.vote_to_let_clock_move(house.site, PlayClaim(match_id, 7, 0), 0)


@pytest.mark.long
def test_a_resignation_of_a_voter_can_decide_a_vote(house: House) -> None:
    match_id, late = late_table(house)
    voting.vote_to_let_clock_move(house.site, claim_of(house.site, match_id, 1), late)
    presence.resign(house.site, claim_of(house.site, match_id, 2))
    assert timeouts.sweep_deadlines(house.site) == 0, "one of two is not more than half"
    presence.resign(house.site, claim_of(house.site, match_id, 3))
    assert timeouts.sweep_deadlines(house.site) > 0
    ask = open_to(house, match_id, late)
    assert ask is None or ask.key != f"t0.ally{late}"


@pytest.mark.long
def test_the_clock_plays_for_a_late_player_if_only_bots_could_vote(house: House) -> None:
    who = Invitee("Alice", address_of("Alice"))
    match_id = create_match(
        house.site, STRANGER, NewMatch("hogen", [who, BotSeat("random"), BotSeat("random")], late="vote")
    )
    confirm_match(house.site, house.claim("confirm", match_id, 0), "en", "Europe/London")
    house.drain()
    house.clock.forward(days=4)
    assert timeouts.sweep_deadlines(house.site) == 3


def test_for_a_resigned_player_the_clock_plays_without_a_vote(house: House) -> None:
    match_id = house.begin(4, late="vote")
    presence.resign(house.site, claim_of(house.site, match_id, 0))
    assert timeouts.sweep_deadlines(house.site) == 1


@pytest.mark.long
def test_votes_at_once_let_the_clock_play_once(house: House) -> None:
    for _ in range(ROUNDS):
        match_id, late = late_table(house)
        results = at_once(
            *(
                partial(voting.vote_to_let_clock_move, house.site, claim_of(house.site, match_id, voter), late)
                for voter in (1, 2, 3)
            )
        )
        assert [result for result in results if result is True] == [True]
        entries = house.view(match_id, None).entries
        assert len([e for e in entries if e.key == f"t0.ally{late}" and type(e.event).__name__ == "AllyChosen"]) == 1


@pytest.mark.long
def test_of_the_last_vote_and_the_late_players_move_only_one_plays(house: House) -> None:
    for _ in range(ROUNDS):
        match_id, late = late_table(house)
        voting.vote_to_let_clock_move(house.site, claim_of(house.site, match_id, 1), late)
        at_once(
            partial(voting.vote_to_let_clock_move, house.site, claim_of(house.site, match_id, 2), late),
            job_that_answers(house, match_id, late, 0),
        )
        entries = house.view(match_id, None).entries
        assert len([e for e in entries if e.key == f"t0.ally{late}" and type(e.event).__name__ == "AllyChosen"]) == 1


def test_an_unknown_rule_for_late_players_is_refused(house: House) -> None:
    with pytest.raises(Invalid, match="vote"):
        house.create(late="never")


# --- who hears of it -----------------------------------------------------------------------------------------


def entries_of_table(house: House, match_id: str) -> list[TableEvent]:
    """Returns the table's own entries in the log."""
    entries = house.view(match_id, None).entries
    return [entry.event for entry in entries if isinstance(entry.event, TableEvent)]


@pytest.mark.long
def test_every_step_of_a_vote_is_in_the_log_once(house: House) -> None:
    match_id, late = late_table(house)
    for _ in range(ROUNDS):
        house.clock.forward(hours=1)
        timeouts.sweep_deadlines(house.site)
    assert entries_of_table(house, match_id) == [PutToVote(late)]
    for voter in (1, 1, 3):
        voting.vote_to_let_clock_move(house.site, claim_of(house.site, match_id, voter), late)
    assert entries_of_table(house, match_id) == [PutToVote(late), Voted(late, 1), Voted(late, 3)]


def is_asked_again(house: House, match_id: str, seat: int) -> bool:
    """True if the seat is asked again at once when it plays its first legal move: luck chooses who begins."""
    with house.site.reading() as session:
        match = store.get_match(session, match_id)
        game, luck = store.game_by_slug(match.game), proofs.luck_of(match)
        state = store.Table(session, match).state
        events = game.decide(state, seat, game.legal(state, seat)[0], luck.rules(match.version + 1, seat))
        return seat in [ask.seat for ask in game.pending(evolve_all(game, state, events))]


@pytest.mark.on_postgresql
def test_each_voter_gets_one_mail_with_a_link_and_the_late_player_none(house: House) -> None:
    match_id, late = late_table(house)
    while is_asked_again(house, match_id, late):
        cancellation.cancel_match_for_host(house.site, match_id)
        match_id, late = late_table(house)
    once_a_day(house, "Dave", 9)
    house.mail.clear()
    for _ in range(2):
        house.drain()
        timeouts.sweep_deadlines(house.site)
    assert [kinds_of_mails(house, name) for name in ("Alice", "Bob", "Carol", "Dave")] == [
        [],
        ["vote"],
        ["vote"],
        ["vote"],
    ]
    mail = text_of(newest_mail(house, "Bob"))
    assert "Alice is late: let the clock move?" in mail
    assert f"/play/{house.token('play', match_id, 1)}" in mail
    assert "0 of 2 votes" in mail
    house.play(match_id, late)
    house.drain()
    assert "vote" not in kinds_of_mails(house, "Alice")


@pytest.mark.long
def test_no_vote_mail_goes_to_seats_that_voted_or_muted_or_after_the_vote(
    house: House,
) -> None:
    match_id, late = late_table(house)
    house.mail.clear()
    voting.vote_to_let_clock_move(house.site, claim_of(house.site, match_id, 1), late)
    seats.mute(house.site, house.claim("mute", match_id, 2), True)
    house.drain()
    assert [kinds_of_mails(house, name) for name in ("Bob", "Carol", "Dave")] == [[], [], ["vote"]]
    other, late = late_table(house)
    house.mail.clear()
    house.play(other, late)
    house.drain()
    assert "vote" not in [kind for name in ("Bob", "Carol", "Dave") for kind in kinds_of_mails(house, name)]


@pytest.mark.long
def test_two_sweeps_at_once_open_a_vote_once(house: House) -> None:
    match_id = house.begin(4, late="vote")
    for seat in range(1, 4):
        house.play(match_id, seat)
    house.time_is_up(match_id)
    house.mail.clear()
    assert at_once(*(partial(timeouts.sweep_deadlines, house.site) for _ in range(3))) == [0, 0, 0]
    assert entries_of_table(house, match_id) == [PutToVote(0)]
    house.drain()
    assert kinds_of_mails(house, "Bob") == ["vote"]


# --- where nobody decides ------------------------------------------------------------------------------------


@pytest.mark.long
def test_a_match_in_which_all_players_are_late_pauses_without_a_vote(house: House) -> None:
    match_id = house.begin(3, late="vote")
    for _ in range(12):
        if house.view(match_id, None).sheet.status == "paused":
            break
        house.time_is_up(match_id)
        assert timeouts.sweep_deadlines(house.site) > 0
    assert house.view(match_id, None).sheet.status == "paused"
    assert not [event for event in entries_of_table(house, match_id) if isinstance(event, PutToVote)]


def test_late_players_have_no_vote_on_others_and_nobody_waits_for_them(
    house: House,
) -> None:
    match_id, late = late_table(house)
    voting.vote_to_let_clock_move(house.site, claim_of(house.site, match_id, 2), late)
    with house.site.writing() as session:
        session.get_one(SeatRow, (match_id, 3)).misses = 1
    ask = open_to(house, match_id, late)
    assert ask is not None
    assert ask.vote is not None
    assert (ask.vote.voters, ask.vote.cast, ask.vote.needed) == ((1, 2), (2,), 2)
    with pytest.raises(Gone, match="overdue"):
        voting.vote_to_let_clock_move(house.site, claim_of(house.site, match_id, 3), late)
    assert voting.vote_to_let_clock_move(house.site, claim_of(house.site, match_id, 1), late) is True


@pytest.mark.long
def test_a_vote_is_counted_again_when_a_voter_becomes_late_themselves(house: House) -> None:
    match_id = house.begin(3, late="vote")
    house.play(match_id, 2)
    house.time_is_up(match_id)
    with house.site.writing() as session:  # Bob has five hours more than Alice
        for ask in store.open_asks(session, match_id):
            ask.acts_at = house.clock.at + timedelta(hours=5 * ask.seat)
            session.add(ask)
    assert timeouts.sweep_deadlines(house.site) == 0
    voting.vote_to_let_clock_move(house.site, claim_of(house.site, match_id, 2), 0)
    house.clock.forward(hours=5)
    assert timeouts.sweep_deadlines(house.site) == 1
    assert open_to(house, match_id, 0) is None, "Carol, the only one who may vote, had voted"
    asked = open_to(house, match_id, 1)
    assert asked is not None
    assert asked.vote is not None
    assert asked.vote.voters == (2,)


def test_after_a_vote_of_thirty_days_without_decision_the_clock_plays(house: House) -> None:
    match_id, late = late_table(house)
    house.clock.forward(days=29, hours=23)
    assert timeouts.sweep_deadlines(house.site) == 0
    ask = open_to(house, match_id, late)
    assert ask is not None
    assert ask.acts_at is None, "nobody is shown an end of the vote as if it were a grace"
    house.clock.forward(hours=1)
    assert timeouts.sweep_deadlines(house.site) == 1
    with house.site.reading() as session:
        assert session.get_one(SeatRow, (match_id, late)).misses == 1


@pytest.mark.long
def test_a_late_players_move_voids_the_votes_cast_before_it(house: House) -> None:
    match_id, late = twice_asked(house)
    voters = [seat for seat in range(4) if seat != late]
    voting.vote_to_let_clock_move(house.site, claim_of(house.site, match_id, voters[0]), late)
    house.play(match_id, late)
    ask = open_to(house, match_id, late)
    assert ask is not None
    assert ask.vote is None
    with pytest.raises(Gone):
        voting.vote_to_let_clock_move(house.site, claim_of(house.site, match_id, voters[1]), late)
    assert ask.acts_at == house.clock.at + timedelta(hours=6)
    house.drain()
    house.mail.clear()
    house.clock.forward(hours=6)
    assert timeouts.sweep_deadlines(house.site) == 0
    ask = open_to(house, match_id, late)
    assert ask is not None
    assert ask.vote is not None
    assert ask.vote.cast == ()
    house.drain()
    assert [kinds_of_mails(house, ("Alice", "Bob", "Carol", "Dave")[seat]) for seat in voters] == [["vote"]] * 3


def twice_asked(house: House) -> tuple[str, int]:
    """A match of four that votes on a seat which, once it has answered, is asked again in the same turn."""
    for _ in range(8):
        match_id = house.begin(4, late="vote")
        for seat in range(4):
            house.play(match_id, seat)
        for _ in range(12):
            house.drain()
            (asked,) = house.asks(match_id)
            with house.site.reading() as session:
                match = store.get_match(session, match_id)
                game = store.game_by_slug(match.game)
                state = store.Table(session, match).state
                first = next(iter(game.legal(state, asked.seat)))
                events = game.decide(
                    state, asked.seat, first, SeedChance(match.seed, match.version + 1, "decide", asked.seat)
                )
                for event in events:
                    state = game.evolve(state, event)
                goes_on = any((a.seat, a.turn) == (asked.seat, asked.turn) for a in game.pending(state))
            if goes_on:
                house.time_is_up(match_id)
                assert timeouts.sweep_deadlines(house.site) == 0
                return match_id, asked.seat
            house.play(match_id, asked.seat)
    raise AssertionError("nobody is asked twice in a turn")
