"""A real IMAP server (Dovecot) and a real mail server (Postfix), each in a folder of its own, on loopback.

Both come from Debian's packages. Where they are absent the tests are skipped, aloud; on CI that is an error.
"""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.harness.waiting import SECONDS, wait_until

USER, PASSWORD = "play", "mailword-of-tests"
SBIN = f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin"


def path_of_program(name: str, package: str) -> str:
    """Returns the path of a server's program; skips the test where its package is absent, and fails it on CI."""
    found = shutil.which(name, path=SBIN)
    if found is None:
        said = f"{name} is not installed here: apt-get install {package}"
        if os.environ.get("CI"):
            pytest.fail(said)
        pytest.skip(said)
    return found


def free_port() -> int:
    """Returns a port of this machine on which nobody listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def does_port_answer(port: int) -> bool:
    """True if somebody takes connections on this port."""
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@contextmanager
def _folder(name: str) -> Iterator[Path]:
    """Makes a folder that other users may enter; removes it, no matter who owns what is in it."""
    folder = Path(tempfile.mkdtemp(prefix=name, dir="/tmp"))
    folder.chmod(0o755)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


class Dovecot:
    """An IMAP server; every user of it has the same password."""

    def __init__(self, folder: Path, port: int) -> None:
        self.folder = folder
        self.port = port

    @property
    def url(self) -> str:
        """Returns the value of IMAP_URL."""
        return f"imap://{USER}:{PASSWORD}@127.0.0.1:{self.port}?tls=none"


@contextmanager
def run_dovecot() -> Iterator[Dovecot]:
    """Runs a Dovecot during the block."""
    binary = path_of_program("dovecot", "dovecot-imapd")
    with _folder("pbem-imap-") as folder:
        port, owner = free_port(), pwd.getpwnam("nobody") if os.geteuid() == 0 else pwd.getpwuid(os.geteuid())
        (folder / "mail").mkdir()
        if os.geteuid() == 0:
            os.chown(folder / "mail", owner.pw_uid, owner.pw_gid)
        (folder / "conf").write_text(_dovecot_settings(folder, port, owner))
        with _running([binary, "-F", "-c", str(folder / "conf")], folder, port):
            yield Dovecot(folder, port)


def _dovecot_settings(folder: Path, port: int, owner: pwd.struct_passwd) -> str:
    own = (
        "" if os.geteuid() == 0 else f"default_internal_user = {owner.pw_name}\ndefault_login_user = {owner.pw_name}\n"
    )
    return f"""
base_dir = {folder}/run
state_dir = {folder}/state
log_path = {folder}/log
protocols = imap
listen = 127.0.0.1
ssl = no
disable_plaintext_auth = no
first_valid_uid = 1
{own}mail_location = maildir:{folder}/mail/%u
mail_uid = {owner.pw_uid}
mail_gid = {owner.pw_gid}
mail_access_groups =
default_client_limit = 100
default_process_limit = 20
service imap-login {{
  chroot =
  inet_listener imap {{
    port = {port}
  }}
  inet_listener imaps {{
    port = 0
  }}
}}
service anvil {{
  chroot =
}}
passdb {{
  driver = static
  args = password={PASSWORD}
}}
userdb {{
  driver = static
  args = uid={owner.pw_uid} gid={owner.pw_gid} home={folder}/mail/%u
}}
"""


@contextmanager
def _running(argv: Sequence[str], folder: Path, port: int) -> Iterator[None]:
    """Runs the server during the block, in a group of its own, from when it answers on its port."""
    with open(folder / "output", "wb") as output:
        process = subprocess.Popen(argv, stdout=output, stderr=output, stdin=subprocess.DEVNULL, process_group=0)
    try:
        wait_until(lambda: does_port_answer(port) or process.poll() is not None, f"{argv[0]} to listen")
        if process.poll() is not None:
            logs = "\n".join(path.read_text() for path in (folder / "output", folder / "log") if path.exists())
            pytest.fail(f"{argv[0]} ended: {logs}")
        yield
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(SECONDS)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()


class Postfix:
    """A mail server that takes mail on loopback by SMTP, and hands over what is for `domain`."""

    def __init__(self, folder: Path, port: int, domain: str) -> None:
        self.folder = folder
        self.port = port
        self.domain = domain


@contextmanager
def run_postfix(domain: str, settings: str) -> Iterator[Postfix]:
    """Runs a Postfix during the block, with these lines of main.cf for the domain. It wants to be started by root."""
    binary = path_of_program("postfix", "postfix")
    if os.geteuid() != 0:
        said = "Postfix starts as root only"
        if os.environ.get("CI"):
            pytest.fail(said)
        pytest.skip(said)
    daemons = subprocess.run(
        [path_of_program("postconf", "postfix"), "-dh", "daemon_directory"], capture_output=True, text=True, check=True
    ).stdout.strip()
    with _folder("pbem-mx-") as folder:
        port = free_port()
        for name in ("etc", "queue", "data"):
            (folder / name).mkdir()
        shutil.chown(folder / "data", "postfix")
        (folder / "etc" / "main.cf").write_text(_main_cf(folder, domain, settings))
        (folder / "etc" / "master.cf").write_text(_master_cf(port))
        argv = [f"{daemons}/master", "-c", str(folder / "etc"), "-d"]
        subprocess.run([binary, "-c", str(folder / "etc"), "check"], check=True, capture_output=True)
        with _running(argv, folder, port):
            yield Postfix(folder, port, domain)


def _main_cf(folder: Path, domain: str, settings: str) -> str:
    return f"""
compatibility_level = 3.6
queue_directory = {folder}/queue
data_directory = {folder}/data
maillog_file = {folder}/log
maillog_file_prefixes = {folder}
myhostname = mx.{domain}
mydestination =
mynetworks = 127.0.0.0/8
inet_interfaces = loopback-only
inet_protocols = ipv4
alias_maps =
local_recipient_maps =
smtputf8_enable = yes
recipient_delimiter = +
{settings}
"""


def _master_cf(port: int) -> str:
    return f"""
127.0.0.1:{port} inet n - n - - smtpd
cleanup   unix  n - n - 0 cleanup
qmgr      unix  n - n 300 1 qmgr
rewrite   unix  - - n - - trivial-rewrite
bounce    unix  - - n - 0 bounce
defer     unix  - - n - 0 bounce
trace     unix  - - n - 0 bounce
verify    unix  - - n - 1 verify
error     unix  - - n - - error
retry     unix  - - n - - error
proxymap  unix  - - n - - proxymap
anvil     unix  - - n - 1 anvil
scache    unix  - - n - 1 scache
lmtp      unix  - - n - - lmtp
postlog   unix-dgram n - n - 1 postlogd
"""
