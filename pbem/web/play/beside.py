"""What a seat's page shows around the table: free seats, and what comes next.

All is made from what the seat sees, so nothing here can tell more than its player knows.
"""

from dataclasses import dataclass

from pbem.kit.contract import Move
from pbem.kit.orders.following import fold_and_question_of_sitting, kinds_in_same_sitting_after
from pbem.render import phrases
from pbem.services.lobby import joining, rematches, reminding
from pbem.services.lobby.reminding import Again
from pbem.services.play import substitutes
from pbem.services.views import match_list
from pbem.services.views.match_views import SheetSeat, View
from pbem.services.views.seats import Seated
from pbem.web.protocol.language import page_language
from pbem.web.protocol.page import site
from pbem.web.protocol.sign_in import caller_of, current_player, current_visitor
from pbem.web.views.match_page import name_at

MOST_ANSWERS = 60
"""More choices than that are left to the board of their own question."""


# --- free seats, and the rematch -----------------------------------------------------------------------------


@dataclass(frozen=True)
class Chair:
    """A seat that is free; `link` is the address that leads to it, if any.

    `again` is the invitation that may be sent next, None if nobody has it to answer; it is `due` now, or later.
    """

    place: SheetSeat
    link: str | None
    name: str = ""
    """What the page calls whom the organiser has invited to it."""
    again: Again | None = None
    due: bool = False


@dataclass(frozen=True)
class Sidebar:
    """What a seat's page shows beside the board: empty seats (to the organiser only), and the rematch, if any.

    `left` are the seats whose players have left, with the links for substitutes. `words`: the rematch takes the
    reader's lucky word.
    """

    chairs: list[Chair]
    left: list[Chair]
    rematch: str | None
    words: bool


def sidebar_of_seat(seated: Seated) -> Sidebar:
    """Returns what this seat's page shows beside the board."""
    sheet, chairs = seated.sheet, []
    if seated.organiser and sheet.status == "inviting":
        tokens = joining.join_tokens_for_organiser(site(), sheet.id, seated.seat)
        sent, now = reminding.read_reminders(site(), sheet.id), site().now()
        chairs = [
            Chair(
                place,
                site().url(f"/join/{tokens[place.seat]}") if place.seat in tokens else None,
                name_at(place),
                sent.get(place.seat),
                place.seat in sent and sent[place.seat].is_due(now),
            )
            for place in sheet.seats
            if place.status != "accepted"
        ]
    links = substitutes.substitute_links_by_seat(site(), sheet, seated.seat)
    left = [Chair(sheet.seats[number], link) for number, link in links.items()]
    again = rematches.read_rematch_id(site(), sheet.id) if sheet.over else None
    words = sheet.over and rematches.may_bring_word_to_rematch(
        site(), sheet.id, seated.player_id, caller_of(current_player())
    )
    return Sidebar(chairs, left, again, words)


def next_match(seated: Seated) -> match_list.Next | None:
    """Returns the next match that waits for the seat's player.

    None if nothing waits, or if they are not signed in: the link of a seat opens no other.
    """
    player = current_visitor()
    if player is None or player.id != seated.player_id:
        return None
    return match_list.read_next_turn(site(), player, seated.sheet.id)


# --- what is asked next in the same sitting ------------------------------------------------------------------


@dataclass(frozen=True)
class Next:
    """The question that follows, and its answers: how each is written, and in words.

    `at_once`: it is asked as soon as the move is played, and not only when others have answered.
    """

    title: str
    choices: list[tuple[str, str]]
    at_once: bool


def next_question_after_move(view: View, move: Move) -> Next | None:
    """Returns what the seat may answer together with this legal move; None if nothing can be foreseen."""
    ask, game, lang = view.ask, view.game, page_language()
    if ask is None or view.viewer is None:
        return None
    names = view.sheet.names
    found = fold_and_question_of_sitting(game, view.fold, view.viewer, game.preview(view.fold, view.viewer, move))
    if found is not None:
        fold, asked = found
        legal = game.legal(fold, view.viewer)
        choices = [
            (game.format(one), phrases.phrase_text(game.label(one, fold, lang), names)) for one in legal[:MOST_ANSWERS]
        ]
        shown = choices if len(legal) <= MOST_ANSWERS else []
        return Next(game.meta.asks[asked.kind].title[lang], shown, at_once=True) if shown else None
    if not ask.silent:
        return None
    for kind in kinds_in_same_sitting_after(game, ask.kind):
        answers = game.answers(kind, view.fold, view.viewer)
        if 0 < len(answers) <= MOST_ANSWERS:
            named = [
                (game.format(one), phrases.phrase_text(game.name(one, lang) or game.format(one), names))
                for one in answers
            ]
            return Next(game.meta.asks[kind].title[lang], named, at_once=False)
    return None
