"""A player's own matches on their home page: those that wait for them first, as cards with their boards."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from flask import url_for
from markupsafe import Markup

from pbem.kit.contract import AnyGame
from pbem.services.players.players import Account
from pbem.services.views import match_list, match_views
from pbem.services.views.match_list import MyMatch
from pbem.services.views.match_views import OpenAsk
from pbem.web.protocol.language import _
from pbem.web.protocol.page import site
from pbem.web.views import match_list
from pbem.web.views.match_page import ending, headline

_ENDED = ("over", "cancelled")
SHOWN_OVER = 3
"""This many finished matches stand open in the list; with more of them the others are folded away."""
BOARDS = 3
"""This many matches are shown with their board: each has some 12 KB, and a page stays below 150 KB."""


@dataclass(frozen=True)
class Line:
    """One match in the list. `ask` is the question that it waits for, with its seat and deadline.

    `part` is how much of the time is left, in hundredths; None without a deadline.
    """

    game: AnyGame
    others: list[str]
    says: str
    ask: OpenAsk | None
    href: str
    button: str
    part: int | None = None
    board: Markup | None = None


@dataclass(frozen=True)
class Group:
    """Matches of the same urgency. `folded` ones are shown on demand; `large` ones as cards."""

    title: str
    lines: list[Line]
    folded: list[Line] = field(default_factory=list)
    large: bool = False


@dataclass(frozen=True)
class Mine:
    """A player's matches: how many wait for them, in groups of which none is empty, and whose boards are shown."""

    waiting: int
    groups: list[Group]
    games: list[AnyGame]


def matches_of(player: Account) -> Mine:
    """Returns the player's matches and open invitations."""
    matches = match_list.read_my_matches(site(), player)
    seats = [one for one in matches if one.purpose == "play"]
    over = [one for one in seats if one.sheet.status in _ENDED]
    left = [one for one in seats if one.sheet.has_resigned(one.seat)]
    mine = [one for one in seats if one.sheet.status not in _ENDED and not one.sheet.has_resigned(one.seat)]
    turn = sorted(filter(_waits, mine), key=_own_urgency)
    invited = [_invitation(one) for one in matches if one.purpose == "invitation"]
    others = sorted((one for one in mine if not _waits(one)), key=lambda one: one.sheet.status != "running")
    boards = _boards([*turn, *others, *over, *left])
    ended = [_line(one, boards) for one in over]
    groups = [
        Group(_("Your turn"), [_line(one, boards) for one in turn], large=True),
        Group(_("Invitations"), invited, large=True),
        Group(_("Others are thinking"), [_line(one, boards) for one in [*others, *left]]),
        Group(_("Finished"), ended[:SHOWN_OVER], ended[SHOWN_OVER:]),
    ]
    games = [one.sheet.game for one in matches if _place(one) in boards]
    return Mine(len(turn) + len(invited), [group for group in groups if group.lines], games)


def next_match(player: Account, besides: str) -> Line | None:
    """Returns the next match that waits for the player, other than this one; None without one."""
    found = match_list.read_next(site(), player, besides)
    return _line(found, _boards([found])) if found is not None else None


def _urgency(ask: OpenAsk) -> tuple[bool, float]:
    """Returns what sorts questions by their deadlines; those without one come last."""
    return ask.deadline is None, ask.deadline.timestamp() if ask.deadline is not None else 0


def _waits(mine: MyMatch) -> bool:
    return mine.asked and mine.sheet.status == "running"


def _own_urgency(mine: MyMatch) -> tuple[bool, float]:
    return min(_urgency(ask) for ask in mine.sheet.asks if ask.seat == mine.seat)


def _place(mine: MyMatch) -> tuple[str, int]:
    return mine.sheet.id, mine.seat


def _boards(matches: Sequence[MyMatch]) -> dict[tuple[str, int], Markup | None]:
    """Returns the boards of the first BOARDS of these matches that have begun, by match and seat."""
    begun = [one for one in matches if one.sheet.version][:BOARDS]
    views = match_list.read_views(site(), begun)
    return {_place(one): match_list.of_view(view) for one, view in zip(begun, views, strict=True)}


def _line(mine: MyMatch, boards: Mapping[tuple[str, int], Markup | None]) -> Line:
    sheet, now = mine.sheet, site().now()
    own = [ask for ask in sheet.asks if ask.seat == mine.seat]
    others = () if sheet.untimed else sheet.asks  # bots answer at once
    asks = () if sheet.has_resigned(mine.seat) else own or others
    first = min(asks, key=_urgency, default=None)
    return Line(
        game=sheet.game,
        others=_others(sheet, mine.seat),
        says=ending(sheet) or headline(sheet, mine.seat),
        ask=first,
        href=url_for("play.show", token=mine.token),
        button=_("Play"),
        part=_part(sheet, first, now),
        board=boards.get(_place(mine)),
    )


def _part(sheet: match_views.Sheet, ask: OpenAsk | None, now: datetime) -> int | None:
    if ask is None or ask.deadline is None:
        return None
    whole = sheet.bank_s or (sheet.window_s if sheet.game.meta.asks[ask.kind].window else sheet.turn_s)
    return max(0, min(100, round(100 * (ask.deadline - now).total_seconds() / whole)))


def _invitation(invited: MyMatch) -> Line:
    return Line(
        game=invited.sheet.game,
        others=_others(invited.sheet, invited.seat),
        says=_("%(name)s invites you to play", name=invited.sheet.names[0]),
        ask=None,
        href=url_for("lobby.ask_accept", token=invited.token),
        button=_("See the match, accept or decline"),
    )


def _others(sheet: match_views.Sheet, seat: int) -> list[str]:
    return [_("a free seat") if place.status == "open" else place.name for place in sheet.seats if place.seat != seat]
