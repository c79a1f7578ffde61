"""Sending: due mail is sent at least once under one Message-ID, and never when it is stale."""

from contextlib import AbstractContextManager

import pytest
from sqlalchemy import text
from sqlmodel import Session

from pbem.errors import Busy
from pbem.mail.send import PermanentFailure, RelayDown, TemporaryFailure
from pbem.services.lobby import match_request, matches
from pbem.services.mail import sender
from pbem.services.mail.claims import claim_longest_due_mail
from pbem.services.players import players
from pbem.services.site import Site
from pbem.services.tokens import NeverClaim
from pbem.services.views import talk
from pbem.services.who import STRANGER
from tests.services.letterbox import kinds_of_mails, newest_mail, text_of
from tests.table import CAST, House, claim_of


def count_rows_by_result(house: House) -> dict[str, int]:
    """Returns the number of closed rows by result; None for open ones."""
    with house.site.engine.connect() as connection:
        return dict(map(tuple, connection.execute(text("SELECT result, count(*) FROM outbox GROUP BY result"))))


def test_every_open_question_is_mailed_once(house: House) -> None:
    house.begin()
    house.drain()
    house.mail.clear()
    assert house.drain() == 0
    assert count_rows_by_result(house).get("sent", 0) >= 3


@pytest.mark.long
def test_a_turn_answered_before_its_mail_went_out_is_not_mailed(house: House) -> None:
    match_id = house.begin()
    house.play(match_id, 1)
    house.drain()
    assert not [m for m in house.mail.to("bob@example.org") if "turn" in m["Message-ID"]]
    assert [m for m in house.mail.to("carol@example.org") if "turn" in m["Message-ID"]]


@pytest.mark.on_postgresql
def test_a_crash_between_sending_and_closing_repeats_the_same_message(house: House) -> None:
    house.create()
    house.drain()
    first = house.mail.all_sent[-1][1]
    with house.site.engine.begin() as connection:
        connection.execute(text("UPDATE outbox SET done_at = NULL, result = NULL, claimed_until = NULL"))
    house.drain()
    again = house.mail.all_sent[-1][1]
    assert len(house.mail.all_sent) == 2
    assert again["Message-ID"] == first["Message-ID"]
    assert again.as_bytes() == first.as_bytes()


def test_a_claimed_mail_is_not_sent_by_others_until_its_lease_ends(house: House) -> None:
    house.create()
    assert claim_longest_due_mail(house.site) is not None
    house.clock.forward(minutes=5)
    assert house.drain() == 0
    house.clock.forward(seconds=1)
    assert house.drain() == 1


