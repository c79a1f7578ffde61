"""Mail that strangers cause: it is limited, and the limits lock nobody out."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime, timedelta

import pytest
from sqlmodel import Session, col, select
from structlog.testing import capture_logs

from pbem.environment import Smtp
from pbem.errors import TooMany
from pbem.mail.send import RelayDown
from pbem.models.accounts import QuotaRow
from pbem.models.tables import OutboxRow, Player
from pbem.services.lobby import matches
from pbem.services.lobby.match_request import Invitee, NewMatch
from pbem.services.mail import sender
from pbem.services.monitoring import alarm, health
from pbem.services.players import players, quotas
from pbem.services.privacy import address_change, retention
from pbem.services.who import STRANGER, Caller
from tests.harness.cases import cases
from tests.services.letterbox import player_of, text_of
from tests.services.play.stage.races import at_once
from tests.table import House, Outgoing, address_of

MakeHouse = Callable[..., House]
RELAY = Smtp(host="127.0.0.1", port=25, user=None, password=None, tls="none", timeout=5)


@pytest.fixture
def public_house(make_house: MakeHouse) -> House:
    """A house that sends mail."""
    return make_house(smtp=RELAY)


def name_as_organiser(house: House, address: str, who: Caller = STRANGER) -> str:
    """Starts a match in the name of this address; returns its id."""
    names = [name for name in ("Bob", "Carol", "Dave") if address_of(name) != address]
    others = [Invitee(name, address_of(name)) for name in names[:2]]
    return matches.create_match(house.site, who, NewMatch("hogen", [Invitee("Alice", address), *others]))


def mails_to(house: House, part: str) -> int:
    """Returns the number of mails that have left to addresses that contain this text."""
    return sum(part in to for to, _ in house.mail.all_sent)


def waiting_mails(session: Session) -> list[OutboxRow]:
    return list(session.exec(select(OutboxRow).where(col(OutboxRow.done_at).is_(None))).all())


# --- unverified addresses ------------------------------------------------------------------------------------


@pytest.mark.long
def test_twenty_matches_naming_aliases_of_one_mailbox_send_it_three_mails(public_house: House) -> None:
    house = public_house
    for number in range(10):
        name_as_organiser(house, f"vic.tim+{number}@example.org")
        name_as_organiser(house, f"v.i.ctim+x{number}@example.org")
    house.drain()
    assert mails_to(house, "tim+") == 3


@pytest.mark.long
def test_a_waiting_mail_that_can_be_requested_again_is_dropped_after_a_day(public_house: House) -> None:
    house = public_house
    for number in range(8):
        name_as_organiser(house, f"victim+{number}@example.org")
    house.drain()
    house.clock.forward(hours=23)
    house.drain()
    assert mails_to(house, "victim+") == 3
    house.clock.forward(hours=1, seconds=1)
    house.drain()
    assert mails_to(house, "victim+") == 6
    with house.site.reading() as session:
        assert waiting_mails(session) == []
        dropped = session.exec(select(OutboxRow).where(OutboxRow.result == "capped")).all()
        assert len(dropped) == 2


@pytest.mark.long
def test_all_kinds_of_mail_to_one_unverified_address_are_counted_together(public_house: House) -> None:
    house = public_house
    for number in range(3):  # Bob is invited three times
        match_id = name_as_organiser(house, f"alice{number}@example.org")
        matches.confirm_match(house.site, house.claim("confirm", match_id, 0), "en", "Europe/London")
    for _ in range(2):  # asked for sign-in links twice
        players.request_links(house.site, address_of("Bob"))
        house.drain()
        house.clock.forward(minutes=11)
    for _ in range(2):  # and named as organiser twice
        name_as_organiser(house, address_of("Bob"))
    house.drain()
    assert mails_to(house, "bob@") == 5


@pytest.mark.long
def test_mails_about_a_change_of_address_share_the_limit_of_the_new_one(public_house: House) -> None:
    house = public_house
    house.begin()
    house.drain()
    for number in range(2):
        name_as_organiser(house, f"victim+{number}@example.org")
    for name in ("Alice", "Bob", "Carol"):
        player_id = player_of(house, name).id
        assert player_id is not None
        address_change.request_change(house.site, player_id, "vic.tim@example.org")
    house.drain()
    assert mails_to(house, "tim") == 3


@pytest.mark.long
def test_the_site_limits_daily_mails_to_unverified_addresses_but_no_others(make_house: MakeHouse) -> None:
    house = make_house(smtp=RELAY, unverified_mails_per_day=6)
    match_id = house.begin()  # the three have verified their addresses before any mail was counted
    house.drain()
    for number in range(14):
        name_as_organiser(house, f"victim{number}@domain{number}.example")
    players.request_links(house.site, address_of("Bob"))
    house.play(match_id, 0)
    house.drain()
    assert mails_to(house, "victim") == 6
    assert any("links" in m["Message-ID"] for m in house.mail.to(address_of("Bob")))
    house.clock.forward(hours=25)
    name_as_organiser(house, "newcomer@example.org")
    house.drain()
    assert mails_to(house, "victim") + mails_to(house, "newcomer") == 12


def test_the_sites_used_up_mail_quota_is_logged_once(make_house: MakeHouse) -> None:
    house = make_house(smtp=RELAY, unverified_mails_per_day=2)
    for number in range(6):
        name_as_organiser(house, f"victim{number}@domain{number}.example")
    with capture_logs() as lines:
        house.drain()
        for _ in range(3):
            alarm.watch_mails(house.site)
    assert [line["event"] for line in lines if line["log_level"] == "error"] == ["mail.site_quota_spent"]
    with house.site.reading() as session:
        assert health.mail_state(session.connection(), house.clock(), house.site.config) == "held_back"
        assert (
            health.mail_state(session.connection(), house.clock() + timedelta(days=2), house.site.config) != "held_back"
        )


@pytest.mark.long
def test_verifying_an_address_lifts_its_mail_limit_within_the_hour(public_house: House) -> None:
    house = public_house
    for number in range(7):
        match_id = name_as_organiser(house, f"alice{number}@example.org")
        matches.confirm_match(house.site, house.claim("confirm", match_id, 0), "en", "Europe/London")
    house.drain()
    assert mails_to(house, "bob@") == 3
    matches.accept_invitation(house.site, house.claim("invitation", match_id, 1), "en", "Europe/London")
    house.clock.forward(hours=1)
    house.drain()
    assert mails_to(house, "bob@") == 6, "all but the invitation that he has accepted"


@pytest.mark.long
def test_a_mail_that_is_tried_again_is_counted_once(public_house: House) -> None:
    house = public_house
    for number in range(3):
        name_as_organiser(house, f"victim+{number}@example.org")
    house.mail.failing = RelayDown("no connection")
    for _ in range(10):
        house.drain()
        house.clock.forward(minutes=1)
    house.mail.failing = None
    house.drain()
    assert mails_to(house, "victim+") == 3


@pytest.mark.long
def test_several_simultaneous_sending_runs_share_one_quota(public_house: House) -> None:
    house = public_house
    for number in range(12):
        name_as_organiser(house, f"victim+{number}@example.org")
    post = Outgoing()
    at_once(*(lambda: sender.drain(house.site, lambda: post) for _ in range(4)))
    assert sum("victim+" in to for to, _ in post.all_sent) == 3


@pytest.mark.long
def test_without_outgoing_mail_no_quota_holds_mail_back(house: House) -> None:
    for number in range(12):
        name_as_organiser(house, f"victim+{number}@example.org")
    house.drain()
    assert mails_to(house, "victim+") == 12


@cases(
    "one, other, same",
    [
        ("alice@example.org", "alice+games@example.org", True),
        ("alice@example.org", "a.l.ice@example.org", True),
        ("alice@gmail.com", "al.ice+x@googlemail.com", True),
        ("alice@example.org", "alice@example.com", False),
        ("alice@example.org", "alicia@example.org", False),
        ("jean-luc@example.org", "jean-marc@example.org", False),
        ("+one@example.org", "+two@example.org", False),
    ],
)
def test_addresses_of_one_mailbox_share_a_quota(one: str, other: str, same: bool) -> None:
    assert (quotas.mailbox_for_quotas(one) == quotas.mailbox_for_quotas(other)) is same


def test_sharing_a_quota_makes_no_two_addresses_one_player(public_house: House) -> None:
    name_as_organiser(public_house, "alice+a@example.org")
    name_as_organiser(public_house, "al.ice@example.org")
    with public_house.site.reading() as session:
        known = {player.canonical for player in session.exec(select(Player))}
    assert {"alice+a@example.org", "al.ice@example.org"} <= known


# --- quotas --------------------------------------------------------------------------------------------------


@pytest.mark.long
def test_many_simultaneous_requests_do_not_exceed_a_quota(house: House) -> None:
    def take() -> bool:
        try:
            with house.site.writing() as session:
                quotas.take_from_quota_or_raise(session, quotas.Quota("last", 3), house.clock())
        except quotas.Spent:
            return False
        return True

    assert sum(map(bool, at_once(*[take] * 8))) == 3


@pytest.mark.long
def test_a_quota_is_free_again_after_a_day_and_is_then_deleted(house: House) -> None:
    name = quotas.Quota("one", 1)

    def take(now: datetime) -> None:
        with house.site.writing() as session:
            quotas.take_from_quota_or_raise(session, name, now)

    take(house.clock())
    house.clock.forward(hours=6)
    with pytest.raises(quotas.Spent) as spent:
        take(house.clock())
    assert spent.value.wait_s(house.clock()) == 18 * 3600 + 1
    assert what_is_kept(house) == ["one"]
    retention.delete_old_rows(house.site)
    assert what_is_kept(house) == ["one"]
    house.clock.forward(hours=18)
    take(house.clock())
    house.clock.forward(days=1)
    retention.delete_old_rows(house.site)
    assert what_is_kept(house) == []


def what_is_kept(house: House) -> list[str]:
    with house.site.reading() as session:
        return list(session.exec(select(QuotaRow.name)).all())


def test_no_stored_quota_contains_an_address(public_house: House) -> None:
    name_as_organiser(public_house, "victim@example.org")
    public_house.drain()
    assert len(what_is_kept(public_house)) == 2
    assert not any("victim" in name or "@" in name for name in what_is_kept(public_house))


# --- nobody is locked out ------------------------------------------------------------------------------------


@pytest.mark.long
def test_strangers_naming_an_organiser_use_up_none_of_their_daily_matches(house_with_caps: House) -> None:
    """Two matches a day are the cap here. Alice is known, Charlie is not: a stranger sees the same for both."""
    house = house_with_caps
    house.begin()
    alice = player_of(house, "Alice").id
    assert alice is not None
    for _ in range(10):
        for name in ("Alice", "Charlie"):
            assert name_as_organiser(house, address_of(name))
    own = name_as_organiser(house, address_of("Alice"), who=alice)
    assert house.view(own, None).sheet.status == "inviting"
    with pytest.raises(TooMany, match="started many matches"):
        name_as_organiser(house, address_of("Alice"), who=alice)
    assert name_as_organiser(house, address_of("Alice")), "a stranger is not told so"


@pytest.mark.long
def test_matches_started_by_strangers_use_up_no_other_mail_to_an_organiser(make_house: MakeHouse) -> None:
    house = make_house(smtp=RELAY, mails_per_address_day=4)
    house.begin()
    house.drain()
    for _ in range(20):
        name_as_organiser(house, address_of("Alice"))
    house.drain()
    assert kinds_of_mails(house, "Alice").count("confirm") == 10
    match_id = name_as_organiser(house, address_of("Dave"))
    others = NewMatch(
        "hogen",
        [Invitee("Dave", address_of("Dave")), Invitee("A", address_of("Alice")), Invitee("C", address_of("Carol"))],
    )
    match_id = matches.create_match(house.site, STRANGER, others)
    matches.confirm_match(house.site, house.claim("confirm", match_id, 0), "en", "Europe/London")
    house.drain()
    assert kinds_of_mails(house, "Alice")[-1] == "invitation"


@pytest.mark.long
def test_a_match_from_the_owners_browser_is_mailed_despite_strangers(
    public_house: House,
) -> None:
    house = public_house
    house.begin()
    house.drain()
    alice = player_of(house, "Alice").id
    for _ in range(12):
        name_as_organiser(house, address_of("Alice"))
    house.drain()
    before = len(house.mail.to(address_of("Alice")))
    people = [Invitee(name, address_of(name)) for name in ("Alice", "Bob", "Carol")]
    matches.create_match(house.site, STRANGER, NewMatch("hogen", people), browser=alice)
    house.drain()
    assert len(house.mail.to(address_of("Alice"))) == before + 1


def test_matches_started_by_strangers_keep_no_organiser_from_confirming(public_house: House) -> None:
    """Alice plays by the links in her mails: nothing proves that she is the one who starts a match."""
    house = public_house
    house.begin()
    house.drain()
    for _ in range(10):
        name_as_organiser(house, address_of("Alice"))
    house.drain()
    before = len(house.mail.to(address_of("Alice")))
    own = name_as_organiser(house, address_of("Alice"))
    for _ in range(20):
        name_as_organiser(house, address_of("Alice"))
    house.drain()
    (listed,) = house.mail.to(address_of("Alice"))[before:]
    links = re.findall(r"/confirm/(\S+)", text_of(listed))
    assert len(links) == len(set(links)) == 31
    assert house.token("confirm", own, 0) in links
    with house.site.reading() as session:
        assert waiting_mails(session) == []
    assert matches.confirm_match(house.site, house.claim("confirm", own, 0), "en", "Europe/London") == own
    later = name_as_organiser(house, address_of("Alice"))
    house.drain()
    assert len(house.mail.to(address_of("Alice"))) == before + 1
    house.clock.forward(minutes=10)
    house.drain()
    (again,) = house.mail.to(address_of("Alice"))[before + 1 :]
    assert house.token("confirm", later, 0) in text_of(again)
    assert f"/confirm/{house.token('confirm', own, 0)}" not in text_of(again)


def test_one_who_is_only_invited_to_a_match_is_not_asked_to_confirm_it(public_house: House) -> None:
    house = public_house
    house.begin()
    name_as_organiser(house, address_of("Alice"))
    players.request_links(house.site, address_of("Bob"))
    house.drain()
    assert "/confirm/" not in text_of(house.mail.to(address_of("Bob"))[-1])


def kinds_of_mails(house: House, name: str) -> list[str]:
    return [str(m["Message-ID"]).strip("<").split("-")[0] for m in house.mail.to(address_of(name))]


def works_until(house: House, name: str) -> datetime:
    """Returns the time until which the newest sign-in link in the mailbox works."""
    found = (re.search(r"/account/(\S+)", text_of(mail)) for mail in reversed(house.mail.to(address_of(name))))
    token = next(link[1] for link in found if link is not None)
    until = house.tokens.read_account(token, house.clock()).until
    assert until is not None
    return until


@pytest.mark.long
def test_owners_can_always_sign_in_however_often_strangers_ask(public_house: House) -> None:
    house = public_house
    house.begin()
    house.drain()
    before = len(house.mail.to(address_of("Alice")))
    for _ in range(6 * 24):  # strangers ask every ten minutes for a day
        players.request_links(house.site, address_of("Alice"))
        house.drain()
        # the mailbox always holds a link that works for a while, even if the last request was refused
        assert works_until(house, "Alice") - house.clock() >= players.FRESH
        house.clock.forward(minutes=10)
    assert len(house.mail.to(address_of("Alice"))) - before == 19, "as docs/hosting.md says"


def test_a_request_within_ten_minutes_of_a_links_mail_sends_no_other(public_house: House) -> None:
    house = public_house
    house.begin()
    house.drain()

    def mails_sent() -> int:
        before = len(house.mail.to(address_of("Alice")))
        players.request_links(house.site, address_of("Alice"))
        house.drain()
        return len(house.mail.to(address_of("Alice"))) - before

    told = [mails_sent()]
    for seconds in (599, 1):
        house.clock.forward(seconds=seconds)
        told.append(mails_sent())
    assert told == [1, 0, 1]


def test_links_for_the_owners_browser_leave_at_once_despite_strangers(public_house: House) -> None:
    house = public_house
    house.begin()
    house.drain()
    alice = player_of(house, "Alice").id
    for _ in range(60):
        players.request_links(house.site, address_of("Alice"))
        house.drain()
        house.clock.forward(minutes=11)
    for _ in range(2):
        players.request_links(house.site, address_of("Alice"), browser=alice)
        before = len(house.mail.to(address_of("Alice")))
        house.drain()
        assert len(house.mail.to(address_of("Alice"))) == before + 1
        assert works_until(house, "Alice") - house.clock() == timedelta(minutes=30)
        house.clock.forward(minutes=11)
    before = len(house.mail.to(address_of("Bob")))
    players.request_links(house.site, address_of("Bob"), browser=alice)
    players.request_links(house.site, address_of("Bob"), browser=alice)
    house.drain()
    assert len(house.mail.to(address_of("Bob"))) == before + 1, "it is known for Alice alone"


@pytest.mark.long
def test_links_of_an_unverified_address_leave_room_for_its_other_mails(public_house: House) -> None:
    house = public_house
    match_id = name_as_organiser(house, "alice0@example.org")
    matches.confirm_match(house.site, house.claim("confirm", match_id, 0), "en", "Europe/London")
    house.drain()
    for _ in range(20):
        players.request_links(house.site, address_of("Bob"))
        house.drain()
        assert works_until(house, "Bob") - house.clock() >= players.FRESH
        house.clock.forward(minutes=11)
    name_as_organiser(house, address_of("Bob"))
    house.drain()
    assert kinds_of_mails(house, "Bob") == ["invitation", "links", "links", "confirm"]


@pytest.mark.long
def test_matches_started_by_strangers_delay_no_sign_in_links_to_an_address(public_house: House) -> None:
    house = public_house
    for _ in range(20):
        name_as_organiser(house, "newcomer@example.org")
    house.drain()
    for _ in range(2):
        before = mails_to(house, "newcomer")
        players.request_links(house.site, "newcomer@example.org")
        house.drain()
        assert mails_to(house, "newcomer") == before + 1
        house.clock.forward(minutes=11)
    assert mails_to(house, "newcomer") == 5, "no more than any unverified address gets"
    sent = text_of([mail for to, mail in house.mail.all_sent if "newcomer" in to][-1])
    assert len(re.findall("/confirm/", sent)) == 20


@pytest.mark.long
def test_two_requests_at_once_for_the_same_links_cause_one_mail(public_house: House) -> None:
    house = public_house
    house.begin()
    house.drain()
    before = len(house.mail.to(address_of("Alice")))
    at_once(*[lambda: players.request_links(house.site, address_of("Alice"))] * 4)
    house.drain()
    assert len(house.mail.to(address_of("Alice"))) == before + 1
