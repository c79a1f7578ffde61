"""Replies as mail programs write them: what is typed, then signature and quote, in the parts and charset of each."""

import email
import html
import textwrap
from collections.abc import Callable, Mapping
from email import policy
from email.message import EmailMessage

SITE, SITE_ADDRESS = "pbem", "play+k7dmq2xwz5@example.org"
PLAYER_ADDRESS = "alice@example.com"

ORIGINAL: Mapping[str, tuple[str, str]] = {
    "en": (
        "— Reply above this line —",
        "Your turn in the match of Alice and Bob\nUntil Tuesday, 3 March 2026 at 10:00\n\nBob has played call T.\nCall "
        "a clan, a rank or a card:\n* call F\n* call 3\ncall B2\npass\nplay 5\nN20\n\nOpen the board: http://example.org/x?y=1",
    ),
    "fr": (
        "— Répondez au-dessus de cette ligne —",
        "C'est à vous, dans la partie d'Alice et Bob\nJusqu'au mardi 3 mars 2026 à 10:00\n\nBob a joué call T.\n"
        "Appelez un clan, un rang ou une carte :\n* call F\n* call 3\ncall B2\npasse\njoue 5\nN20\n\nVoir : http://example.org/x?y=1",
    ),
}
"""The delimiter line and the text of a turn mail, full of what could be taken for a move."""

Reply = Callable[[str, str, str], bytes]
"""What is typed, the language of the program, the text that is quoted -> the mail."""


def in_latin(text: str) -> str:
    """Returns the text as programs send it that write ISO-8859-1."""
    return text.replace("—", "-").replace("’", "'")


def quote_with(text: str, mark: str = "> ") -> str:
    return "\n".join(f"{mark}{line}".rstrip() for line in text.split("\n"))


def mail_of_parts(
    text: str | None, page: str | None = None, *, charset: str = "utf-8", cte: str | None = None, **more: str
) -> EmailMessage:
    """Returns a reply with these parts."""
    message = EmailMessage(policy=policy.SMTP)
    message["From"] = f"Alice Martin <{PLAYER_ADDRESS}>"
    message["To"] = f"{SITE} <{SITE_ADDRESS}>"
    message["Subject"] = "Re: Hogen, à vous : Bob a joué"
    message["Message-ID"] = "<reply-1@example.com>"
    message["In-Reply-To"] = "<question-7@example.org>"
    message["References"] = "<match-3@example.org> <question-7@example.org>"
    for name, value in more.items():
        message[name.replace("_", "-")] = value
    if text is not None:
        message.set_content(text, charset=charset, cte=cte)
    if page is not None and text is not None:
        message.add_alternative(page, subtype="html", charset="utf-8")
    elif page is not None:
        message.set_content(page, subtype="html", charset="utf-8", cte=cte)
    return message


def lines_as(page: str, text: str) -> str:
    """Returns the lines of the text, each put into the page's `{}`; empty ones as programs write them."""
    return "".join(page.format(html.escape(line) or "<br>") for line in text.split("\n"))


def gmail(typed: str, lang: str, original: str) -> bytes:
    when = {
        "en": "On Tue, Mar 3, 2026 at 10:00 AM {} wrote:",
        "fr": "Le mar. 3 mars 2026 à 10:00, {} a écrit :",
        "de": "Am Di., 3. März 2026 um 10:00 Uhr schrieb {}:",
        "es": "El mar, 3 mar 2026 a las 10:00, {} escribió:",
    }[lang].format(f"{SITE} <{SITE_ADDRESS}>")
    text = f"{typed}\n\n" + "\n".join(textwrap.wrap(when, 62)) + f"\n\n{quote_with(original)}\n"
    page = (
        f'<div dir="ltr">{lines_as("<div>{}</div>", typed)}</div><br><div class="gmail_quote gmail_quote_container">'
        f'<div dir="ltr" class="gmail_attr">{html.escape(when)}<br></div><blockquote class="gmail_quote">'
        f"{lines_as('{}<br>', original)}</blockquote></div>"
    )
    return mail_of_parts(text, page, cte="quoted-printable").as_bytes()


def gmail_page_alone(typed: str, lang: str, original: str) -> bytes:
    message = email.message_from_bytes(gmail(typed, lang, original), policy=policy.SMTP)
    page = message.get_body(("html",))
    assert page is not None
    return mail_of_parts(None, page.get_content(), cte="quoted-printable").as_bytes()


