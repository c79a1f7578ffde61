"""The commitment to a match's luck, from the first mail to the log of the finished match, in the players' mailboxes."""

from __future__ import annotations

import re
from email.message import EmailMessage

import msgspec
import pytest
from sqlmodel import select

from pbem.kit.logs import logfile
from pbem.kit.logs.chain import commit, hash_word, mark_of, read_digits, word_from_seed
from pbem.kit.logs.verdict import verify
from pbem.models.tables import Match
from pbem.services.lobby import matches, rematches
from pbem.services.log import proofs
from pbem.services.views import match_views
from pbem.services.who import STRANGER
from tests.mail.samples import first_sixteen_digits
from tests.services.letterbox import kinds_of_mails, newest_mail, once_a_day, text_of
from tests.services.mail.stage.digests import advance_clock_to
from tests.services.play.stage.substitutes import ask_for_vacant_seat, match_with_absent_bob, token_to_share
from tests.table import THREE, House, address_of

FAIR = "(?:How luck is kept fair|Un hasard vérifiable)"
KEPT = re.compile(rf"^{FAIR} · ([0-9a-f]{{4}}(?: [0-9a-f]{{4}}){{3}}) · ", re.MULTILINE)
"""The line of a mail's foot, where a match begins for its reader: 16 characters of the commitment."""


def match_in_database(house: House, match_id: str) -> Match:
    """Returns the match's row."""
    with house.site.reading() as session:
        return session.exec(select(Match).where(Match.id == match_id)).one()


def texts_of_mails(house: House, name: str, *wanted: str) -> list[str]:
    """Returns the texts of the mails of these kinds to one of the cast, oldest first."""
    sent = zip(kinds_of_mails(house, name), house.mail.to(address_of(name)), strict=True)
    return [text_of(message) for kind, message in sent if kind in wanted]


@pytest.mark.long
def test_confirm_mail_and_invitation_commit_to_the_seed_revealed_later(house: House) -> None:
    match_id = house.create()
    house.drain()
    (asked,) = texts_of_mails(house, "Alice", "confirm")
    matches.confirm_match(house.site, house.claim("confirm", match_id, 0), "en", "Europe/Paris")
    house.drain()
    (invited,) = texts_of_mails(house, "Bob", "invitation")
    (promised,) = KEPT.findall(invited)
    assert KEPT.findall(asked) == [promised]
    (commitment,) = {mail["X-PBEM-Commitment"] for _, mail in house.mail.all_sent}
    assert first_sixteen_digits(commitment) == promised
    for seat in (1, 2):
        matches.accept_invitation(house.site, house.claim("invitation", match_id, seat), "en", "Europe/London")
    house.play_out(match_id)
    log = match_views.read_log(house.site, match_id, None)
    assert log.seed is not None
    assert log.proof is not None
    assert commit(match_id, log.seed, log.proof.words[0]) == commitment == log.commitment
    assert verify(log, read_digits(promised)).ok
    assert not verify(log, "0" * 64).ok


@pytest.mark.long
def test_every_player_gets_the_commitment_at_the_start(house: House) -> None:
    match_id = house.begin(3, "niigata")
    house.drain()
    promised = match_in_database(house, match_id).commitment
    told = [texts_of_mails(house, name, "started", "turn") for name in ("Alice", "Bob", "Carol")]
    assert {kind for name in ("Alice", "Bob", "Carol") for kind in kinds_of_mails(house, name)} >= {"started", "turn"}
    for texts in told:
        assert [KEPT.findall(text) for text in texts] == [[first_sixteen_digits(promised)]]


@pytest.mark.long
def test_later_turn_mails_carry_the_current_mark_of_the_log_in_their_foot(house: House) -> None:
    match_id = house.begin(3)
    house.drain()
    first, head = len(texts_of_mails(house, "Alice", "turn")), None
    while len(texts_of_mails(house, "Alice", "turn")) == first:
        house.play(match_id, house.asks(match_id)[0].seat)
        head = match_in_database(house, match_id).head  # when it is sent late, that becomes an entry of its own
        house.clock.forward(minutes=10)
        house.drain()
    later = newest_mail(house, "Alice")
    assert head is not None
    assert (later["X-PBEM-Head"], later["X-PBEM-Commitment"]) == (head, match_in_database(house, match_id).commitment)
    body, foot = text_of(later).split("———")
    assert mark_of(head) in foot
    assert mark_of(head) not in body
    assert KEPT.findall(text_of(later)) == []


@pytest.mark.long
def test_the_last_mail_has_the_final_mark(house: House) -> None:
    match_id = house.begin(3)
    house.play_out(match_id)
    house.drain()
    match = match_in_database(house, match_id)
    for name in ("Alice", "Bob", "Carol"):
        (last,) = texts_of_mails(house, name, "over")
        assert match.head is not None
        assert mark_of(match.head) in last.split("———")[1]
        assert verify(match_views.read_log(house.site, match_id, None), match.commitment, mark_of(match.head)).ok


