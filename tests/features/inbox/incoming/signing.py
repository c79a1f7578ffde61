"""Real DKIM signatures, and a name server that is a dictionary."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from functools import cache

import dkim
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
)

from pbem.features.inbox.incoming.verdicts import DnsError

MAIL = (
    b"From: Alice <alice@example.org>\r\nTo: play+token@pbem.example\r\nSubject: Re: Hogen\r\n"
    b"Message-ID: <1@example.org>\r\nDate: Wed, 25 Nov 2026 12:00:00 +0000\r\n\r\nF3\r\n"
)


WEAK = b"""\
-----BEGIN RSA PRIVATE KEY-----
MIIBygIBAAJhANZS7g1WGMm3WRzKUHEuUJmYoz9oxoIv6c3qUm0ejzoh+kzecF7f
37MHIJpJs1NmrCX/CFbeChzCS9iVMNttBCVj+WYf6+Fh4nD7zrqDychQNIzWj8Cy
FDF2Ar2ErO/NMwIDAQABAmAyxjbLRghdUWh1H6DrD1Pc74JNNV9B3GQBem/IliLM
XNxVdaUddOAkI54frzIiogHbbjm9z3CIcK8LnIiAe4c11Nwgb7tat0FWpadUgvvo
39b3OobVGLW/fRXUVKcV7dECMQD05LV02UMN+qdGlerCcXU3BID0Fzf5HwltHZtM
LJk9MlDK/d3oQG8OOlELwOvs8OcCMQDgC0zIFE3WI20ZJMRImdHaF0jfDt92YbaW
ux0iyQTiYLyQICecw2GIGI1MJ54lG9UCMQC51aRtG0FrJj4xrioLi5VrPpusnsH2
5bp9du4WC/HtInV01NjEGcEshsxhovBlSRkCMCvnqv1OlU5QlPGndduwYSJ3C63C
sWH2lhyFwJjvgciHIoyv8HNVCojsHsx8uw4UnQIwTkkB5bJOHqyGEtYpfr/71KbL
rvt9LULvJJ7RF1JpEVpRSyl9PP2RcP5rjITvzV7i
-----END RSA PRIVATE KEY-----
"""
"""A key of 768 bits, which no library makes any more."""


@cache
def _key(name: str) -> rsa.RSAPrivateKey:
    if name != "weak":
        return rsa.generate_private_key(65537, 1024)
    weak = load_pem_private_key(WEAK, None, unsafe_skip_rsa_key_validation=True)
    assert isinstance(weak, rsa.RSAPrivateKey)
    return weak


def _private(name: str) -> bytes:
    if name == "weak":
        return WEAK
    return _key(name).private_bytes(Encoding.PEM, PrivateFormat.TraditionalOpenSSL, NoEncryption())


def public_key_record(name: str = "own", more: str = "") -> bytes:
    """Returns the key record of the key called so."""
    key = _key(name).public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    return f"v=DKIM1; k=rsa; {more}p={base64.b64encode(key).decode()}".encode()


def sign_mail(
    raw: bytes, domain: str = "example.org", key: str = "own", *,
    length: bool = False, headers: list[bytes] | None = None, algorithm: bytes = b"rsa-sha256",
) -> bytes:  # fmt: skip
    """Returns the mail with a signature of the domain on top."""
    pem = _private(key)
    signer = dkim.DKIM(raw, signature_algorithm=algorithm)
    made: bytes = signer.sign(b"s1", domain.encode(), pem, length=length, include_headers=headers)
    return made + raw


class Names:
    """A resolver that knows these records and counts what it is asked; `down` are the names that time out."""

    def __init__(self, records: Mapping[str, bytes] | None = None, down: tuple[str, ...] = ()) -> None:
        self.records = {"s1._domainkey.example.org": public_key_record()} if records is None else dict(records)
        self.down = down
        self.asked: list[str] = []

    def txt_record(self, name: str) -> bytes | None:
        self.asked.append(name)
        if any(name.endswith(down) for down in self.down):
            raise DnsError("time out")
        return self.records.get(name)
