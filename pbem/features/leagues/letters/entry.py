"""Somebody, who should be its reader, has typed an address to enter a season."""

from dataclasses import dataclass

from pbem.features.leagues.news import ENTERED, INVITED
from pbem.features.leagues.season_letters import SeasonLetter, entrant_of_mail_row
from pbem.mail.letters import Kind
from pbem.services.mail.letter_context import LetterContext


@dataclass(frozen=True, kw_only=True)
class Entry(SeasonLetter):
    """Asks to enter the season with one press; `entered` if the reader has done so before."""

    entered: bool


def build(context: LetterContext) -> Entry | str:
    """Returns the letter; stale once the season has begun, or if they have declined."""
    of = entrant_of_mail_row(context)
    if of is None or of.season.status != "open" or of.entrant.status not in (ENTERED, INVITED):
        return "stale"
    entered = of.entrant.status == ENTERED
    return Entry(**of.fields_of_letter(), entered=entered)


KIND = Kind(Entry, build, capped=True, on_request=True, proves_address=True)
