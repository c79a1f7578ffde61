"""The mail that reminds a player of their open turn. The row's key names the ask."""

from pbem.mail.kinds.reminder import Reminder
from pbem.mail.kinds.turn import YourTurn
from pbem.services.mail.kinds import turn
from pbem.services.mail.letter_context import LetterContext


def build(context: LetterContext) -> YourTurn | str:
    """Returns the letter while the seat is still asked; of two waiting reminders only the newer one leaves."""
    if context.is_superseded():
        return "stale"
    return turn.of_question(context, Reminder)
