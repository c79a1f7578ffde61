"""What stands around a seat's board: places that are still free, and the match played again."""

from dataclasses import dataclass

from pbem.rules.bots import bots_of
from pbem.services import joining, rematches
from pbem.services.seats import Seated
from pbem.services.views import SeatView
from pbem.web.page import site
from pbem.web.words import bot_title


@dataclass(frozen=True)
class Chair:
    """A place that nobody has taken, as its organiser sees it; `link` is the address that leads to it, if open."""

    place: SeatView
    link: str | None


@dataclass(frozen=True)
class Around:
    """What stands beside a seat's board: empty places, for the organiser alone; the bots; the rematch, if any."""

    chairs: list[Chair]
    bots: list[tuple[str, str]]
    rematch: str | None


def around(seated: Seated) -> Around:
    """What stands beside this seat's board."""
    sheet = seated.sheet
    tokens = joining.join_tokens(site(), sheet.id, seated.seat) if sheet.status == "inviting" else {}
    chairs = [
        Chair(place, site().url(f"/join/{tokens[place.seat]}") if place.seat in tokens else None)
        for place in sheet.seats
        if place.status != "accepted" and seated.organiser and sheet.status == "inviting"
    ]
    bots = [(bot, bot_title(bot)) for bot in bots_of(sheet.game)]
    return Around(chairs, bots, rematches.read_rematch(site(), sheet.id) if sheet.over else None)
