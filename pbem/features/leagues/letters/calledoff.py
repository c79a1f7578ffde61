"""A season does not take place."""

from dataclasses import dataclass

from pbem.features.leagues.season_letters import SeasonLetter, entrant_of_mail_row
from pbem.mail.letters import Kind
from pbem.services.mail.letter_context import LetterContext


@dataclass(frozen=True, kw_only=True)
class CalledOff(SeasonLetter):
    """The season was called off before it began; `few` if too few had entered, else its league was ended."""

    few: bool


def build(context: LetterContext) -> CalledOff | str:
    """Returns the letter."""
    of = entrant_of_mail_row(context)
    if of is None or of.season.status != "cancelled":
        return "stale"
    return CalledOff(**of.fields_of_letter(), few=of.league.ended_at is None)


KIND = Kind(CalledOff, build)
