"""What mails are made of, and what becomes of them: a line for each case, stored in mailed.txt.

    python -m tests.mail.mailed

writes the file again. Of texts and HTML a checksum stands there; tests/services/mail/stories has such mails whole.
"""

from __future__ import annotations

import hashlib
import os
import re
import tempfile
from collections.abc import Iterator
from dataclasses import fields, replace
from datetime import UTC, datetime, timedelta
from email import message_from_bytes
from email.policy import default
from pathlib import Path
from typing import Any

import pytest

from pbem.features.inbox.letters.reply import ReplyLine
from pbem.features.inbox.ways import local
from pbem.features.leagues.season_letters import SeasonRow
from pbem.kit.answers import MARKED, TAKEN
from pbem.kit.texts import LANGS
from pbem.mail import compose, harmless, mailbox, mime, refusals, send
from pbem.mail.letters import Board, Letter, MatchLink, Said, Standing, board_of
from pbem.mail.mime import Mail
from pbem.services.kinds import all_kinds_of_mail
from pbem.services.mail.kinds.turn import Answer, Answers, YourTurn
from tests.features.inbox import letters as answers
from tests.features.leagues import letters as seasons
from tests.harness.undrawn import replace_pictures
from tests.mail import samples
from tests.mail.samples import AT, SECRET
from tests.render.lines import Part, call_as_line, lines_of_calls, result_of, shorten_text, text_of, whole_file

FILE = Path(__file__).with_name("mailed.txt")
ALEF = "\u05d0"


def checksum(text: str) -> str:
    """Returns the checksum of a text."""
    return f"{len(text)} {hashlib.sha256(text.encode(errors='surrogatepass')).hexdigest()[:12]}"


def sums_of_mail(letter: Letter) -> str:
    """Returns the headers of the letter's mail, and checksums of its parts."""
    mail = compose.compose_mail(letter, SECRET)
    head = mail.raw.partition(b"\r\n\r\n")[0].decode()
    message = message_from_bytes(mail.raw, policy=default)
    parts = [
        f"{part.get_content_type()} {checksum(str(part.get_content()))} {part['Content-ID'] or ''}"
        for part in message.walk() if not part.is_multipart()
    ]  # fmt: skip
    fault = re.sub(
        r"\.py:\d+", ".py", " ".join(f"{game.meta.slug}: {why}" for game, why in mail.faults)
    )  # the line moves with all that stands above it
    return f"{head!r} {parts} {mail.return_path} {fault} {checksum(mail.raw.decode())}"


def letters_that_differ() -> Iterator[Letter]:
    """Returns letters that read differently."""
    for lang in LANGS:
        turn, reply, links = samples.your_turn(lang), answers.reply_letter(lang), samples.my_links(lang)
        yield from (
            replace(turn, to=to)
            for to in (
                "carol@exämple.org",
                "çarol@exämple.org",
                "carol",
                "c@d@e.example",
                "carol@" + "x" * 64 + ".example",
            )
        )
        for count in (1, 2, 3):
            names = ("A" * 400, ALEF * count, "Carol\n-@x.example", "D" * count)
            yield replace(
                turn,
                names=names,
                first_names=("Alice", "Bob", "Carol", "Dave"),
                nth=count,
                orders=samples.ORDERS,
                said=samples.SAID,
                said_before=count - 1,
            )
        replied = replace(turn, reply_to=samples.REPLY_TO, reply_guide_url=samples.REPLY_GUIDE, reply_token="tok")
        yield replace(replied, reply_question="ask")
        yield replace(replied, unsubscribe="https://x.example/u", unsubscribe_to="u@x.example")
        yield replace(links, unsubscribe="https://x.example/u")
        yield replace(
            links,
            unsubscribe="https://x.example/u",
            unsubscribe_to="u@x.example",
            reply_to="r@x.example",
            reply_token="tok",
            return_path="b@x.example",
        )
        yield from (
            replace(turn, word=word, head=head)
            for word in (None, "w", "see http://x.example")
            for head in (None, samples.HEAD[::-1])
        )
        yield from (
            replace(turn, board=board)
            for board in (
                Board(("one",), None),
                Board(("one",), None, "fault"),
                Board(("one",), "<svg"),
                Board((), '<svg viewBox="0 0 9 9"></svg>'),
            )
        )
        yield replace(turn, orders=replace(samples.ORDERS, left_before=2, more_going=3))
        yield replace(turn, recap=(), moved=False, said=tuple(Said(n % 2, f"hello {n}") for n in range(9)))
        for many in (41, 300):
            yield replace(
                links,
                matches=tuple(
                    MatchLink(samples.GAME, ("Alice" * 9, "Bob"), f"https://pbem.example/play/{n}", "waiting")
                    for n in range(many)
                ),
            )
            yield replace(
                seasons.finish_letter(lang),
                rows=tuple(SeasonRow(n, f"N{n}", n / 2, n == many - 1) for n in range(many)),
                of=many + 1,
            )
            yield replace(reply, lines=tuple(ReplyLine(f"line {n} " * 9, "& < >" * 9) for n in range(many)))
        yield replace(turn, said=tuple(Said(1, "&" * 2_000) for _ in range(9)))
        yield replace(turn, recap=tuple((n, "{0} <&> " * 30) for n in range(250)))
        yield from (
            replace(samples.match_over(lang), standings=standings)
            for standings in ((Standing(0, False), Standing(1, False)), (Standing(0, True), Standing(2, True, -4)))
        )
        yield from (replace(seasons.finish_letter(lang), moves=moves) for moves in ("up", "down", "stays"))
        yield from (replace(reply, what=what) for what in ("no-question", "other-sender"))


