"""The transaction of a move from kept rows (`kept`): it reads nothing, and all that it writes is one batch.

Two statements do what a move mostly needs: the first locks the match and compares it, and the second, which so sees
what was committed before the lock was had, compares what is the mover's own and writes. If one fails, nothing has
happened. Where more is to be written, the move takes the lock.
"""

from collections.abc import Sequence
from typing import Any, Self

import msgspec
from sqlalchemy.exc import IntegrityError

from pbem.models.engine import translate_errors
from pbem.models.prepared import Unmet
from pbem.models.schema.revisions import NEWEST_SCHEMA
from pbem.services import statements
from pbem.services.counters import Mark
from pbem.services.site import Head, Site, Work
from pbem.services.statements import Written

_encoder = msgspec.json.Encoder()


def _rows_as_json(rows: list[dict[str, Any]]) -> str:
    return _encoder.encode(rows).decode()


class Outrun(Exception):
    """The rows that this process has kept of a match do not do for this: nothing has changed, and it takes the lock."""


class OneBatch:
    """A transaction that sends one batch and nothing else: what a `Work` is without its session."""

    made: Head | None = None
    leaves: Any = None
    wakes = False
    head: Any = Work.head
    count: Any = Work.count
    finish: Any = Work.finish

    def __init__(self, site: Site) -> None:
        self.site, self.heads, self.views = site, site.heads, None
        self.marks, self.tables, self.lacks_folds = list[Mark](), dict[str, Any](), set[str]()
        self.has_sent = False
        self.may_have_sent = False
        """True once it has had a connection: if that is lost, nobody knows whether the batch has committed."""

    def __getattr__(self, name: str) -> Any:
        """Raises Outrun for all that a session has, and RuntimeError after the batch, which has committed."""
        if self.has_sent:
            raise RuntimeError("a transaction went on after the batch that has committed it")
        raise Outrun

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        """Does what is to be done after the commit."""
        if kind is None:
            self.finish()

    def send(self, on: dict[str, Any], entries: list[dict[str, Any]], also: Sequence[Written]) -> None:
        """Sends the batch: `on` is for `statements.GUARD`; the rows of the log's new entries, and `also`.

        Raises Outrun if the rows are out of date.
        """
        answered = [one.values for one in also if one.must]
        if not answered:
            raise Outrun
        asked, mails, upto, former = list[Any](), list[Any](), -1, None
        for one in also:
            match one.statement:
                case statements.OPEN_ASK:
                    asked.append(one.values)
                case statements.CONTINUE_ASK:
                    asked.append(one.values)
                    former = one.values["after"]
                case statements.MAIL:
                    mails.append(one.values)
                case statements.SEEN:
                    upto = one.values["upto"]
                case _ if not one.must:  # such as folds to be kept
                    raise Outrun
        move = {
            **answered[0], "upto": upto, "former": former, "entries": _rows_as_json(entries),
            "asks": _rows_as_json(asked), "mails": _rows_as_json(mails),
        }  # fmt: skip
        try:
            with translate_errors(), self.site.engine.connect() as connection:
                self.may_have_sent = True
                statements.FROM_KEPT.send(connection, {**on, "schema": NEWEST_SCHEMA}, move)
        except (Unmet, IntegrityError) as error:
            raise Outrun from error
        self.has_sent = True
