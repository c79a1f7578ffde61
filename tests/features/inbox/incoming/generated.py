"""Replies in the shapes of some forty mail programs and in some twenty languages, put together from tables."""

import base64
import html
import quopri
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from email import policy
from itertools import cycle

from pbem.features.inbox.incoming.commands import Move
from pbem.games.hagakure import GAME as HAGAKURE
from pbem.games.niigata import GAME as NIIGATA
from tests.features.inbox.incoming import specials
from tests.features.inbox.incoming.corpus import MOVES, Case
from tests.features.inbox.incoming.programs import (
    ORIGINAL,
    PLAYER_ADDRESS,
    SITE,
    SITE_ADDRESS,
    mail_of_parts,
    quote_with,
)


@dataclass(frozen=True)
class Words:
    """What mail programs write in a language. `{}` in `wrote` and `phone` is who wrote the quoted mail.

    `sent` is the line of a device, `labels` are From, Sent, To, Subject; `around` is what people write around a move.
    """

    wrote: str
    phone: str
    day: str
    labels: tuple[str, str, str, str]
    original: str
    sent: str
    around: tuple[str, str]
    charset: str = "windows-1252"
    named: str = ""


LANGUAGES: Mapping[str, Words] = {
    "en": Words("On Tue, Mar 3, 2026 at 10:00 AM {} wrote:", "On Mar 3, 2026, at 10:00, {} wrote:",
        "Tuesday, March 3, 2026 10:00 AM", ("From", "Sent", "To", "Subject"), "Original Message", "Sent from my {}",
        ("Hi,", "Thanks,")),
    "fr": Words("Le mar. 3 mars 2026 à 10:00, {} a écrit :", "Le 3 mars 2026 à 10:00, {} a écrit :",
        "mardi 3 mars 2026 10:00", ("De", "Envoyé", "À", "Objet"), "Message d'origine", "Envoyé de mon {}",
        ("Bonjour,", "Merci,")),
    "de": Words("Am Di., 3. März 2026 um 10:00 Uhr schrieb {}:", "Am 03.03.2026 um 10:00 schrieb {}:",
        "Dienstag, 3. März 2026 10:00", ("Von", "Gesendet", "An", "Betreff"), "Ursprüngliche Nachricht",
        "Von meinem {} gesendet", ("Hallo,", "Danke,")),
    "es": Words("El mar, 3 mar 2026 a las 10:00, {} escribió:", "El 3 mar 2026, a las 10:00, {} escribió:",
        "martes, 3 de marzo de 2026 10:00", ("De", "Enviado el", "Para", "Asunto"), "Mensaje original",
        "Enviado desde mi {}", ("Hola,", "Gracias,")),
    "it": Words("Il giorno mar 3 mar 2026 alle ore 10:00 {} ha scritto:",
        "Il giorno 3 mar 2026, alle ore 10:00, {} ha scritto:", "martedì 3 marzo 2026 10:00",
        ("Da", "Inviato", "A", "Oggetto"), "Messaggio originale", "Inviato da {}", ("Ciao,", "Grazie,")),
    "pt": Words("{} escreveu (terça, 3/03/2026 à(s) 10:00):", "No dia 3 de mar. de 2026, às 10:00, {} escreveu:",
        "terça-feira, 3 de março de 2026 10:00", ("De", "Enviada em", "Para", "Assunto"), "Mensagem original",
        "Enviado do meu {}", ("Olá,", "Obrigada,")),
    "nl": Words("Op di 3 mrt 2026 om 10:00 schreef {}:", "Op 3 mrt 2026 om 10:00 heeft {} het volgende geschreven:",
        "dinsdag 3 maart 2026 10:00", ("Van", "Verzonden", "Aan", "Onderwerp"), "Oorspronkelijk bericht",
        "Verstuurd vanaf mijn {}", ("Hoi,", "Bedankt,")),
    "sv": Words("Den tis 3 mars 2026 kl 10:00 skrev {}:", "3 mars 2026 kl. 10:00 skrev {}:", "den 3 mars 2026 10:00",
        ("Från", "Skickat", "Till", "Ämne"), "Originalmeddelande", "Skickat från min {}", ("Hej,", "Tack,")),
    "no": Words("tir. 3. mar. 2026 kl. 10:00 skrev {}:", "3. mars 2026 kl. 10:00 skrev {}:",
        "tirsdag 3. mars 2026 10:00", ("Fra", "Sendt", "Til", "Emne"), "Opprinnelig melding", "Sendt fra min {}",
        ("Hei,", "Takk,")),
    "da": Words("Den tir. 3. mar. 2026 kl. 10.00 skrev {}:", "Den 3. mar. 2026 kl. 10.00 skrev {}:",
        "3. marts 2026 10:00", ("Fra", "Sendt", "Til", "Emne"), "Oprindelig meddelelse", "Sendt fra min {}",
        ("Hej,", "Tak,")),
    "fi": Words("ti 3. maalisk. 2026 klo 10.00 {} kirjoitti:", "{} kirjoitti 3.3.2026 kello 10.00:",
        "tiistai 3. maaliskuuta 2026 10.00", ("Lähettäjä", "Lähetetty", "Vastaanottaja", "Aihe"),
        "Alkuperäinen viesti", "Lähetetty {}sta", ("Hei,", "Kiitos,")),
    "pl": Words("wt., 3 mar 2026 o 10:00 {} napisał(a):",
        "Wiadomość napisana przez {} w dniu 3 mar 2026, o godz. 10:00:", "wtorek, 3 marca 2026 10:00",
        ("Od", "Wysłano", "Do", "Temat"), "Oryginalna wiadomość", "Wysłane z {}a", ("Cześć,", "Dzięki,"),
        charset="iso-8859-2"),
    "cs": Words("út 3. 3. 2026 v 10:00 odesílatel {} napsal:", "3. 3. 2026 v 10:00, {}:",
        "úterý 3. března 2026 10:00", ("Od", "Odesláno", "Komu", "Předmět"), "Původní zpráva", "Odesláno z {}u",
        ("Ahoj,", "Díky,"), charset="windows-1250"),
    "hu": Words("{} ezt írta (időpont: 2026. márc. 3., K, 10:00):",
        "{} írta (2026. márc. 3. dátummal, 10:00 időpontban):", "2026. március 3., kedd 10:00",
        ("Feladó", "Elküldve", "Címzett", "Tárgy"), "Eredeti üzenet", "{}-ról küldve", ("Szia,", "Köszönöm,"),
        charset="iso-8859-2"),
    "tr": Words("{}, 3 Mar 2026 Sal, 10:00 tarihinde şunu yazdı:", "{} şunları yazdı (3 Mar 2026 10:00):",
        "3 Mart 2026 Salı 10:00", ("Kimden", "Gönderildi", "Kime", "Konu"), "Özgün İleti", "{}'umdan gönderildi",
        ("Merhaba,", "Teşekkürler,"), charset="windows-1254", named="iso-8859-9"),
    "el": Words("Στις Τρί 3 Μαρ 2026 στις 10:00 π.μ., ο/η {} έγραψε:", "Στις 3 Μαρ 2026, 10:00, ο χρήστης {} έγραψε:",
        "Τρίτη, 3 Μαρτίου 2026 10:00", ("Από", "Στάλθηκε", "Προς", "Θέμα"), "Αρχικό μήνυμα", "Στάλθηκε από το {} μου",
        ("Γεια,", "Ευχαριστώ,"), charset="windows-1253"),
    "ru": Words("вт, 3 мар. 2026 г. в 10:00, {}:", "3 марта 2026 г., в 10:00, {} написал(а):",
        "вторник, 3 марта 2026 г. 10:00", ("От", "Отправлено", "Кому", "Тема"), "Исходное сообщение",
        "Отправлено с {}", ("Привет,", "Спасибо,"), charset="koi8-r"),
    "uk": Words("вт, 3 бер. 2026 р. о 10:00 {} пише:", "3 бер. 2026 р. о 10:00 {} написав(-ла):",
        "вівторок, 3 березня 2026 р. 10:00", ("Від", "Надіслано", "Кому", "Тема"), "Оригінал повідомлення",
        "Надіслано з {}", ("Привіт,", "Дякую,"), charset="windows-1251"),
    "ar": Words("في الثلاثاء، ٣ مارس ٢٠٢٦ في ١٠:٠٠ ص تمت كتابة ما يلي بواسطة {}:",
        "في ٣ مارس ٢٠٢٦، الساعة ١٠:٠٠، كتب {}:", "الثلاثاء، 3 مارس 2026 10:00",
        ("من", "تم الإرسال", "إلى", "الموضوع"), "الرسالة الأصلية", "أُرسلت من الـ {} الخاص بي", ("مرحبا،", "شكرا،"),
        charset="windows-1256"),
    "he": Words("\u202bבתאריך יום ג׳, 3 במרץ 2026 ב-10:00 מאת \u202a{}\u202c\u200f:\u202c",
        "ב-3 במרץ 2026, בשעה 10:00, \u200f{} כתב/ה:", "יום שלישי 03 מרץ 2026 10:00", ("מאת", "נשלח", "אל", "נושא"),
        "הודעה מקורית", "נשלח מה-{} שלי", ("שלום,", "תודה,"), charset="windows-1255"),
    "ja": Words("2026年3月3日(火) 10:00 {}:", "2026/03/03 10:00、{}のメール:", "2026年3月3日火曜日 10:00",
        ("差出人", "送信日時", "宛先", "件名"), "元のメッセージ", "{}から送信", ("こんにちは", "ありがとう"),
        charset="iso2022_jp",
        named="iso-2022-jp"),
    "zh": Words("{} 于2026年3月3日周二 10:00写道：", "在 2026年3月3日，10:00，{} 写道：", "2026年3月3日 10:00",
        ("发件人", "发送时间", "收件人", "主题"), "原始邮件", "发自我的 {}", ("你好，", "谢谢"),
        charset="gbk", named="gb2312"),
    "ko": Words("2026년 3월 3일 (화) 오전 10:00, {}님이 작성:", "2026. 3. 3. 오전 10:00, {} 작성:",
        "2026년 3월 3일 화요일 오전 10:00",
        ("보낸 사람", "보낸 날짜", "받는 사람", "제목"), "원본 메시지", "나의 {}에서 보냄",
        ("안녕하세요,", "감사합니다,"),
        charset="cp949",
        named="ks_c_5601-1987"),
}  # fmt: skip
WHO = f"{SITE} <{SITE_ADDRESS}>"
SUBJECT = "Hogen, à vous : Bob a joué"


