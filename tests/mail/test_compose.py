"""Composed mails: every kind of letter, in both languages, read back as a mail program reads it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import fields, is_dataclass, replace
from datetime import timedelta
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from functools import cache
from html import escape as escaped
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest
from jinja2 import Template
from structlog.testing import capture_logs

from pbem.discovery import modules_in_feature_folders
from pbem.features.inbox.letters.reply import Reply, ReplyLine
from pbem.games.hogen import GAME
from pbem.kit.answers import MOST_FIELDS, MOST_PLACES
from pbem.kit.contract import AnyGame
from pbem.kit.logs.chain import mark_of
from pbem.kit.texts import LANGS, Lang
from pbem.mail import compose as compose_module
from pbem.mail import mime
from pbem.mail.compose import TooLarge, compose_mail
from pbem.mail.harmless import Name, Typed
from pbem.mail.letters import Board, Letter, MatchLetter, PlayLetter, Said, Standing
from pbem.render import phrases, pictures
from pbem.services.mail.kinds.confirm import Confirm
from pbem.services.mail.kinds.digest import (
    LONGEST_SAID,
    MOST_ENDED,
    MOST_FURTHER,
    MOST_LINES,
    MOST_TURNS,
    Digest,
)
from pbem.services.mail.kinds.links import MyLinks
from pbem.services.mail.kinds.turn import Answer, Answers, YourTurn
from pbem.services.mail.letter_context import MOST_SAID
from tests.features.inbox import letters as answers
from tests.harness.cases import cases
from tests.mail import samples
from tests.mail.reader import Reader, html_of, text_of
from tests.table import FOUR

GOLDEN = Path(__file__).parent / "golden"
EVERY = [samples.all_samples(lang) for lang in LANGS]
# Each letter in all languages, beginning with another one each time: every second of them is each letter once.
LETTERS = [each[(at + n) % len(LANGS)] for at, each in enumerate(zip(*EVERY, strict=True)) for n in range(len(LANGS))]
EACH_ONCE = pytest.mark.sample(len(EVERY[0]))
NAMED = [pytest.param(letter, id=f"{letter.kind}-{letter.row}-{letter.lang}") for letter in LETTERS]


def parse_letter(letter: Letter) -> EmailMessage:
    """The mail as its reader's program parses it."""
    return parse_mail(bytes(compose_mail(letter, samples.SECRET)))


@cache
def in_the_mailbox(letter: Letter) -> EmailMessage:
    """Like `parse_letter`, composed once for all tests that only read it."""
    return parse_letter(letter)


def parse_mail(raw: bytes) -> EmailMessage:
    """The mail as its reader's program parses it."""
    message = message_from_bytes(raw, policy=default)
    assert isinstance(message, EmailMessage)
    return message


def links_of(letter: Letter) -> set[str]:
    """Every URL the letter carries."""
    found = {value for field, value in vars(letter).items() if field.endswith("_url") and value}
    if isinstance(letter, YourTurn) and letter.reply_to is None:  # else its text says what to write instead
        found |= {answer.href for answer in letter.answers.links}
    if isinstance(letter, MyLinks):
        found |= {match.url for match in letter.matches}
    if isinstance(letter, Digest):
        found |= {turn.play_url for turn in letter.turns} | {match.url for match in letter.further}
        found |= {answer.href for turn in letter.turns for answer in turn.answers.links}
        found |= {end.replay_url for end in letter.ended}
    if letter.kind in modules_in_feature_folders("letters"):
        listed = [vars(one) for name in letter.lists for one in getattr(letter, name) if is_dataclass(one)]
        found |= {value for line in listed for field, value in line.items() if field.endswith("url")}
    if getattr(letter, "start", None):
        found.add("https://pbem.example/rules/hogen")
    return found


@pytest.mark.long
@EACH_ONCE
@pytest.mark.parametrize("letter", NAMED)
def test_the_text_and_the_html_of_a_mail_hold_every_link(letter: Letter) -> None:
    message = in_the_mailbox(letter)
    lines = {line.strip().partition("#")[0] for line in text_of(message).splitlines()}
    assert links_of(letter) <= lines, "each on a line of its own, perhaps to a place on the page"
    assert links_of(letter) <= {link.partition("#")[0] for link in Reader(html_of(message)).links}


@EACH_ONCE
@pytest.mark.parametrize("letter", NAMED)
def test_the_text_part_comes_first_and_no_placeholder_is_left(letter: Letter) -> None:
    message = in_the_mailbox(letter)
    assert message.get_content_type() == "multipart/alternative"
    assert [part.get_content_type() for part in message.iter_parts()] in (
        ["text/plain", "text/html"],
        ["text/plain", "multipart/related"],
    )
    seen = text_of(message) + " ".join(Reader(html_of(message)).words) + str(message["Subject"])
    assert not re.search(r"[{}]|%\(|%[sd]|None|Undefined|&(amp|lt|#)", seen)
    assert "\u202f" not in seen


@EACH_ONCE
@pytest.mark.parametrize("letter", NAMED)
def test_html_is_plain_enough_for_every_mail_program(letter: Letter) -> None:
    html = html_of(in_the_mailbox(letter))
    tags = Reader(html).tags
    assert not tags & {"svg", "script", "form", "iframe", "link", "div", "input"}
    assert "data:" not in html
    assert len(html.encode()) < 90_000
    assert f'<html lang="{letter.lang}">' in html
    assert "prefers-color-scheme: dark" in html


@pytest.mark.long
@EACH_ONCE
@pytest.mark.parametrize("letter", NAMED)
def test_the_only_pictures_are_boards_symbols_and_covers(letter: Letter) -> None:
    message = in_the_mailbox(letter)
    images = Reader(html_of(message)).images
    pictures = [part for part in message.walk() if part.get_content_type() == "image/png"]
    assert {image["src"] for image in images} == {"cid:" + str(part["Content-ID"]).strip("<>") for part in pictures}
    covers = [letter.cover.meta.title[letter.lang]] if letter.cover is not None else []
    assert len(pictures) == sum(1 + len(shown.marks) for shown in letter.boards) + len(covers)
    for picture in pictures:
        assert picture.get_content().startswith(b"\x89PNG")
        assert picture.get_content_disposition() == "inline"
    alts = [image["alt"] for image in images if image["alt"]]
    boards = [phrases.phrase_text(" ".join(shown.board.words), shown.names) for shown in letter.boards]
    assert alts == boards + covers, "the word is beside a symbol"


