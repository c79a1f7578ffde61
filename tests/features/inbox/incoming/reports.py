"""Reports of mail servers about mails that could not be delivered."""

RETURNED = "Message-ID: <question-7@example.org>\nFrom: pbem <play@example.org>\nTo: alice@example.com\n"


def delivery_notification(
    kind: str, told: str, returned: str = "message/rfc822", machine: str = "message/delivery-status"
) -> str:
    return (
        f"From: MAILER-DAEMON@example.com\nTo: bounces@example.org\nSubject: R\nAuto-Submitted: auto-replied\n"
        f'Content-Type: multipart/report; report-type={kind}; boundary="b"\n\n--b\nContent-Type: text/plain\n\n-\n\n'
        f"--b\nContent-Type: {machine}\n\n{told}\n--b\nContent-Type: {returned}\n\n{RETURNED}\n\nbody\n--b--\n"
    )


def delivery_status_block(
    action: str, status: str, recipient: str = "Final-Recipient: rfc822; alice@Example.com"
) -> str:
    return f"Reporting-MTA: dns; mx.example.com\n\n{recipient}\nAction: {action}\nStatus: {status}\n"
