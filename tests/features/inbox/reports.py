"""Reports about mails that have left, as servers and providers write them."""

from textwrap import dedent


def bounce_report(
    address: str, *, action: str = "failed", status: str = "5.1.1", original: str = "<x@y.example>", words: str = ""
) -> bytes:
    """What a mail server reports."""
    diagnostic = f"\n        Diagnostic-Code: smtp; {words}" if words else ""
    return dedent(f"""\
        From: MAILER-DAEMON@mx.example.org
        To: bounces@pbem.example
        Subject: Undelivered Mail
        Message-ID: <{status}.{action}.{address}@mx.example.org>
        MIME-Version: 1.0
        Content-Type: multipart/report; report-type=delivery-status; boundary="b"

        --b
        Content-Type: text/plain

        Sorry.
        --b
        Content-Type: message/delivery-status

        Reporting-MTA: dns; mx.example.org

        Final-Recipient: rfc822; {address}
        Action: {action}
        Status: {status}{diagnostic}
        --b
        Content-Type: message/rfc822

        From: play@pbem.example
        To: {address}
        Message-ID: {original}
        Subject: your turn

        Play.
        --b--
        """).encode()


def complaint_report(address: str, original: str) -> bytes:
    """What a provider reports when somebody presses its button for spam."""
    return dedent(f"""\
        From: feedback@provider.example
        To: abuse@pbem.example
        Subject: complaint
        Message-ID: <c1@provider.example>
        MIME-Version: 1.0
        Content-Type: multipart/report; report-type=feedback-report; boundary="b"

        --b
        Content-Type: text/plain

        A complaint.
        --b
        Content-Type: message/feedback-report

        Feedback-Type: abuse
        User-Agent: Provider/1
        Version: 1
        Original-Rcpt-To: {address}
        --b
        Content-Type: message/rfc822

        From: play@pbem.example
        To: {address}
        Message-ID: {original}
        Subject: your turn

        Play.
        --b--
        """).encode()
