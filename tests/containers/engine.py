"""The container engine of this machine, and the images to test docker-compose.yml with."""

from __future__ import annotations

import os
import subprocess
import tarfile
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path
from shutil import which
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parents[2]
PYTHON, POSTGRES, REDIS = "python:3.13-slim", "postgres:18", "redis:8"
DEBIAN = "pbem-test-debian"
SUITE = "trixie"
PACKAGES = ("ca-certificates", "postgresql", "python3", "python3-venv", "redis-server")
CERTIFICATES = Path("/etc/ssl/certs/ca-certificates.crt")

# The parts of the official image's entry point on which docker-compose.yml relies.
START_POSTGRES = """#!/bin/sh
set -eu
data=/var/lib/postgresql/data
if [ ! -s "$data/PG_VERSION" ]; then
    install --directory --owner postgres --group postgres --mode 700 "$data"
    password=$(mktemp)
    printf %s "$POSTGRES_PASSWORD" > "$password"
    chown postgres "$password"
    setpriv --reuid postgres --regid postgres --clear-groups initdb --pgdata "$data" --username "$POSTGRES_USER" \
        --pwfile "$password" --auth-local trust --auth-host scram-sha-256 --encoding UTF8
    rm "$password"
    echo 'host all all all scram-sha-256' >> "$data/pg_hba.conf"
    echo "CREATE DATABASE $POSTGRES_DB" |
        setpriv --reuid postgres --regid postgres --clear-groups postgres --single -D "$data" postgres
fi
exec setpriv --reuid postgres --regid postgres --clear-groups postgres -D "$data" -c listen_addresses='*'
"""

# Its Python is where that of the official image is.
DOCKERFILE = f"""FROM {DEBIAN}-packages
COPY start-postgres ca-certificates.crt /
RUN chmod 755 /start-postgres && cp /ca-certificates.crt {CERTIFICATES} && python3 -m venv /usr/local \\
    && ln -s /usr/lib/postgresql/*/bin/* /usr/local/bin/ \\
    && install --directory --owner postgres --group postgres /run/postgresql
ENV PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin PIP_CERT={CERTIFICATES}
"""


class Away(Exception):
    """This machine has no container engine; the message is a sentence that says so."""


class Unusable(Exception):
    """The container engine of this machine cannot be used; the message says why and what to do."""


def run_engine(*argv: str | Path, env: Mapping[str, str] | None = None, stdin: bytes | None = None) -> bytes:
    """Returns what the command prints. Raises AssertionError with its output if it fails."""
    done = subprocess.run(
        argv, cwd=ROOT, env={**os.environ, **(env or {})}, input=stdin, capture_output=True, check=False
    )
    said = (done.stdout + done.stderr).decode(errors="replace")
    assert done.returncode == 0, f"{' '.join(map(str, argv))}\n{said}"
    return done.stdout


def does_engine_work(*argv: str) -> bool:
    """True if the command exists and succeeds."""
    return which(argv[0]) is not None and subprocess.run(argv, capture_output=True, check=False).returncode == 0


def compose_command() -> tuple[str, ...]:
    """Returns the command line of Compose on this machine.

    Raises: Away where there is no engine; Unusable where there is one that does not answer, or that has no Compose.
    """
    if which("docker") is None:
        if which("podman") is None:
            raise Away("There is no container engine here (neither `docker` nor `podman`).")
        raise Unusable("Podman is here without the command `docker`; on Debian: apt-get install podman-docker.")
    if not does_engine_work("docker", "info"):
        raise Unusable("The container engine does not answer (`docker info` fails). Start it.")
    for command in (("docker", "compose"), ("docker-compose",)):
        if does_engine_work(*command, "version"):
            return command
    raise Unusable("The container engine has no Compose here (neither `docker compose` nor `docker-compose`).")


def are_official() -> bool:
    """True if all three official images are here, or could be fetched."""
    return all(
        does_engine_work("docker", "image", "inspect", name) or does_engine_work("docker", "pull", name)
        for name in _NAMES
    )


_NAMES = (PYTHON, POSTGRES, REDIS)


def ensure_debian() -> None:
    """Builds the one image that replaces all three from Debian's packages, unless it is here. Raises Unusable."""
    if does_engine_work("docker", "image", "inspect", DEBIAN):
        return
    if which("debootstrap") is None or os.geteuid() != 0:
        raise Unusable("The official images cannot be had; to make others it takes `debootstrap`, as root.")
    with TemporaryDirectory(prefix="pbem-debian-") as folder:
        Path(folder).chmod(0o755)  # it becomes the image's root
        packages = ",".join(PACKAGES)
        run_engine("debootstrap", "--variant=minbase", f"--include={packages}", SUITE, folder)
        packed = subprocess.Popen(["tar", "--create", "--directory", folder, "."], stdout=subprocess.PIPE)
        subprocess.run(["docker", "import", "-", f"{DEBIAN}-packages"], stdin=packed.stdout, check=True, stdout=-3)
        assert packed.wait() == 0
    run_engine("docker", "build", "--tag", DEBIAN, "-", stdin=_context())


def _context() -> bytes:
    """Returns the build context with this machine's certificates, since its network may need a proxy."""
    packed = BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as tar:
        files = {"Dockerfile": DOCKERFILE.encode(), "start-postgres": START_POSTGRES.encode()}
        for name, content in {**files, "ca-certificates.crt": CERTIFICATES.read_bytes()}.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            tar.addfile(entry, BytesIO(content))
    return packed.getvalue()
