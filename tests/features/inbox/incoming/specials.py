"""Replies that are no plain answers: in doubt, with other commands, badly quoted, or from no person at all."""

from collections.abc import Iterator

from pbem.features.inbox.incoming.commands import Command, Move, Note, Number, Order, Say, Wish
from pbem.games.allegeance import GAME as ALLEGEANCE
from pbem.games.hagakure import GAME as HAGAKURE
from pbem.games.hexen_rennen import GAME as HEXEN_RENNEN
from pbem.games.hogen import GAME as HOGEN
from pbem.games.niigata import GAME as NIIGATA
from pbem.kit.contract import AnyGame
from tests.features.inbox.incoming.corpus import Case
from tests.features.inbox.incoming.programs import (
    ORIGINAL,
    SITE,
    SITE_ADDRESS,
    gmail,
    iphone,
    mail_of_parts,
    outlook,
    quote_with,
    thunderbird,
)

ENGLISH, FRENCH = ("\n\n".join(ORIGINAL[lang]) for lang in ("en", "fr"))
DOUBTS: tuple[tuple[AnyGame, str, str], ...] = (
    (HOGEN, "call M1\n\nNo wait, call M2", "no"),
    (HOGEN, "call M1\nno wait", "no"),
    (HOGEN, "call M1\ncall T", "second-move"),
    (HOGEN, "call M1\n\ncall T", "second-move"),
    (HOGEN, "call M1\n\nHmm, on reflection: call T", "no"),
    (HOGEN, "call M1\n\nI would love to know why you think that call T is better", "second-move"),
    (HOGEN, "call M1\n\nCheers\nAlice\n\nPS: M2 M3", "second-move"),
    (HOGEN, "call M1\n\nMerci\nAlice\n\nPS : non, plutôt call M2", "no"),
    (HOGEN, "call M1?", "question"),
    (HOGEN, "call M1\n\nIs that allowed?", "question"),
    (HOGEN, "call M1\n\nQu'en penses-tu ?", "question"),
    (HOGEN, "call M or call T", "not-understood"),
    (HOGEN, "I don't know yet, I'll think about it.", "not-understood"),
    (HOGEN, "Can I play call M1 here?", "question"),
    (HOGEN, "Nice weather today.\ncall M1", "not-understood"),
    (HOGEN, "Hi,\nit was a great round.\n\ncall M1", "not-understood"),
    (HAGAKURE, "Thanks, but not yet.\n\n19", "not-understood"),
    (HAGAKURE, "Thanks for 18\n\n19", "not-understood"),
    (HAGAKURE, "Thanks for what?\n\n19", "question"),
    (HOGEN, "Bonjour", "no-command"),
    (HOGEN, "Thanks!", "no-command"),
    (HOGEN, "F1", "not-understood"),
    (HOGEN, "call F5", "not-understood"),
    (HOGEN, "call M1\n2", "second-move"),
    (HOGEN, "2?", "question"),
    (HOGEN, "say", "empty"),
    (HOGEN, "order", "empty"),
    (HOGEN, "order call M when?", "question"),
    (HOGEN, "unsubscribe", "not-understood"),
    (NIIGATA, "N20\n\nAttends, je me suis trompée", "no"),
    (NIIGATA, "N20\nN21", "second-move"),
    (NIIGATA, "N20\nN20 1N r1", "second-move"),
    (NIIGATA, "stop", "two-meanings"),
    (NIIGATA, "N20\n\nJe ne sais pas si c'est bon", "no"),
    (NIIGATA, "N20\n\nEn fait N21", "no"),
    (NIIGATA, "N80", "not-understood"),
    (HAGAKURE, "19\n\nI mean 18", "no"),
    (HAGAKURE, "19\n18", "second-move"),
    (HAGAKURE, "19\n\nI could have played 18", "second-move"),
    (HAGAKURE, "cancel", "two-meanings"),
    (HAGAKURE, "No, thanks!", "two-meanings"),
    (HAGAKURE, "Hello, no thanks", "two-meanings"),
    (HAGAKURE, "at 19", "two-meanings"),
    (HAGAKURE, "not 19", "not-understood"),
    (HAGAKURE, "I play 19 tomorrow", "not-understood"),
    (NIIGATA, "I'm done", "two-meanings"),
    (NIIGATA, "don't take N20", "not-understood"),
    (HAGAKURE, "19\nF", "second-move"),
    (HEXEN_RENNEN, "play 5\nplay 6", "second-move"),
    (HEXEN_RENNEN, "play 5\nNein, warte", "no"),
    (HEXEN_RENNEN, "play 5\n\nLieber play 6", "no"),
    (HEXEN_RENNEN, "play 5\n\nMejor play 6", "no"),
    (HEXEN_RENNEN, "10", "number"),
    (ALLEGEANCE, "F1\nnon", "second-move"),
    (ALLEGEANCE, "oui ?", "question"),
)  # fmt: skip
"""What is typed, and the doubt that it leaves."""

