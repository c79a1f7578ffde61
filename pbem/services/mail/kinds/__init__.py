"""Builds each kind of mail from the database: one module per kind, named as in `pbem.mail.kinds`.

A module offers `build`, which returns the letter to send now, or the word that becomes the row's result: "stale" if its
reason is gone, "digest" if the daily digest covers it. If a mail counts against other quotas than its player's, the
module offers `quotas_of` as well.
"""

import importlib
from collections.abc import Callable

from sqlmodel import Session

from pbem.mail.kinds import all_kinds
from pbem.mail.letters import Letter
from pbem.models.tables import OutboxRow, Player
from pbem.services.mail.letter_context import LetterContext
from pbem.services.players import quotas
from pbem.services.site import Site

_MODULES = {kind: importlib.import_module(f"{__name__}.{kind}") for kind in all_kinds()}


def letter_of(context: LetterContext) -> Letter | str:
    """Returns the letter of the row as of now, or the word that becomes its result."""
    build: Callable[[LetterContext], Letter | str] = _MODULES[context.row.kind].build
    return build(context)


def quotas_of(site: Site, session: Session, row: OutboxRow, player: Player) -> tuple[quotas.Quota, ...]:
    """Returns the quotas that the mail for this player counts against before it leaves."""
    own: Callable[..., tuple[quotas.Quota, ...]] | None = getattr(_MODULES[row.kind], "quotas_of", None)
    return own(site, session, row) if own else quotas.of_mail(site, row, player)
