"""A player's matches on their home page: their turn first, then invitations, running and finished matches."""

from dataclasses import dataclass

from flask import url_for

from pbem.kit.contract import AnyGame
from pbem.services.players.players import Account
from pbem.services.views import match_list, match_views
from pbem.services.views.match_list import MyMatch
from pbem.services.views.match_views import OpenAsk
from pbem.web.protocol.language import _
from pbem.web.protocol.page import site
from pbem.web.views.match_page import ending, headline

SHOWN_OVER = 3
"""So many finished matches stand open in the list; with more of them the others are folded away."""


@dataclass(frozen=True)
class Line:
    """One match in the list. `ask` is the question that it waits for, with its seat and deadline."""

    game: AnyGame
    others: list[str]
    says: str
    ask: OpenAsk | None
    href: str
    button: str
    urgent: bool = False


@dataclass(frozen=True)
class Group:
    """Matches of the same urgency. `folded` ones are shown on demand."""

    title: str
    lines: list[Line]
    folded: list[Line]


def groups_of(player: Account) -> list[Group]:
    """Returns the player's matches and open invitations in groups; empty groups are left out."""
    matches = match_list.read_my_matches(site(), player)
    seats = [one for one in matches if one.purpose == "play"]
    invited = [_invitation(one) for one in matches if one.purpose == "invitation"]
    running = [one for one in seats if one.sheet.status == "running"]
    turn = [_seat(one) for one in running if one.asked]
    waiting = [_seat(one) for one in running if not one.asked]
    waiting += [_seat(one) for one in seats if one.sheet.status in ("unconfirmed", "inviting", "paused")]
    over = [_seat(one) for one in seats if one.sheet.status in ("over", "cancelled")]
    groups = [
        Group(_("Your turn"), turn, []),
        Group(_("Invitations"), invited, []),
        Group(_("Others are thinking"), waiting, []),
        Group(_("Finished"), over[:SHOWN_OVER], over[SHOWN_OVER:]),
    ]
    return [group for group in groups if group.lines]


def _seat(mine: MyMatch) -> Line:
    sheet = mine.sheet
    own = [ask for ask in sheet.asks if ask.seat == mine.seat]
    first = min(own or sheet.asks, key=lambda ask: ask.deadline, default=None)
    return Line(
        game=sheet.game,
        others=_others(sheet, mine.seat),
        says=ending(sheet) or headline(sheet, mine.seat),
        ask=first,
        href=url_for("play.show", token=mine.token),
        button=_("Open the board") if sheet.version else _("Open your seat"),
        urgent=mine.asked,
    )


def _invitation(invited: MyMatch) -> Line:
    return Line(
        game=invited.sheet.game,
        others=_others(invited.sheet, invited.seat),
        says=_("%(name)s invites you to play", name=invited.sheet.names[0]),
        ask=None,
        href=url_for("lobby.ask_accept", token=invited.token),
        button=_("See the match, accept or decline"),
        urgent=True,
    )


def _others(sheet: match_views.Sheet, seat: int) -> list[str]:
    return [_("a free seat") if place.status == "open" else place.name for place in sheet.seats if place.seat != seat]
