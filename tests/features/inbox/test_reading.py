"""A move by reply: read, verified, played once, and answered."""

import re
from collections import Counter
from collections.abc import Callable
from html import unescape
from typing import Any
from urllib.parse import unquote

import pytest
from sqlalchemy import update

from pbem.features.inbox import reading
from pbem.features.inbox.incoming import commands
from pbem.features.inbox.incoming.commands import read_reply
from pbem.features.inbox.tables import InboxRow
from pbem.features.inbox.ways.intake import take_in_mail
from pbem.features.inbox.whose import is_own_address, is_own_reply_address
from pbem.models.tables import NoteRow, OrderRow, Player, SeatRow, table
from pbem.services.play import timeouts
from pbem.services.site import Site
from pbem.services.views import match_views, talk
from tests.features.inbox.replying import (
    answers_to,
    comes_in,
    judge_with_verdict,
    last_text,
    mail_of_player,
    mails_to,
    reply_to_question,
    row_of,
    send_and_read,
    token_of,
)
from tests.services.letterbox import id_of, kinds_of_mails, newest_mail
from tests.table import CAST, House, address_of
from tests.windows import begin_silent


def first_asked(house: House, match_id: str) -> tuple[int, str]:
    """The seat that is asked first, and its name."""
    seat = house.asks(match_id)[0].seat
    return seat, CAST[seat]


def text_at(house: House, match_id: str, seat: int, at: int = 0) -> str:
    """The notation of the seat's at-th legal move."""
    view = house.view(match_id, seat)
    return str(view.game.format(view.legal()[at]))


def version_of_match(house: House, match_id: str) -> int:
    return match_views.read_sheet(house.site, match_id, None).version


@pytest.mark.long
def test_a_reply_plays_its_move_and_is_answered_that_it_is_played(house: House) -> None:
    match_id = house.begin(game="allegeance")
    house.drain()
    seat, who = first_asked(house, match_id)
    row = reply_to_question(house, match_id, seat, "F3\n\n> what we wrote\n")
    assert (row.verdict, row.match_id, row.seat, row.answered) == ("acted", match_id, seat, True)
    entry = next(one for one in house.view(match_id, seat).entries if one.by.via == "mail")
    assert entry.by.seat == seat
    (answer,) = answers_to(house, who)
    _, headline, *_ = answer.split("\n\n")
    assert headline.startswith(("Your move is played.", "Votre coup est joué."))


@pytest.mark.long
def test_the_label_of_an_answer_box_counts_as_the_move(house: House) -> None:
    match_id = house.begin()
    for _ in range(3):
        seat, _ = first_asked(house, match_id)
        notation = text_at(house, match_id, seat)
        assert reply_to_question(house, match_id, seat, notation.partition(" ")[2]).verdict == "acted"
        assert match_views.read_view(house.site, match_id, seat).last_own is not None


def test_a_reply_marks_only_the_news_in_its_mail_as_read(house: House) -> None:
    match_id = house.begin()
    house.drain()
    told = version_of_match(house, match_id)
    house.play(match_id, 0)
    assert reply_to_question(house, match_id, 1, text_at(house, match_id, 1)).verdict == "acted"
    view = house.view(match_id, 1)
    assert view.sheet.seen == told
    assert [line for _, line in view.recap("en")] == view.story("en", after=told)


@pytest.mark.long
def test_one_mail_delivered_twice_is_one_move_and_one_answer(house: House) -> None:
    match_id = house.begin(game="allegeance")
    seat, who = first_asked(house, match_id)
    raw = mail_of_player(house, who, token_of(house, match_id, seat), "F3")
    assert take_in_mail(house.site, raw, via="imap")
    assert take_in_mail(house.site, raw, via="lmtp", recipients=["x@pbem.example"])
    assert not take_in_mail(house.site, raw, via="imap")
    assert reading.read_inbox(house.site, judge_with_verdict("act")) == 2
    assert [row_of(house, n).verdict for n in (1, 2)] == ["acted", "duplicate"]
    assert len(answers_to(house, who)) == 1


@pytest.mark.long
def test_an_unreadable_line_plays_nothing_and_is_answered_with_choices(house: House) -> None:
    match_id = house.begin(game="allegeance")
    seat, who = first_asked(house, match_id)
    before = version_of_match(house, match_id)
    row = reply_to_question(house, match_id, seat, "the blue card please\n")
    assert (row.verdict, version_of_match(house, match_id)) == ("refused", before)
    (answer,) = answers_to(house, who)
    assert "> the blue card please" in answer
    assert "  F1   F2   F3   F4\n" in answer


