"""The checks of `pbem doctor` on the outside world: the mail server and the public address."""

import re
import smtplib
import socket
import ssl
from collections.abc import Iterator
from contextlib import closing, suppress
from datetime import UTC, datetime
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime, make_msgid, parsedate_to_datetime
from http.client import HTTPException
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

from pbem.commands.checks import SKEW_FAIL_S, SKEW_WARN_S
from pbem.config import Config
from pbem.environment import Smtp
from pbem.mail.mime import Mail
from pbem.mail.send import Failure, SmtpTransport
from pbem.services.findings import Finding, grade_figure

URL_S = 5.0


def check_smtp(config: Config) -> Iterator[Finding]:
    """Checks the mail server: connects, encrypts and logs in as the worker does. Sends nothing."""
    smtp = config.smtp
    if smtp is None:
        yield Finding("mail server", "OK", "none set: mails land in the mailbox of this machine")
        return
    try:
        greeting = _smtp_greeting_after_login(smtp)
    except (OSError, smtplib.SMTPException) as error:
        said, todo = _explain_smtp_error(error, smtp)
        yield Finding("mail server", "FAIL", said, todo)
        return
    secure = "not encrypted" if smtp.tls == "none" else "encrypted"
    login = "logged in" if smtp.user else "without login"
    yield Finding("mail server", "OK", f"{smtp.host}:{smtp.port} answers, {secure}, {login}")
    # Some servers put a date into their greeting.
    found = re.search(r"(?:\w{3}, )?\d{1,2} \w{3} \d{4} \d\d:\d\d:\d\d [+-]\d{4}", greeting)
    if found is not None:
        off = abs((datetime.now(UTC) - parsedate_to_datetime(found.group())).total_seconds())
        todo = "One of the two clocks is wrong; mails with a wrong date are taken for spam."
        said = f"this machine and the mail server differ by {off:.0f} s"
        yield grade_figure("clock", off, SKEW_WARN_S, SKEW_FAIL_S, said, todo)


def _smtp_greeting_after_login(smtp: Smtp) -> str:
    """Runs everything up to the first mail; returns the server's greeting."""
    context = ssl.create_default_context()
    client = (
        smtplib.SMTP_SSL(timeout=smtp.timeout, context=context)
        if smtp.tls == "ssl"
        else smtplib.SMTP(timeout=smtp.timeout)
    )
    client.__dict__["_host"] = smtp.host  # the name that the certificate must match
    with closing(client):
        code, greeting = client.connect(smtp.host, smtp.port)
        if code != 220:
            raise smtplib.SMTPConnectError(code, greeting)
        if smtp.tls == "starttls":
            client.starttls(context=context)
        if smtp.user is not None and smtp.password is not None:
            client.login(smtp.user, smtp.password)
        client.ehlo_or_helo_if_needed()
        client.noop()
        with suppress(smtplib.SMTPException, OSError):  # every command has been answered
            client.docmd("QUIT")
    return greeting.decode(errors="replace")


def _explain_smtp_error(error: Exception, smtp: Smtp) -> tuple[str, str]:
    where = f"{smtp.host}:{smtp.port}"
    match error:
        case socket.gaierror():
            return f"there is no machine called {smtp.host}", "Correct the name in SMTP_URL."
        case ssl.SSLCertVerificationError():
            return (
                f"the certificate of {where} does not hold: {error.verify_message}",
                "Name the host as its certificate does.",
            )
        case ssl.SSLError():
            return f"{where} does not speak TLS as asked", "smtps:// is for port 465, smtp:// (STARTTLS) for 587."
        case TimeoutError():
            return f"{where} does not answer", "Is the port right, and open in the firewall? Many networks close 25."
        case ConnectionRefusedError():
            return f"nobody listens at {where}", "Correct host and port in SMTP_URL, or start the mail server."
        case smtplib.SMTPAuthenticationError():
            return f"{where} refuses user and password ({error.smtp_code})", "Correct them in SMTP_URL; escape as %40."
        case smtplib.SMTPNotSupportedError():
            return (
                f"{where} does not offer encryption or login",
                "Take another port, or tls=none on a network of your own.",
            )
    return f"{where}: {' '.join(str(error).split())[:200]}", "Ask the mail server's log."


def send_test_mail(config: Config, to: str) -> Finding:
    """Sends one short mail through the same transport as all others."""
    if config.smtp is None:
        return Finding("test mail", "WARN", "not sent, as no mail leaves this machine", "Set SMTP_URL.")
    message = EmailMessage()
    message["From"], message["To"] = config.mail_from, to
    message["Subject"] = f"pbem doctor: {urlsplit(config.url).hostname}"
    message["Date"], message["Message-ID"] = format_datetime(datetime.now(UTC)), make_msgid(domain="pbem.invalid")
    message["Auto-Submitted"] = "auto-generated"
    message.set_content(f"This mail was sent by `pbem doctor` of {config.url}. If you can read it, mail arrives.\n")
    try:
        with SmtpTransport(config.smtp, config.mail_from) as transport:
            transport.send(Mail(message["Message-ID"], message.as_bytes(policy=SMTP)), to)
    except Failure as failure:
        return Finding("test mail", "FAIL", f"not taken: {failure}", "What the mail server says is the reason.")
    return Finding("test mail", "OK", "taken by the mail server; now look whether it arrives")


def check_url_leads_here(config: Config) -> Finding:
    """Checks that the URL in all mails leads to this service."""
    where = f"{config.url}/healthz"
    todo = "Links in mails lead there. Is web running, and does the web server in front pass requests on?"
    try:
        # The scheme is http or https: the settings ensure it.
        with urlopen(Request(where, headers={"User-Agent": "pbem-doctor"}), timeout=URL_S) as answer:  # noqa: S310
            if answer.read(16).strip() == b"ok":
                return Finding("address", "OK", f"{where} answers")
            return Finding("address", "FAIL", f"{where} is answered by something else than pbem", todo)
    except HTTPError as error:
        return Finding("address", "FAIL", f"{where} answers {error.code}", todo)
    except (URLError, OSError, HTTPException) as error:
        reason = getattr(error, "reason", error)
        if isinstance(reason, TimeoutError):
            hint = f"{todo} Some networks cannot reach their own public address: then try from elsewhere."
            return Finding("address", "WARN", f"{where} does not answer from here", hint)
        return Finding("address", "FAIL", f"{where} cannot be reached: {reason}", todo)
