"""Builds each kind of mail from the database: one module per kind, named as in `pbem.mail.kinds`, or a feature's.

A module offers `build`, which returns the letter to send now, or the word that becomes the row's result: "stale" if its
reason is gone, "digest" if the daily digest covers it. If a mail counts against other quotas than its player's, the
module offers `quotas_of` as well.
"""

import importlib
from collections.abc import Callable
from functools import cache
from types import ModuleType

from sqlmodel import Session

from pbem.discovery import room
from pbem.mail.kinds import LETTERS, OURS
from pbem.mail.letters import Letter
from pbem.models.tables import OutboxRow, Player
from pbem.services.mail.letter_context import LetterContext
from pbem.services.players import quotas
from pbem.services.site import Site


@cache
def builder_of(kind: str) -> ModuleType:
    """Returns the module that builds mails of this kind."""
    return importlib.import_module(f"{__name__}.{kind}" if kind in OURS else room(LETTERS)[kind].module)


def letter_of(context: LetterContext) -> Letter | str:
    """Returns the letter of the row as of now, or the word that becomes its result."""
    build: Callable[[LetterContext], Letter | str] = builder_of(context.row.kind).build
    return build(context)


def quotas_of(site: Site, session: Session, row: OutboxRow, player: Player) -> tuple[quotas.Quota, ...]:
    """Returns the quotas that the mail for this player counts against before it leaves."""
    own: Callable[..., tuple[quotas.Quota, ...]] | None = getattr(builder_of(row.kind), "quotas_of", None)
    return own(site, session, row) if own else quotas.of_mail(site, row, player)
