"""What is read of what comes in, piece by piece: a line for each case, stored in heard.txt.

    python -m tests.features.inbox.incoming.heard

writes the file again. Look at what has changed. Looks and pages are in `seen`.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from email import message_from_bytes
from pathlib import Path

from pbem.features.inbox.incoming import bodies, characters, commands, cutting, headers, phrases, results
from pbem.features.inbox.incoming.commands import MOST_READ, Moves
from pbem.features.inbox.incoming.cutting import Ours
from pbem.features.inbox.incoming.message import sign_of_program
from tests.render.lines import Part, call_as_line, lines_of_calls, result_of, text_of, whole_file

FILE = Path(__file__).with_name("heard.txt")
A_MOVE = re.compile(
    r"[fm]\d|pass|go|hello bob|give f\d take m\d|\d\d|divide [\d /]+|stop|\d|f\d (?:or|at) \d"
    r"|order f|say f|muet|take it|x1y two three four(?: five)?|f\d, no thanks", re.IGNORECASE,
)  # fmt: skip


def is_move(text: str) -> bool:
    """What a small game reads: cards, numbers, a few words."""
    return A_MOVE.fullmatch(text.strip(" .!*_")) is not None


def reading_in_lines(text: str) -> str:
    """Returns a reading, line by line."""
    found = commands.read_reply(text, is_move, ("Alice Martin", "Al"))
    lines = " | ".join(
        f"{text_of(one.text)}: {text_of(one.command) if one.command else one.doubt or '-'}" for one in found.lines
    )
    return f"{lines} => {text_of(found.commands)} {', '.join(found.doubts)}"


def replies() -> Iterator[str]:
    """Returns replies as commands."""
    for text in (
        "", "  \n", "> quoted", "F3", "f3.", "F3!", "*F3*", "F3?", "F3 or F4", "F3 if you like", "wait, F3", "or F3",
        "F3\nF4", "F3\nF3", "F3\nf3.", "F3\n\nF4", "F3\n\nF3", "F3\n\nthanks", "F3\n\nWhat about you?",
        "F3\n\nno, wait",
        "F3\n\nI saw M2 yesterday", "F3\n\nAlice\nM2", "F3\n\nAlice\nM 2", "F3\nAlice\ngo", "F3\n\ngo",
        "F3\n\nnice, go",
        "Alice\nF3", "Hi Bob,\nF3", "Hi Bob, F3", "Hi Bob! F3, thanks", "hello bob", "hello", "thanks", "thanks\nF3",
        "hej,\nF3", "hej 5,\nF3", "hej M2,\nF3", "I play F3", "I'll play F3", "je joue F3", "my move: F3", "coup = F3",
        "mon choix F3", "réponse: F3", "play", "play play", "play F3; F4", "F3; F4", "F3;F4", "F3; nothing", "F3 ; F4",
        "; F3", "give F1 take M2", "12", "5", "No. 5", "#5", "n°5", "choice 12", "option 0", "number 999",
        "number 1000", "5)", "option 5)", "nothing", "Something long that nobody reads, ever", "help", "aide", "HELP!",
        "à l'aide", "aidez-moi", "aide-moi", "help me", "again", "encore", "encore une fois", "renvoyer", "renvoie",
        "renvoyez", "resend", "mute", "silence", "muet", "sourdine", "'mute'", "help\nagain\nmute", "help\n\nhelp",
        "say hello", "say: F3", "dire bonjour", "dis bonjour", "say", "say:", "note this", "note: F3", "note",
        "noter cela", "order F: F3", "orders: F3", "ordre F3", "consigne F3", "consignes F3", "order", "order F3?",
        "stop orders", "stop my orders", "stop all the orders", "arrête les ordres", "supprimer toutes mes consignes",
        "annulez ordre", "cancel order", "stop", "say, Bob, hi", "dis moi", "dis Bob, tu viens ?", "say bob, hi",
        "say thanks, bob", "note that F3", "note qu'il", "note bien", "noter, F3", "F3 stop", "F3, done", "go at 5",
        "no thanks, F3", "pass, no thanks", "F3\nsay hello", "say hello\nF3", "say hello\n\nF3", "F3\nsay hello\nF4",
        "F3\n--\nAlice", "F3\nBob", "F3\nAlice", "F3\nAl M.", "F3\nBest\nAlice\n12 High Street", "F3\n\n12 High Street",
        "F3\n\nsee https://x.example/F4", "F3\n\nmail m2@x.example", "F3\nm2", "F3\n\nF3 it is", "F3\n\nit is F3, F4",
        "F3\n\nM\ufffd", "M\ufffd2", "F3\n\n" + "word " * 3 + "go", "F3\n\n" + "word " * 9 + "go",
        "F3\n\n" + "word " * 9 + "M2", "F3\n\n" + "word " * 9 + "give F1 take M2 " + "word " * 3,
        "F3\n\n(go) now", "F3\n\nnow - go - then", "F3\n\nAlice\n\nnow - go", "F3\n\nAlice\n\nsee M2 below",
        "say " + "x" * 56 + "\nand more", "say " + "x" * 55 + "\nand more", "say " + "x" * 60 + "\nthanks",
        "say " + "x" * 60 + "\nAlice", "say " + "x" * 60 + "\nno, not this", "say " + "x" * 60 + "\nF4",
        "say " + "x" * 60 + "\n" + "y" * 60 + "\nand z", "say " + "x" * 60 + "\nab\nand z",
        "note " + "x" * 60 + "\nand",
        "w" * 60 + "\nand more", "F3\n\n" + "x" * 1000, "F3\n\n" + "x" * 1001, "F3\n" + "x" * 1001, "say " + "x" * 2000,
        "hello " * 300, "F3, " + "x" * 997, "a" * 995 + ", F3", "\n" * 99 + "F3", "F3\n" * 101, "F3\n" * 100,
        "\n".join(["F3", *("say a",) * 99]), "\n".join(["F3", *("say a",) * 100]), "F3\fF3", "F3\fF4", "F3\ff3.",
        "F3\f", "F3\fF3\fF4", "say a b\fsay ab", "say a b\fsay ac", "say a\fnote a", "note a_b\fnote ab", "help\fhelp",
        "help\fmute", "F3\nsay x\fF3", "order a\forder b", "F3\nhello there Bob\fF4",
        "say see http://x.example\fsay see",
        "number 5\fno. 5", "number 5\fno. 6", "F3; F4\fF3; F4", "F3; F4\fF3", "divide 2 / 3", "Hi, F3, cheers Bob",
        "Bonjour, je joue F3 svp", "F3 please", "F3, please", "F3 - thanks", "F3 thanks a lot for this", "F3 (sorry)",
        "F3\n\nsorry", "oops\nF3", "F3\nok", "F3\n\nok then", "hi, thanks for M2\nF3", "hello: F3", "F3: thanks",
        "thanks F3", "__F3__", "F3\nthanks\nF4", "F3\nthanks\n\nno", "F3\n_", "F3\n\n!!", "!!", "F3!?",
        "F3\n\nmove: go", "F3\n\nI say go", "F3\nsay\nF4", "F3 or 4", "F3 or 4?", "F3 at 4", "F3, no thanks",
        "order F", "say F", "F3\n\ntake it", "F3\n\na b c d e f take it",
        "F3\n\na b c d e f g take it", "F3\n\na x1y two three four", "F3\n\na x1y two three four five",
        "F3\n\n" + "w " * 99 + "M2", "F3\n\n" + "w " * 100 + "M2", "F3\n\n" + "w " * 101 + "M2",
        "F3\n\n" + "\n".join(f"a{n} b{n} c{n} d{n}" for n in range(31)),
        "F3\n\n" + "\n".join(f"a{n} b{n} c{n} d{n}" for n in range(29)),
        "F3\n\n" + "\n".join(f"a{n} b{n} c{n} d{n}" for n in range(30)),
    ):  # fmt: skip
        yield f"{text_of(text)}: {reading_in_lines(text)}"


def around_moves() -> Iterator[str]:
    """Returns what stands around moves."""
    for text in (
        "hi", "re-hi bob", "dear all,", "hi bob the great one", "hi bob a b c d", "buenas tardes", "f3", "thanks", "ty",
        "merci", "merci, bob !", "thanks, but no", "thanks but no", "bonne journee", "a +", "a+", ":-)", "xx", "best",
        "best regards, alice martin", "regards " + "a" * 51, "regards " + "a" * 52, "regards " + "a" * 53, "svp",
        "please!",
        "s'il vous plait", "your turn", "gl", "hf", "gg", "f3, thanks", "thanks, bob!", "merci !", "hi", "hi, f3",
        "hej,",
        "hi bob, thanks for the reminder!", "hi bob, thanks for 5", "hi bob, wait", "hi bob, what?", "hi bob,",
        "hi bob, f",
        "a b c d,", "a b c,", "hej", "thanks for all of it", "thanksgiving", "i hope you are well", "no, wait", "ne",
        "n'en parlons", "nice weather", "see https://x.example/no", "no@x.example", "www.no.example", "not now", "hmm",
        "hm", "moment", "or", "ou", "forum", "wait", "unless", "sauf si", "f3 or f4", "what?", "que ¿", "なに？",
        "http://x.example/?a", "https://x.example/?a b?", "why not", "say, hi", "note, hi", "dis moi", "dis-lui",
        "note que",
        "note qu'il", "dis bob, hi", "say bob, hi", "say thanks, bob", "say: bob, hi", "note that", "notes",
        "dire leur",
    ):  # fmt: skip
        found = [
            name for name in ("is_greeting", "is_closing", "is_courtesy_behind_move", "is_courtesy_above_move",
                              "may_say_be_meant_for_person",
                              "may_take_back", "is_hedged", "is_question")
            if getattr(phrases, name)(text)
        ]  # fmt: skip
        yield f"{text_of(text)}: {', '.join(found)} {text_of(phrases.addressee_of_courtesy(text))}"
    yield from lines_of_calls(
        phrases.without_addresses, ["see https://x.example/a and b@c.example now", "a @ b", "www.x.example"]
    )
    for name in (
        "Alice", "alice", "- Alice M.", "Alice plays", "Alice Martin", "Martin", "Martin Alice", "Alice 2", "Alice: go",
        "Alice?", "Al B C D", "Al B C D E", "Bob", "", "Élise", "elise", "Al b",
    ):  # fmt: skip
        yield call_as_line(phrases.is_signature, name, ["Alice Martin", "Al", "Élise", "—"])


def texts_asked_of_the_game() -> Iterator[str]:
    """Returns which texts the game is asked about."""
    asked: list[str] = []

    def understands(text: str) -> bool:
        asked.append(text)
        return text in ("F3", "hello bob", "bob")

    moves = Moves(understands)
    for text in (
        "F3",
        "x",
        "x",
        "F3",
        "x",
        "hello bob",
        "hello",
        "thanks, tom",
        "_",
        "",
        "F\ufffd3",
        "y" * 200,
        "z" * 999,
    ):
        yield f"{text_of(text)}: {result_of(moves, text)}, asked {len(asked)}"
    moves = Moves(lambda text: False)
    found = [result_of(moves, f"a{n}") for n in range(MOST_READ + 2)]
    yield f"{len(found)}: {found[0]} {found[MOST_READ - 1]} {found[MOST_READ]} {found[-1]}"


def cuts() -> Iterator[str]:
    """Returns what is cut off a reply."""
    quoted = "\n\n> N20\n> old"
    for text in (
        "F3", "F3\n\n> old", "F3\n| old", "F3\n  > old", "> old\nF3", "F3\n-- \nAlice", "F3\n--\nAlice", "F3\n--Alice",
        "F3\n---\nAlice", "F3\n—\nAlice", "F3\n____\nx", "F3\n__\nx", "F3\n***\nx", "F3\n— —\nx",
        "F3\n- Reply above this line -\nold", "F3\nReply above\nthis line\nold", "Reply\nabove\nthis\nli\nne",
        "Re\nply\nabove\nthis\nli\nne", "a\nReply above\nthis\nline Reply above this line",
        "F3\nRépondez au-dessus de cette ligne", "F3\nok Reply above this line",
        "F3\nReply above this lane", "Reply above this line", "a\nb\nReply above\nthis line Reply above this line\nc",
        "F3\n> *Reply above this\n> line*",
        f"F3\n\nOn Mon, 2 Mar 2026, pbem <play@pbem.example> wrote:{quoted}", f"F3\n\nBob wrote:{quoted}",
        f"F3\n\nOn 2026-03-02 Bob wrote:{quoted}", f"F3\n\nOn 2.3.26 Bob wrote:{quoted}",
        f"F3\n\nAt 12:30 on one day Bob wrote:{quoted}",
        f"F3\n\nAt 12:30:{quoted}", f"F3\n\nAt 12:30 x:{quoted}", f"F3\n\nAt 12:30 x y:{quoted}",
        f"F3\n\nplay@pbem.example:{quoted}",
        f"F3\n\nplay@pbem.example{quoted}", f"F3\n\n2026-03-02{quoted}", f"F3\n\n2026 play@pbem.example{quoted}",
        f"F3\n\nno, 2026 Bob wrote:{quoted}", f"F3\n\n----- Original message -----{quoted}",
        f"F3\n\n----- not this -----{quoted}",
        f"F3\n\n--- Original ---\nplay@pbem.example:{quoted}",
        "F3\n\nOn Mon, 2 Mar 2026, pbem\n<play@pbem.example> wrote:\nold",
        "F3\n\nOn Mon, 2 Mar 2026,\npbem\n<play@pbem.example>\nwrote:\nold",
        "F3\n\n2026\na\nb\nc\nplay@pbem.example:\nold", "F3\n\n2026\na\nb\nc\nd\nplay@pbem.example:\nold",
        "F3\n\nOn 2026\n\nplay@pbem.example wrote:\nold", "F3\n2026 play@pbem.example\nold",
        "F3\n2026 play@pbem.example：\nold",
        "2026 play@pbem.example wrote:\nold", "a\nb 2026 c@d.example:\nold",
        "F3\n\nFrom: pbem <play@pbem.example>\nSent: 2 March 2026\nTo: Alice\nold",
        "F3\nFrom: pbem\nSent: 2026-03-02\nold",
        "F3\nSent: 2026-03-02\nFrom: a@b.example\nold", "F3\nFrom: a@b.example\nold",
        "F3\nFrom: a@b.example\n\n\nSent: 2026-01-01\nold",
        "F3\nFrom: a@b.example\nx\ny\nz\nSent: 2026-01-01\nold",
        "F3\nFrom: a@b.example\nw\nx\ny\nz\nSent: 2026-01-01\nold",
        "F3\nFrom: a@b.example\n\n\n\n\n\n\n\nSent: 2026-01-01\nold",
        "F3\nFrom: a@b.example\n\n\n\n\n\n\n\n\nSent: 2026-01-01\nold",
        "say: see 2026\nnote: a@b.example\nF3", "F3\nVon: 1/2/26\nAn: 3/4/2026\nold",
        "F3\nVon: 1/2/26\nAn: x@y.example\nold",
        "F3\nVon: 1/2-26\nAn: x@y.example\nold", "F3\nhttp://x.example: 2026\nAn: x@y.example\nold",
        "F3\n----- a@b.example wrote -----\nold", "F3\n----- 2026-03-02 -----\nold", "F3\n----- x -----\nold",
        "F3\n----- x -----\n\nFrom: a@b.example\nold", "F3\n----- x -----\nFrom: nobody\nold",
        "F3\nThis message is confidential and meant for nobody.", "F3\nThis message is confidential",
        "F3\nthis email: reserved " + "x",
        "F3\nPlease consider the environment before printing", "F3\nCe message est confidentiel, destinataire x",
        "F3\nSent from my iPhone", "F3\n\nSent from my iPhone 15 Pro\n", "F3\n\nSent from my iPhone 15 Pro 7\n",
        "Sent from my iPhone\nF3",
        "Sent from my iPhone\n\nF3\nmore", "F3\nSent from my iPhone\nmore", "F3\n\nSent from my iPhone\nmore",
        "F3Sent from my iPhone", "F3 Sent from my iPhone", "takeSent from my iPhone", "Outlook takeSent from my iPhone",
        "say Sent from my iPhone", "orders: Sent from my iPhone", "F3\n\nSent from my iPhone?", "F3\n\nno iPhone",
        "F3\n\niPhone " + "x" * 153, "F3\n\niPhone " + "x" * 154, "F3\n\nhttps://x.example/7 iPhone",
        "F3\n\nGalaxy S22", "F3\n\nGalaxy S22 9",
        "F3\n\nGet Outlook for iOS", "F3\n\nspark 2", "F3\n\nYahoo Mail: Search, organise",
        "[EXTERNAL: be careful with this]\n\nF3", "[EXTERNAL]\nF3", "[short]\n\nF3", "[a long enough note]\n\nF3",
        "{a long enough note}\n\nF3",
        "[a long\nenough\nnote\nof\nfive]\n\nF3", "[a long\nenough\nnote\nof\nsix\nlines]\n\nF3",
        "[a long enough note?]\n\nF3", "[no, not this one]\n\nF3",
        "[NOTE: no, not this one]\n\nF3", "[a long enough note]", "[a long enough note]\n\n",
        "[a long enough note] and more\n\nF3",
        "[EXTERN] and more\n\nF3",
        "[ext] and more\n\nF3", "[extern] x\n\nF3", "[外部] x\n\nF3", "[ab] and more\n\nF3",
        "CAUTION: This email originated from outside of the company\n\nF3",
        "CAUTION: This email originated from outside 5 of the company\n\nF3",
        "CAUTION: short\n\nF3", "=====\nanything here\n=====\nF3", "=====\nanything\n\nhere\n=====\nF3",
        "====\nanything\n====\nF3",
        "=====\n1\n2\n3\n4\n5\n=====\nF3", "=====\n1\n2\n3\n4\n5\n6\n=====\nF3", "=====\nanything\nF3",
        "-----anything here-----\n\nF3",
        "[" + "x" * 1998 + "]\n\nF3", "[" + "x" * 1999 + "]\n\nF3", "\n\n[a long enough note]\n\nF3",
        "[a long enough note]\nF3",
        "x" * 400 + " Reply above this line\nold", "x" * 383 + " Reply above this line\nold",
        "x" * 390 + "2026 a@b.example:\nold",
    ):  # fmt: skip
        yield call_as_line(cutting.cut_quote, text)
    ours = Ours(("play@pbem.example",), ("pbem", "Hogen — Bob", "x"))
    for text in (
        "F3\nold", "F3\n\nplay@pbem.example\nold", "F3\n\nBy pbem, 2026-03-02\nold",
        "F3\n\nBy pbem, 2026-03-02:\nold\nolder",
        "F3\n\nBy pbem, 2026-03-02\n> old", "F3\n\nBy pbems, 2026-03-02:\nold",
        "F3\nFrom: pbem\nSent: 2026-01-01\nold", "F3\nSubject: Hogen — Bob\nSent: 2026\n\nold",
        "F3\n----- x -----\nFrom: pbem\n\nold", "F3\nx 2026:\nold", "F3\nPlay@PBEM.example wrote\n  old  \n>older",
    ):  # fmt: skip
        yield call_as_line(cutting.mark_quote_that_names_us, text, ours)
        yield f"  cut: {result_of(cutting.cut_quote, cutting.mark_quote_that_names_us(text, ours))}"


def letters() -> Iterator[str]:
    """Returns characters and charsets."""
    yield from lines_of_calls(characters.normalize_blanks_and_invisibles, [
        "a\r\nb\r\r\nc\rd", "a\tb\vc\fd\x1ce\x1df\x1eg\x85h", "a\u00a0b\u2003c\u3000d\u2028e\u2029f\u1680g",
        "a\u115fb\u1160c\u2800d\u3164e\uffa0f",
        "a\u200bb\u200dc\u00add\ufe0fe\ufefff\u180bg\u034fh", "a\ufff9b\ufffac\ufffbd\ufffce\ufffdf",
        "a\u202eb\u202dc\u202cd\u202ae", "a\0b\x07c\x7fd\x9be\ud800f",
    ])  # fmt: skip
    for octets, charset in (
        (b"F3", None), ("é".encode(), None), ("é".encode(), "x-unknown"), (b"\xe9", None),
        (b"\xe9\x80", "iso-8859-1"), (b"\xe9", "us-ascii"),
        (b"\xe9", "utf-8"), ("éé".encode() + b"\xff", None), ("é".encode() + b"\xff", None),
        ("éé".encode() + b"\xff\xff", None), ("ééé".encode() + b"\xff", "utf-8"),
        (b"\xff", "utf-8"), (b"a\xff", None), ("é".encode("utf-16-le"), "utf-16-le"), (b"\xff\xfeF\x003\x00", None),
        (b"\xfe\xff\x00F\x003", "latin-1"), (b"\xef\xbb\xbfF3", "latin-1"),
        (b"\x1b$B-!", None), (b"\x1b$B-!", "iso-8859-1"), (b"\x1b$B-!\x1b(B F3", "iso-2022-jp"),
        (b"\x1b(IAB\x1b(BF3", None), (b"\x1b(J\\~", None), (b"\x1b$@0!\nab", None), (b"\x1b(X F3", None),
        (b"caf\xe9 \x1b(J\xe9\x1b(I\x01\x1b(Bb", "iso-2022-jp"),
        ("ありがとう、亜F3".encode("iso2022_jp"), "ISO-2022-JP"),
        (b"\x1b$B\x74\x26\x7e\x7e\x21\x21\x22\x60\x22\x5f\x5e\x5e\x5f\x5f\x60\x60", "iso-2022-jp"),
        (b"\x1b$(DG!\x1b(BF3", "iso-2022-jp"), (b"\x1b$B0", "iso-2022-jp"), (b"\xb0\xa1\x81\x30\x84\x36", "gbk"),
        (b"\xb0\xa1", "gb2312"), ("я".encode("koi8-r"), "koi8-r"), (b"abc", "punycode"),
        (b"4633", "hex"), (zlib.compress(b"F3"), "zlib"), (b"F3", "rot13"), ("é".encode("utf-32-le"), "utf-32-le"),
        (b"\\u0041", "unicode-escape"), (b"abc", "idna"), (b"abc", "undefined"), (b"abc", "raw_unicode_escape"),
        (b"\x80", "x-user-defined"), (b"abc", "replacement"), (b"abc", "\0"), (b"+AOk-", "utf-7"),
        ("я".encode("cp866"), "cp866"), (b"\x83\x5c", "shift_jis"), (b"\xa1\xa1", "big5"), (b"\xe9", "cp850"),
        ("é".encode("cp500"), "cp500"), (b"a" * 9, "utf-8"),
    ):  # fmt: skip
        yield call_as_line(characters.decode_text, octets, charset)
    for most in (1, 2, 3, 4):
        yield call_as_line(characters.decode_text, "aéb".encode(), "utf-8", most)
        yield call_as_line(characters.decode_text, "aéb".encode(), None, most)
    yield call_as_line(characters.decode_text, b"x" * 1_000_001, None)


PGP = (
    "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\n- -- F3\n"
    "-----BEGIN PGP SIGNATURE-----\n\nabc\n-----END PGP SIGNATURE-----\n"
)


def mail_part(kind: str, text: str, *more: str) -> str:
    """Returns a part of a mail."""
    return "\n".join((f"Content-Type: {kind}", *more, "", text))


def parts_of(kind: str, *parts: str) -> str:
    """Returns parts within one."""
    return f'Content-Type: multipart/{kind}; boundary="{kind[0]}"\n\n' + "".join(
        f"--{kind[0]}\n{one}\n" for one in parts
    ) + f"--{kind[0]}--\n"  # fmt: skip


def text_with_nesting(count: int) -> str:
    """Returns a text this many parts deep."""
    inner = mail_part("text/plain", "F3")
    for at in range(count):
        inner = f'Content-Type: multipart/mixed; boundary="b{at}z"\n\n--b{at}z\n{inner}\n--b{at}z--\n'
    return inner


def texts_of_mails() -> Iterator[str]:
    """Returns the texts of bodies."""
    plain, other, page = (
        mail_part("text/plain", "F3"),
        mail_part("text/plain", "F4"),
        mail_part("text/html", "<p>F3</p>"),
    )
    secret = mail_part("application/pkcs7-mime", "x")
    for raw in (
        plain, page, mail_part("text/calendar", "F3"), mail_part("text/plain", ""),
        mail_part("text/plain", "F3", "Content-Disposition: attachment"),
        mail_part("text/plain", "F3", "Content-Disposition: inline"),
        "\nF3", parts_of("mixed", plain, other), parts_of("alternative", plain, page),
        parts_of("alternative", plain, mail_part("text/html", "<p>F4</p>")),
        parts_of("alternative", page, plain, other),
        parts_of("alternative", mail_part("text/plain", " "), page),
        parts_of("alternative", plain, mail_part("text/html", "")),
        parts_of("mixed", plain, mail_part("text/html", "<i>F5</i>")), parts_of("signed", plain, other),
        parts_of("report", plain, other), parts_of("related", page, other),
        parts_of("mixed", mail_part("image/png", "x")),
        parts_of("mixed", mail_part("image/png", "x"), plain), parts_of("mixed"),
        parts_of("alternative", mail_part("text/plain", "-----BEGIN PGP MESSAGE-----"), mail_part("text/html", "")),
        secret, mail_part("application/x-pkcs7-mime", "x"), parts_of("encrypted", plain), parts_of("mixed", secret),
        parts_of("mixed", secret, plain), mail_part("message/rfc822", plain),
        parts_of("mixed", mail_part("message/rfc822", plain), other),
        mail_part("text/plain", "-----BEGIN PGP MESSAGE-----\nx"),
        mail_part("text/html", "<p>-----BEGIN PGP MESSAGE-----</p>"),
        mail_part("text/plain", "a\n-----BEGIN PGP MESSAGE-----"), mail_part("text/plain", PGP),
        mail_part("text/plain", PGP * 20),
        mail_part("text/plain", PGP * 21), mail_part("text/plain", PGP.replace("\n", "\r\r\n")),
        mail_part("text/plain", "x\n" + PGP.replace("-----END PGP SIGNATURE-----\n", "")),
        mail_part("text/plain; format=flowed", "say a \nb\n> c \n> d\n>> e \n> f\n-- \nAlice \nB"),
        mail_part("text/plain; format=flowed; delsp=yes", "say a \nb \n c"),
        mail_part("text/plain; format=fixed; delsp=yes", "say a \nb"),
        mail_part("text/plain; FORMAT=Flowed", " a \n b\n-- \n c"),
        mail_part("text/plain; charset=iso-8859-1", "=E9", "Content-Transfer-Encoding: quoted-printable"),
        mail_part("text/plain", "a=20 \t \nb =\nc \n", "Content-Transfer-Encoding: Quoted-Printable"),
        mail_part("text/plain", "RjM=", "Content-Transfer-Encoding: base64"),
        mail_part("text/plain", "F3", "Content-Transfer-Encoding: x-none"),
        mail_part("text/plain; charset*=utf-8''iso-8859-1", "=E9", "Content-Transfer-Encoding: quoted-printable"),
        mail_part('text/plain; charset=" "', "=E9", "Content-Transfer-Encoding: quoted-printable"),
        mail_part("text/html", '<meta charset="koi8-r">=D1', "Content-Transfer-Encoding: quoted-printable"),
        mail_part("text/html; charset=utf-8", '<meta charset="koi8-r">=D1=8F',
            "Content-Transfer-Encoding: quoted-printable"),
            mail_part("text/plain", '<meta charset="koi8-r">=D1', "Content-Transfer-Encoding: quoted-printable"),
        mail_part("text/html", " " * 2000 + '<meta charset="koi8-r">=D1',
        "Content-Transfer-Encoding: quoted-printable"),
        mail_part("text/html", " " * 1977 + '<meta charset="koi8-r">=D1',
        "Content-Transfer-Encoding: quoted-printable"),
        mail_part("text/plain", "x" * 100_001), mail_part("text/plain", "x" * 100_000),
        mail_part("text/plain; format=flowed", ">" * 99 + "x " * 200_000), text_with_nesting(20), text_with_nesting(21),
        parts_of("mixed", *[plain] * 199), parts_of("mixed", *[plain] * 200),
        parts_of("alternative", mail_part("text/plain", "F3\n\n> old"),
            mail_part("text/html", "<p>F3</p><blockquote>older</blockquote>")),
            parts_of("alternative", mail_part("text/plain", "F 3"), page),
    ):  # fmt: skip
        yield call_as_line(
            lambda raw: bodies.text_of_message(message_from_bytes(raw.encode(), policy=headers.BOUNDED)), raw
        ).replace("<lambda>", "text_of")
    yield call_as_line(
        lambda raw: bodies.text_of_message(message_from_bytes(raw.encode(), policy=headers.BOUNDED), str.upper),
        parts_of("alternative", plain, page),
    ).replace("<lambda>", "marked")


def heads() -> Iterator[str]:
    """Returns heads read strictly."""
    for raw in (
        b"From: a\r\nTo: b\r\n\r\nbody", b"From: a\nTo: b\n\nX: y", b"A:1\r\n b\r\n\tc\r\n\r\n",
        b" a\r\nA: b\r\n\r\n", b"A: b", b"\r\nA: b", b"\nA: b", b"A: b\r\nnothing\r\n\r\n", b"A : b\r\n\r\n",
        b": b\r\n\r\n",
        b"A: \x07\r\n\r\n", b"A: \tb\r\n\r\n", b"A: b\rc\r\n\r\n", b"A: \x7f\r\n\r\n", "A: é\r\n\r\n".encode(),
        b"A: \xe9\r\n\r\n", b"\xe9: a\r\n\r\n", b"A: b\r\n\r\n\x07", b"", b"~!: x\r\n\r\n", b"a;b: x\r\n\r\n",
        b"A: " + b"x" * (512 * 1024 - 3) + b"\r\n\r\nbody", b"A: " + b"x" * (512 * 1024 - 2) + b"\r\n\r\nbody",
        b"A: b\r\n\r\nC: d\r\n\r\n",
    ):  # fmt: skip
        yield call_as_line(results.fields_of_head, raw)
    for value in (
        "", "a", "a b", " a", "a;b", "a=b, c:d <e>", '"a b"', '"a\\"b"', '"a', '"a\\', '"a"b', 'a"b"', "(c) a",
        "a(c)b", "a (c (d) e) b", "(c", "(c\\) a", "(c\\)) a", "a\\b", "a)b", "(" * 20 + ")" * 20 + "a",
        "(" * 21 + ")" * 21 + "a", "a\u00a0b", "é", 'a ;"b"= c', '"\\a\\\\b"', '""',
    ):  # fmt: skip
        yield f"{text_of(value)}: {result_of(results.tokens_of_field, value)}"
    for values in (
        ["alice@example.org"], ["Alice <alice@example.org>"], ['"A, B" <alice@example.org>'], ["<alice@example.org>"],
        ["A, B <alice@example.org>"], ["alice@example.org, b@example.org"], ["<a@example.org> <b@example.org>"],
        ["Alice <alice@example.org> x"], ["Alice <alice@example.org"], ["Alice alice@example.org>"], ["alice"],
        ["<>"], [""], [], ["a@b", "a@b"], ['"a@b"'], ["<a b@c>"], ["a@b@c"], ["A; B <a@b>"], ["A> <a@b>"],
        ["A: B <a@b>"], ["(c) a@b (d)"], ['"A;" <a@b>'],
    ):  # fmt: skip
        head = [("to", "x@y"), *(("from", one) for one in values)]
        yield f"{text_of(values)}: {result_of(results.address_of_only_author, head)}"


def results_of_servers() -> Iterator[str]:
    """Returns what servers say about a mail."""
    for value in (
        "mx.example.org; none", "mx.example.org; dkim=pass",
        "MX.example.org 1; dkim=Pass header.d=Example.ORG; spf=fail", "mx 2; dkim=pass", "mx 1 1; dkim=pass", "mx",
        "mx;", "; none", "mx; none; none", "mx; none;", "mx;;", "mx; ; dkim=pass", "mx; dkim=pass;", "mx; NONE",
        "mx; dkim/1=pass a.b=c a.b=d", "mx; dkim/1=pass a.b=c A.b=d", "mx; dkim/1=pass a.b=c a.c=d",
        'mx; dkim=pass header.i="a b"@x.org', 'mx; "dkim"=pass', "mx; dkim==pass", "mx; dkim=pass=x", "mx; dkim",
        "mx; dkim pass", "mx; dkim=", "mx; dkim:pass", "mx; dkim = pass",
        "mx; spf=pass smtp.ip=2001:db8::1", "mx; spf=pass smtp.ip=2001:db8::1 a=b",
        "mx; dkim=fail (not dkim=pass) header.d=x", "mx; none x", "mx; dkim=pass x", '"mx"; dkim=pass',
        "(c) mx (d) 1 (e); dkim=pass",
    ):  # fmt: skip
        yield f"{text_of(value)}: {result_of(results.read_authentication_results, value)}"
    ours, ar = "from a by mx.pbem.example with ESMTP", "authentication-results"
    good, bad = "mx.pbem.example; dkim=pass", "mx.pbem.example; dmarc=fail; spf=pass"
    other = "mx.other.example; dkim=pass"
    for fields in (
        [], [(ar, good)], [(ar, good), ("received", ours)], [("received", ours), (ar, good)],
        [("received", ours), (ar, bad)], [(ar, bad), ("received", ours)],
        [(ar, good), (ar, other), ("received", ours)], [(ar, good), (ar, bad), ("received", ours)],
        [(ar, other), (ar, other), ("received", ours)], [(ar, good), ("received", "from a by mx.other.example")],
        [("received", ours), ("received", ours), (ar, bad)], [("received", ours), ("received", "by x"), (ar, bad)],
        [("received", "by x"), (ar, bad)],
        [(ar, other), ("received", ours)], [(ar, "broken"), ("received", ours), (ar, bad)],
        [(ar, good), ("received", "by mx.pbem.example by mx.pbem.example")], [(ar, good), ("received", "from a")],
        [(ar, good), ("received", "by sub.mx.pbem.example")], [(ar, good), ("received", "by xmx.pbem.example")],
        [(ar, good), ("received", "by MX.pbem.example")], [(ar, good), ("received", "BY [192.0.2.1]")],
        [(ar, good), ("received", "by 192.0.2.1")], [(ar, good), ("received", "by localhost")],
        [(ar, good), ("received", "by [192.0.2]")], [(ar, good), ("received", "by \\")],
        [(ar, good), ("received", "(by x) by mx.pbem.example")],
        [(ar, good), ("received", "by [IPv6:2001:db8::1]")], [(ar, good), ("received", "by 2001:db8::1")],
        [("x", good), ("received", ours)], [(ar, good), ("x", ""), ("received", ours)],
        [(ar, good.upper()), ("received", ours)],
    ):  # fmt: skip
        told = [(name.replace(ar, "AR"), value) for name, value in fields]
        trusted = ["MX.pbem.example"]
        several = result_of(results.has_several_blocks, fields, trusted)
        yield f"{told}: {result_of(results.results_of_our_servers, fields, trusted)} {several}"


def fields_of_mails() -> Iterator[str]:
    """Returns the values of headers."""
    for raw in (
        b"X: a\r\n b\r\nx: c\r\n\r\n", "X: é\r\n\r\n".encode(), b"X: \xe9 \r\n\r\n", b"X:\r\n\r\n", b"Y: a\r\n\r\n",
        b"X: " + b"y" * 20_001 + b"\r\n\r\n", b"Content-X: " + b"y" * 2_001 + b"\r\n\r\n",
    ):  # fmt: skip
        message = message_from_bytes(raw, policy=headers.BOUNDED)
        for name in ("x", "content-x"):
            has = headers.has_header(message, "Z", name), headers.has_header(message, "Z")
            yield f"{text_of(raw)} {name}: {result_of(headers.header_values, message, name)} {has}"
    yield from lines_of_calls(headers.addresses_in, [
        "a@B.example", "A <a@b.example>, <c@d.example>, a@b.example", "a", "", "a@b.example <c@d.example",
        '"a@b" <c@d.example>', "grp: a@b.example, c@d.example;", " a@b.example ", "a@b.example, " * 120,
        "a@b.example," + " " * 1990, "a@b.example," + " " * 1980,
        ",".join(f"a{n}@b.example" for n in range(101)), "=?utf-8?q?a=40b?= <c@D.example>", "<a@[192.0.2.1]>", "a@b@c",
    ])  # fmt: skip
    yield from lines_of_calls(
        headers.strict_addresses, ["A@B.example, c", "a b@c.example", "(", "a@b.example <c@d.example", "a@b..example"]
    )
    yield from lines_of_calls(
        headers.loose_addresses, ["A@B.example, c", "a b@c.example", "(", "a@b.example <c@d.example", "a@b..example"]
    )
    yield from lines_of_calls(headers.has_balanced_brackets, [
        "", "a", '"', '""', "(", ")", "()", "(()", "(())", "<>", "<", ">", "<<>", "[<]", "[]", "[", "]", '"<"', '"("',
        "(<)", '(")', '("', "\\a", "\\(", "\\\\", '"\\""', "(\\))", "[(]", "[\\]]", "<(>)>", "<(>)", "<[>]", "[>]",
        "(a [b] <c>)", "<\">", "<\">\">",
    ])  # fmt: skip
    yield from lines_of_calls(headers.address_with_folded_domain, ["A@B.Example", " a@b ", "a", "a@b@C"])
    for raw in (
        b"To: =?utf-8?q?=C3=89lise?= <e@x.example>, Bob <b@x.example>, c@x.example\r\nCc: Bob <d@x.example>\r\n\r\n",
        b"To: " + b"x" * 1990 + b" <a@b>\r\n\r\n", b"To: " + b"x" * 2001 + b"\r\n\r\n", b"\r\n", b"To: ((\r\n\r\n",
        b"To: " + b", ".join(b"N%d <a@b>" % n for n in range(101)) + b"\r\n\r\n",
    ):  # fmt: skip
        message = message_from_bytes(raw, policy=headers.BOUNDED)
        yield f"{text_of(raw)}: {result_of(headers.display_names_in_headers, message, 'To', 'Cc')}"
    for raw in (
        b"S: Auto-Replied (x); a=b", b"S: no", b"S:", b"S: a b", b"S: (c) d", b"T: x", b"S: <a@b> <c@d> e <f g>",
        b"S: <" + b"x" * 250 + b">", b"S: <" + b"x" * 251 + b">", b"S: x\r\nS: y",
        b"Subject: =?utf-8?q?=C3=80?= vous\r\n de  jouer", b"Subject: =?utf-8?q?=FF?=", b"Subject: " + b"x" * 2100,
        b"Subject: a\xa0\r\n b", b"Subject: =?x?q?a?=", "Subject: é\u200b".encode(),
    ):  # fmt: skip
        message = message_from_bytes(raw + b"\r\n\r\n", policy=headers.BOUNDED)
        word, ids = headers.bare_header_value(message, "S"), headers.message_ids(message, "s")
        yield f"{text_of(raw)}: {text_of(word)} {ids} {result_of(headers.readable_subject, message)}"


AUTOMATIC = (
    "", "X-Loop: a", "X-MS-Exchange-Inbox-Rules-Loop: a", "X-MS-Exchange-Generated-Message-Source: a",
    "Auto-Submitted: no", "Auto-Submitted: auto-replied", "Auto-Submitted: No; x", "X-Autoreply: yes",
    "X-Autorespond:", "X-Auto-Reply: 1", "X-Autoreply-From: a", "X-Mail-Autoreply: a", "Precedence: bulk",
    "Precedence: junk", "Precedence: list", "Precedence: auto_reply", "Precedence: Auto-Reply",
    "Precedence: first-class", "List-Id: <a>", "List-Post: a", "List-Help: a", "List-Archive: a", "List-Subscribe: a",
    "List-Owner: a", "Mailing-List: a", "List-Unsubscribe: a", "Content-Type: multipart/report; boundary=b",
    "Content-Type: message/disposition-notification",
    "Content-Type: application/pkcs7-mime; smime-type=Signed-Receipt",
    "Content-Type: application/pkcs7-mime; smime-type=signed-data", "From: noreply@x.example",
    "From: no-reply+1@x.example", "From: do_not.answer@x.example", "From: ne-pas-repondre@x.example",
    "From: MAILER-DAEMON@x.example",
    "From: postmaster-x@x.example", "From: bounces+1@x.example", "From: nobody@x.example", "From: norepl@x.example",
    "From: noreplyx@x.example", "From: play@pbem.example", "Subject: Out of office",
    "Subject: Out of office\nX-Auto-Response-Suppress: All",
    "Subject: Re: out of office\nX-Auto-Response-Suppress: All",
    "Subject: Absence\nX-Vacation: 1", "Subject: Congés\nX-Out-Of-Office: 1", "Subject: Congésx\nX-Out-Of-Office: 1",
    "Subject: F3\nX-Auto-Response-Suppress: All",
    'Content-Type: multipart/mixed; boundary="b"\n\n--b\nContent-Type: message/disposition-notification\n\nx\n--b--',
    'Content-Type: multipart/mixed; boundary="b"\n\n--b\nContent-Type: text/plain\n\nx\n--b--',
)  # fmt: skip


def by_programs() -> Iterator[str]:
    """Returns by what a mail of a program is told."""
    for raw in AUTOMATIC:
        message = message_from_bytes(f"{raw}\n\nF3\n".encode(), policy=headers.BOUNDED)
        senders = [one for value in headers.header_values(message, "From") for one in headers.addresses_in(value)]
        found = [
            sign_of_program(message, senders, path, lambda one: one == "play@pbem.example")
            for path in (None, "", "a@x.example", "play@pbem.example")
        ]
        yield f"{text_of(raw)}: {found}"


PARTS: tuple[Part, ...] = (
    replies, around_moves, texts_asked_of_the_game, cuts, letters, texts_of_mails, heads, results_of_servers,
    fields_of_mails, by_programs
)  # fmt: skip


if __name__ == "__main__":
    FILE.write_text(whole_file("tests.features.inbox.incoming.heard", PARTS), "utf-8")
