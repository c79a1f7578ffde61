"""No line of the log has a secret of webhooks."""

from __future__ import annotations

from pbem.logs import mask_secrets
from tests.harness.cases import cases


@cases("said", ["{}", "Authorization: Bearer {}", "{{'secret': '{}'}}", "a={}&b=1", "/x/{}/y"])
def test_a_webhooks_secret_is_masked_in_every_log_line(said: str) -> None:
    line = mask_secrets(said.format("whsec_c2Vj/cm+V0=="))
    assert "c2Vj" not in line
    assert "whsec_***" in line


@cases(
    "url",
    [
        "https://discord.com/api/webhooks/12/{}", "https://discord.com/api/v10/webhooks/12/{}?wait=true",
        "https://hooks.slack.com/services/T0/B0/{}",
    ],
)  # fmt: skip
def test_the_url_of_a_chat_webhook_is_masked_in_logs(url: str) -> None:
    line = mask_secrets(f"cannot reach '{url.format('sEcReT')}' today")
    assert "sEcReT" not in line
    assert line.endswith("/***' today")
