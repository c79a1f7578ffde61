"""The pages by which an abandoned seat is taken over: the link on the others' pages, the form, the button."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from pbem.environment import Smtp
from pbem.limits import JOINS_PER_HOUR
from pbem.models.tables import SeatRow, SubstituteRow, table
from pbem.services.play import presence, timeouts
from pbem.services.tokens import OfferClaim
from pbem.services.views import talk
from tests.table import claim_of
from tests.web.cast import CHARLIE, READER, Page, Web, path_of, seat_link
from tests.web.lobby.joining import join_links
from tests.web.lobby.start import mails_sent


@pytest.fixture
def left(web: Web, hogen: str) -> str:
    """A match from which Bob has resigned."""
    presence.resign(web.site, claim_of(web.site, hogen, 1))
    return hogen


def path_of_offer(web: Web) -> str:
    """Returns the path of the page that the newest mail to a substitute leads to."""
    with web.site.reading() as session:
        ids = session.execute(select(table(SubstituteRow).c.id)).scalars().all()
    return f"/takeover/{web.site.tokens.sign(OfferClaim(max(ids)))}"


@pytest.mark.long
def test_only_players_still_seated_see_the_link_for_a_substitute(web: Web, left: str) -> None:
    (path,) = join_links(web, left)
    assert path.startswith("/substitute/")
    for other in (web.link("play", left, 1), f"/match/{left}"):
        assert "/substitute/" not in web.client().get(other).text
    assert "/substitute/" in web.client().get(web.link("play", left, 2)).text


@pytest.mark.long
def test_the_etag_of_a_page_changes_when_a_substitute_takes_the_seat(web: Web, left: str) -> None:
    (path,) = join_links(web, left)
    client, alice = web.client(), web.link("play", left, 0)
    tag = client.get(alice).headers["ETag"]
    client.post(path, data=CHARLIE)
    assert client.get(alice, headers={"If-None-Match": tag}).status_code == 304
    client.post(path_of_offer(web), data=READER)
    fresh = client.get(alice, headers={"If-None-Match": tag})
    assert fresh.status_code == 200
    assert "Charlie takes over the seat from here on." in Page(fresh.text).words
    assert join_links(web, left) == []


@pytest.mark.long
def test_a_substitutes_page_shows_only_what_spectators_see(web: Web, left: str) -> None:
    (path,) = join_links(web, left)
    client = web.client()
    answer = client.get(path)
    page = Page(answer.text)
    assert "Take over the seat of Bob?" in page.words
    spectators = client.get(f"/match/{left}").text
    board = spectators.partition("<figure")[2].partition("</figure>")[0].partition(">")[2]
    assert board
    assert board in answer.text
    assert "/play/" not in answer.text
    assert "example.org" not in answer.text
    assert answer.headers["Cache-Control"] == "no-store"
    assert answer.headers["X-Robots-Tag"] == "noindex"
    assert answer.headers["Referrer-Policy"] == "no-referrer"
    client.post(path, data=CHARLIE)
    offered = client.get(path_of_offer(web))
    assert board in offered.text
    assert "/play/" not in offered.text
    assert offered.headers["Cache-Control"] == "no-store"


def test_at_a_private_table_a_substitute_sees_no_board_before_accepting(web: Web) -> None:
    match_id = web.start(spectators=False)
    presence.resign(web.site, claim_of(web.site, match_id, 1))
    (path,) = join_links(web, match_id)
    assert "<figure" not in web.client().get(path).text
    web.client().post(path, data=CHARLIE)
    assert "<figure" not in web.client().get(path_of_offer(web)).text
    assert "<figure" in web.client().get(path_of(web.client().post(path_of_offer(web), data=READER))).text


@pytest.mark.long
def test_viewing_a_substitutes_offer_writes_nothing(web: Web, left: str) -> None:
    (path,) = join_links(web, left)
    web.client().post(path, data=CHARLIE)
    before = web.everything()
    assert web.client().get(path_of_offer(web)).status_code == 200
    assert web.client().head(path_of_offer(web)).status_code == 200
    assert web.everything() == before


@pytest.mark.long
def test_a_substitute_who_asks_gets_a_mail_and_plays_by_its_button(web: Web, left: str) -> None:
    talk.write_note(web.site, claim_of(web.site, left, 1), "my plan")
    (path,) = join_links(web, left)
    client = web.client()
    answer = client.post(path, data=CHARLIE)
    assert path_of(answer) == f"{path}/sent"
    assert "Check your mailbox" in Page(client.get(path_of(answer)).text).words
    assert mails_sent(web)[-1] == ("substitute", 1)
    page = Page(client.get(path_of_offer(web)).text)
    assert "You will play as Charlie." in page.words
    taken = client.post(path_of_offer(web), data=READER)
    assert path_of(taken) == f"{seat_link(web, left)}?done=taken"
    seat = client.get(path_of(taken)).text
    assert "The seat is yours: from now on you play here." in Page(seat).words
    assert "my plan" not in seat
    assert path_of(client.post(path_of_offer(web), data=READER)) == path_of(taken)
    again = Page(client.get(path_of_offer(web)).text)
    assert "The seat is yours" in again.words
    assert seat_link(web, left) in again.hrefs()
    assert timeouts.sweep_deadlines(web.site) == 0


def test_after_a_renewal_of_the_link_the_offer_leads_to_the_players_links(web: Web, left: str) -> None:
    (path,) = join_links(web, left)
    web.client().post(path, data=CHARLIE)
    play = path_of(web.client().post(path_of_offer(web), data=READER)).partition("?")[0]
    web.client().post(f"{play}/renew")
    for answer in (web.client().get(path_of_offer(web)), web.client().post(path_of_offer(web), data=READER)):
        page = Page(answer.text)
        assert "The seat is yours" in page.words
        assert "The new one comes by email." in page.words
        assert "/links" in page.hrefs()
        assert "/play/" not in answer.text


@pytest.mark.long
def test_a_replaced_owner_reads_on_their_page_that_the_seat_was_taken(web: Web, left: str) -> None:
    (path,) = join_links(web, left)
    web.client().post(path, data=CHARLIE)
    web.client().post(path_of_offer(web), data=READER)
    for old in (web.link("play", left, 1), f"{web.link('play', left, 1)}/replay", web.link("mute", left, 1)):
        answer = web.client().get(old)
        assert answer.status_code == 401
        assert "Somebody else has taken over this seat." in Page(answer.text).words
        assert f"/match/{left}" in Page(answer.text).hrefs()
        assert "<figure" not in answer.text


@pytest.mark.long
def test_a_late_substitute_reads_that_the_seat_is_taken_or_owner_is_back(web: Web, hogen: str) -> None:
    with web.site.writing() as session:
        row = session.get_one(SeatRow, (hogen, 1))
        row.absent, row.misses, row.away_n = True, 2, 1
    (path,) = join_links(web, hogen)
    client = web.client()
    client.post(path, data=CHARLIE)
    first = path_of_offer(web)
    presence.end_own_absence(web.site, claim_of(web.site, hogen, 1))
    for looked in (path, first):
        page = Page(client.get(looked).text)
        assert "The player of this seat is back" in page.words
        others = [form for form in page.forms if "/language" not in form.action]
        assert [form.action for form in others] == ["/now"], "a match of one's own, but not this seat"
    assert client.post(path, data=CHARLIE).status_code == 409
    assert client.post(first, data=READER).status_code == 409
    presence.resign(web.site, claim_of(web.site, hogen, 1))
    (path,) = join_links(web, hogen)
    for name in ("Charlie", "Erin"):
        client.post(path, data=CHARLIE | {"name": name, "address": f"{name.lower()}@example.org"})
    last = path_of_offer(web)
    client.post(last, data=READER)
    assert "This seat is taken" in Page(client.get(path).text).words
    refused = client.post(path, data=CHARLIE)
    assert refused.status_code == 409
    assert "Somebody else has taken this seat meanwhile." in Page(refused.text).words


@pytest.mark.long
def test_a_forged_link_to_a_substitutes_offer_is_refused(web: Web, left: str) -> None:
    (path,) = join_links(web, left)
    for wrong in (path.replace("/substitute/", "/takeover/"), "/takeover/x"):
        assert web.client().get(wrong).status_code == 401
        assert web.client().post(wrong, data=CHARLIE).status_code == 401


@pytest.mark.long
def test_asking_for_a_vacant_seat_shares_the_rate_limit_of_joining(make_web: Any, tmp_path: Path) -> None:
    relay = Smtp(host="127.0.0.1", port=25, user=None, password=None, tls="none", timeout=5)
    web = make_web(smtp=relay, mode="embedded", url="https://pbem.example", mail_from="p@pbem.example")
    match_id = web.start()
    presence.resign(web.site, claim_of(web.site, match_id, 1))
    (path,) = join_links(web, match_id)
    answers = [web.client().post(path, data=CHARLIE | {"name": ""}).status_code for _ in range(JOINS_PER_HOUR + 1)]
    assert answers == [422] * JOINS_PER_HOUR + [429]


@pytest.mark.long
def test_a_substitute_is_refused_a_name_that_looks_like_another(web: Web, left: str) -> None:
    (path,) = join_links(web, left)
    client = web.client()
    refused = client.post(path, data=CHARLIE | {"name": "AIice"})
    assert refused.status_code == 422
    assert "“Alice” is at this table already, and “AIice” looks like it." in Page(refused.text).words
