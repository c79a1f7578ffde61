"""The parts of a mail, read back by the standard library."""

from __future__ import annotations

import unicodedata
from dataclasses import replace
from email import message_from_bytes, message_from_string
from email.header import decode_header, make_header
from email.message import EmailMessage
from email.policy import default
from functools import cache

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pbem.errors import Invalid
from pbem.mail import mime
from pbem.mail.compose import compose_mail
from pbem.mail.harmless import one_line, visible_name
from pbem.render.phrases import isolate_direction
from pbem.services.players.players import normalise_name
from tests.harness.cases import cases
from tests.mail import samples

ATTACKS = ["=?utf-8?q?=0AX=3Ay?=", "=?utf-8?q?e=2Ecom=2Fx?=", "=?utf-8?q?a=00b?=", "=?utf-8?q?=FF=FE?=", "=?x?y?z?="]
ENCODED = st.from_regex(r"=\?[a-z0-9-]{0,8}\?[qbQB]?\?[ -~]{0,20}(\?=)?", fullmatch=True)
"""What looks like an encoded word, or like most of one."""
TYPED = st.one_of(st.text(), st.sampled_from(ATTACKS), ENCODED, st.lists(st.one_of(ENCODED, st.text())).map(" ".join))


def parse_mail(raw: bytes) -> EmailMessage:
    return message_from_bytes(raw, _class=EmailMessage, policy=default)


