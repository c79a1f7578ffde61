"""The mail with which a typed address enters a season."""

from pbem.mail.kinds.entry import Entry
from pbem.services.leagues.news import ENTERED, INVITED
from pbem.services.mail.letter_context import LetterContext
from pbem.services.mail.season_letters import about


def build(context: LetterContext) -> Entry | str:
    """Returns the letter; stale once the season has begun, or if they have declined."""
    of = about(context)
    if of is None or of.season.status != "open" or of.entrant.status not in (ENTERED, INVITED):
        return "stale"
    entered = of.entrant.status == ENTERED
    return Entry(**of.fields(), entered=entered, terms=of.terms(), entry_url=of.entry_url)