def iphone(typed: str, lang: str, original: str) -> bytes:
    device, when = {
        "en": ("Sent from my iPhone", "On 3 Mar 2026, at 10:00, {} wrote:"),
        "fr": ("Envoyé de mon iPhone", "Le 3 mars 2026 à 10:00, {} a écrit :"),
        "de": ("Von meinem iPhone gesendet", "Am 03.03.2026 um 10:00 schrieb {}:"),
        "es": ("Enviado desde mi iPhone", "El 3 mar 2026, a las 10:00, {} escribió:"),
    }[lang]
    when = when.format(f"{SITE} <{SITE_ADDRESS}>")
    text = f"{typed}\n\n{device}\n\n{quote_with(f'{when}{chr(10)}{chr(10)}{original}')}\n"
    return mail_of_parts(text, cte="quoted-printable", X_Mailer="iPhone Mail (22D72)").as_bytes()


def apple_mail(typed: str, lang: str, original: str) -> bytes:
    when = {
        "en": "On 3 Mar 2026, at 10:00, {} wrote:",
        "fr": "Le 3 mars 2026 à 10:00, {} a écrit :",
        "de": "Am 03.03.2026 um 10:00 schrieb {}:",
        "es": "El 3 mar 2026, a las 10:00, {} escribió:",
    }[lang].format(f"{SITE} <{SITE_ADDRESS}>")
    page = (
        f'<html><head><style>p {{ color: red }}</style></head><body style="word-wrap: break-word;">'
        f'{lines_as("<div>{}</div>", typed)}<div><br><blockquote type="cite"><div>{html.escape(when)}</div><br>'
        f"<div>{lines_as('{}<br>', original)}</div></blockquote></div></body></html>"
    )
    return mail_of_parts(None, page, cte="base64").as_bytes()


def outlook(typed: str, lang: str, original: str) -> bytes:
    block = {
        "en": "From: {}\nSent: Tuesday, March 3, 2026 10:00 AM\nTo: Alice <{}>\nSubject: your turn",
        "fr": "De : {}\nEnvoyé : mardi 3 mars 2026 10:00\nÀ : Alice <{}>\nObjet : à vous",
        "de": "Von: {}\nGesendet: Dienstag, 3. März 2026 10:00\nAn: Alice <{}>\nBetreff: your turn",
        "es": "De: {}\nEnviado el: martes, 3 de marzo de 2026 10:00\nPara: Alice <{}>\nAsunto: your turn",
    }[lang].format(f"{SITE} <{SITE_ADDRESS}>", PLAYER_ADDRESS)
    text = f"{typed}\n\n{block}\n\n{original}\n"
    message = (
        mail_of_parts(text, charset="windows-1252", cte="quoted-printable")
        if lang != "en"
        else mail_of_parts(None, _word(typed, block, original))
    )
    return message.as_bytes()


def _word(typed: str, block: str, original: str) -> str:
    return (
        '<html xmlns:o="urn:schemas-microsoft-com:office:office"><head><meta charset="utf-8"><style><!-- p.MsoNormal '
        '{margin:0cm} --></style></head><body lang="FR"><div class="WordSection1">'
        + lines_as('<p class="MsoNormal"><span>{}</span><o:p></o:p></p>', typed).replace("<br>", "<o:p>&nbsp;</o:p>")
        + '<p class="MsoNormal"><o:p>&nbsp;</o:p></p><div style="border:none;border-top:solid #E1E1E1 1.0pt"><p '
        f'class="MsoNormal">{html.escape(block).replace(chr(10), "<br>")}</p></div>'
        + lines_as('<p class="MsoNormal">{}</p>', original)
        + "</div></body></html>"
    )


def outlook_phone(typed: str, lang: str, original: str) -> bytes:
    advert, block = {
        "en": (
            "Get Outlook for iOS<https://aka.ms/o0ukef>",
            "From: {}\nSent: Tuesday, March 3, 2026 10:00:00 AM\nTo: {}",
        ),
        "fr": (
            "Télécharger Outlook pour Android<https://aka.ms/x>",
            "De : {}\nEnvoyé : mardi 3 mars 2026 10:00\nÀ : {}",
        ),
        "de": (
            "Outlook für Android<https://aka.ms/x> beziehen",
            "Von: {}\nGesendet: Dienstag, März 3, 2026 10:00\nAn: {}",
        ),
        "es": ("Obtener Outlook para iOS<https://aka.ms/x>", "De: {}\nEnviado: martes, marzo 3, 2026 10:00\nPara: {}"),
    }[lang]
    block = block.format(f"{SITE} <{SITE_ADDRESS}>", PLAYER_ADDRESS)
    text = f"{typed}\n\n{advert}\n________________________________\n{block}\n\n{original}\n"
    return mail_of_parts(text, charset="utf-8", cte="base64").as_bytes()