def test_an_illegal_move_by_mail_is_answered_with_the_rule(house: House) -> None:
    match_id = house.begin(game="hagakure", seats=3)
    seat, who = first_asked(house, match_id)
    while house.view(match_id, seat).ask.kind != "card":  # type: ignore[union-attr]
        house.play(match_id, seat)
        seat, who = first_asked(house, match_id)
    held = {text_at(house, match_id, seat, n) for n in range(len(house.view(match_id, seat).legal()))}
    lacks = next(f"play V{n}" for n in range(2, 17) if f"play V{n}" not in held)
    assert reply_to_question(house, match_id, seat, lacks).verdict == "refused"
    (answer,) = answers_to(house, who)
    assert f"> {lacks}" in answer
    assert "This could not be done." not in answer


@pytest.mark.long
def test_a_reply_that_leads_to_a_further_question_brings_only_a_turn_mail(house: House) -> None:
    match_id = house.begin(game="hagakure", seats=3)
    house.drain()
    for _ in range(30):
        seat, who = first_asked(house, match_id)
        key = house.asks(match_id)[0].origin
        before = len(kinds_of_mails(house, who))
        assert reply_to_question(house, match_id, seat, text_at(house, match_id, seat)).verdict == "acted"
        house.drain()
        ask = next((one for one in house.asks(match_id) if one.seat == seat), None)
        fresh = kinds_of_mails(house, who)[before:]
        assert fresh == ["turn" if ask is not None else "reply"], (ask, fresh)
        if ask is not None and ask.origin == key:
            return
    raise AssertionError("nobody was asked twice in a turn")


@pytest.mark.long
def test_a_late_reply_is_answered_with_the_news_and_the_open_question(house: House) -> None:
    match_id = house.begin(game="allegeance")
    seat, who = first_asked(house, match_id)
    token = token_of(house, match_id, seat)
    house.time_is_up(match_id)
    timeouts.beat_and_sweep_deadlines_if_web_up(house.site)
    before = version_of_match(house, match_id)
    row = send_and_read(house, mail_of_player(house, who, token, "F3"))
    assert (row.verdict, version_of_match(house, match_id)) == ("stale", before)
    assert "clock moved for you" in answers_to(house, who)[-1] or "horloge" in answers_to(house, who)[-1]


@pytest.mark.long
def test_a_reply_to_a_question_already_answered_on_the_page_is_stale(house: House) -> None:
    match_id = house.begin(game="allegeance")
    seat, who = first_asked(house, match_id)
    token = token_of(house, match_id, seat)
    house.play(match_id, seat)
    before = version_of_match(house, match_id)
    assert send_and_read(house, mail_of_player(house, who, token, "F4")).verdict == "stale"
    assert version_of_match(house, match_id) == before
    assert len(answers_to(house, who)) == 1


def test_the_same_answer_once_more_to_a_closed_question_does_nothing(house: House) -> None:
    match_id = house.begin(game="allegeance")
    seat, who = first_asked(house, match_id)
    token, text = token_of(house, match_id, seat), text_at(house, match_id, seat)
    assert send_and_read(house, mail_of_player(house, who, token, text)).verdict == "acted"
    before = version_of_match(house, match_id)
    assert send_and_read(house, mail_of_player(house, who, token, text)).verdict == "stale"
    assert version_of_match(house, match_id) == before


@pytest.mark.long
def test_a_reply_in_a_window_that_is_still_sealed_replaces_the_answer(house: House) -> None:
    match_id = begin_silent(house)
    seat, who = first_asked(house, match_id)
    for text, move in (("pass", "LetPass"), ("challenge", "Challenge")):
        assert reply_to_question(house, match_id, seat, text).verdict == "acted"
        sealed = next(ask.sealed for ask in house.view(match_id, seat).sheet.asks if ask.seat == seat)
        assert type(sealed).__name__ == move
    answers = answers_to(house, who)
    assert len(answers) == 2
    assert all("sealed" in one or "scellée" in one for one in answers)


