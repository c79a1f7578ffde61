"""Looks up whether every locked package installs without a compiler, and what they weigh: `make test-wheels`.

macOS, and Linux on ARM, are not run here, so the package index is asked instead, by uv: for each Python and system it
resolves the locks with wheels alone. A package that has none anywhere must build where there is no compiler. What was
found is kept in wheels.json beside the hash of the locks, and `make test` compares the hash: after `make lock` this has
to run again.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from zipfile import ZipFile

ROOT = Path(__file__).parents[2]
LOCKS = {name: ROOT / "requirements" / f"{name}.txt" for name in ("run", "dev", "build", "uv")}
FOUND = Path(__file__).with_name("wheels.json")
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
# macOS on ARM and on Intel; the C library of Debian 12, which Debian 13 and Ubuntu 24.04 can use, too.
SYSTEMS = ("aarch64-apple-darwin", "x86_64-apple-darwin", "x86_64-manylinux_2_36", "aarch64-manylinux_2_36")
UV = ROOT / ".uv" / "bin" / "uv"
PIP = (ROOT / ".uv" / "bin" / "python", "-m", "pip", "--disable-pip-version-check")


def digest_of_locks() -> str:
    """The hash of all locks."""
    return hashlib.sha256(b"".join(lock.read_bytes() for lock in LOCKS.values())).hexdigest()


def requirements_of_lock(lock: Path) -> dict[str, str]:
    """Returns the lines of a lock without hashes, by `name==version`."""
    lines = re.findall(r"^(?=\S+==)(.*?) \\$", lock.read_text(), re.MULTILINE)
    return {line.split()[0]: line for line in lines}


def without_wheel(folder: Path, python: str, system: str, known: set[str]) -> set[str]:
    """Returns the packages that have no wheel for this Python and system, beside the known ones."""
    lines, missing = (
        requirements_of_lock(LOCKS["dev"]) | requirements_of_lock(LOCKS["build"]) | requirements_of_lock(LOCKS["uv"]),
        set[str](),
    )
    asked = folder / "asked.txt"
    while True:
        asked.write_text("\n".join(line for name, line in lines.items() if name not in known | missing))
        done = subprocess.run(
            [UV, "pip", "compile", "--quiet", "--no-config", "--no-header", "--no-annotate", "--no-deps",
             "--only-binary", ":all:", "--python-version", python, "--python-platform", system, asked],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        if done.returncode == 0:
            return missing
        said = re.findall(r"(?:Because|and) (\S+==\S+) has no ", " ".join(done.stderr.split()))
        if not said:
            sys.exit(done.stderr)
        missing |= set(said)


def builds_alone(folder: Path, package: str) -> bool:
    """True if it builds without a compiler, into a wheel that holds none of its work."""
    environ = {**os.environ, **dict.fromkeys(("CC", "CXX", "CARGO", "RUSTC"), "false")}
    words = ("wheel", "--quiet", "--no-deps", "--no-cache-dir", "--no-binary", ":all:", "--wheel-dir", folder / package)
    if subprocess.run([*PIP, *words, package], env=environ, check=False).returncode:
        return False
    (built,) = (folder / package).iterdir()
    return not any(name.endswith((".so", ".dylib", ".a")) for name in ZipFile(built).namelist())


def megabytes_of_lock(folder: Path, lock: Path) -> int:
    """Returns what a lock's files for this machine weigh together."""
    words = ("download", "--quiet", "--no-deps", "--require-hashes", "--dest", folder / lock.stem)
    subprocess.run([*PIP, *words, "--requirement", lock], check=True)
    return round(sum(each.stat().st_size for each in (folder / lock.stem).iterdir()) / 1e6)


def main() -> None:
    """Writes what it has found. Exits with a sentence where a package needs a compiler."""
    with TemporaryDirectory() as name:
        folder, missing = Path(name), set[str]()
        for system in SYSTEMS:
            for python in PYTHONS:
                more = without_wheel(folder, python, system, missing)
                print(f"{system}, Python {python}: no wheel for {len(missing | more)}", *sorted(more), flush=True)  # noqa: T201
                missing |= more
        compiled = [package for package in sorted(missing) if not builds_alone(folder, package)]
        if compiled:
            sys.exit(f"These need a compiler where they have no wheel: {', '.join(compiled)}")
        uv = megabytes_of_lock(folder, LOCKS["uv"])
        weights = {lock: megabytes_of_lock(folder, LOCKS[lock]) + uv for lock in ("run", "dev")}
    found = {"locks": digest_of_locks(), "built": sorted(missing), "megabytes": weights}
    FOUND.write_text(json.dumps(found, indent=2) + "\n")
    print(f"All others have wheels. Together they weigh {weights} MB; {FOUND.name} holds it.")  # noqa: T201


if __name__ == "__main__":
    main()