def whole_mails() -> Iterator[str]:
    """Returns mails of every kind in both languages."""
    with pytest.MonkeyPatch.context() as patch:
        replace_pictures(patch)
        whole = [one for lang in LANGS for one in samples.all_samples(lang)]
        for letter in (*whole, *letters_that_differ()):
            try:
                found = sums_of_mail(letter)
            except ValueError as error:
                found = f"{type(error).__name__}: {error}"
            is_whole = letter in whole and letter.lang == "en"
            yield f"{letter.kind} {letter.row} {letter.lang}: {found if is_whole else shorten_text(found)}"


def count_answers(turn: YourTurn, answers: Answers) -> int:
    """Returns the number of answers of a letter with these."""
    return len(replace(turn, answers=answers).answers.links)


def what_letters_tell() -> Iterator[str]:
    """Returns what letters say of themselves."""
    for lang in LANGS:
        for letter in samples.all_samples(lang):
            told = (
                letter.addressee,
                letter.one_click_url,
                [one[:6] for one in letter.commitments],
                [one[:6] for one in letter.heads],
                letter.orders_told,
                letter.mark,
            )
            more = [
                result_of(getattr, letter, name)
                for name in ("others", "first_others", "asked", "number_of_open_turns", "marks")
                if hasattr(letter, name)
            ]
            yield f"{letter.kind} {letter.row} {lang}: {text_of(told)} {shorten_text(' '.join(more))}"
            fewer = [letter.with_fewer(most) for most in (0, 1, 2)]
            for name in letter.lists:
                many = [
                    (len(getattr(one, name)), one.count_left_out(name))
                    for one in (letter, *fewer, fewer[2].with_fewer(1))
                ]
                yield f"  {name}: {many}"
    turn = samples.your_turn("en")
    yield result_of(replace, turn, at=AT.replace(tzinfo=None))
    for token, question in ((None, None), ("tok", "ask"), ("tok", None), (None, "ask")):
        letter = replace(turn, reply_token=token, reply_question=question)
        yield (
            f"{letter.subject_line('Hogen')} | {letter.subject_of_reply('Hogen')} | {letter.count_left_out('nothing')}"
        )
    for letter in (turn, replace(turn, first_names=("a", "b", "c", "d")), replace(turn, seat=0), replace(turn, seat=3)):
        yield f"{letter.first_others} {letter.others}"
    for count in (7, 8, 9, 12, 13, 20, 21, 24, 25, 30, 31, 40, 60, 61, 62, 63, 64, 80, 90):
        field = Answer("{F1}", "one", "x")
        listed, mapped = Answers("t", ((field,) * count,)), Answers("t", ((field,),), places=((field,) * count,))
        yield f"{count}: {result_of(count_answers, turn, listed)} {result_of(count_answers, turn, mapped)}"


