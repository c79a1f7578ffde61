"""What somebody does who has just got pbem: the README's commands, and what goes wrong around them on a laptop.

    python3 newcomer.py STEP FOLDER [WORDS]

It runs in a bare system, where nothing is installed but Python, so it imports the standard library alone. Each step
is a function here; it fails with AssertionError. Whatever it has started has ended when it returns.
"""

from __future__ import annotations

import email
import email.policy
import html
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from email.message import EmailMessage
from pathlib import Path

SECONDS = 300.0
ALICE = "alice@example.org"


class Make:
    """A `make` in a terminal of its own."""

    def __init__(self, folder: Path, *words: str, **environ: str) -> None:
        self.output = tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace")  # noqa: SIM115
        given = {**os.environ, **environ}
        self.process = subprocess.Popen(
            ["make", *words], cwd=folder, env={name: value for name, value in given.items() if value},
            stdout=self.output, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip

    def read_output(self) -> str:
        self.output.seek(0)
        return self.output.read()

    def await_words(self, words: str) -> None:
        """Returns when it has said this. Raises AssertionError if it ends without."""
        wait_until(
            lambda: words in self.read_output() or self.process.poll() is not None,
            f"make says {words!r}",
            self.read_output,
        )
        assert words in self.read_output(), self.read_output()

    def interrupt(self) -> None:
        """Presses Ctrl-C, and returns when nothing of it is left."""
        os.killpg(self.process.pid, signal.SIGINT)
        # The signal reaches make, too, which ends by it once pbem has ended.
        assert self.process.wait(SECONDS) in (0, -signal.SIGINT), self.read_output()
        assert "Traceback" not in self.read_output(), self.read_output()
        assert "\nError" not in self.read_output(), self.read_output()
        left = [argv for argv in other_processes() if "pbem" in argv or "valkey" in argv]
        assert left == [], left

    def refuse(self, sentence: str) -> None:
        """Returns when it has ended with this sentence, no trace and a status of failure."""
        assert self.process.wait(SECONDS) != 0, self.read_output()
        assert sentence in self.read_output(), self.read_output()
        assert "Traceback" not in self.read_output(), self.read_output()


def wait_until(holds: Callable[[], object], what: str, why: Callable[[], str] = str) -> None:
    deadline = time.monotonic() + SECONDS
    while not holds():
        assert time.monotonic() < deadline, f"{what}: not within {SECONDS:g} s\n{why()}"
        time.sleep(0.2)


def other_processes() -> list[str]:
    """Returns the command lines of all processes but this one and those that have ended."""
    lines = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            argv = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        if argv and folder.name != str(os.getpid()):
            lines.append(argv)
    return lines


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def run_make_run(folder: Path, **environ: str) -> Iterator[tuple[str, Make]]:
    """Runs `make run` until the block ends; yields its address, and the terminal."""
    port = free_port()
    made = Make(folder, "run", PORT=str(port), **environ)
    made.await_words(f"mailbox: http://127.0.0.1:{port}/mailbox\n")
    yield f"http://127.0.0.1:{port}", made
    made.interrupt()


def get_page(url: str) -> bytes:
    with urllib.request.urlopen(url, timeout=SECONDS) as answer:
        return bytes(answer.read())


def send_form(url: str, data: object, **headers: str) -> None:
    asked = urllib.request.Request(url, json.dumps(data).encode(), {"Content-Type": "application/json", **headers})
    urllib.request.urlopen(asked, timeout=SECONDS).close()


def mails_in_mailbox(address: str, kind: str) -> list[EmailMessage]:
    """Returns the mails of this kind in the local mailbox, newest first."""
    found = [
        mail["id"] for mail in json.loads(get_page(f"{address}/mailbox.json")) if mail["id"].startswith(f"{kind}-")
    ]
    return [
        email.message_from_bytes(
            get_page(f"{address}/mailbox/{each}.eml"), _class=EmailMessage, policy=email.policy.default
        )
        for each in found
    ]


def body_of_mail(mail: EmailMessage, kind: str) -> str:
    part = mail.get_body((kind,))
    assert part is not None, mail
    return str(part.get_content())


def play_a_turn(address: str) -> None:
    """Starts a match with two bots, confirms it, and plays a turn by a link of its mail: the next mail comes."""
    before = len(mails_in_mailbox(address, "confirm")), len(mails_in_mailbox(address, "turn"))
    seats = [{"name": "Alice", "email": ALICE}, {"bot": "random"}, {"bot": "random"}]
    match = {"game": "hogen", "language": "en", "seats": seats}
    send_form(f"{address}/api/v1/matches", match, **{"Idempotency-Key": os.urandom(8).hex()})
    wait_until(lambda: len(mails_in_mailbox(address, "confirm")) > before[0], "the mail that asks for confirmation")
    token = re.findall(r"/confirm/([^/\s?#]+)", body_of_mail(mails_in_mailbox(address, "confirm")[0], "plain"))[0]
    send_form(f"{address}/api/v1/confirm/{token}", {"language": "en", "zone": "Europe/London"})

    wait_until(lambda: len(mails_in_mailbox(address, "turn")) > before[1], "the mail of the first turn")
    turn = mails_in_mailbox(address, "turn")[0]
    assert "The board, as you see it" in body_of_mail(turn, "plain")
    pictures = [part.get_content() for part in turn.walk() if part.get_content_type() == "image/png"]
    assert pictures, "the mail has no picture"
    assert all(picture.startswith(b"\x89PNG") for picture in pictures)
    assert max(map(len, pictures)) < 150_000
    assert "cid:" in body_of_mail(turn, "html")

    choice = next(re.finditer(r'href="([^"]*/play/[^"]*pick=[^"]*)"', body_of_mail(turn, "html")))[1]
    (form,) = re.findall(r'<form class="confirm.*?</form>', get_page(html.unescape(choice)).decode(), re.DOTALL)
    action = html.unescape(re.findall(r'action="([^"]+)"', form)[0])
    fields = re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', form)
    pressed = urllib.parse.urlencode([(name, html.unescape(value)) for name, value in fields]).encode()
    with urllib.request.urlopen(urllib.parse.urljoin(address, action), pressed, timeout=SECONDS) as answer:
        assert answer.status == 200
    wait_until(lambda: len(mails_in_mailbox(address, "turn")) > before[1] + 1, "the mail of the next turn")


def without_network(folder: Path) -> None:
    """Before anything is installed, make says that it needs the internet."""
    Make(folder, "run").refuse("The first time, make needs the internet.")


def first(folder: Path) -> None:
    """`make run`, and again in a second terminal while the first installs: one installs; a turn is played."""
    port = str(free_port())
    one, two = Make(folder, "run", PORT=port), Make(folder, "run", PORT=port)
    wait_until(lambda: any("mailbox: " in each.read_output() for each in (one, two)), "one serves",
               lambda: one.read_output() + two.read_output())  # fmt: skip
    one, two = (one, two) if "mailbox: " in one.read_output() else (two, one)
    two.refuse(f"Another pbem runs on {folder}/var, at http://127.0.0.1:{port}.")
    assert "another make installs" in one.read_output() + two.read_output()
    fetching = re.findall(
        r"pbem: fetching \d+ packages, some \d+ MB, into \.venv/, once\.", one.read_output() + two.read_output()
    )
    assert len(fetching) == 1, fetching
    play_a_turn(f"http://127.0.0.1:{port}")
    one.interrupt()


def again(folder: Path) -> None:
    """After the first run it needs no network; a second terminal and a taken port are told what to do."""
    with run_make_run(folder) as (address, made):
        play_a_turn(address)
        assert "fetching" not in made.read_output()
        port = address.rpartition(":")[2]
        Make(folder, "run", PORT=port).refuse(f"Another pbem runs on {folder}/var, at {address}.")
        Make(folder, "run", PORT=str(free_port())).refuse(f"Another pbem runs on {folder}/var, at {address}.")
        Make(folder, "run", PORT=port, PBEM_DATA=tempfile.mkdtemp()).refuse("Take another port: PORT=")


def here(folder: Path) -> None:
    """`make run` and a turn, where no language is set."""
    with run_make_run(folder, LC_ALL="C") as (address, _):
        play_a_turn(address)


def elsewhere(folder: Path) -> None:
    """The folder is moved after the first run, into one whose name is longer than a socket's address may be."""
    moved = folder.parent / ("a folder within a folder within a folder within a folder within a folder " * 2).strip()
    folder.rename(moved)
    here(moved)
    moved.rename(folder)


def homeless(folder: Path) -> None:
    """The home folder cannot be written to, or is not known; no language is set."""
    shutil.rmtree(folder / ".venv")
    with run_make_run(folder, HOME="/nonexistent", LC_ALL="C") as (address, _):
        play_a_turn(address)
    shutil.rmtree(folder / ".venv")
    with run_make_run(folder, HOME="", LANG="") as (address, _):
        play_a_turn(address)


def read_only(folder: Path) -> None:
    """Nobody can write to the folder: what runs already needs somewhere else for its data, and says so."""
    Make(folder, "run").refuse("Cannot write to the data folder")
    with run_make_run(folder, PBEM_DATA=tempfile.mkdtemp()) as (address, _):
        play_a_turn(address)


def read_only_and_new(folder: Path) -> None:
    """Nobody can write to the folder, and nothing is installed."""
    Make(folder, "run").refuse("make cannot write to")


def suite(folder: Path, words: str = "") -> None:
    """`make test`, whose output goes to this terminal."""
    assert subprocess.run(["make", "test", f"ARGS={words}"], cwd=folder, check=False).returncode == 0, "make test fails"


STEPS: dict[str, Callable[..., None]] = {
    step.__name__: step
    for step in (without_network, first, again, here, elsewhere, homeless, read_only, read_only_and_new, suite)
}


if __name__ == "__main__":
    STEPS[sys.argv[1]](Path(sys.argv[2]), *sys.argv[3:])
