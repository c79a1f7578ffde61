"""What holds for any mail and any text, whatever somebody sends."""

import random
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pbem.features.inbox.incoming.commands import Move, Say, read_reply
from pbem.features.inbox.incoming.cutting import DELIMITERS, cut_quote
from pbem.features.inbox.incoming.message import LARGEST, Incoming, UnreadableMail, read_message
from pbem.games.hagakure import GAME as HAGAKURE
from tests.features.inbox.incoming.corpus import plain_answers, reader_of_game
from tests.features.inbox.incoming.programs import mail_of_parts
from tests.harness.cases import cases

EXAMPLES = 60
RAW = [case.raw for case in plain_answers()]
PIECES = (
    b"\r\n", b"\n\n", b"From: ", b"From: a@b\r\n",
    b"Content-Type: ", b"multipart/mixed; boundary=b", b"multipart/report; ", b"message/delivery-status",
    b"message/feedback-report", b"message/rfc822", b"text/html; charset=", b"--b\r\n",
    b"--b--", b"=?utf-8?q?=ff?=", b"=?x?b?!!?=", b"<",
    b">", b"\"", b"(", b"\\",
    b"\xff\xfe", b"\x00", b"format=flowed; ", b"base64",
    b"Content-Transfer-Encoding: ", b"uuencode", b"begin 644 x\r\n", b"charset*=x'y'%ff;",
    b"Message-ID: <a[b]@c>\r\n", b"To: @,;:<>\r\n", b"Subject: \xe9\r\n", b"Action: failed\r\n",
    b"Final-Recipient: rfc822;\r\n", b"<p><div", b"<![CDATA[", b"&#x110000;",
    b"Auto-Submitted: ", b"References: <", b"Return-Path: <>\r\n", b"boundary=",
    b";;==", b"undefined",
)  # fmt: skip


def read_or_refuse(raw: bytes) -> Incoming | None:
    """Returns the mail; None if it cannot be read. Raises nothing else."""
    try:
        return read_message(raw, mail_from=None, recipients=(), own=lambda _: False)
    except UnreadableMail:
        return None


@settings(max_examples=EXAMPLES, deadline=None)
@given(st.lists(st.one_of(st.sampled_from(PIECES), st.binary(max_size=12)), max_size=40))
def test_random_bytes_are_parsed_or_refused_with_a_reason(pieces: list[bytes]) -> None:
    read_or_refuse(b"".join(pieces))


@pytest.mark.long
@settings(max_examples=EXAMPLES, deadline=None)
@given(st.sampled_from(RAW), st.integers(0, 2**32))
def test_a_damaged_reply_is_parsed_or_refused_with_a_reason(raw: bytes, seed: int) -> None:
    chance = random.Random(seed)
    damaged = bytearray(raw)
    for _ in range(chance.randint(1, 12)):
        at = chance.randrange(len(damaged))
        damaged[at : at + chance.randint(0, 4)] = chance.choice(PIECES)
    found = read_or_refuse(bytes(damaged))
    if found is not None:
        read_reply(found.text, reader_of_game(HAGAKURE), ("Alice",))


LINES = st.text(st.sampled_from("ab19FSéà >:-—?.,;\u00a0\u200b\r\n<@'\"🙂"), max_size=40)


@pytest.mark.long
@settings(max_examples=EXAMPLES, deadline=None)
@given(st.lists(LINES, max_size=8), st.sampled_from(["19", "F", "joue 7", "double", "no", "passe"]))
def test_quoted_text_is_never_a_command(lines: list[str], old: str) -> None:
    quote = [line for typed in (*lines, old) for line in f"> {typed}".splitlines()]
    text = "\n".join(line if line.startswith(">") else f"> {line}" for line in quote)
    assert read_reply(text, reader_of_game(HAGAKURE)).commands == ()


