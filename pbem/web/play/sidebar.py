"""What a seat's page shows beside the board: free seats, and the rematch."""

from dataclasses import dataclass

from pbem.kit.bots import bots_of
from pbem.services.lobby import joining, rematches
from pbem.services.play import substitutes
from pbem.services.views.match_views import SeatView
from pbem.services.views.seats import Seated
from pbem.web.protocol.bot_names import bot_title
from pbem.web.protocol.page import site


@dataclass(frozen=True)
class Chair:
    """A seat that is free; `link` is the address that leads to it, if any."""

    place: SeatView
    link: str | None


@dataclass(frozen=True)
class Sidebar:
    """What a seat's page shows beside the board: empty seats (to the organiser only), the bots, the rematch, if any.

    `left` are the seats whose players have left, with the links for substitutes.
    """

    chairs: list[Chair]
    left: list[Chair]
    bots: list[tuple[str, str]]
    rematch: str | None


def sidebar(seated: Seated) -> Sidebar:
    """Returns what this seat's page shows beside the board."""
    sheet = seated.sheet
    tokens = joining.join_tokens(site(), sheet.id, seated.seat) if sheet.status == "inviting" else {}
    chairs = [
        Chair(place, site().url(f"/join/{tokens[place.seat]}") if place.seat in tokens else None)
        for place in sheet.seats
        if place.status != "accepted" and seated.organiser and sheet.status == "inviting"
    ]
    bots = [(bot, bot_title(bot)) for bot in bots_of(sheet.game)]
    links = substitutes.links(site(), sheet, seated.seat)
    left = [Chair(sheet.seats[number], link) for number, link in links.items()]
    return Sidebar(chairs, left, bots, rematches.read_rematch(site(), sheet.id) if sheet.over else None)
