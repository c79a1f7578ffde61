"""Reads what is typed in a reply as commands, in French and English; where there is any doubt, as none.

Commands stand at the top, one a line, below a greeting or a word of thanks at most, and end at the first blank line
after one, or at a closing or a name. What follows is read only for what it may take back: another move, a question, a
"no". One such line cancels all commands, for a move that nobody meant cannot be taken back, and asking again costs a
mail.

How a line becomes a command:

0. Greetings, thanks and closings are never moves, even if the game could read one.
1. What stands behind "say" or "note" is said or noted, a move or not.
2. A line that the game understands as a whole is a move, whatever else it may look like. It is in doubt if it is a
   question, if it says "or" or "wait", or if it is also a command of another kind.
3. "order" and the others, by their first words.
4. A move behind a word such as "play", behind a greeting and a comma, or before mere courtesy.
5. Several moves with "; " between them: the parts of a sitting.
6. A number that is no move. It answers nothing, for each choice has a name; its sender is told so.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum

from pbem.features.inbox.incoming import phrases
from pbem.features.inbox.incoming.bodies import VERSIONS
from pbem.features.inbox.incoming.characters import UNSURE, normalize_blanks_and_invisibles
from pbem.features.inbox.incoming.cutting import cut_quote
from pbem.kit.notation import LONGEST, plain_text, words

MOST_READ = 300
"""How many texts of one reply the game is asked about; a reply that takes more is no answer to a question."""

Understands = Callable[[str], bool]

_WORD = re.compile(r"[^\W_]")


class TooMuch(Exception):
    """The reply has more than MOST_LINES lines, or the game would have to be asked about more than MOST_READ texts."""


class Moves:
    """Which texts of one reply are moves.

    Greetings, thanks and closings are none, unless said with a move; nor is what cannot be read for sure.
    """

    def __init__(self, understands: Understands) -> None:
        self._understands = understands
        self._left = MOST_READ
        self._none: set[str] = set()

    def __call__(self, text: str) -> bool:
        """Returns whether the text is a move. Raises TooMuch."""
        if text in self._none or len(text) > LONGEST or UNSURE in text or not _WORD.search(text):
            return False
        addressee = phrases.addressee_of_courtesy(plain_text(text))
        found = (
            self._ask_game(text) if addressee is None else bool(addressee) and self(addressee) and self._ask_game(text)
        )
        if found:
            self._none.clear()  # what follows a move in its sitting may be one now
        else:
            self._none.add(text)
        return found

    def _ask_game(self, text: str) -> bool:
        if self._left == 0:
            raise TooMuch
        self._left -= 1
        return self._understands(text)


LONGEST_LINE = 1_000
"""In characters, but for what is said to others or oneself."""
MOST_LINES = 100
"""Lines above the cut; a reply with more is no answer to a question."""


@dataclass(frozen=True)
class Move:
    """A move as typed: one text for each part of a sitting."""

    parts: tuple[str, ...]


@dataclass(frozen=True)
class Number:
    """A number that the game does not understand.

    It may be meant for the place of a choice, but choices have names, not places: the service answers that it is none.
    """

    number: int


@dataclass(frozen=True)
class Order:
    """What `parse_order` is to read."""

    text: str


@dataclass(frozen=True)
class Say:
    """Something for the table."""

    text: str


@dataclass(frozen=True)
class Note:
    """Something for oneself."""

    text: str


class Wish(Enum):
    """What a player may ask of the service by one word; the value is the code of what was done."""

    STOP_ORDERS = "stopped"
    """Stop all orders of this seat."""
    HELP = "help"
    """How one answers, with the choices of this question."""
    AGAIN = "again"
    """The mail of this question once more."""
    MUTE = "muted"
    """No more mails about this match."""


Command = Move | Number | Order | Say | Note | Wish


@dataclass(frozen=True)
class Line:
    """A line above the cut, with the command that it is, or the code of its doubt; neither if it does not matter.

    The codes: "not-understood"; "question"; "no" (it may take something back); "second-move"; "unsure" (a move with
    "or" or "wait"); "two-meanings" (a move, and a command or a wish; or words to the table or to a person); "empty"
    (a command with nothing behind it); "too-long"; "parts-differ" (the mail's HTML says something else).
    """

    text: str
    command: Command | None
    doubt: str | None


@dataclass(frozen=True)
class Reading:
    """What a reply says. `commands` is () if there is any doubt.

    `doubts`: those of the lines, each once, or one of the whole: "empty", nothing is typed; "nothing-above", something
    is, but not above what is quoted; "no-command", nothing but a greeting.
    """

    lines: tuple[Line, ...]
    commands: tuple[Command, ...]
    doubts: tuple[str, ...]


_PLAY = re.compile(
    r"\W*(?:(?:i(?:'ll|’ll| will)? |(?:je |j['’])(?:vais )?)?(?:play|joue|jouer|move|answer|choose|choisis|r[ée]ponds)"
    r"|my (?:move|answer|choice)(?: is)?|(?:(?:mon|le) )?coup|(?:ma )?r[ée]ponse|mon choix)\b\s*[:=]?\s*(?=\S)",
    re.IGNORECASE,
)
_TALK = re.compile(
    r"(?P<word>say|dire|dis|note|noter|orders?|ordre|consignes?)(?:\s*:\s*|\s+|$)(?P<rest>.*)",
    re.IGNORECASE | re.DOTALL,
)
_STOP = re.compile(
    r"(?:stop|arretez?|arreter|supprime[rz]?|annule[rz]?|cancel)(?: (?:all|my|the|toutes|tous|mes|les|des))*"
    r" (?:orders?|ordres?|consignes?)"
)
_WORDS: dict[str, Command] = {
    **dict.fromkeys(("help", "aide", "a l'aide", "aidez-moi", "aide-moi", "help me"), Wish.HELP),
    **dict.fromkeys(("again", "encore", "encore une fois", "renvoyer", "renvoie", "renvoyez", "resend"), Wish.AGAIN),
    **dict.fromkeys(("mute", "silence", "muet", "sourdine"), Wish.MUTE),
}
_NUMBER = re.compile(r"(?:(?:n[°.]|no\.|number|numero|choice|choix|option|#)\s*)?([1-9]\d{0,2})[.)!]?")
_WISHES = re.compile(
    r"\b(?:stop|stopp|stoppe|arretez?|arreter|cancel|annule|annuler|done|fini|enough|assez)\b"
    r"|\W*(?:\w+\W+)?(?:no|non|nope)\b.*\b(?:thanks?|merci)\b|\W*(?:at|a|vers|um)\s+\d+\W*$"
)
"""What also tells a service to send no more mails, or to take something back, or declines it, or names an hour."""
_BETWEEN_PARTS = re.compile(r";\s+")
_AFTER_GREETING = re.compile(r"[,!:]\s*")
_BEFORE_COURTESY = re.compile(r"[\s,.!;:–—-]+")
_BETWEEN_PIECES = re.compile(r"[.,;:!()]+(?:\s+|$)|\s+[-–—]+\s+")
_WRAPPED = 60
"""In characters. A line as long as this may go on in the next one: programs break lines at 72 or so."""
_WINDOW = 4
"""In words. A move that is mentioned within a sentence is as long as this at most."""
_SHORT = 8
"""In words. Within a longer piece, several words are a move only if one of them looks like a card or a clan."""
_TELLING = re.compile(r"\d|\b[^\W\d_aiyAIYàÀ]\b")
"""A digit, or a letter alone that is no word."""
_CODE = re.compile(r"[^\W\d_]\d|\d[^\W\d_]")
"""A letter beside a digit: a word that may name a card or a tile, unlike those in an address or a telephone number."""


def read_reply(text: str, understands: Understands, names: Sequence[str] = ()) -> Reading:
    """Returns what the text of a reply says, quotes and all: it is cut here.

    `understands` tells whether the game can read a text as a move of the asked seat, legal or not. `names` are the
    player's own. Of a text in several versions all must say the same, for nobody knows which its writer has seen.
    """
    first, *others = (_read_version(one, understands, names) for one in text.split(VERSIONS))
    said = first.commands
    if not said or all(
        len(said) == len(other.commands) and all(map(_is_same_command, said, other.commands)) for other in others
    ):
        return first
    lines = tuple(replace(one, command=None, doubt="parts-differ") if one.command else one for one in first.lines)
    return Reading(lines, (), ("parts-differ",))


def _is_same_command(one: Command, other: Command) -> bool:
    """Returns whether two versions of a line say the same; they may differ in signs, addresses and broken lines."""
    if isinstance(one, Move | Number) and isinstance(other, Move | Number):
        return _key_of_command(one) == _key_of_command(other)
    if (isinstance(one, Say) and isinstance(other, Say)) or (isinstance(one, Note) and isinstance(other, Note)):
        return _letters_and_digits_in(one.text) == _letters_and_digits_in(other.text)
    return one == other


def _letters_and_digits_in(text: str) -> str:
    return re.sub(r"[\W_]+", "", phrases.without_addresses(text))


def _read_version(text: str, understands: Understands, names: Sequence[str]) -> Reading:
    above = cut_quote(text)
    typed = above.split("\n")
    if not above.strip():
        return Reading((), (), ("nothing-above" if normalize_blanks_and_invisibles(text).strip() else "empty",))
    try:
        if len(typed) > MOST_LINES:
            raise TooMuch
        lines = tuple(_Reader(understands, names).read_lines(typed))
    except TooMuch:
        return Reading((Line(typed[0][:LONGEST], None, "too-long"),), (), ("too-long",))
    doubts = tuple(dict.fromkeys(line.doubt for line in lines if line.doubt))
    commands = tuple(dict.fromkeys(line.command for line in lines if line.command))
    if not commands and not doubts:
        doubts = ("no-command",)
    return Reading(lines, () if doubts else commands, doubts)


class _Reader:
    """Reads line by line; remembers the move that was read, and whether commands have ended."""

    def __init__(self, understands: Understands, names: Sequence[str]) -> None:
        self._understands = Moves(understands)
        self._names = names
        self._answer: Move | Number | None = None
        self._begun = False
        self._ended = False
        self._signed = False

    def read_lines(self, typed: Sequence[str]) -> Iterator[Line]:
        """Yields each line that is not blank, read."""
        waiting = [line.strip() for line in typed]
        while waiting:
            text = waiting.pop(0)
            if not text:
                self._ended = self._ended or self._begun
                continue
            while not self._ended and waiting and self._is_wrapped_line(text, waiting[0]):
                text = f"{text} {waiting.pop(0)}"
            yield self._read_line_below(text) if self._ended else self._read_line_among_commands(text)

    def _is_wrapped_line(self, text: str, after: str) -> bool:
        """Returns whether the next line is the rest of something said, which a program has wrapped."""
        if len(text.rsplit("\n", 1)[-1]) < _WRAPPED or not after or self._understands(text):
            return False
        said = plain_text(after)
        apart = phrases.is_closing(said) or phrases.is_signature(after, self._names) or phrases.may_take_back(said)
        return (
            isinstance(self._read_command(text)[0], Say | Note) and not apart and self._read_command(after)[0] is None
        )

    def _read_line_among_commands(self, text: str) -> Line:
        """Returns a line where commands may stand."""
        plain = plain_text(text)
        command, doubt = self._read_command(text)
        if command is not None:
            return self._accept_command(text, command)
        if doubt is None and (
            phrases.is_courtesy_behind_move(plain) or (self._begun and phrases.is_signature(text, self._names))
        ):
            self._ended = self._signed = self._begun
            return Line(text, None, None)
        if doubt is None and not self._begun and self._is_opening_courtesy(text, plain):
            return Line(text, None, None)
        if doubt is None and self._begun:
            doubt = self._doubt_of_line_below(text, plain)
        self._begun = True
        return Line(text, None, doubt or "not-understood")

    def _is_opening_courtesy(self, text: str, plain: str) -> bool:
        """Returns whether the line is courtesy above the commands, and holds no move."""
        return phrases.is_greeting(plain) or (
            phrases.is_courtesy_above_move(plain) and not self._mentions_another_move(text)
        )

    def _accept_command(self, text: str, command: Command) -> Line:
        self._begun = True
        if isinstance(command, Move | Number):
            if self._answer is not None:
                return self._line_of_further_answer(text, command)
            self._answer = command
        return Line(text, command, None)

    def _line_of_further_answer(self, text: str, command: Move | Number) -> Line:
        """Returns a further answer: the same once more does not matter."""
        same = self._answer is not None and _key_of_command(command) == _key_of_command(self._answer)
        return Line(text, None, None if same else "second-move")

    def _read_line_below(self, text: str) -> Line:
        """Returns a line behind the commands, which does not matter unless it may take something back."""
        plain = plain_text(text)
        command, doubt = self._read_command(text)
        if isinstance(command, Move | Number):
            return self._line_of_further_answer(text, command)
        if doubt is None and (phrases.is_closing(plain) or phrases.is_signature(text, self._names)):
            self._signed = True
            return Line(text, None, None)
        return Line(text, None, self._doubt_of_line_below(text, plain))

    def _doubt_of_line_below(self, text: str, plain: str) -> str | None:
        if len(text) > LONGEST_LINE:
            return "too-long"
        if phrases.is_question(plain):
            return "question"
        if phrases.may_take_back(plain):
            return "no"
        return "second-move" if self._mentions_another_move(phrases.without_addresses(text)) else None

    def _mentions_another_move(self, text: str) -> bool:
        """Returns whether the game understands a few words of the line, other than the move that was read.

        Below a closing or a name they must look like a card or a tile, since signatures are full of numbers. What
        cannot be read for sure may be a move as well.
        """
        text = text.replace(UNSURE, " ")
        own = "" if self._answer is None else _key_of_command(self._answer)
        pieces = [piece for piece in _BETWEEN_PIECES.split(text) if piece]
        found = pieces if not self._signed else []
        for piece in pieces:
            found = [*found, *self._word_groups(piece.split()[: LONGEST // 2])]
        return any(_words_padded_with_blanks(one) not in own and self._understands(one) for one in found)

    def _word_groups(self, words: Sequence[str]) -> Iterator[str]:
        """Yields the few words in a row that may be a move."""
        for long in range(1, _WINDOW + 1):
            telling = _CODE if self._signed else _TELLING if long > 1 and len(words) > _SHORT else None
            for at in range(len(words) - long + 1):
                span = " ".join(words[at : at + long])
                if telling is None or telling.search(span):
                    yield span

    def _read_command(self, text: str) -> tuple[Command | None, str | None]:
        """Returns the command that the line is, or the code of a doubt; neither if it is no command."""
        plain = plain_text(text)
        if phrases.may_say_be_meant_for_person(plain):
            return None, "two-meanings"
        other = _other_command(text, plain)
        if isinstance(other, Say | Note) and other.text:
            return other, None  # whatever is said is said, a move or not
        if self._understands(text):
            if other is not None:
                return None, "two-meanings"
            return self._command_or_doubt(Move((text,)), plain)
        if other is not None:
            empty = isinstance(other, Say | Note | Order) and not other.text
            asked = isinstance(other, Order) and phrases.is_question(plain)
            return (None, "empty" if empty else "question") if empty or asked else (other, None)
        found = self._answer_in(text) if len(text) <= LONGEST_LINE and UNSURE not in text else None
        if found is not None:
            return self._command_or_doubt(found, plain)
        return None, "question" if phrases.is_question(plain) else None

    def _command_or_doubt(self, found: Move | Number, plain: str) -> tuple[Command | None, str | None]:
        if phrases.is_question(plain):
            return None, "question"
        if isinstance(found, Move) and _WISHES.search(plain):
            return None, "two-meanings"
        return (None, "unsure") if phrases.is_hedged(plain) else (found, None)

    def _answer_in(self, text: str) -> Move | Number | None:
        """Returns the move or number within what people write around it."""
        variants = _variants_of_line(text)
        for one in variants:
            if self._understands(one):
                return Move((one,))
        for one in variants:
            parts = [
                _without_word_play(part.strip(), self._understands)
                for part in _BETWEEN_PARTS.split(one)
                if part.strip()
            ]
            if len(parts) > 1 and all(self._understands(part) for part in parts):
                return Move(tuple(parts))
        for one in variants:
            number = _NUMBER.fullmatch(plain_text(one))
            if number:
                return Number(int(number[1]))
        return None


def _other_command(text: str, plain: str) -> Command | None:
    """Returns the command, other than a move, that the line is by its words."""
    bare = plain.strip(" .!*\"'")
    if _STOP.fullmatch(bare):
        return Wish.STOP_ORDERS
    found = _TALK.match(text)
    if found is None:
        return _WORDS.get(bare)
    word, rest = found["word"].lower(), found["rest"].strip()
    if word in ("say", "dire", "dis"):
        return Say(rest)
    return Note(rest) if word in ("note", "noter") else Order(rest)


def _variants_of_line(text: str) -> list[str]:
    """Returns the line without a greeting before it, courtesy behind it, and a word such as "play".

    >>> _variants_of_line("Hi Bob, I play F3, thanks")
    ['Hi Bob, I play F3, thanks', 'I play F3, thanks', 'I play F3', 'F3']
    """
    found = list(dict.fromkeys((text, text.strip("*_ "))))  # bold type, as programs write it in plain text
    greeting, *rest = _AFTER_GREETING.split(found[-1], maxsplit=1)
    if rest and rest[0] and phrases.is_greeting(plain_text(greeting)):
        found.append(rest[0])
    for gap in _BEFORE_COURTESY.finditer(found[-1]):
        tail = found[-1][gap.end() :]
        if gap.start() and tail and phrases.is_courtesy_behind_move(plain_text(tail)):
            found.append(found[-1][: gap.start()])
            break
    found.append(_PLAY.sub("", found[-1], count=1) if _PLAY.match(found[-1]) else found[-1])
    return list(dict.fromkeys(found))


def _without_word_play(text: str, understands: Understands) -> str:
    return text if understands(text) or not _PLAY.match(text) else _PLAY.sub("", text, count=1)


def _words_padded_with_blanks(text: str) -> str:
    return f" {' '.join(words(text))} "


def _key_of_command(command: Move | Number) -> str:
    """Returns what two ways of typing the same have in common."""
    if isinstance(command, Number):
        return f" #{command.number} "
    return ";".join(_words_padded_with_blanks(part.strip(" .!*_")) for part in command.parts)
