"""What a reply says to the seat that it names: its lines as commands, and its moves as the game writes them."""

from dataclasses import dataclass, field

from pbem.errors import N_, Unreadable
from pbem.kit.codec import plain
from pbem.kit.contract import AnyGame, Move
from pbem.kit.contract import Unreadable as UnreadableMove
from pbem.mail.incoming import commands
from pbem.mail.incoming.commands import Number, Reading, read_reply
from pbem.mail.incoming.message import Incoming
from pbem.services.inbox.whose import Whose
from pbem.services.play.moves import Part, Said
from pbem.services.views.match_views import View
from pbem.services.views.short_answers import ShortAnswers, short_answers

ENCRYPTED = "encrypted"


@dataclass
class Understanding:
    """Reads the moves of a reply for a seat: by what it is asked now, if that is what the reply answers.

    In a reply to a closed question a move is whatever the game can read, for it is not played.
    """

    game: AnyGame
    seat: int
    answers: ShortAnswers | None
    _after: ShortAnswers | None = field(default=None, init=False)
    """The answers to the question after the last move that was understood, in the same sitting."""

    def understands(self, text: str) -> bool:
        """True if the text is a move, legal or not."""
        move = self._move(self.answers, text)
        if move is not None:
            self._after = self.answers.after(move) if self.answers is not None else None
            return True
        return self._after is not None and self._move(self._after, text) is not None

    def said(self, command: commands.Move | Number) -> tuple[Said, list[Part]]:
        """Returns a command's move as use cases take it, and those that follow it in one sitting. Raises Unreadable."""
        if isinstance(command, Number):
            # Every choice has a name, which its mail shows; a number that is none may be meant for its place, or not.
            raise Unreadable(N_("“%(text)s” is none of the choices."), {"text": str(command.number)})
        first, *rest = command.parts
        found = self._move(self.answers, first)
        after = self.answers.after(found) if self.answers is not None and found is not None else None
        said: Said = plain(found) if found is not None else first
        then: list[Part] = []
        for text in rest:
            move = self._move(after, text)
            then.append(Part(plain(move) if move is not None else text))
            after = None
        return said, then

    def first_move(self, command: commands.Move | Number) -> Move | None:
        """Returns the first move of a command; None if it cannot be read."""
        return self._move(self.answers, command.parts[0]) if isinstance(command, commands.Move) else None

    def _move(self, answers: ShortAnswers | None, text: str) -> Move | None:
        if answers is not None:
            return answers.move(text)
        try:
            move: Move = self.game.parse(text, self.seat)
        except UnreadableMove:
            return None
        return move


def understanding_of(view: View, key: str | None) -> Understanding:
    """Returns how a reply to the question with this key is read by the viewer's present view."""
    assert view.viewer is not None, "mails go to seats"
    is_open = view.ask is not None and view.ask.key == key
    return Understanding(view.game, view.viewer, short_answers(view) if is_open else None)


def read_words(incoming: Incoming, whose: Whose, understanding: Understanding) -> Reading:
    """Returns what the mail says; of an encrypted one only that it cannot be read."""
    if incoming.unread is not None:
        return Reading((), (), (ENCRYPTED,))
    return read_reply(incoming.text, understanding.understands, (whose.name,))
