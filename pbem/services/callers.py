"""Who a program is that comes with a token."""

from pbem.services import links
from pbem.services.site import Site
from pbem.services.statements import CALLER
from pbem.services.tokens import SeatClaim


def confirmed_language(site: Site, claim: SeatClaim) -> str | None:
    """The language of the player whose play token this is, None for nobody's. Raises Unauthorized where it ended."""
    with site.glancing() as connection:
        found = CALLER.send(connection, {"match": claim.match_id, "seat": claim.seat}).rows()
    if not found or found[0][0] != claim.epoch:
        with site.reading() as session:
            raise links.refusal(session, claim)
    language: str | None = found[0][1]
    return language
