"""It is still your turn. The row's key names the question."""

from pbem.mail.kinds.reminder import Reminder
from pbem.mail.kinds.turn import YourTurn
from pbem.services.mail.kinds import turn
from pbem.services.mail.letter_context import Desk


def build(desk: Desk) -> YourTurn | str:
    """The letter while the question is open; of two that wait to be sent only the newer one leaves."""
    if desk.superseded():
        return "stale"
    return turn.of_question(desk, Reminder)