def test_a_move_a_message_a_note_and_an_order_in_one_reply_are_all_done(house: House) -> None:
    match_id = house.begin(game="allegeance")
    seat, _ = first_asked(house, match_id)
    row = reply_to_question(house, match_id, seat, "F3\nsay Good game!\nnote Bob bluffs\norder always answer: pass\n")
    assert row.verdict == "acted", (row.detail, row.lines)
    with house.site.reading() as session:
        note = session.get(NoteRow, (match_id, seat))
        assert note is not None
        assert note.text == "Bob bluffs"
        assert session.get(OrderRow, (match_id, seat)) is not None
    assert [one.text for one in talk.read_talk(house.site, match_id, 0).messages] == ["Good game!"]


def test_a_reply_with_one_invalid_line_does_nothing(house: House) -> None:
    match_id = house.begin(game="allegeance")
    seat, who = first_asked(house, match_id)
    before = version_of_match(house, match_id)
    row = reply_to_question(house, match_id, seat, "F3\norder always nonsense: pass\n")
    assert (row.verdict, version_of_match(house, match_id)) == ("refused", before)
    (answer,) = answers_to(house, who)
    assert "> F3" in answer
    assert "> order always nonsense: pass" in answer


def test_a_reply_mute_mutes_the_match_without_an_answer(house: House) -> None:
    match_id = house.begin(game="allegeance")
    seat, who = first_asked(house, match_id)
    assert reply_to_question(house, match_id, seat, "mute").verdict == "acted"
    with house.site.reading() as session:
        assert session.get_one(SeatRow, (match_id, seat)).muted
    assert answers_to(house, who) == []


def test_a_reply_again_resends_the_turn_mail_and_help_explains(house: House) -> None:
    match_id = house.begin(game="allegeance")
    house.drain()
    seat, who = first_asked(house, match_id)
    assert reply_to_question(house, match_id, seat, "again").verdict == "acted"
    house.drain()
    assert kinds_of_mails(house, who)[-2:] == ["turn", "turn"]
    assert reply_to_question(house, match_id, seat, "help").verdict == "acted"
    told = last_text(house, who)
    assert "stop orders" in told or "arrêter les consignes" in told


@pytest.mark.long
def test_an_unverified_mail_is_answered_by_a_link_with_its_move_chosen(house: House) -> None:
    match_id = house.begin(game="allegeance")
    seat, who = first_asked(house, match_id)
    before = version_of_match(house, match_id)
    row = reply_to_question(house, match_id, seat, "F3", judge_with_verdict("ask"))
    assert (row.verdict, version_of_match(house, match_id)) == ("asked", before)
    (answer,) = answers_to(house, who)
    assert f"?ask={house.asks(match_id)[0].key}&pick=announce-F3" in answer
    waits = ("> F3\nWaits for your confirmation.\n", "> F3\nEn attente de votre confirmation.\n")
    assert any(one in answer for one in waits), answer


@pytest.mark.long
def test_an_unverified_mail_without_a_move_is_not_said_to_wait(house: House) -> None:
    match_id = house.begin(game="allegeance")
    seat, who = first_asked(house, match_id)
    assert reply_to_question(house, match_id, seat, "say hello\n", judge_with_verdict("ask")).verdict == "asked"
    (answer,) = answers_to(house, who)
    assert "Waits" not in answer
    assert "En attente" not in answer
    assert "other line" not in answer
    assert "à cause de l’autre" not in answer


def test_forged_mails_and_mails_without_a_token_are_not_answered(house: House) -> None:
    match_id = house.begin(game="allegeance")
    seat, who = first_asked(house, match_id)
    house.drain()
    token, count = token_of(house, match_id, seat), len(house.mail.all_sent)
    assert (
        send_and_read(house, mail_of_player(house, who, token, "F3"), judge_with_verdict("silence")).verdict == "silent"
    )
    assert (
        send_and_read(house, mail_of_player(house, "Charlie", token, "F3"), judge_with_verdict("silence")).verdict
        == "silent"
    )
    for another in (who, "Charlie"):
        assert send_and_read(house, mail_of_player(house, another, "play@pbem.example", "F3")).verdict == "stranger"
    answered = newest_mail(house, who)["Message-ID"]  # stands in the References of every forward
    raw = mail_of_player(house, "Charlie", "play@pbem.example", "F3", headers=[("In-Reply-To", answered)])
    assert send_and_read(house, raw).verdict == "stranger"
    house.drain()
    assert len(house.mail.all_sent) == count
    assert house.site.counters.read()["inbox|stranger"] == 3


