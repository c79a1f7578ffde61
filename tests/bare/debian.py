"""A minimal Debian in a folder: made by debootstrap once, unpacked for each run, entered by chroot."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parents[2]
KEPT = ROOT / "build" / "bare"
RELEASES = {"bookworm": "Debian 12", "trixie": "Debian 13"}
PACKAGES = ("ca-certificates", "make", "python3-venv")
"""All that the README asks for; the certificates are what a Debian has that was not made by debootstrap."""
PROGRAMS = ("debootstrap", "unshare", "chroot", "mount", "ip", "tar", "git")
USER = "alice"
NETWORK = ("/etc/resolv.conf", "/etc/hosts", "/etc/pip.conf")
OURS = ("PIP_", "UV_", "SSL_")
PROXIES = ("http_proxy", "https_proxy", "no_proxy", "all_proxy", "requests_ca_bundle")

# Nothing that is mounted here, and no process, outlives this namespace.
ENTER = """set -eu
root=$1 user=$2 offline=$3 read_only=$4
shift 4
mount --bind "$root" "$root"
mount -t proc proc "$root/proc"
mount -t tmpfs -o size=64m,mode=1777 tmpfs "$root/dev/shm"
if [ -n "$offline" ]; then /usr/sbin/ip link set lo up; fi
if [ -n "$read_only" ]; then
    mount --bind "$read_only" "$read_only"
    mount -o remount,bind,ro "$read_only"
fi
exec /usr/sbin/chroot --userspec="$user:$user" "$root" "$@"
"""


class Away(Exception):
    """No minimal system can be made here; the message is a sentence that says why."""


def check_machine() -> None:
    """Raises Away where this machine cannot make a minimal Debian and enter it."""
    missing = [program for program in PROGRAMS if shutil.which(program) is None]
    if missing:
        raise Away(
            f"It takes the programs {', '.join(missing)}, which are not here (Debian: apt-get install debootstrap)."
        )
    if os.geteuid() != 0:
        raise Away("It takes root, to make a minimal Debian and enter it: sudo make test-bare.")
    if subprocess.run(["unshare", "--mount", "--pid", "--net", "--fork", "true"], check=False).returncode:
        raise Away("This machine lets nobody make namespaces (`unshare` fails).")


def pack_system(release: str) -> Path:
    """Returns the archive of a minimal system of this release, made unless it is here. Raises Away."""
    archive = KEPT / f"{release}.tar"
    if archive.exists():
        return archive
    KEPT.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(prefix=f"{release}-", dir=KEPT) as name:
        folder = Path(name)
        folder.chmod(0o755)  # it becomes the root
        words = ("--variant=minbase", f"--include={','.join(PACKAGES)}")
        made = subprocess.run(["debootstrap", *words, release, folder], capture_output=True, text=True, check=False)
        if made.returncode:
            raise Away(f"debootstrap cannot make {RELEASES[release]}:\n{made.stdout[-2000:]}{made.stderr[-2000:]}")
        subprocess.run(["chroot", folder, "/usr/sbin/useradd", "--create-home", USER], check=True)
        draft = archive.with_suffix(".part")
        subprocess.run(["tar", "--create", "--file", draft, "--directory", folder, "."], check=True)
        draft.rename(archive)
    return archive


class Debian:
    """A minimal system, unpacked into `root`."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.environ = {"PATH": "/usr/local/bin:/usr/bin:/bin", **self._settings(os.environ)}
        for name in NETWORK:
            self._bring(Path(name))

    def _settings(self, environ: Mapping[str, str]) -> dict[str, str]:
        """Returns how this machine reaches the package index, and brings the files that its settings name."""
        kept = {}
        for name, value in environ.items():
            if name.startswith(OURS) or name.lower() in PROXIES:
                path = Path(value)
                if path.is_absolute() and path.is_file():
                    self._bring(path)
                if not path.is_absolute() or self.inside(path).exists():
                    kept[name] = value
        return kept

    def inside(self, path: Path | str) -> Path:
        """Returns where a path of that system is from outside."""
        return self.root / str(path).lstrip("/")

    def _bring(self, path: Path) -> None:
        if path.is_file():
            self.inside(path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, self.inside(path))

    def put(self, folder: str, user: str) -> None:
        """Puts this working copy into a folder, as a zip of it would be: without .git, and what git ignores."""
        listed = subprocess.run(
            ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            cwd=ROOT, capture_output=True, check=True,
        )  # fmt: skip
        there = self.inside(folder)
        for name in filter(None, listed.stdout.decode().split("\0")):
            if os.path.lexists(ROOT / name):
                (there / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, there / name, follow_symlinks=False)
        subprocess.run(["chroot", self.root, "chown", "--recursive", f"{user}:", folder], check=True)

    def do(self, user: str, *argv: str, network: bool = True, read_only: str = "") -> bool:
        """Runs a command in it as this user; returns whether it succeeds.

        Args:
            network: False leaves it nothing but a loopback of its own.
            read_only: a folder in it to which nobody can write meanwhile.
        """
        offline = "" if network else "--net"
        namespaces = ["--mount", "--pid", "--fork", "--kill-child", *filter(None, [offline])]
        home = "/root" if user == "root" else f"/home/{user}"
        denied = self.inside(read_only) if read_only else ""
        done = subprocess.run(
            ["unshare", *namespaces, "sh", "-c", ENTER, "sh", self.root, user, offline, denied, *argv],
            env={**self.environ, "HOME": home}, check=False,
        )  # fmt: skip
        return done.returncode == 0


@contextmanager
def unpack_system(archive: Path) -> Iterator[Debian]:
    """Yields a fresh system, which is gone after the block."""
    with TemporaryDirectory(prefix="root-", dir=KEPT) as name:
        root = Path(name)
        root.chmod(0o755)
        subprocess.run(["tar", "--extract", "--file", archive, "--directory", root], check=True)
        yield Debian(root)