WITH_A_WAY = (PlayLetter, Digest, *(one for module in samples.of_features() for one in module.WITH_A_WAY))
"""The letters with a way of their own to less mail."""


@EACH_ONCE
@pytest.mark.parametrize("letter", NAMED)
def test_mails_have_the_headers_of_automatic_mail(letter: Letter) -> None:
    message = in_the_mailbox(letter)
    assert message["From"].addresses[0].addr_spec == "play@pbem.example"
    assert [a.addr_spec for a in message["To"].addresses] == [letter.to]
    assert message["Date"].datetime == letter.at
    assert re.fullmatch(rf"<{letter.kind}-[0-9a-f]{{36}}@pbem\.example>", message["Message-ID"])
    assert message["Auto-Submitted"] == "auto-generated"
    assert message["X-Auto-Response-Suppress"] == "OOF, AutoReply"
    assert message["Content-Language"] == letter.lang
    in_thread = isinstance(letter, MatchLetter)
    assert ("References" in message) is ("In-Reply-To" in message) is in_thread
    assert ("List-Id" in message) is (in_thread or letter.list_name is not None)
    assert ("List-Unsubscribe" in message) is isinstance(letter, WITH_A_WAY)


WITHOUT_A_WAY = [letter for letter in LETTERS if not isinstance(letter, WITH_A_WAY)]


