"""The mail that says that a season does not take place."""

from pbem.mail.kinds.calledoff import CalledOff
from pbem.services.mail.letter_context import LetterContext
from pbem.services.mail.season_letters import about


def build(context: LetterContext) -> CalledOff | str:
    """Returns the letter."""
    of = about(context)
    if of is None or of.season.status != "cancelled":
        return "stale"
    return CalledOff(**of.fields(), few=of.league.ended_at is None, entry_url=of.entry_url)
