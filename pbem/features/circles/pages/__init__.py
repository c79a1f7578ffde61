"""Circles and their standing tables: their pages, and what other pages say of a player's circles.

entering  how somebody comes to a circle: signed in, by the link in its mails, or by the invitation link
circles   a player's circles, the page of one, and what is done there
"""

from pbem.errors import N_
from pbem.features.circles import sheets
from pbem.features.circles.pages import circles, entering
from pbem.kit.contract import AnyGame
from pbem.limits import JOINS, Limit
from pbem.services.players.players import Account
from pbem.web.features import Parts, rendered
from pbem.web.lobby.match_form import FRIENDS
from pbem.web.protocol.page import site

PARTS = (circles.bp, entering.bp)
LIMITS = (Limit("joining.join", JOINS),)
NAV = (("circles.mine", N_("Circles")),)


def home_page(player: Account) -> Parts:
    """Returns the list of the player's circles, and of those that invite them."""
    mine = sheets.read_circles_of_player(site(), player.id)
    return Parts(sections=rendered("features/circles/home_page.html", circles=mine)) if mine else Parts()


def preferences_page(player: Account) -> Parts:
    """Returns the way to the player's circles."""
    return Parts(sections=rendered("features/circles/preferences_page.html"))


def match_form(player: Account | None, game: AnyGame, others: str) -> Parts:
    """Returns the circles with whose members the player can start the match; none for strangers."""
    found = sheets.read_circles_of_player(site(), player.id) if player is not None and others == FRIENDS else ()
    theirs = [one for one in found if one.status == "member"]
    if not theirs:
        return Parts()
    return Parts(above_form=rendered("features/circles/match_form.html", circles=theirs, game=game))
