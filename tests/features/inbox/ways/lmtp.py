"""A client of LMTP, and a mail for it."""

from __future__ import annotations

import socket

from tests.harness.waiting import SECONDS

TO, OTHER = "play+qabc234@pbem.example", "play+QXYZ@pbem.example"
MAIL = b"From: Alice <alice@example.org>\r\nTo: play\r\n\r\nF3\r\n..dot\r\n"


class Client:
    """A mail server's side of a connection."""

    def __init__(self, path: str) -> None:
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(SECONDS)
        self.socket.connect(path)
        self._file = self.socket.makefile("rb")
        self.greeting = self.reply()

    def reply(self) -> str:
        """Returns the next reply, all its lines."""
        lines = []
        while True:
            line = self._file.readline().decode().rstrip("\r\n")
            lines.append(line)
            if line[3:4] != "-":
                return "\n".join(lines)

    def say(self, *lines: str) -> list[str]:
        """Sends the lines at once, as PIPELINING allows, and returns a reply for each."""
        self.socket.sendall("".join(f"{line}\r\n" for line in lines).encode())
        return [self.reply() for _ in lines]

    def give(self, raw: bytes, *recipients: str, sender: str = "alice@example.org", more: str = "") -> list[str]:
        """Delivers a mail; returns the reply for each recipient."""
        self.say("LHLO mx.pbem.example", f"MAIL FROM:<{sender}>{more}", *(f"RCPT TO:<{one}>" for one in recipients))
        assert self.say("DATA")[0].startswith("354")
        self.socket.sendall(raw.replace(b"\r\n.", b"\r\n..") + b".\r\n")
        return [self.reply() for _ in recipients]

    def close(self) -> None:
        """Hangs up."""
        self._file.close()
        self.socket.close()
