"""The local mailbox answers this machine, asked for by its own name, and nobody else."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pbem.services import outbox
from tests.web.cast import Page, Web


@pytest.fixture
def full(web: Web, hogen: str) -> Web:
    """A site whose mails have been sent to the mailbox."""
    assert outbox.drain(web.site) > 0
    return web


def paths(web: Web) -> list[str]:
    listed = web.client().get("/mailbox.json").json
    assert listed
    mail = f"/mailbox/{listed[0]['id']}"
    return ["/mailbox", "/mailbox.json", mail, f"{mail}.eml", f"{mail}/html"]


def test_the_list_names_every_mail(full: Web) -> None:
    listed = full.client().get("/mailbox.json").json
    assert listed is not None
    assert {"id", "to", "subject", "date"} == set(listed[0])
    assert {mail["to"] for mail in listed} == {f"{name}@example.org" for name in ("alice", "bob", "carol")}
    page = Page(full.client().get("/mailbox").text)
    assert f"/mailbox/{listed[0]['id']}" in page.hrefs()


def test_a_mail_is_shown_in_a_frame_that_can_do_nothing_but_follow_links(full: Web) -> None:
    page_path, frame_path = paths(full)[2], paths(full)[4]
    page = full.client().get(page_path)
    frame = next(known for tag, known in Page(page.text).tags if tag == "iframe")
    assert frame["src"] == frame_path
    assert "allow-scripts" not in frame["sandbox"]
    assert "allow-same-origin" not in frame["sandbox"]
    assert "frame-src 'self'" in page.headers["Content-Security-Policy"]
    policy = full.client().get(frame_path).headers["Content-Security-Policy"]
    assert "script-src" not in policy
    assert "default-src 'none'" in policy
    assert "sandbox" in policy


def test_the_picture_of_a_turn_mail_is_served(full: Web) -> None:
    listed = full.client().get("/mailbox.json").json
    assert listed is not None
    turn = next(mail["id"] for mail in listed if mail["id"].startswith("turn"))
    html = full.client().get(f"/mailbox/{turn}/html").text
    picture = html.split(f"/mailbox/{turn}/pictures/")[1].split('"')[0]
    answer = full.client().get(f"/mailbox/{turn}/pictures/{picture}")
    assert answer.mimetype == "image/png"
    assert answer.data.startswith(b"\x89PNG")


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8000", "127.0.0.1.evil.example", "192.168.1.2"])
def test_another_host_is_answered_404(full: Web, host: str) -> None:
    for path in paths(full):
        assert full.client().get(path, headers={"Host": host}).status_code == 404


@pytest.mark.parametrize("peer", ["192.168.1.2", "8.8.8.8", "::ffff:8.8.8.8", ""])
def test_another_peer_is_answered_404(full: Web, peer: str) -> None:
    for path in paths(full):
        assert full.client().get(path, environ_base={"REMOTE_ADDR": peer}).status_code == 404


@pytest.mark.parametrize("host", ["127.0.0.1:8000", "localhost", "localhost:8000", "[::1]:8000"])
def test_this_machine_is_answered_by_all_its_names(full: Web, host: str) -> None:
    assert full.client().get("/mailbox", headers={"Host": host}).status_code == 200


def test_there_is_no_mailbox_where_mail_leaves_or_others_can_reach_it(make_web: Callable[..., Web]) -> None:
    for settings in ({"mode": "production"}, {"host": "0.0.0.0"}):
        assert make_web(**settings).client().get("/mailbox").status_code == 404


FORWARDED = ("Forwarded", "X-Forwarded-For", "x-forwarded-host", "X-Forwarded-Proto", "X-Real-IP")


@pytest.mark.parametrize("header", FORWARDED)
def test_what_came_through_a_proxy_is_answered_404(full: Web, header: str) -> None:
    for path in paths(full):
        assert full.client().get(path, headers={header: "127.0.0.1"}).status_code == 404


def test_there_is_no_mailbox_nor_link_to_one_where_links_lead_elsewhere(make_web: Callable[..., Web]) -> None:
    web = make_web(url="https://pbem.example")
    assert web.client().get("/mailbox").status_code == 404
    assert "/mailbox" not in Page(web.client().get("/").text).hrefs()
    for url in ("http://localhost:8000", "http://[::1]:8000"):
        assert make_web(url=url).client().get("/mailbox").status_code == 200


@pytest.mark.parametrize("mail", ["none", "..%2f..%2fpbem", "turn-000000000000000000000000"])
def test_a_mail_that_is_none_is_answered_404(full: Web, mail: str) -> None:
    for path in (f"/mailbox/{mail}", f"/mailbox/{mail}.eml", f"/mailbox/{mail}/html", f"/mailbox/{mail}/pictures/x"):
        assert full.client().get(path).status_code == 404
