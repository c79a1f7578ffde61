"""A browser that subscribes to a seat, and reads what its push service has received for it."""

from __future__ import annotations

import base64
import os
from dataclasses import dataclass, field
from typing import Any

import http_ece
import msgspec
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from sqlmodel import select

from pbem.features.push import subscriptions
from pbem.features.push.subscriptions import Device
from pbem.features.push.tables import PushSubscription
from tests.features.webhooks.hook_receiver import Got, Receiver
from tests.table import House, claim_of


def base64url(raw: bytes) -> str:
    """Returns the bytes as browsers write them."""
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


@dataclass
class Phone:
    """A device with its own keys, at an endpoint of a push service."""

    endpoint: str
    key: ec.EllipticCurvePrivateKey = field(default_factory=lambda: ec.generate_private_key(ec.SECP256R1()))
    secret: bytes = field(default_factory=lambda: os.urandom(16))

    @property
    def subscription(self) -> Device:
        """What it gives when it subscribes."""
        point = self.key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
        return Device(self.endpoint, base64url(point), base64url(self.secret))

    @property
    def json(self) -> dict[str, Any]:
        """The same as a page sends it."""
        given = self.subscription
        return {"endpoint": given.endpoint, "keys": {"p256dh": given.p256dh, "auth": given.auth}}

    def read(self, got: Got) -> Any:
        """Returns the notification in a message for this device."""
        plain = http_ece.decrypt(got.body, private_key=self.key, auth_secret=self.secret, version="aes128gcm")
        return msgspec.json.decode(plain)


def device_with_receiver(there: Receiver, path: str = "/push/1") -> Phone:
    """Returns a device whose push service is this receiver."""
    there.status = 201
    return Phone(there.url(path))


def subscribe_device_to_seat(house: House, match_id: str, seat: int, device: Phone) -> Phone:
    """Returns the device, subscribed to the seat."""
    subscriptions.subscribe_device(house.site, claim_of(house.site, match_id, seat), device.subscription)
    return device


def devices_of(house: House) -> list[PushSubscription]:
    """Returns all subscriptions."""
    with house.site.reading() as session:
        return [*session.exec(select(PushSubscription))]
