"""No log line reveals a link, not even when everything fails."""

from __future__ import annotations

import logging
from typing import Any

import pytest
from flask import request
from sqlalchemy.exc import OperationalError

from pbem import create_app
from pbem.logs import MASKING, mask_secrets
from pbem.services.site import Site
from tests.harness.cases import cases
from tests.harness.growth import LINEAR, growth_of_cpu_time
from tests.web.cast import Page, Web


def test_the_token_in_the_url_of_every_page_is_masked_in_logs(web: Web) -> None:
    paths = [str(rule) for rule in create_app(site=web.site).url_map.iter_rules() if "<token>" in str(rule)]
    assert len(paths) > 10
    for path in paths:
        assert "secret" not in mask_secrets(f"GET {path.replace('<token>', 'secret.0.1')} HTTP/1.1"), path


@cases(
    "page",
    [
        "play",
        "confirm",
        "invitation",
        "join",
        "mute",
        "stop-orders",
        "never",
        "account",
        "digest",
        "address",
        "record",
        "circle/join",
        "circle-links",
        "circle/member",
    ],
)
def test_the_token_of_a_link_is_masked_anywhere_in_a_log_line(page: str) -> None:
    assert mask_secrets(f"GET /{page}/abc.0.1.sig?ask=t1.act0 HTTP/1.1") == f"GET /{page}/***?ask=t1.act0 HTTP/1.1"
    assert "secret" not in mask_secrets(f"https://pbem.example/{page}/secret.token/replay")


@cases("secret", ["pbem_pat.q-w_e"])
@cases("said", ["{}", "Authorization: Bearer {}", "{{'token': '{}'}}", "a={}&b=1", "/x/{}/y"])
def test_a_personal_token_is_masked_anywhere_in_a_log_line(secret: str, said: str) -> None:
    line = mask_secrets(said.format(secret))
    assert "q-w_e" not in line
    assert "c2Vj" not in line
    assert "V0" not in line
    assert "***" in line


def test_a_failing_database_gives_our_error_page_and_logs_no_token(
    web: Web, hogen: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, capfd: Any
) -> None:
    def fail(site: Site) -> None:
        raise OperationalError("SELECT 1", {}, Exception(f"the disk is gone, says {request.path}"))

    monkeypatch.setattr(Site, "reading", fail)
    for purpose in ("play", "invitation", "confirm", "mute"):
        path = web.link(purpose, hogen, 1)
        answer = web.client().get(path)
        assert answer.status_code == 500
        assert "Something went wrong on our side" in Page(answer.text).words
        token = path.split("/")[-1]
        said = capfd.readouterr()
        assert "page.failed" in said.out + said.err, "the host must learn of it"
        assert token not in caplog.text + said.out + said.err


@pytest.mark.long
def test_an_ended_link_is_answered_even_if_its_match_cannot_be_read(
    web: Web, hogen: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise OperationalError("SELECT 1", {}, Exception("the disk is gone"))

    web.client().post(web.link("play", hogen, 1) + "/renew")
    monkeypatch.setattr("pbem.services.views.match_views.read_sheet", fail)
    answer = web.client().get(web.link("play", hogen, 1))
    assert answer.status_code == 401
    assert f"/match/{hogen}" not in Page(answer.text).hrefs()


def log_record(message: str, *args: object, error: Exception | None = None) -> logging.LogRecord:
    info = (type(error), error, None) if error else None
    return logging.LogRecord("any", logging.ERROR, __file__, 1, message, args, info)


@cases(
    "address",
    [
        "bob@example.org", "o'brien@example.org", "bob@localhost", "bob%40example.org", "bob%2540example.org",
        '"bob smith"@example.org', "bob@exämple.org", "b#o!b@example.org", "bob+hogen@mail.example.org",
        "bob@[192.0.2.1]",
    ],
)  # fmt: skip
@cases("said", ["no mail to {}.", "GET /links?address={}&daily=1 HTTP/1.1", "<{}>", "refused: ({})"])
def test_a_mail_address_in_a_log_line_is_masked_in_every_spelling(address: str, said: str) -> None:
    assert mask_secrets(said.format(address)) == said.format("***")


def test_a_lucky_word_typed_on_the_luck_page_is_masked_in_logs() -> None:
    for path in ("/match/1a2b/luck?mail=mirabelle", "/match/1a2b/luck?lang=fr&mail=mirabelle&step=3"):
        line = mask_secrets(f'"GET {path} HTTP/1.1" 200')
        assert "mirabelle" not in line
        assert line == f'"GET {path} HTTP/1.1" 200'.replace("mirabelle", "***")


@cases("path", ["/api/v1/me/webhooks/12/ping", "/static/pages.css?v=40", "at 40 % of 12"])
def test_text_without_a_secret_is_not_masked(path: str) -> None:
    assert mask_secrets(path) == path


@pytest.mark.long
@pytest.mark.parametrize("part", ["a", "%40", "a.", '"'])
def test_the_time_to_mask_a_line_grows_no_faster_than_the_line(part: str) -> None:
    short, long = part * 10_000 + " @", part * 100_000 + " @"
    assert growth_of_cpu_time(lambda: mask_secrets(short), lambda: mask_secrets(long)) < 10 * LINEAR
    assert (
        growth_of_cpu_time(lambda: mask_secrets(short.replace(" ", "")), lambda: mask_secrets(long.replace(" ", "")))
        < 10 * LINEAR
    )


@cases(
    "line",
    [
        log_record("Error handling request %s", "/play/secret?pick=x"),
        log_record("Exception on /play/secret [GET]"),
        log_record("%s went wrong", ValueError("at /invitation/secret")),
        log_record("it went wrong", error=ValueError("at /never/secret")),
        log_record("%d", "/play/secret"),
    ],
)
def test_log_masking_hides_tokens_in_every_part_of_a_record(line: logging.LogRecord) -> None:
    assert MASKING.filter(line)
    said = logging.Formatter().format(line)
    assert "secret" not in said
    assert "/***" in said


def test_the_frameworks_logger_has_the_masking_filter(web: Web) -> None:
    assert MASKING in logging.getLogger("pbem").filters


def test_log_records_reaching_the_root_logger_are_masked(web: Web) -> None:
    handler = next(h for h in logging.getLogger().handlers if MASKING in h.filters)
    line = log_record("Error at %s", "/play/secret")
    assert handler.filter(line)
    assert "secret" not in line.getMessage()
