"""The same as `links`, to an address that a player has just changed to."""

from dataclasses import dataclass

from pbem.mail.letters import Kind
from pbem.services.mail.kinds import links
from pbem.services.mail.kinds.links import MyLinks
from pbem.services.mail.letter_context import LetterContext


@dataclass(frozen=True, kw_only=True)
class Readdressed(MyLinks):
    """Mails now go to this address: the older links to the reader's seats no longer work."""


def build(context: LetterContext) -> Readdressed:
    """Returns the letter with all links except matches to confirm: those are mailed to the new address again."""
    letter = links.build(context)
    matches = tuple(match for match in letter.matches if match.status != "unconfirmed")
    return Readdressed(**{**vars(letter), "matches": matches})


KIND = Kind(Readdressed, build, proves_address=True)
