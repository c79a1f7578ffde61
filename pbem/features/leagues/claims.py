"""The links in the mails of leagues: a player's own page of a season, and no weekly mail."""

from dataclasses import dataclass

from pbem.services.tokens import MailboxClaim, Tokens

PURPOSES = ("weekly", "entrant")
LINKS = ("entry", "week")


class WeeklyClaim(MailboxClaim):
    """The claim of a “no weekly mail” link."""


@dataclass(frozen=True)
class EntrantClaim:
    """The content of the link in a season's mails: an entrant, and the keyed hash of the address it was mailed to."""

    entrant_id: int
    digest: str


def for_weekly(tokens: Tokens, player_id: int, canonical: str) -> str:
    """Returns the token behind "no weekly mail". It has no epoch, and can do nothing else."""
    return tokens.sign("weekly", player_id, tokens.address_digest(canonical))


def read_weekly(tokens: Tokens, token: str) -> WeeklyClaim:
    """Returns the player and the mailbox of a weekly token. Raises Unauthorized."""
    player_id, digest = tokens.read("weekly", token, 2)
    return WeeklyClaim(int(player_id), digest)


def for_entrant(tokens: Tokens, entrant_id: int, canonical: str) -> str:
    """Returns the token with which a player enters a season or withdraws; for its own mailbox only."""
    return tokens.sign("entrant", entrant_id, tokens.address_digest(canonical))


def read_entrant(tokens: Tokens, token: str) -> EntrantClaim:
    """Returns the entrant and the mailbox of an entrant's token. Raises Unauthorized."""
    entrant_id, digest = tokens.read("entrant", token, 2)
    return EntrantClaim(int(entrant_id), digest)
