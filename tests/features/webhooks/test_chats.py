"""A chat's webhook is called where that chat takes calls."""

from __future__ import annotations

import pytest

from pbem.errors import Unlinkable
from pbem.features.webhooks.chats import check_hook_url


def test_a_chat_webhook_may_only_call_its_own_services_host() -> None:
    discord, slack = "https://discord.com/api/webhooks/1/x", "https://hooks.slack.com/services/T/B/x"
    assert check_hook_url(discord, "discord", private=False) == discord
    assert check_hook_url(slack, "slack", private=False) == slack
    for url, preset in (
        (discord, "slack"),
        (slack, "discord"),
        ("https://discord.com.evil.org/api/webhooks/1/x", "discord"),
    ):
        for private in (False, True):
            with pytest.raises(Unlinkable):
                check_hook_url(url, preset, private=private)