def thunderbird(typed: str, lang: str, original: str) -> bytes:
    when = {
        "en": f"On 3/3/26 10:00 AM, {SITE} wrote:",
        "fr": f"Le 03/03/2026 à 10:00, {SITE} a écrit :",
        "de": f"Am 03.03.26 um 10:00 schrieb {SITE}:",
        "es": f"El 3/3/26 a las 10:00, {SITE} escribió:",
    }[lang]
    text = f"{typed}\n\n{when}\n{quote_with(original)}\n"
    message = mail_of_parts(text, cte="8bit")
    message.set_param("format", "flowed")
    return message.as_bytes()


def yahoo(typed: str, lang: str, original: str) -> bytes:
    device, when = {
        "en": ("Sent from Yahoo Mail on Android", "On Tuesday, March 3, 2026 at 10:00:00 AM GMT+1, {} wrote:"),
        "fr": ("Envoyé à partir de Yahoo Mail pour Android", "Le mardi 3 mars 2026 à 10:00:00 UTC+1, {} a écrit :"),
        "de": (
            "Von Yahoo Mail auf Android gesendet",
            "Am Dienstag, 3. März 2026 um 10:00:00 MEZ hat {} Folgendes geschrieben:",
        ),
        "es": ("Enviado desde Yahoo Mail para Android", "El martes, 3 de marzo de 2026, 10:00:00 CET, {} escribió:"),
    }[lang]
    when = when.format(f"{SITE} <{SITE_ADDRESS}>")
    text = f" {typed}\n\n{device} \n \n    {when}  \n \n " + original.replace("\n", "\n ") + "   \n"
    return mail_of_parts(text, cte="quoted-printable").as_bytes()


def proton(typed: str, lang: str, original: str) -> bytes:
    device, when = {
        "en": ("Sent with Proton Mail secure email.", "On Tuesday, March 3rd, 2026 at 10:00 AM, {} wrote:"),
        "fr": ("Envoyé avec la messagerie sécurisée Proton Mail.", "Le mardi 3 mars 2026 à 10:00, {} a écrit :"),
        "de": ("Gesendet mit Proton Mail sicherer E-Mail.", "Am Dienstag, 3. März 2026 um 10:00 schrieb {}:"),
        "es": (
            "Enviado con el correo seguro de Proton Mail.",
            "El martes, 3 de marzo de 2026 a las 10:00, {} escribió:",
        ),
    }[lang]
    when = when.format(f"{SITE} <{SITE_ADDRESS}>")
    return mail_of_parts(f"{typed}\n\n{device}\n\n{when}\n\n{quote_with(original)}\n", cte="base64").as_bytes()


def k9(typed: str, lang: str, original: str) -> bytes:
    device, when = {
        "en": ("-- \nSent from my Android device with K-9 Mail.", "On 3 March 2026 10:00:00 CET, {} wrote:"),
        "fr": ("Envoyé de mon appareil Android avec K-9 Mail.", "Le 3 mars 2026 10:00:00 GMT+01:00, {} a écrit :"),
        "de": (
            "Diese Nachricht wurde von meinem Android-Gerät mit K-9 Mail gesendet.",
            "Am 3. März 2026 10:00:00 MEZ schrieb {}:",
        ),
        "es": (
            "Enviado desde mi dispositivo Android con K-9 Mail.",
            "El 3 de marzo de 2026 10:00:00 CET, {} escribió:",
        ),
    }[lang]
    when = when.format(f"{SITE} <{SITE_ADDRESS}>")
    return mail_of_parts(f"{typed}\n{device}\n\n{when}\n{quote_with(original, '>')}\n", cte="8bit").as_bytes()


def orange(typed: str, lang: str, original: str) -> bytes:
    page = (
        f"<div>{lines_as('<p>{}</p>', typed)}</div><div>Envoyé depuis l’application Mail Orange</div><div><br></div>"
        f"<blockquote><div>----------------</div><div>envoyé : 3 mars 2026 à 10:00</div><div>de : {SITE} "
        f"&lt;{SITE_ADDRESS}&gt;</div><div>à : {PLAYER_ADDRESS}</div><div>objet : à vous</div>"
        f"{lines_as('<div>{}</div>', original)}</blockquote>"
    )
    return mail_of_parts(None, page, cte="quoted-printable").as_bytes()


def orange_text(typed: str, lang: str, original: str) -> bytes:
    text = (
        f'{typed}\n\n\n> Message du 03/03/26 10:00\n> De : "{SITE}" \n> A : {PLAYER_ADDRESS}\n> Copie à : \n> Objet : '
        f"à vous\n> \n{quote_with(original)}\n"
    )
    return mail_of_parts(in_latin(text), charset="iso-8859-1", cte="quoted-printable").as_bytes()


