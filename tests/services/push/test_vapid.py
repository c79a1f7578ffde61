"""The site's keys: derived from its secret, and the same that a library derives."""

import base64

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from pbem.services.push import vapid


def test_the_public_key_is_the_one_that_a_library_computes() -> None:
    for secret in ("a secret of more than 32 letters for tests", "another", ""):
        number = vapid.private_key(secret)
        key = ec.derive_private_key(number, ec.SECP256R1()).public_key()
        point = key.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
        assert vapid.public_key(secret) == base64.urlsafe_b64encode(point).rstrip(b"=").decode()
        numbers = key.public_numbers()
        assert vapid.is_on_curve(numbers.x, numbers.y)
        assert not vapid.is_on_curve(numbers.x, numbers.y ^ 1)


def test_another_secret_has_other_keys_and_the_key_never_contains_the_secret() -> None:
    one, other = vapid.private_key("one"), vapid.private_key("other")
    assert one != other
    assert 0 < one < vapid.ORDER
    assert vapid.private_key("one") == one
