"""A mail server for a test network: takes every mail and prints it in base64, a line each. Standard library."""

import socketserver
from base64 import b64encode


class Talk(socketserver.StreamRequestHandler):
    """One connection, in as much SMTP as pbem speaks."""

    def handle(self) -> None:
        """Answers until the client leaves."""
        self._say("220 catcher")
        for line in self.rfile:
            verb = line[:4].strip().upper()
            if verb == b"DATA":
                self._say("354 go on")
                print(b64encode(self._mail()).decode(), flush=True)  # noqa: T201 - the test reads it
            self._say("221 bye" if verb == b"QUIT" else "250 taken")
            if verb == b"QUIT":
                return

    def _mail(self) -> bytes:
        lines = iter(self.rfile.readline, b".\r\n")
        return b"".join(line[1:] if line.startswith(b".") else line for line in lines)

    def _say(self, line: str) -> None:
        self.wfile.write(f"{line}\r\n".encode())


class Server(socketserver.ThreadingTCPServer):
    """Many connections at once; a worker keeps several."""

    allow_reuse_address = True
    daemon_threads = True


if __name__ == "__main__":
    Server(("", 1025), Talk).serve_forever()  # alone in a network of containers
