"""The page of an open seat's link, the organiser's view of it, and rematches."""

from __future__ import annotations

import pytest
from sqlmodel import select

from pbem.models.tables import Player, SeatRow
from pbem.services.lobby import joining, matches, rematches
from pbem.services.lobby.match_request import Invitee, NewMatch, OpenSeat
from pbem.services.log import locks
from pbem.services.site import Work
from pbem.services.tokens import InvitationClaim, PlayClaim
from pbem.services.views import match_views
from pbem.services.who import STRANGER
from tests.harness.cases import cases
from tests.table import address_of, submit_answer
from tests.web.cast import READER, Form, Page, Web, path_of, secret_of, sign_in
from tests.web.lobby.joining import CAROL, join_links, start_open_match
from tests.web.lobby.start import mails_sent, values_of_inputs


@pytest.fixture
def open_match(web: Web) -> str:
    """Alice's match with Bob invited and the third seat open."""
    return start_open_match(web)


def epoch_of(web: Web, match_id: str, seat: int = 2) -> int:
    with web.site.reading() as session:
        return session.get_one(SeatRow, (match_id, seat)).epoch


def form_to(page: Page, end: str, seat: str) -> Form:
    return next(f for f in page.forms if f.action.endswith(end) and f.fields.get("seat") == seat)


def test_only_the_organisers_page_shows_the_link_of_an_open_seat(web: Web, open_match: str) -> None:
    web.accept(open_match, 1)
    (path,) = join_links(web, open_match)
    assert path.startswith("/join/")
    for other in (web.link("play", open_match, 1), f"/match/{open_match}", path):
        assert "/join/" not in web.client().get(other).text.replace(f'action="{path}"', "").replace(path, "")
    assert 'class="given"' not in web.client().get(web.link("play", open_match, 1)).text


def test_an_organiser_with_only_open_seats_is_told_to_send_the_links(web: Web, open_match: str) -> None:
    alice = Invitee("Alice", address_of("Alice"))
    alone = matches.create_match(web.site, STRANGER, NewMatch("hogen", [alice, OpenSeat(), OpenSeat()], language="en"))
    web.confirm(alone)
    for match_id, said in ((alone, "Send each of the others a link."), (open_match, "The others have been invited.")):
        words = Page(web.client().get(f"{web.link('play', match_id, 0)}?done=started").text).words
        assert f"The match is confirmed. {said}" in words


def test_each_form_to_change_a_free_seat_has_the_seat_in_its_label(web: Web, open_match: str) -> None:
    assert "Change this seat : Player 3" in Page(web.client().get(web.link("play", open_match, 0)).text).words


@pytest.mark.long
def test_opening_a_seat_again_changes_the_organisers_pages_etag(web: Web, open_match: str) -> None:
    organiser = web.link("play", open_match, 0)
    known = {"If-None-Match": web.client().get(organiser).headers["ETag"]}
    assert web.client().get(organiser, headers=known).status_code == 304
    joining.open_seat(web.site, web.site.tokens.read(PlayClaim, organiser.rsplit("/", 1)[-1]), 2)
    fresh = web.client().get(organiser, headers=known)
    assert fresh.status_code == 200
    assert join_links(web, open_match)[0] in fresh.text


def test_the_page_to_join_describes_the_match_and_asks_who_joins(web: Web, open_match: str) -> None:
    (path,) = join_links(web, open_match)
    answer = web.client().get(path)
    page = Page(answer.text)
    assert "Alice invites you to Hogen" in page.words
    assert "Free seat" in page.words
    assert "/rules/hogen" in page.hrefs()
    assert {"name", "address"} <= set(values_of_inputs(page))
    assert "example.org" not in answer.text
    assert answer.headers["Cache-Control"] == "no-store"
    assert answer.headers["X-Robots-Tag"] == "noindex"
    assert answer.headers["Referrer-Policy"] == "no-referrer"


def test_a_player_who_asks_for_the_seat_gets_a_mail_and_sits_by_it(web: Web, open_match: str) -> None:
    web.accept(open_match, 1)
    (path,) = join_links(web, open_match)
    client = web.client()
    answer = client.post(path, data=CAROL)
    assert path_of(answer) == f"{path}/sent"
    assert "Check your mailbox" in Page(client.get(path_of(answer)).text).words
    assert mails_sent(web)[-1] == ("invitation", 2)
    invitation = web.link("invitation", open_match, 2, epoch_of(web, open_match))
    page = Page(client.get(invitation).text)
    assert "Alice invites you to Hogen" in page.words
    assert client.post(invitation, data={**READER, "answer": "accept"}).status_code == 303
    assert match_views.read_sheet(web.site, open_match, 0).status == "running"
    assert "This seat is taken" in Page(client.get(path).text).words
    assert client.post(path, data=CAROL).status_code == 409


