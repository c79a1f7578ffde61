"""What a turn mail says about the others at the table."""

from __future__ import annotations

from email.message import EmailMessage

import pytest

from pbem.kit.contract import AnyGame
from pbem.mail import compose
from pbem.services.lobby import matches
from pbem.services.lobby.match_request import BotSeat, Invitee, NewMatch
from pbem.services.mail import digests
from pbem.services.play import presence
from pbem.services.who import STRANGER
from tests.mail.reader import text_of
from tests.services.letterbox import id_of, kinds_of_mails
from tests.table import CAST, House, address_of, claim_of


def newest_text(house: House, name: str) -> str:
    """Returns the text of the newest mail to one of the cast, once all have left."""
    house.drain()
    return text_of(house.mail.to(address_of(name))[-1])


def test_the_board_in_a_mail_marks_bots(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[str] = []

    def draw(_game: AnyGame, svg: str, _names: tuple[str, ...]) -> bytes:
        drawn.append(svg)
        return b""

    monkeypatch.setattr(compose, "draw_board", draw)
    wanted = NewMatch("hogen", [Invitee("Alice", address_of("Alice")), BotSeat("greedy"), BotSeat("random")])
    match_id = matches.create_match(house.site, STRANGER, wanted)
    matches.confirm_match(house.site, house.claim("confirm", match_id, 0), "en", "Europe/London")
    house.drain()
    assert [svg.count("<title>bot</title>") for svg in drawn] == [2]


def test_each_reader_gets_pictures_or_words_as_they_prefer(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[tuple[str, ...]] = []

    def draw(_game: AnyGame, _svg: str, names: tuple[str, ...]) -> bytes:
        drawn.append(names)
        return b""

    monkeypatch.setattr(compose, "draw_board", draw)
    match_id = house.begin()
    for name in CAST[:2]:
        digests.set_preferences(house.site, id_of(house, name), "en", "Europe/London", None, pictures=name == "Bob")
    house.drain()
    for _ in range(2):
        house.play(match_id, house.asks(match_id)[0].seat)
    house.drain()
    for seat in (1, 2):
        presence.resign(house.site, claim_of(house.site, match_id, seat))
    house.drain()
    assert not any(map(has_picture, house.mail.to(address_of("Alice"))))
    assert any(map(has_picture, house.mail.to(address_of("Bob"))))
    assert len(drawn) == sum(has_picture(mail) for _, mail in house.mail.all_sent)
    assert kinds_of_mails(house, "Alice")[-1] == "over"


def test_an_invitation_has_no_cover_for_readers_who_want_no_pictures(house: House) -> None:
    house.begin()
    digests.set_preferences(house.site, id_of(house, "Bob"), "en", "Europe/London", None, pictures=False)
    match_id = house.create()
    matches.confirm_match(house.site, house.claim("confirm", match_id, 0), "en", "Europe/London")
    house.drain()
    bob, carol = (house.mail.to(address_of(name))[-1] for name in ("Bob", "Carol"))
    assert "invites you" in str(bob["Subject"])
    assert (has_picture(bob), has_picture(carol)) == (False, True)


def has_picture(message: EmailMessage) -> bool:
    return any(part.get_content_type() == "image/png" for part in message.walk())


@pytest.mark.long
def test_turn_mails_name_people_who_must_answer_too_but_no_bots(house: House) -> None:
    people = [Invitee(name, address_of(name)) for name in CAST[:2]]
    wanted = NewMatch("hogen", [*people, BotSeat("greedy"), BotSeat("random")], language="en")
    match_id = matches.create_match(house.site, STRANGER, wanted)
    matches.confirm_match(house.site, house.claim("confirm", match_id, 0), "en", "Europe/London")
    matches.accept_invitation(house.site, house.claim("invitation", match_id, 1), "en", "Europe/London")
    assert "\nBob must answer as well.\n" in newest_text(house, "Alice")
    house.play(match_id, 1)
    while not any(ask.seat == 1 for ask in house.asks(match_id)):
        house.play(match_id, house.asks(match_id)[0].seat)
    assert "\nAlice waits for you.\n" in newest_text(house, "Bob")


@pytest.mark.long
def test_turn_mails_name_no_resigned_player_as_still_to_answer(house: House) -> None:
    match_id = house.begin()
    presence.resign(house.site, claim_of(house.site, match_id, 2))
    assert "\nBob doit répondre aussi.\n" in newest_text(house, "Alice")
