"""A player's own matches on their home page, those that wait for them first. It takes no log: no board is shown."""

from dataclasses import dataclass, field

from flask import url_for

from pbem.kit.contract import AnyGame
from pbem.render.i18n import message_catalogue
from pbem.services.players.players import Account
from pbem.services.views import match_list, match_views
from pbem.services.views.match_list import MyMatch
from pbem.services.views.match_views import OpenAsk
from pbem.web.protocol.language import _, page_language
from pbem.web.protocol.page import site
from pbem.web.views.match_page import ending_sentence, status_line_of_match

_BEFORE, _ENDED = ("unconfirmed", "inviting"), ("over", "cancelled")
SHOWN_OVER = 3
"""This many finished matches stand open in the list; with more of them the others are folded away."""


@dataclass(frozen=True)
class Line:
    """One match in the list. `ask` is the question that it waits for, with its seat and deadline."""

    game: AnyGame
    others: list[str]
    says: str
    ask: OpenAsk | None
    href: str


@dataclass(frozen=True)
class Group:
    """Matches of the same urgency. `folded` ones are shown on demand."""

    title: str
    lines: list[Line]
    folded: list[Line] = field(default_factory=list)
    urgent: bool = False
    over: bool = False


@dataclass(frozen=True)
class Mine:
    """A player's matches, in groups of which none is empty, and the games whose covers they show."""

    groups: list[Group]
    games: list[AnyGame]


def matches_of(player: Account) -> Mine:
    """Returns the player's matches and open invitations."""
    matches = match_list.read_my_matches(site(), player)
    seats = [one for one in matches if one.purpose == "play"]
    ended = [_match_line(one) for one in seats if one.sheet.status in _ENDED]
    left = [one for one in seats if one.sheet.has_resigned(one.seat)]
    mine = [one for one in seats if one.sheet.status not in _ENDED and not one.sheet.has_resigned(one.seat)]
    own = ((one, [ask for ask in one.sheet.asks if ask.seat == one.seat]) for one in mine if _waits_for_player(one))
    turn = [_match_line(one) for one, _asks in sorted(own, key=lambda each: min(map(_deadline_sort_key, each[1])))]
    invited = [_invitation_line(one) for one in matches if one.purpose == "invitation"]
    others = [one for one in mine if not _waits_for_player(one)]
    gathering = [_match_line(one) for one in others if one.sheet.status in _BEFORE]
    up = [_match_line(one) for one in [*others, *left] if one.sheet.status not in _BEFORE]
    groups = [
        Group(_("Your turn: %(number)s", number=len(turn)), turn, urgent=True),
        Group(_("Invitations: %(number)s", number=len(invited)), invited, urgent=True),
        Group(_("Others are up: %(number)s", number=len(up)), up),
        Group(_("Waiting for players: %(number)s", number=len(gathering)), gathering),
        Group(_("Over"), ended[:SHOWN_OVER], ended[SHOWN_OVER:], over=True),
    ]
    return Mine([group for group in groups if group.lines], [*{one.sheet.game for one in matches}])


def _deadline_sort_key(ask: OpenAsk) -> tuple[bool, float]:
    """Returns what sorts questions by their deadlines; those without one come last."""
    return ask.deadline is None, ask.deadline.timestamp() if ask.deadline is not None else 0


def _waits_for_player(mine: MyMatch) -> bool:
    return mine.is_asked and mine.sheet.status == "running"


def _match_line(mine: MyMatch) -> Line:
    sheet = mine.sheet
    own = [ask for ask in sheet.asks if ask.seat == mine.seat]
    others = () if sheet.untimed else sheet.asks  # bots answer at once
    asks = () if sheet.has_resigned(mine.seat) else own or others
    return Line(
        game=sheet.game,
        others=_other_seats_in_words(sheet, mine.seat),
        says=ending_sentence(sheet) or status_line_of_match(sheet, mine.seat),
        ask=min(asks, key=_deadline_sort_key, default=None),
        href=url_for("play.show_seat", token=mine.token),
    )


def _invitation_line(invited: MyMatch) -> Line:
    return Line(
        game=invited.sheet.game,
        others=_other_seats_in_words(invited.sheet, invited.seat),
        says=_("%(name)s invites you to play", name=invited.sheet.names[0]),
        ask=None,
        href=url_for("lobby.ask_accept", token=invited.token),
    )


def _other_seats_in_words(sheet: match_views.Sheet, seat: int) -> list[str]:
    free = [place.seat for place in sheet.seats if place.status == "open" and place.seat != seat]
    names = [place.name for place in sheet.seats if place.seat not in (*free, seat)]
    words = message_catalogue(page_language()).ngettext("%(num)s free seat", "%(num)s free seats", len(free))
    return [*names, words % {"num": len(free)}] if free else names
