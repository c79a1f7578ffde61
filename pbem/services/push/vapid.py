"""The key pair by which push services know this site (VAPID, RFC 8292). Both keys follow from the site's secret.

The public key is computed here, in a few milliseconds once per process: the library that signs with the private key
takes nine megabytes, which a web process would hold for this one number alone.
"""

import base64
import hmac
from functools import cache

PRIME = 2**256 - 2**224 + 2**192 + 2**96 - 1
ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
BASE = (
    0x6B17D1F2E12C4247F8BCE6E563A440F277037D812DEB33A0F4A13945D898C296,
    0x4FE342E2FE1A7F9B8EE7EB4A7C0F9E162BCE33576B315ECECBB6406837BF51F5,
)
B = 0x5AC635D8AA3A93E7B3EBBD55769886BC651D06B0CC53B0F63BCE3C3E27D2604B
"""The curve P-256: y² = x³ - 3x + B modulo PRIME, with the point BASE, which has this ORDER."""

Point = tuple[int, int]


@cache
def private_key(secret: str) -> int:
    """Returns the private key of the site with this secret, a number from 1 to below ORDER."""
    derived = hmac.digest(secret.encode(), b"pbem.push", "sha512")
    return 1 + int.from_bytes(derived, "big") % (ORDER - 1)


@cache
def public_key(secret: str) -> str:
    """Returns the public key of the site with this secret, in base64url, as `PushManager.subscribe` takes it."""
    x, y = _times(private_key(secret))
    point = b"\x04" + x.to_bytes(32, "big") + y.to_bytes(32, "big")
    return base64.urlsafe_b64encode(point).rstrip(b"=").decode()


def is_on_curve(x: int, y: int) -> bool:
    """True if these are the coordinates of a point of the curve."""
    return max(x, y) < PRIME and (y * y - x * x * x + 3 * x - B) % PRIME == 0


def _times(factor: int) -> Point:
    """Returns the multiple of BASE, by doubling and adding."""
    found: Point | None = None
    power = BASE
    while factor:
        if factor & 1:
            found = power if found is None else _sum(found, power)
        power = _sum(power, power)
        factor >>= 1
    assert found is not None, "a private key is not zero"
    return found


def _sum(one: Point, other: Point) -> Point:
    """Returns the sum of two points that are not each other's opposite."""
    (x1, y1), (x2, y2) = one, other
    rise, run = (3 * x1 * x1 - 3, 2 * y1) if one == other else (y2 - y1, x2 - x1)
    slope = rise * pow(run, -1, PRIME)
    x = (slope * slope - x1 - x2) % PRIME
    return x, (slope * (x1 - x) - y1) % PRIME