def _attribution(style: str, words: Words) -> str:
    """Returns the line above a quote: `phone` and `wrote` by language, others as some programs write them in all."""
    return {
        "wrote": words.wrote.format(WHO),
        "phone": words.phone.format(WHO),
        "name": words.phone.format(SITE),
        "quotes": words.wrote.format(f'"{SITE}" <{SITE_ADDRESS}>'),
        "address": words.phone.format(SITE_ADDRESS),
        "no-verb": f"3 Mar 2026, 10:00 by {SITE_ADDRESS}:",
        "iso": f"2026-03-03 10:00 GMT+01:00 {WHO}:",
        "numbers": f"03/03/2026 10:00, {WHO}:",
        "no-date": f"{WHO}:",
        "wide": words.wrote.format(WHO).replace("10:00", "10:00:00 GMT+1"),
    }[style]


def _quote_block(words: Words, mark: str = "{}:", order: str = "fstu") -> str:
    start, sent, to, about = (mark.format(label) for label in words.labels)
    lines = {
        "f": f"{start} {WHO}",
        "s": f"{sent} {words.day}",
        "t": f"{to} Alice <{PLAYER_ADDRESS}>",
        "u": f"{about} {SUBJECT}",
    }
    return "\n".join(lines[one] for one in order)


@dataclass(frozen=True)
class Program:
    """How a mail program writes a reply.

    `above`: what stands above the quote: the style of an attribution, "block" or "" (nothing). `head` is a line over
    the block, in which `{}` is "Original message". `mark` stands before each quoted line, `device` is a product, in the
    device line. `wrap`: how long lines are. `page` puts typed text, what stands above the
    quote, and the quote into HTML; `text` says whether there is plain text besides.
    """

    above: str = "wrote"
    head: str = ""
    mark: str = "> "
    device: str = ""
    wrap: int = 0
    page: str = ""
    text: bool = True
    label: str = "{}:"
    order: str = "fstu"
    charset: str = "utf-8"
    flowed: bool = False
    tight: bool = False


