"""The links that somebody asked for."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from pbem.mail.letters import Kind, Letter
from pbem.mail.parts import MatchLink


@dataclass(frozen=True, kw_only=True)
class MyLinks(Letter):
    """The links that were asked for. `account_url` works for `life`, the others as long as their match."""

    kind = "links"
    lists = ("matches",)

    account_url: str
    life: timedelta
    matches: tuple[MatchLink, ...]
    newcomer: bool = False
    """True if nobody has used the account yet, and it has no match: somebody has typed the address to sign up."""


KIND = Kind(MyLinks, capped=True, on_request=True, proves_address=True)
