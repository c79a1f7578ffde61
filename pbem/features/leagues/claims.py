"""The links in the mails of leagues: a player's own page of a season, and no weekly mail."""

from dataclasses import dataclass

from pbem.services.tokens import Claim, MailboxClaim

LINKS = ("entry", "week")


class WeeklyClaim(MailboxClaim):
    """The claim of a “no weekly mail” link."""

    purpose = "weekly"


@dataclass(frozen=True)
class EntrantClaim(Claim):
    """The content of the link in a season's mails: an entrant, and the keyed hash of the address it was mailed to."""

    purpose = "entrant"
    entrant_id: int
    digest: str


PURPOSES = (WeeklyClaim.purpose, EntrantClaim.purpose)
