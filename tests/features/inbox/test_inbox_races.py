"""Two readers at once, and readers that are stopped between their steps: nothing twice, nothing lost."""

from __future__ import annotations

import pytest
from sqlmodel import Session

from pbem.features.inbox import acting, closing, reading
from pbem.features.inbox.tables import InboxRow
from pbem.features.inbox.ways.intake import take_in_mail
from pbem.services.views import match_views, talk
from tests.features.inbox.replying import answers_to, inbox_rows, judge_with_verdict, mail_of_player, row_of, token_of
from tests.services.play.stage.races import at_once
from tests.table import CAST, House


def version_of_match(house: House, match_id: str) -> int:
    return match_views.read_sheet(house.site, match_id, None).version


@pytest.mark.long
def test_two_workers_reading_the_same_mail_play_one_move(house: House) -> None:
    match_id = house.begin(game="allegeance")
    seat = house.asks(match_id)[0].seat
    take_in_mail(
        house.site, mail_of_player(house, CAST[seat], token_of(house, match_id, seat), "F3\nsay Hello!"), via="lmtp"
    )
    # The same row for both, as when the lease of one has ended.
    at_once(*[lambda: reading.read_and_act_on_claimed_row(house.site, 1, judge_with_verdict("act"))] * 2)
    assert row_of(house).verdict == "acted"
    assert len(talk.read_talk(house.site, match_id, 0).messages) == 1
    assert len([one for one in house.view(match_id, seat).entries if one.by.via == "mail"]) >= 1
    assert len(answers_to(house, CAST[seat])) == 1


@pytest.mark.long
def test_one_mail_delivered_twice_and_read_simultaneously_is_one_move(house: House) -> None:
    match_id = house.begin(game="allegeance")
    seat = house.asks(match_id)[0].seat
    raw = mail_of_player(house, CAST[seat], token_of(house, match_id, seat), "say Hello!")
    take_in_mail(house.site, raw, via="imap")
    take_in_mail(house.site, raw, via="lmtp", recipients=["one@pbem.example"])
    at_once(*[lambda: reading.read_inbox(house.site, judge_with_verdict("act"))] * 2)
    reading.read_inbox(house.site, judge_with_verdict("act"))
    assert sorted(str(row.verdict) for row in inbox_rows(house)) == ["acted", "duplicate"]
    assert len(answers_to(house, CAST[seat])) == 1


@pytest.mark.long
def test_many_workers_read_each_of_many_mails_once(house: House) -> None:
    match_id = house.begin(game="allegeance")
    for number in range(20):
        seat = number % 3
        take_in_mail(
            house.site,
            mail_of_player(house, CAST[seat], token_of(house, match_id, seat, ""), f"say {number}"),
            via="lmtp",
        )
    read = at_once(*[lambda: reading.read_inbox(house.site, judge_with_verdict("act"))] * 4)
    assert sum(n for n in read if isinstance(n, int)) >= 20
    assert {row.verdict for row in inbox_rows(house)} == {"acted"}
    assert sorted(int(one.text) for one in talk.read_talk(house.site, match_id, 0).messages) == [*range(20)]


class Killed(BaseException):
    """As if by kill -9: nothing that catches exceptions catches it."""


@pytest.mark.long
@pytest.mark.parametrize("step", ["has_come_before", "queue_answer", "close_mail_within", "_queue_answer_if_needed"])
def test_a_worker_killed_at_any_step_loses_no_mail_and_plays_none_twice(
    house: House, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    match_id = house.begin(game="allegeance")
    seat = house.asks(match_id)[0].seat
    before = version_of_match(house, match_id)
    take_in_mail(house.site, mail_of_player(house, CAST[seat], token_of(house, match_id, seat), "F3"), via="lmtp")

    def die(*_: object, **__: object) -> None:
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(acting, step, die)
        with pytest.raises(Killed):
            reading.read_inbox(house.site, judge_with_verdict("act"))
    assert version_of_match(house, match_id) == before
    assert answers_to(house, CAST[seat]) == []
    house.clock.forward(minutes=5, seconds=1)
    assert reading.read_inbox(house.site, judge_with_verdict("act")) == 1
    assert (row_of(house).verdict, row_of(house).attempts) == ("acted", 2)
    after = version_of_match(house, match_id)
    assert after > before
    assert len(answers_to(house, CAST[seat])) == 1
    reading.read_inbox(house.site, judge_with_verdict("act"))
    assert version_of_match(house, match_id) == after


def test_a_worker_that_finds_the_mail_already_done_rolls_back(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    match_id = house.begin(game="allegeance")
    seat = house.asks(match_id)[0].seat
    before = version_of_match(house, match_id)
    take_in_mail(house.site, mail_of_player(house, CAST[seat], token_of(house, match_id, seat), "F3"), via="lmtp")
    looked = closing.has_come_before

    def close_first(work: Session, letter: closing.Letter) -> bool:
        row = work.get_one(InboxRow, 1)
        row.done_at, row.verdict = house.clock(), "stranger"
        work.flush()
        return looked(work, letter)

    monkeypatch.setattr(acting, "has_come_before", close_first)
    reading.read_inbox(house.site, judge_with_verdict("act"))
    assert version_of_match(house, match_id) == before
    assert answers_to(house, CAST[seat]) == []
