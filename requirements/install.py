"""Installs into .venv what pbem needs, with uv in .uv; the locks beside this file bind all of it to its hashes.

    python3 requirements/install.py run         what pbem runs with
    python3 requirements/install.py dev         that, and what it is developed with
    python3 requirements/install.py uv WORDS    uv alone, and runs it with these words, if there are any

`make` calls it each time, in its folder, with Python 3.11 or newer; mostly it finds everything done. After each step
a marker is written, so the next run makes good what an interrupted one has left.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import re
import subprocess
import sys
from pathlib import Path

UV, VENV, LOCKS = Path(".uv"), Path(".venv"), Path("requirements")
THIS = (sys.version, sys.base_prefix)
MEGABYTES = {"run": 100, "dev": 250}
"""What the files of each lock weigh for Linux, with uv; tests/bare/wheels.py adds it up."""

# What builds pbem, and those libraries that come as sources alone, is bound to its hashes, too.
BUILDS = ("--build-constraints", "requirements/build.txt", "--require-build-hashes")
NO_VENV = "This Python cannot make virtual environments. On Debian: apt-get install python3-venv"
NOT_FETCHED = "The packages cannot be fetched (see above). The first time, make needs the internet."


def call(*words: str | Path, failure: str | None = None) -> None:
    """Runs a program, which inherits the lock: it is held until the last one ends. Exits if the program fails."""
    code = subprocess.run(words, close_fds=False, check=False).returncode
    if code:
        sys.exit(failure or code)


def read(file: Path) -> bytes | None:
    """Returns the only line of a marker, or None."""
    return file.read_bytes().removesuffix(b"\n") if file.exists() else None


def take_lock() -> None:
    """Returns when no other process installs into this folder. The lock is on the Makefile."""
    lock = os.open("Makefile", os.O_RDONLY)
    os.set_inheritable(lock, True)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        print("pbem: another make installs into this folder; this one waits for it.", file=sys.stderr, flush=True)
        fcntl.flock(lock, fcntl.LOCK_EX)
    except OSError:
        pass  # a file system without locks


def check_writable() -> None:
    """Exits with a sentence if nothing can be installed here."""
    for each in (Path(), UV, VENV):
        if each.exists() and not os.access(each, os.W_OK):
            sys.exit(f"make cannot write to {each.absolute()}: put pbem into a folder of yours.")


def home_keeps_cache() -> bool:
    """True if uv can keep what it fetches where it does by default."""
    xdg, home = os.environ.get("XDG_CACHE_HOME"), os.environ.get("HOME", "")
    places = [f"{xdg}/uv", xdg] if xdg else [f"{home}/.cache/uv", f"{home}/.cache", home]
    return next((os.access(each, os.W_OK) for each in places if os.path.exists(each)), False)


def python_of(environment: Path) -> tuple[str, ...] | None:
    """Returns the version and the origin of its Python; None if that has gone, or has other folders for libraries."""
    asked = "import sys; print(sys.version, sys.base_prefix, sep='\\0', end='')"
    try:
        program = (environment / "bin" / "python", "-IS", "-c", asked)
        version, origin = subprocess.run(program, capture_output=True, text=True, check=True).stdout.split("\0")
    except (OSError, ValueError, subprocess.CalledProcessError):
        return None
    libraries = environment / "lib" / "python{}.{}".format(*version.split("."))
    return (version, origin) if libraries.is_dir() else None


def why_again() -> str | None:
    """Returns why environments that were made must be made again, as after an upgrade of the system."""
    pythons = {each: python_of(each) for each in (UV, VENV) if (each / "pyvenv.cfg").exists()}
    if None in pythons.values():
        return "their Python has gone"
    return "PYTHON names another one" if os.environ.get("PYTHON") and pythons.get(UV, THIS) != THIS else None


def make_uv() -> None:
    """Makes .uv with this Python, unless it holds the locked uv, and nothing speaks against its own."""
    done = UV / re.findall(r"^uv==(\S+)", (LOCKS / "uv.txt").read_text(), re.MULTILINE)[0]
    why = why_again()
    if done.exists() and not why:
        return
    check_writable()
    try:
        import ensurepip  # noqa: F401
        import venv  # noqa: F401
    except ImportError:
        sys.exit(NO_VENV)
    if why:
        print(f"Making .uv and .venv again: {why}.", flush=True)
    (VENV / ".place").unlink(missing_ok=True)
    call(sys.executable, "-m", "venv", "--clear", UV)
    pip = (UV / "bin" / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check")
    call(*pip, "--require-hashes", "--requirement", LOCKS / "uv.txt", failure=NOT_FETCHED)
    done.touch()


def make_venv() -> None:
    """Makes .venv, unless it was made with this .uv, in this folder: its programs name it."""
    place = VENV / ".place"
    if read(place) == os.getcwdb():
        return
    check_writable()
    if place.exists():
        print("Making .venv again: its folder was moved.", flush=True)
    call(UV / "bin" / "uv", "venv", "--quiet", "--clear", "--python", UV / "bin" / "python", VENV)
    place.write_bytes(os.getcwdb())


def install(kind: str) -> None:
    """Makes .venv hold what the lock names, and pbem. An environment that has the development tools keeps them."""
    markers = {each: VENV / f".{each}" for each in MEGABYTES}
    locks = {each: LOCKS / f"{each}.txt" for each in MEGABYTES}
    shared = (LOCKS / "build.txt", LOCKS / "install.py", Path("pyproject.toml"))
    wanted = {each: digest(lock, *shared) for each, lock in locks.items()}
    if markers["dev"].exists():
        kind = "dev"
    if read(markers[kind]) == wanted[kind]:
        return
    check_writable()
    if not markers[kind].exists():
        count = len(re.findall(r"^\S+==", locks[kind].read_text(), re.MULTILINE))
        print(f"pbem: fetching {count} packages, some {MEGABYTES[kind]} MB, into .venv/, once.", flush=True)
    for each, marker in markers.items():
        if read(marker) not in (None, wanted[each]):
            marker.write_bytes(b"")  # if this is interrupted, the old lock may come back
    uv, python = UV / "bin" / "uv", VENV / "bin" / "python"
    into = ("--quiet", "--python", python, *BUILDS)
    call(uv, "pip", "sync", *into, "--require-hashes", "--compile-bytecode", locks[kind], failure=NOT_FETCHED)
    call(uv, "pip", "install", *into, "--no-deps", "--editable", ".", failure=NOT_FETCHED)
    # Python 3.11 reads such a link in the encoding of the locale: with LC_ALL=C it would fail at a folder's umlaut.
    for link in VENV.glob("lib/python*/site-packages/_editable_impl_pbem.pth"):
        link.write_text("../../../..\n")
    # Where Python is told to write no bytecode, `pbem run` would compile all it imports at each start, for seconds.
    call(python, "-m", "compileall", "-q", "pbem", "workers")
    markers[kind].write_bytes(wanted[kind])


def digest(*files: Path) -> bytes:
    """Returns the hash of their contents together."""
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest().encode()


def main(kind: str, *words: str) -> None:
    """Installs this kind, under the lock, in the folder of the Makefile; the words are for uv."""
    if not home_keeps_cache():
        os.environ.setdefault("UV_CACHE_DIR", str(UV.absolute() / "cache"))
    make_uv()
    if kind != "uv":
        make_venv()
        install(kind)
    elif words:
        call(UV / "bin" / "uv", *words)


if __name__ == "__main__":
    try:
        take_lock()
        main(*sys.argv[1:])
    except OSError as error:
        sys.exit(f"pbem cannot be installed: {error}")
    except KeyboardInterrupt:
        sys.exit(130)