def tables_of_answers() -> Iterator[str]:
    """Returns answers as texts show them."""
    one, two, head, not_now = (
        Answer("{F1}", "f", "h1", "F1"),
        Answer("M2", "m", "h2", "M2"),
        Answer("Cards"),
        Answer(""),
    )
    several, untyped = Answer("{B1}", "b", "h3", "B", True), Answer("Divide", "d", "h4")
    for rows in (
        (), ((one,),), ((one, two),), ((head, one),), ((one, not_now, two),), ((not_now, one),),
        ((head,), (one, two), (two,)), ((several, one),), ((several,), (several,)), ((untyped,),), ((untyped, one),),
        ((one, one),), ((not_now,),),
        ((one, two), (two, one), (Answer("a", "a", "h", "a"),), (Answer("b", "b", "h", "b"),)),
    ):  # fmt: skip
        for places in (
            (),
            (
                (Answer(""), Answer("a"), Answer("b")),
                (Answer("10"), Answer(TAKEN.text), Answer(MARKED, "m", "h5", "a10")),
                (Answer("9"), Answer(""), one),
            ),
        ):
            found = Answers("t", rows, f"{TAKEN.text} taken, {MARKED} marked", places)
            told = [
                result_of(getattr, found, name)
                for name in (
                    "links",
                    "examples",
                    "replies",
                    "rows_as_text_lines",
                    "map_lines_in_plain_signs",
                    "note_in_plain_signs",
                    "column_count",
                    "notations",
                )
            ]
            yield " | ".join(told)
    view = samples.carols_view()
    for pictured in (True, False):
        made = board_of(samples.GAME, view.fold, 2, "en", view.scene(view.recap("en")), pictured=pictured)
        yield f"{made.words} {made.svg and checksum(made.svg)} {made.fault}"

    class Undrawable:
        """A game that cannot be drawn."""

        svg: str | None = None

        def describe(self, *given: Any, over: bool) -> tuple[str, ...]:
            return (f"over {over}",)

        def draw(self, *given: Any) -> str:
            if self.svg is None:
                raise ZeroDivisionError
            return self.svg

    broken, scene = Undrawable(), view.scene(view.recap("en"))
    yield result_of(board_of, broken, None, 0, "en", scene).replace("mailed.py:", "").rstrip("0123456789')")
    broken.svg = ""
    yield result_of(board_of, broken, None, 0, "en", scene)


def harmless_texts() -> Iterator[str]:
    """Returns what people typed, made harmless."""
    for text in ("a & b", "&" * 9, "étés", "", "a b c d", "<>\"'", "x" * 20, "日本語", "\ud800ab", "ab  "):
        for most in (0, 3, 4, 5, 6, 8, 9, 18, 20, 100):
            yield call_as_line(harmless.cut, text, most)
    for name in (
        "Alice",
        "",
        " ",
        "a\nb\tc",
        "\u202ea",
        "\u3164",
        "\u200d",
        "a\0b",
        "\ud800",
        "x" * 301,
        "é" * 200,
        " a  b ",
        "a" + 9 * " " + "b",
    ):
        yield (
            f"{text_of(name)}: {text_of(harmless.one_line(name))} {text_of(harmless.visible_name(name))} "
            f"{text_of(harmless.visible_name(name, 4))}"
        )
    for text in (
        "see https://x.example/a.b",
        "a@b.example",
        "e.g. 3.5 and 1.a",
        "end. Next",
        "x.y",
        "x.2",
        "_.a",
        "a\nb",
        "a" + 20 * " " + "b",
        "z" * 2_001,
        "z" * 2_000,
        "a.b" * 700,
        "://",
    ):
        yield f"{text_of(text)}: {text_of(harmless.unlink(text))} {text_of(harmless.unlink(text, 9))}"
    letter = replace(
        samples.your_turn("en"),
        names=("A\nB", "\u3164", "Carol", "x" * 400),
        word="a@b.example",
        said=(Said(0, "http://x.example"),),
    )
    for most in (2_000, 8):
        made = harmless.make_harmless(letter, most)
        names = ("names", "word", "said", "first_names", "waiting", "orders")
        yield text_of([getattr(made, field.name) for field in fields(made) if field.name in names])
    yield (
        f"{harmless.make_harmless(samples.digest('en')) == samples.digest('en')} "
        f"{text_of(harmless.make_harmless(Said(0, 'a.b')))}"
    )


