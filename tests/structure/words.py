"""Words that stop a reader: in prose, and as the first word of a function's name. `make style` runs this.

Prose is comments, docstrings, names of functions and Markdown; texts that players read are left alone.
"""

from __future__ import annotations

import io
import re
import sys
import tokenize
from collections.abc import Iterator, Mapping
from pathlib import Path

ROOT = Path(__file__).parents[2]
FOLDERS = ("pbem", "workers", "tests", "benchmarks", "examples", "requirements")
PAGES = ("README.md", "CONTRIBUTING.md", "Makefile", "docker-compose.yml", "pyproject.toml", ".env.example")
WORDS = re.compile(r"(?<![a-z])whoever|(?<![a-z])so[ _]many(?![a-z])|(?<![a-z-])anew(?![a-z])", re.IGNORECASE)
FUNCTION = re.compile(r"^[ \t]*(?:async )?def _*((?:test_)?([a-z]+)\w*)", re.MULTILINE)
IRREGULAR = re.compile(
    "begun|bought|brought|built|caught|chosen|dealt|done|drawn|driven|fallen|felt|forgotten|gone|given|grown|heard|held|"
    "hidden|kept|known|laid|led|lent|lost|made|meant|met|paid|said|seen|sent|shown|shut|sold|spent|spoken|stolen|swept|"
    "taken|taught|thought|thrown|told|understood|woken|won|worn|woven|written"
)
ALSO_VERBS_OR_NOUNS = ("embed", "exceed", "feed", "need", "proceed", "seed", "speed", "succeed")
"""What ends like a participle and is none."""
LUCK = ("named", "shuffled")
FOR_PACKAGES: Mapping[str, tuple[str, ...]] = {
    "pbem/kit/chance.py": LUCK,
    "pbem/kit/game/knowing.py": LUCK,
    "pbem/kit/logs/repetition.py": LUCK,
    "pbem/kit/play.py": LUCK,
    "pbem/kit/notation.py": ("spelled",),
    "pbem/kit/words.py": ("counted", "joined", "seen_from", "signed"),
    "pbem/kit/drawing/board.py": ("chosen", "finished", "fitted", "framed", "offered"),
    "pbem/kit/drawing/figures.py": ("chosen", "gone"),
    "pbem/kit/drawing/grid.py": ("fitted",),
    "pbem/kit/drawing/svg.py": ("coloured", "inked", "linked", "moved"),
    "pbem/testing/worlds.py": LUCK,
    "pbem/services/views/seats.py": ("waited_for",),
    "pbem/web/features.py": ("rendered",),
    "tests/kit/test_laws.py": ("named",),
}
"""Names that stay, by file: games and features in packages call them (docs/packages.md), or ours stand for them."""
KINDS_OF_MAIL: Mapping[str, tuple[str, ...]] = {
    "tests/mail/samples.py": ("cancelled", "declined", "displaced", "paused", "readdressed", "started"),
}
"""Names that stay, by file: they are those of the kinds of mails of which these functions make a sample."""


def is_participle(word: str) -> bool:
    """True if a function with this first word is named by what it has done, not by what it does or returns."""
    return bool(IRREGULAR.fullmatch(word)) or (word.endswith("ed") and word not in ALSO_VERBS_OR_NOUNS)


def participles(source: str) -> list[str]:
    """Returns the names of the functions of a module that begin with a participle, tests' apart."""
    return [name for name, word in FUNCTION.findall(source) if not name.startswith("test_") and is_participle(word)]


def words_of_code(source: str) -> list[str]:
    """Returns the words in comments, docstrings and names of functions of a module."""
    if not any(word in source.lower() for word in ("whoever", "so many", "so_many", "anew")):
        return []
    prose = [name for name, _ in FUNCTION.findall(source)]
    before = tokenize.NEWLINE
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            prose.append(token.string)
        elif token.type == tokenize.STRING and before in (tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT):
            prose.append(re.sub(r"`[^`]*`", "", token.string))  # a docstring
        if token.type not in (tokenize.COMMENT, tokenize.NL):
            before = token.type
    return [found for text in prose for found in WORDS.findall(text)]


def words_of_page(text: str) -> list[str]:
    """Returns the words on a page, but for names in code."""
    return WORDS.findall(re.sub(r"`[^`]*`", "", text))


def findings(root: Path) -> Iterator[str]:
    """Yields each finding as a sentence: its file, what stands there, and what it is."""
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*.py")):
            if folder == "pbem" and {"workers", "templates"} & {*path.relative_to(root / folder).parts[:1]}:
                continue  # links to folders beside
            name, source = path.relative_to(root).as_posix(), path.read_text(encoding="utf-8")
            yield from (f"{name}: {word} (words)" for word in words_of_code(source))
            stay = {**FOR_PACKAGES, **KINDS_OF_MAIL}.get(name, ())
            yield from (f"{name}: {one} (participles)" for one in participles(source) if one not in stay)
    for path in (*sorted((root / "docs").rglob("*.md")), *(root / name for name in PAGES)):
        words = words_of_page(path.read_text(encoding="utf-8"))
        yield from (f"{path.relative_to(root).as_posix()}: {word} (words)" for word in words)


if __name__ == "__main__":
    wrong = [*findings(ROOT)]
    sys.stdout.write("".join(f"{line}\n" for line in wrong))
    sys.exit(bool(wrong))
