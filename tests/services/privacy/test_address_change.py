"""Changing one's address: both mailboxes confirm, nobody learns who has which address, and the old links end."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta

import pytest
from sqlalchemy import select, text

from pbem.errors import Gone, Invalid, TooMany, Unauthorized
from pbem.mail.mime import Mail
from pbem.mail.send import PermanentFailure
from pbem.models.accounts import AddressChange
from pbem.models.tables import Player, SeatRow, Suppression, table
from pbem.services.lobby import match_request, matches
from pbem.services.mail import digests
from pbem.services.play import presence, substitutes
from pbem.services.players import bounces, players, quotas
from pbem.services.privacy import address_change
from pbem.services.tokens import (
    ChangeClaim,
    ConfirmClaim,
    InvitationClaim,
    NeverClaim,
    OfferClaim,
    PlayClaim,
    Side,
    StopClaim,
    VacancyClaim,
)
from pbem.services.views import seats
from pbem.services.who import STRANGER
from tests.services.letterbox import id_of, player_of, text_of
from tests.services.lobby.joining import accept_invitation, ask_for_seat, claim_seat, inviting, join_link, row_of_seat
from tests.services.play.stage.substitutes import players_id, token_of_offer
from tests.table import House, address_of, claim_of

NEW = "robert@example.net"
UNKNOWN = PermanentFailure(550, "5.1.1 no such user", "recipient")


def ask_for_change(house: House, name: str = "Bob", new: str = NEW) -> address_change.Pending:
    return address_change.request_change(house.site, id_of(house, name), new)


def bob_of(house: House) -> Player:
    """Returns Bob, with the new address."""
    with house.site.reading() as session:
        bob = players.player_by_address(session, NEW)
        assert bob is not None
        session.expunge(bob)
        return bob


def token_of_change_mail(house: House, side: Side, address: str) -> str:
    """The token in the newest mail about a change."""
    house.drain()
    mails = [text_of(mail) for mail in house.mail.to(address)]
    found = [link for mail in mails for link in re.findall(r"/address/(\S+)", mail)]
    assert found, f"no mail to {address}"
    assert house.tokens.read(ChangeClaim, found[-1]).side == side
    return str(found[-1])


def answers_to_both_mailboxes(house: House, *, first: Side = "old") -> list[str]:
    """Returns the answers to both mailboxes, in this order."""
    tokens = {
        "old": token_of_change_mail(house, "old", address_of("Bob")),
        "new": token_of_change_mail(house, "new", NEW),
    }
    second: Side = "new" if first == "old" else "old"
    return [
        address_change.agree_to_change(house.site, house.tokens.read(ChangeClaim, tokens[side]))
        for side in (first, second)
    ]


@pytest.mark.long
@pytest.mark.parametrize("first", ["old", "new"])
def test_when_both_mailboxes_have_said_yes_mails_go_to_the_new_one_alone(house: House, first: Side) -> None:
    match_id = house.begin()
    house.drain()
    ask_for_change(house)
    assert answers_to_both_mailboxes(house, first=first) == ["waiting", "done"]
    to_old = len(house.mail.to(address_of("Bob")))
    house.drain()
    with house.site.reading() as session:
        bob = session.execute(select(table(Player)).where(table(Player).c.canonical == NEW)).one()
    assert (bob.address, bob.bounced_at) == (NEW, None)
    mail = text_of(house.mail.to(NEW)[-1])
    link = re.search(r"/play/(\S+)", mail)
    assert link is not None
    assert seats.read_play(house.site, house.tokens.read(PlayClaim, link[1]))[0].seat == 1
    for seat in (0, 1, 2):
        if any(ask.seat == seat for ask in house.asks(match_id)):
            house.play(match_id, seat)
    house.drain()
    assert len(house.mail.to(address_of("Bob"))) == to_old, "the old mailbox gets nothing more"


@pytest.mark.long
def test_older_links_and_sessions_end_with_a_change_of_address(house: House) -> None:
    match_id = house.begin()
    bob = player_of(house, "Bob")
    assert bob.id is not None
    account = house.site.tokens.for_account(bob.id, bob.epoch, house.clock())
    ask_for_change(house)
    answers_to_both_mailboxes(house)
    with pytest.raises(Unauthorized):
        seats.read_play(house.site, house.claim("play", match_id, 1))
    with pytest.raises(Unauthorized):
        players.verify_and_read_account(house.site, house.tokens.read_account(account, house.site.now()))
    assert seats.read_play(house.site, house.claim("play", match_id, 0)), "the others' links are as they were"


@pytest.mark.long
def test_the_never_link_of_an_old_mail_blocks_only_the_old_address(house: House) -> None:
    house.begin()
    house.drain()
    bob = player_of(house, "Bob")
    never = house.site.tokens.sign_for(NeverClaim, bob.id or 0, bob.canonical or "")
    ask_for_change(house)
    answers_to_both_mailboxes(house)
    players.suppress_by_link(house.site, house.tokens.read(NeverClaim, never))
    assert players.read_language_and_use_of_never_link(house.site, house.tokens.read(NeverClaim, never)) == ("en", True)
    with house.site.reading() as session:
        suppressed = session.execute(select(table(Suppression).c.digest)).scalars().all()
    assert suppressed == [house.site.tokens.address_digest(address_of("Bob"))]
    before = len(house.mail.to(NEW))
    house.clock.forward(hours=1)
    players.request_links(house.site, NEW)
    house.drain()
    assert len(house.mail.to(NEW)) > before


@pytest.mark.long
def test_a_digests_old_mute_link_ends_with_the_address_change(house: House) -> None:
    match_id = house.begin()
    bob = player_of(house, "Bob")
    stop = house.site.tokens.sign_for(StopClaim, bob.id or 0, bob.canonical or "")
    ask_for_change(house)
    answers_to_both_mailboxes(house)
    with pytest.raises(Unauthorized):
        digests.mute_all_matches(house.site, house.tokens.read(StopClaim, stop), True)
    with pytest.raises(Unauthorized):
        digests.read_language_and_mute_of_stop_link(house.site, house.tokens.read(StopClaim, stop))
    with house.site.reading() as session:
        assert not session.get_one(SeatRow, (match_id, 1)).muted
    digests.mute_all_matches(
        house.site, house.tokens.read(StopClaim, house.site.tokens.sign_for(StopClaim, bob.id or 0, NEW)), True
    )
    with house.site.reading() as session:
        assert session.get_one(SeatRow, (match_id, 1)).muted


@pytest.mark.long
def test_a_seat_offered_to_the_old_mailbox_can_be_requested_again(house: House) -> None:
    match_id = house.begin()
    presence.resign(house.site, claim_of(house.site, match_id, 1))
    with house.site.reading() as session:
        away = session.get_one(SeatRow, (match_id, 1)).away_n
    assert away is not None
    number = players_id(house, "Charlie")
    free = house.token("substitute", match_id, 1, away)
    substitutes.ask_for_seat(
        house.site,
        house.tokens.read(VacancyClaim, free),
        match_request.Invitee("Charlie", address_of("Charlie")),
        "en",
        "Europe/Paris",
    )
    old = token_of_offer(house)
    ask_for_change(house, "Charlie")
    with house.site.reading() as session:
        change = session.execute(select(table(AddressChange).c.id)).scalar_one()
    for side in ("old", "new"):
        address_change.agree_to_change(
            house.site, house.tokens.read(ChangeClaim, house.site.tokens.sign(ChangeClaim(change, side)))
        )
    for use in (substitutes.read_offer, substitutes.language_and_zone):
        with pytest.raises(Unauthorized):
            use(house.site, house.tokens.read(OfferClaim, old))
    with pytest.raises(Unauthorized):
        substitutes.accept_offer(house.site, house.tokens.read(OfferClaim, old), "en", "Europe/Paris")
    house.drain()
    assert "/takeover/" not in "".join(text_of(mail) for mail in house.mail.to(NEW))
    substitutes.ask_for_seat(
        house.site, house.tokens.read(VacancyClaim, free), match_request.Invitee("Charlie", NEW), "en", "Europe/Paris"
    )
    house.drain()
    link = re.search(r"/takeover/(\S+)", text_of(house.mail.to(NEW)[-1]))
    assert link is not None
    substitutes.accept_offer(house.site, house.tokens.read(OfferClaim, link[1]), "en", "Europe/Paris")
    with house.site.reading() as session:
        assert session.get_one(SeatRow, (match_id, 1)).player_id == number


@pytest.mark.long
def test_one_mailboxs_confirmation_alone_does_not_change_the_address(house: House) -> None:
    house.begin()
    ask_for_change(house)
    for side, address in (("old", address_of("Bob")), ("new", NEW)):
        if side == "new":
            ask_for_change(house)
        said = token_of_change_mail(house, side, address)  # type: ignore[arg-type]
        assert [address_change.agree_to_change(house.site, house.tokens.read(ChangeClaim, said)) for _ in range(3)] == [
            "waiting"
        ] * 3
        assert player_of(house, "Bob").address == address_of("Bob")


@pytest.mark.long
def test_confirming_a_change_of_address_again_gets_the_same_answer(house: House) -> None:
    house.begin()
    ask_for_change(house)
    answers_to_both_mailboxes(house)
    version = all_rows(house)
    assert (
        address_change.agree_to_change(
            house.site, house.tokens.read(ChangeClaim, token_of_change_mail(house, "new", NEW))
        )
        == "done"
    )
    assert (
        address_change.read_change(
            house.site, house.tokens.read(ChangeClaim, token_of_change_mail(house, "old", address_of("Bob")))
        ).how
        == "done"
    )
    assert all_rows(house) == version


def all_rows(house: House) -> list[object]:
    with house.site.reading() as session:
        return [session.execute(select(table(AddressChange))).all(), session.execute(select(table(Player))).all()]


@pytest.mark.long
def test_only_the_mailbox_itself_learns_that_an_address_has_an_account(
    house: House,
) -> None:
    house.begin()
    house.drain()
    free, taken = ask_for_change(house), ask_for_change(house, new=address_of("Carol"))
    assert (free.until, free.old, free.new) == (taken.until, taken.old, taken.new)
    old, new = (
        token_of_change_mail(house, "old", address_of("Bob")),
        token_of_change_mail(house, "new", address_of("Carol")),
    )
    assert address_change.agree_to_change(house.site, house.tokens.read(ChangeClaim, new)) == "waiting"
    assert address_change.read_change(house.site, house.tokens.read(ChangeClaim, new)).how == "waiting"
    assert address_change.agree_to_change(house.site, house.tokens.read(ChangeClaim, old)) == "gone"
    assert (
        address_change.read_change(house.site, house.tokens.read(ChangeClaim, old)).how,
        address_change.read_change(house.site, house.tokens.read(ChangeClaim, new)).how,
    ) == ("gone", "taken")
    with pytest.raises(Gone, match="Two accounts"):
        address_change.agree_to_change(house.site, house.tokens.read(ChangeClaim, new))
    with pytest.raises(Gone, match="no longer pending"):
        address_change.agree_to_change(house.site, house.tokens.read(ChangeClaim, old))
    assert player_of(house, "Bob").address == address_of("Bob")
    assert address_change.pending_change(house.site, id_of(house, "Bob")) is None


@pytest.mark.long
def test_the_mail_to_the_new_mailbox_does_not_hold_the_old_address(house: House) -> None:
    house.begin()
    house.drain()
    ask_for_change(house)
    house.drain()
    (mail,) = house.mail.to(NEW)
    assert address_of("Bob") not in mail.as_string()
    assert "Bob" not in mail.as_string()
    told = text_of(house.mail.to(address_of("Bob"))[-1])
    assert NEW not in told, "what somebody has typed is no link in a mail"
    assert NEW in told.replace("\u200b", "")


@pytest.mark.long
def test_a_change_of_address_lapses_after_two_days(house: House) -> None:
    house.begin()
    ask_for_change(house)
    old, new = token_of_change_mail(house, "old", address_of("Bob")), token_of_change_mail(house, "new", NEW)
    address_change.agree_to_change(house.site, house.tokens.read(ChangeClaim, old))
    house.clock.forward(hours=48)
    for said in (old, new):
        with pytest.raises(Gone):
            address_change.agree_to_change(house.site, house.tokens.read(ChangeClaim, said))
    assert address_change.read_change(house.site, house.tokens.read(ChangeClaim, new)).how == "gone"


@pytest.mark.long
def test_a_later_request_or_a_withdrawal_ends_a_change_of_address(house: House) -> None:
    house.begin()
    ask_for_change(house)
    earlier = token_of_change_mail(house, "new", NEW)
    ask_for_change(house, new="rob@example.net")
    with pytest.raises(Gone):
        address_change.agree_to_change(house.site, house.tokens.read(ChangeClaim, earlier))
    later = token_of_change_mail(house, "new", "rob@example.net")
    number = id_of(house, "Bob")
    found = address_change.pending_change(house.site, number)
    assert found is not None
    assert found.address == "rob@example.net"
    address_change.withdraw_change(house.site, number)
    assert address_change.pending_change(house.site, number) is None
    with pytest.raises(Gone):
        address_change.agree_to_change(house.site, house.tokens.read(ChangeClaim, later))


@pytest.mark.long
def test_the_old_mailbox_can_stop_an_address_change_the_new_one_opt_out(house: House) -> None:
    house.begin()
    ask_for_change(house)
    old, new = token_of_change_mail(house, "old", address_of("Bob")), token_of_change_mail(house, "new", NEW)
    address_change.refuse_change(house.site, house.tokens.read(ChangeClaim, old), never=True)
    with house.site.reading() as session:
        assert session.execute(select(table(Suppression))).all() == [], "the old mailbox has another button for that"
    with pytest.raises(Gone):
        address_change.agree_to_change(house.site, house.tokens.read(ChangeClaim, new))
    address_change.refuse_change(house.site, house.tokens.read(ChangeClaim, new), never=True)
    sent = len(house.mail.to(NEW))
    house.clock.forward(hours=25)
    ask_for_change(house)
    house.drain()
    assert len(house.mail.to(NEW)) == sent
    with house.site.reading() as session:
        (digest,) = session.execute(select(table(Suppression).c.digest)).scalars()
    assert digest == house.site.tokens.address_digest(NEW)


def test_a_bounce_of_the_new_address_does_not_mark_the_present_one(house: House) -> None:
    house.begin()
    house.drain()
    house.mail.refusing = {NEW: UNKNOWN}
    ask_for_change(house)
    house.drain()
    assert player_of(house, "Bob").bounced_at is None
    with house.site.writing() as session:
        bounces.mark_bouncing(session, id_of(house, "Bob"), "550 5.1.1", house.clock())
    house.mail.refusing = {}
    ask_for_change(house)
    token_of_change_mail(house, "new", NEW)
    assert player_of(house, "Bob").bounced_at is not None, "and one that takes mail proves nothing of it either"
    assert answers_to_both_mailboxes(house) == ["waiting", "done"], "the present mailbox is asked all the same"


@pytest.mark.long
@pytest.mark.parametrize("arrives", [True, False])
def test_a_mail_in_flight_to_an_old_address_changes_no_bounce_of_the_new(
    house: House, monkeypatch: pytest.MonkeyPatch, arrives: bool
) -> None:
    house.begin()
    house.drain()
    ask_for_change(house)
    tokens = token_of_change_mail(house, "old", address_of("Bob")), token_of_change_mail(house, "new", NEW)
    players.request_links(house.site, address_of("Bob"))
    before, send = house.clock() - timedelta(hours=1), house.mail.send

    def meanwhile(mail: Mail, to: str) -> None:
        if to == address_of("Bob"):
            assert [
                address_change.agree_to_change(house.site, house.tokens.read(ChangeClaim, said)) for said in tokens
            ] == [
                "waiting",
                "done",
            ]
            if arrives:  # and then the host has noted a bounce of the new one
                with house.site.writing() as session:
                    bounces.mark_bouncing(session, number, "550 5.1.1", before)
            else:
                raise UNKNOWN
        send(mail, to)

    number = id_of(house, "Bob")
    monkeypatch.setattr(house.mail, "send", meanwhile)
    house.mail.refusing = {NEW: UNKNOWN} if arrives else {}
    house.drain()
    with house.site.reading() as session:
        found = session.get_one(Player, number)
        assert (found.address, found.bounced_at) == (NEW, before if arrives else None)


@pytest.mark.long
def test_the_mail_with_the_new_links_leaves_despite_an_earlier_bounce(house: House) -> None:
    house.begin()
    house.drain()
    ask_for_change(house)
    answers_to_both_mailboxes(house)
    number = bob_of(house).id
    with house.site.writing() as session:
        bounces.mark_bouncing(session, number, "550 5.1.1", house.clock())
    house.drain()
    assert "/play/" in text_of(house.mail.to(NEW)[-1])
    assert bob_of(house).bounced_at is None


def test_an_invitation_that_waits_goes_to_the_new_address(house: House) -> None:
    match_id = house.create()
    matches.confirm_match(house.site, house.claim("confirm", match_id, 0), "en", "Europe/Paris")
    ask_for_change(house)
    answers_to_both_mailboxes(house)
    house.drain()
    link = re.search(r"/invitation/(\S+)", text_of(house.mail.to(NEW)[-1]))
    assert link is not None
    matches.accept_invitation(house.site, house.tokens.read(InvitationClaim, link[1]), "en", "Europe/Paris")
    with pytest.raises(Unauthorized):
        matches.accept_invitation(house.site, house.claim("invitation", match_id, 1), "en", "Europe/Paris")


@pytest.mark.parametrize("order", [("Bob", "Dave"), ("Dave", "Bob")])
def test_an_address_change_keeps_claims_on_open_seats(house: House, order: tuple[str, str]) -> None:
    house.begin()
    match_id = inviting(house, match_request.Invitee("Carol", address_of("Carol")), match_request.OpenSeat())
    found = ask_for_seat(house, match_id, order)
    house.drain()
    ask_for_change(house)
    answers_to_both_mailboxes(house)
    house.drain()
    with pytest.raises((Gone, Unauthorized)):
        accept_invitation(house, found["Bob"])
    joins = [one for mail in house.mail.to(NEW) for one in re.findall(r"/invitation/(\S+)", text_of(mail))]
    claim_seat(house, join_link(house, match_id), "Gus")
    assert accept_invitation(house, joins[-1]) == (match_id, 2)
    assert (row_of_seat(house, match_id).name, row_of_seat(house, match_id).player_id) == ("Bob", bob_of(house).id)


@pytest.mark.long
def test_the_new_address_is_asked_to_confirm_an_unconfirmed_match(house: House) -> None:
    match_id = house.begin()
    house.play_out(match_id)
    people = [match_request.Invitee(name, address_of(name)) for name in ("Bob", "Alice", "Carol")]
    mine = matches.create_match(house.site, STRANGER, match_request.NewMatch("hogen", people))
    ask_for_change(house)
    answers_to_both_mailboxes(house)
    house.drain()
    found = [link for mail in house.mail.to(NEW) for link in re.findall(r"/confirm/(\S+)", text_of(mail))]
    assert len(found) == 1
    with pytest.raises(Unauthorized):
        matches.confirm_match(house.site, house.claim("confirm", mine, 0), "en", "Europe/Paris")
    assert matches.confirm_match(house.site, house.tokens.read(ConfirmClaim, found[0]), "en", "Europe/Paris") == mine
    assert house.view(mine, None).sheet.status == "inviting"


def test_invalid_new_addresses_and_too_many_changes_are_refused(house: House) -> None:
    house.begin()
    for wrong in ("nobody", address_of("Bob"), ""):
        with pytest.raises(Invalid):
            ask_for_change(house, new=wrong)
    for number in range(address_change.A_DAY):
        ask_for_change(house, new=f"bob{number}@example.net")
    with pytest.raises(TooMany):
        ask_for_change(house)
    house.clock.forward(days=1)
    ask_for_change(house)


def test_the_same_address_in_other_letters_is_a_change_like_any_other(house: House) -> None:
    house.begin()
    ask_for_change(house, new="Bob@example.org")
    house.drain()
    with house.site.reading() as session:
        change = session.execute(select(table(AddressChange).c.id)).scalar_one()
    for side in ("old", "new"):
        address_change.agree_to_change(
            house.site, house.tokens.read(ChangeClaim, house.site.tokens.sign(ChangeClaim(change, side)))
        )
    assert player_of(house, "Bob").address == "Bob@example.org"


@pytest.mark.long
def test_an_address_taken_at_the_moment_of_the_change_stays_with_its_owner(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    house.begin()
    ask_for_change(house, new=address_of("Carol"))
    old, new = (
        token_of_change_mail(house, "old", address_of("Bob")),
        token_of_change_mail(house, "new", address_of("Carol")),
    )
    address_change.agree_to_change(house.site, house.tokens.read(ChangeClaim, old))
    monkeypatch.setattr(address_change, "player_by_address", lambda *_: None)
    assert address_change.agree_to_change(house.site, house.tokens.read(ChangeClaim, new)) == "taken"
    assert player_of(house, "Bob").address == address_of("Bob")


def test_mails_about_address_changes_are_limited_per_new_address_and_day(house_with_caps: House) -> None:
    house = house_with_caps
    house.begin(seats=4)
    for name in ("Alice", "Bob", "Carol", "Dave"):
        for _ in range(2):
            ask_for_change(house, name)
            house.clock.forward(minutes=1)
            house.drain()
    assert len(house.mail.to(NEW)) == house.site.config.unverified_mails_per_address_day - quotas.LINKS
    with house.site.reading() as session:
        waiting = session.execute(text("SELECT count(*) FROM outbox WHERE done_at IS NULL")).scalar()
    assert waiting


def test_other_links_and_unknown_ids_open_no_change_of_address(house: House) -> None:
    house.begin()
    ask_for_change(house)
    wrong = house.site.tokens.sign(OfferClaim(1))
    for use in (address_change.read_change, address_change.agree_to_change, address_change.refuse_change):
        unknown: Callable[..., object] = use
        with pytest.raises(Unauthorized):
            unknown(house.site, house.tokens.read(ChangeClaim, wrong))
        with pytest.raises(Unauthorized):
            unknown(house.site, ChangeClaim(99, "new"))