@pytest.mark.long
def test_a_mail_from_another_address_asks_the_player_at_their_own(house: House) -> None:
    match_id = house.begin(game="allegeance")
    seat, who = first_asked(house, match_id)
    house.drain()
    token, before = token_of(house, match_id, seat), version_of_match(house, match_id)
    mails = {to: len(house.mail.to(to)) for to, _ in house.mail.all_sent}
    for another in ("Charlie", CAST[(seat + 1) % 3], f"mallory@evil.example, {address_of(who)}"):
        row = send_and_read(house, mail_of_player(house, another, token, "F3"))
        assert (row.verdict, row.detail) == ("asked", "another-sender")
    assert send_and_read(house, mail_of_player(house, "Charlie", token, "what is this")).answered
    assert version_of_match(house, match_id) == before
    asked, *_, told = answers_to(house, who)
    assert f"?ask={house.asks(match_id)[0].key}&pick=announce-F3" in asked
    assert "from another address than yours" in asked or "d’une autre adresse que la vôtre" in asked
    assert "what is this" in told
    theirs = {to: len(house.mail.to(to)) for to, _ in house.mail.all_sent}
    assert {to for to in theirs if theirs[to] != mails.get(to)} == {address_of(who)}


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    ("known", "written"),
    [
        ("alice.martin@gmail.com", "alicemartin@gmail.com"), ("alicemartin@gmail.com", "Alice.Martin@googlemail.com"),
        ("dora@example.org", "dora+games@example.org"), ("dora+games@example.org", "dora@example.org"),
        ("dora@example.org", "DORA@Example.ORG"),
    ],
)  # fmt: skip
def test_another_spelling_of_a_players_mailbox_plays_if_it_is_proven(house: House, known: str, written: str) -> None:
    match_id = house.begin(game="allegeance")
    seat, who = first_asked(house, match_id)
    with house.site.writing() as work:
        player = work.get_one(Player, id_of(house, who))
        player.address = player.canonical = known
    token = token_of(house, match_id, seat)
    seen: list[str] = []

    def judge(site: Site, row: InboxRow, sender: str) -> Any:
        seen.append(sender)
        return ("ask", "unsigned") if len(seen) == 1 else ("act", "signature")

    assert send_and_read(house, mail_of_player(house, written, token, "F3"), judge).verdict == "asked"
    assert send_and_read(house, mail_of_player(house, written, token, "F3"), judge).verdict == "acted"
    assert {one.casefold() for one in seen} == {written.casefold()}  # what is proven is the address in From


@pytest.mark.long
def test_a_move_from_another_spelling_without_its_token_is_not_played(house: House) -> None:
    match_id = house.begin(game="allegeance")
    _, who = first_asked(house, match_id)
    house.drain()
    original = newest_mail(house, who)["Message-ID"]
    written = address_of(who).replace("@", "+x@")
    raw = mail_of_player(house, written, "play@pbem.example", "F3", headers=[("In-Reply-To", original)])
    assert send_and_read(house, raw).verdict == "asked"


@pytest.mark.long
def test_unverified_mails_do_not_use_up_a_players_limit_of_answers(house: House) -> None:
    match_id = house.begin(game="allegeance")
    seat, who = first_asked(house, match_id)
    for n in range(30):
        text = ("F3", "what is this\n", "say hello")[n % 3]
        raw = mail_of_player(house, "mallory@evil.example" if n % 2 else who, token_of(house, match_id, seat), text)
        send_and_read(house, raw, judge_with_verdict("ask"))
    assert len(answers_to(house, who)) == 5, "nor do they flood them"
    for n in range(7):
        assert reply_to_question(house, match_id, seat, "help\n").answered is (n < 5)
    assert reply_to_question(house, match_id, seat, "F3").verdict == "acted"


@pytest.mark.on_postgresql
def test_a_forged_mail_does_not_block_a_genuine_one_of_its_message_id(house: House) -> None:
    match_id = house.begin(game="allegeance")
    seat, who = first_asked(house, match_id)
    genuine = mail_of_player(house, who, token_of(house, match_id, seat), "F3", message_id="<seen@programs.example>")
    forged = mail_of_player(
        house, "Charlie", token_of(house, match_id, seat), "F4", message_id="<seen@programs.example>"
    )
    assert send_and_read(house, forged).verdict == "asked"
    assert send_and_read(house, genuine).verdict == "acted"
    assert send_and_read(house, forged + b"\n").verdict == "duplicate"


