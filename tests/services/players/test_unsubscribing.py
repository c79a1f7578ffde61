"""A mail program's "unsubscribe" button: its effect for a stranger and for a player, on every kind of mail."""

from __future__ import annotations

from datetime import timedelta
from email.message import EmailMessage

import pytest

from pbem.services.lobby import matches
from pbem.services.mail import digests, reminders
from pbem.services.play import timeouts
from pbem.services.players import players
from pbem.services.players.players import request_links
from pbem.services.tokens import MuteClaim, NeverClaim
from pbem.services.views import seats
from tests.services.letterbox import kinds_of_mails, newest_mail, once_a_day, player_of, text_of
from tests.services.play.stage.substitutes import ask_for_vacant_seat, match_with_absent_bob, token_to_share
from tests.table import CAST, House, address_of


def way_out(mail: EmailMessage) -> str | None:
    """Returns where the button posts to: mute, digest or never; None without one."""
    found = mail["List-Unsubscribe"]
    if found is None:
        assert "List-Unsubscribe-Post" not in mail
        return None
    assert mail["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    return str(found).strip("<>").removeprefix("http://127.0.0.1:8000/").split("/")[0]


def kind_of(mail: EmailMessage) -> str:
    """Returns the kind of the mail."""
    return str(mail["Message-ID"]).strip("<").split("-")[0]


@pytest.mark.long
def test_a_stranger_who_unsubscribes_is_never_mailed_again(house: House) -> None:
    match_id = house.create()
    house.drain()
    assert (kinds_of_mails(house, "Alice"), way_out(newest_mail(house, "Alice"))) == (["confirm"], "never")
    matches.confirm_match(house.site, house.claim("confirm", match_id, 0), "en", "Europe/Paris")
    house.drain()
    assert (kinds_of_mails(house, "Bob"), way_out(newest_mail(house, "Bob"))) == (["invitation"], "never")
    token = str(newest_mail(house, "Bob")["List-Unsubscribe"]).strip("<>").split("/")[-1]
    players.suppress_by_link(house.site, house.tokens.read(NeverClaim, token))
    house.create()
    request_links(house.site, "bob@example.org")
    house.drain()
    assert kinds_of_mails(house, "Bob") == ["invitation"]


@pytest.mark.long
def test_every_mail_can_mute_its_match_except_those_the_player_asked_for(house: House) -> None:
    first = house.begin()
    house.drain()
    house.clock.forward(hours=36)
    reminders.sweep_reminders(house.site)
    house.drain()
    for _ in range(2):  # nobody plays: the clock does, and all are absent
        house.time_is_up(first)
        timeouts.sweep_deadlines(house.site)
        house.drain()
    other = house.begin()
    house.play_out(other)
    again = house.create()
    house.drain()
    matches.confirm_match(house.site, house.claim("confirm", again, 0), "en", "Europe/Paris")
    matches.decline_invitation(house.site, house.claim("invitation", again, 1))
    request_links(house.site, "alice@example.org")
    house.drain()
    matches.cancel_or_leave_match(house.site, house.claim("play", again, 0))
    once_a_day(house, "Alice", 18)
    house.begin(turn_s=60 * 86_400)
    house.clock.forward(hours=24)
    digests.queue_digests_and_reopen_mails(house.site)
    house.drain()
    ways = {
        (kind_of(mail), way_out(mail)) for name in CAST[:3] for mail in house.mail.to(f"{name.lower()}@example.org")
    }
    known = {"turn", "reminder", "over", "declined", "cancelled", "absent"}
    assert {kind for kind, way in ways if way == "mute"} >= known
    assert ways - {(kind, "mute") for kind in (*known, "started", "paused", "vote")} == {
        ("confirm", "mute"), ("invitation", "mute"), ("digest", "digest"), ("links", None),
    }  # fmt: skip


def test_accepting_a_muted_invitation_brings_the_mails_of_the_match(house: House) -> None:
    house.begin()
    match_id = house.create()
    matches.confirm_match(house.site, house.claim("confirm", match_id, 0), "en", "Europe/Paris")
    house.drain()
    invitation = next(mail for mail in reversed(house.mail.to("bob@example.org")) if kind_of(mail) == "invitation")
    assert way_out(invitation) == "mute"
    seats.mute(
        house.site,
        house.tokens.read(MuteClaim, str(invitation["List-Unsubscribe"]).strip("<>").split("/")[-1]),
        True,
    )
    for seat in (1, 2):
        matches.accept_invitation(house.site, house.claim("invitation", match_id, seat), "en", "Europe/London")
    house.drain()
    turns = [mail for mail in house.mail.to("bob@example.org") if kind_of(mail) == "turn"]
    assert house.token("play", match_id, 1) in text_of(turns[-1])


@pytest.mark.long
@pytest.mark.parametrize("name", ["Alice", "Bob"])
def test_muting_a_match_keeps_the_seat_and_its_clock(house: House, name: str) -> None:
    match_id = house.begin()
    seat = CAST.index(name)
    seats.mute(house.site, house.claim("mute", match_id, seat), True)
    house.drain()
    assert player_of(house, name).verified_at is not None
    assert {ask.seat for ask in house.asks(match_id)} == {0, 1, 2}
    house.time_is_up(match_id)
    assert house.clock.at > house.view(match_id, None).sheet.created_at + timedelta(days=3)
    assert timeouts.sweep_deadlines(house.site) == 3


@pytest.mark.long
def test_a_mail_offering_a_seat_unsubscribes_strangers_but_no_players(house: House) -> None:
    match_id = match_with_absent_bob(house)
    house.begin(4)  # Dave plays elsewhere
    token = token_to_share(house, match_id)
    for name in ("Charlie", "Dave"):
        ask_for_vacant_seat(house, token, name)
    house.drain()
    found = {
        name: [way_out(mail) for mail in house.mail.to(address_of(name)) if kind_of(mail) == "substitute"]
        for name in ("Charlie", "Dave")
    }
    assert found == {"Charlie": ["never"], "Dave": [None]}, "one click mutes, and he has no seat to mute there"
    assert "/never/" in text_of(newest_mail(house, "Dave")), "the page with that button is named in the mail"