@pytest.mark.long
@settings(max_examples=EXAMPLES, deadline=None)
@given(
    st.sampled_from(["19", "19\nsay Hello", "F\n\nMerci", "Hi", "", "19 or 18"]), st.lists(LINES, max_size=8), st.data()
)
def test_nothing_below_the_delimiter_changes_what_is_read(typed: str, below: list[str], data: st.DataObject) -> None:
    mark = data.draw(st.sampled_from(["— {} —", "> — {} —", "{}", "  *— {} —*  ", ">> {}"]))
    delimiter = mark.format(data.draw(st.sampled_from(list(DELIMITERS.values()))))
    text = "\n".join((typed, delimiter))
    assert read_reply("\n".join((text, *below)), reader_of_game(HAGAKURE)) == read_reply(text, reader_of_game(HAGAKURE))


@pytest.mark.long
@settings(max_examples=EXAMPLES, deadline=None)
@given(st.lists(LINES, max_size=10))
def test_cutting_quotes_twice_equals_cutting_once(lines: list[str]) -> None:
    once = cut_quote("\n".join(lines))
    assert cut_quote(once) == once


@pytest.mark.long
@settings(max_examples=EXAMPLES, deadline=None)
@given(st.lists(LINES, max_size=6), st.integers(0, 6))
def test_of_two_different_moves_none_is_played(lines: list[str], at: int) -> None:
    text = ["19", *lines[:at], "play S27", *lines[at:]]
    found = read_reply("\n".join(text), reader_of_game(HAGAKURE)).commands
    above = cut_quote("\n".join(text)).split("\n")
    if "play S27" in above:
        assert not any(isinstance(one, Move) for one in found)
    assert len([one for one in found if not isinstance(one, Say)]) <= 1 or "19" in above


def test_a_mail_above_the_limit_is_refused() -> None:
    with pytest.raises(UnreadableMail, match="too-large"):
        read_message(b"x" * (LARGEST + 1), mail_from=None, recipients=(), own=lambda _: False)


@pytest.mark.long
def test_parts_within_parts_are_refused_beyond_a_bound() -> None:
    for depth in (30, 150):
        heads = [f'Content-Type: multipart/mixed; boundary="b{at}"\r\n\r\n--b{at}\r\n' for at in range(depth)]
        assert read_or_refuse(("From: alice@example.com\r\n" + "".join(heads) + "\r\ncall M1").encode()) is None


def test_more_parts_than_anybody_sends_are_refused() -> None:
    parts = b"--b\r\nContent-Type: text/plain\r\n\r\n19\r\n" * 1_000
    assert read_or_refuse(b"Content-Type: multipart/mixed; boundary=b\r\n\r\n" + parts) is None


@pytest.mark.long
def test_a_reply_above_a_huge_quotation_is_read() -> None:
    for text in ("19\n" + "> bla " * 200_000, "19\n" + "> bla\n" * 200_000):
        found = read_or_refuse(mail_of_parts(text, cte="base64").as_bytes())
        assert found is not None
        assert read_reply(found.text, reader_of_game(HAGAKURE)).commands == (Move(("19",)),)


@pytest.mark.long
@cases(
    "body",
    [
        "A" * 3000, "これは警告ではありません" * 300, "A" * 90_000, " " * 90_000,
        "x" * 400 + ":\n", ("x" * 398 + ":\n") * 240,
        "-----BEGIN PGP SIGNED MESSAGE-----\n\n" * 1500 + "x" * 50_000, "-" * 90_000, "> " * 40_000, "a@" * 40_000,
        "[" * 50_000, "1:00 " * 18_000, "say " * 20_000, "\u2028" * 50_000,
    ],
)  # fmt: skip
def test_no_text_takes_long_to_read(body: str) -> None:
    for kind in ("plain", "html"):
        raw = (
            f"From: a@example.org\nContent-Type: text/{kind}; charset=utf-8\nContent-Transfer-Encoding: 8bit\n\n{body}"
        )
        began = time.process_time()
        read_message(raw.encode(), mail_from=None, recipients=(), own=lambda _: False)
        assert time.process_time() - began < 3


def test_deeply_nested_css_selectors_do_not_break_reading() -> None:
    style = "a:not(" * 400 + "b" + ")" * 400 + "{display:none}" + " .x" * 400 + "{color:red}"
    raw = f"From: a@example.org\nContent-Type: text/html\n\n<style>{style}</style><p>F1</p>"
    read_message(raw.encode(), mail_from=None, recipients=(), own=lambda _: False)
