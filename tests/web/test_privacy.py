"""The pages of an address change and of an erasure: only a button acts, and strangers' buttons do not."""

from __future__ import annotations

import pytest
from flask.testing import FlaskClient
from sqlalchemy import select

from pbem.models.accounts import AddressChange
from pbem.models.tables import Player, Suppression, table
from pbem.services.tokens import ChangeClaim
from tests.harness.cases import cases
from tests.web.cast import Page, Web

PAGES = ("/me/address", "/me/erase")


def row_of_player(web: Web, name: str) -> Player:
    with web.site.reading() as session:
        t = table(Player)
        return session.execute(select(t).where(t.c.canonical == f"{name}@example.org")).one()  # type: ignore[return-value]


@pytest.fixture
def bob(web: Web, hogen: str) -> FlaskClient:
    """Bob's browser, signed in."""
    known, client = row_of_player(web, "bob"), web.client()
    assert client.post(f"/account/{web.site.tokens.for_account(known.id or 0, 0, web.site.now())}").status_code == 303
    return client


def send_form(client: FlaskClient, path: str, action: str | None = None, **typed: str) -> Page:
    """Sends the form of the page with these values; returns what the browser shows."""
    page = Page(client.get(path).text)
    (form,) = [form for form in page.forms if form.action == (action or path)]
    return Page(client.post(form.action, data={**form.fields, **typed}, follow_redirects=True).text)


def links_of_change(web: Web) -> tuple[str, str]:
    with web.site.reading() as session:
        number = session.execute(select(table(AddressChange).c.id)).scalars().all()[-1]
    return (
        f"/address/{web.site.tokens.sign(ChangeClaim(number, 'old'))}",
        f"/address/{web.site.tokens.sign(ChangeClaim(number, 'new'))}",
    )


@pytest.mark.long
@cases("path", PAGES)
def test_privacy_pages_need_a_signed_in_player_and_are_never_cached(web: Web, bob: FlaskClient, path: str) -> None:
    assert web.client().get(path).status_code == 401
    answer = bob.get(path)
    assert (answer.status_code, answer.headers["Cache-Control"]) == (200, "no-store")
    assert path in Page(bob.get("/me").text).hrefs()


def test_an_address_is_changed_by_a_button_in_both_mailboxes(web: Web, bob: FlaskClient, hogen: str) -> None:
    asked = send_form(bob, "/me/address", address="robert@example.net")
    assert "robert@example.net" in asked.words
    old, new = links_of_change(web)
    before = web.everything()
    for path in (old, new):
        answer = web.client().get(path)
        assert answer.headers["Cache-Control"] == "no-store"
        assert answer.headers["Referrer-Policy"] == "no-referrer"
    assert web.everything() == before, "a link alone, which a mail scanner may follow, does nothing"
    assert "robert@example.net" in Page(web.client().get(old).text).words
    assert "bob@example.org" not in web.client().get(new).text, "the new mailbox may be a stranger's"
    assert "as soon as the other mailbox" in send_form(web.client(), old, answer="yes").words
    assert "bob@example.org has confirmed" in Page(bob.get("/me/address").text).words
    assert "new links is on its way" in send_form(web.client(), new, answer="yes").words
    assert row_of(web, "robert@example.net")
    assert bob.get("/me").status_code == 401, "he is signed out everywhere"
    assert web.client().get(web.link("play", hogen, 1)).status_code == 401


def row_of(web: Web, address: str) -> bool:
    with web.site.reading() as session:
        t = table(Player)
        return session.execute(select(t.c.id).where(t.c.address == address)).first() is not None


def test_an_invalid_new_address_is_named_beside_its_field(bob: FlaskClient) -> None:
    page = Page(bob.get("/me/address").text)
    answer = bob.post("/me/address", data={**page.forms[0].fields, "address": "nobody"})
    assert answer.status_code == 422
    assert "is not an email address" in Page(answer.text).words


def test_an_address_change_can_be_withdrawn_or_stopped_by_the_old_mailbox(web: Web, bob: FlaskClient) -> None:
    send_form(bob, "/me/address", address="robert@example.net")
    send_form(bob, "/me/address", "/me/address/withdraw")
    old, new = links_of_change(web)
    assert "no longer pending" in Page(web.client().get(new).text).words
    send_form(bob, "/me/address", address="robert@example.net")
    old, new = links_of_change(web)
    assert "no longer pending" in send_form(web.client(), old, answer="stop").words
    refused = web.client().post(new, data={"answer": "yes"})
    assert refused.status_code == 409


def test_a_new_mailbox_refuses_all_mail_by_a_button_or_by_one_click(web: Web, bob: FlaskClient) -> None:
    send_form(bob, "/me/address", address="robert@example.net")
    _, new = links_of_change(web)
    assert "even if somebody invites it" in send_form(web.client(), new, answer="never").words
    send_form(bob, "/me/address", address="other@example.net")
    _, other = links_of_change(web)
    assert web.client().post(other, data={"List-Unsubscribe": "One-Click"}).text == "ok"
    with web.site.reading() as session:
        kept = set(session.execute(select(table(Suppression).c.digest)).scalars())
    wanted = {web.site.tokens.address_digest(address) for address in ("robert@example.net", "other@example.net")}
    assert kept == wanted


def test_erasing_on_the_page_needs_a_ticked_box_and_ends_the_session(web: Web, bob: FlaskClient, hogen: str) -> None:
    before = web.everything()
    page = Page(bob.get("/me/erase").text)
    unsure = bob.post("/me/erase", data={"csrf_token": page.forms[0].fields["csrf_token"], "never": "1"})
    assert unsure.status_code == 422
    assert "Tick the box" in Page(unsure.text).words
    assert web.everything() == before
    assert "Your data is erased" in send_form(bob, "/me/erase", sure="1").words
    assert bob.get("/me").status_code == 401
    assert "(B)" in Page(web.client().get(f"/match/{hogen}").text).words
    assert "Bob" not in web.client().get(f"/match/{hogen}").text
    assert not row_of(web, "bob@example.org")


@pytest.mark.long
@cases("path", ["/me/address", "/me/address/withdraw", "/me/erase"])
def test_a_privacy_form_posted_from_another_site_does_nothing(web: Web, bob: FlaskClient, path: str) -> None:
    before = web.everything()
    answer = bob.post(path, data={"sure": "1", "address": "robert@example.net"})
    assert answer.status_code in (400, 403)
    assert web.everything() == before


def test_players_download_their_data_as_a_file(web: Web, bob: FlaskClient) -> None:
    assert 'href="/me/data"' in bob.get("/me").text
    answer = bob.get("/me/data")
    assert answer.headers["Content-Disposition"] == "attachment; filename=pbem-data.json"
    assert answer.headers["Cache-Control"] == "no-store"
    assert answer.get_json()["player"]["address"] == "bob@example.org"
    assert web.client().get("/me/data").status_code == 401