def heads_of_mails() -> Iterator[str]:
    """Returns headers and parts as bytes."""
    for name in ("Subject", "From"):
        for value in (
            "",
            "a",
            "a b",
            " a",
            "a  b",
            "a, b",
            "À vous",
            "=?utf-8?q?a?=",
            "a=?b",
            "x" * 60,
            "x" * 61,
            "a\nb",
            "a\x7f",
            "\x85",
            "\u2028",
            "\ud800",
            "long " * 20 + "end",
            "é" * 40,
            "~!#$%&'*+/=?^_`{|}-",
            '"q"',
            "x" * 35 + " " + "y" * 33,
            "x" * 35 + " " + "y" * 34,
            "x" * 35 + " " + "y" * 32,
            "x" * 35 + " " + "y" * 35,
            "x" * 35 + " " + "y" * 36,
        ):
            yield call_as_line(mime.encode_header, name, value)
    for name, called_so, spec, ascii_only in (
        ("To", "", "a@b.example", True), ("To", "Alice", "a@b.example", True), ("To", "Alice", "a@exämple.org", True),
        ("To", "Alice", "a@exämple.org", False), ("To", "Alice", "é@exämple.org", True),
        ("To", "", "é@x.example", False), ("To", "Alice", "no address", True), ("To", "A" * 9, "a@" + "b" * 56, True),
        ("To", "A" * 9, "a@" + "b" * 60, True), ("To", "A" * 9, "a@" + "b" * 59, True),
        ("To", "A" * 9, "a@" + "b" * 58, True),
        ("To", "A" * 9, "a@" + "b" * 57, True), ("Reply-To", "É" * 40, "a@b.example", True),
        ("To", "word " * 14 + "a", "a@b.example", True), ("To", "word " * 20 + "a", "a@b.example", True),
        ("To", "word " * 27 + "abc", "a@b.example", True), ("To", "a", "a,b@c.example", True),
        ("To", "a", "a@b@c", True), ("To", "a", "a\x00@b", True),
    ):  # fmt: skip
        yield call_as_line(mime.address_header, name, called_so, spec, ascii_only=ascii_only)
    for headers in (
        {},
        {"A": "b"},
        {"A": "b\r\n c"},
        {"A": "b\r\nc"},
        {"A": "b\nc"},
        {"A": "b\rc"},
        {"A": "b\x07"},
        {"A": "b\tc"},
        {"A": "é", "B": ""},
        {"A": "b\r\n\tc"},
        {"A": "b\n c"},
        {"A": "b\x7f"},
    ):
        yield call_as_line(mime.headers_block, headers)
    yield from lines_of_calls(
        lambda words: mime.text_part("plain", words), ["", "a", "a\nb\n", "é = \t \n", "x" * 100, ".", "From a\n.\n"]
    )
    yield text_of(mime.picture_part(b"abc", "a.png", "c@d"))
    yield from lines_of_calls(mime.base64_lines, [b"", b"a", b"x" * 57, b"x" * 58])
    yield text_of(mime.multipart_of("mixed", "b", b"one", b"two")) + text_of(mime.multipart_of("related", "c"))
    yield f"{bytes(Mail('i', b'raw'))!r} {text_of(Mail('i', b'raw', 'p'))}"
    for kind, row, host in (
        ("turn", 41, "pbem.example"),
        ("turn", 42, "pbem.example"),
        ("week", 0, "x.example"),
        ("turn", 2**47, "x"),
    ):
        made = compose.message_id(kind, row, host, SECRET)
        said = (
            made,
            made.upper(),
            made.strip("<>"),
            f" {made} ",
            made.replace(kind, "over"),
            made.replace("@", "x@"),
            made[:-9] + "@y>",
            made.replace(host, "elsewhere"),
        )
        rows = [compose.row_of_message_id(one, SECRET) for one in said]
        yield f"{made}: {rows} {compose.row_of_message_id(made, 'another')}"
    yield from lines_of_calls(
        lambda said: compose.row_of_message_id(said, SECRET),
        ["", "<turn-x@y>", f"<turn-{'0' * 36}@y>", f"<turn-{'0' * 36}@y z>"],
    )


