"""Devices as they subscribe to a seat, stop, and open what they were shown; the key by which push services know us.

A browser has one endpoint for the whole site. Each seat that is opened on it subscribes with that endpoint, by its own
link: a subscription ends with the epoch of the link by which it was made.

The key pair (VAPID, RFC 8292) follows from the site's secret. Its library is loaded when a key is first wanted: it
takes some megabytes of each process.
"""

import base64
import binascii
import hashlib
import hmac
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from typing import TYPE_CHECKING, Literal, NamedTuple

from sqlalchemy import delete, exists, func, or_, select, tuple_, update
from sqlmodel import Session

from pbem.errors import N_, Gone, Invalid
from pbem.features.push.notices import opaque_name_of_mail
from pbem.features.push.tables import PushSubscription
from pbem.features.safe_http import strip_and_check_url
from pbem.models.tables import Match, OutboxRow, Player, SeatRow, table
from pbem.services.access import seat_links
from pbem.services.site import Site, Work
from pbem.services.tokens import SeatClaim

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey

PER_SEAT = 5
"""The devices of a seat: one more takes the place of the one that subscribed first."""
PER_DEVICE = 100
"""The seats of a device."""
LONGEST = 1000
"""The maximum length of an endpoint."""
ENDED = ("over", "cancelled")
KEPT = timedelta(days=7)
"""How long after the end of a match its subscriptions are kept: its end is told, too."""

Result = Literal["accepted", "gone", "refused", "failed", "skipped"]


class Call(NamedTuple):
    """What became of the call to one device.

    "gone" says that its subscription has ended, or is given up; "failed" that there was no answer, or none for good;
    "skipped" that its server was not called, because it has just not answered.
    """

    device: PushSubscription
    result: Result


_t = table(PushSubscription)
_KEY = (_t.c.match_id, _t.c.seat, _t.c.device)


@dataclass(frozen=True)
class Device:
    """What a browser gives when it subscribes: its endpoint, and its public key and a shared secret in base64url."""

    endpoint: str
    p256dh: str
    auth: str


def endpoint_hash(endpoint: str) -> str:
    """Returns the hash of the endpoint, which names its device and tells nobody the endpoint."""
    return hashlib.sha256(endpoint.encode(errors="surrogatepass")).hexdigest()


def subscribe_device(site: Site, claim: SeatClaim, device: Device) -> None:
    """Has the device notified of the seat's turns from now on; repeating it changes nothing else.

    Raises Unauthorized, NotFound, Unlinkable and Invalid, and Gone if nobody waits for this seat.
    """
    endpoint = strip_and_check_url(device.endpoint, private=site.config.webhooks_private, longest=LONGEST)
    point, secret = _decode_base64url(device.p256dh), _decode_base64url(device.auth)
    if len(secret) != 16 or not is_public_key(point):
        raise Invalid(N_("The keys of this subscription cannot be read. Please subscribe again."))
    now, name = site.now(), endpoint_hash(endpoint)
    with site.writing() as work:
        table, seat = seat_links.lock_seat(work, claim)
        match = table.match
        if match.untimed or match.status in ENDED or work.get_one(Player, seat.player_id).address is None:
            raise Gone(N_("Nobody waits for this seat, so there is nothing to notify you of."))
        count = select(func.count()).where(_t.c.device == name, _t.c.match_id != match.id)
        if work.execute(count).scalar_one() >= PER_DEVICE:
            raise Invalid(N_("This device is notified of too many seats already."))
        mine = (_t.c.match_id == match.id, _t.c.seat == seat.seat)
        work.execute(delete(_t).where(*mine, or_(_t.c.epoch != seat.epoch, _t.c.device == name)))
        others = select(_t.c.device).where(*mine).order_by(_t.c.created_at.desc(), _t.c.device).offset(PER_SEAT - 1)
        surplus = work.execute(others.limit(PER_SEAT)).scalars().all()
        work.execute(delete(_t).where(*mine, _t.c.device.in_(surplus)))
        work.add(
            PushSubscription(
                match_id=match.id, seat=seat.seat, device=name, epoch=seat.epoch, endpoint=endpoint,
                p256dh=device.p256dh.rstrip("="), auth=device.auth.rstrip("="), created_at=now,
            )
        )  # fmt: skip


def _decode_base64url(text: str) -> bytes:
    """Returns the bytes; none if it is not base64url, with or without its padding."""
    if len(text) > 88 or not text.isascii():
        return b""
    try:
        return base64.b64decode(text.rstrip("=") + "=" * (-len(text.rstrip("=")) % 4), altchars=b"-_", validate=True)
    except binascii.Error:
        return b""


