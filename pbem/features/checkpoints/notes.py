"""Signed notes: a text with lines of signatures below it, and the keys for both kinds of signature.

The formats are those of C2SP: signed-note (Ed25519 signatures, keys) and tlog-cosignature (`cosignature/v1`, which says
when it was made). A site's own keys follow from its secret. The library is loaded when a signature is first wanted: it
takes some megabytes of each process.
"""

import base64
import hmac
from dataclasses import dataclass
from hashlib import sha256
from typing import Literal
from urllib.parse import urlsplit

from pbem.config import Config

MOST_BYTES = 64 * 1024
MOST_LINES = 100
"""What a note may have at most; sixteen signatures must be possible."""

Kind = Literal[1, 4]
SIGNATURE: Kind = 1
COSIGNATURE: Kind = 4
_DASH = "\N{EM DASH} "


class BadNote(ValueError):
    """A note, a key or a signature that is not what it should be; the message says why."""


@dataclass(frozen=True)
class VerifierKey:
    """A public Ed25519 key with the name of its owner, and the kind of signature that it checks."""

    name: str
    kind: Kind
    public: bytes

    @property
    def id(self) -> bytes:
        """Returns the four bytes that stand for the key before each of its signatures."""
        return sha256(self.name.encode() + b"\n" + bytes([self.kind]) + self.public).digest()[:4]

    def __str__(self) -> str:
        return f"{self.name}+{self.id.hex()}+{base64.b64encode(bytes([self.kind]) + self.public).decode()}"


def read_key(text: str) -> VerifierKey:
    """Returns the key written as `name+id+base64`. Raises BadNote."""
    parts = text.strip().split("+", 2)
    if len(parts) != 3 or not _is_key_name(parts[0]):
        raise BadNote("a key is written as name+id+base64")
    data = _from_base64_or_none(parts[2])
    if data is None or len(data) != 33 or data[0] not in (SIGNATURE, COSIGNATURE):
        raise BadNote("the key is neither one for Ed25519 signatures nor one for cosignatures")
    key = VerifierKey(parts[0], SIGNATURE if data[0] == SIGNATURE else COSIGNATURE, data[1:])
    if key.id.hex() != parts[1]:
        raise BadNote("the key does not belong to its name and id: it was not copied whole")
    return key


@dataclass(frozen=True)
class Signature:
    """A line below a note: who signed, with which key, and the signature itself."""

    name: str
    key_id: bytes
    data: bytes

    def __str__(self) -> str:
        return f"{_DASH}{self.name} {base64.b64encode(self.key_id + self.data).decode()}\n"


@dataclass(frozen=True)
class Note:
    """A text, which ends with a line break, and its signatures."""

    text: str
    signatures: tuple[Signature, ...] = ()

    def __str__(self) -> str:
        return f"{self.text}\n{''.join(map(str, self.signatures))}"

    def with_signatures(self, *signatures: Signature) -> "Note":
        """Returns the note with these signatures below its own; those it has already are not repeated."""
        return Note(self.text, tuple(dict.fromkeys([*self.signatures, *signatures])))


def read_note(text: str) -> Note:
    """Returns the note. Its signatures are not checked. Raises BadNote."""
    if len(text.encode()) > MOST_BYTES:
        raise BadNote(f"a note has at most {MOST_BYTES} bytes")
    if any(ord(letter) < 0x20 and letter != "\n" for letter in text):
        raise BadNote("a note has no control characters")
    said, blank, below = text.rpartition("\n\n")
    lines = below.split("\n")
    if not blank or not said or lines.pop() != "":
        raise BadNote("a note is a text, an empty line, and lines of signatures, each with a line break at its end")
    if not 0 < len(lines) <= MOST_LINES:
        raise BadNote(f"a note has from 1 to {MOST_LINES} signatures")
    signatures: list[Signature] = []
    for line in lines:
        name, blank, encoded = line.removeprefix(_DASH).partition(" ")
        data = _from_base64_or_none(encoded)
        if not line.startswith(_DASH) or not blank or not _is_key_name(name) or data is None or len(data) < 5:
            raise BadNote("below the empty line there is a line that is no signature")
        signatures.append(Signature(name, data[:4], data[4:]))
    return Note(f"{said}\n", tuple(signatures))