@pytest.mark.long
def test_a_typed_lucky_word_is_only_in_the_start_mail_of_its_player(house: House) -> None:
    match_id = house.create(word="mirabelle")
    matches.confirm_match(house.site, house.claim("confirm", match_id, 0), "en", "Europe/Paris")
    for seat, word in ((1, "abricot"), (2, None)):
        claim = house.claim("invitation", match_id, seat)
        matches.accept_invitation(house.site, claim, "en", "Europe/London", word=word)
    house.drain()
    told = {
        name: [text for text in texts_of_mails(house, name, "started", "turn") if "your lucky word: " in text]
        for name in THREE
    }
    assert [len(told[name]) for name in THREE] == [1, 1, 0]
    assert "mirabelle" in told["Alice"][0]
    assert "abricot" in told["Bob"][0]
    house.play_out(match_id)
    house.drain()
    for name, own in zip(THREE, ("mirabelle", "abricot", None), strict=True):
        everything = "".join(str(message) for message in house.mail.to(address_of(name)))
        assert not [word for word in ("mirabelle", "abricot") if word != own and word in everything]


@pytest.mark.long
def test_a_digest_in_place_of_the_start_mail_has_the_commitment(house: House) -> None:
    match_id = house.begin()
    once_a_day(house, "Alice", 18)
    advance_clock_to(house, 12, 17, 0)
    assert "turn" not in kinds_of_mails(house, "Alice")
    assert first_sixteen_digits(match_in_database(house, match_id).commitment) in text_of(newest_mail(house, "Alice"))


@pytest.mark.long
def test_a_player_asking_for_a_vacant_seat_is_mailed_the_commitment(house: House) -> None:
    match_id = match_with_absent_bob(house)
    ask_for_vacant_seat(house, token_to_share(house, match_id))
    house.drain()
    assert KEPT.findall(text_of(newest_mail(house, "Charlie"))) == [
        first_sixteen_digits(match_in_database(house, match_id).commitment)
    ]


@pytest.mark.long
def test_a_rematch_commits_to_a_seed_of_its_own(house: House) -> None:
    match_id = house.begin()
    house.play_out(match_id)
    again = rematches.find_or_create_rematch(house.site, house.claim("play", match_id, 0), STRANGER).match_id
    before, after = match_in_database(house, match_id), match_in_database(house, again)
    assert before.seed != after.seed
    assert (plain_commitment(before), plain_commitment(after)) == (before.commitment, after.commitment)
    assert after.commitment != before.commitment


def plain_commitment(match: Match) -> str:
    """The commitment to the match's seed if its organiser has typed no word."""
    return commit(match.id, match.seed, hash_word(word_from_seed(match.seed, 0)))


@pytest.mark.long
def test_no_mail_holds_the_seed_not_even_the_last(house: House) -> None:
    match_id = house.begin(3)
    house.drain()
    for _ in range(6):
        house.play(match_id, house.asks(match_id)[0].seat)
        house.drain()
    house.play_out(match_id)
    house.drain()
    assert set(kinds_of_mails(house, "Bob")) >= {"turn", "over"}
    seed = match_in_database(house, match_id).seed
    for _, message in house.mail.all_sent:
        for part in headers_and_texts(message):
            assert seed.hex() not in part
            assert repr(seed)[2:-1] not in part
    log = match_views.read_log(house.site, match_id, None)
    assert msgspec.json.decode(logfile.log_to_bytes(log))["seed"] == seed.hex(), (
        "there it stands, once the match is over"
    )


def headers_and_texts(message: EmailMessage) -> list[str]:
    """Returns the headers and each text part of a mail."""
    parts = [part.get_content() for part in message.walk() if part.get_content_maintype() == "text"]
    return ["\n".join(f"{name}: {value}" for name, value in message.items()), *parts]


@pytest.mark.long
def test_every_mail_of_a_match_has_commitment_and_head_in_its_headers(house: House) -> None:
    match_id = house.create()
    house.drain()
    promised = match_in_database(house, match_id).commitment
    matches.confirm_match(house.site, house.claim("confirm", match_id, 0), "en", "Europe/Paris")
    house.drain()
    before = [message for _, message in house.mail.all_sent]
    assert {kind for name in ("Alice", "Bob", "Carol") for kind in kinds_of_mails(house, name)} == {
        "confirm",
        "invitation",
    }
    assert [(mail["X-PBEM-Commitment"], mail["X-PBEM-Head"]) for mail in before] == [(promised, None)] * 3
    for seat in (1, 2):
        matches.accept_invitation(house.site, house.claim("invitation", match_id, seat), "en", "Europe/London")
    for _ in range(9):
        house.mail.clear()
        house.drain()
        for _, mail in house.mail.all_sent:
            assert mail["X-PBEM-Commitment"] == promised
            assert mail["X-PBEM-Head"] == match_in_database(house, match_id).head
        house.play(match_id, house.asks(match_id)[0].seat)
    house.play_out(match_id)
    house.mail.clear()
    house.drain()
    assert {mail["X-PBEM-Head"] for _, mail in house.mail.all_sent} == {match_in_database(house, match_id).head}


@pytest.mark.long
def test_a_digest_has_the_heads_and_commitments_of_all_its_matches(house: House) -> None:
    begun = [house.begin(), house.begin()]
    once_a_day(house, "Alice", 18)
    advance_clock_to(house, 12, 17, 0)
    mail = newest_mail(house, "Alice")
    assert {*values_in_header(mail, "X-PBEM-Commitment")} == {
        match_in_database(house, match_id).commitment for match_id in begun
    }
    heads = values_in_header(mail, "X-PBEM-Head")
    assert len(heads) == 2
    with house.site.reading() as session:  # its leaving may have moved deadlines, which is in the logs by now
        assert all(
            any(head in [one for _, _, one in proofs.read_seals(session, begun[at])] for head in heads) for at in (0, 1)
        )


def values_in_header(mail: EmailMessage, header: str) -> list[str]:
    """What a day's mail has in this header, a value for each match."""
    return re.split(r",\s+", mail[header])