WORDS = (
    "", "5.1.1 no", "5.1.0 x", "5.1.7 x", "5.1.8 x", "5.1.10 x", "5.2.0 x", "5.2.1 x", "5.2.2 x", "5.2.3 x",
    "5.3.0 x", "5.3.1 x", "5.4.1 x", "5.4.5 x", "5.4.7 x", "4.4.7 x", "5.5.0 x", "5.6.0 x", "5.7.0 x", "5.7.1 x",
    "5.7.25 x", "4.7.1 x", "4.2.2 x", "5.0.0 x", "5.8.1 x", "2.0.0 x", "no (#5.1.1)", "no 5.1.1", "5.9.12.3 x",
    "5.1.1111 x", "5.1111.1 x",
    "5.1.0 relaying denied", "5.2.1 spam", "5.7.1 policy", "5.4.1 sender", "5.1.0 blocked", "5.2.1 at a rate",
    "no such user", "relay denied", "looks like spam", "blocked", "rate limit", "too many messages", "mailbox full",
    "mailbox is quite very much full", "quota", "out of space", "not enough storage", "insufficient system storage",
    "no space", "storage allocation", "account size limit",
    "over the size limit", "too much mail", "too fast", "throttled", "greylisted", "gray list", "temporarily",
    "deferred", "try again later", "retry in 5", "please wait", "exceeded storage", "exceeds the mail box",
    "boîte pleine", "Postfach ist voll", "buzón lleno", "casella piena", "unknown user, try again later",
    "full, but disabled", "does not exist", "not found", "invalid", "no mailbox", "message size exceeds quota",
    "too large", "log in", "login", "authentication required", "SPF", "helo", "hostname", "client host",
    "local problem", "blacklist", "block list", "reputation", "banned", "5.2.1 unknown user over quota",
    "5.7.1 try again later", "5.1.1 quota", "5.3.4 too big",
)  # fmt: skip


def answers_of_servers() -> Iterator[str]:
    """Returns what follows from what servers answer."""
    for words in WORDS:
        found = [
            f"{code}{stage[0]}{refusals.fault_of_refusal(code, words, stage)[0]}"
            f"{'p' if refusals.is_temporary(code, words, stage) else '-'}"
            for code in (421, 450, 451, 452, 499, 500, 501, 521, 550, 551, 552, 553, 554, 556) for stage in STAGES
        ]  # fmt: skip
        codes = f"{refusals.answer_codes(550, words)} {refusals.answer_codes(451, words)}"
        yield f"{words}: {refusals.status_code_in(words)} {codes} {' '.join(found)}"
    for kind in (send.TemporaryFailure, send.PermanentFailure):
        failure = kind(550, "5.1.1  no\r\n such " + "x" * 400, "recipient")
        yield (
            f"{shorten_text(str(failure))} {len(failure.text)} {failure.code} {failure.stage} "
            f"{failure.fault} {failure.answer}"
        )
    yield f"{send.RelayDown('a  b').text!r}"


STAGES: tuple[refusals.Stage, ...] = ("recipient", "data")


