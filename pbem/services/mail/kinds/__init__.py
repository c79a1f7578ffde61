"""How each kind of mails is written from the database: a module a kind, with the name it has in `pbem.mail.kinds`.

A module offers `build`, which gives the letter to send now, or the word that the row's result will be: "stale" where
its reason is gone, "digest" where the day's mail tells of it. Where a mail is counted against other quotas than its
player's, the module offers `quotas_of` as well.
"""

import importlib
from collections.abc import Callable

from sqlmodel import Session

from pbem.mail.kinds import all_kinds
from pbem.mail.letters import Letter
from pbem.models.tables import OutboxRow, Player
from pbem.services.mail.letter_context import Desk
from pbem.services.players import quotas
from pbem.services.site import Site

_MODULES = {kind: importlib.import_module(f"{__name__}.{kind}") for kind in all_kinds()}


def letter_of(desk: Desk) -> Letter | str:
    """The letter that the row stands for now, or the word that its result will be."""
    build: Callable[[Desk], Letter | str] = _MODULES[desk.row.kind].build
    return build(desk)


def quotas_of(site: Site, session: Session, row: OutboxRow, player: Player) -> tuple[quotas.Quota, ...]:
    """The quotas that the mail for this player is counted against before it leaves."""
    own: Callable[..., tuple[quotas.Quota, ...]] | None = getattr(_MODULES[row.kind], "quotas_of", None)
    return own(site, session, row) if own else quotas.of_mail(site, row, player)