@pytest.mark.long
def test_a_seat_gets_five_answers_an_hour_and_no_more(house: House) -> None:
    match_id = house.begin(game="allegeance")
    seat, who = first_asked(house, match_id)
    for _ in range(8):
        reply_to_question(house, match_id, seat, "what is this\n")
    assert len(answers_to(house, who)) == 5
    house.clock.forward(hours=1, seconds=1)
    reply_to_question(house, match_id, seat, "what is this\n")
    assert len(answers_to(house, who)) == 6


@pytest.mark.long
def test_moves_by_mail_do_not_count_against_the_rate_limit_of_answers(house: House) -> None:
    match_id = house.begin(game="hagakure", seats=3)
    house.drain()
    answered: Counter[int] = Counter()
    while max(answered.values(), default=0) < 6:  # more than the answers that other mails get in an hour
        seat, who = first_asked(house, match_id)
        before = len(kinds_of_mails(house, who))
        assert reply_to_question(house, match_id, seat, text_at(house, match_id, seat)).verdict == "acted"
        house.drain()
        assert len(kinds_of_mails(house, who)) > before
        answered[seat] += row_of(house).answered
    seat, who = first_asked(house, match_id)
    before = len(answers_to(house, who))
    for _ in range(7):
        reply_to_question(house, match_id, seat, "what is this\n")
    assert len(answers_to(house, who)) == before + 5  # the moves have not used them up


@pytest.mark.long
def test_a_mail_that_names_several_seats_is_answered_once(house: House) -> None:
    match_id, other_id = house.begin(game="allegeance"), house.begin(game="allegeance")
    seat, who = first_asked(house, match_id)
    raws = [
        mail_of_player(house, who, token_of(house, one, seat), "what is this\n", message_id="<same@programs.example>")
        for one in (match_id, other_id)
    ]
    assert [send_and_read(house, raw).answered for raw in raws] == [True, False]
    assert len(answers_to(house, who)) == 1


@pytest.mark.long
def test_a_seat_that_has_muted_the_match_gets_the_answers_to_its_own_mails(house: House) -> None:
    match_id = house.begin(game="allegeance")
    seat, who = first_asked(house, match_id)
    assert reply_to_question(house, match_id, seat, "mute").verdict == "acted"
    count = mails_to(house, who)
    for number, text in enumerate(("what is this\n", "again", "F3"), 1):
        assert reply_to_question(house, match_id, seat, text).answered
        assert len(answers_to(house, who)) == number
    assert mails_to(house, who) == count + 3


# --- the token ----------------------------------------------------------------------------------------------


@pytest.mark.long
def test_without_address_tokens_subject_and_in_reply_to_name_the_question(
    make_house: Callable[..., House],
) -> None:
    house = make_house(**comes_in("play@pbem.example"))
    match_id = house.begin(game="allegeance")
    house.drain()
    seat, who = first_asked(house, match_id)
    turn = house.mail.to(f"{who.lower()}@example.org")[-1]
    token = token_of(house, match_id, seat, "")
    raw = mail_of_player(house, who, "play@pbem.example", "F3", headers=[("In-Reply-To", turn["Message-ID"])])
    named = raw.replace(b"Subject: Re: your turn", f"Subject: Re: your turn [{token}]".encode())
    asked = raw.replace(b"In-Reply-To", b"X-Other").replace(b"Subject: Re: your turn", f"Subject: [{token}]".encode())
    assert (
        send_and_read(house, raw.replace(b"Message-ID: <", b"Message-ID: <a")).verdict == "asked"
    )  # the id has no epoch
    assert (
        send_and_read(house, asked.replace(b"Message-ID: <", b"Message-ID: <b")).verdict == "asked"
    )  # which question is it?
    assert send_and_read(house, named).verdict == "acted"


@pytest.mark.long
def test_without_address_tokens_each_reply_link_names_its_question(
    make_house: Callable[..., House],
) -> None:
    house = make_house(**comes_in("play@pbem.example"))
    match_id = house.begin(game="allegeance")
    house.drain()
    _, who = first_asked(house, match_id)
    html = newest_mail(house, who).get_body(("html",))
    assert html is not None
    links = [unescape(link) for link in re.findall(r'href="(mailto:[^"]*body=F3)"', html.get_content())]
    (subject,) = {unquote(link.split("subject=")[1].split("&")[0]) for link in links}
    raw = mail_of_player(house, who, "play@pbem.example", "F3").replace(
        b"Re: your turn", subject.encode("ascii", "ignore")
    )
    assert send_and_read(house, raw).verdict == "acted"


