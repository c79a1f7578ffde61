"""Access logs give no link away."""

from __future__ import annotations

import io
from datetime import timedelta
from typing import Any
from unittest.mock import Mock

import pytest
from gunicorn.config import Config  # type: ignore[import-untyped]

from pbem.web.logs import MaskingLogger, mask


@pytest.mark.parametrize("page", ["play", "confirm", "invitation", "mute", "never", "account"])
def test_the_token_of_a_link_is_masked_wherever_it_stands(page: str) -> None:
    assert mask(f"GET /{page}/abc.0.1.sig?ask=t1.act0 HTTP/1.1") == f"GET /{page}/***?ask=t1.act0 HTTP/1.1"
    assert "secret" not in mask(f"https://pbem.example/{page}/secret.token/replay")


def test_a_line_of_the_access_log_holds_no_token() -> None:
    environ: dict[str, Any] = {
        "REQUEST_METHOD": "GET", "RAW_URI": "/play/secret?pick=x", "PATH_INFO": "/play/secret",
        "SERVER_PROTOCOL": "HTTP/1.1", "HTTP_REFERER": "http://x/invitation/secret", "QUERY_STRING": "pick=x",
    }  # fmt: skip
    response = Mock(status="200 OK", sent=1, headers=[])
    request = Mock(headers=[("REFERER", "http://x/invitation/secret")])
    atoms = MaskingLogger(Config()).atoms(response, request, environ, timedelta(seconds=1))
    line = io.StringIO()
    line.write(" ".join(str(value) for value in atoms.values()))
    assert "secret" not in line.getvalue()
    assert "/play/***" in line.getvalue()