PROGRAMS: Mapping[str, Program] = {
    "Gmail": Program(wrap=72,
        page="<div dir=\"auto\">{typed}</div><br><div class=\"gmail_quote\"><div class=\"gmail_attr\">"
        "{above}</div><blockquote>{quote}</blockquote></div>"),
    "Gmail Android": Program(wrap=72, tight=True),
    "Gmail iOS": Program(page="<div>{typed}</div><div><br><div class=gmail_quote_container>{above}<br><blockquote>"
        "{quote}</blockquote></div></div>", text=False),
    "iOS Mail": Program(above="phone", device="iPhone"),
    "iOS Mail, HTML": Program(above="phone", device="iPhone",
        page="<html><body dir=\"auto\">{typed}<br id=\"lineBreakAtBeginningOfSignature\"><div dir=\"ltr\">"
        "{device}</div><div dir=\"ltr\"><br><blockquote type=\"cite\">{above}<br><br></blockquote></div>"
        "<blockquote type=\"cite\"><div>{quote}</div></blockquote></body></html>", text=False),
    "Apple Mail": Program(above="phone",
        page="<div>{typed}</div><div><br><blockquote type=\"cite\"><div>{above}</div><br><div>{quote}</div>"
        "</blockquote></div>"),
    "Outlook classic": Program(above="block", mark=""),
    "Outlook, HTML": Program(above="block", mark="",
        page="<div class=\"WordSection1\">{typed}<div style=\"border:none;border-top:solid #E1E1E1 "
        "1.0pt;padding:3.0pt 0cm 0cm 0cm\"><p class=\"MsoNormal\">{above}</p></div>{quote}</div>", text=False),
    "Outlook new": Program(above="block", head="________________________________", mark="",
        page="<div>{typed}</div><hr style=\"display:inline-block;width:98%\"><div id=\"divRplyFwdMsg\">"
        "{above}</div>{quote}"),
    "Outlook mobile": Program(above="block", head="________________________________", mark="",
        device="Outlook for iOS<https://aka.ms/o0ukef>"),
    "Outlook.com": Program(above="block", head="________________________________", mark="", label="{}: "),
    "Thunderbird": Program(above="name", flowed=True),
    "Thunderbird, HTML": Program(above="name",
        page="{typed}<br><div class=\"moz-cite-prefix\">{above}<br></div><blockquote type=\"cite\" "
        "cite=\"mid:x\">{quote}</blockquote>", text=False),
    "K-9": Program(above="wide", device="K-9 Mail", tight=True),
    "FairEmail": Program(above="no-date",
        page="<div>{typed}</div><br><div><p>{above}</p><blockquote>{quote}</blockquote></div>"),
    "Tuta": Program(above="no-verb",
        page="<div>{typed}</div><div><br></div><div>-- <br>Tuta</div><div>{above}<br></div><blockquote "
        "class=\"tutanota_quote\">{quote}</blockquote>"),
    "Proton": Program(device="Proton Mail"),
    "Yahoo": Program(above="wide", mark="  ", device="Yahoo Mail", wrap=44),
    "Yahoo, HTML": Program(above="wide",
        page="<div>{typed}</div><div class=\"ydp1yahoo_quoted\"><div>{above}</div>{quote}</div>", text=False),
    "GMX": Program(above="block", mark="",
        page="<div>{typed}</div><div name=\"quote\" style=\"margin:10px\"><div>{above}</div><div "
        "name=\"quoted-content\">{quote}</div></div>", text=False, order="sftu"),
    "web.de": Program(above="phone", mark="", device="WEB.DE Mail"),
    "Orange": Program(above="block", head="> {}", label="> {} :", order="sftu"),
    "Free": Program(above="block", head="----- {} -----", mark="", order="ftsu"),
    "La Poste": Program(above="block", head="--------------------------", mark="", label="{} :"),
    "Samsung": Program(above="block", head="-------- {} --------", mark="", device="Galaxy"),
    "Mutt": Program(above="iso"),
    "Alpine": Program(wrap=60),
    "Notes": Program(above="block", mark="", label="{}:\t", order="ftsu"),
    "Notes, classic": Program(above="numbers", mark=""),
    "BlackBerry": Program(above="block", head="-----{}-----", mark="", device="BlackBerry"),
    "Roundcube": Program(above="name", wrap=72),
    "Horde": Program(above="quotes"),
    "eM Client": Program(above="block", head="------ {} ------", mark=""),
    "Spark": Program(device="Spark",
        page="<div>{typed}</div><div>{device}</div><div class=messageReplySection>{above}<blockquote>"
        "{quote}</blockquote></div>"),
    "Airmail": Program(above="phone",
        page="<div>{typed}</div><br><p class=\"airmail_on\">{above}</p><blockquote type=\"cite\" "
        "class=\"clean_bq\">{quote}</blockquote>"),
    "Mailspring": Program(device="Mailspring"),
    "Evolution": Program(wrap=71, tight=True),
    "KMail": Program(tight=True),
    "Claws": Program(above="wide", tight=True),
    "Zoho": Program(above="wide", head="---- On Tue, 03 Mar 2026 10:00:00 +0100 pbem <play> wrote ----", mark=""),
    "Yandex": Program(above="phone", mark="",
        page="<div>{typed}</div><div>{above}</div><blockquote>{quote}</blockquote>"),
    "Mail.ru": Program(above="quotes",
        page="<div>{typed}</div><blockquote style='border-left:1px solid #0857A6'>{above}<br>"
        "{quote}</blockquote>"),
    "QQ": Program(above="block", head="------------------&nbsp;{}&nbsp;------------------", mark="", label="{}："),
    "163": Program(above="phone", mark="",
        page="<div>{typed}</div><p>{above}</p><blockquote id=isReplyContent>{quote}</blockquote>"),
    "Naver": Program(above="block", head="-----{}-----", mark=""),
    "Bottom-less": Program(above=""),
    "Bare": Program(above="", mark=""),
    "Narrow": Program(above="wide", wrap=41),
    "Legacy": Program(charset="legacy"),
}  # fmt: skip