def test_a_verified_mail_that_names_no_question_is_asked_which_it_answers(house: House) -> None:
    match_id = house.begin(game="allegeance")
    seat, who = first_asked(house, match_id)
    assert (
        send_and_read(house, mail_of_player(house, who, token_of(house, match_id, seat, ""), "F3")).verdict == "asked"
    )
    (answer,) = answers_to(house, who)
    assert "Which question does your email answer?" in answer or "À quelle question" in answer
    assert f"?ask={house.asks(match_id)[0].key}&pick=announce-F3" in answer
    assert "who wrote it" not in answer
    assert "qui l’a écrit" not in answer
    assert "other line" not in answer
    assert "à cause de l’autre" not in answer


@pytest.mark.long
def test_a_renewed_link_ends_replies_to_older_mails(house: House) -> None:
    match_id = house.begin(game="allegeance")
    seat, who = first_asked(house, match_id)
    token = token_of(house, match_id, seat)
    with house.site.writing() as work:
        work.get_one(SeatRow, (match_id, seat)).epoch += 1
    count = mails_to(house, who)
    assert send_and_read(house, mail_of_player(house, who, token, "F3")).verdict == "stranger"
    assert mails_to(house, who) == count
    assert reply_to_question(house, match_id, seat, "F3").verdict == "acted"


@pytest.mark.parametrize("change", [{"player_id": 2}, {"epoch": 99}, None])
def test_a_mail_whose_seat_changes_hands_while_it_is_read_waits(
    house: House, monkeypatch: pytest.MonkeyPatch, change: dict[str, int] | None
) -> None:
    match_id = house.begin(game="allegeance")
    seat, who = first_asked(house, match_id)

    def change_hands(*given: Any) -> Any:
        with house.site.engine.begin() as connection:
            t = table(SeatRow)
            its = (t.c.match_id == match_id, t.c.seat == seat)
            connection.execute(update(t).where(*its).values(change or {"name": "A."}))
        return read_reply(*given)

    monkeypatch.setattr(commands, "read_reply", change_hands)
    monkeypatch.setattr(reading, "RUN", 1)
    raw = mail_of_player(house, who, token_of(house, match_id, seat), "F3")
    row = send_and_read(house, raw)
    assert row.verdict == ("acted" if change is None else None)


def test_a_token_counts_only_in_an_address_of_the_site(house: House) -> None:
    match_id = house.begin(game="allegeance")
    token = token_of(house, match_id, first_asked(house, match_id)[0])
    found = [address for address in (f"play+{token}@pbem.example", f"play+{token}@evil.example",
                                     f"plan+{token}@pbem.example", f"{token}@pbem.example")
             if is_own_reply_address(house.site, address)]  # fmt: skip
    assert found == [f"play+{token}@pbem.example"]


@pytest.mark.long
def test_a_token_of_the_envelopes_recipient_wins_over_one_in_to(house: House) -> None:
    match_id = house.begin(game="allegeance")
    seat, who = first_asked(house, match_id)
    old = token_of(house, match_id, seat, "elsewhere")
    now = f"play+{token_of(house, match_id, seat)}@pbem.example"
    assert send_and_read(house, mail_of_player(house, who, old, "F3"), recipients=[now.upper()]).verdict == "acted"


def test_of_a_catch_all_only_addresses_with_a_token_are_the_sites(make_house: Callable[..., House]) -> None:
    house = make_house(**comes_in("{token}@example.org"), mail_from="games@example.org")
    match_id = house.begin(game="allegeance")
    seat, who = first_asked(house, match_id)
    token = token_of(house, match_id, seat)
    own = [one for one in (address_of(who), f"{token}@example.org", "canary@example.org", "Games@example.org")
           if is_own_address(house.site, one)]  # fmt: skip
    assert own == [f"{token}@example.org", "canary@example.org", "Games@example.org"]
    assert send_and_read(house, mail_of_player(house, who, f"{token}@example.org", "F3")).verdict == "acted"
