"""Devices that want to be notified when a seat is asked: subscriptions to Web Push, one for each seat and device.

matches ─< push_subscriptions    valid while the seat has the epoch at which the device subscribed
"""

from datetime import datetime

from sqlmodel import Field, SQLModel

from pbem.models.types import ZERO, Utc


class PushSubscription(SQLModel, table=True):
    """What a browser has given for a seat: where notifications are sent, and the keys that only it can read."""

    __tablename__ = "push_subscriptions"

    match_id: str = Field(primary_key=True, foreign_key="matches.id", max_length=32)
    seat: int = Field(primary_key=True)
    device: str = Field(primary_key=True, max_length=64, index=True)
    """The SHA-256 of the endpoint: a browser has one endpoint for all seats that are opened on it."""
    epoch: int
    """The seat's epoch when the device subscribed; once the seat has another one, nothing is sent."""
    endpoint: str = Field(max_length=1000)
    """The URL at the browser's push service; anyone who knows it can send to the device, so no log holds it."""
    p256dh: str = Field(max_length=87)
    """The device's public key, in base64url without padding."""
    auth: str = Field(max_length=22)
    """The secret that the device shares with this site, in base64url without padding."""
    created_at: datetime = Field(sa_type=Utc)
    """When the device last subscribed: it does so again when the seat's page is opened, once a day."""
    refusals: int = Field(default=0, sa_column_kwargs=ZERO)
    """The number of notifications in a row that its push service refused, or left unanswered."""
