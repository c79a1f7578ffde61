"""It is still your turn, and time runs out. The row's key names the ask."""

from dataclasses import dataclass

from pbem.mail.letters import Kind
from pbem.services.mail.kinds import turn
from pbem.services.mail.kinds.turn import YourTurn
from pbem.services.mail.letter_context import LetterContext


@dataclass(frozen=True, kw_only=True)
class Reminder(YourTurn):
    """The seat is still asked, and time runs out."""


def build(context: LetterContext) -> YourTurn | str:
    """Returns the letter while the seat is still asked; of two waiting reminders only the newer one leaves."""
    if context.is_superseded():
        return "stale"
    return turn.letter_about_question(context, Reminder)


KIND = Kind(Reminder, build, can_be_muted=True, with_board=True)
