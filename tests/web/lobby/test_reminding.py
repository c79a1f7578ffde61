"""The same mail once more: to confirm, and an invitation that nobody has answered."""

from __future__ import annotations

import re
from collections.abc import Callable
from email import message_from_bytes
from email.policy import default

import pytest
from sqlalchemy import event
from sqlmodel import col, select

from pbem.kit.texts import Lang
from pbem.mail.compose import compose_mail
from pbem.models.tables import Match, OutboxRow, Player, SeatRow
from pbem.services.lobby import matches
from pbem.services.tokens import InvitationClaim
from tests.services.mail.built import letter_of
from tests.table import MovedClock
from tests.web.cast import Form, Page, Web, path_of
from tests.web.lobby.start import THREE, fill_form, mails_sent


def form_of_button(page: Page, end: str) -> Form | None:
    return next((form for form in page.forms if form.action.endswith(end)), None)


# --- the page after the form -----------------------------------------------------------------------------------


def test_only_the_browser_where_an_address_was_typed_is_shown_it(web: Web) -> None:
    client = web.client()
    answer = client.post("/new", data=fill_form(("Alice", "Alice@Example.org"), *THREE[1:]))
    assert "HttpOnly" in answer.headers["Set-Cookie"]
    assert "An email is on its way to alice@example.org ." in Page(client.get(path_of(answer)).text).words
    assert "@" not in Page(web.client().get(path_of(answer)).text).words


def test_the_mail_to_confirm_is_sent_again_when_some_minutes_have_passed(web: Web, clock: MovedClock) -> None:
    client = web.client()
    client.post("/new", data=fill_form(*THREE))
    form = form_of_button(Page(client.get("/new/sent").text), "/new/sent")
    assert form is not None
    soon = client.post(form.action, data=form.fields)
    assert (soon.status_code, soon.headers["Retry-After"]) == (429, "301")
    assert "Please wait a few minutes." in Page(soon.text).words
    assert "alice@example.org" in Page(soon.text).words
    clock.forward(minutes=6)
    for _ in range(2):
        assert path_of(client.post(form.action, data=form.fields)) == "/new/sent?done=again"
    assert "on its way once more" in Page(client.get("/new/sent?done=again").text).words
    assert mails_sent(web) == [("confirm", 0)] * 2, "pressed twice, it leaves once"


def test_the_mail_to_confirm_leaves_three_times_at_most(web: Web, clock: MovedClock) -> None:
    client = web.client()
    client.post("/new", data=fill_form(*THREE))
    for number in (2, 3):
        clock.forward(minutes=6)
        assert client.post("/new/sent", data={"number": str(number)}).status_code == 303
    page = Page(client.get("/new/sent").text)
    assert "The email was sent 3 times." in page.words
    assert form_of_button(page, "/new/sent") is None
    clock.forward(days=1)
    assert client.post("/new/sent", data={"number": "4"}).status_code == 409
    assert mails_sent(web) == [("confirm", 0)] * 3


def test_the_confirmation_mail_cannot_be_resent_after_confirming(web: Web, clock: MovedClock) -> None:
    client = web.client()
    client.post("/new", data=fill_form(*THREE))
    with web.site.reading() as session:
        match_id = session.exec(select(Match.id)).one()
    web.confirm(match_id)
    clock.forward(minutes=6)
    assert client.post("/new/sent", data={"number": "2"}).status_code == 409
    page = Page(client.get("/new/sent").text)
    assert "nothing left to confirm" in page.words
    assert "@" not in page.words


def test_an_address_that_the_organiser_has_changed_is_not_shown(web: Web) -> None:
    client = web.client()
    client.post("/new", data=fill_form(*THREE))
    with web.site.writing() as session:
        session.exec(select(Player).where(col(Player.canonical) == "alice@example.org")).one().canonical = "a@b.example"
    assert "@" not in Page(client.get("/new/sent").text).words
    assert client.post("/new/sent", data={"number": "2"}).status_code == 401


@pytest.mark.long
@pytest.mark.parametrize("cookie", ["", "x", "0.0.0"])
def test_resending_the_confirmation_mail_needs_the_cookie(web: Web, cookie: str) -> None:
    client = web.client()
    client.post("/new", data=fill_form(*THREE))
    client.set_cookie("sent", cookie, path="/new/sent")
    assert client.post("/new/sent", data={"number": "2"}).status_code == 401
    assert mails_sent(web) == [("confirm", 0)]


# --- invitations -----------------------------------------------------------------------------------------------


@pytest.fixture
def inviting(web: Web) -> str:
    """Alice's match, with Bob and Carol invited."""
    match_id = web.create()
    web.confirm(match_id)
    return match_id


def press_remind(web: Web, match_id: str, seat: str = "1", number: str = "2", by: int = 0) -> int:
    form = {"seat": seat, "number": number}
    return web.client().post(web.link("play", match_id, by) + "/remind", data=form).status_code


def count_invitations(web: Web) -> int:
    return mails_sent(web).count(("invitation", 1))


@pytest.mark.long
def test_the_organiser_may_remind_an_invitee_without_answer_after_a_day(
    web: Web, inviting: str, clock: MovedClock
) -> None:
    client, alice = web.client(), web.link("play", inviting, 0)
    page = Page(client.get(alice).text)
    assert form_of_button(page, "/remind") is None
    assert "You can remind Bob from" in page.words
    assert press_remind(web, inviting) == 429
    clock.forward(days=1)
    form = form_of_button(Page(client.get(alice).text), "/remind")
    assert form is not None
    for _ in range(2):
        assert path_of(client.post(form.action, data=form.fields)) == f"{alice}?done=reminded"
    assert "The reminder is on its way." in Page(client.get(f"{alice}?done=reminded").text).words
    assert count_invitations(web) == 2, "pressed twice, it leaves once"
    assert form_of_button(Page(web.client().get(web.link("play", inviting, 1)).text), "/remind") is None


