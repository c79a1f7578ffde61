"""Bounced mail on the pages: the table sees why a turn waits, and the player what they can do."""

from __future__ import annotations

import pytest
from sqlmodel import select

from pbem.models.tables import OutboxRow, Player
from pbem.services.players import bounces
from pbem.services.tokens import NeverClaim
from tests.table import MovedClock, address_of
from tests.web.cast import Page, Web, items_in, path_of


def refuse_mail(web: Web, name: str, why: str = "550 5.1.1") -> None:
    """Refuses mail to one of the cast from now on."""
    with web.site.writing() as session:
        player = session.exec(select(Player).where(Player.canonical == address_of(name))).one()
        bounces.mark_bouncing(session, player.id, why, web.site.now())


def links_due(web: Web) -> int:
    """Returns the number of waiting mails with sign-in links."""
    with web.site.reading() as session:
        return len(session.exec(select(OutboxRow).where(OutboxRow.kind == "links")).all())


@pytest.mark.long
def test_players_and_spectators_read_whose_mail_bounces(web: Web, hogen: str) -> None:
    refuse_mail(web, "Bob")
    for path in (web.link("play", hogen, 0), f"/match/{hogen}"):
        said = Page(web.client().get(path).text).words
        assert "emails to Bob bounce" in said
        assert "emails to Carol bounce" not in said
        assert "example.org" not in said
        assert "550" not in said


def test_a_seat_pages_etag_changes_when_another_players_mail_bounces(web: Web, hogen: str) -> None:
    client, path = web.client(), web.link("play", hogen, 0)
    tag = client.get(path).headers["ETag"]
    assert client.get(path, headers={"If-None-Match": tag}).status_code == 304
    refuse_mail(web, "Bob")
    assert client.get(path, headers={"If-None-Match": tag}).status_code == 200


@pytest.mark.long
def test_a_player_whose_mail_bounces_reads_so_and_asks_for_one_by_a_button(
    web: Web, hogen: str, clock: MovedClock
) -> None:
    refuse_mail(web, "Bob")
    client, path = web.client(), web.link("play", hogen, 1)
    page = Page(client.get(path).text)
    assert items_in(page.text, "asked") == ["Your mailbox refuses our emails, so we send none. Send me an email"]
    assert links_due(web) == 0
    assert f"{path}/mail" in [form.action for form in page.forms]
    answer = client.post(f"{path}/mail")
    assert path_of(answer) == f"{path}?done=mailed"
    assert links_due(web) == 1
    assert "An email is on its way to you." in Page(client.get(path_of(answer)).text).words
    for other in (0, 2):
        assert items_in(web.client().get(web.link("play", hogen, other)).text, "asked") == []


def test_after_three_refused_mails_in_a_day_the_resend_button_refuses(web: Web, hogen: str) -> None:
    refuse_mail(web, "Bob")
    with web.site.writing() as session:
        bob = session.exec(select(Player).where(Player.canonical == address_of("Bob"))).one()
        now = web.site.now()
        for n in range(3):
            row = OutboxRow(dedupe=f"x{n}", kind="links", player_id=bob.id, created_at=now, due_at=now, done_at=now)
            row.result = "refused"
            session.add(row)
    answer = web.client().post(f"{web.link('play', hogen, 1)}/mail")
    assert answer.status_code == 429
    assert "three times today" in Page(answer.text).words


def test_a_forged_resend_link_sends_no_mail(web: Web, hogen: str) -> None:
    refuse_mail(web, "Bob")
    assert web.client().post("/play/forged/mail").status_code == 401
    assert web.client().post(f"/play/{web.link('mute', hogen, 1).split('/')[-1]}/mail").status_code == 401
    assert links_due(web) == 0


def test_a_link_is_not_renewed_while_mail_to_its_player_bounces(web: Web, hogen: str) -> None:
    refuse_mail(web, "Bob")
    path = web.link("play", hogen, 1)
    answer = web.client().post(f"{path}/renew")
    assert answer.status_code == 409
    assert "a new link cannot reach you" in Page(answer.text).words
    assert web.client().get(path).status_code == 200


@pytest.mark.long
def test_the_organiser_is_told_which_invitation_has_not_arrived(web: Web) -> None:
    match_id = web.create()
    web.confirm(match_id)
    web.accept(match_id, 2)
    refuse_mail(web, "Bob")
    said = Page(web.client().get(web.link("play", match_id, 0)).text).words
    assert "emails to Bob bounce" in said
    guest = Page(web.client().get(web.link("play", match_id, 2)).text).words
    assert "emails to Bob bounce" not in guest, "an address that was typed is told by nobody to be known"


def test_the_preferences_say_that_mail_to_the_address_is_refused(web: Web, hogen: str) -> None:
    refuse_mail(web, "Alice")
    client = web.client()
    with web.site.reading() as session:
        alice = session.exec(select(Player).where(Player.canonical == address_of("Alice"))).one()
        assert alice.id is not None
        token = web.site.tokens.for_account(alice.id, alice.epoch, web.site.now())
    client.post(f"/account/{token}")
    page = Page(client.get("/me").text)
    assert "Emails to this address are refused" in page.words
    assert "/links" in page.hrefs()


def test_one_click_unsubscribe_blocks_a_strangers_address_for_good(web: Web) -> None:
    match_id = web.create()
    web.confirm(match_id)
    with web.site.reading() as session:
        bob = session.exec(select(Player).where(Player.canonical == address_of("Bob"))).one()
        assert bob.id is not None
        path = f"/never/{web.site.tokens.sign_for(NeverClaim, bob.id, bob.canonical or '')}"
    answer = web.client().post(path, data={"List-Unsubscribe": "One-Click"})
    assert (answer.status_code, answer.text) == (200, "ok")
    assert "Set-Cookie" not in answer.headers
    assert "no longer write to this address" in web.client().get(path).text
