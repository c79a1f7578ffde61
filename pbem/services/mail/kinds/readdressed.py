"""The same as `links`, to an address that a player has just changed to."""

from pbem.mail.kinds.readdressed import Readdressed
from pbem.services.mail.kinds import links
from pbem.services.mail.letter_context import Desk


def build(desk: Desk) -> Readdressed:
    """All that the reader has a link to, but for matches to confirm: they are mailed to the new address again."""
    letter = links.build(desk)
    matches = tuple(match for match in letter.matches if match.status != "unconfirmed")
    return Readdressed(**{**vars(letter), "matches": matches})
