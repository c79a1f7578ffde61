"""Replies that others have seen in public bug reports of mail programs and of services like this one."""

from collections.abc import Iterator

from pbem.features.inbox.incoming.commands import Command, Move, Say
from pbem.games.hagakure import GAME as HAGAKURE
from pbem.games.hogen import GAME as HOGEN
from pbem.games.niigata import GAME as NIIGATA
from pbem.kit.contract import AnyGame
from tests.features.inbox.incoming.corpus import Case
from tests.features.inbox.incoming.programs import ORIGINAL, SITE_ADDRESS, quote_with

QUOTE = quote_with("\n\n".join(ORIGINAL["en"]))
BARE = "\n\n".join(ORIGINAL["en"])
HEAD = (
    f"From: Alice Martin <alice@example.com>\r\nTo: pbem <{SITE_ADDRESS}>\r\nSubject: Re: your turn\r\n"
    "Message-ID: <reply-1@example.com>\r\nMIME-Version: 1.0\r\n"
)
PLAYED, TAKEN = (Move(("19",)),), (Move(("N38",)),)
WHO = f"pbem <{SITE_ADDRESS}>"
TEXTS: tuple[tuple[str, AnyGame, str, tuple[Command, ...]], ...] = (
    ("nl-iphone", HAGAKURE, f"19\n\nOp 3 mrt 2026 om 10:00 heeft {WHO} het volgende geschreven:\n\n{QUOTE}", PLAYED),
    ("no-gmail", NIIGATA, f"N38\n\ntir. 3. mar. 2026 kl. 10:00 skrev {WHO}:\n\n{QUOTE}", TAKEN),
    ("pt-iphone", HAGAKURE, f"19\n\nNo dia 3 de mar. de 2026, às 10:00, {WHO} escreveu:\n\n{QUOTE}", PLAYED),
    ("tuta", NIIGATA, f"N38\n\n3 Mar 2026, 10:00 by {SITE_ADDRESS}:\n\n{QUOTE}", TAKEN),
    ("no-colon", HAGAKURE, f"19\n\n3 Mar pbem <{SITE_ADDRESS}>\n\n{QUOTE}", PLAYED),
    (
        "sv-outlook", HAGAKURE,
        f"19\n\nFrån: {WHO}\nSkickat: den 3 mars 2026 10:00\nTill: Alice <alice@example.com>\nÄmne: your turn"
        f"\n\n{BARE}",
        PLAYED,
    ),
    (
        "four-lines", HAGAKURE,
        "19\n\nOn Tuesday, March 3, 2026 at 10:00:00 AM\nGMT+1, The basins of Niigata, by mail\n"
        f"<{SITE_ADDRESS}>\nwrote:\n\n{QUOTE}", PLAYED,
    ),
    (
        "samsung-glued", HAGAKURE,
        f"19Sent from my Galaxy smartphone\n-------- Original message --------From: {WHO} Date: 3/3/26  10:00 AM  "
        f"(GMT-06:00) To: alice@example.com Subject: your turn \n{BARE}", PLAYED,
    ),
    ("banner", HAGAKURE, f"[CAUTION: external sender. Do not open attachments.]\n\n19\n\n{QUOTE}", PLAYED),
    ("banner-fenced", HAGAKURE, f"-----\nExternal mail, 100% risk\n-----\n\n19\n\n{QUOTE}", PLAYED),
    ("banner-shouted", HAGAKURE,
     f"CAUTION: This email originated from outside. Do not click links.\n\n19\n\n{QUOTE}", PLAYED),
    ("no-banner", HAGAKURE, f"[please ignore what follows]\n\n19\n\n{QUOTE}", ()),
    ("device-with-a-number", HAGAKURE, f"19\n\nSkickat från min iPhone 15\n\n{QUOTE}", PLAYED),
    ("device-with-a-move", HAGAKURE, f"19\n\n18 is better, sent from my iPhone 15\n\n{QUOTE}", ()),
    ("name-alone", HAGAKURE, f"19\n\nOn Mon, Mar 3 at 10:00 AM The basins of Niigata wrote:\n\n{QUOTE}", PLAYED),
    (
        "block-without-addresses", HAGAKURE,
        f"19\n\nVon: Rund um die Becken\nGesendet: 3. März 2026 10:00\nAn: Alice\nBetreff: your turn\n\n{BARE}", PLAYED,
    ),
    ("device-that-is-none", HAGAKURE, f"19\n\nNo iPhone 18 either\n\n{QUOTE}", ()),
    (
        "pgp", HAGAKURE,
        f"-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA512\n\n19\n\n- -- \nAlice\n\n{quote_with(QUOTE)}\n"
        "-----BEGIN PGP SIGNATURE-----\n\niQIzBAEBCgAdFiEE19\n=20N3\n-----END PGP SIGNATURE-----\n", PLAYED,
    ),
    ("own-line", HAGAKURE, f"19\n{QUOTE}", PLAYED),
    ("own-line-in-dashes", HAGAKURE, f"19\n\n--- no, wait ---\n\n{QUOTE}", ()),
    ("own-line-with-a-day", HAGAKURE, f"19\n\nNo, see my mail of 3/3/2026:\n\n{QUOTE}", ()),
    ("below-a-device", HAGAKURE, f"19\n\nSent from my iPhone\n\nNo, 18\n\n{QUOTE}", ()),
)  # fmt: skip
ODDLY_ENCODED: tuple[tuple[str, AnyGame, bytes, bytes, tuple[Command, ...]], ...] = (
    ("qp-blank", HOGEN, b'; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable', b"call=20=  \r\nM1",
     (Move(("call M1",)),)),
    ("jp-undeclared", HOGEN, b"", "say ありがとう、たのしいね".encode("iso2022_jp"), (Say("ありがとう、たのしいね"),)),
    ("jp-windows", HOGEN, b"; charset=iso-2022-jp", b"say \x1b$B-!2sL\\$N\x1b(B", (Say("①回目の"),)),
    ("gbk", HOGEN, b"; charset=gb2312", "say 谢谢镕".encode("gbk"), (Say("谢谢镕"),)),
    ("uhc", HOGEN, b"; charset=ks_c_5601-1987", "say 뷁 감사".encode("cp949"), (Say("뷁 감사"),)),
    ("bad-byte", HOGEN, b"; charset=utf-8", "j'appelle un samouraï de rang 4\n\n-- \nUniversit".encode() + b"\xe9",
     (Move(("j'appelle un samouraï de rang 4",)),)),
    ("bad-byte-undeclared", HOGEN, b"", "say À bientôt, ça va".encode() + b"\xe9", (Say("À bientôt, ça va\ufffd"),)),
    ("latin-undeclared", HOGEN, b"", "say À bientôt, ça va".encode("cp1252"), (Say("À bientôt, ça va"),)),
    ("latin-as-utf-8", HOGEN, b"; charset=utf-8", "say À bientôt, ça va".encode("cp1252"), (Say("À bientôt, ça va"),)),
    ("utf-16", HOGEN, b"; charset=utf-16\r\nContent-Transfer-Encoding: base64", b"/v8AcwBhAHkAIADp", (Say("é"),)),
)  # fmt: skip


def reports() -> Iterator[Case]:
    """Yields them; a plain answer is to be played."""
    for title, game, text, commands in TEXTS:
        head = f"{HEAD}Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n\r\n"
        yield Case(f"reported-{title}", game, (head + text).encode(), commands, plain=bool(commands))
    for title, game, rest, octets, commands in ODDLY_ENCODED:
        raw = f"{HEAD}Content-Type: text/plain".encode() + rest + b"\r\n\r\n" + octets + b"\r\n"
        yield Case(f"reported-{title}", game, raw, commands, plain=True)
