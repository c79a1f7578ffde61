"""A mail that cannot be sent is given up after a bounded time: the clock goes on, and the host is told for a day."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from sqlmodel import select
from structlog.testing import capture_logs

from pbem.mail import compose as compose_module
from pbem.mail.compose import TooLarge
from pbem.mail.send import PermanentFailure
from pbem.models.tables import OutboxRow
from pbem.services.monitoring import alarm, health
from pbem.services.players import bounces
from tests.features.inbox.replying import (
    answers_to,
    comes_in,
    judge_with_verdict,
    mail_of_player,
    row_of,
    send_and_read,
    token_of,
)
from tests.services.letterbox import player_of
from tests.services.mail.stage.rendering import open_asks_by_seat, run_workers_for_hours, unsent_mails
from tests.table import House, address_of


def mail_state_of_readyz(house: House) -> str:
    return health.read_health(house.site.config, house.clock()).mail


@pytest.mark.long
def test_a_mail_too_large_to_send_is_given_up_soon_and_starts_the_clock(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    match_id = house.begin()

    def overflow(letter: object, *_: object) -> object:
        if getattr(letter, "to", "") == address_of("Bob"):
            raise TooLarge("the HTML has too many bytes")
        return render(letter, *_)  # type: ignore[arg-type]

    render = compose_module.render_letter
    monkeypatch.setattr(compose_module, "render_letter", overflow)
    house.drain()
    assert mail_state_of_readyz(house) == "unrendered"
    said = run_workers_for_hours(house, 4, at_once=1)
    assert "mail.unrendered" in said
    assert not unsent_mails(house)
    assert open_asks_by_seat(house, match_id)[1].acts_at is not None
    assert player_of(house, "Bob").bounced_at is None
    assert mail_state_of_readyz(house) == "given_up"
    assert health.read_health(house.site.config, house.clock()).readiness_word == "degraded"
    with capture_logs() as lines:
        house.clock.forward(hours=25)
        alarm.watch_mails(house.site)
        alarm.watch_mails(house.site)
    assert [line["event"] for line in lines if line["event"] == "mail.none_unsent"] == ["mail.none_unsent"]
    assert mail_state_of_readyz(house) != "given_up"


def test_a_mail_refused_for_its_content_is_dropped_even_if_no_other_leaves(house: House) -> None:
    match_id = house.begin()
    refusal = PermanentFailure(552, "5.3.4 message too big", "data")
    house.mail.refusing = {address_of(name): refusal for name in ("Alice", "Bob", "Carol")}
    house.drain()
    assert [row.result for row in unsent_mails(house) if row.kind == "turn"] == [None] * 3
    with house.site.writing() as work:
        for row in work.exec(select(OutboxRow).where(OutboxRow.kind == "turn")):
            row.attempts = bounces.LIFE_S // bounces.LAST_RETRY_S + 10  # as after five days
    house.clock.forward(days=10)  # no other mail has left meanwhile
    house.drain()
    with house.site.reading() as session:
        results = session.exec(select(OutboxRow.result).where(OutboxRow.kind == "turn")).all()
    assert {*results} == {"rejected"}
    assert open_asks_by_seat(house, match_id)[1].acts_at is not None
    assert mail_state_of_readyz(house) == "given_up"
    assert player_of(house, "Bob").bounced_at is None


@pytest.mark.long
def test_a_reply_with_one_endless_line_is_answered(make_house: Callable[..., House]) -> None:
    house = make_house(**comes_in())
    match_id = house.begin(game="allegeance")
    seat = house.asks(match_id)[0].seat
    who = ("Alice", "Bob", "Carol")[seat]
    token = token_of(house, match_id, seat)
    for text in ("&" * 20_000, "say " + "<" * 20_000, "order " + "&" * 20_000, "\n".join(["what & why"] * 500)):
        assert send_and_read(house, mail_of_player(house, who, token, text), judge_with_verdict("act")).answered, (
            row_of(house).detail
        )
    answers = answers_to(house, who)
    assert len(answers) == 4
    assert "…" in answers[0]
    assert not unsent_mails(house)