@cases("lang", ["en", "fr"])
def test_joining_without_a_language_uses_that_of_the_page(web: Web, open_match: str, lang: str) -> None:
    (path,) = join_links(web, open_match)
    address = f"dave-{lang}@example.org"
    typed = {"name": "Dave", "address": address, "zone": "Europe/Paris"}
    assert web.client(lang).post(path, data=typed).status_code == 303
    with web.site.reading() as session:
        assert session.exec(select(Player.language).where(Player.canonical == address)).one() == lang


def test_joining_as_a_player_erased_meanwhile_shows_no_form(
    web: Web, open_match: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (path,), bob = join_links(web, open_match), sign_in(web, "Bob")
    secret, lock_player = secret_of(bob.get(path).text), locks.lock_player

    def erase_first(work: Work, player_id: int) -> Player:
        monkeypatch.setattr(locks, "lock_player", lock_player)
        work.get_one(Player, player_id).address = ""
        work.flush()
        return lock_player(work, player_id)

    monkeypatch.setattr(locks, "lock_player", erase_first)
    answer = bob.post(path, data={"csrf_token": secret, "name": "Bob"})
    assert answer.status_code == 401
    assert "<form" not in answer.text.partition("<main")[2].partition("</main")[0]


def test_a_link_to_a_called_off_private_match_names_nobody(web: Web) -> None:
    match_id = start_open_match(web, spectators=False)
    (path,) = join_links(web, match_id)
    assert "Alice" in web.client().get(path).text
    matches.cancel_or_leave_match(
        web.site, web.site.tokens.read(PlayClaim, web.link("play", match_id, 0).rpartition("/")[2])
    )
    text = web.client().get(path).text
    assert "called off" in text
    assert "Alice" not in text
    assert "Bob" not in text


# --- the organiser -------------------------------------------------------------------------------------------


def test_the_organiser_opens_an_unanswered_seat_by_a_button(web: Web, open_match: str) -> None:
    client, alice = web.client(), web.link("play", open_match, 0)
    form = form_to(Page(client.get(alice).text), "/open", "1")
    assert path_of(client.post(form.action, data=form.fields)) == f"{alice}?done=opened"
    assert len(join_links(web, open_match)) == 2
    assert client.get(web.link("invitation", open_match, 1)).status_code == 409


@pytest.mark.long
def test_the_organiser_fills_seats_with_bots_and_the_match_begins(web: Web, open_match: str) -> None:
    client, alice = web.client(), web.link("play", open_match, 0)
    for seat in ("1", "2"):
        form = form_to(Page(client.get(alice).text), "/fill", seat)
        answer = client.post(form.action, data={**form.fields, "bot": "greedy"})
        assert path_of(answer) == f"{alice}?done=filled"
    assert "the match begins" in client.get(path_of(answer)).text
    assert match_views.read_sheet(web.site, open_match, 0).status == "running"
    refused = client.post(form.action, data={"seat": "2", "bot": "greedy"})
    assert refused.status_code == 409
    assert "already begun" in refused.text


@pytest.mark.long
def test_only_the_organiser_opens_or_fills_seats_and_only_existing_ones(web: Web, open_match: str) -> None:
    web.accept(open_match, 1)
    before = web.everything()
    for way in ("open", "fill"):
        bob = f"{web.link('play', open_match, 1)}/{way}"
        assert web.client().post(bob, data={"seat": "2", "bot": "random"}).status_code == 403
        for seat in ("9", "-1", "x", "", "²"):
            alice = f"{web.link('play', open_match, 0)}/{way}"
            assert web.client().post(alice, data={"seat": seat, "bot": "random"}).status_code == 404
        alice = web.link("play", open_match, 0)
        assert web.client().get(f"{alice}/{way}").location == alice
    assert web.everything() == before


# --- once more -----------------------------------------------------------------------------------------------


@pytest.fixture
def over(web: Web) -> str:
    """A short match of Allégeance that Alice and Bob have played to its end."""
    people = [Invitee(name, address_of(name)) for name in ("Alice", "Bob")]
    wanted = NewMatch("allegeance", people, language="en", options={"target": 1, "memory": "open"})
    match_id = matches.create_match(web.site, STRANGER, wanted)
    web.confirm(match_id)
    web.accept(match_id, 1)
    while (sheet := match_views.read_sheet(web.site, match_id, 0)).status == "running":
        view = match_views.read_view(web.site, match_id, sheet.asks[0].seat)
        submit_answer(web.site, match_id, sheet.asks[0].seat, sheet.asks[0].key, view.legal()[0], "api")
    return match_id


@pytest.mark.long
def test_one_press_of_play_again_leads_to_the_seat_in_the_rematch(web: Web, over: str) -> None:
    client, bob, alice = web.client(), web.link("play", over, 1), web.link("play", over, 0)
    seen_before = {"If-None-Match": client.get(f"/match/{over}").headers["ETag"]}
    assert client.get(f"/match/{over}", headers=seen_before).status_code == 304
    page = Page(client.get(bob).text)
    assert "Play again" in page.words
    form = next(f for f in page.forms if f.action.endswith("/rematch"))
    answer = client.post(form.action)
    again = rematches.read_rematch_id(web.site, over)
    assert again is not None
    assert path_of(answer) == web.link("play", again, 0) + "?done=rematch"
    assert "the others are invited" in client.get(path_of(answer)).text
    assert "Open the rematch" in Page(client.get(alice).text).words
    assert f"/match/{again}" in Page(client.get(f"/match/{over}", headers=seen_before).text).hrefs()
    answer = client.post(f"{alice}/rematch")
    assert path_of(answer) == web.link("play", again, 1) + "?done=sat", "the press accepts the invitation"
    assert "You have your seat, and the match begins." in client.get(path_of(answer)).text
    assert path_of(client.post(f"{alice}/rematch")) == web.link("play", again, 1)


def test_a_signed_in_player_is_led_only_to_their_own_seat_of_a_rematch(web: Web, over: str) -> None:
    bob, alice = sign_in(web, "bob"), sign_in(web, "alice")
    answer = bob.post(f"{web.link('play', over, 1)}/rematch")
    again = rematches.read_rematch_id(web.site, over)
    assert again is not None
    assert path_of(answer) == web.link("play", again, 0) + "?done=rematch"
    of_bob = web.link("play", over, 1)
    answer = alice.post(f"{of_bob}/rematch")
    assert path_of(answer) == f"{of_bob}?done=again_by_mail"
    assert "Each player gets a link by email" in alice.get(path_of(answer)).text
    assert path_of(alice.post(f"{web.link('play', over, 0)}/rematch")) == web.link("play", again, 1) + "?done=sat"


@pytest.mark.long
def test_the_link_of_a_finished_seat_gives_no_renewed_link_of_the_rematch(web: Web, over: str) -> None:
    bob, anybody = web.link("play", over, 1), web.client()
    anybody.post(f"{bob}/rematch")
    again = rematches.read_rematch_id(web.site, over)
    assert again is not None
    assert path_of(anybody.post(f"{bob}/rematch")) == web.link("play", again, 0)
    anybody.post(f"{web.link('play', again, 0)}/renew")
    assert path_of(anybody.post(f"{bob}/rematch")) == f"{bob}?done=again_by_mail"
    assert mails_sent(web)[-2:] == [("renewal", None), ("links", None)]
    renewed = web.link("play", again, 0, 1)
    assert path_of(sign_in(web, "bob").post(f"{bob}/rematch")) == renewed, "who proves to be Bob needs no mail"


@pytest.mark.long
def test_asking_for_a_rematch_one_has_declined_is_refused_saying_so(web: Web, over: str) -> None:
    client, alice = web.client(), web.link("play", over, 0)
    client.post(f"{web.link('play', over, 1)}/rematch")
    again = rematches.read_rematch_id(web.site, over)
    assert again is not None
    matches.decline_invitation(
        web.site, web.site.tokens.read(InvitationClaim, web.link("invitation", again, 1).split("/")[-1])
    )
    answer = client.post(f"{alice}/rematch")
    assert answer.status_code == 409
    assert "You have declined this invitation." in Page(answer.text).words


def test_a_running_match_offers_no_rematch(web: Web, hogen: str) -> None:
    path = web.link("play", hogen, 0)
    assert "Play again" not in Page(web.client().get(path).text).words
    before = web.everything()
    answer = web.client().post(f"{path}/rematch")
    assert answer.status_code == 409
    assert "A rematch can be asked for when the match is over." in Page(answer.text).words
    assert web.everything() == before


@pytest.mark.long
def test_a_finished_match_shows_no_link_into_the_rematch_before_the_button(web: Web, over: str) -> None:
    rematches.find_or_create_rematch(
        web.site, web.site.tokens.read(PlayClaim, web.link("play", over, 0).rpartition("/")[2]), STRANGER
    )
    again = rematches.read_rematch_id(web.site, over)
    assert again is not None
    text = web.client().get(web.link("play", over, 1)).text
    assert web.link("invitation", again, 1) not in text


@pytest.mark.long
def test_public_pages_are_not_compressed_for_signed_in_readers(web: Web, open_match: str) -> None:
    (path,) = join_links(web, open_match)
    for client, packed in ((web.client(), True), (sign_in(web, "alice"), False), (sign_in(web, "bob"), False)):
        answer = client.get(path, headers={"Accept-Encoding": "gzip"})
        assert ("Content-Encoding" in answer.headers) == packed