@pytest.mark.sample(len(WITHOUT_A_WAY) // len(LANGS))
@pytest.mark.parametrize("letter", WITHOUT_A_WAY)
def test_a_mail_without_a_mute_link_has_the_given_unsubscribe_link(letter: Letter) -> None:
    way = f"https://pbem.example/never/{samples.TOKEN}"
    raw = bytes(compose_mail(replace(letter, unsubscribe=way), samples.SECRET))
    assert f"\r\nList-Unsubscribe: <{way}>\r\n".encode() in raw
    assert b"\r\nList-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n" in raw


@cases("lang", LANGS)
def test_one_click_unsubscribe_of_a_digest_uses_its_own_stop_link(lang: Lang) -> None:
    raw = bytes(compose_mail(samples.digest(lang), samples.SECRET))
    assert f"\r\nList-Unsubscribe: <https://pbem.example/digest/{samples.TOKEN}>\r\n".encode() in raw
    assert b"\r\nList-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n" in raw


@cases("lang", LANGS)
def test_the_one_click_unsubscribe_headers_of_a_turn_mail_are_not_folded(lang: Lang) -> None:
    raw = bytes(compose_mail(samples.your_turn(lang), samples.SECRET))
    assert f"\r\nList-Unsubscribe: <https://pbem.example/mute/{samples.TOKEN}>\r\n".encode() in raw
    assert b"\r\nList-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n" in raw


@pytest.mark.long
@EACH_ONCE
@pytest.mark.parametrize("letter", NAMED)
def test_every_line_that_leaves_is_ascii_and_short_enough_for_smtp(letter: Letter) -> None:
    lines = bytes(compose_mail(letter, samples.SECRET)).split(b"\r\n")
    assert max(map(len, lines)) <= 998
    assert all(line.isascii() and b"\n" not in line for line in lines)


def test_the_mails_of_a_seat_share_thread_and_subject_but_no_id() -> None:
    turn = samples.your_turn("fr")
    letters = (turn, replace(turn, row=61), samples.match_over("fr"), samples.started("fr"))
    mails = [parse_letter(letter) for letter in (*letters, samples.reminder("fr"))]
    assert {m["Subject"] for m in mails} == {"Hogen avec Alice, Bob et Dave"}
    assert len({m["References"] for m in mails}) == 1
    assert all(m["In-Reply-To"] == m["References"] for m in mails)
    assert len({m["List-Id"] for m in mails}) == 1
    assert len({m["Message-ID"] for m in mails}) == 5


def test_digest_mails_form_no_thread_and_count_turns_in_the_subject() -> None:
    first = samples.digest("en")
    second = parse_letter(replace(first, row=70, at=first.at + timedelta(days=1), turns=(), further=()))
    assert parse_letter(first)["Subject"] == "Your turn in 3 matches, Thursday 12 March"
    assert second["Subject"] == "Your matches, Friday 13 March"
    assert "References" not in second
    assert parse_letter(replace(first, turns=first.turns[:1], further=()))["Subject"].startswith(
        "Your turn in 1 match,"
    )
    assert parse_letter(replace(first, more=2))["Subject"].startswith("Your turn in 5 matches,"), "also those left out"
    assert parse_letter(samples.digest("fr"))["Subject"] == "À vous dans 3 parties, jeudi 12 mars"


def test_mails_of_another_seat_or_match_form_another_thread() -> None:
    turn = samples.your_turn("fr")
    bob = parse_letter(replace(turn, seat=1, to="bob@players.example"))
    elsewhere = parse_letter(replace(turn, match="m9"))
    here = parse_letter(turn)
    assert len({m["References"] for m in (bob, elsewhere, here)}) == 3
    assert bob["List-Id"] == here["List-Id"] != elsewhere["List-Id"]


def test_no_mail_reveals_the_id_of_its_match() -> None:
    raw = bytes(compose_mail(replace(samples.your_turn("fr"), match="SECRETMATCH"), samples.SECRET))
    assert b"SECRETMATCH" not in raw


@pytest.mark.long
@EACH_ONCE
@pytest.mark.parametrize("letter", NAMED)
def test_the_same_letter_always_makes_the_same_bytes(letter: Letter) -> None:
    assert bytes(compose_mail(letter, samples.SECRET)) == bytes(compose_mail(letter, samples.SECRET))


def test_another_site_secret_gives_other_message_ids() -> None:
    turn = samples.your_turn("fr")
    assert compose_mail(turn, "one").id != compose_mail(turn, "two").id


@pytest.mark.long
@cases("lang", LANGS)
def test_no_two_mails_end_with_the_same_line(lang: Lang) -> None:
    letters = samples.all_samples(lang)
    ends = [text_of(in_the_mailbox(letter)).rstrip().splitlines()[-1] for letter in letters]
    assert len(set(ends)) == len(letters)
    for letter, end in zip(letters, ends, strict=True):
        assert "".join(Reader(html_of(in_the_mailbox(letter))).words).strip().splitlines()[-1] == end


@pytest.mark.long
@cases("lang", LANGS)
def test_no_mail_shows_a_question_key_or_names_its_reader_in_the_heading(lang: Lang) -> None:
    for letter in samples.all_samples(lang):
        message = in_the_mailbox(letter)
        for words in (re.sub(r"https?://\S+", "", text_of(message)), " ".join(Reader(html_of(message)).words)):
            assert not re.search(r"\b[a-z]\d+\.[a-z]", words), words
        heading = re.search(r"<h1[^>]*>(.*?)</h1>", html_of(message))
        assert heading is not None
        if letter.addressee:
            assert letter.addressee not in heading[1]
            assert letter.addressee in text_of(message).rstrip().splitlines()[-1]


@cases(
    "lang, change, said, unsaid",
    [
        ("en", {}, "the clock moves for you", "bot"),
        ("en", {"bot": "Good bot"}, "a bot plays for you", "clock"),
        ("en", {"bot": "Good bot", "until": samples.LATER}, "the match is paused", "plays for you"),
        ("fr", {}, "l’horloge joue pour vous", "robot"),
        ("fr", {"bot": "Bon robot"}, "un robot joue pour vous", "horloge"),
        ("fr", {"bot": "Bon robot", "until": samples.LATER}, "la partie est en pause", "joue pour vous"),
    ],
)
def test_an_absence_mail_agrees_in_sender_title_and_text(
    lang: Lang, change: dict[str, Any], said: str, unsaid: str
) -> None:
    message = parse_letter(replace(samples.absent(lang), **change))
    sender = message["From"].addresses[0].display_name
    for words in (text_of(message), " ".join(Reader(html_of(message)).words)):
        assert said in words.lower()
        assert unsaid not in words.lower()
        assert ("until" in change) or change.get("bot", "") in words
    assert unsaid not in sender
    assert said in sender or "paus" in sender


@pytest.mark.long
@cases("lang", LANGS)
def test_the_text_of_a_turn_mail_equals_the_stored_one(lang: Lang) -> None:
    assert text_of(parse_letter(samples.your_turn(lang))) == (GOLDEN / f"turn.{lang}.txt").read_text("utf-8")


@cases("lang", LANGS)
def test_a_turn_mail_tells_the_news_then_shows_the_board_then_the_answers(lang: Lang) -> None:
    letter = samples.your_turn(lang)
    message = parse_letter(letter)
    text, html = text_of(message), html_of(message).partition("<h1")[2]
    links = [answer.href for answer in letter.answers.links]
    last_words = phrases.phrase_text(letter.board.words[-1], FOUR)
    for words, order in (
        (text, ["F4", last_words, f"{letter.play_url}\n", *links, letter.mute_url]),
        (html, ["F4", f'{letter.play_url}"', 'src="cid:board-', *map(escaped, links), letter.mute_url]),
    ):
        places = [words.index(said) for said in order]
        assert places == sorted(places)
        assert len({*places}) == len(links) + 4


def test_a_choice_link_in_a_mail_has_the_form_that_a_seats_page_reads() -> None:
    for answer in samples.your_turn("en").answers.links:
        assert re.fullmatch(r"https://pbem\.example/play/x+\?ask=t5\.answer&pick=[A-Za-z0-9.%-]+", answer.href)


@cases("moved, heading", [(True, "Since your last move"), (False, "What happened")])
def test_the_heading_of_a_turn_mails_recap_names_its_beginning(moved: bool, heading: str) -> None:
    message = parse_letter(replace(samples.your_turn("en"), moved=moved))
    for words in (text_of(message), html_of(message)):
        assert [said in words for said in ("Since your last move", "What happened")].count(True) == 1
        assert heading in words


def test_a_turn_mail_names_others_asked_at_the_same_time() -> None:
    alone = replace(samples.your_turn("en"), waiting=(), asked=("Bob",))
    several = replace(samples.your_turn("en"), waiting=("Alice",), asked=("Bob", "Dave"))
    for words in (text_of(parse_letter(alone)), html_of(parse_letter(alone))):
        assert "Bob must answer as well." in words
        assert "wait" not in words.split("Open the board")[1].split("Mute")[0]
    for words in (text_of(parse_letter(several)), html_of(parse_letter(several))):
        assert "Bob and Dave must answer as well." in words
        assert "must answer as well" not in text_of(parse_letter(samples.your_turn("en")))


@EACH_ONCE
@pytest.mark.parametrize("letter", NAMED)
def test_no_text_of_an_html_mail_has_a_small_font(letter: Letter) -> None:
    html = html_of(in_the_mailbox(letter))
    sizes = re.findall(r'<(?![^>]*class="dot")[a-z0-9]+ [^>]*font-size:(\d+)px', html)
    assert min(map(int, sizes)) >= 16


@cases(
    "won, verdict",
    [
        ((0,), "Alice gagne : toutes les alliées sont trouvées."),
        ((0, 3), "Alice et Dave gagnent : toutes les alliées sont trouvées."),
        ((), "Toutes les alliées sont trouvées."),
    ],
)
def test_the_mail_about_the_end_says_who_won_and_why(won: tuple[int, ...], verdict: str) -> None:
    standings = tuple(Standing(seat, seat in won) for seat in range(4))
    message = parse_letter(replace(samples.match_over("fr"), standings=standings))
    for said in (text_of(message), html_of(message)):
        assert verdict.replace(" :", "\u00a0:") in said
        assert said.count("a gagné") == len(won)


def test_mails_give_the_deadline_in_the_readers_time_zone() -> None:
    abroad = parse_letter(replace(samples.your_turn("en"), zone="America/New_York"))
    assert "Until Saturday 14 March, 13:30 (New York time)" in text_of(abroad)
    assert "Until <b>Saturday 14 March, 13:30</b> (New York time)" in html_of(abroad)


def mail_with_many_answers(letter: YourTurn, answer: Answer, number: int) -> YourTurn:
    """The same mail with this answer this many times."""
    return replace(letter, answers=replace(letter.answers, rows=((answer,),) * number))


def test_a_turn_mail_with_more_than_24_answers_is_refused() -> None:
    answer = Answer("{F4}", "F4", "https://pbem.example/x")
    mail_with_many_answers(samples.your_turn("fr"), answer, 24)
    with pytest.raises(ValueError, match="25 answers"):
        mail_with_many_answers(samples.your_turn("fr"), answer, 25)


def test_24_answers_with_long_links_fit_into_a_mail() -> None:
    answer = samples.your_turn("fr").answers.links[0]
    long = replace(answer, href=answer.href + "&step=" + "y" * 200)
    names = ("W" * 24, "é" * 24, "Ω" * 24, "漢" * 24)
    letter = replace(mail_with_many_answers(samples.your_turn("fr"), long, 24), names=names, waiting=names[:2])
    assert len(html_of(parse_letter(letter)).encode()) < 90_000


def test_a_bracket_in_a_mail_never_wraps_away_from_its_symbol() -> None:
    answer = Answer("→ 12 ({F4})", "F4 → 12", "https://pbem.example/x")
    link = (
        html_of(parse_letter(mail_with_many_answers(samples.your_turn("en"), answer, 1)))
        .partition("→ 12 ")[2]
        .partition("</a>")[0]
    )
    assert re.fullmatch(r'<span style="white-space:nowrap">\(<img [^>]*>&nbsp;<b [^>]*>F4</b>\)</span>', link)


HOGEN_CALLS = Answers(
    "Call for…",
    (
        (Answer("{F}"), Answer("{F1}", "Call for {F1}", "https://pbem.example/f1"), Answer("4", "Call for 4", "https://p/4")),
        (Answer("Declare", "Declare", "https://pbem.example/d"),),
    ),
    "Not offered: what your ally {F2} forbids.",
)  # fmt: skip


def test_an_answer_shows_the_symbol_and_the_colour_of_what_it_names() -> None:
    """What is not allowed keeps its place, without a link; a symbol that nothing names does not travel."""
    message = parse_letter(replace(samples.your_turn("en"), answers=HOGEN_CALLS))
    html = html_of(message)
    table = html.partition("Call for…")[2].partition("</table>")[0]
    first, second = re.findall(r"<tr>(.*?)</tr>", table)
    flat, card, rank = re.findall(r"<td(.*?)</td>", first)
    assert "<a " not in flat
    assert ">F" in flat
    assert 'href="https://pbem.example/f1" title="Call for F1"' in card
    purple = pictures.colour_in_light_theme(GAME.meta.marks["F1"].colour)
    assert re.search(
        rf'<img class="mon" src="cid:mon-f-[^"]+"[^>]*alt="".*<b [^>]*background:{purple}[^>]*>F1</b>', card
    )
    assert "<img" not in rank
    assert second.count("<td") == 1
    assert 'colspan="3"' in second
    assert "Not offered: what your ally <b>F2</b> forbids." in html
    named = [str(part["Content-ID"]) for part in message.walk() if part.get_content_type() == "image/png"]
    assert [name.split("-")[1] for name in named if "mon" in name] == ["f"]
    assert len(named) == 2
    assert [name for name in named if f"cid:{name.strip('<>')}" not in html] == []


def test_the_text_lists_the_answers_in_full_with_a_link_each() -> None:
    text = text_of(parse_letter(replace(samples.your_turn("en"), answers=HOGEN_CALLS)))
    offered = text.partition("Call for…\n")[2].partition("Nothing is played")[0].splitlines()
    assert offered == [
        "* Call for F1", "  https://pbem.example/f1", "* Call for 4", "  https://p/4", "* Declare",
        "  https://pbem.example/d", "Not offered: what your ally F2 forbids.",
    ]  # fmt: skip


@pytest.mark.long
@EACH_ONCE
@pytest.mark.parametrize("letter", NAMED)
def test_sender_subject_and_preview_of_a_mail_do_not_repeat_each_other(letter: Letter) -> None:
    """Sender, subject and the first words of the mail stand side by side in a list of mails."""
    message = in_the_mailbox(letter)
    (sender,) = message["From"].addresses
    assert sender.addr_spec == samples.SENDER.address
    html, text = html_of(message), text_of(message)
    hidden = re.search(r'<p style="display:none[^>]*>(.*?)</p>', html)
    if not isinstance(letter, MatchLetter | Confirm):
        assert sender.display_name == samples.SENDER.name
    if isinstance(letter, MatchLetter):
        assert sender.display_name.startswith(f"{letter.game.meta.title[letter.lang]} · ")
        assert not [name for name in letter.names if name in sender.display_name]
        subject = str(message["Subject"])
        assert subject not in text + re.sub("<title>.*?</title>", "", html) or letter.kind in ("declined", "substitute")
    assert hidden is not None
    said = hidden[1].rstrip("\u034f\u200c\u00a0")
    assert len(said) > 15
    assert said not in str(message["Subject"])
    if isinstance(letter, YourTurn):
        assert said.startswith(f"{letter.title} · ")


@cases("reacts, sender", [(False, "Hogen · your turn"), (True, "Hogen · a question")])
def test_the_sender_tells_a_turn_from_a_question_in_anothers_turn(reacts: bool, sender: str) -> None:
    message = parse_letter(replace(samples.your_turn("en"), reacts=reacts))
    assert message["From"].addresses[0].display_name == sender


@pytest.mark.long
def test_a_mail_that_would_be_cut_off_is_refused() -> None:
    recap = tuple((n, "{0} appelle le rang 4. " * 40) for n in range(1, 80))
    with pytest.raises(TooLarge, match="90000"):
        compose_mail(replace(samples.your_turn("fr"), recap=recap), samples.SECRET)


FLOODS = ("&" * 20_000, "<b>" * 9_000, "😀" * 9_000, "a@b.example " * 3_000, '"' * 500)


@pytest.mark.long
@pytest.mark.parametrize("letter", [one for one, letter in zip(NAMED, LETTERS, strict=True) if letter.lang == "fr"])
def test_no_mail_is_too_large_whatever_others_have_written_in_it(letter: Letter) -> None:
    """A flood in every field that somebody typed, in far more lines than there are; French takes more words."""
    many = replace(letter, **{name: getattr(letter, name)[:1] * 300 for name in letter.lists})
    if isinstance(letter, Reply):
        many = replace(letter, lines=(ReplyLine("x", "x"),) * 300)
    if isinstance(many, PlayLetter):
        many = replace(many, said=(Said(0, "x"),) * MOST_SAID)
    for flood in FLOODS:
        html = html_of(parse_letter(with_name(many, flood)))
        assert len(html.encode()) <= compose_module.HTML_LIMIT


MORE: dict[Lang, str] = {"en": r"… and (\d+) more", "fr": r"… et (?:encore )?(\d+) (?:autre|ligne)"}


def lists_something(letter: Letter) -> bool:
    return bool(letter.lists) and (isinstance(letter, Reply) or all(getattr(letter, name) for name in letter.lists))


LISTING = [*{(letter.kind, letter.lang): letter for letter in LETTERS if lists_something(letter)}.values()]


def numbers_of_missing_lines(letter: Letter) -> list[list[int]]:
    """Returns the numbers of lines that the text, and the HTML, of the mail say they leave out."""
    mail = parse_letter(letter)
    whole = " ".join(Reader(html_of(mail)).words)
    return [[int(one) for one in re.findall(MORE[letter.lang], words)] for words in (text_of(mail), whole)]


@pytest.mark.long
@pytest.mark.parametrize("letter", LISTING)
def test_a_list_that_is_shortened_says_how_many_lines_are_missing(letter: Letter) -> None:
    assert numbers_of_missing_lines(letter) == [[], []]
    many: dict[str, Any] = {name: (getattr(letter, name) or (ReplyLine("x", "x"),))[:1] * 300 for name in letter.lists}
    many |= {"of": 300} if hasattr(letter, "of") else {}
    shorter = replace(letter, **many).with_fewer(40)
    assert [len(getattr(shorter, name)) for name in letter.lists] == [40] * len(letter.lists)
    assert numbers_of_missing_lines(shorter) == [[260] * len(letter.lists)] * 2
    for found in numbers_of_missing_lines(with_name(replace(letter, **many), "&" * 20_000)):
        assert found in ([260] * len(letter.lists), [288] * len(letter.lists))


def test_a_digest_counts_the_lines_messages_and_ends_it_leaves_out() -> None:
    letter = samples.digest("en")
    turn = replace(letter.turns[0], recap=((5, "{0} calls M1"),), said_before=3)
    mail = parse_letter(replace(letter, turns=(turn,), more_ended=2))
    for words in (text_of(mail), " ".join(Reader(html_of(mail)).words)):
        assert re.search(r"\b5\W+Alice\W+calls M1", words), "its number on the board tells that there are four before"
        assert "(3 earlier messages are on the board’s page)" in words
        assert "… and 2 more: see " in words


def test_a_mail_counts_the_readers_questions_and_orders_it_leaves_out() -> None:
    letter = samples.your_turn("en")
    orders = replace(samples.ORDERS, left=("{0} calls M1",), left_before=4, more_going=3)
    mail = parse_letter(replace(letter, orders=orders))
    for words in (text_of(mail), " ".join(Reader(html_of(mail)).words)):
        assert "left 5 questions to you" in words
        assert "(4 earlier lines are on the board’s page)" in words
        assert "… and 3 more: see " in words


def test_shortened_text_in_a_mail_ends_with_an_ellipsis() -> None:
    letter = replace(samples.your_turn("en"), said=(Said(1, "&" * 20_000), Said(2, "Good game! " * 40)))
    for words in (text_of(parse_letter(letter)), html_of(parse_letter(letter))):
        assert "…”" in words
        assert ("Good game! " * 40).strip() in words


HOSTILE = (
    "Charlie\r\nBcc: victim@example.org",
    "Charlie\n\n* Cliquez\n  https://evil.example/",
    "<script>alert(1)</script>",
    '"><img src=x onerror=1>',
    "{0} {F1} {{ 7*7 }} %(name)s %s",
    "\u202echarlie\u2066\x00\x1b[31m",
    "\ud800lone",
    "a,b <x@y.example>;",
    "=?utf-8?q?Bcc=3A?=",
)


# In the short run each mail meets one of the names.
MET = [
    pytest.param(
        letter,
        name,
        id=f"{letter.kind}-{letter.row}-{n}",
        marks=pytest.mark.long if (at + n) % len(HOSTILE) else (),
    )
    for at, letter in enumerate(EVERY[0])
    for n, name in enumerate(HOSTILE)
]


@pytest.mark.long
@pytest.mark.parametrize(("letter", "name"), MET)
def test_a_name_with_markup_is_escaped_in_mails(letter: Letter, name: str) -> None:
    raw = bytes(compose_mail(with_name(letter, name), samples.SECRET))
    message = parse_mail(raw)
    honest = in_the_mailbox(with_name(letter, "Charlie"))
    assert [part.keys() for part in message.walk()] == [part.keys() for part in honest.walk()]
    assert b"\nBcc:" not in raw.partition(b"\r\n\r\n")[0]
    assert [a.addr_spec for a in message["To"].addresses] == [letter.to]
    text, html = text_of(message), html_of(message)
    assert len(text.splitlines()) == len(text_of(honest).splitlines())
    reader, plain = Reader(html), Reader(html_of(honest))
    assert (reader.tags, without_subjects(reader.links)) == (plain.tags, without_subjects(plain.links))
    assert not re.search("[\x00-\x08\x0b\x0c\x0e-\x1f\u202a-\u202e\u2066-\u2069\ud800-\udfff]", text + html)


def without_subjects(links: Sequence[str]) -> list[str]:
    """The links, without the subjects of replies, which name the players."""
    return [re.sub(r"\?subject=[^&]*&", "?", link) for link in links]


def with_name(part: Any, name: str) -> Any:
    """The letter, or a part of one, with this name for everybody and no other text from players."""
    hints = get_type_hints(type(part), include_extras=True)
    return replace(
        part, **{one.name: rename_value(hints[one.name], getattr(part, one.name), name) for one in fields(part)}
    )


def rename_value(hint: Any, value: Any, name: str) -> Any:
    """The value of a field of this type, with this name for everybody."""
    if hint in (Name, Typed):
        return name
    if isinstance(value, tuple):
        return tuple(rename_value(get_args(hint)[0], one, name) for one in value)
    return with_name(value, name) if is_dataclass(value) else value


def test_chat_stands_below_the_recap_as_text_without_links() -> None:
    letter = replace(samples.your_turn("en"), said=(*samples.SAID, Said(3, "<b>1.5</b> & {0}\n\nDave")), said_before=2)
    text, html = text_of(parse_letter(letter)), html_of(parse_letter(letter))
    for words in (text, html):
        places = [words.index(said) for said in ("Since your last move", "Talk", "Open the board")]
        assert places == sorted(places)
        assert "(2 earlier messages are on the board’s page)" in words
        assert "https://\u200bevil.\u200bexample/login" in words
        assert "https://evil" not in words
        assert "a@\u200bevil" in words
    assert "Dave: “<b>1.5</b> & {0} Dave”\n" in text
    assert "<b>Dave</b>: “&lt;b&gt;1.5&lt;/b&gt; &amp; {0} Dave”" in html
    assert Reader(html).links == Reader(html_of(parse_letter(replace(letter, said=(), said_before=0)))).links
    assert "Talk" not in text_of(parse_letter(samples.your_turn("en")))


def test_the_first_mail_of_a_match_announces_its_start_and_time_limits() -> None:
    letter = replace(samples.your_turn("en"), start=samples.START)
    for words in (text_of(parse_letter(letter)), html_of(parse_letter(letter))):
        assert "The match has begun." in words
        assert "You have 3\u00a0days for each turn, and 1\u00a0day to answer in another’s turn." in words
        assert words.index("Your turn to answer") < words.index("The match has begun.") < words.index("M3")
    plain = replace(letter, start=replace(samples.START, window=None))
    assert "You have 3\u00a0days for each turn.\n" in text_of(parse_letter(plain))
    assert "has begun" not in text_of(parse_letter(samples.your_turn("en")))


@cases(
    "lang, first",
    [("en", "5\u00a0h\u00a020\u00a0min left"), ("fr", "Il vous reste 5\u00a0h\u00a020\u00a0min")],
)
def test_a_reminder_says_first_what_is_left_then_repeats_the_turn_mail(lang: Lang, first: str) -> None:
    turn, again = text_of(parse_letter(samples.your_turn(lang))), text_of(parse_letter(samples.reminder(lang)))
    assert again.splitlines()[0] == first
    assert again.splitlines()[2:-1] == turn.splitlines()[2:-1]
    assert samples.your_turn(lang).title in again.splitlines()[1]


def test_the_start_mail_of_a_seat_not_in_turn_names_who_is() -> None:
    text = text_of(parse_letter(samples.started("en")))
    assert "Alice and Bob are to play. You will get an email when it is your turn." in text
    assert "At the table: Alice, Bob, Carol and Dave (bot)." in text
    assert "Alice is to play." in text_of(parse_letter(replace(samples.started("en"), asked=("Alice",))))


def test_a_digest_shows_each_match_with_recap_deadline_and_result() -> None:
    for words in (text_of(parse_letter(samples.digest("en"))), html_of(parse_letter(samples.digest("en")))):
        for said in ("Bob", "Saturday 14 March, 18:30", "2\u00a0d\u00a05\u00a0h left"):
            assert said in words
        assert "Over since the last email" in words
        assert f"Dave wins: {GAME.meta.endings['found'].en}." in words


def test_a_board_picture_already_drawn_is_reused_in_mails(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = []
    real = pictures.board_png

    def count_drawings(game: AnyGame, svg: str, names: Sequence[str], width: int, *, clear: bool = False) -> bytes:
        drawn.append(svg)
        return real(game, svg, names, width, clear=clear)

    monkeypatch.setattr(pictures, "board_png", count_drawings)
    compose_module.draw_board.cache_clear()
    first, again = parse_letter(samples.your_turn("en")), parse_letter(samples.reminder("en"))
    assert len(drawn) == 1
    assert png_of(first) == png_of(again)
    compose_mail(replace(samples.your_turn("en"), names=("Zoe", "Bob", "Carol", "Dave")), samples.SECRET)
    assert len(drawn) == 2


@pytest.mark.long
@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize(
    "of", [samples.your_turn, samples.reminder, samples.started, answers.reply_letter, samples.match_over]
)
def test_without_pictures_nothing_is_drawn_and_words_describe_the_board(
    of: Callable[[Lang], PlayLetter], lang: Lang, monkeypatch: pytest.MonkeyPatch
) -> None:
    letter = of(lang)
    links = Reader(html_of(in_the_mailbox(letter))).links
    drawn: list[object] = []
    monkeypatch.setattr(compose_module, "draw_board", lambda *args: drawn.append(args))
    monkeypatch.setattr(compose_module, "draw_symbol_of_mark", lambda *args: drawn.append(args))
    message = parse_letter(replace(letter, board=replace(letter.board, svg=None)))
    reader = Reader(html_of(message))
    assert drawn == []
    assert reader.images == []
    assert [part.get_content_type() for part in message.walk() if not part.is_multipart()] == [
        "text/plain",
        "text/html",
    ]
    shown = "".join(reader.words)
    assert all(phrases.phrase_text(line, letter.names) in shown for line in letter.board.words)
    assert set(reader.links) == set(links)


def test_a_cover_is_drawn_once_whatever_the_language(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = []
    real = pictures.board_png

    def count_drawings(game: AnyGame, svg: str, names: Sequence[str], width: int) -> bytes:
        drawn.append(svg)
        return real(game, svg, names, width)

    monkeypatch.setattr(pictures, "board_png", count_drawings)
    compose_module.draw_cover.cache_clear()
    first, again = parse_letter(samples.invitation("en")), parse_letter(samples.invitation("fr"))
    assert len(drawn) == 1
    assert png_of(first) == png_of(again)


@cases("lang", LANGS)
def test_an_invitation_leaves_without_a_cover_where_none_is_wanted(lang: Lang) -> None:
    with_cover, without = samples.invitation(lang), replace(samples.invitation(lang), cover=None)
    html = html_of(parse_letter(without))
    assert Reader(html).images == []
    assert Reader(html).links == list(dict.fromkeys(Reader(html_of(parse_letter(with_cover))).links))


def test_an_invitation_leaves_without_a_cover_that_cannot_be_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(game: AnyGame) -> bytes:
        raise ValueError(game.meta.slug)

    monkeypatch.setattr(compose_module, "draw_cover", fail)
    mail = compose_mail(samples.invitation("en"), samples.SECRET)
    assert "image/png" not in mail.raw.decode()
    assert [game for game, _ in mail.faults] == [GAME]


@cases("lang", LANGS)
def test_the_first_half_of_an_invitation_holds_no_hash(lang: Lang) -> None:
    text = text_of(parse_letter(samples.invitation(lang)))
    assert text.index("https://pbem.example/invitation/i0") < len(text) / 2
    assert not re.search(r"\b[0-9a-f]{4} [0-9a-f]{4} ", text[: len(text) // 2])


def png_of(message: EmailMessage) -> bytes:
    """The attached picture."""
    return next(bytes(part.get_content()) for part in message.walk() if part.get_content_type() == "image/png")


@cases("to", ["a@b.example\r\nBcc: c@d.example", "a b", "", "a@b.example, c@d.example"])
def test_a_mail_to_anything_but_one_address_is_refused(to: str) -> None:
    with pytest.raises((ValueError, IndexError)):
        compose_mail(replace(samples.your_turn("fr"), to=to), samples.SECRET)


def test_a_mail_dated_with_a_naive_datetime_is_refused() -> None:
    with pytest.raises(ValueError, match="aware"):
        replace(samples.confirm("fr"), at=samples.AT.replace(tzinfo=None))


def test_a_phrase_that_names_a_seat_of_nobody_is_an_error() -> None:
    with pytest.raises(ValueError, match="no seat"):
        compose_mail(
            replace(samples.your_turn("fr"), board=Board(("{7} attend.",), samples.board_of_carol("fr").svg)),
            samples.SECRET,
        )


def test_a_questions_title_heads_its_mail_and_is_a_sentence_of_a_reminder() -> None:
    asked = replace(samples.your_turn("en"), title="Do you challenge the announcement?")
    assert text_of(parse_letter(asked)).startswith("Do you challenge the announcement?\n")
    again = replace(samples.reminder("en"), title="Do you challenge the announcement?")
    assert "\nDo you challenge the announcement? Until Saturday 14 March" in text_of(parse_letter(again))
    assert "\nYour turn to answer. Until Saturday 14 March" in text_of(parse_letter(samples.reminder("en")))


@pytest.mark.long
@cases("moved, mapping", [(True, True), (False, True), (False, False)])
def test_the_longest_digest_fits_the_mail_size_limit(moved: bool, mapping: bool) -> None:
    turn, end = samples.digest("fr").turns[0], samples.digest("fr").ended[0]
    names = ("W" * 24, "é" * 24, "漢" * 24, "&" * 24)
    lines = tuple((n, "{0} appelle {F1}, {1} donne {T1} et prend {M1} ; " * 3) for n in range(1, 7))
    orders = replace(samples.ORDERS, answered=lines[0][1:] * 6, left=lines[0][1:] * 6)
    full = replace(
        turn, names=names, recap=lines[:MOST_LINES], said=(Said(0, "&" * LONGEST_SAID),) * 2, moved=moved, orders=orders
    )
    field = Answer("{F1} for {M2}", "{F1} " * 9, f"{turn.play_url}?ask=t5.answer&pick=take-F1%2Cplace-F1%2Crotate-180")
    place, taken = replace(field, short="●"), Answer("■")
    mapped = Answers(
        "t", ((field,) * 4,) * (MOST_FIELDS // 4), "", ((place,) * 10 + (taken,) * 4,) * (MOST_PLACES // 10)
    )
    none = Answers("t", ((taken, taken),))
    turns = tuple(replace(full, answers=mapped if mapping else none, match=f"m{n}") for n in range(MOST_TURNS))
    link = replace(samples.digest("fr").further[0], names=names[:3])
    letter = replace(
        samples.digest("fr"), turns=turns, further=(link,) * MOST_FURTHER,
        ended=(replace(end, names=names),) * MOST_ENDED,
    )  # fmt: skip
    mail = parse_letter(letter)
    html = html_of(mail)
    assert len(html.encode()) < 90_000
    assert len(Reader(html).images) == sum(part.get_content_type() == "image/png" for part in mail.walk())
    assert html.count(turn.play_url + '"') == MOST_TURNS, "the page of each is a tap away, board or none"
    assert html.count(link.url) == MOST_FURTHER
    assert (len(Reader(html).images) == MOST_TURNS) is not mapping


def test_the_longest_talk_fits_into_a_turn_mail_with_all_choices() -> None:
    turn = samples.your_turn("fr")
    letter = replace(
        mail_with_many_answers(turn, turn.answers.links[0], 24), said=(Said(0, "&" * 500),) * MOST_SAID,
        said_before=190,
        moved=False, start=samples.START,
    )  # fmt: skip
    assert len(html_of(parse_letter(letter)).encode()) < 90_000


# --- the luck: commitment, mark, lucky word ----------------------------------------------------------------------

COMMITMENT = samples.COMMITMENT
SIXTEEN = samples.first_sixteen_digits(COMMITMENT)
FAIR: dict[Lang, str] = {"en": "How luck is kept fair", "fr": "Un hasard vérifiable"}
WORD: dict[Lang, str] = {"en": "your lucky word: {}", "fr": "votre mot porte-bonheur\u00a0: {}"}


def line_of_luck(message: EmailMessage, lang: Lang) -> str:
    """Returns what a mail keeps of the luck: one line of its foot, before the last one, which is unique."""
    body, foot = text_of(message).split("———")
    *_, line, _last = foot.strip().splitlines()
    assert line.startswith(FAIR[lang])
    assert FAIR[lang] not in body
    said = line.rsplit(" · ", 1)[0]
    assert words_of(message).splitlines()[-2] == said
    return said


def words_of(message: EmailMessage) -> str:
    """Returns what the HTML of a mail says, its lines as the reader sees them."""
    return "".join(Reader(html_of(message)).words).replace("\r\n", "\n").strip()


@pytest.mark.long
@cases("lang", LANGS)
def test_mails_where_a_match_begins_keep_16_characters_of_the_commitment(lang: Lang) -> None:
    turn = samples.your_turn(lang)
    first = replace(turn, moved=False, start=samples.START)
    late = replace(samples.reminder(lang), moved=False, start=samples.START)
    before = samples.confirm(lang), replace(samples.invitation(lang), head=None), samples.substitute(lang)
    for letter in (*before, samples.started(lang), first, late):
        message = parse_letter(replace(letter, word=None) if isinstance(letter, MatchLetter) else letter)
        assert line_of_luck(message, lang) == f"{FAIR[lang]} · {SIXTEEN}"
        assert message["X-PBEM-Commitment"] == COMMITMENT, "its header has all 64"
        assert COMMITMENT not in text_of(message) + html_of(message)
    for later in (turn, samples.reminder(lang), samples.match_over(lang)):
        message = parse_letter(later)
        assert line_of_luck(message, lang) == f"{FAIR[lang]} · {later.mark}"
        assert not any(short in text_of(message) + html_of(message) for short in (COMMITMENT, SIXTEEN))


def test_the_mail_about_the_end_links_to_the_page_about_luck() -> None:
    letter = samples.match_over("en")
    for said in (text_of(parse_letter(letter)), html_of(parse_letter(letter))):
        assert f"{letter.play_url}/luck" in said


@EACH_ONCE
@pytest.mark.parametrize("letter", NAMED)
def test_match_mails_have_commitment_and_head_in_headers_and_one_line(letter: Letter) -> None:
    message = in_the_mailbox(letter)
    kept = {"X-PBEM-Commitment": letter.commitments, "X-PBEM-Head": letter.heads}
    assert {name: tuple(re.split(r",\s*", message[name])) if message[name] else () for name in kept} == kept
    if isinstance(letter, MatchLetter):
        assert letter.commitments == (letter.commitment,)
        assert letter.heads == ((letter.head,) if letter.head else ())
    if letter.mark is not None:
        assert (letter.mark, letter.heads) == (mark_of(letter.heads[0]), letter.heads)
    if isinstance(letter, MatchLetter):
        assert line_of_luck(message, letter.lang)


def test_before_the_start_a_mail_has_no_mark_and_no_head() -> None:
    message = parse_letter(replace(samples.invitation("en"), head=None))
    assert message["X-PBEM-Head"] is None
    assert str(samples.invitation("en").mark) not in text_of(message) + html_of(message)


@pytest.mark.long
@cases("lang", LANGS)
def test_only_the_start_mail_repeats_the_word_that_the_reader_typed(lang: Lang) -> None:
    turn, started = samples.your_turn(lang), samples.started(lang)
    for first in (replace(turn, start=samples.START, word="abricot"), replace(started, word="abricot")):
        message = parse_letter(first)
        assert line_of_luck(message, lang).endswith(WORD[lang].format("abricot"))
        message = parse_letter(replace(first, word=None))
        assert WORD[lang].partition("{")[0] not in text_of(message) + words_of(message)
    for letter in (turn, samples.reminder(lang), samples.match_over(lang), samples.invitation(lang)):
        message = parse_letter(replace(letter, word="abricot"))
        assert "abricot" not in text_of(message) + html_of(message)


@cases("lang", LANGS)
def test_a_digest_has_the_mark_or_commitment_of_each_match_in_one_line(lang: Lang) -> None:
    letter = samples.digest(lang)
    moved, new = letter.turns
    (ended,) = letter.ended
    assert (moved.moved, new.moved) == (True, False)
    other = new.game.meta.title[lang]
    kept = f"Hogen {moved.mark}, {other} {samples.first_sixteen_digits(new.commitment)}, Hogen {ended.mark}"
    assert line_of_luck(parse_letter(letter), lang) == f"{FAIR[lang]} · {kept}"


@EACH_ONCE
@pytest.mark.parametrize("letter", NAMED)
def test_no_mail_holds_the_seed(letter: Letter) -> None:
    message = in_the_mailbox(letter)
    for said in (text_of(message), html_of(message), str(message.items())):
        assert samples.SEED.hex() not in said
        assert samples.SEED.hex()[:16] not in said.replace(" ", "")


@pytest.mark.long
@EACH_ONCE
@pytest.mark.parametrize("letter", NAMED)
def test_a_subject_that_cannot_be_built_is_replaced_by_one_without_names(
    letter: Letter, monkeypatch: pytest.MonkeyPatch
) -> None:
    def strict(name: str, value: str) -> str:
        if name == "Subject" and any(player in value for player in FOUR):
            raise ValueError("a letter that no header holds")
        return encoded(name, value)

    encoded = mime.encode_header
    monkeypatch.setattr(mime, "encode_header", strict)
    message = parse_letter(letter)
    assert message["Subject"]
    assert not any(player in message["Subject"] for player in FOUR)
    assert [one.addr_spec for one in message["To"].addresses] == [letter.to]


def test_a_mail_whose_subject_template_fails_gets_a_plain_subject(monkeypatch: pytest.MonkeyPatch) -> None:
    letter = samples.your_turn("fr")
    real = compose_module.find_template

    def broken(lang: Lang, form: compose_module.Form, kind: str) -> Template:
        found = real(lang, form, kind)
        source = '{% extends "turn.jinja" %}{% block subject %}{{ letter.absent }}{% endblock %}'
        return found.environment.from_string(source) if kind == "turn" else found

    monkeypatch.setattr(compose_module, "find_template", broken)
    with capture_logs() as lines:
        message = parse_letter(letter)
    assert message["Subject"] == "Hogen"
    assert letter.play_url in text_of(message)
    assert [line["event"] for line in lines if line["log_level"] == "error"] == ["mail.subject_without_names"]