def _is_key_name(name: str) -> bool:
    return bool(name) and "+" not in name and not any(letter.isspace() for letter in name)


def _from_base64_or_none(text: str) -> bytes | None:
    try:
        return base64.b64decode(text, validate=True)
    except ValueError:
        return None


@dataclass(frozen=True)
class Signer:
    """A private key of 32 bytes with the name of its owner."""

    name: str
    kind: Kind
    secret: bytes

    @property
    def key(self) -> VerifierKey:
        """Returns the public key that checks its signatures."""
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

        public = Ed25519PrivateKey.from_private_bytes(self.secret).public_key().public_bytes_raw()
        return VerifierKey(self.name, self.kind, public)

    def signature_of(self, text: str, at: int) -> Signature:
        """Returns its signature of the text; a cosignature says that it was made `at`, in Unix time."""
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

        key = Ed25519PrivateKey.from_private_bytes(self.secret)
        if self.kind == SIGNATURE:
            return Signature(self.name, self.key.id, key.sign(text.encode()))
        return Signature(self.name, self.key.id, at.to_bytes(8, "big") + key.sign(_text_to_cosign(text, at)))


def _text_to_cosign(text: str, at: int) -> bytes:
    return f"cosignature/v1\ntime {at}\n{text}".encode()


@dataclass(frozen=True)
class Checked:
    """Signatures by a key that hold; `at` is the Unix time that the latest of them tells, None if they tell none."""

    signatures: tuple[Signature, ...]
    at: int | None


def check_signatures_of_one_key(note: Note, key: VerifierKey) -> Checked:
    """Returns the note's signatures by this key; those by other keys are not looked at.

    Raises BadNote if there is none, or if one does not hold.
    """
    own = tuple(one for one in note.signatures if (one.name, one.key_id) == (key.name, key.id))
    if not own:
        raise BadNote(f"the note is not signed with the key {key.name}+{key.id.hex()}")
    times = [_time_of_valid_signature(note.text, one, key) for one in own]
    return Checked(own, max((time for time in times if time is not None), default=None))


def _time_of_valid_signature(text: str, signature: Signature, key: VerifierKey) -> int | None:
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    at, data, said = None, signature.data, text.encode()
    if key.kind == COSIGNATURE:
        at, data = int.from_bytes(data[:8], "big"), data[8:]
        said = _text_to_cosign(text, at)
    try:
        Ed25519PublicKey.from_public_bytes(key.public).verify(data, said)
    except (InvalidSignature, ValueError):  # ValueError: 32 bytes that are no point of the curve
        raise BadNote(f"the signature of {key.name} does not hold: text or signature was changed") from None
    return at


def site_name_in_notes(config: Config) -> str:
    """Returns the name of the site in its notes: its address without the scheme, and "/pbem"."""
    address = urlsplit(config.url)
    return f"{address.netloc}{address.path.rstrip('/')}/pbem".replace("+", "%2B")


def signer_of_own_checkpoints(config: Config) -> Signer:
    """Returns what signs the site's own checkpoints."""
    return Signer(
        site_name_in_notes(config), SIGNATURE, hmac.digest(config.secret.encode(), b"pbem.checkpoint", "sha256")
    )


def cosigner_of_other_sites(config: Config) -> Signer:
    """Returns what cosigns the checkpoints of other sites: a key of its own, as C2SP asks for."""
    return Signer(
        site_name_in_notes(config), COSIGNATURE, hmac.digest(config.secret.encode(), b"pbem.cosignature", "sha256")
    )
