"""Before the start, the page of the luck says where the commitment is: in a mail that has left, or nowhere yet."""

from __future__ import annotations

import pytest

from pbem.models.tables import SeatRow
from pbem.services.lobby import joining, matches, rematches
from pbem.services.lobby.match_request import Invitee, NewMatch, OpenSeat, Wish
from pbem.services.mail import sender
from pbem.services.tokens import OpeningClaim
from pbem.services.who import STRANGER, Caller
from tests.table import Outgoing, address_of, claim_of, play_out
from tests.web.cast import Web, words_of

KEEP = {"en": "Your first email has 16: keep it.", "fr": "Votre premier courriel en a 16 : gardez-le."}
COPY = {
    "en": "Copy them now: your first email comes when all have sat down.",
    "fr": "Copiez-les maintenant : votre premier courriel arrivera quand toutes les places seront prises.",
}
ALICE, BOB = (Invitee(name, address_of(name)) for name in ("Alice", "Bob"))


def number_of(web: Web, match_id: str, seat: int) -> int:
    """The player in this seat."""
    with web.site.reading() as session:
        number = session.get_one(SeatRow, (match_id, seat)).player_id
    assert number is not None
    return number


def send_due_mails(web: Web) -> None:
    """Lets all mails leave that are due."""
    outgoing = Outgoing()
    sender.drain(web.site, lambda: outgoing)


def create_waiting_match(web: Web, who: Caller, seats: list[Wish]) -> str:
    """A match that waits for its players."""
    return matches.create_match(web.site, who, NewMatch("hogen", seats, language="en"))


def what_luck_says(web: Web, match_id: str, seat: int) -> str:
    """What the page of the luck says to the player in this seat, in both languages: keep or copy."""
    page = web.link("play", match_id, seat, epoch_of(web, match_id, seat)) + "/luck"
    words = {lang: words_of(web, page, lang) for lang in KEEP}
    (found,) = {
        word for word, texts in (("keep", KEEP), ("copy", COPY)) if all(texts[lang] in words[lang] for lang in texts)
    }
    return found


def epoch_of(web: Web, match_id: str, seat: int) -> int:
    with web.site.reading() as session:
        return session.get_one(SeatRow, (match_id, seat)).epoch


@pytest.mark.long
def test_a_player_who_had_a_mail_before_the_start_is_told_to_keep_it(web: Web) -> None:
    match_id = create_waiting_match(web, STRANGER, [ALICE, BOB, OpenSeat()])
    send_due_mails(web)
    web.confirm(match_id)
    send_due_mails(web)
    web.accept(match_id, 1)
    assert [what_luck_says(web, match_id, seat) for seat in (0, 1)] == ["keep", "keep"]


@pytest.mark.long
def test_players_seated_without_a_mail_copy_the_commitment_until_the_start(web: Web) -> None:
    before = web.start()
    send_due_mails(web)
    alice, carol = number_of(web, before, 0), number_of(web, before, 2)
    match_id = create_waiting_match(web, alice, [ALICE, OpenSeat(), OpenSeat()])
    for seat, (number, name) in ((1, (carol, "Carol")), (2, (number_of(web, before, 1), "Bob"))):
        send_due_mails(web)
        sitting = range(seat)
        assert {what_luck_says(web, match_id, one) for one in sitting} == {"copy"}
        token = joining.join_tokens_for_organiser(web.site, match_id, 0)[seat]
        joining.take_seat_at_once(web.site, web.site.tokens.read(OpeningClaim, token), number, name)
    send_due_mails(web)
    assert {what_luck_says(web, match_id, seat) for seat in range(3)} == {"keep"}


@pytest.mark.long
def test_a_mail_to_the_seats_former_invitee_does_not_count_for_the_reader(web: Web) -> None:
    before = web.start()
    match_id = create_waiting_match(web, STRANGER, [ALICE, BOB, OpenSeat()])
    web.confirm(match_id)
    send_due_mails(web)
    joining.open_seat(web.site, claim_of(web.site, match_id, 0), 1)
    token = joining.join_tokens_for_organiser(web.site, match_id, 0)[1]
    joining.take_seat_at_once(web.site, web.site.tokens.read(OpeningClaim, token), number_of(web, before, 2), "Carol")
    assert what_luck_says(web, match_id, 1) == "copy"


@pytest.mark.long
@pytest.mark.parametrize("word", [None, "mirabelle"])
def test_players_of_a_rematch_copy_the_commitment_until_their_mail_leaves(web: Web, word: str | None) -> None:
    over = web.start()
    play_out(web.site, over)
    send_due_mails(web)
    way = rematches.find_or_create_rematch(web.site, claim_of(web.site, over, 1), number_of(web, over, 1), word=word)
    rematches.sit_down_in_rematch(web.site, claim_of(web.site, over, 0), number_of(web, over, 0))
    send_due_mails(web)
    assert [what_luck_says(web, way.match_id, seat) for seat in (0, 2)] == ["copy", "copy"]
