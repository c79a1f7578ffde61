"""The mail of a day: for each match that waits its board and every answer."""

from __future__ import annotations

from dataclasses import replace
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default

import pytest

from pbem.kit.contract import AnyGame
from pbem.kit.texts import LANGS, Lang
from pbem.mail import compose as composing
from pbem.mail.compose import compose_mail
from pbem.render import phrases
from tests.harness.cases import cases
from tests.mail import samples
from tests.mail.reader import Reader, html_of, text_of


def read_mail(raw: bytes) -> EmailMessage:
    """The mail as its reader's program parses it."""
    message = message_from_bytes(raw, policy=default)
    assert isinstance(message, EmailMessage)
    return message


@cases("lang", LANGS)
def test_a_digest_has_for_each_match_its_board_and_every_answer(lang: Lang) -> None:
    letter = samples.digest(lang)
    message = read_mail(bytes(compose_mail(letter, samples.SECRET)))
    links, text = Reader(html_of(message)).links, text_of(message)
    for turn in letter.turns:
        assert all(answer.href in links for answer in turn.answers.links)
        assert all(answer.href in text for answer in turn.answers.links)
        assert links.count(turn.play_url) == 1, "its picture"
        assert all(phrases.phrase_text(line, turn.names) in text for line in turn.board.words)
    assert "reply" not in text.casefold(), "it could answer several questions"


def test_a_board_that_cannot_be_drawn_is_in_words_beside_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    letter = samples.digest("en")
    broken, whole = letter.turns
    drawn = composing.draw_board

    def draw(game: AnyGame, svg: str, names: tuple[str, ...]) -> bytes:
        if svg == broken.board.svg:
            raise KeyError("seal")
        return drawn(game, svg, names)

    monkeypatch.setattr(composing, "draw_board", draw)
    mail = compose_mail(letter, samples.SECRET)
    reader = Reader(html_of(read_mail(bytes(mail))))
    assert [game for game, _ in mail.faults] == [broken.game]
    assert [image["alt"] for image in reader.images] == [phrases.phrase_text(" ".join(whole.board.words), whole.names)]
    assert all(phrases.phrase_text(line, broken.names) in "".join(reader.words) for line in broken.board.words)
    assert {answer.href for turn in letter.turns for answer in turn.answers.links} <= set(reader.links)


def test_the_preview_of_a_digest_with_links_alone_names_a_waiting_match() -> None:
    html = html_of(read_mail(bytes(compose_mail(replace(samples.digest("en"), turns=()), samples.SECRET))))
    assert "Hogen with Alice" in html.partition("</p>")[0]