WRAPPED = ("This is a rather long sentence about the last round, which my program", "has wrapped")
COMMANDS: tuple[tuple[AnyGame, str, tuple[Command, ...]], ...] = (
    (HOGEN, "call M1\ncall M1", (Move(("call M1",)),)),
    (HOGEN, "call M1\n\nCall m1.", (Move(("call M1",)),)),
    (HOGEN, "call M1\nsay Good game! Another one?", (Move(("call M1",)), Say("Good game! Another one?"))),
    (HOGEN, "dire Bien joué !\nnote garder M2", (Say("Bien joué !"), Note("garder M2"))),
    (HOGEN, "2", (Number(2),)),
    (HOGEN, "Bonjour,\n\nchoix 2\n\nAlice", (Number(2),)),
    (HOGEN, "say M2", (Say("M2"),)),
    (HOGEN, "dire : call M2", (Say("call M2"),)),
    (ALLEGEANCE, "say F1", (Say("F1"),)),
    (ALLEGEANCE, "dis F1\nF2", (Say("F1"), Move(("F2",)))),
    (NIIGATA, "note N20", (Note("N20"),)),
    (HOGEN, "Thanks for the reminder!\n\ncall M1", (Move(("call M1",)),)),
    (HOGEN, "Merci pour la dernière manche.\ncall M1", (Move(("call M1",)),)),
    (HAGAKURE, "Hi Bob, hope you are well!\n\n19", (Move(("19",)),)),
    (HAGAKURE, "Szia,\n\n19", (Move(("19",)),)),
    (HOGEN, "order always call call M", (Order("always call call M"),)),
    (HOGEN, "Consigne : toujours M", (Order("toujours M"),)),
    (HOGEN, "stop orders", (Wish.STOP_ORDERS,)),
    (HOGEN, "ARRÊTER LES CONSIGNES", (Wish.STOP_ORDERS,)),
    (HOGEN, "help", (Wish.HELP,)),
    (HOGEN, "Aide !", (Wish.HELP,)),
    (HOGEN, "Renvoyer", (Wish.AGAIN,)),
    (HOGEN, "again\n\nAlice", (Wish.AGAIN,)),
    (HOGEN, "mute", (Wish.MUTE,)),
    (HOGEN, "Muet", (Wish.MUTE,)),
    (HOGEN, "call M1\n\nI am off to the mountains, back on Sunday evening.", (Move(("call M1",)),)),
    (NIIGATA, "Je joue N38; pose N38 1N.2E r1", (Move(("N38", "pose N38 1N.2E r1")),)),
    (NIIGATA, "Le roi est mort, vive le roi.", ()),
    (HOGEN, "say " + "\n".join(WRAPPED), (Say(" ".join(WRAPPED)),)),
)  # fmt: skip
"""What is typed, and the commands that it gives; () if it leaves a doubt."""

NOTICES = (
    "This e-mail and any attachments are confidential and intended solely for the recipient. If you are not the "
    "intended recipient, do not read it. Do you need to print it?",
    "Ce message est confidentiel et réservé à son destinataire. Si vous n'êtes pas le destinataire, ne pas lire.",
    "Diese E-Mail ist vertraulich. Wenn Sie nicht der richtige Adressat sind, löschen Sie sie bitte.",
    "Pensez à l'environnement : n'imprimez ce message que si c'est nécessaire. Non ?",
)


