"""The key pair by which push services know this site (VAPID, RFC 8292). Both keys follow from the site's secret.

The library is loaded when a key is first wanted: it takes some megabytes of each process.
"""

import base64
import hmac
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey


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
