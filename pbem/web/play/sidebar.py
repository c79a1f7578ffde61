"""What a seat's page shows beside the board: free seats, and the rematch."""

from dataclasses import dataclass

from pbem.kit.bots import usual_bot
from pbem.services.lobby import joining, rematches, reminding
from pbem.services.lobby.reminding import Again
from pbem.services.play import substitutes
from pbem.services.views.match_views import SeatView
from pbem.services.views.seats import Seated
from pbem.web.protocol.forms import offered_bots
from pbem.web.protocol.page import site
from pbem.web.protocol.sign_in import caller, current_player
from pbem.web.views.match_page import called


@dataclass(frozen=True)
class Chair:
    """A seat that is free; `link` is the address that leads to it, if any.

    `again` is the invitation that may be sent next, None if nobody has it to answer; it is `due` now, or later.
    """

    place: SeatView
    link: str | None
    again: Again | None = None
    due: bool = False

    @property
    def name(self) -> str:
        """What the page calls whoever has or had the seat."""
        return called(self.place)


@dataclass(frozen=True)
class Sidebar:
    """What a seat's page shows beside the board: empty seats (to the organiser only), the bots, the rematch, if any.

    `left` are the seats whose players have left, with the links for substitutes. `usual`: the bot that
    is chosen for an empty seat unless somebody chooses. `words`: the rematch takes the reader's lucky word.
    """

    chairs: list[Chair]
    left: list[Chair]
    bots: list[tuple[str, str]]
    usual: str
    rematch: str | None
    words: bool


def sidebar(seated: Seated) -> Sidebar:
    """Returns what this seat's page shows beside the board."""
    sheet = seated.sheet
    chairs = _chairs(seated) if seated.organiser and sheet.status == "inviting" else []
    links = substitutes.links(site(), sheet, seated.seat)
    left = [Chair(sheet.seats[number], link) for number, link in links.items()]
    again = rematches.read_rematch(site(), sheet.id) if sheet.over else None
    words = sheet.over and rematches.takes_word(site(), sheet.id, seated.player_id, caller(current_player()))
    return Sidebar(chairs, left, offered_bots(sheet.game), usual_bot(sheet.game), again, words)


def _chairs(seated: Seated) -> list[Chair]:
    """Returns the seats that nobody has taken yet, as the organiser manages them."""
    sheet = seated.sheet
    tokens = joining.join_tokens(site(), sheet.id, seated.seat)
    again, now = reminding.read_reminders(site(), sheet.id), site().now()
    return [
        Chair(
            place,
            site().url(f"/join/{tokens[place.seat]}") if place.seat in tokens else None,
            again.get(place.seat),
            place.seat in again and again[place.seat].is_due(now),
        )
        for place in sheet.seats
        if place.status != "accepted"
    ]