def sfr(typed: str, lang: str, original: str) -> bytes:
    block = f"De : {SITE} <{SITE_ADDRESS}>\nEnvoyé : mardi 3 mars 2026 10:00\nA : {PLAYER_ADDRESS}\nObjet : à vous"
    return mail_of_parts(
        f"{typed}\n\nEnvoyé depuis mon mobile SFR\n\n{block}\n\n{in_latin(original)}\n",
        charset="iso-8859-1",
        cte="8bit",
    ).as_bytes()


def free(typed: str, lang: str, original: str) -> bytes:
    block = f'De: "{SITE}" <{SITE_ADDRESS}>\nÀ: {PLAYER_ADDRESS}\nEnvoyé: Mardi 3 Mars 2026 10:00:00\nObjet: à vous'
    return mail_of_parts(
        f"{typed}\n\n----- Mail original -----\n{block}\n\n{original}\n", cte="quoted-printable"
    ).as_bytes()


def gmx(typed: str, lang: str, original: str) -> bytes:
    device, block = {
        "de": (
            "Gesendet mit der GMX Mail App",
            "Gesendet: Dienstag, 3. März 2026 um 10:00 Uhr\nVon: {}\nAn: {}\nBetreff: your turn",
        ),
        "en": ("Sent with GMX Mail", "Sent: Tuesday, March 03, 2026 at 10:00 AM\nFrom: {}\nTo: {}\nSubject: your turn"),
    }[lang]
    block = block.format(f"{SITE} <{SITE_ADDRESS}>", PLAYER_ADDRESS)
    page = (
        f"<div>{lines_as('<div>{}</div>', typed)}<div>&nbsp;</div><div>{device}</div>"
        f'<div name="quote" style="margin:10px 5px 5px 10px">{lines_as("<div>{}</div>", block)}'
        f'<div name="quoted-content">{lines_as("{}<br>", original)}</div></div></div>'
    )
    return mail_of_parts(None, page, cte="quoted-printable").as_bytes()


def web_de(typed: str, lang: str, original: str) -> bytes:
    when = f"Am 03.03.26, 10:00 schrieb {SITE} <{SITE_ADDRESS}>:"
    text = f"{typed}\n\n--\nDiese Nachricht wurde von meinem Android Mobiltelefon mit WEB.DE Mail gesendet."
    text += f"\n\n{when}\n\n{original}\n"
    return mail_of_parts(text, charset="windows-1252", cte="8bit").as_bytes()


def samsung(typed: str, lang: str, original: str) -> bytes:
    device, head, block = {
        "en": (
            "Sent from my Galaxy",
            "Original message",
            "From: {}\nDate: 3/3/26 10:00 (GMT+01:00)\nTo: {}\nSubject: your turn",
        ),
        "fr": (
            "Envoyé depuis mon appareil Galaxy",
            "Message d'origine",
            "De : {}\nDate : 03/03/2026 10:00 (GMT+01:00)\nÀ : {}\nObjet : à vous",
        ),
        "de": (
            "Von meinem Galaxy gesendet",
            "Ursprüngliche Nachricht",
            "Von: {}\nDatum: 03.03.26 10:00 (GMT+01:00)\nAn: {}\nBetreff: your turn",
        ),
        "es": (
            "Enviado desde mi Galaxy",
            "Mensaje original",
            "De: {}\nFecha: 3/3/26 10:00 (GMT+01:00)\nPara: {}\nAsunto: your turn",
        ),
    }[lang]
    block = block.format(f"{SITE} <{SITE_ADDRESS}>", PLAYER_ADDRESS)
    return mail_of_parts(
        f"{typed}\n\n\n{device}\n\n-------- {head} --------\n{block} \n\n{original}\n", cte="base64"
    ).as_bytes()


def roundcube(typed: str, lang: str, original: str) -> bytes:
    when = {
        "en": f"On 2026-03-03 10:00, {SITE} wrote:",
        "fr": f"Le 2026-03-03 10:00, {SITE} a écrit :",
        "de": f"Am 2026-03-03 10:00, schrieb {SITE}:",
        "es": f"El 2026-03-03 10:00, {SITE} escribió:",
    }[lang]
    return mail_of_parts(f"{typed}\n\n{when}\n{quote_with(original)}\n", cte="quoted-printable").as_bytes()


FOUR, FRENCH = ("en", "fr", "de", "es"), ("fr",)
PROGRAMS: Mapping[Reply, tuple[str, ...]] = {
    gmail: FOUR, gmail_page_alone: FOUR, iphone: FOUR, apple_mail: FOUR, outlook: FOUR, outlook_phone: FOUR,
    thunderbird: FOUR, yahoo: FOUR, proton: FOUR, k9: FOUR, samsung: FOUR, roundcube: FOUR,
    orange: FRENCH, orange_text: FRENCH, sfr: FRENCH, free: FRENCH, gmx: ("de", "en"), web_de: ("de",),
}  # fmt: skip
"""The programs, and the languages that each is seen in."""