def _lines(text: str) -> str:
    return "".join(f"<div>{html.escape(line) or '<br>'}</div>" for line in text.split("\n"))


def reply_of_program(program: Program, words: Words, typed: str, original: str) -> bytes:
    """Returns a reply as the program writes it."""
    device = program.device and (words.sent.format(program.device))
    above = _quote_block(words, program.label, program.order) if program.above == "block" else ""
    if program.above not in ("block", ""):
        above = _attribution(program.above, words)
        above = (
            "\n".join(textwrap.wrap(above, program.wrap, break_long_words=False, break_on_hyphens=False))
            if program.wrap
            else above
        )
    head = program.head.format(words.original).replace("&nbsp;", "\u00a0")
    over = "\n".join(filter(None, (head, above)))
    quote = quote_with(original, program.mark) if program.mark else original
    gap = "\n" if program.tight else "\n\n"
    text = (
        gap.join(filter(None, (typed, device)))
        + gap
        + "\n".join(filter(None, (over, "" if program.tight else " ", quote)))
        + "\n"
    )
    page = ""
    if program.page:
        page = program.page.format(
            typed=_lines(typed), above=_lines(above), quote=_lines(original), device=html.escape(device)
        )
    message = mail_of_parts(text if program.text else None, page or None, cte="base64")
    if program.charset == "legacy":
        octets = text.encode(words.charset, "replace")
        message.set_payload(base64.encodebytes(octets).decode())
        message.set_param("charset", words.named or words.charset)
    if program.flowed:
        message.set_param("format", "flowed")
    return message.as_bytes(policy=policy.SMTP)


