"""The local mailbox answers only this machine, and only under its own name."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator

import pytest

from pbem.services.mail import sender
from tests.api.cast import NOON, Begun, Entropy, open_site_of
from tests.harness.cases import cases
from tests.harness.servers import copy_sqlite
from tests.table import MovedClock
from tests.web.cast import Page, Web


@pytest.fixture(scope="module")
def full(new_match: Begun, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Web]:
    """A site whose mails have been sent to the mailbox, for tests that only read."""
    data = tmp_path_factory.mktemp("mailbox")
    copy_sqlite(new_match.path, data / "pbem.db")
    web = Web(open_site_of(data, MovedClock(NOON), Entropy()))
    assert sender.drain(web.site) > 0
    yield web
    web.site.engine.dispose()


@pytest.fixture
def own(web: Web, full: Web) -> Web:
    """A site with a mailbox for this test alone."""
    shutil.copytree(full.site.config.data / "mailbox", web.site.config.data / "mailbox")
    return web


def paths_in_mailbox(web: Web) -> list[str]:
    listed = web.client().get("/mailbox.json").json
    assert listed
    mail = f"/mailbox/{listed[0]['id']}"
    return ["/mailbox", "/mailbox.json", mail, f"{mail}.eml", f"{mail}/html"]


@pytest.mark.long
def test_the_mailbox_lists_the_mails_to_every_player(full: Web) -> None:
    listed = full.client().get("/mailbox.json").json
    assert listed is not None
    assert {"id", "sender", "to", "subject", "date"} == set(listed[0])
    assert {mail["to"] for mail in listed} == {f"{name}@example.org" for name in ("alice", "bob", "carol")}
    page = Page(full.client().get("/mailbox").text)
    assert f"/mailbox/{listed[0]['id']}" in page.hrefs()


@pytest.mark.long
def test_list_and_mail_name_the_sender_since_a_match_has_one_subject(full: Web) -> None:
    listed = full.client().get("/mailbox.json").json
    assert listed is not None
    turn = next(mail for mail in listed if mail["id"].startswith("turn"))
    assert turn["sender"].startswith("Hogen · ")
    for path in ("/mailbox", f"/mailbox/{turn['id']}"):
        assert turn["sender"] in Page(full.client().get(path).text).words


def test_the_mailbox_json_has_the_newest_mail_first(own: Web) -> None:
    folder = own.site.config.data / "mailbox"
    known = [mail["id"] for mail in own.client().get("/mailbox.json").get_json()]
    assert len(known) > 1
    wanted = sorted(known, key=lambda mail_id: mail_id[::-1])
    for second, mail_id in enumerate(reversed(wanted)):
        os.utime(folder / f"{mail_id}.eml", (second, second))
    assert [mail["id"] for mail in own.client().get("/mailbox.json").get_json()] == wanted


def test_a_mail_is_shown_in_a_frame_that_can_do_nothing_but_follow_links(full: Web) -> None:
    page_path, frame_path = paths_in_mailbox(full)[2], paths_in_mailbox(full)[4]
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
    frame = full.client().get(f"/mailbox/{turn}/html").text
    picture = frame.split(f"/mailbox/{turn}/pictures/")[1].split('"')[0]
    answer = full.client().get(f"/mailbox/{turn}/pictures/{picture}")
    assert answer.mimetype == "image/png"
    assert answer.data.startswith(b"\x89PNG")


@pytest.mark.long
@cases("host", ["evil.example", "evil.example:8000", "127.0.0.1.evil.example", "192.168.1.2"])
def test_the_mailbox_answers_404_to_another_host_name(full: Web, host: str) -> None:
    for path in paths_in_mailbox(full):
        assert full.client().get(path, headers={"Host": host}).status_code == 404


@cases("peer", ["192.168.1.2", "8.8.8.8", "::ffff:8.8.8.8", ""])
def test_the_mailbox_answers_404_to_another_machine(full: Web, peer: str) -> None:
    for path in paths_in_mailbox(full):
        assert full.client().get(path, environ_base={"REMOTE_ADDR": peer}).status_code == 404


@cases("host", ["127.0.0.1:8000", "localhost", "localhost:8000", "[::1]:8000"])
def test_the_mailbox_answers_this_machine_under_all_its_names(full: Web, host: str) -> None:
    assert full.client().get("/mailbox", headers={"Host": host}).status_code == 200


@pytest.mark.long
def test_there_is_no_mailbox_where_mail_leaves_or_others_can_reach_it(make_web: Callable[..., Web]) -> None:
    for settings in ({"mode": "production"}, {"host": "0.0.0.0"}):
        assert make_web(**settings).client().get("/mailbox").status_code == 404


FORWARDED = ("Forwarded", "X-Forwarded-For", "x-forwarded-host", "X-Forwarded-Proto", "X-Real-IP")


@cases("header", FORWARDED)
def test_the_mailbox_answers_404_to_a_proxied_request(full: Web, header: str) -> None:
    for path in paths_in_mailbox(full):
        assert full.client().get(path, headers={header: "127.0.0.1"}).status_code == 404


@pytest.mark.long
def test_there_is_no_mailbox_nor_link_to_one_where_links_lead_elsewhere(make_web: Callable[..., Web]) -> None:
    web = make_web(url="https://pbem.example")
    assert web.client().get("/mailbox").status_code == 404
    assert "/mailbox" not in Page(web.client().get("/").text).hrefs()
    for url in ("http://localhost:8000", "http://[::1]:8000"):
        assert make_web(url=url).client().get("/mailbox").status_code == 200


@cases("mail", ["none", "..%2f..%2fpbem", "turn-000000000000000000000000000000000000"])
def test_an_unknown_mail_in_the_mailbox_is_404(full: Web, mail: str) -> None:
    for path in (f"/mailbox/{mail}", f"/mailbox/{mail}.eml", f"/mailbox/{mail}/html", f"/mailbox/{mail}/pictures/x"):
        assert full.client().get(path).status_code == 404


def test_the_mailbox_list_can_be_filtered_by_address_and_time(full: Web) -> None:
    client = full.client()
    everything = client.get("/mailbox.json").json
    assert everything is not None
    bobs = client.get("/mailbox.json", query_string={"to": "Bob@Example.org"}).json
    assert bobs == [mail for mail in everything if mail["to"] == "bob@example.org"]
    assert bobs
    oldest = min(mail["date"] for mail in everything)
    assert client.get("/mailbox.json", query_string={"since": oldest}).json == everything
    assert client.get("/mailbox.json", query_string={"since": "2999-01-01T00:00:00+01:00"}).json == []
    assert client.get("/mailbox.json?to=nobody@example.org").json == []
    # A plus that was not escaped arrives as a blank.
    assert client.get("/mailbox.json?since=2999-01-01T00:00:00+01:00").json == []
    assert client.get("/mailbox.json?since=2000-01-01T00:00:00+01:00").json == everything


@cases(
    "query",
    [
        "to=",
        "to=bob",
        "to=bob@example.org%00",
        "to=bob@example.org&to=alice@example.org",
        "since=",
        "since=yesterday",
        "since=2026-03-12",
        "since=2026-03-12T12:00:00",
        "since=2026-03-12 12:00:00",
        "since=2026-03-12T12:00:00%2001",
        "since=0000-00-00T00:00:00Z",
        "since=99999999999999999999",
        "since=2026-03-12T12:00:00Z&since=2026-03-12T12:00:00Z",
    ],
)
@cases("language", ["en", "fr"])
def test_the_mailbox_json_refuses_an_invalid_filter_and_names_it(full: Web, query: str, language: str) -> None:
    answer = full.client().get(f"/mailbox.json?{query}", headers={"Accept-Language": language})
    assert (answer.status_code, answer.mimetype) == (422, "application/problem+json")
    said = answer.json
    assert said is not None
    assert (said["status"], said["code"]) == (422, "invalid")
    name = query.partition("=")[0]
    assert name in said["detail"]
    assert "%(" not in said["detail"]


@pytest.mark.long
@pytest.mark.parametrize(
    "header", [b"Subject: =?utf-8?q?=FF=FE?=", b"Subject: =?utf-8?q?a=00b?=", b"To: <", b"Date: x", b"To: \xc3\xa0@b.c"]
)
def test_no_header_of_a_mail_makes_the_mailbox_fail(own: Web, header: bytes) -> None:
    mail_id = "turn-" + "0" * 36
    folder = own.site.config.data / "mailbox"
    (folder / f"{mail_id}.eml").write_bytes(header + b"\r\n\r\nWords\r\n")
    for path in ("/mailbox", "/mailbox.json", f"/mailbox/{mail_id}", f"/mailbox/{mail_id}/html"):
        assert own.client().get(path).status_code == 200, path
    listed = own.client().get("/mailbox.json").json
    assert listed is not None
    assert mail_id in {mail["id"] for mail in listed}