def in_doubt() -> Iterator[Case]:
    """Yields what may be meant otherwise, sent by two programs each."""
    for game, typed, doubt in DOUBTS:
        expected: tuple[Command, ...] = (Number(int(typed)),) if doubt == "number" else ()
        for reply in (gmail, outlook):
            title = f"doubt-{reply.__name__}-{' '.join(typed.split())}"
            yield Case(title, game, reply(typed, "en", ENGLISH), expected, () if expected else (doubt,))


def with_commands() -> Iterator[Case]:
    """Yields other commands than moves, and some around which much is said."""
    for game, typed, commands in COMMANDS:
        for reply in (iphone, thunderbird):
            title = f"command-{reply.__name__}-{' '.join(typed.split())}"
            doubts = () if commands else ("not-understood",)
            yield Case(title, game, reply(typed, "fr", FRENCH), commands, doubts)


def oddly_quoted() -> Iterator[Case]:
    """Yields replies whose quotes stand where they should not."""
    move = (Move(("call M1",)),)
    above = f"Le lun. 3 mars 2026 à 10:00, {SITE} <{SITE_ADDRESS}> a écrit :"
    yield Case(
        "bottom", HOGEN, mail_of_parts(f"{above}\n{quote_with(FRENCH)}\n\ncall M1\n").as_bytes(), (), ("nothing-above",)
    )
    yield Case(
        "bottom-bare", HOGEN, mail_of_parts(f"{quote_with(ENGLISH)}\n\ncall M1\n").as_bytes(), (), ("nothing-above",)
    )
    inline = f"{quote_with('Call a clan, a rank or a card:')}\n\ncall M1\n\n{quote_with('Open the board')}\n"
    yield Case("inline", HOGEN, mail_of_parts(inline).as_bytes(), (), ("nothing-above",))
    forwarded = f"---------- Forwarded message ---------\nFrom: {SITE} <{SITE_ADDRESS}>\nDate: Tue\n\n{ENGLISH}"
    yield Case("forwarded", HOGEN, mail_of_parts(forwarded).as_bytes(), (), ("nothing-above",))
    forwarded = f"call M1\n\nDébut du message transféré :\n\nDe: {SITE}\nObjet: à vous\n\n{FRENCH}"
    yield Case("forwarded-below-a-move", HOGEN, mail_of_parts(forwarded).as_bytes(), move)
    yield Case("only-a-quote", HOGEN, gmail("", "en", ENGLISH), (), ("nothing-above",))
    yield Case("nothing", HOGEN, mail_of_parts("\n\n").as_bytes(), (), ("empty",))
    yield Case("no-quote", HOGEN, mail_of_parts("call M1").as_bytes(), move)
    story = f"Le 4, j'ai vu Bob.\ncall M1\n\n{above}\n{quote_with(FRENCH)}"
    yield Case("paragraph-with-le", HOGEN, mail_of_parts(story).as_bytes(), (), ("not-understood",))
    story = f"call M1\n\nLe chat de Bob dort.\nIl est content.\n\n{above}\n{quote_with(FRENCH)}"
    yield Case("le-below-a-move", HOGEN, mail_of_parts(story).as_bytes(), move)
    plain = f"call M1\n\n{ENGLISH}\n\nNo, call M2"
    yield Case("delimiter-without-quote", HOGEN, mail_of_parts(plain).as_bytes(), move)
    wrapped = f"call M1\n\nLe lun. 3 mars 2026 à\n10:00, {SITE}\n<{SITE_ADDRESS}> a écrit :\n\n{FRENCH}"
    yield Case("broken-over-three", HOGEN, mail_of_parts(wrapped).as_bytes(), move)
    delimiter = "call M1\n\n> — Répondez au-dessus de cette\n> ligne —\n> call M2"
    yield Case("delimiter-wrapped", HOGEN, mail_of_parts(delimiter).as_bytes(), move)
    long = delimiter.replace("> ", "") + "\nmore" * 12
    yield Case("delimiter-wrapped-far-from-the-end", HOGEN, mail_of_parts(long).as_bytes(), move)
    for number, notice in enumerate(NOTICES):
        raw = mail_of_parts(
            f"call M1\n\nAlice Martin\nExample Ltd\n\n{notice}\n\n{above}\n{quote_with(FRENCH)}"
        ).as_bytes()
        yield Case(f"notice-{number}", HOGEN, raw, move, plain=True)


