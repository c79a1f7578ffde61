"""The story of what happens at the table and not in the game: who left, who is late, and how a match ended."""

from collections.abc import Sequence
from datetime import timedelta

from pbem.kit import replay
from pbem.kit.contract import AnyGame, Card, Outcome, Phrase, Viewer
from pbem.kit.endings import endings_of
from pbem.kit.folds import Presence
from pbem.kit.texts import Lang
from pbem.kit.words import put_in
from pbem.render.i18n import bot_title, duration_in_words, join_and, message_catalogue
from pbem.render.phrases import phrase_text

NOBODY_AWAY = Presence()


def tell_table_event(event: replay.TableEvent, lang: Lang) -> Phrase:
    """Returns the story line for an event of the table, all of which everybody may know."""
    _ = message_catalogue(lang).gettext
    seats = {"seat": _seat_placeholder(event, "seat"), "voter": _seat_placeholder(event, "voter")}
    match event:
        case replay.Absent():
            line = _("%(seat)s has missed two turns in a row and is absent: the clock moves at once.")
        case replay.Returned():
            line = _("%(seat)s is back.")
        case replay.Resigned():
            line = _("%(seat)s has resigned.")
        case replay.Replaced():
            # The whole story calls a seat by its present player, also where it tells of the time before them.
            line = _("%(seat)s takes over the seat from here on.")
        case replay.PutToVote():
            line = _("%(seat)s is late: the others vote on letting the clock move.")
        case replay.Voted():
            line = _("%(voter)s votes to let the clock move for %(seat)s.")
        case replay.Extended():
            if event.seat is None:
                later, earlier = _("All deadlines are %(time)s later."), _("All deadlines are %(time)s earlier.")
            else:
                later, earlier = _("%(seat)s has %(time)s more."), _("%(seat)s has %(time)s less.")
            line = later if event.seconds > 0 else earlier
            seats["time"] = duration_in_words(timedelta(seconds=abs(event.seconds)), lang)
        case replay.Paused():
            line = _("Nobody is at the table any more: the match is paused.")
        case replay.Resumed():
            line = _("The match goes on.")
        case replay.MatchEnded():
            line = _("Only bots are left: %(winners)s win.")
            if event.reason == "last_seat":
                line = _("Everybody else has resigned: %(winners)s wins.")
            seats["winners"] = join_and([put_in(seat) for seat in event.winners], lang)
        case replay.Undone():
            line = _("The last moves are taken back.")  # where nobody knows whose they were; see `Narrator`
        case replay.Cancelled():
            why = [] if event.reason is None else [why_called_off(event.reason, lang)]
            line = " ".join([_("The match is called off."), *why])
        case _:
            raise TypeError(f"{event} is told nowhere")
    return line % seats


def card_of_table_event(event: replay.TableEvent, viewer: Viewer, lang: Lang) -> Card | None:
    """Returns the card of an event that changes who plays a seat of the others; None for all other events."""
    if not isinstance(event, replay.Absent | replay.Resigned | replay.Replaced) or event.seat == viewer:
        return None
    _ = message_catalogue(lang).gettext
    match event:
        case replay.Absent():
            title, line = _("%(seat)s is absent"), _("Two turns missed in a row: the clock moves at once from now on.")
        case replay.Resigned():
            title, line = _("%(seat)s has resigned"), _("All moves of this seat are automatic until the end.")
        case replay.Replaced():
            title, line = _("%(seat)s joins the match"), _("A substitute has taken over the seat, and plays on.")
    return Card(title % {"seat": _seat_placeholder(event, "seat")}, (line,))


def _seat_placeholder(event: replay.TableEvent, field: str) -> str:
    """Returns the placeholder of the seat in this field; "" if the event has no such seat."""
    seat = getattr(event, field, None)
    return "" if seat is None else f"{{{seat}}}"


def why_called_off(reason: str, lang: Lang) -> str:
    """Returns why a match was called off, in a sentence."""
    _ = message_catalogue(lang).gettext
    return {
        "withdrawn": _("The organiser cancelled it."),
        "lapsed": _("Not everybody answered in time."),
        "host": _("The host has stopped it."),
        "abandoned": _("Nobody came back to it."),
        "season": _("Its season ended before the match did."),
    }[reason]