FORMS = ("{}", "{hello}\n\n{}\n\n{thanks}\nAlice", "{}\n\nAlice", "{thanks}\n\n{}", "{}.", "{hello}\n{}")
NUMBERS = tuple(move for move in MOVES if move[0] is HAGAKURE) * 2
EACH = 9
"""Languages of each program."""


def plain_replies() -> Iterator[Case]:
    """Yields plain answers: each program in several languages, so that each language is seen in several programs."""
    languages, moves, forms, delimited = (
        cycle(LANGUAGES),
        cycle((*MOVES, *NUMBERS)),
        cycle(FORMS),
        cycle((True, True, False)),
    )
    for name, program in PROGRAMS.items():
        for _ in range(EACH):
            lang, (game, typed, parts), form = next(languages), next(moves), next(forms)
            words = LANGUAGES[lang]
            line, text = ORIGINAL["fr" if lang == "fr" else "en"]
            # Without quotes and without a line above, nothing but the delimiter tells what is quoted.
            whole = next(delimited) or name in ("Bare", "Notes, classic")
            said = form.replace("{hello}", words.around[0]).replace("{thanks}", words.around[1]).replace("{}", typed)
            raw = reply_of_program(program, words, said, f"{line}\n\n{text}" if whole else text)
            yield Case(
                f"{name}-{lang}-{'delimiter' if whole else 'none'}-{' '.join(form.split())}-{typed}",
                game,
                raw,
                (Move(parts),),
                plain=True,
            )


