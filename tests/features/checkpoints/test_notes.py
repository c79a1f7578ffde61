"""Signed notes are those of C2SP: its examples, and whatever was changed in one is found."""

import base64

import pytest

from pbem.features.checkpoints.notes import (
    COSIGNATURE,
    SIGNATURE,
    BadNote,
    Note,
    Signature,
    Signer,
    check_signatures_of_one_key,
    read_key,
    read_note,
)
from tests.harness.cases import cases

# The example of the package golang.org/x/mod/sumdb/note, which made the format.
VKEY = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"
SECRET = base64.b64decode("AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz")[1:]
TEXT = "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n"
SIGNED = (
    f"{TEXT}\n— PeterNeumann "
    "x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n"
)
# The example of C2SP signed-note.
SPEC_VKEY = "example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k"
SPEC_NOTE = (
    "This is an example message.\n\n— example.com/foo "
    "Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM=\n"
)

HOST = Signer("play.example.org/pbem", SIGNATURE, bytes(32))
OTHER = Signer("other.example.org/pbem", COSIGNATURE, bytes([1]) * 32)


def test_the_signed_note_examples_round_trip_byte_for_byte() -> None:
    for vkey, text in ((VKEY, SIGNED), (SPEC_VKEY, SPEC_NOTE)):
        assert str(read_key(vkey)) == vkey
        assert len(check_signatures_of_one_key(read_note(text), read_key(vkey)).signatures) == 1
        assert str(read_note(text)) == text
    signer = Signer("PeterNeumann", SIGNATURE, SECRET)
    assert str(signer.key) == VKEY
    assert str(Note(TEXT).with_signatures(signer.signature_of(TEXT, 0))) == SIGNED


def test_a_cosignature_covers_its_time_and_the_whole_text() -> None:
    """The message and the order of the bytes are those of C2SP tlog-cosignature."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    signature = OTHER.signature_of(TEXT, 1679315147)
    message = f"cosignature/v1\ntime 1679315147\n{TEXT}".encode()
    Ed25519PublicKey.from_public_bytes(OTHER.key.public).verify(signature.data[8:], message)
    assert signature.data[:8] == (1679315147).to_bytes(8, "big")
    assert check_signatures_of_one_key(Note(TEXT, (signature,)), read_key(str(OTHER.key))).at == 1679315147


@cases("signer", [HOST, OTHER])
def test_a_note_with_changed_text_time_or_signature_fails(signer: Signer) -> None:
    signature = signer.signature_of(TEXT, 1679315147)
    assert check_signatures_of_one_key(Note(TEXT, (signature,)), signer.key).signatures == (signature,)
    for at in (0, 7, 8, len(signature.data) - 1):
        changed = bytearray(signature.data)
        changed[at] ^= 1
        with pytest.raises(BadNote, match="does not hold"):
            check_signatures_of_one_key(
                Note(TEXT, (Signature(signer.name, signature.key_id, bytes(changed)),)), signer.key
            )
    with pytest.raises(BadNote, match="does not hold"):
        check_signatures_of_one_key(Note(TEXT.replace("your", "our"), (signature,)), signer.key)
    with pytest.raises(BadNote, match="does not hold"):
        check_signatures_of_one_key(Note(TEXT, (Signature(signer.name, signature.key_id, b"short"),)), signer.key)


def test_a_bad_signature_fails_a_note_only_for_its_own_key() -> None:
    good = HOST.signature_of(TEXT, 0)
    bad = Signature(HOST.name, good.key_id, bytes(64))
    stranger = Signature("elsewhere.example.org", b"1234", b"anything")
    assert check_signatures_of_one_key(Note(TEXT, (stranger, good)), HOST.key).signatures == (good,)
    with pytest.raises(BadNote, match="does not hold"):
        check_signatures_of_one_key(Note(TEXT, (good, bad)), HOST.key)
    with pytest.raises(BadNote, match="is not signed"):
        check_signatures_of_one_key(Note(TEXT, (stranger, good)), OTHER.key)


def test_a_signature_is_not_added_twice() -> None:
    note = Note(TEXT).with_signatures(HOST.signature_of(TEXT, 0))
    assert note.with_signatures(HOST.signature_of(TEXT, 0)) == note
    assert read_note(str(note.with_signatures(OTHER.signature_of(TEXT, 1)))) == note.with_signatures(
        OTHER.signature_of(TEXT, 1)
    )


LINE = SIGNED.splitlines()[-1]


@cases(
    "text",
    [
        "", "\n", TEXT, f"{TEXT}{LINE}\n", f"{TEXT}\n{LINE}", f"{TEXT}\n", f"\n\n{LINE}\n", f"{TEXT}\n{LINE}\n\n",
        f"{TEXT}\r\n{LINE}\n", f"{TEXT}\n{LINE[2:]}\n", f"{TEXT}\n— Peter\n", f"{TEXT}\n— Peter abc\n",
        f"{TEXT}\n— Peter x08go/é=\n", f"{TEXT}\n— Pe+er {LINE.split()[-1]}\n", f"{TEXT}\n" + f"{LINE}\n" * 101,
        "x" * 65536 + SIGNED,
    ],
)  # fmt: skip
def test_a_text_that_is_not_a_signed_note_is_refused(text: str) -> None:
    with pytest.raises(BadNote):
        read_note(text)


@cases(
    "text",
    [
        "", "PeterNeumann", VKEY[:-4], VKEY.replace("c74f", "c74e"), VKEY.replace("PeterNeumann", "Peter"),
        VKEY.replace("PeterNeumann", ""), VKEY.replace("+ARpc", "+BRpc"), VKEY.replace("N", " "), VKEY + "é",
    ],
)  # fmt: skip
def test_a_text_that_is_not_a_verifier_key_is_refused(text: str) -> None:
    with pytest.raises(BadNote):
        read_key(text)


def test_notes_up_to_the_limits_of_bytes_and_signatures_are_read() -> None:
    assert len(read_note(f"{TEXT}\n" + f"{LINE}\n" * 100).signatures) == 100
    largest = "x" * (65_536 - len(SIGNED.encode())) + SIGNED
    assert str(read_note(largest)) == largest
    with pytest.raises(BadNote):
        read_note(f"x{largest}")
