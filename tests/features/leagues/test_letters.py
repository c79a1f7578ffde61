"""The mails of leagues as their readers get them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default

import pytest

from pbem.features.leagues.season_letters import SeasonRow
from pbem.kit.texts import LANGS, Lang
from pbem.mail.compose import compose_mail
from pbem.mail.letters import Letter
from tests.features.leagues.letters import call_up, finish_letter, kick_off, weekly_letter
from tests.harness.cases import cases
from tests.mail import samples
from tests.mail.reader import Reader, html_of, text_of


def parse_letter(letter: Letter) -> EmailMessage:
    """The mail as its reader's program parses it."""
    message = message_from_bytes(bytes(compose_mail(letter, samples.SECRET)), policy=default)
    assert isinstance(message, EmailMessage)
    return message


def words_of(message: EmailMessage) -> str:
    """What the HTML says."""
    return " ".join(Reader(html_of(message)).words)


@cases(
    "of, stop, lang",
    [
        (of, f"https://pbem.example/{way}", lang)
        for of, way in ((weekly_letter, f"week/{samples.TOKEN}"), (call_up, f"entry/{samples.TOKEN}/decline"))
        for lang in LANGS
    ],
)
def test_season_mails_have_one_click_unsubscribe_by_their_own_link(
    of: Callable[[Lang], Letter], stop: str, lang: Lang
) -> None:
    letter = of(lang)
    raw, message = bytes(compose_mail(letter, samples.SECRET)), parse_letter(letter)
    assert f"\r\nList-Unsubscribe: <{stop}>\r\n".encode() in raw
    assert b"\r\nList-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n" in raw
    assert stop in text_of(message).split("———")[1].splitlines()
    assert stop in Reader(html_of(message)).links


@pytest.mark.long
@cases("lang", LANGS)
def test_a_season_invitation_lets_an_unproven_address_unsubscribe_for_good(
    lang: Lang,
) -> None:
    raw = bytes(compose_mail(replace(call_up(lang), unsubscribe=samples.NEVER), samples.SECRET))
    assert f"\r\nList-Unsubscribe: <{samples.NEVER}>\r\n".encode() in raw


def test_a_mail_of_large_standings_keeps_the_readers_own_row() -> None:
    rows = tuple(SeasonRow(n, f"P{n}", 1, n == 200) for n in range(1, 301))
    letter = replace(finish_letter("en"), rows=rows, of=300).with_fewer(40)
    said = text_of(parse_letter(letter))
    assert "You finished 200th of 300" in said
    assert "* 200. P200 — 1" in said
    assert "… and 260 more: see " in said


@pytest.mark.long
@cases("lang", LANGS)
def test_a_mail_of_a_duplicate_season_has_each_rounds_commitment(lang: Lang) -> None:
    letter = kick_off(lang)
    message = parse_letter(letter)
    assert letter.commitments == (samples.COMMITMENT, samples.OTHER)
    rounds = {"en": "round {} {}", "fr": "ronde {} {}"}[lang]
    kept = ", ".join(
        rounds.format(number, samples.first_sixteen_digits(one)) for number, one in enumerate(letter.commitments, 1)
    )
    sentence = {"en": "How luck is kept fair", "fr": "Un hasard vérifiable"}[lang] + f" · {kept}"
    assert sentence in text_of(message)
    assert all(samples.first_sixteen_digits(one) in words_of(message) for one in letter.commitments)
    own = replace(letter, matches=tuple(replace(one, commitment=None) for one in letter.matches))
    assert sentence not in text_of(parse_letter(own)) + words_of(parse_letter(own))
    assert parse_letter(own)["X-PBEM-Commitment"] is None