def boxes() -> Iterator[str]:
    """Returns the mails of a folder."""
    ids = [f"turn-{n:036x}" for n in range(6)]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "box"
        nothing = mailbox.list_mails(folder), mailbox.read_raw_mail(folder, ids[0])
        yield f"{nothing[0]} {nothing[1]!r} {mailbox.read_mail(folder, ids[0], str)}"
        head = "From: {}\r\nTo: {}\r\nSubject: {}\r\nDate: {}\r\nMessage-ID: <{}@x.example>\r\n"
        for n, (sender, to, subject, date, rest) in enumerate(BOXED):
            raw = (head.format(sender, to, subject, date, ids[n]) + rest).encode(errors="surrogateescape")
            yield result_of(mailbox.store_mail, folder, Mail(f"<{ids[n]}@x.example>", raw))
            os.utime(folder / f"{ids[n]}.eml", (1_000 + n // 2, 1_000 + n // 2))
        for bad in (
            "",
            "<turn-1@x>",
            f"{ids[0]}@x",
            f"<Turn-{'0' * 36}@x>",
            f"<{'a' * 21}-{'0' * 36}@x>",
            f"<{ids[0]}@x y>",
            f"<{ids[0]}@>",
        ):
            yield f"{bad}: {result_of(mailbox.store_mail, folder, Mail(bad, b''))}"
        (folder / "notes.eml").write_text("x")
        yield f"{sorted(path.name for path in folder.glob('*'))}"
        for wanted in (None, "alice@x.example", "ALICE@x.example", "bob@x.example", "nobody@x.example"):
            for since in (None, 999, 1_000, 1_001, 1_002, 1_003):
                at = datetime.fromtimestamp(since, UTC) if since else None
                yield f"{wanted} {since}: {[one['id'][-1] for one in mailbox.list_mails(folder, wanted, at)]}"
        yield from (text_of(one) for one in mailbox.list_mails(folder))
        for mail_id in (*ids, "", "../x", ids[0].upper(), f"{ids[0]}x", f"turn-{'f' * 36}"):
            read = mailbox.read_mail(folder, mail_id, lambda cid: f"/pictures/{cid}")
            yield f"{mail_id[-5:]}: {text_of(read)} {text_of(mailbox.read_raw_mail(folder, mail_id))}"
        mailbox.store_mail(
            folder, Mail(f"<{ids[0]}@x.example>", head.format("p@x", "carol@x.example", "s", "x", ids[0]).encode())
        )
        yield f"{len(mailbox.list_mails(folder, 'carol@x.example'))}"
        gone = mailbox.delete_mails_to(folder, "Alice@x.example")
        yield f"{gone} {sorted(path.name[:42] for path in folder.rglob('*'))}"
    for asked_by in (
        "From: p@x.example\nTo: a@x.example\nSubject: Hogen\nMessage-ID: <1@x>\nReferences: <0@x>",
        "From: p@x.example\nReply-To: q@x.example\nTo: A <a@x.example>\nSubject: RE: Hogen",
        "To: a@x.example",
        "From: p@x.example",
        "From: p@x.example\nTo: a@x.example\nSubject: Ré",
        "From: p@x.example\nTo: a@x.example, b@x.example",
    ):
        for text in ("F3", "F3\n", ""):
            try:
                answer = local.write_answer(f"{asked_by}\n\nx".encode(), text, AT + timedelta(hours=1))
                lines = [one for one in answer.raw.decode().split("\r\n") if "@localhost>" not in one]
                yield f"{asked_by!r}: {lines} {answer.sender} {answer.to}"
            except ValueError as error:
                yield f"{asked_by!r}: {error}"
    yield from lines_of_calls(local.quote_lines, ["", "a", "a\n\nb\n", "\n\na \n", "> a"])


BOXED = (
    ("pbem <p@x.example>", "alice@x.example", "One", "Thu, 12 Mar 2026 12:04:00 +0100", "\r\nplain\r\n"),
    ("p@x.example", "Alice <Alice@x.example>", "=?utf-8?q?=C3=80?=", "nonsense",
        "Content-Type: text/html\r\n\r\n<b>&#7;</b>\r\n"), ("", "alice@x.example, bob@x.example", "", "", "\r\n"),
        ("a <b", "bob@x.example", "Two\x07 \udcff", "Thu, 12 Mar 2026 12:04:00 +0000", "\r\nx\x00\x08\t\x0b\x7fy\r\n"),
    ("p@x.example, q@x.example", "bob@x.example", "x" * 20_000, "Thu, 12 Mar 2026 23:59:59 -0500", "X: y\r\n\r\n"),
    ("p@x.example", "bob@x.example", "Pictures", "Thu, 12 Mar 2026 12:04:00 +0000",
        'Content-Type: multipart/related; boundary="b"\r\n\r\n--b\r\nContent-Type: text/html\r\n\r\n<img '
        'src="cid:one@x"><img src=\'cid:one@x\'>\r\n--b\r\nContent-Type: image/png\r\nContent-ID: <one@x>'
        '\r\nContent-Transfer-Encoding: base64\r\n\r\nYWJj\r\n--b\r\nContent-Type: '
        'image/png\r\n\r\nx\r\n--b\r\nContent-Type: image/gif\r\nContent-ID: <two@x>\r\n\r\nx\r\n--b--\r\n'),
)  # fmt: skip


def kinds() -> Iterator[str]:
    """How the service treats each kind of mail: all that is so, by its name."""
    for name, kind in all_kinds_of_mail().items():
        yield f"{name}: {' '.join(field.name for field in fields(kind) if getattr(kind, field.name) is True)}"


PARTS: tuple[Part, ...] = (
    whole_mails, what_letters_tell, tables_of_answers, harmless_texts, heads_of_mails, answers_of_servers, boxes,
    kinds,
)  # fmt: skip


if __name__ == "__main__":
    FILE.write_text(whole_file("tests.mail.mailed", PARTS), "utf-8")