@pytest.mark.long
@pytest.mark.parametrize(("lang", "called"), [("en", "Player (C)"), ("fr", "Joueur (C)")])
def test_an_unnamed_friend_is_called_by_their_letter_until_they_answer(web: Web, lang: Lang, called: str) -> None:
    web.client(lang).post("/new", data=fill_form(*THREE[:2], ("", "carol@example.org"), language=lang))
    with web.site.reading() as session:
        match_id = session.exec(select(Match.id)).one()
    web.confirm(match_id)
    path = web.link("play", match_id, 0) + f"?lang={lang}"
    page = Page(web.client().get(path).text)
    assert page.words.count("(C)") == page.words.count(called) > 1, page.words
    with web.site.writing() as session:
        session.get_one(SeatRow, (match_id, 2)).status = "accepted"
    assert called not in Page(web.client().get(path).text).words


@pytest.mark.long
@pytest.mark.parametrize(("lang", "called"), [("en", "Player (C)"), ("fr", "Joueur (C)")])
def test_mails_call_an_unnamed_friend_by_their_letter_as_pages_do(web: Web, lang: Lang, called: str) -> None:
    web.client(lang).post("/new", data=fill_form(*THREE[:2], ("", "carol@example.org"), language=lang))
    with web.site.reading() as session:
        match_id = session.exec(select(Match.id)).one()

    def rows_written(kind: str, seat: int) -> str:
        with web.site.reading() as session:
            row = session.exec(select(OutboxRow).where(OutboxRow.kind == kind, OutboxRow.seat == seat)).one()
            letter = letter_of(web.site, session, row)[0]
        assert letter is not None
        message = message_from_bytes(compose_mail(letter, "secret").raw, policy=default)
        return " ".join(str(part.get_content()) for part in message.walk() if part.get_content_maintype() == "text")

    said = rows_written("confirm", 0)
    web.confirm(match_id)
    said += rows_written("invitation", 1)
    assert said.count("(C)") == said.count(called) >= 4


@pytest.mark.long
def test_the_organisers_etag_changes_when_a_reminder_becomes_possible(
    web: Web, inviting: str, clock: MovedClock
) -> None:
    client, alice = web.client(), web.link("play", inviting, 0)
    known = {"If-None-Match": client.get(alice).headers["ETag"]}
    assert client.get(alice, headers=known).status_code == 304
    clock.forward(days=1)
    assert client.get(alice, headers=known).status_code == 200


@pytest.mark.long
def test_an_organiser_can_send_at_most_two_reminders(web: Web, inviting: str, clock: MovedClock) -> None:
    for number in ("2", "3"):
        clock.forward(days=1)
        assert press_remind(web, inviting, number=number) == 303
    assert (
        "Bob got the invitation and two reminders." in Page(web.client().get(web.link("play", inviting, 0)).text).words
    )
    clock.forward(days=1)
    assert press_remind(web, inviting, number="4") == 409
    assert count_invitations(web) == 3


@pytest.mark.long
def test_the_organisers_page_reads_all_seats_reminders_in_one_query(web: Web) -> None:
    match_id = web.create(("Alice", "Bob", "Carol", "Dave"))
    web.confirm(match_id)
    asked: list[str] = []
    event.listen(web.site.engine, "before_cursor_execute", lambda *args: asked.append(args[2]))
    assert "You can remind Dave from" in Page(web.client().get(web.link("play", match_id, 0)).text).words
    assert sum("FROM outbox" in sql for sql in asked) == 1


def test_only_invitees_who_have_not_answered_can_be_reminded(web: Web, inviting: str, clock: MovedClock) -> None:
    clock.forward(days=1)
    web.accept(inviting, 1)
    claim = web.site.tokens.read(InvitationClaim, web.link("invitation", inviting, 2).rpartition("/")[2])
    matches.decline_invitation(web.site, claim)
    before = mails_sent(web)
    assert [press_remind(web, inviting, seat) for seat in ("1", "2", "7", "x")] == [409, 409, 404, 404]
    assert press_remind(web, inviting, "2", by=1) == 403
    assert [press_remind(web, inviting, number=number) for number in ("", "x", "²")] == [422] * 3, (
        "not said to be on its way"
    )
    assert mails_sent(web) == before


@pytest.mark.long
def test_reminders_and_invitations_share_an_organisers_daily_limit(
    make_web: Callable[..., Web], clock: MovedClock
) -> None:
    web = make_web(mode="production", mails_per_address_day=3)
    first, second = web.create(), web.create()
    web.confirm(first)
    clock.forward(hours=12)
    web.confirm(second)
    clock.forward(hours=18)
    assert [press_remind(web, first, seat) for seat in ("1", "2")] == [303, 429]


def test_a_reminder_of_an_invitation_says_that_it_is_one(web: Web, inviting: str, clock: MovedClock) -> None:
    clock.forward(days=1)
    press_remind(web, inviting)
    with web.site.reading() as session:
        rows = session.exec(select(OutboxRow).where(OutboxRow.kind == "invitation", OutboxRow.seat == 1)).all()
        said = [getattr(letter_of(web.site, session, row)[0], "again", None) for row in rows]
    assert said == [False, True]


def test_the_organisers_seat_page_holds_no_mail_address(web: Web, inviting: str) -> None:
    assert not re.search(r"[a-z]@example", web.client().get(web.link("play", inviting, 0)).text)