def who_won_and_why_in_words(reason: str, winners: Sequence[str], lang: Lang) -> str:
    """Returns who has won and why, or just why nobody has; `reason` is how the match ended, in words."""
    _ = message_catalogue(lang).gettext
    if not winners:
        return _("%(reason)s.") % {"reason": sentence_case(reason)}
    if len(winners) == 1:
        return _("%(name)s wins: %(reason)s.") % {"name": winners[0], "reason": reason}
    return _("%(names)s win: %(reason)s.") % {"names": join_and(winners, lang), "reason": reason}


def outcome_in_words(game: AnyGame, outcome: Outcome, names: Sequence[str], lang: Lang) -> str:
    """Returns how a match of these names ended, as `who_won_and_why_in_words`."""
    reason = phrase_text(endings_of(game)[outcome.reason][lang], names)
    return who_won_and_why_in_words(reason, [names[seat] for seat in outcome.winners], lang)


def sentence_case(words: str) -> str:
    """Returns the words as they begin a sentence.

    >>> sentence_case("all cards are played")
    'All cards are played'
    """
    return words[:1].upper() + words[1:]


def automatic_move_prefix(seat: int, lang: Lang) -> Phrase:
    """Returns the words before a move that the clock made for the seat."""
    return message_catalogue(lang).gettext("Automatic move by %(seat)s.") % {"seat": f"{{{seat}}}"}


def stand_in_prefix(game: AnyGame, seat: int, bot: str, lang: Lang) -> Phrase:
    """Returns the words before a move that this bot made for the seat, whose player is absent."""
    line = message_catalogue(lang).gettext("Move by a bot (%(bot)s) for %(seat)s.")
    return line % {"bot": bot_title(game, bot, lang), "seat": f"{{{seat}}}"}


class Narrator:
    """Adds what the clock and the table did to the game's own story, entry by entry; it must be told all of them.

    `there` is who was at the table before the first entry.
    """

    def __init__(self, game: AnyGame, lang: Lang, there: Presence = NOBODY_AWAY) -> None:
        self._game, self._lang, self._there = game, lang, there
        self._answered: tuple[str | None, int | None] = (None, None)
        self._made: list[tuple[int, tuple[str, int | None]]] = []
        """The decisions that count so far: the first entry of each, its key, and its seat."""

    def line(self, entry: replay.AnyEntry, told: Phrase) -> Phrase:
        """Returns the line of the entry, given the game's own; the first of an automatic move says who has made it."""
        if isinstance(entry.event, replay.Undone):
            return self._tell_undo(entry.event)
        if isinstance(entry.event, replay.TableEvent):
            self._there = self._there.after(entry.event)
            return tell_table_event(entry.event, self._lang)
        if entry.key is not None and (not self._made or self._made[-1][1] != (entry.key, entry.seat_answered_for)):
            self._made.append((entry.n, (entry.key, entry.seat_answered_for)))
        mover = entry.by.clock if entry.by.clock is not None else entry.by.bot
        answer = (entry.key, mover)
        begins, self._answered = answer != self._answered, answer
        if mover is None or not begins or (entry.by.clock is None and mover not in self._there.absent):
            return told
        if entry.by.clock is not None:
            said = automatic_move_prefix(mover, self._lang)
        else:
            said = stand_in_prefix(self._game, mover, entry.by.via or "", self._lang)
        return f"{said} {told}".rstrip()

    def card_of_table_or_clock(self, entry: replay.AnyEntry, told: Phrase, viewer: Viewer) -> Card | None:
        """Returns the card of what the table or the clock did by this entry, which is told next; None for most.

        `told` is the game's own line. That the clock moved for the viewer is such news while they are at the table.
        """
        if isinstance(entry.event, replay.TableEvent):
            return card_of_table_event(entry.event, viewer, self._lang)
        mover = entry.by.clock
        if mover is None or mover != viewer or mover in self._there.absent | self._there.resigned:
            return None
        if (entry.key, mover) == self._answered:
            return None
        _ = message_catalogue(self._lang).gettext
        lines = (_("Your time was up."), told)
        return Card(_("The clock moved for you"), tuple(filter(None, lines)))

    def _tell_undo(self, event: replay.Undone) -> Phrase:
        """Returns who takes back a move, and whether more goes with it: a match goes back to before a decision."""
        _ = message_catalogue(self._lang).gettext
        gone = [made for n, made in self._made if n > event.to]
        self._made = [one for one in self._made if one[0] <= event.to]
        seat = gone[0][1] if gone else None
        if seat is None:
            return tell_table_event(event, self._lang)
        line = (
            _("%(seat)s takes back a move, and what followed it.")
            if len(gone) > 1
            else _("%(seat)s takes back a move.")
        )
        return line % {"seat": f"{{{seat}}}"}
