"""`make mutants`: changes the code in small ways, and says which changes no test notices.

`python -m tests.mutants --seed 7 --number 90`. The same seed draws the same mutants, however the tests change, and
mostly the same after a change of the code. Each runs in a copy of the tree, with the tests alone that execute the
changed line: in a fork at first, and what lives there once more in processes of its own, with all of these tests. What
`make test` lets live is left to those of the long run that test its room. One is killed by a failed test, or by a hang.
Exits with 1 if fewer than the bar die by `make test` alone, or if too many count as equivalent.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import secrets
import sys
import threading
import time
import tomllib
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.mutants.forking import Forks, can_run
from tests.mutants.lines import (
    BUILD,
    LONG,
    ROOT,
    TREE,
    Lines,
    copy_tree,
    is_outside,
    mirroring_test_folder,
    record_lines,
    run_pytest,
)
from tests.mutants.mutations import Mutant, mutants_of_source
from tests.mutants.recording import SELECT

PACKAGES = ("kit", "mail", "render", "services", "features")
TESTS = ("tests", "pbem/kit", "pbem/games", "pbem/mail", "pbem/render", "pbem/services", "pbem/features")
EQUIVALENT = Path(__file__).with_name("equivalent.toml")
MOST_EQUIVALENT = 0.1
FIRST = 25
"""This many tests run at first, for a test file is collected whole; most mutants die there."""


def all_mutants(paths: Sequence[str]) -> list[Mutant]:
    """Returns every mutant of the files at or below these paths."""
    found = list[Mutant]()
    for path in paths:
        for file in sorted((ROOT / path).rglob("*.py")) if (ROOT / path).is_dir() else [ROOT / path]:
            found += mutants_of_source(file.read_text(), file.relative_to(ROOT).as_posix())
    return found


def draw_mutants(found: Sequence[Mutant], seed: str, number: int) -> list[Mutant]:
    """Returns this many of them by chance; each has its own lot, so that most stay when some code changes."""
    lot = {one: hashlib.sha256("\0".join((seed, *one.key)).encode()).digest() for one in found}
    return sorted(found, key=lot.__getitem__)[:number]


def equivalents_of_file(file: Path = EQUIVALENT) -> dict[tuple[str, str, str, str], str]:
    """Returns the reasons of those that no test can notice, by their keys."""
    told = tomllib.loads(file.read_text()).get("mutant", [])
    return {(one["file"], one["function"], one["was"], one["becomes"]): one["reason"] for one in told}


def _run(tests: Sequence[str], limit: float | None = None) -> tuple[int, str]:
    chosen = BUILD / "tests.txt"
    chosen.write_text("\n".join(tests))
    files = sorted({test.split("::")[0] for test in tests})
    return run_pytest("-x", *files, limit=limit, environ={"PYTHONDONTWRITEBYTECODE": "1", SELECT: str(chosen)})


def _within(mutant: Mutant, lines: Lines, budget: float) -> list[str]:
    """Returns the tests that execute the mutant: those of its own room, then the others, the quickest of each first.

    Of each as many as the budget allows, or one.
    """
    room = mirroring_test_folder(mutant.file)
    own, chronicle = f"{room}/", f"[{Path(room).name}/"
    found, within = lines.tests(mutant), list[str]()
    for near in (True, False):
        total = 0.0
        for test in found:
            if (test.startswith(own) or chronicle in test) != near:
                continue
            total += lines.seconds[test]
            if total > budget and within:
                break
            within.append(test)
    return within


def _try_in_forks(drawn: Sequence[Mutant], trials: Mapping[Mutant, list[str]], lines: Lines, many: int) -> set[Mutant]:
    """Tries all of them in this many processes at once; returns those that a test has killed."""
    files = sorted({test.split("::")[0] for test in lines.seconds})
    killed, waiting = set[Mutant](), iter([one for one in drawn if one.function and not is_outside(one)])
    drawing = threading.Lock()

    def work() -> None:
        forks = Forks(TREE, files)
        while True:
            with drawing:
                mutant = next(waiting, None)
            if mutant is None:
                break
            tests = [test for test in trials[mutant] if can_run(test)]
            path, limit = TREE / mutant.file, 30 + 5 * sum(lines.seconds[test] for test in tests)
            answer = forks.try_(path, mutant.apply(path.read_text()), tests, limit)
            if answer.get("failed"):
                killed.add(mutant)
                sys.stderr.write(f"killed {mutant.file}:{mutant.line}: {answer['failed'][:150]}\n")
        forks.close()

    with ThreadPoolExecutor(many) as pool:
        for one in [pool.submit(work) for _ in range(many)]:
            one.result()
    return killed


def _try_alone(mutant: Mutant, tests: Sequence[str], lines: Lines) -> str:
    """Tries it in processes of its own; returns what killed it, or ""."""
    path = TREE / mutant.file
    source = path.read_text()
    path.write_text(mutant.apply(source))
    try:
        for batch in (tests[:FIRST], tests[FIRST:]):
            if not batch:
                continue
            limit = 60 + 5 * sum(lines.seconds[test] for test in batch)
            code, said = _run(batch, limit)
            if code == -1:
                # The machine may be slower than when it recorded: what do these tests take now?
                path.write_text(source)
                began = time.monotonic()
                _run(batch)
                path.write_text(mutant.apply(source))
                limit = max(limit, 30 + 5 * (time.monotonic() - began))
                code, said = _run(batch, limit)
            if code == -1:
                return f"hangs for {limit:.0f} s"
            if code == 5:
                sys.exit(f"none of the tests that execute {mutant.file}:{mutant.line} was found again:\n{said}")
            if code:
                failed = [line for line in said.splitlines() if line.startswith(("FAILED ", "ERROR "))]
                return failed[0] if failed else said.strip().splitlines()[-1]
    finally:
        path.write_text(source)
    return ""


def main(words: Sequence[str] | None = None) -> None:
    """Tries the mutants, prints those that live, and exits with 1 below the bar."""
    parser = argparse.ArgumentParser(prog="make mutants", description=__doc__)
    parser.add_argument("--seed", default=secrets.token_hex(4), help="the same seed draws the same mutants")
    parser.add_argument("--number", type=int, default=90, help="how many")
    parser.add_argument("--only", nargs="+", metavar="PATH", default=[f"pbem/{name}" for name in PACKAGES])
    parser.add_argument("--tests", nargs="+", metavar="PATH", default=TESTS, help="only these tests try to kill them")
    parser.add_argument("--bar", type=float, default=0.95, help="the share that has to die")
    parser.add_argument("--budget", type=float, default=60, help="seconds for one mutant: of its room, of others")
    parser.add_argument("--processes", type=int, default=1, help="how many record lines and try mutants at once")
    parser.add_argument("--list", action="store_true", help="only print the mutants that are drawn")
    args = parser.parse_args(words)
    sys.stderr.write(f"seed {args.seed}\n")
    drawn, known = draw_mutants(all_mutants(args.only), args.seed, args.number), equivalents_of_file()
    if args.list:
        sys.stdout.write("\n".join(_describe(one, known.get(one.key, "")) for one in drawn) + "\n")
        return
    os.environ["PYTHONHASHSEED"] = "0"
    lines = record_lines(tuple(args.tests), args.processes)
    copy_tree()
    tried = [mutant for mutant in drawn if mutant.key not in known]
    trials = {mutant: _within(mutant, lines, args.budget) for mutant in tried}
    killed, living = _try_in_forks(tried, trials, lines, args.processes), list[str]()
    for mutant in [mutant for mutant in tried if mutant not in killed]:
        if how := _try_alone(mutant, trials[mutant], lines):
            killed.add(mutant)
            sys.stderr.write(f"killed {mutant.file}:{mutant.line}: {how[:150]}\n")
    quick = len(killed)
    rest = [mutant for mutant in tried if mutant not in killed]
    long = record_lines(tuple({mirroring_test_folder(mutant.file) for mutant in rest}), args.processes, LONG)
    for mutant in rest:
        within = _within(mutant, long, args.budget)
        if how := _try_alone(mutant, within, long):
            killed.add(mutant)
            living.append(_describe(mutant, f"only the long run: {how[:150]}"))
        tests = len(trials[mutant]) + len(within)
        every = len(lines.tests(mutant)) + len(long.tests(mutant))
        said = f"{tests} of {every} tests did not notice" if tests else "no test executes it"
        if not how:
            living.append(_describe(mutant, said))
        sys.stderr.write(f"{'killed' if how else 'LIVES'} {mutant.file}:{mutant.line}: {(how or said)[:150]}\n")
    same = len(drawn) - len(tried)
    share, of_all = (count / max(1, len(tried)) for count in (quick, len(killed)))
    sys.stdout.write("".join(f"{one}\n" for one in living))
    told = f"{quick} of {len(tried)} killed by make test ({share:.3f})"
    sys.stdout.write(f"seed {args.seed}: {told}, {len(killed)} with the long run ({of_all:.3f}), {same} equivalent\n")
    sys.exit(0 if share >= args.bar and same <= MOST_EQUIVALENT * len(drawn) else 1)


def _describe(mutant: Mutant, how: str) -> str:
    where = f"{mutant.file}:{mutant.line} {mutant.function}"
    return f"{where}: {how}\n  - {mutant.was}\n  + {mutant.becomes}"


if __name__ == "__main__":
    main()
