"""Mail that a relay posts: kept with its envelope, by a caller who knows the secret."""

from __future__ import annotations

import base64
import os
import re
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient
from structlog.testing import capture_logs
from werkzeug.serving import make_server

from pbem.errors import Busy
from pbem.features.inbox import pages
from pbem.features.inbox.settings import MAIL_BYTES
from tests.features.inbox.replying import comes_in
from tests.harness.cases import cases
from tests.harness.mail_servers import path_of_program
from tests.harness.waiting import SECONDS
from tests.web.cast import Web

SECRET = "relayword-of-tests"
BEARER = {"Authorization": f"Bearer {SECRET}"}
MAIL = b"From: alice@example.org\r\n\r\nF3\r\n"


@pytest.fixture
def site_with_relay(make_web: Callable[..., Web]) -> Web:
    return make_web(**comes_in(None, secret=SECRET), max_body=1000)


def post_mail(web: Web, body: bytes = MAIL, **headers: str) -> Any:
    client: FlaskClient = web.client()
    sent = (
        {"Content-Type": "message/rfc822"} | BEARER | {name.replace("_", "-"): value for name, value in headers.items()}
    )
    return client.post("/inbound", data=body, headers=sent)


def rows_kept(web: Web) -> list[dict[str, Any]]:
    return web.everything()["inbox"]


@pytest.mark.long
def test_a_mail_posted_by_a_relay_is_stored_once_with_its_envelope(site_with_relay: Web) -> None:
    to = "play+abc@pbem.example, b@pbem.example"
    said = [
        post_mail(site_with_relay, X_Envelope_From="alice@example.org", X_Envelope_To=to).status_code for _ in range(2)
    ]
    assert said == [201, 200]
    (row,) = rows_kept(site_with_relay)
    assert (row["raw"], row["via"], row["mail_from"]) == (MAIL, "http", "alice@example.org")
    assert row["recipients"] == '["b@pbem.example", "play+abc@pbem.example"]'


@pytest.mark.long
def test_a_relays_empty_return_path_is_stored_and_a_urls_query_ignored(site_with_relay: Web) -> None:
    assert (
        post_mail(site_with_relay, X_Envelope_From="<>", X_Envelope_To="<a@pbem.example>, b@pbem.example").status_code
        == 201
    )
    headers = BEARER | {"Content-Type": "message/rfc822"}
    logged = site_with_relay.client().post(
        "/inbound?from=a@example.org&to=b@pbem.example", data=MAIL + b"x", headers=headers
    )
    assert logged.status_code == 201
    first, second = rows_kept(site_with_relay)
    assert (first["mail_from"], first["recipients"]) == ("", '["a@pbem.example", "b@pbem.example"]')
    assert (second["mail_from"], second["recipients"]) == (None, "[]")


def test_a_relay_may_give_the_secret_as_a_password_of_basic_authentication(site_with_relay: Web) -> None:
    basic = base64.b64encode(f"relay:{SECRET}".encode()).decode()
    assert post_mail(site_with_relay, Authorization=f"Basic {basic}").status_code == 201


@pytest.mark.long
@cases("said", ["", "Bearer", "Bearer wrong", f"Bearer {SECRET}x", f"Basic {SECRET}", "Basic OmE=", SECRET])
def test_without_the_relay_secret_nothing_is_stored(site_with_relay: Web, said: str) -> None:
    answer = post_mail(site_with_relay, Authorization=said)
    assert answer.status_code == 401
    assert answer.headers["WWW-Authenticate"].startswith("Bearer")
    assert rows_kept(site_with_relay) == []


def test_without_a_relay_secret_configured_the_url_is_404(web: Web) -> None:
    assert post_mail(web).status_code == 404
    assert post_mail(web, Authorization="Bearer ").status_code == 404


def test_the_relay_url_takes_mails_up_to_the_size_limit(site_with_relay: Web) -> None:
    assert post_mail(site_with_relay, MAIL + b"x" * 2000).status_code == 201
    assert post_mail(site_with_relay, b"x" * (MAIL_BYTES + 1)).status_code == 413
    assert post_mail(site_with_relay, b" \r\n").status_code == 400
    assert post_mail(site_with_relay, Content_Type="application/x-www-form-urlencoded").status_code == 415
    assert post_mail(site_with_relay, X_Envelope_From="a" * 400).status_code == 400
    assert len(rows_kept(site_with_relay)) == 1


def test_while_the_database_is_busy_the_relay_is_told_to_retry(
    site_with_relay: Web, monkeypatch: pytest.MonkeyPatch
) -> None:
    def busy(*_: object, **__: object) -> bool:
        raise Busy("locked")

    monkeypatch.setattr(pages, "take_in_mail", busy)
    answer = post_mail(site_with_relay)
    assert answer.status_code == 503
    assert int(answer.headers["Retry-After"]) > 0


def test_no_log_line_holds_what_a_mail_says_or_who_it_is_from(site_with_relay: Web) -> None:
    with capture_logs() as lines:
        post_mail(site_with_relay, X_Envelope_From="alice@example.org")
        post_mail(site_with_relay, Authorization="Bearer nothing")
    assert not any(word in str(lines) for word in ("alice", "F3", SECRET))


@pytest.mark.long
def test_the_command_in_the_docs_posts_a_mail(site_with_relay: Web, tmp_path: Path) -> None:
    path_of_program("curl", "curl")
    text = (Path(__file__).parents[4] / "docs" / "hosting.md").read_text()
    (command,) = [one for one in re.findall(r"```sh\n(.*?)```", text, re.DOTALL) if "--data-binary @mail.eml" in one]
    (tmp_path / "mail.eml").write_bytes(MAIL)
    server = make_server("127.0.0.1", 0, site_with_relay.app)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        told = {
            "PBEM_URL": f"http://127.0.0.1:{server.port}",
            "PBEM_INBOUND_SECRET": SECRET,
            "PATH": os.environ["PATH"],
        }
        done = subprocess.run(
            ["/bin/sh", "-ec", command],
            env=told,
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=True,
        )
    finally:
        server.shutdown()
        thread.join(SECONDS)
    assert done.stdout == "Kept.\n"
    (row,) = rows_kept(site_with_relay)
    assert (row["raw"], row["mail_from"], row["recipients"]) == (
        MAIL,
        "alice@example.org",
        '["play+token@example.org"]',
    )


@cases(
    "path, said, allowed",
    [
        ("/inbound", f"Bearer {SECRET}", True),
        ("/inbound", "Basic " + base64.b64encode(f"relay:{SECRET}".encode()).decode(), True),
        ("/inbound", "", False),
        ("/inbound", "Bearer wrong", False),
        ("/inbound", "Basic \xff", False),
        ("/mailbox/incoming", "", True),
    ],
)
def test_a_body_as_large_as_a_mail_is_read_only_with_the_secret(
    site_with_relay: Web, path: str, said: str, allowed: bool
) -> None:
    [*_, may_come] = pages.bodies(site_with_relay.site.config)[path]
    assert may_come(said) is allowed
