"""Prints how libraries that cut replies do on our corpora, beside our own `cutting`.

Run ``python -m tests.features.inbox.incoming.compare``. What a library leaves is read as commands like what we leave: a
reply is right, asked back, or wrong if something is done that nobody has asked for; one that takes a library more than
LIMIT_S counts as asked back. Libraries that are not installed are named; none is needed for anything else, so install
them apart::

    uv pip install --target /tmp/cutters mail-parser-reply quotequail email-reply-parser email-reply-extractor
    PYTHONPATH=/tmp/cutters .venv/bin/python -m tests.features.inbox.incoming.compare
"""

import importlib
import logging
import signal
from collections import Counter
from collections.abc import Callable, Mapping
from email import message_from_bytes
from importlib.metadata import version
from typing import Any
from unittest.mock import patch

import click

from pbem.features.inbox.incoming import bodies, commands, cutting, headers
from pbem.features.inbox.incoming.commands import read_reply
from pbem.features.inbox.incoming.message import read_message
from tests.features.inbox.incoming.corpora import CORPORA
from tests.features.inbox.incoming.corpus import NAMES, Case, read_moves, reader_of_game

LIMIT_S = 1.0
"""Of a processor's time, for a reply; the slowest of ours takes a hundredth of it."""

Cut = Callable[[str], str]


def _mail_parser_reply(library: Any) -> Cut:
    languages = ["en", "de", "cs", "da", "es", "fr", "it", "ja", "ko", "nl", "pl", "sv", "zh"]
    parser = library.EmailReplyParser(languages=languages)
    return lambda text: str(parser.parse_reply(text=text) or "")


def _quotequail(library: Any) -> Cut:
    def cut(text: str) -> str:
        found = library.unwrap(text)
        first = (found or {}).get("text_top") if found else None
        if found and first is None:
            return ""
        kept = first if found else text
        return "\n".join(said for shown, said in library.quote(kept) if shown)

    return cut


LIBRARIES: Mapping[str, tuple[str, Callable[[Any], Cut]]] = {
    "mail-parser-reply": ("mailparser_reply", _mail_parser_reply),
    "quotequail": ("quotequail", _quotequail),
    "email-reply-parser": (
        "email_reply_parser",
        lambda library: lambda text: str(library.EmailReplyParser.parse_reply(text)),
    ),
    "email-reply-extractor": (
        "email_reply_extractor",
        lambda library: lambda text: str(library.extract_new_text(text).text or ""),
    ),
}


class TookTooLong(Exception):
    """A library has not cut a reply within the limit."""


def _interrupt(_number: int, _frame: object) -> None:
    raise TookTooLong


def verdict_on_reply(case: Case, cut: Cut | None) -> str:
    """Returns what becomes of a reply that is cut so; by ourselves, with what the reply tells, if by None."""
    if cut is None:
        text = read_message(case.raw, mail_from=None, recipients=(), own=lambda _: False).text
    else:
        text, _ = bodies.text_of_message(message_from_bytes(case.raw, policy=headers.BOUNDED))
    signal.setitimer(signal.ITIMER_VIRTUAL, LIMIT_S if cut is not None else 0)
    try:
        found = read_reply(text, reader_of_game(case.game), NAMES).commands
    except TookTooLong:
        found = ()
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    if not found:
        return "right" if not case.commands else "asked"
    return "right" if read_moves(case.game, found) == read_moves(case.game, case.commands) else "wrong"


def count_verdicts(cut: Cut | None) -> dict[str, Counter[str]]:
    """Returns the verdicts on each corpus."""
    with patch.object(commands, "cut_quote", cut or cutting.cut_quote):  # there alone
        return {name: Counter(verdict_on_reply(case, cut) for case in cases()) for name, cases in CORPORA.items()}


def main() -> None:
    """Prints the table."""
    logging.disable()
    signal.signal(signal.SIGVTALRM, _interrupt)
    columns = " | ".join(f"{name} ({len(cases())}): right / asked / wrong" for name, cases in CORPORA.items())
    rows = [f"| library | {columns} |", "|---" * (1 + len(CORPORA)) + "|"]
    for name, (module, make) in {"ours": ("", None), **LIBRARIES}.items():
        try:
            cut = make(importlib.import_module(module)) if make is not None else None
        except ImportError:
            rows.append(f"| {name} | not installed |")
            continue
        found = count_verdicts(cut)
        shown = [" / ".join(str(found[one][word]) for word in ("right", "asked", "wrong")) for one in CORPORA]
        rows.append(f"| {name} {version(name) if cut is not None else ''} | {' | '.join(shown)} |")
        click.echo(rows[-1], err=True)
    click.echo("\n".join(rows))


if __name__ == "__main__":
    main()
