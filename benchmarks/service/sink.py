"""A mail server that takes everything and keeps nothing, in a process of its own.

It does not parse the lines of a mail: a server that does (aiosmtpd) took as long for a mail with a picture as the
service did, on the same processors, so its speed was part of the figure.
"""

import asyncio
import multiprocessing
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

START_S = 40.0
_END = b"\r\n.\r\n"
_ANSWERS = {
    b"EHLO": b"250-sink\r\n250-8BITMIME\r\n250-PIPELINING\r\n250 SMTPUTF8\r\n",
    b"DATA": b"354 go on\r\n",
    b"QUIT": b"221 bye\r\n",
}


class Sink(asyncio.Protocol):
    """One connection: one command per line, and after DATA a mail, up to a line with a single dot."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Greets."""
        assert isinstance(transport, asyncio.Transport)
        self._out, self._got, self._mail = transport, b"", False
        self._out.write(b"220 sink\r\n")

    def data_received(self, data: bytes) -> None:
        """Answers each complete command or mail."""
        self._got += data
        if self._mail:
            self._handle_piece_of_mail(data)
            if self._got.endswith(_END):
                self._got, self._mail = b"", False
                self._handle_end_of_mail()
                self._out.write(b"250 taken\r\n")
            else:
                self._got = self._got[-len(_END) :]
            return
        while b"\r\n" in self._got:
            line, _, self._got = self._got.partition(b"\r\n")
            word = line[:4].upper()
            self._handle_command(line)
            self._send_reply(word)
            if word == b"DATA":
                self._mail = True
                return

    def _handle_command(self, line: bytes) -> None:
        """Is told each command."""

    def _handle_piece_of_mail(self, data: bytes) -> None:
        """Is told each piece of a mail."""

    def _handle_end_of_mail(self) -> None:
        """Is told that the mail is complete."""

    def _send_reply(self, word: bytes) -> None:
        self._out.write(_ANSWERS.get(word, b"250 well\r\n"))
        if word == b"QUIT":
            self._out.close()


async def _serve_sink(port: int) -> None:
    server = await asyncio.get_running_loop().create_server(Sink, "127.0.0.1", port)
    await server.serve_forever()


def _run_sink(port: int) -> None:
    asyncio.run(_serve_sink(port))


@contextmanager
def run_sink(port: int) -> Iterator[int]:
    """Runs the sink while the block runs; yields its port. Raises RuntimeError if it does not answer in time."""
    process: Any = multiprocessing.get_context("spawn").Process(target=_run_sink, args=(port,), daemon=True)
    process.start()
    try:
        _await_sink(port)
        yield port
    finally:
        process.kill()
        process.join()


def _await_sink(port: int) -> None:
    end = time.monotonic() + START_S
    while time.monotonic() < end:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.02)
    raise RuntimeError("the mail server did not start")