@cases(
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
    raw = mime.text_part("plain", words)
    assert parse_mail(raw).get_content().replace("\r\n", "\n") == words
    assert raw.isascii()
    assert max(map(len, raw.split(b"\r\n"))) <= 76
    assert raw.replace(b"\r\n", b"").count(b"\n") == 0


@cases("value", ["a\r\nBcc: b@c.example", "a\nb", "a\rb", "a\r\n", "a\r\n\r\nbody", "a\0b", "a\x1bb"])
def test_a_line_break_in_a_value_cannot_add_a_mail_header(value: str) -> None:
    with pytest.raises(ValueError, match="header"):
        mime.headers_block({"X-Said": value})


@cases("words", ["Hogen", "À vous, Chloé", "long " * 40 + "à la fin", "山" * 90])
def test_a_subject_is_read_as_it_was_written_and_folded(words: str) -> None:
    raw = mime.headers_block({"Subject": mime.encode_header("Subject", words)})
    assert parse_mail(raw)["Subject"] == words.strip()
    assert raw.isascii()
    assert max(map(len, raw.split(b"\r\n"))) <= 78


@cases("length", range(60, 91))
def test_a_subject_is_read_as_it_was_written_wherever_it_is_folded(length: int) -> None:
    words = ("Bob, it is your turn in the match of Alice, Carol and Dave " * 2)[:length].strip()
    raw = mime.headers_block({"Subject": mime.encode_header("Subject", words)})
    assert parse_mail(raw)["Subject"].lstrip() == words  # this parser keeps the space that begins a folded line
    assert raw.startswith((b"Subject: ", b"Subject:\r\n ")), raw
    assert max(map(len, raw.split(b"\r\n"))) <= 78


@pytest.mark.long
@cases("name", ["Alice", "Chloé", "Anne-Sophie Lévy-Müller", "Jean-Élie de la Rivière, dit « Jé »", "山" * 12])
@cases("ascii_only", [True, False])
def test_a_name_at_an_address_of_any_length_is_read_as_it_was_written(name: str, ascii_only: bool) -> None:
    for length in range(1, 61):
        spec = "a" * length + "@mail.example.org"
        raw = mime.headers_block({"To": mime.address_header("To", name, spec, ascii_only=ascii_only)})
        to = message_from_string(raw.decode(), _class=EmailMessage, policy=default)["To"]
        assert [(one.display_name, one.addr_spec) for one in to.addresses] == [(name, spec)], raw
        assert not to.defects, raw


def test_a_non_ascii_domain_stands_unencoded_in_the_mail() -> None:
    raw = bytes(compose_mail(replace(samples.your_turn("fr"), to="chloe@jeux-à-deux.example"), samples.SECRET))
    assert "<chloe@jeux-à-deux.example>\r\n".encode() in raw


def can_stand_in_header(words: str) -> bool:
    """True if the words can stand in a header: no controls, line ends or halves of letters."""
    return not any(unicodedata.category(letter) in ("Cc", "Cs", "Zl", "Zp") for letter in words)


@pytest.mark.long
@settings(deadline=None, max_examples=40)
@given(TYPED)
@example("=?utf-8?q?=0AX=3Ay?=")
@example("a  b ")
def test_any_text_is_one_subject_that_reads_the_same_or_is_none(words: str) -> None:
    if not can_stand_in_header(words):
        with pytest.raises(ValueError, match="control"):
            mime.encode_header("Subject", words)
        return
    raw = mime.headers_block({"Subject": mime.encode_header("Subject", words), "X-Next": "here"})
    assert raw.isascii()
    assert max(map(len, raw.split(b"\r\n"))) <= 78
    assert not set(raw) & {0, *range(1, 10), 11, 12, *range(14, 32), 127}
    message = parse_mail(raw)
    assert message.keys() == ["Subject", "X-Next"]
    assert message["Subject"] == words
    assert not message.defects


@pytest.mark.long
@settings(deadline=None)
@given(TYPED, st.integers(1, 60))
@example("=?utf-8?q?a=00b?=", 4)
@example("Alice <alice@example.org>, Bob", 3)
def test_any_name_stands_before_one_address_and_is_read_as_it_was_written(name: str, length: int) -> None:
    name, spec = one_line(name), "a" * length + "@mail.example.org"
    raw = mime.headers_block({"To": mime.address_header("To", name, spec)})
    assert raw.isascii()
    (to,) = parse_mail(raw).values()
    assert [one.addr_spec for one in to.addresses] == [spec], raw
    assert not to.defects, raw
    # This parser puts a space between two encoded words of a name (RFC 2047 has none there); the older one does not.
    assert str(make_header(decode_header(raw.decode()[4:].replace("\r\n", "")))) == (
        f"{name} <{spec}>" if name else spec
    ), raw


@cache
def ordinary_headers(to: str) -> list[str]:
    return parse_mail(bytes(compose_mail(replace(samples.declined("en"), to=to), samples.SECRET))).keys()


@pytest.mark.long
@settings(deadline=None, max_examples=40)
@given(st.lists(TYPED, min_size=4, max_size=4), st.sampled_from(["to@players.example", "à@players.example"]))
@example([ATTACKS[0], "Bob", "Carol", "Dave"], "to@players.example")
@example(["\ud800", "\0", "\u2028", "\u3164"], "to@players.example")
def test_any_stored_name_keeps_the_headers_intact_and_shows_in_the_subject(stored: list[str], to: str) -> None:
    letter = replace(samples.declined("en"), names=tuple(stored), who=stored[1], to=to)
    raw = bytes(compose_mail(letter, samples.SECRET))
    assert not set(raw) & {0, *range(1, 10), 11, 12, *range(14, 32), 127}
    message = message_from_string(raw.decode(), _class=EmailMessage, policy=default)
    assert message.keys() == ordinary_headers(to)
    assert message["Subject"] == f"Hogen: {isolate_direction(visible_name(stored[1]))} does not want to play"
    assert [one.addr_spec for one in message["To"].addresses] == [to]


@pytest.mark.long
@settings(deadline=None)
@given(TYPED)
def test_a_name_that_is_accepted_stands_in_the_subject_letter_by_letter(name: str) -> None:
    try:
        name = normalise_name(name)
    except Invalid:
        return
    message = parse_mail(bytes(compose_mail(replace(samples.declined("fr"), who=name), samples.SECRET)))
    assert message["Subject"] == f"Hogen\u00a0: {name} ne souhaite pas jouer"
    assert "=?" not in message["Subject"]


@cases("spec", ["", "a", "a@b@c.example", "a b@c.example", "a@c.example>\r\nX: y", "a@c.example\0"])
def test_an_invalid_address_is_written_into_no_header(spec: str) -> None:
    with pytest.raises(ValueError, match="address"):
        mime.address_header("To", "Alice", spec)


def test_a_senders_non_ascii_domain_is_written_as_punycode() -> None:
    assert mime.address_header("From", "pbem", "play@jeux-à-deux.example") == "pbem <play@xn--jeux--deux-l4a.example>"
    with pytest.raises(ValueError, match="ascii"):
        mime.address_header("From", "pbem", "é@players.example")
