"""A small system of Debian testing in a folder, for a Python that this system lacks; made by debootstrap, as root.

Its programs run in namespaces of their own, which take their mounts and their processes with them when they end.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

PACKAGES = ("python3.14", "python3.14-venv", "ca-certificates", "libegl1", "libgl1", "procps", "curl", "make")
CERTIFICATES = "/etc/ssl/certs/ca-certificates.crt"
ENTER = """
set -e
root=$1 checkout=$2; shift 2
mount --bind "$root" "$root"  # so that it is a mount, as the root of a system is
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
mount -t tmpfs tmpfs "$root/dev/shm"
mkdir -p "$root$checkout"
mount --bind "$checkout" "$root$checkout"
set +e
chroot "$root" /bin/sh -c 'cd "$1" && shift && exec "$@"' sh "$checkout" "$@"
exit $?
"""
"""The shell stays, as the first process, to take the orphans of what the tests kill."""


def why_no_root() -> str:
    """Returns why no such system can be made here; "" if it can."""
    if os.geteuid() != 0:
        return "Debian testing, which has it, takes root rights"
    lacking = [name for name in ("debootstrap", "unshare", "chroot") if shutil.which(name) is None]
    return f"Debian testing, which has it, takes {' and '.join(lacking)}" if lacking else ""


class Root:
    """The system in `folder`, in which the checkout is under the same path as here."""

    def __init__(self, folder: Path, checkout: Path) -> None:
        """Makes the system if it is not there."""
        self.folder, self._checkout = folder, checkout
        if not folder.exists():
            folder.parent.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(dir=folder.parent) as half:
                made = Path(half) / "root"
                argv = ["debootstrap", "--variant=minbase", f"--include={','.join(PACKAGES)}", "testing", str(made)]
                subprocess.run(argv, check=True, stdout=subprocess.DEVNULL)
                made.rename(folder)

    def run(self, *argv: str | Path, quiet: bool = False) -> subprocess.CompletedProcess[str]:
        """Runs the command in the checkout; `quiet` keeps what it prints."""
        for ours in ("/etc/resolv.conf", os.environ.get("SSL_CERT_FILE", CERTIFICATES)):
            theirs = self.folder / (ours if ours == "/etc/resolv.conf" else CERTIFICATES).lstrip("/")
            if Path(ours).exists():
                theirs.unlink(missing_ok=True)
                shutil.copyfile(ours, theirs)
        environ = {name: value for name, value in os.environ.items() if not name.startswith("SSL_CERT_")}
        environ |= {
            "SSL_CERT_FILE": CERTIFICATES,
            "PATH": "/usr/sbin:/usr/bin:/sbin:/bin",
            "HOME": "/root",
            "TMPDIR": "/dev/shm",
        }
        enter = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c", ENTER, "sh"]
        known = [*enter, str(self.folder), str(self._checkout), *map(str, argv)]
        return subprocess.run(known, env=environ, capture_output=quiet, text=True, check=False)
