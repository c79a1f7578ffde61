"""The site's keys: derived from its secret, and what counts as a key of a browser."""

import base64

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from pbem.features.push import subscriptions
from tests.harness.cases import cases

KNOWN = "BC2o9hVTZCQFK4e4c1uMfOBB5EgNXKCwJqZ0R4rT5OkETZQJLUXSCSjXd8OlJ2ubOdoPScrzrqmCH_SWLPEkOhg"
POINT = base64.urlsafe_b64decode(subscriptions.public_key("any") + "=")


def test_the_vapid_keys_follow_from_the_sites_secret() -> None:
    """A change would end every subscription: browsers bind theirs to the key."""
    assert subscriptions.public_key("a secret of more than 32 letters for tests") == KNOWN


def test_another_site_secret_gives_other_vapid_keys() -> None:
    assert subscriptions.public_key("one") != subscriptions.public_key("other")
    assert len(subscriptions.public_key("one")) == 87


def test_a_point_on_the_p256_curve_is_a_valid_public_key() -> None:
    assert subscriptions.is_public_key(POINT)
    other = ec.generate_private_key(ec.SECP256R1()).public_key()
    assert subscriptions.is_public_key(other.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint))


@cases(
    "point",
    [
        b"",
        b"\0",
        POINT[:-1],
        POINT + b"\0",
        POINT[:-1] + bytes([POINT[-1] ^ 1]),
        b"\5" + POINT[1:],
        b"\4" + bytes(64),
        b"\4" + b"\xff" * 64,
        bytes([2 + POINT[-1] % 2]) + POINT[1:33],
    ],
)
def test_bytes_that_are_no_p256_point_are_no_public_key(point: bytes) -> None:
    assert not subscriptions.is_public_key(point)
