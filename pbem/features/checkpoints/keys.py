"""The name and the keys by which a site signs checkpoints. The keys follow from its secret."""

import hmac
from urllib.parse import urlsplit

from pbem.config import Config
from pbem.features.checkpoints.notes import COSIGNATURE, SIGNATURE, Signer


def origin_of(config: Config) -> str:
    """Returns the name of the site in its notes: its address without the scheme, and "/pbem"."""
    address = urlsplit(config.url)
    return f"{address.netloc}{address.path.rstrip('/')}/pbem".replace("+", "%2B")


def signer_of(config: Config) -> Signer:
    """Returns what signs the site's own checkpoints."""
    return Signer(origin_of(config), SIGNATURE, hmac.digest(config.secret.encode(), b"pbem.checkpoint", "sha256"))


def cosigner_of(config: Config) -> Signer:
    """Returns what cosigns the checkpoints of other sites: a key of its own, as C2SP asks for."""
    return Signer(origin_of(config), COSIGNATURE, hmac.digest(config.secret.encode(), b"pbem.cosignature", "sha256"))
