"""What a turn mail says about replies: where they go, and what they may say."""

from __future__ import annotations

import re
from collections.abc import Callable
from email.message import EmailMessage
from html import unescape
from urllib.parse import parse_qs, urlsplit

import pytest

from pbem.features.inbox.reply_tokens import SeatNamed, tokens_of
from pbem.games import all_games
from pbem.kit.answers import read_answer
from pbem.services.views import match_views
from tests.features.inbox.replying import comes_in
from tests.services.letterbox import newest_mail, text_of
from tests.table import CAST, House, address_of

REPLY_TO = "play+{token}@pbem.example"
MakeHouse = Callable[..., House]


def html_of(message: EmailMessage) -> str:
    part = message.get_body(("html",))
    assert part is not None
    return str(part.get_content())


def turn_mail(house: House, game: str = "hogen") -> tuple[str, int, EmailMessage]:
    match_id = house.begin(3, game)
    house.drain()
    seat = house.asks(match_id)[0].seat
    return match_id, seat, newest_mail(house, CAST[seat])


def name_in_token(house: House, address: str) -> SeatNamed:
    """Returns what the token in an address names."""
    token = address.partition("+")[2].partition("@")[0]
    said = tokens_of(house.site.config.secret).read_token(token)
    assert isinstance(said, SeatNamed)
    return said


@pytest.mark.long
def test_a_mails_reply_address_names_the_question_and_the_seat(make_house: MakeHouse) -> None:
    house = make_house(**comes_in())
    match_id, seat, mail = turn_mail(house)
    said = name_in_token(house, mail["Reply-To"].addresses[0].addr_spec)
    assert (said.named, said.match_id, said.seat) == ("question", match_id, seat)
    assert tokens_of(house.site.config.secret).names_question(said, 0, house.asks(match_id)[0].key)


@pytest.mark.long
def test_the_reply_address_names_no_other_question(make_house: MakeHouse) -> None:
    house = make_house(**comes_in())
    match_id, seat, mail = turn_mail(house)
    said = name_in_token(house, mail["Reply-To"].addresses[0].addr_spec)
    house.play(match_id, seat)
    assert tokens_of(house.site.config.secret).names_seat(said, 0)
    assert not any(tokens_of(house.site.config.secret).names_question(said, 0, ask.key) for ask in house.asks(match_id))


@pytest.mark.long
def test_without_incoming_mail_no_text_mentions_replies(make_house: MakeHouse) -> None:
    _, _, mail = turn_mail(make_house())
    assert mail["Reply-To"] is None
    assert "mailto:" not in mail["List-Unsubscribe"]
    for said in (text_of(mail), html_of(mail)):
        assert "/help/mail" not in said
        assert not re.search("Répondez|Reply", said)


@pytest.mark.long
def test_without_address_tokens_the_subject_names_the_seat_in_one_thread(make_house: MakeHouse) -> None:
    house = make_house(**comes_in("play@pbem.example"))
    match_id, seat, mail = turn_mail(house)
    found = re.search(r"\[(q[a-z2-7]+)\]", str(mail["Subject"]))
    assert found is not None
    said = tokens_of(house.site.config.secret).read_token(found[1])
    assert isinstance(said, SeatNamed)
    assert (said.match_id, said.seat) == (match_id, seat)
    assert mail["Reply-To"].addresses[0].addr_spec == "play@pbem.example"
    while newest_mail(house, CAST[seat])["Message-ID"] == mail["Message-ID"]:
        house.play(match_id, house.asks(match_id)[0].seat)
        house.drain()
    assert newest_mail(house, CAST[seat])["Subject"] == mail["Subject"]


@pytest.mark.long
def test_the_unsubscribe_address_of_a_mail_names_the_seat_to_mute(make_house: MakeHouse) -> None:
    house = make_house(**comes_in())
    match_id, seat, mail = turn_mail(house)
    _, _, by_mail = mail["List-Unsubscribe"].replace("\r\n", "").partition("<mailto:")
    said = name_in_token(house, by_mail.rstrip(">"))
    assert (said.named, said.match_id, said.seat) == ("mute", match_id, seat)
    assert mail["List-Unsubscribe"].startswith("<http"), "the one click comes first"


def test_a_turn_mail_begins_with_the_line_above_which_to_reply(make_house: MakeHouse) -> None:
    house = make_house(**comes_in())
    house.begin(3)
    house.drain()
    turns = [mail for name in CAST[:3] for mail in house.mail.to(address_of(name)) if mail["Reply-To"]]
    lines = {text_of(mail).splitlines()[0] for mail in turns}
    assert lines <= {"— Répondez au-dessus de cette ligne —", "— Reply above this line —"}
    assert lines


@pytest.mark.long
@pytest.mark.parametrize("game", sorted(all_games()))
def test_each_answer_that_a_turn_mail_shows_is_accepted_as_a_reply(make_house: MakeHouse, game: str) -> None:
    """Each of the first ten turn mails: what stands in its text, and in the links that begin a reply."""
    house = make_house(**comes_in())
    match_id = house.begin(3, game)
    for _ in range(10):
        house.drain()
        ask = house.asks(match_id)[0]
        mail = newest_mail(house, CAST[ask.seat])
        said = name_in_token(house, mail["Reply-To"].addresses[0].addr_spec)
        if not tokens_of(house.site.config.secret).names_question(
            said, 0, ask.key
        ):  # the second question of a turn: no new mail
            house.play(match_id, ask.seat)
            continue
        view = match_views.read_view(house.site, match_id, ask.seat)
        legal = view.legal()
        links = re.findall(r'href="(mailto:[^"]+)"', html_of(mail))
        bodies = [parse_qs(urlsplit(unescape(link)).query)["body"][0] for link in links]
        assert bodies, "each question can be answered by a reply"
        for body in bodies:
            assert read_answer(view.game, body, ask.seat, legal) in legal
            assert body in text_of(mail)
        house.play(match_id, ask.seat)