def unsubscribe_device(site: Site, endpoint: str) -> None:
    """Ends all subscriptions of the device: only it knows its endpoint."""
    mine = _t.c.device == endpoint_hash(endpoint)
    with site.writing() as work:
        # In the order in which tidying deletes them, so that neither waits for the other.
        work.execute(select(_t.c.seat).where(mine).order_by(*_KEY).with_for_update())
        work.execute(delete(_t).where(mine))


def note_opened(site: Site, claim: SeatClaim, mail: str) -> None:
    """Notes that the notification of this mail was opened, so that the mail need not follow. Raises Unauthorized."""
    t = table(OutboxRow)
    with site.writing() as work:
        seat = seat_links.seat_of_link(work, claim, "play")
        # A device may be quicker than the commit that notes that it was notified.
        waiting = (t.c.match_id == seat.match_id, t.c.seat == seat.seat, t.c.done_at.is_(None))
        rows = work.execute(select(t.c.id, t.c.dedupe).where(*waiting, t.c.opened_at.is_(None))).all()
        shown = [row.id for row in rows if hmac.compare_digest(opaque_name_of_mail(site, row.dedupe), mail)]
        work.execute(update(t).where(t.c.id.in_(shown)).values(opened_at=site.now()))


# --- for the hooks ----------------------------------------------------------------------------------------------


def subscriptions_of_seat(session: Session, seat: SeatRow) -> list[PushSubscription]:
    """Returns the devices that are notified of the seat's turns, in the order in which they subscribed."""
    mine = (_t.c.match_id == seat.match_id, _t.c.seat == seat.seat, _t.c.epoch == seat.epoch)
    found = select(PushSubscription).where(*mine).order_by(_t.c.created_at, _t.c.device)
    return [*session.execute(found).scalars()]


def note_results_of_calls(session: Session, calls: Sequence[Call]) -> None:
    """Deletes the subscriptions that have ended, and counts the calls in a row that others did not accept.

    One whose device has subscribed again meanwhile stays as it is.
    """
    for device, result in calls:
        keys = (_t.c.match_id == device.match_id, _t.c.seat == device.seat, _t.c.device == device.device)
        same = (*keys, _t.c.created_at == device.created_at)
        if result == "gone":
            session.execute(delete(_t).where(*same))
        elif result in ("refused", "failed"):
            session.execute(update(_t).where(*same).values(refusals=device.refusals + 1))
        elif result == "accepted" and device.refusals:
            session.execute(update(_t).where(*same).values(refusals=0))


def forget_seat(work: Work, seat: SeatRow) -> None:
    """Deletes all subscriptions of the seat."""
    work.execute(delete(_t).where(_t.c.match_id == seat.match_id, _t.c.seat == seat.seat))


def forget_ended_subscriptions(session: Session, now: datetime, most: int) -> int:
    """Deletes up to `most` subscriptions of ended matches and of links that have ended; returns the number deleted."""
    m, s = table(Match), table(SeatRow)
    ended = exists().where(m.c.id == _t.c.match_id, m.c.status.in_(ENDED), m.c.ended_at <= now - KEPT)
    valid = exists().where(s.c.match_id == _t.c.match_id, s.c.seat == _t.c.seat, s.c.epoch == _t.c.epoch)
    old = session.execute(select(*_KEY).where(or_(ended, ~valid)).order_by(*_KEY).limit(most)).all()
    session.execute(delete(_t).where(tuple_(*_KEY).in_(old)))
    return len(old)


@cache
def private_key(secret: str) -> "EllipticCurvePrivateKey":
    """Returns the private key of the site with this secret, on the curve P-256."""
    from cryptography.hazmat.primitives.asymmetric import ec

    curve = ec.SECP256R1()
    derived = hmac.digest(secret.encode(), b"pbem.push", "sha512")
    return ec.derive_private_key(1 + int.from_bytes(derived, "big") % (curve.group_order - 1), curve)


@cache
def public_key(secret: str) -> str:
    """Returns the public key of the site with this secret, in base64url, as `PushManager.subscribe` takes it."""
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

    point = private_key(secret).public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
    return base64.urlsafe_b64encode(point).rstrip(b"=").decode()


def is_public_key(point: bytes) -> bool:
    """True if these are the 65 bytes of a point of the curve P-256, as browsers give them."""
    from cryptography.hazmat.primitives.asymmetric import ec

    try:
        ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), point)
    except ValueError:
        return False
    return len(point) == 65