def doubtful_replies() -> Iterator[Case]:
    """Yields what may be meant otherwise, each in a few programs, whatever they put around it."""
    programs, languages, delimited = cycle(PROGRAMS.items()), cycle(LANGUAGES.items()), cycle((True, True, False))
    for game, typed, doubt in specials.DOUBTS * 3:
        if doubt == "number":
            continue
        (name, program), (lang, words) = next(programs), next(languages)
        line, text = ORIGINAL["en"]
        raw = reply_of_program(program, words, typed, f"{line}\n\n{text}" if next(delimited) else text)
        yield Case(f"{name}-{lang}-doubt-{' '.join(typed.split())}", game, raw, (), (doubt,))


HIDDEN = (
    '<p style="font-size:0">{}</p>', '<p style="color:#fff">{}</p>', "<p hidden>{}</p>",
    '<div style="opacity:0">{}</div>',
    '<div style="max-height:0;overflow:hidden">{}</div>', "<style>.x{{display:none}}</style><p class=x>{}</p>",
    '<div style="position:absolute;left:-9999px">{}</div>', '<font color="#fefefe">{}</font>', "<!-- {} -->",
    '<div style="background:#222;color:#222">{}</div>', "<template>{}</template>", '<p style="mso-hide:all">{}</p>',
)  # fmt: skip
DARK = "<style>@media (prefers-color-scheme: dark){{{{{}}}}}</style>"
MEDIA = (
    DARK.format("body{{background:#1e1e1e}} p{{color:#fff!important}}"), DARK.format("p{{color:#fff;background:#000}}"),
    DARK.format(".x{{display:none}}"), "<style>@media print{{p{{color:#fff}}}}</style>",
    "<style>@media (max-width:600px){{p{{font-size:18px}}}}</style>",
)  # fmt: skip
"""What mail programs put above what is typed: none of it hides it."""
SOMETIMES = (DARK.format("p{{display:none}}"), "<style>@media (max-width:600px){{p{{display:none}}}}</style>")
ENDS = ("\u2028", "\u2029", "\x85", "\v", "\f", "\x1c", "\x1d", "\x1e", "\r")
UNSEEN = ((HAGAKURE, "19", "18"), (NIIGATA, "N38", "N20"))


def misleading_replies() -> Iterator[Case]:
    """Yields replies in which a program could see another move than their writers."""
    for game, seen, other in UNSEEN:
        played = (Move((seen,)),)
        for at, hidden in enumerate(HIDDEN):
            for where in ("{seen}{hidden}", "{hidden}{seen}"):
                page = where.format(seen=f"<p>{seen}</p>", hidden=hidden.format(other))
                yield Case(
                    f"hidden-{at}-{where}-{other}", game, mail_of_parts(None, page).as_bytes(), played, plain=True
                )
            alone = mail_of_parts(None, f"<p>Hello</p>{hidden.format(other)}").as_bytes()
            yield Case(f"hidden-{at}-alone-{other}", game, alone, (), ("no-command",))
            both = mail_of_parts(other, hidden.format(other)).as_bytes()
            yield Case(f"hidden-{at}-beside-text-{other}", game, both, (), ("parts-differ",))
        for at, styles in enumerate(MEDIA):
            page = styles.format() + f"<p>{seen}</p>"
            yield Case(f"medium-{at}-{seen}", game, mail_of_parts(None, page).as_bytes(), played, plain=True)
        for at, styles in enumerate(SOMETIMES):
            page = styles.format() + f"<p>{seen}</p>"
            yield Case(f"sometimes-{at}-{seen}", game, mail_of_parts(None, page).as_bytes(), (), ("not-understood",))
        for end in ENDS:
            for text in (f"I thought of{end}{other}{end}but", f"{seen}{end}{other}", f"not yet{end}{seen}"):
                raw = mail_of_parts("@", cte="quoted-printable").as_bytes()
                raw = raw.replace(b"@\n", quopri.encodestring(text.encode()))
                yield Case(f"end-{end!r}-{text!r}", game, raw, (), ("not-understood",))
        for one, two in ((seen, other), (seen, f"{seen}\nno, wait"), (seen, "Hello"), (seen, f"{seen}\nsay {other}")):
            yield Case(f"differ-{one}-{two}", game, mail_of_parts(one, _lines(two)).as_bytes(), (), ("parts-differ",))