@pytest.mark.long
def test_a_run_that_has_sent_its_share_wakes_the_next_and_claims_no_more(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    house.begin()
    house.drain()
    match_id = house.begin()
    monkeypatch.setattr(sender, "RUN", 2)
    house.wakes.clear()
    sender.drain(house.site, lambda: house.mail)
    with house.site.engine.connect() as connection:
        tried = text("SELECT count(*) FROM outbox WHERE match_id = :id AND (attempts > 0 OR claimed_until > :at)")
        assert connection.execute(tried, {"id": match_id, "at": house.clock()}).scalar() == 2
    assert len(house.wakes) == 1
    house.drain()
    assert all(ask.acts_at is not None for ask in house.asks(match_id))


@pytest.mark.long
def test_a_mail_deferred_by_the_relay_is_retried_later(house: House) -> None:
    house.create()
    house.mail.failing = TemporaryFailure(451, "later", "data")
    assert house.drain() == 0
    house.mail.failing = None
    assert house.drain() == 0
    house.clock.forward(seconds=60)
    assert house.drain() == 1


def test_a_mail_refused_for_good_by_the_relay_is_closed(house: House) -> None:
    house.create()
    house.mail.failing = PermanentFailure(550, "no such user", "recipient")
    house.drain()
    house.mail.failing = None
    house.clock.forward(days=1)
    assert house.drain() == 0
    assert count_rows_by_result(house) == {"refused": 1}


@pytest.mark.long
def test_while_the_relay_is_down_all_mails_stay_queued(house: House) -> None:
    house.begin()
    house.mail.failing = RelayDown("connection refused")
    assert house.drain() == 0
    house.mail.failing = None
    house.clock.forward(seconds=31)
    assert house.drain() >= 3


@pytest.mark.long
def test_a_muted_seat_gets_no_turn_mail(house: House) -> None:
    match_id = house.begin()
    with house.site.engine.begin() as connection:
        connection.execute(text("UPDATE seats SET muted = true WHERE seat = 1"))
    house.drain()
    assert not [m for m in house.mail.to("bob@example.org") if "turn" in m["Message-ID"]]
    assert match_id


def test_a_suppressed_address_gets_no_kind_of_mail(house: House) -> None:
    house.create()
    players.suppress_by_link(
        house.site, house.tokens.read(NeverClaim, house.site.tokens.sign_for(NeverClaim, 1, "alice@example.org"))
    )
    assert house.drain() == 0
    assert count_rows_by_result(house) == {"suppressed": 1}


def test_a_blocked_address_is_not_written_to(house: House) -> None:
    players.block_address(house.site, "ALICE@example.org")
    house.create()
    assert house.drain() == 0


def test_an_invitation_of_somebody_replaced_is_not_sent(house: House) -> None:
    match_id = house.create()
    house.drain()
    matches.confirm_match(house.site, house.claim("confirm", match_id, 0), "fr", "Europe/Paris")
    matches.invite_to_untaken_seat(
        house.site, house.claim("play", match_id, 0), 2, match_request.Invitee("Dave", "dave@example.org")
    )
    house.drain()
    assert not house.mail.to("carol@example.org")
    assert len(house.mail.to("dave@example.org")) == 1


@pytest.mark.long
def test_the_end_of_a_match_is_mailed_to_every_seat(house: House) -> None:
    match_id = house.begin()
    house.play_out(match_id)
    house.drain()
    for name in ("alice", "bob", "carol"):
        assert "over" in house.mail.to(f"{name}@example.org")[-1]["Message-ID"]


@pytest.mark.long
def test_a_turn_mail_waits_for_its_hold(house_that_holds: House) -> None:
    house_that_holds.begin()
    house_that_holds.drain()
    house_that_holds.mail.clear()
    house_that_holds.clock.forward(seconds=61)
    assert house_that_holds.drain() == 3


@pytest.mark.long
def test_an_answer_within_the_hold_still_mails_the_question_that_follows(house_that_holds: House) -> None:
    """A player who answers and leaves before the call must hear of it, even after an answer within the hold."""
    house = house_that_holds
    match_id = house.begin()
    for seat in range(3):
        house.play(match_id, seat)
    while True:
        before = house.asks(match_id)[0]
        house.play(match_id, before.seat)
        after = house.asks(match_id)[0]
        if before.kind == "answer" and after.seat == before.seat:
            break
    house.clock.forward(seconds=61)
    house.drain()
    mails = [m for to, m in house.mail.all_sent if "turn" in m["Message-ID"]]
    assert len(mails) == 1
    body = mails[0].get_body(("plain",))
    assert body is not None
    assert after.key in body.get_content()


@pytest.mark.long
def test_the_worker_is_woken_after_the_commit_that_made_a_mail_due(house: House) -> None:
    house.wakes.clear()
    match_id = house.begin()
    assert house.wakes
    house.wakes.clear()
    with house.site.reading():
        pass
    assert not house.wakes
    assert match_id


@pytest.mark.long
def test_a_long_queue_is_sent_in_several_runs_that_each_wake_the_next(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sender, "RUN", 2)
    house.begin(4)
    runs = 0
    while True:
        house.wakes.clear()
        sent = sender.drain(house.site, lambda: house.mail)
        runs += 1
        assert sent <= 2
        if not house.wakes:
            break
    assert runs > 2
    assert len([m for _, m in house.mail.all_sent if "turn" in m["Message-ID"]]) == 4


@pytest.mark.long
def test_only_three_invitations_by_strangers_reach_an_address_each_day(house_with_caps: House) -> None:
    """Three invitations to one stranger leave on one day; two mails remain for sign-in links, and the rest waits."""
    house = house_with_caps
    for number in range(6):
        people = [
            match_request.Invitee("Alice", f"alice{number}@example.org"),
            match_request.Invitee("Bob", "bob@example.org"),
        ]
        wanted = match_request.NewMatch(
            "hogen", [*people, match_request.Invitee("Carol", f"carol{number}@example.org")]
        )
        match_id = matches.create_match(house.site, STRANGER, wanted)
        matches.confirm_match(house.site, house.claim("confirm", match_id, 0), "fr", "Europe/Paris")
    house.drain()
    assert len(house.mail.to("bob@example.org")) == 3
    house.clock.forward(days=1, seconds=1)
    house.drain()
    assert len(house.mail.to("bob@example.org")) == 6


def test_a_mail_whose_row_is_locked_late_for_closing_is_not_sent_twice(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    house.create()
    busy = [True, True]

    writing = Site.writing

    def open_later(site: Site) -> AbstractContextManager[Session]:
        if house.mail.all_sent and busy:
            busy.pop()
            raise Busy("busy")
        return writing(site)

    monkeypatch.setattr(Site, "writing", open_later)
    monkeypatch.setattr(sender, "values_to_start_clock", lambda *_: None)  # so its row is closed under the lock
    assert house.drain() == 1
    assert not busy
    monkeypatch.undo()
    house.clock.forward(minutes=10)
    assert house.drain() == 0


@pytest.mark.long
def test_turn_mails_announce_the_start_and_the_others_get_a_started_mail(
    house: House,
) -> None:
    match_id = house.begin(3, "hagakure")
    house.drain()
    asked = {ask.seat for ask in house.asks(match_id)}
    assert 0 < len(asked) < 3
    for seat, name in enumerate(CAST[:3]):
        mine = [kind for kind in kinds_of_mails(house, name) if kind in ("turn", "started")]
        assert mine == ["turn" if seat in asked else "started"]
        begun = "La partie a commencé." if seat == 0 else "The match has begun."
        if seat in asked:
            assert begun in text_of(newest_mail(house, name))
            assert "/rules/hagakure" in text_of(newest_mail(house, name))


@pytest.mark.long
def test_only_the_first_turn_mail_says_that_the_match_has_begun(house: House) -> None:
    match_id = house.begin()
    house.drain()
    assert "The match has begun." in text_of(newest_mail(house, "Bob"))
    while kinds_of_mails(house, "Bob").count("turn") < 2:
        house.play(match_id, house.asks(match_id)[0].seat)
        house.drain()
    assert "The match has begun." not in text_of(newest_mail(house, "Bob"))


@pytest.mark.long
def test_a_player_asked_before_the_started_mail_leaves_gets_one_mail(house_that_holds: House) -> None:
    house = house_that_holds
    match_id = house.begin(3, "hagakure")
    first = house.asks(match_id)[0].seat
    while any(ask.seat == first for ask in house.asks(match_id)):
        house.play(match_id, first)
    second = house.asks(match_id)[0].seat
    house.clock.forward(seconds=61)
    house.drain()
    assert [kind for kind in kinds_of_mails(house, CAST[second]) if kind in ("turn", "started")] == ["turn"]
    begun = "La partie a commencé." if second == 0 else "The match has begun."
    assert begun in text_of(newest_mail(house, CAST[second]))


@pytest.mark.long
def test_a_turn_mail_quotes_what_others_said_since_the_readers_last_move(house: House) -> None:
    match_id = house.begin()
    talk.post_message(house.site, claim_of(house.site, match_id, 2), "Before the first move")
    house.clock.forward(minutes=1)
    for seat in range(3):
        house.play(match_id, seat)
    house.drain()
    house.clock.forward(minutes=1)
    reader = 2 if house.asks(match_id)[0].seat == 1 else 1  # Alice reads French
    other = (reader + 1) % 3
    talk.post_message(house.site, claim_of(house.site, match_id, other), "Good luck, see www.example.org")
    talk.post_message(house.site, claim_of(house.site, match_id, reader), "Thank you")
    while not any(ask.seat == reader for ask in house.asks(match_id)):
        house.play(match_id, house.asks(match_id)[0].seat)
    house.drain()
    said = text_of(newest_mail(house, CAST[reader]))
    assert f"{CAST[other]}: “Good luck, see www.\u200bexample.\u200borg”" in said
    assert "Thank you" not in said, "he knows what he has said himself"
    assert "Before the first move" not in said


@pytest.mark.long
def test_the_end_mail_lists_winners_first_and_links_the_seat_and_replay(house: House) -> None:
    match_id = house.begin(3, "hagakure", options={"rounds": 1})
    house.play_on(match_id)
    house.drain()
    said = text_of(newest_mail(house, "Bob"))
    assert f"/play/{house.token('play', match_id, 1)}\n" in said
    assert f"/replay/{match_id}\n" in said
    table = [line for line in said.split("The result\n")[1].split("\n\n")[0].splitlines() if line]
    assert len(table) == 3
    won = [line.endswith("winner") for line in table]
    assert won == sorted(won, reverse=True)
