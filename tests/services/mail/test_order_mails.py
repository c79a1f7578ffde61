"""What a seat's orders have done stands in its next mail, once, with the link that stops them all first."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest

from pbem.services.play import ordering
from tests.mail.reader import html_of
from tests.services.letterbox import kinds_of_mails, newest_mail, once_a_day, text_of
from tests.services.mail.stage.digests import advance_clock_to
from tests.table import House, address_of, claim_of

NONE = "always nobori: none for match"
ANSWERED = {"en": "Your orders have answered {} question", "fr": "Vos consignes ont répondu à {} question"}


def match_with_orders(house: House, *said: str, **wanted: Any) -> tuple[str, int, str]:
    """A match in which the seat behind the first has these orders; its number, and its player's language."""
    match_id = house.begin(3, "hagakure", **wanted)
    house.drain()
    seat = (house.asks(match_id)[0].seat + 1) % 3
    version = house.view(match_id, seat).sheet.version
    ordering.save_orders(house.site, claim_of(house.site, match_id, seat), version, said, "web")
    return match_id, seat, "fr" if seat == 0 else "en"


def until_asked(house: House, match_id: str, seat: int, kind: str = "card") -> None:
    """The others play until the seat is asked a question of this kind."""
    while not any((ask.seat, ask.kind) == (seat, kind) for ask in house.asks(match_id)):
        house.play(match_id, house.asks(match_id)[0].seat)


def mail_of(house: House, seat: int) -> tuple[str, str]:
    """The newest mail to the player of the seat, as text and as HTML."""
    house.drain()
    name = ("Alice", "Bob", "Carol")[seat]
    message = house.mail.to(address_of(name))[-1]
    return text_of(message), html_of(message)


def test_the_next_turn_mail_lists_answers_and_orders_below_the_stop_link(house: House) -> None:
    match_id, seat, lang = match_with_orders(house, NONE)
    until_asked(house, match_id, seat)
    text, html = mail_of(house, seat)
    stop = f"/stop-orders/{house.token('orders', match_id, seat)}"
    assert ANSWERED[lang].format(1) in text
    assert text.index(stop) < text.index("/orders\n") < text.index("\n1. ")
    told = text[text.index("\n1. ") :].split("\n")[1]
    assert re.search("banner|bannière", told)
    going = {"en": "Until you stop it.", "fr": "Jusqu’à ce que vous l’arrêtiez."}[lang]
    assert going in text
    assert ANSWERED[lang].format(1) in html
    first = html.index(stop)
    assert first < html.index(f"{house.token('play', match_id, seat)}/orders")
    assert going in html
    assert re.search(r">(Still on:|Toujours en vigueur\s:)<br>• ", html), "each order has a line of its own"


@pytest.mark.long
def test_an_orders_answer_is_told_in_only_one_turn_mail(house: House) -> None:
    match_id, seat, lang = match_with_orders(house, NONE)
    until_asked(house, match_id, seat)
    assert ANSWERED[lang].format(1) in mail_of(house, seat)[0]
    house.play(match_id, seat)
    until_asked(house, match_id, seat)
    again = mail_of(house, seat)[0]
    assert "/stop-orders/" not in again
    assert ANSWERED[lang].format(1) not in again
    assert ordering.read_orders(house.site, claim_of(house.site, match_id, seat)).news, "the page tells it until read"


@pytest.mark.long
def test_an_orders_answer_in_a_mail_not_sent_is_told_again(house: House) -> None:
    match_id, seat, lang = match_with_orders(house, NONE)
    until_asked(house, match_id, seat)
    house.mail.failing = OSError("the disk is full")
    house.drain()
    house.mail.failing = None
    assert ordering.read_orders(house.site, claim_of(house.site, match_id, seat)).mailed == 0
    house.clock.at += timedelta(hours=1)
    assert ANSWERED[lang].format(1) in mail_of(house, seat)[0]


@pytest.mark.long
def test_turn_mails_tell_in_the_games_words_why_an_order_did_not_answer(house: House) -> None:
    match_id, seat, lang = match_with_orders(house, "always nobori: none", "card: play V1, play V2")
    assert not {1, 2}.intersection(house.view(match_id, seat).fold.hands[seat]), "cards of others"
    until_asked(house, match_id, seat)
    text, html = mail_of(house, seat)
    why = {"en": "is not in your hand", "fr": "n’est pas dans votre main"}[lang]
    assert why in text
    assert why in html
    assert {"en": "left 1 question to you", "fr": "laissé 1 question"}[lang] in text


@pytest.mark.long
def test_only_an_orders_owner_is_mailed_what_it_answered(house: House) -> None:
    match_id, seat, _ = match_with_orders(house, NONE)
    until_asked(house, match_id, seat)
    house.drain()
    for other in {0, 1, 2} - {seat}:
        for message in house.mail.to(address_of(("Alice", "Bob", "Carol")[other])):
            for said in (text_of(message), html_of(message)):
                assert "/stop-orders/" not in said
                assert "Your orders" not in said
                assert "Vos consignes" not in said


@pytest.mark.long
def test_the_digest_also_tells_what_orders_answered(house: House) -> None:
    match_id, seat, lang = match_with_orders(house, NONE)
    name = ("Alice", "Bob", "Carol")[seat]
    once_a_day(house, name, 18)
    until_asked(house, match_id, seat)
    advance_clock_to(house, 12, 18, 0)
    assert kinds_of_mails(house, name)[-1] == "digest"
    text = text_of(newest_mail(house, name))
    assert ANSWERED[lang].format(1) in text
    assert text.index("/stop-orders/") < text.index("\n1. ")
    advance_clock_to(house, 13, 18, 0)
    assert kinds_of_mails(house, name).count("digest") == 2
    assert "/stop-orders/" not in text_of(newest_mail(house, name))


def test_the_mail_about_the_end_tells_order_answers_without_a_stop_link(house: House) -> None:
    match_id, seat, lang = match_with_orders(house, NONE, "lowest for match", options={"rounds": 1})
    house.drain()
    house.play_out(match_id)
    house.drain()
    name = ("Alice", "Bob", "Carol")[seat]
    assert kinds_of_mails(house, name)[-1] == "over"
    text = text_of(newest_mail(house, name))
    assert {"en": "Your orders have answered", "fr": "Vos consignes ont répondu"}[lang] in text
    assert "/stop-orders/" not in text
