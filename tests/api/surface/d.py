"""Webhooks."""

from __future__ import annotations

from tests.api.surface import Row

STABLE: dict[str, set[str]] = {
    "/api/v1/me/webhooks": {"get", "post"},
    "/api/v1/me/webhooks/{hook_id}": {"get", "patch", "delete"},
    "/api/v1/me/webhooks/{hook_id}/ping": {"post"},
    "/api/v1/me/webhooks/{hook_id}/deliveries": {"get"},
    "/api/v1/me/webhooks/{hook_id}/deliveries/{delivery_id}/redeliver": {"post"},
}

SENT: tuple[str, ...] = ("NewWebhook", "WebhookChange")
ANSWERS: tuple[str, ...] = ("Webhooks", "WebhookSheet", "WebhookMade", "Deliveries", "DeliverySheet")

ROWS: list[Row] = []
