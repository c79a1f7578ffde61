"""The same as `links`, to the address that a player has just changed to."""

from pbem.mail.kinds.readdressed import Readdressed
from pbem.services.mail.kinds import links
from pbem.services.mail.letter_context import LetterContext


def build(context: LetterContext) -> Readdressed:
    """Returns the letter with all links except matches to confirm: those are mailed to the new address again."""
    letter = links.build(context)
    matches = tuple(match for match in letter.matches if match.status != "unconfirmed")
    return Readdressed(**{**vars(letter), "matches": matches})