def strange_mails() -> Iterator[Case]:
    """Yields strange parts, charsets and encodings."""
    move = (Move(("call M1",)),)
    latin = mail_of_parts("j'appelle M1\n\nà bientôt\n", charset="iso-8859-1", cte="8bit").as_bytes()
    yield Case("latin", HOGEN, latin, move, plain=True)
    yield Case("unknown-charset", HOGEN, latin.replace(b"iso-8859-1", b"x-unknown-7"), move, plain=True)
    yield Case("charset-of-python", HOGEN, latin.replace(b'"iso-8859-1"', b"punycode"), move, plain=True)
    yield Case("claims-utf-8", HOGEN, latin.replace(b"iso-8859-1", b"utf-8"), move, plain=True)
    broken = mail_of_parts("call M1\n", cte="base64").as_bytes().replace(b"base64", b"x-uue-64")
    yield Case("unknown-encoding", HOGEN, broken, (), ("not-understood",))
    flowed = mail_of_parts("say One two three \nfour.\ncall M1\n-- \nAlice\n", cte="7bit")
    flowed.set_param("format", "flowed")
    yield Case("flowed", HOGEN, flowed.as_bytes(), (Say("One two three four."), *move))
    flowed.set_param("delsp", "yes")
    yield Case("flowed-delsp", HOGEN, flowed.as_bytes(), (Say("One two threefour."), *move))
    spaced = mail_of_parts("call\u00a0M1\u200b\n\u2060\nAlice\n").as_bytes()
    yield Case("blanks-that-are-none", HOGEN, spaced, move, plain=True)
    attached = mail_of_parts("call M1\n")
    attached.add_attachment(b"call M2", maintype="text", subtype="plain", filename="moves.txt")
    attached.add_attachment(b"\x78\x9f\x3e\x22", maintype="application", subtype="ms-tnef", filename="winmail.dat")
    yield Case("attachments", HOGEN, attached.as_bytes(), move)
    yield Case("signed", HOGEN, SIGNED, move, plain=True)
    sealed = mail_of_parts(None)
    sealed.set_content(b"\x30\x80\x06\x09", maintype="application", subtype="pkcs7-mime", filename="smime.p7m")
    yield Case("sealed", HOGEN, sealed.as_bytes(), (), ("empty",))
    hidden = '<p>call M1</p><p style="display:none">call M2</p><script>call M3</script><!-- call M4 -->'
    yield Case("hidden", HOGEN, mail_of_parts(None, hidden).as_bytes(), move, plain=True)
    yield Case(
        "badly-closed",
        HOGEN,
        mail_of_parts(None, "<div><b>call M1</div></b><blockquote>call M2").as_bytes(),
        move,
        plain=True,
    )
    table = "<table><tr><td>call M1</td></tr></table><hr><p>call M2</p>"
    yield Case("table", HOGEN, mail_of_parts(None, table).as_bytes(), move, plain=True)


SIGNED = (
    b"From: Alice <alice@example.com>\r\nTo: play+x@example.org\r\nMIME-Version: 1.0\r\nContent-Type: multipart/"
    b'signed; boundary="b"; protocol="application/pkcs7-signature"\r\n'
    b"\r\n--b\r\nContent-Type: text/plain\r\n\r\ncall M1\r\n"
    b"\r\n--b\r\nContent-Type: application/pkcs7-signature; name=smime.p7s\r\n"
    b"Content-Transfer-Encoding: base64\r\n\r\nMIAG\r\n--b--\r\n"
)
