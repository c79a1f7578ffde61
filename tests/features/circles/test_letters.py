"""The mails of circles."""

from __future__ import annotations

from pbem.kit.texts import LANGS
from pbem.mail.compose import compose_mail
from pbem.mail.letters import Letter
from tests.features.circles.letters import LESS, samples
from tests.harness.cases import cases
from tests.mail.samples import SECRET


@cases("letter", [letter for lang in LANGS for letter in samples(lang)])
def test_the_mails_of_circles_have_one_click_unsubscribe_headers(letter: Letter) -> None:
    raw = bytes(compose_mail(letter, SECRET))
    assert f"\r\nList-Unsubscribe: <{LESS}>\r\n".encode() in raw
    assert b"\r\nList-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n" in raw
