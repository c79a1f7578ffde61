"""The letter that webhooks send, and how it is treated on its way."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from pbem.features.webhooks.letters.webhook import WebhookOff
from pbem.kit.texts import Lang
from pbem.mail.letters import Letter
from tests.mail.samples import AT, fields_for_reader

TREATED: dict[str, tuple[set[str], str | None, tuple[str, ...]]] = {"webhook": (set(), None, ())}
WITH_A_WAY: tuple[type[Letter], ...] = ()


def webhook_off(lang: Lang) -> WebhookOff:
    """Carol's webhook has failed for a day."""
    return WebhookOff(
        **fields_for_reader(67, "Carol", lang),
        place="https://hooks.example.net/…",
        gone=False,
        since=AT - timedelta(days=1),
        page_url="https://pbem.example/me/webhooks/1",
    )


def samples(lang: Lang) -> list[Letter]:
    """The letter of a webhook that failed, and that of one that is gone."""
    gone = replace(webhook_off(lang), row=68, gone=True, since=None, at=AT + timedelta(minutes=7))
    return [webhook_off(lang), gone]
