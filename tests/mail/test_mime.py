"""What a mail is put together of, read back by the standard library."""

from __future__ import annotations

from dataclasses import replace
from email import message_from_bytes, message_from_string
from email.message import EmailMessage
from email.policy import default

import pytest

from pbem.mail import mime
from pbem.mail.compose import compose
from tests.mail import samples


def parsed(raw: bytes) -> EmailMessage:
    return message_from_bytes(raw, _class=EmailMessage, policy=default)


@pytest.mark.parametrize(
    "words",
    [
        "",
        "plain\n",
        "à vous\n",
        "a space at the end \n.\nFrom here\n",
        "=3D is no escape\n",
        "x" * 2000 + "\n",
        "\ttab\n",
    ],
)
def test_a_text_is_read_as_it_was_written_from_short_lines_of_ascii(words: str) -> None:
    raw = mime.text("plain", words)
    assert parsed(raw).get_content().replace("\r\n", "\n") == words
    assert raw.isascii()
    assert max(map(len, raw.split(b"\r\n"))) <= 76
    assert raw.replace(b"\r\n", b"").count(b"\n") == 0


@pytest.mark.parametrize("value", ["a\r\nBcc: b@c.example", "a\nb", "a\rb", "a\r\n", "a\r\n\r\nbody"])
def test_a_header_holds_no_second_one(value: str) -> None:
    with pytest.raises(ValueError, match="header"):
        mime.head({"X-Said": value})


@pytest.mark.parametrize("words", ["Hogen", "À vous, Chloé", "long " * 40 + "à la fin", "山" * 90])
def test_a_subject_is_read_as_it_was_written_and_folded(words: str) -> None:
    raw = mime.head({"Subject": mime.phrase("Subject", words)})
    assert parsed(raw)["Subject"] == words.strip()
    assert raw.isascii()
    assert max(map(len, raw.split(b"\r\n"))) <= 78


@pytest.mark.parametrize("length", range(60, 91))
def test_a_subject_is_read_as_it_was_written_wherever_it_is_folded(length: int) -> None:
    words = ("Bob, it is your turn in the match of Alice, Carol and Dave " * 2)[:length].strip()
    raw = mime.head({"Subject": mime.phrase("Subject", words)})
    assert parsed(raw)["Subject"].lstrip() == words  # this parser leaves the space with which a folded line begins
    assert raw.startswith((b"Subject: ", b"Subject:\r\n ")), raw
    assert max(map(len, raw.split(b"\r\n"))) <= 78


@pytest.mark.parametrize(
    "name", ["Alice", "Chloé", "Anne-Sophie Lévy-Müller", "Jean-Élie de la Rivière, dit « Jé »", "山" * 12]
)
@pytest.mark.parametrize("ascii_only", [True, False])
def test_a_name_at_an_address_of_any_length_is_read_as_it_was_written(name: str, ascii_only: bool) -> None:
    for length in range(1, 61):
        spec = "a" * length + "@mail.example.org"
        raw = mime.head({"To": mime.address("To", name, spec, ascii_only=ascii_only)})
        to = message_from_string(raw.decode(), _class=EmailMessage, policy=default)["To"]
        assert [(one.display_name, one.addr_spec) for one in to.addresses] == [(name, spec)], raw
        assert not to.defects, raw


def test_a_domain_beyond_ascii_stands_in_the_mail_as_it_is() -> None:
    raw = bytes(compose(replace(samples.your_turn("fr"), to="chloe@jeux-à-deux.example"), samples.SECRET))
    assert "<chloe@jeux-à-deux.example>\r\n".encode() in raw
