"""The same as `links`, to the owner of a seat whose links were renewed on its page."""

from pbem.mail.kinds.links import MyLinks
from pbem.services.mail.kinds import links
from pbem.services.mail.letter_context import LetterContext


def build(context: LetterContext) -> MyLinks:
    """Returns the letter with all the reader's links."""
    return links.build(context)
